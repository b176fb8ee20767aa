"""The folder of one run of the page: removed when it ends, or when the next one begins."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

PREFIX, LOCK = "a3t-app-", ".running"


@contextlib.contextmanager
def run_folder() -> Iterator[Path]:
    """A new folder in the system's folder for temporary files, locked while this process lives."""
    remove_abandoned_runs(Path(tempfile.gettempdir()))
    with tempfile.TemporaryDirectory(prefix=PREFIX) as name:
        folder = Path(name).resolve()
        with (folder / LOCK).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield folder


def remove_abandoned_runs(parent: Path) -> None:
    """Remove the folders of runs that were killed: a lock ends with its process."""
    for folder in parent.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            if folder.is_symlink() or folder.stat().st_uid != os.getuid():
                continue
            with (folder / LOCK).open("r+") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
