"""The Editor, and functions that read what visitors sent, in processes of their own.

The aligner's search holds Python's lock while it runs: in the server's own process it would stop
the page for everybody while one person's recording is aligned. So the models live in a second
process, which also keeps the page quick while they are loaded, which can be ended when a visitor
cancels in the middle of a long step, and whose memory and time for each call are bounded.

Decoders, parsers and patterns meet whatever strangers send. In the server's own process one that
hangs, grows or crashes would do so for everybody; here its process is ended, whoever sent the file
is told, and the next request gets a new process.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import multiprocessing
import os
import resource
import signal
import threading
import traceback
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from a3t.errors import InputError
from app import texts
from app.models import USUAL_MODELS, Models

if TYPE_CHECKING:
    from a3t.editor import Editor

# Bytes of data in a process, and seconds of processor time for each call: of a reading process,
# and of an editor's.
READER_MEMORY, READER_SECONDS = 2_000_000_000, 300
EDITOR_MEMORY, EDITOR_SECONDS = 8_000_000_000, 7200

IDLE_S = 60.0  # after which a process that reads, or does what takes long, is ended
PATIENCE = 0.5  # seconds that a cancelled worker has to come to its next step, before it is ended
POLL = 0.1  # seconds between checks whether the result is still wanted


class StoppedError(Exception):
    """Raised in the worker when the caller no longer wants the result."""


class AbandonedError(Exception):
    """The result was no longer wanted while the worker was in the middle of a step."""


def always() -> bool:
    """Return True: the result is wanted whatever happens."""
    return True


def load_editor(models: Models) -> Editor:
    """Load an editor with these models."""
    from a3t.editor import Editor
    from alignment import load_aligner

    aligner = None if models.aligner == USUAL_MODELS.aligner else load_aligner(models.aligner)
    voice = models.voice or None
    return Editor.load(models.model, models.vocoder, voice=voice, aligner=aligner)


class WorkerProcess:
    """A process that answers one call at a time, with bounded memory and time.

    Without `load` it has no editor, and only reads.

    What `progress` raises ends the call, and is raised here. Once `wanted` says no, the process is
    ended if it doesn't come to its next step at once, and AbandonedError is raised. Raises
    InputError if the process outgrows its `memory` (bytes) or a call its `seconds` of processor
    time, and RuntimeError, with the worker's trace, when something goes wrong inside; `alive` is
    False if the process has ended.
    """

    def __init__(
        self,
        load: Callable[[Models], Any] | None = load_editor,
        memory: int = EDITOR_MEMORY,
        seconds: int = EDITOR_SECONDS,
        niceness: int = 0,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.models = USUAL_MODELS
        self.progress: Callable[[str], None] | None = None
        self.wanted: Callable[[], bool] = always
        context = multiprocessing.get_context("spawn")  # the server has threads: no fork
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(
            target=work,
            args=(theirs, load, (memory, seconds), niceness, environment or {}),
            name="a3t",
            daemon=True,
        )
        self._process.start()
        theirs.close()  # so that either side notices when the other ends

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        return self._process.is_alive()

    def ask(self, function: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """Return `function(*args, **options)`, called in the process; all can be pickled.

        A process with an editor passes that, loaded with `models`, before the other arguments.
        """
        stopped: BaseException | None = None
        try:
            self._pipe.send((self.models, function, args, options))
            while True:
                self._wait()
                kind, value = self._pipe.recv()
                if kind != "step":
                    break
                try:
                    if self.progress is not None:
                        self.progress(value)
                except BaseException as error:
                    stopped = error
                self._pipe.send(stopped is None)
        except (EOFError, OSError):
            raise ended(self._process) from None
        if kind == "done":
            return value
        if kind == "sentence":
            raise value
        if kind == "memory_exceeded":  # what is left of it is not used again
            self.end()
            raise InputError(texts.MEMORY_EXCEEDED)
        raise stopped or RuntimeError(f"in the worker's process:\n{value}")

    def _wait(self) -> None:
        """Wait until there is something to receive.

        Once the result is no longer `wanted`, the process is ended after PATIENCE and
        AbandonedError raised.
        """
        while not self._pipe.poll(POLL):
            if not self.wanted() and not self._pipe.poll(PATIENCE):
                self.end()
                raise AbandonedError

    def end(self) -> None:
        """Kill the process in whatever it is doing; nothing has been written yet."""
        self._pipe.close()
        self._process.kill()
        self._process.join()

    def close(self) -> None:
        """End the process, by force if it takes longer than five seconds."""
        self._pipe.close()
        self._process.join(5)
        if self._process.is_alive():
            self._process.terminate()


def work(
    pipe: Connection,
    load: Callable[[Models], Any] | None,
    means: tuple[int, int] | None = None,
    niceness: int = 0,
    environment: Mapping[str, str] | None = None,
) -> None:
    """Load an editor, unless the worker only reads, and answer calls until the pipe is closed.

    means: the process's bytes of memory, and each call's seconds of processor time. environment:
    variables added to the server's.
    """
    if multiprocessing.parent_process() is not None:  # not in a thread of a test
        os.nice(niceness)
        os.environ.update(environment or {})
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the server, and it this
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if means is not None:
        bound_memory(means[0])
    editor: Any = None
    loaded: Models | None = None

    def step(name: str) -> None:
        pipe.send(("step", name))
        if not pipe.recv():
            raise StoppedError

    try:
        while True:
            models, function, args, options = pipe.recv()
            if means is not None:
                bound_time(means[1])
            try:
                if load is not None:
                    if models != loaded:
                        editor, loaded = None, None  # first: two would take twice the memory
                        editor, loaded = load(models), models
                    args = (editor.with_progress(step), *args)
                pipe.send(("done", function(*args, **options)))
            except InputError as error:
                pipe.send(("sentence", error))
            except (EOFError, ConnectionError):
                raise
            except Exception as error:
                if is_memory(error):
                    pipe.send(("memory_exceeded", None))
                else:
                    pipe.send(("failed", traceback.format_exc()))
            free_memory()
    except (EOFError, ConnectionError):
        return


def free_memory() -> None:
    """Give what this process has freed back to the system, where glibc would keep it."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)


