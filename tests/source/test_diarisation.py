"""Two voices told apart by their sound."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr

from a3t.__main__ import main
from a3t.audio.reading.recording import Recording
from a3t.editor import Editor
from a3t.errors import InputError
from a3t.source.diarisation import speakers_by_sound
from a3t.source.transcripts import found_beside
from a3t.text.transcript import Transcript, turns_of
from tests.conftest import ARCTIC

for name in ("resemblyzer", "sklearn"):  # importing them takes seconds
    if find_spec(name) is None:
        pytest.skip(f"{name} is not installed", allow_module_level=True)


@pytest.fixture(scope="module")
def talk(arctic: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One voice, another with a vocal tract shorter by a third, and the first again."""
    sound, rate = soundfile.read(arctic)
    other = soxr.resample(sound, rate, rate / 1.35)
    silence = np.random.default_rng(0).normal(0, 1e-4, rate // 4)
    path = tmp_path_factory.mktemp("talk") / "talk.wav"
    soundfile.write(path, np.concatenate([sound, silence, other, silence, sound]), rate)
    path.with_suffix(".txt").write_text(f"{ARCTIC} {ARCTIC} {ARCTIC}")
    return path


@pytest.mark.parametrize("count", [None, 2])
def test_turns_of_two_voices(talk: Path, editor: Editor, count: int | None) -> None:
    recording, text = Recording.open(talk), Transcript.from_text(f"{ARCTIC} {ARCTIC} {ARCTIC}")
    found = speakers_by_sound(recording, editor.align(recording), text, count)
    words = len(text.words) // 3
    assert found == [0] * words + [1] * words + [0] * words


def test_one_voice_stays_one(arctic: Path, editor: Editor) -> None:
    recording, text = Recording.open(arctic), Transcript.from_text(ARCTIC)
    found = speakers_by_sound(recording, editor.align(recording, ARCTIC), text)
    assert set(found) == {0}
    with pytest.raises(InputError, match="0 speakers can't be told apart"):
        speakers_by_sound(recording, editor.align(recording, ARCTIC), text, 0)


def test_the_command_names_them_and_lists_one(
    talk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["transcribe", str(talk), "--speakers"]) == 0
    named = capsys.readouterr().out.strip()
    assert named.splitlines() == [f"Speaker {n}: {ARCTIC}" for n in (1, 2, 1)]
    assert main(["transcribe", str(talk), "--text", named, "--speaker", "speaker 2"]) == 0
    (line,) = capsys.readouterr().out.strip().splitlines()
    assert line.endswith(ARCTIC) and 3.5 < float(line.split()[0]) < 4.8
    assert main(["transcribe", str(talk), "--text", named, "--speaker", "Bob"]) == 1
    assert "the speakers are “Speaker 1”, “Speaker 2”" in capsys.readouterr().err


@pytest.mark.parametrize("ending", [".txt", ".srt", ".vtt", ".docx"])
def test_what_each_speaker_says_is_saved(ending: str, talk: Path, tmp_path: Path) -> None:
    out = tmp_path / f"saved{ending}"
    assert main(["transcribe", str(talk), "--speakers", "2", "--out", str(out)]) == 0
    said = found_beside(out).transcript
    turns = [(turn.speaker, said.said(turn.first, turn.last)) for turn in turns_of(said)]
    assert turns == [(f"Speaker {n}", ARCTIC) for n in (1, 2, 1)]
    with pytest.raises(SystemExit):
        main(["transcribe", str(talk), "--speaker", "Speaker 2", "--out", f"{out}.txt"])
