"""Words to phones: the lexicon first, then rules for regular forms, then a network's guess.

Words that a speaker has recorded can keep that speaker's pronunciation. Nothing is downloaded and
nothing is written; the same word gives the same phones on every machine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from a3t.text.phones import is_vowel
from a3t.text.pronunciation.homographs import choose, is_homograph
from a3t.text.pronunciation.letter_to_sound import Network, as_it_sounds, guess, others
from a3t.text.pronunciation.lexicon import Pronunciation, in_lexicon, lookup
from a3t.text.transcript import Transcript
from alignment import Word
from alignment.formats.dictionary import Dictionary, parse_words

_SIBILANTS = frozenset("S Z SH ZH CH JH".split())
_VOICELESS = frozenset("P T K F TH".split())
_MIN_PART = 4  # letters of a compound's parts
_MIN_STEM = 3  # letters; shorter stems are too often no stem at all ("bing", "red")
MAX_CANDIDATES = 4


def _plural(stem: Pronunciation) -> Pronunciation:
    if stem[-1] in _SIBILANTS:
        return (*stem, "IH0", "Z")
    return (*stem, "S" if stem[-1] in _VOICELESS else "Z")


def _past(stem: Pronunciation) -> Pronunciation:
    if stem[-1] in ("T", "D"):
        return (*stem, "IH0", "D")
    voiceless = stem[-1] in _VOICELESS or stem[-1] in ("S", "SH", "CH")
    return (*stem, "T" if voiceless else "D")


def _progressive(stem: Pronunciation) -> Pronunciation:
    return (*stem, "IH0", "NG")


def _clitic(phones: tuple[str, ...], after_consonant: tuple[str, ...]):  # type: ignore[no-untyped-def]
    def add(stem: Pronunciation) -> Pronunciation:
        return stem + (phones if is_vowel(stem[-1]) else after_consonant)

    return add


_ENDINGS = (
    # written ending, what may stand in its place to give the stem, what it sounds like
    ("'s", ("",), _plural),
    ("s'", ("s", ""), None),
    ("'ll", ("",), _clitic(("L",), ("AH0", "L"))),
    ("'d", ("",), _clitic(("D",), ("AH0", "D"))),
    ("'ve", ("",), _clitic(("V",), ("AH0", "V"))),
    ("'re", ("",), _clitic(("ER0",), ("ER0",))),
    ("n't", ("",), _clitic(("N", "T"), ("AH0", "N", "T"))),
    ("ies", ("y",), _plural),
    ("es", ("e", ""), _plural),
    ("s", ("",), _plural),
    ("ed", ("e", ""), _past),
    ("ing", ("", "e"), _progressive),
)


def from_ending(word: str, network: Network = "a3t") -> list[Pronunciation]:
    """Pronounce a regular form of a known word ("gregson's", "vlogs"); [] if it is none.

    What stands before an apostrophe needn't be known: `network` guesses it.
    """
    for ending, replacements, sound in _ENDINGS:
        if not word.endswith(ending):
            continue
        apostrophe = "'" in ending
        for replacement in replacements:
            stem = word[: -len(ending)] + replacement
            if len(stem) < (1 if apostrophe else _MIN_STEM):
                continue
            stems = lookup(stem)
            if not stems and apostrophe and len(stem) > 1:
                stems = from_ending(stem, network) or [guess(stem, network)]
            if not stems:
                continue
            if sound is None:  # a plural's possessive sounds like the plural
                return stems if replacement else [_plural(phones) for phones in stems]
            return [sound(phones) for phones in stems]
    return []


def from_compound(word: str) -> list[Pronunciation]:
    """Pronounce two known words written together ("sheepdog" is no dictionary's); [] if not two."""
    for middle in range(_MIN_PART, len(word) - _MIN_PART + 1):
        if in_lexicon(word[:middle]) and in_lexicon(word[middle:]):
            first, second = lookup(word[:middle])[0], lookup(word[middle:])[0]
            return [first + tuple(phone.replace("1", "2") for phone in second)]
    return []


@lru_cache(maxsize=65_536)
def _candidates(word: str, network: Network) -> tuple[tuple[Pronunciation, ...], bool]:
    """Return the ways to say a word, and whether they are guessed from its letters."""
    found = lookup(word)
    guessed = False
    if not found and "'" in word.strip("'"):
        found = from_ending(word, network)
        guessed = bool(found) and not _is_known(word.rpartition("'")[0])
    bare = word.replace("'", "") if not found else word
    found = found or lookup(word.strip("'")) or lookup(bare)
    found = found or from_ending(bare, network)
    if not found:  # the network is right about compounds more often than their parts are
        found, guessed = [guess(bare, network), *from_compound(bare)], True
    usable = [phones for phones in dict.fromkeys(found) if phones]
    return tuple(usable[:MAX_CANDIDATES]), guessed


def _is_known(word: str) -> bool:
    """Return whether a word before an apostrophe needs no guess ("shouldn" of n't)."""
    return bool(lookup(word) or from_ending(word) or lookup(word.removesuffix("n")))


def listed_words(text: str, name: str, own: Dictionary | None = None) -> Dictionary:
    """Return the names of a word list and how they are said.

    That is as the list has it, as ``own`` has it, or as usual. ``name``: of the list, for errors.
    Raises AlignmentError if it can't be used.
    """
    return parse_words(text, name, as_it_sounds, Pronouncer(own).candidates)


class Pronouncer:
    """Pronunciations with stress (ARPAbet, symbols of a3t.text.phones.PHONES).

    ``own`` are a person's: where it has a word, nothing else is looked up. ``names``: those of them
    that a recogniser listens for; None for all. ``network`` guesses words that no lexicon has: this
    project's or g2p-en's. The lexicon and the networks are loaded
    at the first call that needs them, shared by all instances, and safe to use from several
    threads.
    """

    def __init__(
        self,
        own: Mapping[str, Sequence[Pronunciation]] | None = None,
        network: Network = "a3t",
        names: Sequence[str] | None = None,
    ) -> None:
        self.own = own or {}
        self.names = [*self.own] if names is None else names
        self.network = network

    def candidates(self, word: str) -> list[Pronunciation]:
        """Return 1 to 4 ways to say one spoken word, the likeliest first, or its own ways.

        A word without any letter a–z has none: [].
        """
        word = word.lower().replace("’", "'")
        if word in self.own:
            return list(self.own[word])
        if not any("a" <= letter <= "z" for letter in word):
            return []
        return list(_candidates(word, self.network)[0])

    def is_homograph(self, word: str) -> bool:
        """Return whether the word differs in sound by its senses ("read", "record")."""
        return is_homograph(word.lower(), self.candidates(word))

    def is_guessed(self, word: str) -> bool:
        """Return whether no lexicon has the word, nor its parts, so that its letters must do."""
        word = word.lower().replace("’", "'")
        if word in self.own or not any("a" <= letter <= "z" for letter in word):
            return False
        return _candidates(word, self.network)[1]

    def offered(self, word: str) -> list[Pronunciation]:
        """Offer other ways to say a word that is guessed, likeliest first; none for another."""
        if not self.is_guessed(word):
            return []
        return [way for way in others(word.lower()) if way not in self.candidates(word)[:1]]

    def choices(self, words: Iterable[str]) -> dict[str, list[Pronunciation]]:
        """Return the candidates of each of the words."""
        return {word: self.candidates(word) for word in words}

    def pronounce(
        self, words: Sequence[str], written: Sequence[str] | None = None
    ) -> list[Pronunciation]:
        """Pronounce each word in one way, homographs told apart by the words beside them.

        `written` is the token behind each word, if it is known: its capitals and punctuation tell
        "Polish" and "polish" apart.
        """
        return [
            choose(index, words, candidates, written) if len(candidates) > 1 else candidates[0]
            for index, candidates in enumerate(map(self.candidates, words))
        ]

    def as_recorded(self, text: Transcript, recorded: Iterable[Word]) -> list[Pronunciation]:
        """Return one pronunciation for each word of a text.

        It is the user's, else the one most frequent among the ``recorded`` words, else the
        dictionary's. Homographs are pronounced by their sense in the text.
        """
        ways: dict[str, Counter[Pronunciation]] = {}
        for word in recorded:
            phones = tuple(phone.symbol for phone in word.phones)
            ways.setdefault(word.text, Counter())[phones] += 1
        usual = {word: own.most_common(1)[0][0] for word, own in ways.items()}
        defaults = self.pronounce(text.spoken, [word.written for word in text.words])
        return [
            usual[word]
            if word in usual and word not in self.own and not self.is_homograph(word)
            else pronunciation
            for word, pronunciation in zip(text.spoken, defaults, strict=True)
        ]
