"""Files that appear whole or not at all.

While a file is written, its new content lies beside it under a hidden name. What a killed process
leaves is finished or removed by `recover`, which believes only the user's own state folder
(`$XDG_STATE_HOME`, else ~/.local/state): anybody may have put a file of such a name beside a
recording.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import secrets
import shutil
import signal
import stat
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import NoReturn

from alignment.errors import AlignmentError
from alignment.serialisation import Record

PREFIX, SUFFIX = ".unfinished-", ".part"
BEFORE = ".before-"  # in a staging folder: what its files replace
FORMAT = 1  # of the entries in the state folder
TO_LOCK_S = 1  # within which a process locks what it has begun to write
MAX_AWAY_S = 30 * 86_400  # for which the entry of a folder that isn't there is kept
TERMINATED = 128 + signal.SIGTERM  # exit code

Stamp = tuple[int, int]  # a file's size in bytes, and the time of its last change in ns


@dataclass(frozen=True)
class _Rename(Record):
    """A file of a staging folder, the path that it is for, and what is replaced there."""

    name: str
    target: Path
    stamp: Stamp
    before: Stamp | None


@dataclass(frozen=True)
class _Write(Record):
    """A write that has begun: its hidden file or folder, and the renames once they begin."""

    part: Path
    renames: tuple[_Rename, ...] = ()
    format: int = FORMAT

    @property
    def entry(self) -> Path:
        """Its file in the user's state folder; RuntimeError without a home."""
        return _state_folder() / f"{self.part.name}.json"

    def save(self) -> None:
        """Write its entry, safely on the disk if it has renames."""
        entry = self.entry
        entry.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        new = entry.with_suffix(".new")
        new.write_text(json.dumps(self.to_json()), encoding="ascii")
        if self.renames:
            _flush(new)
        os.rename(new, entry)
        if self.renames:
            _flush(entry.parent)


def _state_folder() -> Path:
    home = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    return Path(home).expanduser() / "a3t" / "unfinished"


@contextlib.contextmanager
def _begun(folder: Path) -> Iterator[Path]:
    """Give a hidden path in a folder, entered as this user's until nothing is there any more."""
    part = folder.resolve() / f"{PREFIX}{secrets.token_hex(8)}{SUFFIX}"
    with contextlib.suppress(OSError, RuntimeError):  # no home, or one that can only be read
        _Write(part).save()
    try:
        yield part
    finally:
        with contextlib.suppress(OSError, RuntimeError):
            if not os.path.lexists(part):
                _Write(part).entry.unlink(missing_ok=True)


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file with `replacing`, which gives `write` a temporary path.

    Raises AlignmentError if the file can't be written.
    """
    try:
        with replacing(path) as part:
            write(part)
    except OSError as error:
        raise AlignmentError(
            f"{path} can't be written ({error.strerror}): choose another folder or free space."
        ) from error


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary path beside `path` that becomes `path` when the block ends well.

    The temporary file exists (empty) when the block begins. At the end it is flushed to the disk
    and renamed over `path`, links followed; on any exception, Ctrl-C and SIGTERM included, it is
    removed and an existing `path` stays as it was. Raises OSError (disk full, folder not
    writable). `recover` removes what a killed process leaves: a lock, which ends with its
    process, marks what is still being written.
    """
    target = Path(os.path.realpath(path))
    with termination_raises(), _begun(target.parent) as part:
        try:
            with os.fdopen(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)) as lock:
                with contextlib.suppress(OSError):  # not every file system has locks
                    fcntl.flock(lock, fcntl.LOCK_EX)
                if target.exists():
                    shutil.copymode(target, part)
                yield part
                _flush(part)
                os.replace(part, target)
        finally:
            with contextlib.suppress(OSError):
                part.unlink()
    with contextlib.suppress(OSError):  # the rename is done; not every file system syncs folders
        _flush(target.parent)


@contextlib.contextmanager
def staging(folder: Path) -> Iterator[Path]:
    """Give a hidden folder, this user's own, inside `folder`; `put_in_place` moves files out of it.

    It is removed at the end, with whatever is still in it, Ctrl-C and SIGTERM included.
    """
    with termination_raises(), _begun(folder) as stage:
        stage.mkdir(mode=0o700)
        try:
            with locked(stage):
                yield stage
        finally:
            shutil.rmtree(stage, ignore_errors=True)


