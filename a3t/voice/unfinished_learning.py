"""The folders beside cached voices in which interrupted learning resumes."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

UNFINISHED = ".learning"  # what a folder beside them ends with
MOST_UNFINISHED = 3  # such folders


@contextmanager
def workplace(place: Path | None) -> Iterator[Path]:
    """The folder beside ``place`` for what is half learnt, which is deleted when it is done; one
    that doesn't last where there is no such place, or where somebody else is learning."""
    folder = place and place.with_suffix(UNFINISHED)
    with ExitStack() as stack:
        if folder is None or not _locked(folder, stack):
            yield Path(stack.enter_context(tempfile.TemporaryDirectory()))
            return
        others = [each for each in folder.parent.glob(f"*{UNFINISHED}") if each != folder]
        for old in sorted(others, key=lambda each: -each.stat().st_mtime)[MOST_UNFINISHED - 1 :]:
            with ExitStack() as its:
                if _locked(old, its):  # nobody is learning there any more
                    shutil.rmtree(old, ignore_errors=True)
        yield folder
        shutil.rmtree(folder, ignore_errors=True)


def _locked(folder: Path, stack: ExitStack) -> bool:
    """True if the folder could be locked, until the stack is closed."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = os.open(folder / "lock", os.O_CREAT | os.O_WRONLY, 0o600)
        stack.callback(os.close, lock)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
