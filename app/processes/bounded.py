"""Functions that read what visitors sent run in processes of their own, with bounded means.

Decoders, parsers and patterns meet whatever strangers send. In the server's own process one that
hangs, grows or crashes would do so for everybody; here its process is ended, whoever sent the file
is told, and the next request gets a new process.
"""

from __future__ import annotations

import atexit
import contextlib
import multiprocessing
import resource
import signal
import threading
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, ParamSpec, TypeVar

from a3t.errors import InputError
from alignment import AlignmentError
from app import texts

# Bytes of data in a process, and seconds of processor time for each call: of a reading process, of
# the editor's (`app.processes.worker`), and of one that learns a voice.
READER_MEMORY, READER_SECONDS = 2_000_000_000, 300
EDITOR_MEMORY, EDITOR_SECONDS = 8_000_000_000, 7200
LEARNING_MEMORY, LEARNING_SECONDS = 4_000_000_000, 1800

P = ParamSpec("P")
R = TypeVar("R")


class ReadingProcesses:
    """Up to `count` processes that share the calls; each has `memory` bytes for its data, and each
    call `seconds` of processor time.

    Thread-safe; a call waits while all processes are busy.
    """

    def __init__(self, count: int = 2, memory: int | None = None, seconds: int | None = None):
        self.memory, self.seconds = memory, seconds
        self._free = threading.Semaphore(count)
        self._lock = threading.Lock()
        self._idle: list[ReadingProcess] = []

    def run(self, function: Callable[P, R], *args: P.args, **options: P.kwargs) -> R:
        """`function(*args, **options)`, all of which can be pickled, in one of the processes.

        Raises its InputError or AlignmentError; InputError as well if it outgrows its means or its
        process ends, and RuntimeError, with the trace, for any other exception.
        """
        with self._free:
            with self._lock:
                reader = self._idle.pop() if self._idle else None
            if reader is None or not reader.alive:
                reader = ReadingProcess(
                    READER_MEMORY if self.memory is None else self.memory,
                    READER_SECONDS if self.seconds is None else self.seconds,
                )
            try:
                result = reader.run(function, args, options)
            except BaseException:
                if reader.spent:
                    reader.end()
                raise
            finally:
                if not reader.spent:
                    with self._lock:
                        self._idle.append(reader)
            return result  # type: ignore[no-any-return]

    def close(self) -> None:
        """Ends the processes that are idle; a later call starts new ones."""
        with self._lock:
            idle, self._idle = self._idle, []
        for reader in idle:
            reader.end()


class ReadingProcess:
    """One of the processes. `spent`: it must not be used again."""

    def __init__(self, memory: int, seconds: int) -> None:
        context = multiprocessing.get_context("spawn")  # the server has threads: no fork
        self._pipe, theirs = context.Pipe()
        means = (theirs, memory, seconds)
        self._process = context.Process(target=serve, args=means, name="a3t-read", daemon=True)
        self._process.start()
        theirs.close()
        self.spent = False

    @property
    def alive(self) -> bool:
        return self._process.is_alive()

    def run(
        self, function: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any]
    ) -> Any:
        self.spent = True  # unless it answers
        try:
            self._pipe.send((function, args, options))
            kind, value = self._pipe.recv()
        except (EOFError, OSError):
            raise ended(self._process) from None
        self.spent = kind == "outgrown"
        if kind == "done":
            return value
        if kind == "sentence":
            raise value
        if kind == "outgrown":
            raise InputError(texts.OUTGROWN)
        raise RuntimeError(f"in a reading process:\n{value}")

    def end(self) -> None:
        self.spent = True
        self._pipe.close()
        self._process.kill()
        self._process.join()


def serve(pipe: Connection, memory: int, seconds: int) -> None:
    """The process's loop: answer calls until the other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the server, and it this
    bound_memory(memory)
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            function, args, options = pipe.recv()
            bound_time(seconds)
            try:
                answer = "done", function(*args, **options)
            except (InputError, AlignmentError) as error:
                answer = "sentence", error
            except Exception as error:
                answer = ("outgrown", None) if is_memory(error) else _failed()
            pipe.send(answer)


def _failed() -> tuple[str, str]:
    return "failed", traceback.format_exc()


def bound_memory(most: int) -> None:
    """This process's data may take `most` bytes from now on, where the system can hold it to that
    (Linux); what asks for more fails."""
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def bound_time(seconds: int) -> None:
    """The system ends this process (SIGXCPU) when it has used `seconds` more of processor time."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = int(used.ru_utime + used.ru_stime) + 1 + seconds
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CPU, (most, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def is_memory(error: Exception) -> bool:
    """True if an exception says that there was no memory; torch raises RuntimeError then."""
    return isinstance(error, MemoryError) or any(
        sign in str(error) for sign in ("allocate memory", "bad_alloc", "Cannot allocate")
    )


def ended(process: Any) -> InputError:
    """The error for a process that ended in the middle of a request."""
    process.join(5)
    sentences = {-signal.SIGXCPU: texts.TOO_SLOW, -signal.SIGKILL: texts.OUTGROWN}
    return InputError(sentences.get(process.exitcode, texts.CRASHED))


READERS = ReadingProcesses()
atexit.register(READERS.close)


def bounded(function: Callable[P, R], *args: P.args, **options: P.kwargs) -> R:
    """`READERS.run`, with the server's own reading processes."""
    return READERS.run(function, *args, **options)
