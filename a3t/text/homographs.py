"""Which of a word's pronunciations its neighbours ask for. (First form: the first one.)"""

from __future__ import annotations

from collections.abc import Sequence

from a3t.text.lexicon import Pronunciation


def choose(index: int, words: Sequence[str], candidates: Sequence[Pronunciation]) -> Pronunciation:
    """The candidate for words[index] in its context."""
    return candidates[0]
