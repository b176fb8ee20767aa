"""Alignment in pieces, for aligners that take a minute at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import partial

import numpy as np

from alignment.aligner import InMemory, Pronunciations, Readable
from alignment.aligners.lookup import stress_of
from alignment.confidence.scores import require_match
from alignment.long.whole import align_long
from alignment.result import Alignment

LONG_SECONDS = 60.0  # a search keeps every state of the text for every frame


class AlignerByPieces(ABC):
    """An aligner whose search takes up to LONG_SECONDS; `workers` processes share what is longer.

    Keeps nothing from one recording to the next: the same input gives the same result.
    """

    def __init__(self, workers: int = 1) -> None:
        self.workers = workers

    def align(
        self,
        samples: np.ndarray,
        sample_rate: int,
        words: Sequence[str],
        pronunciations: Pronunciations,
        check: bool = True,
    ) -> Alignment:
        """Words and phones of `samples` (mono, float, (n,), 8 kHz or more), in seconds.

        One word of the result's `spoken` for each of `words`; each has the phones of one of its
        `pronunciations`, stress as handed in. With `check`, a recording that doesn't match the
        words is refused; without, the scores say so.
        Raises AlignmentError with one sentence.
        """
        if np.ndim(samples) == 1 and len(samples) > LONG_SECONDS * sample_rate:
            recording = InMemory(np.asarray(samples), sample_rate)
            return self.align_recording(recording, words, pronunciations, check)
        return self._align_short(samples, sample_rate, words, pronunciations, check)

    def align_recording(
        self,
        recording: Readable,
        words: Sequence[str],
        pronunciations: Pronunciations,
        check: bool = True,
    ) -> Alignment:
        """As `align`, without ever holding a long recording in memory: see alignment.long."""
        if recording.samples <= LONG_SECONDS * recording.sample_rate:
            rate = recording.sample_rate
            return self.align(recording.mono(), rate, words, pronunciations, check)
        every = zip(words, stress_of(words, pronunciations), strict=True)
        usable = {word: list(candidates.values()) for word, candidates in every}
        # Not `align`: a piece may be longer than LONG_SECONDS, and must not be cut up again.
        align = partial(type(self)()._align_short, check=False)
        alignment = align_long(align, recording, words, usable, self.workers)
        if check:
            require_match(alignment)
        return alignment

    @abstractmethod
    def _align_short(
        self,
        samples: np.ndarray,
        sample_rate: int,
        words: Sequence[str],
        pronunciations: Pronunciations,
        check: bool,
    ) -> Alignment:
        """`align` of what is short enough for one search."""