def bound_memory(most: int) -> None:
    """Limit this process's data to `most` bytes, where the system can (Linux)."""
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def bound_time(seconds: int) -> None:
    """Have the system end this process (SIGXCPU) after `seconds` more of processor time."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = int(used.ru_utime + used.ru_stime) + 1 + seconds
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CPU, (most, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def is_memory(error: Exception) -> bool:
    """Return whether an exception is for want of memory; torch's is a RuntimeError."""
    return isinstance(error, MemoryError) or any(
        sign in str(error) for sign in ("allocate memory", "bad_alloc", "Cannot allocate")
    )


def ended(process: Any) -> InputError:
    """Return the error for a process that ended in the middle of a request."""
    process.join(5)
    sentences = {-signal.SIGXCPU: texts.TOO_SLOW, -signal.SIGKILL: texts.MEMORY_EXCEEDED}
    return InputError(sentences.get(process.exitcode, texts.CRASHED))


P = ParamSpec("P")
R = TypeVar("R")


class ReadingProcesses:
    """Up to `count` processes that share the calls; a call waits while all are busy.

    Each has `memory` bytes for its data, and each call `seconds` of processor time. All are ended
    once none has been called for `idle_s` seconds. Thread-safe.
    """

    def __init__(
        self,
        count: int = 2,
        memory: int = READER_MEMORY,
        seconds: int = READER_SECONDS,
        idle_s: float = IDLE_S,
    ) -> None:
        self.means, self.idle_s = (memory, seconds), idle_s
        self._closing: threading.Timer | None = None
        self._free = threading.Semaphore(count)
        self._lock = threading.Lock()
        self._idle: list[WorkerProcess] = []

    def run(self, function: Callable[P, R], *args: P.args, **options: P.kwargs) -> R:
        """Return `function(*args, **options)`, called in one of the processes; all can be pickled.

        Raises
        ------
        InputError
            The function's own, and if it outgrows its means or its process ends.
        RuntimeError
            With the trace, for any other exception.
        """
        with self._free:
            with self._lock:
                reader = self._idle.pop() if self._idle else None
            if reader is None or not reader.alive:
                reader = WorkerProcess(None, *self.means)
            try:
                return reader.ask(function, *args, **options)  # type: ignore[no-any-return]
            finally:
                with self._lock:
                    self._idle += [reader] if reader.alive else []
                    if self._closing is not None:
                        self._closing.cancel()
                    self._closing = threading.Timer(self.idle_s, self.close)
                    self._closing.daemon = True
                    self._closing.start()

    def close(self) -> None:
        """End the processes that are idle; a later call starts new ones."""
        with self._lock:
            idle, self._idle = self._idle, []
        for reader in idle:
            reader.end()


READERS = ReadingProcesses()
atexit.register(READERS.close)


def run_in_sandbox(function: Callable[P, R], *args: P.args, **options: P.kwargs) -> R:
    """Call a function in one of the server's reading processes, as `ReadingProcesses.run` does."""
    return READERS.run(function, *args, **options)
