"""Breaths and clicks, planted in pauses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from a3t.audio.reading.recording import Recording
from a3t.editor import Editor
from a3t.plan.cleaning.cuts import KINDS
from a3t.plan.cleaning.disfluencies import Cleaning
from tests.conftest import ARCTIC

RATE = 16_000
TEXT = f"{ARCTIC} {ARCTIC} {ARCTIC}"


@pytest.fixture
def talk(arctic: Path, tmp_path: Path) -> tuple[Path, dict[str, tuple[float, float]]]:
    """The sentence three times; a breath in the first pause between, a click in the second."""
    draw = np.random.default_rng(2)
    speech, _ = soundfile.read(arctic)
    level = float(np.sqrt(np.mean(speech**2)))
    parts, places = [speech], {}
    for kind in ("breath", "click"):
        pause = draw.normal(0, level / 1000, round(0.9 * RATE))
        size = round((0.3 if kind == "breath" else 0.008) * RATE)
        noise = draw.standard_normal(size) * np.hanning(size)
        noise *= level * (0.15 if kind == "breath" else 0.4)
        start = round(0.3 * RATE)
        pause[start : start + size] += noise
        begin = (sum(map(len, parts)) + start) / RATE
        places[kind] = (begin, begin + size / RATE)
        parts += [pause, speech]
    soundfile.write(tmp_path / "talk.wav", np.concatenate(parts), RATE)
    return tmp_path / "talk.wav", places


def test_they_are_found_on_request_and_muted_in_place(
    talk: tuple[Path, dict[str, tuple[float, float]]], editor: Editor
) -> None:
    path, places = talk
    aligned = editor.align(path, TEXT)
    usual = editor.findings(path, Cleaning(longest=2.0), text=TEXT, alignment=aligned)
    assert not {each.kind for each in usual.found} & {"breath", "click"}
    want = Cleaning(kinds=("breath", "click"), longest=2.0)
    found = editor.findings(path, want, text=TEXT, alignment=aligned)
    by_kind = {each.kind: each for each in found.found}
    assert set(by_kind) <= set(places) and by_kind
    for kind, each in by_kind.items():
        start, end = places[kind]
        assert start - 0.05 < each.start < start + 0.12 and end - 0.12 < each.end < end + 0.05
    result = editor.edit(path, found.request(found.found))
    recording = Recording.open(path)
    assert result.map.samples.output_length == recording.samples  # nothing has moved
    for patch in result.patches:
        before = recording.mono(*patch.source)
        assert np.abs(patch.samples).max() < np.abs(before).max() / 3


def test_kinds_that_are_not_asked_for_are_what_they_were() -> None:
    assert Cleaning().kinds == KINDS and "breath" not in KINDS


@pytest.mark.parametrize("said", [False, True])
def test_an_hour_without_words_is_a_pause_unless_something_is_said_in_it(
    arctic: Path, tmp_path: Path, editor: Editor, said: bool
) -> None:
    """In two minutes of it, of which the aligner is a little unsure throughout."""
    speech, rate = soundfile.read(arctic)
    draw = np.random.default_rng(3)
    silence = draw.normal(0, 3e-4, 120 * rate)
    if said:
        silence[50 * rate : 50 * rate + len(speech)] += speech / 4
    path = tmp_path / "talk.wav"
    soundfile.write(path, np.concatenate([speech, silence, speech]), rate)
    found = editor.findings(path, Cleaning(kinds=("pause",)), text=f"{ARCTIC} {ARCTIC}").found
    longest = max((each.end - each.start for each in found), default=0.0)
    assert (longest > 119) is not said
