"""Targets that may be written, and files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from a3t.errors import InputError
from alignment.atomic import recover, replacing, staging

_REASONS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "it would be larger than a file may be here",
    errno.EROFS: "the file system can only be read",
    errno.EACCES: "you may not write there",
    errno.EPERM: "you may not write there",
    errno.ENAMETOOLONG: "the name is too long",
}


def check_target(out: Path | str, *sources: Path | str | None) -> Path:
    """Return the file that writing to ``out`` would create or replace, links followed.

    Cheap: call it before the work, so that a wrong name doesn't cost a minute. Raises InputError if
    the folder is missing or can't be written, if ``out`` is a folder or a device, or if it is one
    of the ``sources`` itself, also through a link.
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
    for source in sources if target.exists() else ():
        if source is not None and os.path.exists(source) and os.path.samefile(target, source):
            raise InputError(
                f"{out} is the input file itself, which is never overwritten: choose another name "
                "for the output."
            )
    return target


def check_no_link(path: Path) -> None:
    """Raise InputError if a file that is written by a name of our own is a link to elsewhere."""
    real = Path(os.path.realpath(path))
    if path.is_symlink() and real.parent != Path(os.path.realpath(path.parent)):
        raise InputError(
            f"{path} is a link to {real}, which would be replaced: remove the link, or choose "
            "another name for the output."
        )


@contextlib.contextmanager
def atomic_path(path: Path | str) -> Iterator[Path]:
    """Open `alignment.atomic.replacing` for a target that `check_target` allows.

    An OSError (disk full, folder not writable) becomes an InputError.
    """
    target = check_target(path)
    try:
        with replacing(target) as temporary:
            yield temporary
    except OSError as error:
        raise _unwritten(path, error) from error


@contextlib.contextmanager
def staged_beside(out: Path) -> Iterator[Path]:
    """Open `alignment.atomic.staging` beside `out`, for files of several names that are one result.

    An OSError becomes an InputError, and every InputError names the folder that `out` is in.
    """
    folder = check_target(out).parent
    recover()
    stage: Path | None = None
    try:
        with staging(folder) as stage:
            yield stage
    except OSError as error:
        raise _unwritten(out, error) from error
    except InputError as error:
        raise InputError(str(error).replace(str(stage), str(out.parent))) from error


@contextlib.contextmanager
def no_empty_folders(folders: Iterable[Path]) -> Iterator[None]:
    """Remove, at the end, those of the folders that are new and empty, and such parents of them."""
    paths = {path for folder in folders for path in (folder, *folder.parents)}
    new = [path for path in paths if not os.path.lexists(path)]
    try:
        yield
    finally:
        for path in sorted(new, key=lambda path: len(path.parts), reverse=True):
            with contextlib.suppress(OSError):  # there is something in it, or it isn't there
                path.rmdir()


def _unwritten(path: Path | str, error: OSError) -> InputError:
    reason = _REASONS.get(error.errno or 0, error.strerror or str(error))
    return InputError(
        f"{path} could not be written because {reason}: make room or choose another place."
    )


def sha256_of(path: Path) -> str:
    """Return the sha256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def safe_stem(name: str) -> str:
    """Return a file name's stem with nothing but letters, digits, “.”, “-” and “_”.

    These are at most 60, and no more than a file system takes with our endings.
    """
    stem = re.sub(r"[^\w.-]+", "_", Path(name).stem).strip("._")[:60]
    return stem.encode()[:180].decode(errors="ignore") or "recording"


def safe_name(name: str) -> str:
    """Return a file's name for a folder of ours: its `safe_stem`, and its ending if it is plain."""
    ending = Path(name).suffix.lower()
    plain = ending.isascii() and ending[1:].isalnum() and len(ending) <= 8
    return safe_stem(name) + (ending if plain else "")
