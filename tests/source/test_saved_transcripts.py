"""`a3t transcribe --out` saves a text that an edit reads again, and never replaces one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from a3t.commands.transcribe import main
from a3t.source.transcripts import text_of
from tests.conftest import ARCTIC


@pytest.mark.parametrize("ending", [".txt", ".srt", ".vtt", ".docx"])
def test_a_transcript_is_saved(ending: str, arctic: Path, tmp_path: Path) -> None:
    talk, out = Path(shutil.copy(arctic, tmp_path / "talk.wav")), tmp_path / f"said{ending}"
    assert main([str(talk), "--text", ARCTIC, "--out", str(out)]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {"talk.wav", out.name}
    if ending == ".docx":
        docx = pytest.importorskip("docx")
        assert "superlative" in docx.Document(str(out)).paragraphs[1].text
    else:
        assert " ".join(text_of(out).split()) == ARCTIC


@pytest.mark.parametrize(("name", "why"), [("talk.txt", "exists already"), ("x.pdf", "ending")])
def test_nothing_is_replaced(
    name: str, why: str, arctic: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    talk = Path(shutil.copy(arctic, tmp_path / "talk.wav"))
    (tmp_path / "talk.txt").write_text("corrected")
    assert main([str(talk), "--out", str(tmp_path / name)]) == 1
    assert why in capsys.readouterr().err
    assert (tmp_path / "talk.txt").read_text() == "corrected"
