"""The errors whose message is meant for the user: one sentence that says why and what to do."""

from __future__ import annotations

from collections.abc import Sequence


class InputError(ValueError):
    """The input can't be used: the base of every error that a user is told of."""


class AlignmentError(InputError):
    """The recording can't be aligned.

    `doubtful` holds the positions (among the words given) of those that were not heard where the
    text has them; it is empty if the error is not about words.
    """

    def __init__(self, message: str, doubtful: Sequence[int] = ()) -> None:
        super().__init__(message)
        self.doubtful: tuple[int, ...] = tuple(doubtful)
