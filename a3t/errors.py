"""How a program ends early: its input can't be used, or the user pressed Ctrl-C."""

from __future__ import annotations

import signal


class InputError(ValueError):
    """The input can't be used; the message is one sentence that says why and what to do."""


def end_at_once() -> None:
    """Let Ctrl-C end this process at once and silently, as it does for programs in C.

    A program calls this before it imports anything else. Nothing has been written by then, so there
    is nothing to tidy up, and a KeyboardInterrupt during an import would print a traceback. Where
    Ctrl-C is ignored, as in a shell's background jobs, it stays ignored.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def tidy_up_first() -> None:
    """Undo end_at_once(): Ctrl-C raises KeyboardInterrupt again, for the caller to catch."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
