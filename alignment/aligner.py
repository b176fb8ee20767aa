"""The interface that every aligner has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from alignment.records import Alignment

Pronunciations = Mapping[str, Sequence[Sequence[str]]]
"""A word's candidate pronunciations, likeliest first: ARPAbet, vowels with a stress digit."""


class Aligner(Protocol):
    """Finds where each word and phone of a known text is spoken in a recording."""

    name: str

    def align(
        self,
        samples: np.ndarray,
        sample_rate: int,
        words: Sequence[str],
        pronunciations: Pronunciations,
    ) -> Alignment:
        """`samples`: mono, float, in [-1, 1], shape (n,), at `sample_rate` Hz.

        Raises AlignmentError, with a sentence for the user, when there is nothing to align, when
        a word has no pronunciation, and when the recording doesn't match the words.
        """
        ...