def put_in_place(files: Sequence[tuple[Path, Path]]) -> None:
    """Rename each (written, target) pair in turn, all of them or none.

    ``written`` is in a folder of `staging`.

    Every file is flushed before the first is renamed. If a rename fails, or Ctrl-C comes between
    two, the earlier ones are undone; if the process is killed there, `recover` does the rest of
    them. Links are followed, and an existing target's permissions kept. Raises OSError.
    """
    stage = files[0][0].parent.resolve()
    targets = [(stage / written.name, Path(os.path.realpath(target))) for written, target in files]
    for written, target in targets:
        if target.exists():
            shutil.copymode(target, written)
        _flush(written)
    begun = _Write(stage)
    with contextlib.suppress(RuntimeError):
        if begun.entry.exists():
            renames = (_Rename(w.name, t, _stamp(w) or (0, 0), _stamp(t)) for w, t in targets)
            replace(begun, renames=tuple(renames)).save()
    undo: list[tuple[Path, Path, Path | None]] = []
    try:
        for number, (written, target) in enumerate(targets):
            undo.append((written, target, _link(target, stage / f"{BEFORE}{number}")))
            _move(written, target)
    except BaseException:
        for written, target, before in reversed(undo):  # by steps that `recover` can reverse
            if not written.exists():
                os.replace(target, written)
            if before is not None:
                _move(before, target)
            else:
                target.unlink(missing_ok=True)
        raise


def _link(target: Path, before: Path) -> Path | None:
    """Give a file that is about to be replaced a second name; None if there is no such file."""
    if not target.exists():
        return None
    try:
        os.link(target, before)
    except OSError:  # another disk, or a file system without hard links
        shutil.copy2(target, before)
    return before


def _move(written: Path, target: Path) -> None:
    if written.stat().st_dev == target.parent.stat().st_dev:
        os.replace(written, target)
    else:  # a link to another disk
        with replacing(target) as part:
            shutil.copy2(written, part)
    with contextlib.suppress(OSError):
        _flush(target.parent)


def _stamp(path: Path) -> Stamp | None:
    """Return a plain file's stamp, None if nothing is there; OSError if it is something else."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        raise OSError(f"{path} is not a plain file")
    return found.st_size, found.st_mtime_ns


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep everybody else out of such a block for the same folder, where there are locks."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def recover() -> None:
    """Finish what this user's killed processes had begun to put in place.

    What else they left half written is removed.

    What can't be finished as it was begun, because somebody has changed its files since, stays as
    it is (`left_alone`).
    """
    with contextlib.suppress(OSError, RuntimeError):
        for entry in _state_folder().glob(f"{PREFIX}*"):
            with contextlib.suppress(OSError, ValueError):  # ValueError: a later version's entry
                if entry.suffix == ".json":
                    _settle(entry)
                elif _age(entry) > TO_LOCK_S:  # half of one
                    entry.unlink()


def _settle(entry: Path) -> None:
    """Finish or remove one write; OSError if it isn't over, or can't be finished."""
    age = _age(entry)
    part = _read(entry).part
    try:
        descriptor = os.open(part, os.O_RDONLY | os.O_NOFOLLOW)
    except FileNotFoundError:
        if age > (TO_LOCK_S if part.parent.is_dir() else MAX_AWAY_S):
            entry.unlink()
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        write = _read(entry)  # again, since nobody changes it now
        if write.renames:
            _finish(write)
        elif age <= TO_LOCK_S:
            return
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            shutil.rmtree(part)
        else:
            part.unlink()
        entry.unlink()
    finally:
        os.close(descriptor)


def _read(entry: Path) -> _Write:
    """Read an entry of the state folder; ValueError if it isn't one that is known here."""
    write = _Write.from_json(json.loads(entry.read_bytes()))
    folder = write.part.parent
    if write.format != FORMAT or write.entry != entry or folder.resolve() != folder:
        raise ValueError(entry)
    return write


def _finish(write: _Write) -> None:
    """Do the renames that are left; OSError, and nothing done, if a file isn't as it was left."""
    left = [each for each in write.renames if os.path.lexists(write.part / each.name)]
    for each in left:
        written = {other.stamp for other in write.renames if other.target == each.target}
        if (
            Path(each.name).name != each.name
            or _stamp(write.part / each.name) != each.stamp
            or _stamp(each.target) not in {None, each.before, *written}
            or Path(os.path.realpath(each.target)) != each.target
        ):
            raise OSError(f"{each.target} has changed since")
    for each in left:
        _move(write.part / each.name, each.target)


def left_alone(folder: Path) -> list[Path]:
    """List a folder's unfinished writes that nobody is at work on and `recover` didn't touch."""
    return [part for part in sorted(folder.glob(f"{PREFIX}*{SUFFIX}")) if _is_abandoned(part)]


def _is_abandoned(part: Path) -> bool:
    try:
        if part.is_symlink():
            return True
        descriptor = os.open(part, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return _age(part) > TO_LOCK_S
        finally:
            os.close(descriptor)
    except OSError:  # somebody is at work on it, or it is another user's
        return False


def _age(path: Path) -> float:
    """Return the seconds since a file was changed; for a clock that went back, without sign."""
    return abs(time.time() - path.lstat().st_mtime)


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def termination_raises() -> Iterator[None]:
    """Let SIGTERM unwind the stack, as Ctrl-C does, where nobody else has taken it.

    It raises SystemExit(TERMINATED).
    """
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _exit)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _exit(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(TERMINATED)
