"""Work that is counted, not timed: lines that are run, calls, and the texts that they are for."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

PIECE = 64  # characters or items that count like one line
OF_LISTS = {"copy", "count", "index", "insert", "remove", "reverse"}  # which go through all of it


def work(function: Callable[[], object]) -> int:
    """The lines that a call runs, loops inside a line included, with the sizes of the strings and
    sequences whose methods it calls."""
    count = 0

    def lines(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += 1
        return lines

    def calls(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        if event == "c_call":
            owner = getattr(argument, "__self__", None)
            sized = isinstance(owner, str | bytes | bytearray | tuple) or (
                isinstance(owner, list) and argument.__name__ in OF_LISTS
            )
            count += 1 + (len(owner) // PIECE if sized else 0)  # type: ignore[arg-type]

    before = sys.gettrace(), sys.getprofile()
    sys.settrace(lines)
    sys.setprofile(calls)
    try:
        function()
    finally:
        sys.settrace(before[0])
        sys.setprofile(before[1])
    return count
