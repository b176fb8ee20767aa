"""A place for voices, a folder with a recording, its pieces of speech, and brief settings."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from a3t.audio.reading.recording import Recording
from a3t.editor import Editor
from a3t.voice.adaptation import AdaptationConfig, VoicePiece, pieces_of
from tests.conftest import ARCTIC

QUICK = AdaptationConfig(steps=3, rank=2, batch_frames=100, crop=(40, 60), precision="float32")


def quick(**own: object) -> AdaptationConfig:
    """In the place of `AdaptationConfig`: brief but for what a recorded voice asks for."""
    return replace(QUICK, **own)  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def voices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("A3T_VOICES", str(tmp_path / "voices"))
    monkeypatch.setattr("a3t.voice.adaptation.LEAST_SECONDS", 1.0)  # the sentence takes three
    return tmp_path / "voices"


@pytest.fixture
def pieces(editor: Editor, arctic: Path) -> list[VoicePiece]:
    recording = Recording.open(arctic)
    found = list(pieces_of(recording, editor.align(recording, ARCTIC)))
    return [piece for piece in found if isinstance(piece, VoicePiece)]


@pytest.fixture
def talk(arctic: Path, tmp_path: Path) -> Path:
    """A folder with the sentence and its text."""
    folder = tmp_path / "talk"
    folder.mkdir()
    shutil.copyfile(arctic, folder / "one.wav")
    (folder / "one.txt").write_text(ARCTIC)
    return folder
