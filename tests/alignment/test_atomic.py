"""What a killed process leaves is finished or removed; what anybody else left is not believed."""

import contextlib
import hashlib
import json
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from alignment.atomic import left_alone, put_in_place, recover, replacing, staging

NAMES = [f"{k}.wav" for k in range(9)]
STEPS = ("mkdir", "rename", "replace", "fsync", "link")
MIDDLE = 22  # a step at which some of the nine are renamed


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's state folder."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "state" / "a3t" / "unfinished"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    folder.mkdir()
    return folder


def digests(folder: Path) -> dict[str, str]:
    """What lies in a folder: of each file its content, of each link where it leads."""
    return {
        str(path.relative_to(folder)): os.readlink(path)
        if path.is_symlink()
        else hashlib.sha256(path.read_bytes()).hexdigest()
        if path.is_file()
        else "folder"
        for path in sorted(folder.rglob("*"))
    }


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}


def make_old(path: Path) -> None:
    """As if it had been left an hour ago."""
    for each in (path, *path.rglob("*")):
        os.utime(each, (1, 1), follow_symlinks=False)


def write_nine(folder: Path, new: str = "new") -> None:
    with staging(folder) as stage:
        for name in NAMES:
            (stage / name).write_text(new)
        put_in_place([(stage / name, folder / name) for name in NAMES])


def killed(step: int, work: Callable[[], object]) -> bool:
    """Do something in a process that is killed before its n-th step; whether it came so far."""
    child = os.fork()
    if child == 0:
        count = 0

        def counted(real: Callable[..., Any]) -> Callable[..., Any]:
            def call(*arguments: Any, **named: Any) -> Any:
                nonlocal count
                if count == step:
                    os.kill(os.getpid(), signal.SIGKILL)
                count += 1
                return real(*arguments, **named)

            return call

        try:
            for name in STEPS:
                setattr(os, name, counted(getattr(os, name)))
            work()
        finally:
            os._exit(0)  # whatever happens: else it would go on as a second process of the tests
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


# Each step is a process to be forked: every third by default, every one on request.
each_step = pytest.mark.parametrize("stride", [3, pytest.param(1, marks=pytest.mark.slow)])


@each_step
def test_nine_files_are_replaced_all_or_none_by_a_kill_at_any_step(
    folder: Path, state: Path, stride: int
) -> None:
    for name in NAMES[:8]:
        (folder / name).write_text("old")
    old = contents(folder)
    step = changed = 0
    while killed(step, lambda: write_nine(folder)):
        begun = {name: text for name, text in contents(folder).items() if text == "new"}
        make_old(state)
        recover()
        whole = contents(folder)
        assert whole in (old, dict.fromkeys(NAMES, "new")), step
        assert not begun or whole != old  # nothing that was there already is taken back
        assert len(list(folder.iterdir())) == len(whole) and not list(state.iterdir())
        changed += whole != old
        for name in NAMES:
            (folder / name).unlink(missing_ok=True)
        for name, text in old.items():
            (folder / name).write_text(text)
        step += stride
    assert step >= 40 and changed >= 18 // stride


@each_step
def test_a_rename_that_fails_undoes_the_earlier_ones_and_so_does_a_kill_in_between(
    folder: Path, state: Path, stride: int
) -> None:
    for name in NAMES[:5]:
        (folder / name).write_text("old")
    old = contents(folder)

    def fail() -> None:
        count, real = 0, os.replace

        def moved(*arguments: Any) -> None:
            nonlocal count
            count += 1
            if count == 7:
                raise OSError(28, "No space left on device")
            real(*arguments)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "replace", moved)
            with pytest.raises(OSError):
                write_nine(folder)

    fail()
    assert contents(folder) == old and len(list(folder.iterdir())) == 5
    step = 0
    while killed(step, fail):
        make_old(state)
        recover()
        assert contents(folder) in (old, dict.fromkeys(NAMES, "new"))
        assert len(list(folder.iterdir())) in (5, 9)
        for name in NAMES[5:]:
            (folder / name).unlink(missing_ok=True)
        for name in NAMES[:5]:
            (folder / name).write_text("old")
        step += stride
    assert step > 15


