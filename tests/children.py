"""Work in a forked process, which has all that is loaded here, and can be limited or killed."""

import multiprocessing
import resource
import signal
from collections.abc import Callable
from typing import Any, TypeVar

FORK = multiprocessing.get_context("fork")
Result = TypeVar("Result")


def in_child(work: Callable[[], object]) -> Any:
    """The process that does the work; a daemon, so that it doesn't outlive the tests."""
    process = FORK.Process(target=work, daemon=True)
    process.start()
    return process


def result_of(work: Callable[[], Result]) -> Result:
    """The result of work in a process of its own; EOFError if the process dies of it."""
    ours, theirs = multiprocessing.Pipe()
    child = in_child(lambda: theirs.send(work()))
    theirs.close()
    result: Result = ours.recv()
    child.join()
    return result


def limit_files(size: int) -> None:
    """Let this process write no file beyond ``size`` bytes: it fails as if the disk were full."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
