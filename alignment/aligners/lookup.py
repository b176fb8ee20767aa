"""The words of a text with their pronunciations, as the aligners search for them."""

from __future__ import annotations

from collections.abc import Sequence

from alignment.aligner import Pronunciations
from alignment.arpabet import ARPABET, Pronunciation
from alignment.errors import AlignmentError

FASTEST = 50.0  # phones a second; the fastest speakers come to about 25


def stress_of(
    words: Sequence[str], pronunciations: Pronunciations
) -> list[dict[Pronunciation, tuple[str, ...]]]:
    """For each word its pronunciations without stress, each with the first that has it with stress.

    Raises AlignmentError when there are no words, or one has no pronunciation in ARPAbet.
    """
    if not words:
        raise AlignmentError("The text has no words: write down what the recording says.")
    return [_candidates(word, pronunciations) for word in words]


def _candidates(word: str, pronunciations: Pronunciations) -> dict[Pronunciation, tuple[str, ...]]:
    result: dict[Pronunciation, tuple[str, ...]] = {}
    for candidate in pronunciations.get(word, ()):
        plain = tuple(phone.rstrip("012") for phone in candidate)
        unknown = [phone for phone in plain if phone not in ARPABET]
        if unknown:
            raise AlignmentError(
                f'The pronunciation of "{word}" has {unknown[0]}, which is not ARPAbet.'
            )
        if plain:
            result.setdefault(plain, tuple(candidate))
    if not result:
        raise AlignmentError(
            f'The word "{word}" has no pronunciation: add one with --pronounce, '
            "or spell it differently."
        )
    return result


def require_room(stressed: Sequence[dict[Pronunciation, tuple[str, ...]]], seconds: float) -> None:
    """Raises AlignmentError for more words than anyone can say in the time: no search is needed."""
    phones = sum(min(map(len, candidates)) for candidates in stressed)
    if phones > FASTEST * seconds:
        raise AlignmentError(
            f"The text has {len(stressed)} words, more than anyone can speak in {seconds:.1f} s: "
            "give the words that are spoken."
        )
