"""The error whose message is meant for the user."""

from __future__ import annotations

from collections.abc import Sequence


class AlignmentError(ValueError):
    """The recording can't be aligned; the message is one sentence saying why and what to do.

    `doubtful` holds the positions (among the words given) of those that were not heard where the
    text has them; it is empty if the error is not about words.
    """

    def __init__(self, message: str, doubtful: Sequence[int] = ()) -> None:
        super().__init__(message)
        self.doubtful: tuple[int, ...] = tuple(doubtful)
