"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import secrets
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import NoReturn

from alignment.errors import AlignmentError

PREFIX, SUFFIX = ".unfinished-", ".part"
# In a staging folder: the renames begun, what they replace.
JOURNAL, BEFORE = ".journal", ".before-"
TERMINATED = 128 + signal.SIGTERM  # exit code


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
    """A temporary path beside `path` that becomes `path` when the block ends well.

    The temporary file exists (empty) when the block begins. At the end it is flushed to the disk
    and renamed over `path`, links followed; on any exception, Ctrl-C and SIGTERM included, it is
    removed and an existing `path` stays as it was. Raises OSError (disk full, folder not
    writable). `remove_abandoned` removes what a killed process leaves: a lock, which ends with its
    process, marks what is still being written.
    """
    target = Path(os.path.realpath(path))
    part = target.parent / f"{PREFIX}{secrets.token_hex(8)}{SUFFIX}"
    with termination_raises():
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
    """A hidden folder, this user's own, inside `folder`; `put_in_place` moves files out of it.

    It is removed at the end, with whatever is still in it, Ctrl-C and SIGTERM included.
    """
    stage = folder / f"{PREFIX}{secrets.token_hex(8)}{SUFFIX}"
    stage.mkdir(mode=0o700)
    with termination_raises():
        try:
            with locked(stage):
                yield stage
        finally:
            shutil.rmtree(stage, ignore_errors=True)


def put_in_place(files: Sequence[tuple[Path, Path]]) -> None:
    """Rename each (written, target) pair in turn, all of them or none; `written` is in a folder of
    `staging`.

    Every file is flushed before the first is renamed. If a rename fails, or Ctrl-C comes between
    two, the earlier ones are undone; if the process is killed there, `remove_abandoned` does the
    rest of them. Links are followed, and an existing target's permissions kept. Raises OSError.
    """
    stage = files[0][0].parent
    targets = [(written, Path(os.path.realpath(target))) for written, target in files]
    for written, target in targets:
        if target.exists():
            shutil.copymode(target, written)
        _flush(written)
    journal = stage / JOURNAL
    journal.write_text(json.dumps([[w.name, t.name] for w, t in files]))
    _flush(journal)
    undo: list[tuple[Path, Path | None]] = []
    try:
        for number, (written, target) in enumerate(targets):
            undo.append((target, _kept(target, stage / f"{BEFORE}{number}")))
            _move(written, target)
    except BaseException:
        for target, before in reversed(undo):
            if before is not None:
                os.replace(before, target)
            else:
                target.unlink(missing_ok=True)
        raise
    finally:
        journal.unlink(missing_ok=True)


def _kept(target: Path, before: Path) -> Path | None:
    """Another name of a file that is about to be replaced; None if there is none."""
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
            shutil.copyfile(written, part)
    with contextlib.suppress(OSError):
        _flush(target.parent)


def _finish(stage: Path, folder: Path) -> None:
    """The renames that a killed process had begun, as its journal names them.

    Names alone, and no links: whoever may write in the folder can't have another file replaced.
    """
    with contextlib.suppress(OSError, ValueError, TypeError):
        for name, target in json.loads((stage / JOURNAL).read_text()):
            written, into = stage / Path(name).name, folder / Path(target).name
            if written.is_file() and not into.is_symlink():
                os.replace(written, into)


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Nobody else is in such a block for the same folder, where the file system has locks."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def remove_abandoned(folder: Path) -> None:
    """Finish what killed processes have begun to put in place in a folder (`put_in_place`), and
    remove what else they have left half written."""
    for part in folder.glob(f"{PREFIX}*{SUFFIX}"):
        with contextlib.suppress(OSError):
            descriptor = os.open(part, os.O_RDONLY | os.O_NOFOLLOW)
            try:
                old = time.time() - os.fstat(descriptor).st_mtime > 1  # locked by now, if ever
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if (part / JOURNAL).is_file():
                    _finish(part, folder)
                    shutil.rmtree(part)
                elif old and part.is_dir():
                    shutil.rmtree(part)
                elif old:
                    part.unlink()
            finally:
                os.close(descriptor)


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def termination_raises() -> Iterator[None]:
    """Let SIGTERM unwind the stack, as Ctrl-C does, where nobody else has taken it: it raises
    SystemExit(TERMINATED)."""
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
