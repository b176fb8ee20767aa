"""The interface of every aligner, the words as they search for them, and their version."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from alignment.arpabet import ARPABET, Pronunciation, strip_stress
from alignment.errors import AlignmentError
from alignment.result import Alignment

if TYPE_CHECKING:
    import numpy as np  # the package is imported without it: a program's first lines come before

Pronunciations = Mapping[str, Sequence[Sequence[str]]]
"""A word's candidate pronunciations, likeliest first: ARPAbet, vowels with a stress digit."""
MAX_PHONES_PER_S = 50.0  # phones a second; the fastest speakers come to about 25


class Readable(Protocol):
    """A recording of which any part can be read, so that a long one need not fit in memory."""

    @property
    def sample_rate(self) -> int:
        """Samples per second."""
        ...

    @property
    def samples(self) -> int:
        """The samples of each channel."""
        ...

    def mono(self, start: int = 0, stop: int | None = None) -> np.ndarray:
        """Read samples [start, stop) of the channels' mean, float, (stop - start,)."""
        ...


@dataclass(frozen=True)
class InMemory:
    """Samples in memory as a `Readable`: mono, float, (n,)."""

    data: np.ndarray
    sample_rate: int

    @property
    def samples(self) -> int:
        """Samples in all."""
        return len(self.data)

    def mono(self, start: int = 0, stop: int | None = None) -> np.ndarray:
        """Return samples [start, stop), float."""
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
        """Align samples with their text.

        ``samples``: mono, float, in [-1, 1], shape (n,), at ``sample_rate`` Hz. Raises
        AlignmentError, with a sentence for the user, if there is nothing to align, if a word has no
        pronunciation, or if the recording doesn't match the words.
        """
        ...

    def align_recording(
        self, recording: Readable, words: Sequence[str], pronunciations: Pronunciations
    ) -> Alignment:
        """Align a recording that need not fit in memory."""
        ...


@cache
def aligner_version(package: Path = Path(__file__).parent) -> str:
    """Return the version that a cached alignment names: a digest of the package's code and weights.

    It is computed once (40 ms). A number that somebody has to think of goes stale: alignments were
    once found in the cache with the confidences of networks that had been replaced.
    """
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*")):
        inside = path.relative_to(package)
        if path.suffix in {".py", ".safetensors"}:
            digest.update(f"{inside.as_posix()}\n".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def stress_of(
    words: Sequence[str], pronunciations: Pronunciations
) -> list[dict[Pronunciation, tuple[str, ...]]]:
    """Return each word's pronunciations without stress, and the first of each with stress.

    Raises AlignmentError when there are no words, or one has no pronunciation in ARPAbet.
    """
    if not words:
        raise AlignmentError("The text has no words: write down what the recording says.")
    return [_candidates(word, pronunciations) for word in words]


def _candidates(word: str, pronunciations: Pronunciations) -> dict[Pronunciation, tuple[str, ...]]:
    result: dict[Pronunciation, tuple[str, ...]] = {}
    for candidate in pronunciations.get(word, ()):
        plain = tuple(map(strip_stress, candidate))
        unknown = [phone for phone in plain if phone not in ARPABET]
        if unknown:
            raise AlignmentError(
                f'The pronunciation of "{word}" has {unknown[0]}, which is not ARPAbet.'
            )
        if plain:
            result.setdefault(plain, tuple(candidate))
    if not result:
        raise AlignmentError(
            f'The word "{word}" has no pronunciation: add one, or spell it differently.'
        )
    return result


def require_room(stressed: Sequence[dict[Pronunciation, tuple[str, ...]]], seconds: float) -> None:
    """Raise AlignmentError for more words than anyone can say in the time: no search is needed."""
    phones = sum(min(map(len, candidates)) for candidates in stressed)
    if phones > MAX_PHONES_PER_S * seconds:
        raise AlignmentError(
            f"The text has {len(stressed)} words, more than anyone can speak in {seconds:.1f} s: "
            "give the words that are spoken."
        )
