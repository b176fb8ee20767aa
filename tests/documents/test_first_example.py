"""The README's first example gives what is printed there."""

import json
import re
import shlex
from pathlib import Path

import pytest

from a3t.commands import edit
from tests.documents.blocks import ROOT

SLACK = 100  # samples by which another kind of processor may place a joint


def test_the_printed_changes_are_those_that_are_made(
    tmp_path: Path, arctic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    typed = re.search(r"^a3t (edit demo/arctic\.wav .*?)\n```", readme, re.DOTALL | re.MULTILINE)
    printed = re.search(r'^\{"edits": .*?\]\}$', readme, re.DOTALL | re.MULTILINE)
    made_first = re.search(
        r"-m a3t (edit demo/.*?)\n\n", (ROOT / "Makefile").read_text(encoding="utf-8"), re.DOTALL
    )
    assert typed and printed and made_first
    monkeypatch.chdir(tmp_path)
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo" / "arctic.wav").write_bytes(arctic.read_bytes())
    for command in (made_first[1].replace("--export png", ""), typed[1]):
        assert edit.main(shlex.split(command.replace("\\\n", " "))[1:]) == 0
    made = json.loads((tmp_path / "demo" / "arctic.edited.edit.json").read_text(encoding="utf-8"))
    for shown, own in zip(json.loads(printed[0])["edits"], made["edits"], strict=True):
        for name in ("source", "output"):
            assert own[name] == pytest.approx(shown.pop(name), abs=SLACK)
        assert shown.items() <= own.items()
