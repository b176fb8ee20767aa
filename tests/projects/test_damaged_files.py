"""Whatever has become of a file of an edit: nothing of it is lost, and one sentence says so."""

import errno
import io
import json
import os
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from a3t.__main__ import main
from a3t.projects.project import History
from tests.conftest import ARCTIC, NEVER
from tests.fixtures import taken_as_heard

BOTH = NEVER.replace("degree", "form")
FILES = ("talk.wav", "talk.txt", "talk.edited.wav", "talk.edited.edit.json", "talk.edited.srt")


@pytest.fixture(scope="module")
def edited(arctic: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording with its text, edited twice."""
    folder = tmp_path_factory.mktemp("edited")
    shutil.copyfile(arctic, folder / "talk.wav")
    (folder / "talk.txt").write_text(ARCTIC)
    with taken_as_heard():
        for new in (NEVER, BOTH):
            given = ["--new-text", new, "--export", "srt", "--yes"]
            assert main(["edit", str(folder / "talk.wav"), *given]) == 0
    return folder


NOTHING = sha256(b"").hexdigest()


def later(path: Path) -> None:
    if path.suffix == ".json":
        path.write_text(json.dumps(json.loads(path.read_bytes()) | {"format": 99}))
    else:
        path.write_bytes(b"A3T9" + path.read_bytes()[4:])


def folder_instead(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "mine.txt").write_text("mine")


FAULTS: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: path.write_bytes(b""),
    "half": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "garbage": lambda path: path.write_bytes(b"\xff\x00{[garbage" * 50),
    "later": later,
    "folder": folder_instead,
    "unreadable": lambda path: None,  # see below
}
COMMANDS = {
    "edit": "edit {talk} --new-text NEW --export srt",
    "edit of the result": "edit {edited} --new-text NEW --export srt",
    "history": "edit {talk} --history",
    "undo": "edit {talk} --undo --export srt",
    "replay": "edit --replay {record}",
    "clean": "clean {talk}",
    "inspect": "inspect {edited}",
    "loudness": "loudness {edited} --to -20",
}


def digests(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


RECORD = "talk.edited.edit.json"
QUICK = {
    ("talk.wav", "unreadable"),
    *((RECORD, fault) for fault in ("half", "later", "unreadable")),
}
CASES = [
    pytest.param(name, fault, marks=() if quick else pytest.mark.slow, id=f"{name}, {fault}")
    for name in FILES
    for fault in FAULTS
    for quick in [(name, fault) in QUICK]
]


@pytest.mark.parametrize(("name", "fault"), CASES)
def test_nothing_is_lost_by_a_file_that_is_broken(
    name: str, fault: str, edited: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setattr("a3t.rendering.renderer.verify", lambda result: result)
    folder = tmp_path / "talk"
    paths = {"talk": "talk.wav", "edited": "talk.edited.wav", "record": "talk.edited.edit.json"}
    if fault == "unreadable":
        opened = io.open

        def fails(file: Any, *more: Any, **named: Any) -> Any:
            if Path(str(file)).name == name and "w" not in str((more, named)):
                raise OSError(errno.EIO, "Input/output error", str(file))
            return opened(file, *more, **named)

    for command in COMMANDS.values():
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(edited, folder)
        record = folder / paths["record"]
        record.write_text(record.read_text().replace(str(edited), str(folder)))
        FAULTS[fault](folder / name)
        before = digests(folder)
        words = command.format(**{key: folder / path for key, path in paths.items()}).split()
        arguments = [ARCTIC.replace("want", "like") if word == "NEW" else word for word in words]
        with monkeypatch.context() as patch:
            if fault == "unreadable":
                patch.setattr(io, "open", fails)
            code = main(arguments)
        said = capsys.readouterr().err
        after = digests(folder)
        if code:
            assert code == 1 and said.splitlines()[-1].startswith("a3t: "), (command, said)
            assert after == before, (command, said)
        broken = [each for each in before if Path(each).parts[0] == name]
        outputs = {"talk.edited.srt"} if "--export" in command else set()
        kept = {each: before[each] for each in {"talk.wav", "talk.txt", *broken} & before.keys()}
        for each, digest in kept.items():
            lost = after.get(each) != digest and digest != NOTHING
            assert not lost or each in outputs, (command, each, said)
        assert History.of(json.loads(record.read_bytes())) if name != paths["record"] else True


# ---- a folder that a stranger filled ------------------------------------------------------------

WRITING = {
    "edit {talk} --new-text NEW --text OLD --out {new}.wav --export srt,md --candidates 2": [
        "new.wav", "new.edit.json", "new.2.wav", "new.2.edit.json", "new.srt", "new.md",
    ],
    "edit {talk} --undo --export srt --yes": [
        "talk.edited.wav", "talk.edited.edit.json", "talk.edited.srt",
    ],
    "clean {talk} --mute always --out {new}.wav": ["new.wav", "new.edit.json"],
    "tts {talk} --prompt-text OLD --text Hello. --out {new}.wav": ["new.wav", "new.speech.json"],
    "align {talk} --text OLD --out {new}.TextGrid": ["new.TextGrid"],
    "transcribe {talk} --text OLD --out {new}.srt": ["new.srt"],
    "loudness {talk} --to -20 --out {new}.wav": ["new.wav"],
    "edit --manifest {list} --out-dir {folder}": ["new.wav", "new.edit.json", "report.tsv"],
}  # fmt: skip


@pytest.fixture
def strangers_folder(edited: Path, tmp_path: Path) -> Path:
    """A copy of the edit, with what looks like an unfinished write that replaces files."""
    folder = tmp_path / "talk"
    shutil.copytree(edited, folder)
    record = folder / "talk.edited.edit.json"
    record.write_text(record.read_text().replace(str(edited), str(folder)))
    part = folder / ".unfinished-0123456789abcdef.part"
    part.mkdir()
    for name in (".bashrc", "talk.lab", "talk.edited.2.wav"):
        (folder / name).write_text("mine")
    (part / ".journal").write_text('[["a", ".bashrc"], ["d", "talk.wav"]]')
    for name in ("a", "d"):
        (part / name).write_text("evil")
    for path in (part, *part.iterdir()):
        os.utime(path, (1, 1))
    (folder / "list.tsv").write_text(
        f"wav\ttext\tnew_text\tout\ntalk.wav\t{ARCTIC}\t{NEVER}\tnew.wav\n"
    )
    return folder


@pytest.mark.parametrize("command", WRITING)
def test_nothing_but_a_commands_own_outputs_changes(
    command: str, strangers_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("a3t.rendering.renderer.verify", lambda result: result)
    folder = strangers_folder
    named = {name: folder / name for name in ("new", "folder")}
    named |= {"talk": folder / "talk.wav", "list": folder / "list.tsv", "folder": folder}
    texts = {"OLD": ARCTIC, "NEW": NEVER}
    before = digests(folder)
    assert main([texts.get(word, word.format(**named)) for word in command.split()]) == 0
    after = digests(folder)
    changed = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    assert changed == {*WRITING[command]}


@pytest.mark.parametrize("name", ["talk.edited.wav", "talk.edited.srt", "talk.edited.2.wav"])
def test_a_strangers_link_or_record_replaces_nothing(
    name: str, strangers_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A record that knows nothing of the file, and a link to one in another folder."""
    mine = tmp_path / ".bashrc"
    mine.write_text("mine")
    (strangers_folder / name).unlink(missing_ok=True)
    (strangers_folder / name).symlink_to(mine)
    record = strangers_folder / "talk.edited.edit.json"
    told = json.loads(record.read_bytes())
    del told["output"]
    record.write_text(json.dumps(told))
    before = digests(tmp_path)
    new = ["--new-text", NEVER.replace("want", "like"), "--export", "srt", "--candidates", "2"]
    assert main(["edit", str(strangers_folder / "talk.wav"), *new]) == 1
    assert "would be replaced" in capsys.readouterr().err
    assert digests(tmp_path) == before
