"""A place for voices, and a recording's pieces of speech."""

from __future__ import annotations

from pathlib import Path

import pytest

from a3t.audio.recording import Recording
from a3t.editor import Editor
from a3t.voice.material import VoicePiece, pieces_of
from tests.conftest import ARCTIC


@pytest.fixture(autouse=True)
def voices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("A3T_VOICES", str(tmp_path / "voices"))
    return tmp_path / "voices"


@pytest.fixture
def pieces(editor: Editor, arctic: Path) -> list[VoicePiece]:
    recording = Recording.open(arctic)
    found = list(pieces_of(recording, editor.align(recording, ARCTIC)))
    return [piece for piece in found if isinstance(piece, VoicePiece)]
