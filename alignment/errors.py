"""What a person gets instead of a traceback."""

from __future__ import annotations

from collections.abc import Sequence


class AlignmentError(ValueError):
    """The recording can't be aligned; the message is one sentence saying why and what to do.

    `doubtful` holds the positions (in the words handed in) of the words that were not heard where
    the text has them; it is empty when the error is not about words.
    """

    def __init__(self, message: str, doubtful: Sequence[int] = ()) -> None:
        super().__init__(message)
        self.doubtful: tuple[int, ...] = tuple(doubtful)
