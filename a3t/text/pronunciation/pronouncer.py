"""Words to phones: CMUdict first, rules for regular forms, then g2p-en's network.

Nothing is downloaded and nothing is written; the same word gives the same phones on every machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from a3t.text.pronunciation.homographs import choose
from a3t.text.pronunciation.letter_to_sound import guess
from a3t.text.pronunciation.lexicon import Pronunciation, lookup
from a3t.text.pronunciation.morphology import from_compound, from_ending

MAX_CANDIDATES = 4


@lru_cache(maxsize=65_536)
def _candidates(word: str) -> tuple[Pronunciation, ...]:
    found = lookup(word)
    if not found and "'" in word.strip("'"):
        found = from_ending(word)
    bare = word.replace("'", "") if not found else word
    found = found or lookup(word.strip("'")) or lookup(bare)
    found = found or from_ending(bare) or [*from_compound(bare), guess(bare)]
    usable = [phones for phones in dict.fromkeys(found) if phones]
    return tuple(usable[:MAX_CANDIDATES])


class Pronouncer:
    """Pronunciations with stress (ARPAbet, symbols of a3t.text.phones.PHONES).

    ``own`` are a person's: where it has a word, nothing else is looked up. The lexicon and the
    network are loaded at the first call that needs them, shared by all instances, and safe to use
    from several threads.
    """

    def __init__(self, own: Mapping[str, Sequence[Pronunciation]] | None = None) -> None:
        self.own = own or {}

    def candidates(self, word: str) -> list[Pronunciation]:
        """The ways to say one spoken word, the likeliest first; 1 to 4 of them, or its own.

        A word without any letter a–z has none: [].
        """
        word = word.lower().replace("’", "'")
        if word in self.own:
            return list(self.own[word])
        if not any("a" <= letter <= "z" for letter in word):
            return []
        return list(_candidates(word))

    def choices(self, words: Iterable[str]) -> dict[str, list[Pronunciation]]:
        """The candidates of each of the words."""
        return {word: self.candidates(word) for word in words}

    def pronounce(self, words: Sequence[str]) -> list[Pronunciation]:
        """One pronunciation for each word, homographs told apart by the words beside them."""
        return [
            choose(index, words, candidates) if len(candidates) > 1 else candidates[0]
            for index, candidates in enumerate(map(self.candidates, words))
        ]
