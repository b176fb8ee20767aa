"""Early ends of a program: unusable input, Ctrl-C, or a reader of its output that ends first."""

from __future__ import annotations

import atexit
import os
import signal
import sys
from types import TracebackType

from alignment.errors import InputError as InputError


def begin_program() -> None:
    """Let Ctrl-C end this process at once and silently, as it does for programs in C.

    A program calls this before it imports anything else. Nothing has been written by then, so there
    is nothing to tidy up, and a KeyboardInterrupt during an import would print a traceback. Where
    Ctrl-C is ignored, as in a shell's background jobs, it stays ignored. A reader that ends first,
    as in `| head`, is no error either. Threads that wait for each other leave the cores to others,
    and NumPy has one: on a busy machine spinning ones take six to ten times the processor's time,
    and torch and NumPy read the settings as they are imported. A program that only imports the
    package keeps its own settings.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    if "OMP_NUM_THREADS" not in os.environ:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.excepthook = _unless_unread
    atexit.register(_drop_unread)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def tidy_up_first() -> None:
    """Let Ctrl-C raise KeyboardInterrupt again, for the caller to catch."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _unless_unread(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    if not issubclass(kind, BrokenPipeError):
        sys.__excepthook__(kind, error, trace)


def _drop_unread() -> None:
    """Else Python would complain, and exit with 120, when it flushes its output."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        except (AttributeError, ValueError):  # none, or closed
            pass
