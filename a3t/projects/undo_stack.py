"""What was done and what was taken back: versions of a file, or steps of a document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from a3t.errors import InputError

T = TypeVar("T")


@dataclass(frozen=True)
class UndoStack(Generic[T]):
    """What was done, oldest first, and what was taken back, the last of it first to come again."""

    done: tuple[T, ...] = ()
    undone: tuple[T, ...] = ()

    @classmethod
    def at(cls, items: Sequence[T], place: int) -> UndoStack[T]:
        """Items in the order in which they were done; the last that counts is at ``place``."""
        return cls(tuple(items[: place + 1]), tuple(items[:place:-1]))

    @property
    def items(self) -> tuple[T, ...]:
        """All, in the order in which they were done."""
        return (*self.done, *reversed(self.undone))

    def with_next(self, item: T) -> UndoStack[T]:
        """One more was done: what was taken back is dropped."""
        return UndoStack((*self.done, item))

    def undo(self) -> UndoStack[T]:
        """The last one is taken back; InputError if there is none."""
        if not self.done:
            raise InputError("There is nothing to undo.")
        return UndoStack(self.done[:-1], (*self.undone, self.done[-1]))

    def redo(self) -> UndoStack[T]:
        """The last one that was taken back comes again; InputError if there is none."""
        if not self.undone:
            raise InputError("There is nothing to redo.")
        return UndoStack((*self.done, self.undone[-1]), self.undone[:-1])
