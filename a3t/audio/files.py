"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import secrets
import shutil
import signal
import stat
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import NoReturn

from a3t.errors import InputError

_REASONS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "it would be larger than a file may be here",
    errno.EROFS: "the file system can only be read",
    errno.EACCES: "you may not write there",
    errno.EPERM: "you may not write there",
    errno.ENAMETOOLONG: "the name is too long",
}


def check_target(out: Path | str, source: Path | str | None = None) -> Path:
    """The file that writing to `out` would create or replace, links followed.

    Cheap: call it before the work, so that a wrong name doesn't cost a minute. Raises InputError
    if the folder is missing or can't be written, if `out` is a folder or a device, or if it is
    the `source` itself, also through a link.
    """
    out = Path(out)
    if out.is_dir():
        raise InputError(f"{out} is a folder: give the name of a file in it.")
    target = Path(os.path.realpath(out))
    folder = target.parent
    if not folder.is_dir():
        what = "is not a folder" if folder.exists() else "does not exist"
        raise InputError(
            f"{out} can't be written because the folder {folder} {what}: create it or choose "
            "another place."
        )
    if target.exists() and not stat.S_ISREG(target.stat().st_mode):
        raise InputError(f"{out} is not a plain file: choose another name for the output.")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(
            f"{out} can't be written because you may not write to the folder {folder}: choose "
            "another place."
        )
    if source is not None and target.exists() and os.path.samefile(target, source):
        raise InputError(
            f"{out} is the input file itself, which is never overwritten: choose another name "
            "for the output."
        )
    return target


@contextlib.contextmanager
def atomic_path(path: Path | str) -> Iterator[Path]:
    """A temporary path beside `path` that becomes `path` when the block ends well.

    The temporary file exists (empty) when the block begins. At the end it is flushed to the disk
    and renamed over `path`; on any exception, Ctrl-C and SIGTERM included, it is removed and an
    existing `path` stays as it was. An OSError (disk full, folder not writable) becomes an
    InputError. What a killed process leaves, `remove_abandoned` takes away: a lock, which ends with
    its process, tells what is still being written.
    """
    target = check_target(path)
    temporary = target.parent / f".a3t-{secrets.token_hex(8)}.part"
    with _termination_raises():
        try:
            with os.fdopen(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)) as lock:
                with contextlib.suppress(OSError):  # not every file system has locks
                    fcntl.flock(lock, fcntl.LOCK_EX)
                if target.exists():
                    shutil.copymode(target, temporary)
                yield temporary
                _flush(temporary)
                os.replace(temporary, target)
        except OSError as error:
            reason = _REASONS.get(error.errno or 0, error.strerror or str(error))
            raise InputError(
                f"{path} could not be written because {reason}: make room or choose another place."
            ) from error
        finally:
            with contextlib.suppress(OSError):
                temporary.unlink()
    with contextlib.suppress(OSError):  # the rename is done; not every file system syncs folders
        _flush(target.parent)


def remove_abandoned(folder: Path) -> None:
    """Take away what processes that were killed have left half written in a folder."""
    for part in folder.glob(".a3t-*.part"):
        with contextlib.suppress(OSError), part.open("rb") as file:
            old = time.time() - os.fstat(file.fileno()).st_mtime > 1  # locked by now, if ever
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if old:
                part.unlink()


def sha256_of(path: Path) -> str:
    """Of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _termination_raises() -> Iterator[None]:
    """Lets SIGTERM unwind the stack, as Ctrl-C does, where nobody else has taken it."""
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
    raise SystemExit(128 + number)
