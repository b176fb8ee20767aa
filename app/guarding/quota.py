"""Limits of uploads: by one visitor, by all together, at once.

A visitor is known by the page's cookie; programs, which have none, are known by their address.
"""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from app import limits, texts

MAX_HELD = 10_000_000_000  # bytes of uploads and results
MAX_EACH = 2_000_000_000  # bytes that one visitor uploads in limits.KEEP_SECONDS
LEFT_FREE = 1_000_000_000  # bytes of the disk that uploads don't take
AT_ONCE = 16  # uploads
FORM = 1_000_000  # bytes of a form around its file


class RefusedError(Exception):
    """An upload that isn't taken: the HTTP status and the sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status, self.sentence = status, sentence


class Quota:
    """Counts what is uploaded to `folder`; thread-safe."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.Lock()
        self._arriving: dict[int, int] = {}  # number of an upload -> its bytes
        self._count = 0
        self._uploaded: dict[str, deque[tuple[float, int]]] = {}  # visitor -> when, bytes

    @contextmanager
    def upload(self, visitor: str | None, stated: str | None) -> Iterator[None]:
        """The time that an upload takes; `stated` is its Content-Length. That of a program with the
        token, which is no visitor, isn't counted. Raises RefusedError."""
        size = self._checked(stated)
        if visitor is None:
            yield
            return
        with self._lock:
            self._check_room(visitor, size)
            number = self._count = self._count + 1
            self._arriving[number] = size
            self._uploaded.setdefault(visitor, deque()).append((time.monotonic(), size))
        try:
            yield
        finally:
            with self._lock:
                del self._arriving[number]

    def _checked(self, stated: str | None) -> int:
        if stated is None or not (stated.isascii() and stated.isdigit()) or len(stated) > 18:
            raise RefusedError(411, texts.NO_LENGTH)
        if int(stated) > limits.MAX_MEGABYTES * 1_000_000 + FORM:
            raise RefusedError(413, texts.too_large(limits.MAX_MEGABYTES))
        return int(stated)

    def _check_room(self, visitor: str, size: int) -> None:
        arriving = sum(self._arriving.values())
        if len(self._arriving) >= AT_ONCE:
            raise RefusedError(503, texts.QUEUE_FULL)
        if self.uploaded(visitor) + size > MAX_EACH:
            raise RefusedError(429, texts.UPLOADED_ENOUGH)
        free = shutil.disk_usage(self.folder).free
        if held(self.folder) + arriving + size > MAX_HELD or free - arriving - size < LEFT_FREE:
            raise RefusedError(507, texts.NO_ROOM)

    def uploaded(self, visitor: str) -> int:
        """The bytes that a visitor has uploaded in the last limits.KEEP_SECONDS."""
        since = time.monotonic() - limits.KEEP_SECONDS
        for name, times in list(self._uploaded.items()):
            while times and times[0][0] < since:
                times.popleft()
            if not times:
                del self._uploaded[name]
        return sum(size for _, size in self._uploaded.get(visitor, ()))


def held(folder: Path) -> int:
    """The bytes of all files in a folder and its folders."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):  # deleted in the meantime
                total += os.lstat(os.path.join(parent, name)).st_size
    return total
