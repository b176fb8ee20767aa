"""Functions that read what visitors sent run in processes of their own, with bounded means.

Decoders, parsers and patterns meet whatever strangers send. In the server's own process one that
hangs, grows or crashes would do so for everybody; here its process is ended, whoever sent the file
is told, and the next request gets a new process.
"""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from app.processes.worker import READER_MEMORY, READER_SECONDS, WorkerProcess

P = ParamSpec("P")
R = TypeVar("R")


class ReadingProcesses:
    """Up to `count` processes that share the calls; each has `memory` bytes for its data, and each
    call `seconds` of processor time.

    Thread-safe; a call waits while all processes are busy.
    """

    def __init__(
        self, count: int = 2, memory: int = READER_MEMORY, seconds: int = READER_SECONDS
    ) -> None:
        self.means = memory, seconds
        self._free = threading.Semaphore(count)
        self._lock = threading.Lock()
        self._idle: list[WorkerProcess] = []

    def run(self, function: Callable[P, R], *args: P.args, **options: P.kwargs) -> R:
        """`function(*args, **options)`, all of which can be pickled, in one of the processes.

        Raises its InputError; InputError as well if it outgrows its means or its
        process ends, and RuntimeError, with the trace, for any other exception.
        """
        with self._free:
            with self._lock:
                reader = self._idle.pop() if self._idle else None
            if reader is None or not reader.alive:
                reader = WorkerProcess(None, *self.means)
            try:
                return reader.ask(function, *args, **options)  # type: ignore[no-any-return]
            finally:
                if reader.alive:
                    with self._lock:
                        self._idle.append(reader)

    def close(self) -> None:
        """Ends the processes that are idle; a later call starts new ones."""
        with self._lock:
            idle, self._idle = self._idle, []
        for reader in idle:
            reader.end()


READERS = ReadingProcesses()
atexit.register(READERS.close)


def run_in_sandbox(function: Callable[P, R], *args: P.args, **options: P.kwargs) -> R:
    """`READERS.run`, with the server's own reading processes."""
    return READERS.run(function, *args, **options)
