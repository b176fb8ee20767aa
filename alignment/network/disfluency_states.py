"""States for speech that the text lacks between two words, and their costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

Pronunciation = Sequence[str]
"""ARPAbet with or without stress."""

# "uh", "er", "ah", "eh", each also with a nasal: "um", "erm"; and "mm" and "hm".
FILLER_VOWELS, FILLER_NASALS = ("AH", "ER", "AA", "EH"), ("M", "N")
FILLERS_WITHOUT_VOWEL = (("M",), ("HH", "M"))
# Who hesitates holds a sound, and it is now this vowel and now that one to the network.
VOWELS = ("AA", "AE", "AH", "AO", "EH", "ER", "UH")
NASALS = ("M", "N", "NG")
HELD_VOWEL, HELD_NASAL = 12, 5  # frames at least


class Costs(NamedTuple):
    """Nats that it costs to enter what nobody wrote, and by which each frame of "anything else"
    lies below its likeliest phone; what costs infinitely much is not looked for. Chosen on planted
    sounds in clips that nothing is reported of.

    "Anything else" costs most: were it cheap, a word that is said twice would be a noise, and then
    the word. held: a hesitation that may go from one vowel to another, and end in any nasal.
    joined: in addition, unless there is silence on both sides. late: in addition for a word that is
    broken off beyond its first half, or one that is said twice would be a start and then the
    word."""

    filler: float = 18.0
    repeat: float = 14.0
    broken: float = 18.0
    noise: float = 40.0
    noise_frame: float = 1.1
    held: float = np.inf
    joined: float = 0.0
    late: float = 0.0


NOTHING_UNWRITTEN = Costs(np.inf, np.inf, np.inf, np.inf)


def again(latest: Sequence[Sequence[Pronunciation]]) -> Iterator[tuple[int, Pronunciation]]:
    """The ways to say the last word again, each with its number from 1, or (0) the last two."""
    if latest:
        yield from enumerate(latest[-1], 1)
    if len(latest) > 1:
        yield 0, [phone for word in latest for phone in word[0]]


def starts(following: Sequence[Pronunciation]) -> dict[Pronunciation, list[Pronunciation]]:
    """The ways to begin the next word and break off: its first halves, and their continuations."""
    result: dict[Pronunciation, list[Pronunciation]] = {}
    for broken in dict.fromkeys(tuple(phones[:-1]) for phones in following if len(phones) > 1):
        middle = len(broken) // 2 + 1
        rests = result.setdefault(broken[:middle], [])
        if broken[middle:]:
            rests.append(broken[middle:])
    return result