@each_step
def test_a_recovery_that_is_killed_is_taken_up_again(
    folder: Path, state: Path, stride: int
) -> None:
    step = 0
    while True:
        for name in NAMES:
            (folder / name).unlink(missing_ok=True)
        assert killed(MIDDLE, lambda: write_nine(folder))
        assert 0 < len(contents(folder)) < 9
        if not killed(step, recover):
            break
        recover()
        assert contents(folder) == dict.fromkeys(NAMES, "new") and len(os.listdir(folder)) == 9
        step += stride
    assert step > 5


def test_a_write_that_goes_on_stays_and_one_that_was_killed_goes(folder: Path, state: Path) -> None:
    def write() -> None:
        with replacing(folder / "one.wav") as part:
            part.write_text("half")
            os.kill(os.getpid(), signal.SIGKILL)

    with replacing(folder / "two.wav") as part, staging(folder) as stage:
        assert killed(99, write)
        make_old(folder)
        make_old(state)
        assert len(os.listdir(folder)) == 3
        recover()
        assert part.exists() and stage.exists() and len(os.listdir(folder)) == 2
    assert os.listdir(folder) == ["two.wav"]


def test_links_are_followed_by_a_recovery(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    for name in NAMES[:3]:
        (tmp_path / "elsewhere" / name).write_text("old")
        (folder / name).symlink_to(tmp_path / "elsewhere" / name)
    assert killed(MIDDLE, lambda: write_nine(folder))
    recover()
    assert all((folder / name).is_symlink() for name in NAMES[:3])
    assert contents(folder) == dict.fromkeys(NAMES, "new")


# ---- what others may have put there -------------------------------------------------------------


def journals(home: Path) -> dict[str, list[Any]]:
    """Lists of renames, as a stranger may write them."""
    return {
        "a name beside": [["a", ".bashrc"], ["d", "talk.wav"]],
        "absolute": [["a", str(home / ".bashrc")]],
        "upwards": [["a", "../home/.bashrc"], ["../../talk.wav", "talk.wav"]],
        "absolute source": [[str(home / ".bashrc"), "talk.wav"]],
        "a link": [["link", "talk.wav"], ["a", "link.wav"]],
        "a folder": [["a", "folder"], ["folder", "talk.wav"]],
        "itself": [["a", ".journal"], [".", "talk.wav"], ["", "talk.wav"]],
        "an output": [["a", "talk.edited.wav"], ["d", "talk.edit.json"]],
        "no list": [None, 1, {}, "aa"],
    }


SHAPES = sorted(journals(Path("/")))


def hostile(folder: Path, home: Path, shape: str, name: str) -> Path:
    """A folder that looks like an unfinished write, with a stranger's journals of any format."""
    part = folder / name
    part.mkdir(mode=0o700)
    (part / "folder").mkdir()
    for file in ("a", "d"):
        (part / file).write_text("evil")
    (part / "link").symlink_to(home / ".bashrc")
    renames = journals(home)[shape]
    (part / ".journal").write_text(json.dumps(renames))
    with contextlib.suppress(TypeError, ValueError, IndexError):
        renames = [{"name": n, "target": t, "stamp": [4, 1], "before": None} for n, t in renames]
    entry = {"part": str(part), "renames": renames, "format": 1}
    for where in (part / "entry.json", folder / f"{name}.json", folder / f"{name}.new"):
        where.write_text(json.dumps(entry))
    return part


@pytest.mark.parametrize("name", [".unfinished-0123456789abcdef.part", ".unfinished-.part"])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_stranger_s_folder_changes_nothing(
    shape: str, name: str, folder: Path, tmp_path: Path, state: Path
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    for file in (home / ".bashrc", folder / ".bashrc", folder / "talk.wav"):
        file.write_text("mine")
    (folder / "link.wav").symlink_to(home / ".bashrc")
    (folder / "folder").mkdir()
    part = hostile(folder, home, shape, name)
    make_old(folder)
    before = digests(folder), digests(home)
    recover()
    with replacing(folder / "other.txt") as new:
        new.write_text("other")
    (folder / "other.txt").unlink()
    write_nine(folder)
    for each in NAMES:
        assert (folder / each).read_text() == "new"
        (folder / each).unlink()
    recover()
    assert (digests(folder), digests(home)) == before
    make_old(folder)
    assert left_alone(folder) == [part]


@pytest.mark.parametrize("kind", ["file", "dangling link", "link to a folder", "pipe"])
def test_other_things_of_such_a_name_stay(kind: str, folder: Path, tmp_path: Path) -> None:
    part = folder / ".unfinished-0.part"
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "letter").write_text("mine")
    if kind == "pipe":
        os.mkfifo(part)
    elif kind == "file":
        part.write_text("somebody's")
    else:
        part.symlink_to(tmp_path / "home" if "folder" in kind else tmp_path / "none")
    os.utime(part, (1, 1), follow_symlinks=False)
    recover()
    assert os.path.lexists(part) and (tmp_path / "home" / "letter").exists()
    assert left_alone(folder) == [part]


def cut_short(folder: Path, state: Path) -> Iterator[Path]:
    """The entry of a nine-file write of which some are renamed."""
    for name in NAMES:
        (folder / name).write_text("old")
    assert killed(MIDDLE, lambda: write_nine(folder))
    assert set(contents(folder).values()) == {"old", "new"}
    yield from state.iterdir()


def changed_target(entry: Path, folder: Path) -> None:
    (folder / NAMES[-1]).write_text("somebody's new work")


def linked_target(entry: Path, folder: Path) -> None:
    (folder.parent / "letter").write_text("old")
    (folder / NAMES[-1]).unlink()
    (folder / NAMES[-1]).symlink_to(folder.parent / "letter")


def changed_source(entry: Path, folder: Path) -> None:
    part = Path(json.loads(entry.read_text())["part"])
    (part / NAMES[-1]).write_text("longer than it was")


def linked_source(entry: Path, folder: Path) -> None:
    part = Path(json.loads(entry.read_text())["part"])
    (part / NAMES[-1]).unlink()
    (part / NAMES[-1]).symlink_to(folder / NAMES[0])


def linked_part(entry: Path, folder: Path) -> None:
    part = Path(json.loads(entry.read_text())["part"])
    part.rename(folder.parent / "moved")
    part.symlink_to(folder.parent / "moved")


def linked_folder(entry: Path, folder: Path) -> None:
    folder.rename(folder.parent / "moved")
    folder.symlink_to(folder.parent / "moved")


def later_format(entry: Path, folder: Path) -> None:
    entry.write_text(json.dumps(json.loads(entry.read_text()) | {"format": 2}))


def cut_off(entry: Path, folder: Path) -> None:
    entry.write_text(entry.read_text()[:-9])


def other_names(entry: Path, folder: Path) -> None:
    data = json.loads(entry.read_text())
    data["renames"][0]["name"] = "../" + NAMES[0]
    entry.write_text(json.dumps(data))


@pytest.mark.parametrize(
    "change",
    [changed_target, linked_target, changed_source, linked_source, linked_part, linked_folder,
     later_format, cut_off, other_names],
)  # fmt: skip
def test_what_has_changed_since_is_left_alone(
    change: Callable[[Path, Path], None], folder: Path, state: Path
) -> None:
    """No file of the unfinished write or of anybody is lost, and other writes go on."""
    (entry,) = cut_short(folder, state)
    change(entry, folder)
    make_old(state)
    before = digests(folder.parent)
    recover()
    with replacing(folder / "other.txt") as new:
        new.write_text("other")
    (folder / "other.txt").unlink()
    assert digests(folder.parent) == before


def test_without_a_place_for_its_state_files_are_still_written_whole(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", Path("/proc/none")):
        monkeypatch.setenv("XDG_STATE_HOME", str(place))
        write_nine(folder, str(place))
        recover()
        assert contents(folder) == dict.fromkeys(NAMES, str(place))
    assert len(os.listdir(folder)) == 9


def test_an_entry_of_a_folder_that_is_gone_goes_too(folder: Path, state: Path) -> None:
    (entry,) = cut_short(folder, state)
    shutil.rmtree(folder)
    os.utime(entry)
    recover()
    assert entry.exists()  # it may be on a disk that is not there just now
    make_old(state)
    recover()
    assert not entry.exists()
