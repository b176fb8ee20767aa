"""Input and output of a punctuation model: words as numbers, and the tags that stand for marks.

The frequent words are numbered by themselves, all of them by how they begin and end.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

Tag = Literal["O", "COMMA", "PERIOD", "QUESTION"]
TAGS: tuple[Tag, ...] = ("O", "COMMA", "PERIOD", "QUESTION")
MARK_OF: dict[Tag, str] = {"O": "", "COMMA": ",", "PERIOD": ".", "QUESTION": "?"}
"""Those of the IWSLT 2011 test set: of all marks in a text, these three are restored."""

CASES = ("lower", "capital", "capitals")
"""The spellings of a word within a sentence: talk, Talk, TALK."""
# The lower ends, in seconds, of the classes of pause length. The first class is
# for words after which nothing is known of a pause.
PAUSE_STEPS = (0.0, 0.05, 0.12, 0.2, 0.3, 0.45, 0.7)
UNKNOWN_PAUSE = 0
PAUSE_LENGTHS = 1 + len(PAUSE_STEPS)
PADDING, UNKNOWN_WORD, MASKED, NUMBER = "<pad>", "<unk>", "<mask>", "<number>"
SPECIAL = (PADDING, UNKNOWN_WORD, MASKED, NUMBER)
AFFIXES = 4  # of each word: its first two and three letters, its last two and three
PIECE = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def case_of(word: str) -> str:
    """Return the case that a word is written in."""
    letters = [letter for letter in word if letter.isalpha()]
    if len(letters) > 1 and all(map(str.isupper, letters)):
        return "capitals"
    return "capital" if letters and letters[0].isupper() else "lower"


def pause_length(seconds: float | None) -> int:
    """Return a pause's number among PAUSE_LENGTHS; UNKNOWN_PAUSE for None."""
    if seconds is None:
        return UNKNOWN_PAUSE
    return sum(seconds >= step for step in PAUSE_STEPS) or 1


def written_pieces(token: str) -> list[str]:
    """Return a written token's words: "Self-Awareness," -> Self, Awareness; maybe none."""
    return PIECE.findall(token)


def in_lower_case(piece: str) -> str:
    """Return a word as the model reads it: figures are all alike."""
    return NUMBER if any(map(str.isdigit, piece)) else piece.lower().replace("’", "'")


def pieces(token: str) -> list[str]:
    """Return a written token's words as the model reads them: "$5 It’s" -> <number>, it's."""
    return [in_lower_case(piece) for piece in written_pieces(token)]


@dataclass(frozen=True)
class Vocabulary:
    """The words that have a number of their own, after SPECIAL, and how many numbers affixes have.

    A word's affixes are hashed (as in Bojanowski et al., Enriching word vectors with subword
    information, 2017), so that a word that isn't listed still tells a past tense from a plural.
    """

    words: tuple[str, ...]
    buckets: int

    @cached_property
    def _numbers(self) -> dict[str, tuple[int, ...]]:
        listed = (*SPECIAL, *self.words)
        return {word: (place, *self._affixes(word)) for place, word in enumerate(listed)}

    def __len__(self) -> int:
        """Count the pieces, special ones included."""
        return len(SPECIAL) + len(self.words)

    def ids(self, piece: str) -> tuple[int, ...]:
        """Return a piece's own number, then those of its AFFIXES."""
        listed = self._numbers.get(piece)
        return listed or (SPECIAL.index(UNKNOWN_WORD), *self._affixes(piece))

    def _affixes(self, piece: str) -> tuple[int, ...]:
        """Return the numbers of a piece's affixes, from 1; 0 for padding and figures."""
        if piece in SPECIAL:
            return (0,) * AFFIXES
        affixes = (f"{piece[:2]}-", f"{piece[:3]}--", f"-{piece[-2:]}", f"--{piece[-3:]}")
        return tuple(1 + zlib.crc32(affix.encode()) % (self.buckets - 1) for affix in affixes)
