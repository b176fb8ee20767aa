"""Replaying an edit.json gives the same bytes, or the reason why it can't."""

import json
import shutil
from pathlib import Path

import pytest

from a3t.commands import edit
from tests.conftest import ARCTIC

pytestmark = pytest.mark.usefixtures("nothing_remembered")  # all is made again
NEW = "You never want to see it again in the superlative degree."


@pytest.fixture(scope="module")
def edited(arctic: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an edit, to be copied."""
    path = tmp_path_factory.mktemp("edited") / "talk.wav"
    path.write_bytes(arctic.read_bytes())
    command = ["--wav", str(path), "--text", ARCTIC, "--new-text", NEW, "--speed", "1.1"]
    assert edit.main([*command, "--margin", "37.5"]) == 0
    return path.parent


@pytest.fixture
def talk(edited: Path, tmp_path: Path) -> Path:
    shutil.copytree(edited, tmp_path, dirs_exist_ok=True)
    record = tmp_path / "talk.edited.edit.json"
    told = json.loads(record.read_text())
    told["source"]["path"] = str(tmp_path / "talk.wav")
    record.write_text(json.dumps(told))
    return tmp_path / "talk.wav"


def test_the_same_bytes(talk: Path) -> None:
    record, out = talk.with_name("talk.edited.edit.json"), talk.with_name("again.wav")
    assert edit.main(["--replay", str(record), "--out", str(out)]) == 0
    assert out.read_bytes() == talk.with_name("talk.edited.wav").read_bytes()
    first, second = (json.loads(p.read_text()) for p in (record, out.with_suffix(".edit.json")))
    assert {**first, "seconds": 0} == {**second, "seconds": 0}


def test_the_pair_may_be_moved(talk: Path, tmp_path: Path) -> None:
    away = tmp_path / "away"
    away.mkdir()
    for name in ("talk.wav", "talk.edited.edit.json"):
        (talk.with_name(name)).rename(away / name)
    assert edit.main(["--replay", str(away / "talk.edited.edit.json")]) == 0
    assert (away / "talk.edited.wav").read_bytes() == (tmp_path / "talk.edited.wav").read_bytes()


Change = dict[str, object]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"source": {"path": "talk.wav", "sha256": "0"}}, "not the recording"),
        ({"model": {"name": "small", "sha256": "0"}}, "model 'small' is not the one"),
        ({"vocoder": {"name": "builtin", "sha256": "0"}}, "vocoder 'builtin' is not the one"),
        ({"model": {"name": "nothing", "sha256": "0"}}, "There is no model"),
        ({"asked": {"speed": 99, "fit": False, "margin": 0}}, "“asked” is missing or invalid"),
        ({"asked": None}, "is damaged"),
        ({"alignment": {"words": 3}}, "“alignment” is missing or invalid"),
        ({"source": {"path": "gone.wav", "sha256": "0"}}, "gone.wav"),
    ],
)
def test_what_cannot_be_replayed(
    change: Change, reason: str, talk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = talk.with_name("talk.edited.edit.json")
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    before = sorted(talk.parent.iterdir())
    capsys.readouterr()
    assert edit.main(["--replay", str(path), "--out", str(talk.with_name("again.wav"))]) == 1
    error = capsys.readouterr().err.strip()
    assert reason in error and len(error.splitlines()) == 1
    assert sorted(talk.parent.iterdir()) == before


def test_another_recording_is_not_replaced_unasked(
    talk: Path, arctic: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record, other = talk.with_name("talk.edited.edit.json"), talk.with_name("other.wav")
    shutil.copy(arctic, other)
    assert edit.main(["--replay", str(record), "--out", str(other)]) == 1
    assert "a3t did not make it" in capsys.readouterr().err
    assert other.read_bytes() == arctic.read_bytes()
    assert edit.main(["--replay", str(record), "--out", str(other), "--yes"]) == 0
    assert other.read_bytes() == talk.with_name("talk.edited.wav").read_bytes()


def test_no_record(tmp_path: Path) -> None:
    assert edit.main(["--replay", str(tmp_path / "none.json")]) == 1
    (tmp_path / "x.json").write_text("[1")
    assert edit.main(["--replay", str(tmp_path / "x.json")]) == 1
