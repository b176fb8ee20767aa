"""The interface that every aligner has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from alignment.result import Alignment

if TYPE_CHECKING:
    import numpy as np  # the package is imported without it: a program's first lines come before

Pronunciations = Mapping[str, Sequence[Sequence[str]]]
"""A word's candidate pronunciations, likeliest first: ARPAbet, vowels with a stress digit."""


class Readable(Protocol):
    """A recording of which any part can be read, so that a long one need not fit in memory."""

    @property
    def sample_rate(self) -> int: ...

    @property
    def samples(self) -> int:
        """The samples of each channel."""
        ...

    def mono(self, start: int = 0, stop: int | None = None) -> np.ndarray:
        """Samples [start, stop) of the channels' mean, float, (stop - start,)."""
        ...


@dataclass(frozen=True)
class InMemory:
    """Samples in memory as a `Readable`: mono, float, (n,)."""

    data: np.ndarray
    sample_rate: int

    @property
    def samples(self) -> int:
        return len(self.data)

    def mono(self, start: int = 0, stop: int | None = None) -> np.ndarray:
        return self.data[start:stop]


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

        Raises AlignmentError, with a sentence for the user, if there is nothing to align, if a
        word has no pronunciation, or if the recording doesn't match the words.
        """
        ...

    def align_recording(
        self, recording: Readable, words: Sequence[str], pronunciations: Pronunciations
    ) -> Alignment:
        """The same for a recording that need not fit in memory."""
        ...
