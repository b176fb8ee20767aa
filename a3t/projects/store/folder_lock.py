"""One lock for each folder of a project, whoever opens it: threads, and other processes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from alignment.atomic import locked


class FolderLock:
    """The lock of one folder; whoever holds it may take it again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.RLock()
        self._depth = 0

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Hold the lock, among processes too while the folder is there."""
        with self._lock:
            outermost = self._depth == 0 and self._folder.is_dir()
            with locked(self._folder) if outermost else nullcontext():
                self._depth += 1
                try:
                    yield
                finally:
                    self._depth -= 1


_LOCKS: dict[Path, FolderLock] = {}  # for as long as the process runs: each is small
_NEW_LOCK = threading.Lock()


def lock_of(folder: Path) -> FolderLock:
    """Return the lock of a folder: the same one for every object that stands for it."""
    with _NEW_LOCK:
        return _LOCKS.setdefault(folder.resolve(), FolderLock(folder))
