"""The tags that a punctuation model gives each word, and the marks that they stand for."""

from __future__ import annotations

from typing import Literal

Tag = Literal["O", "COMMA", "PERIOD", "QUESTION"]
TAGS: tuple[Tag, ...] = ("O", "COMMA", "PERIOD", "QUESTION")
MARK_OF: dict[Tag, str] = {"O": "", "COMMA": ",", "PERIOD": ".", "QUESTION": "?"}
"""Those of the IWSLT 2011 test set: of all marks in a text, these three are restored."""

CASES = ("lower", "capital", "capitals")
"""The spellings of a word within a sentence: talk, Talk, TALK."""


def case_of(word: str) -> str:
    """The case that a word is written in."""
    letters = [letter for letter in word if letter.isalpha()]
    if len(letters) > 1 and all(map(str.isupper, letters)):
        return "capitals"
    return "capital" if letters and letters[0].isupper() else "lower"


# The lower ends, in seconds, of the classes of pause length. The first class is
# for words after which nothing is known of a pause.
PAUSE_STEPS = (0.0, 0.05, 0.12, 0.2, 0.3, 0.45, 0.7)
UNKNOWN_PAUSE = 0
PAUSE_LENGTHS = 1 + len(PAUSE_STEPS)


def pause_length(seconds: float | None) -> int:
    """The number among PAUSE_LENGTHS of a pause: UNKNOWN_PAUSE for None, then one for each step."""
    if seconds is None:
        return UNKNOWN_PAUSE
    return sum(seconds >= step for step in PAUSE_STEPS) or 1
