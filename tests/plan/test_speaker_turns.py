"""With two people, the model hears the one who speaks there, and nobody else."""

from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr

from a3t.editor import Editor
from a3t.grid import frames_of
from tests.conftest import ARCTIC, NEVER


@pytest.fixture(scope="module")
def talk(arctic: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, float, float]:
    """One sentence said by one voice, by another that is quicker, and by the first again; the
    seconds at which the second begins and ends."""
    sound, rate = soundfile.read(arctic)
    other = soxr.resample(sound, rate, rate / 1.3)
    path = tmp_path_factory.mktemp("talk") / "talk.wav"
    soundfile.write(path, np.concatenate([sound, other, sound]), rate)
    return path, len(sound) / rate, (len(sound) + len(other)) / rate


def said(one: str, two: str, three: str) -> str:
    return f"Speaker 1: {one}\nSpeaker 2: {two}\nSpeaker 1: {three}"


def test_context_and_pace_are_the_speakers_own(
    talk: tuple[Path, float, float], editor: Editor
) -> None:
    path, begin, end = talk
    old = said(ARCTIC, ARCTIC, ARCTIC)
    aligned = editor.plan(path, new_text=old, text=old).source
    plans = [
        editor.plan(aligned, new_text=said(*texts))
        for texts in ((NEVER, ARCTIC, ARCTIC), (ARCTIC, NEVER, ARCTIC), (ARCTIC, ARCTIC, NEVER))
    ]
    windows = [plan.windows[0].source for plan in plans]
    gap = frames_of(0.3)  # the turns part in the middle of the silence between them
    first, last = frames_of(begin), frames_of(end)
    assert windows[0][1] <= first + gap
    assert first - gap <= windows[1][0] and windows[1][1] <= last + gap
    assert last - gap <= windows[2][0]
    lengths = [plan.edits[0].frames for plan in plans]
    assert lengths[1] / lengths[0] == pytest.approx(1 / 1.3, abs=0.12)
    assert lengths[2] == pytest.approx(lengths[0], abs=1)


def test_without_names_all_is_one_speakers(talk: tuple[Path, float, float], editor: Editor) -> None:
    path, begin, _ = talk
    old = f"{ARCTIC} {ARCTIC} {ARCTIC}"
    new = f"{ARCTIC} {ARCTIC.replace('And you', 'And they')} {ARCTIC}"
    (window,) = editor.plan(path, text=old, new_text=new).windows
    assert window.source[0] < frames_of(begin) - 40
