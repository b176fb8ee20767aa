"""The uncertainty of boundaries: where two phones' posteriors cross slowly, one may lie elsewhere.

The frames around a boundary in which neither of its two phones is clearly likelier than the other
say over how long a stretch it is undecided. How far from the truth boundaries are for each such
length was fitted, inside speech, to two of flite's voices, clean, in noise and in a room; beside a
pause, by what the word begins or ends with, to where the sound of real speech begins and ends
(evaluation.hearing.calibration holds both against other voices and clips). SHARED and ONSET are not
fitted: no labels of such places were at hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from alignment.arpabet import strip_stress
from alignment.network.boundaries import CLASSES
from alignment.network.phone_network import FRAME_SECONDS, INDEX
from alignment.result import PAUSE, Alignment, Phone, Word

REACH = 6  # frames on either side that are looked at

# Seconds within which two of three boundaries are, for a boundary that is decided at once, and for
# each second over which it is not.
INSIDE = (0.004, 0.23)
STARTS = {"stop": (0.052, 0.04), "fricative": (0.024, 0.2), "other": INSIDE}  # after a pause
ENDS = {"stop": (0.015, 0.5), "fricative": (0.03, 0.2), "other": (0.0, 0.76)}  # before one
SHARED = 0.4  # of the length of a consonant that two words share, in which nothing says where
# Beside l, r, w and y nothing changes at once: so many times as much, inside a word and between
# two. Fitted to the labels by hand of the voices for that (evaluation.hearing.hand_labels).
GLIDING = (1.2, 1.8)
ONSET = 0.02  # at least, of a word that begins with a vowel: a glottal stop may go before it


def undecided(alignment: Alignment, posteriors: np.ndarray) -> np.ndarray:
    """Seconds around each inner boundary of the phones in which either of two could be, (n - 1,).

    `posteriors`: log, (T, 40), of alignment.network, of the same recording.
    """
    phones = alignment.phones
    symbols = np.array([INDEX[strip_stress(phone.symbol)] for phone in phones])
    times = np.array([phone.end for phone in phones[:-1]])
    places = np.floor(times / FRAME_SECONDS).astype(int)[:, None]
    places = places + np.arange(1 - REACH, REACH + 1)
    inside = (places >= 0) & (places < len(posteriors))
    near = np.clip(places, 0, len(posteriors) - 1)
    apart = posteriors[near, symbols[:-1, None]] - posteriors[near, symbols[1:, None]]
    likelier = 1 / (1 + np.exp(-np.clip(apart, -50, 50)))
    return np.asarray((4 * likelier * (1 - likelier) * inside).sum(axis=1) * FRAME_SECONDS)


def spreads(alignment: Alignment, posteriors: np.ndarray) -> np.ndarray:
    """Seconds by which each inner boundary is off at most, in two of three cases, (n - 1,)."""
    lengths = undecided(alignment, posteriors).tolist()
    phones = alignment.phones
    first = _word_starts(alignment.words)
    return np.array(
        [
            _spread(phones[k], phones[k + 1], k + 1 in first, length)
            for k, length in enumerate(lengths)
        ]
    )


def _spread(left: Phone, right: Phone, between_words: bool, undecided: float) -> float:
    """The spread of one boundary, seconds."""
    least, each = INSIDE
    if PAUSE in (left.symbol, right.symbol):
        beside = STARTS if left.symbol == PAUSE else ENDS
        least, each = beside[_kind(right.symbol if left.symbol == PAUSE else left.symbol)]
    spread = max(least + each * undecided, INSIDE[0])
    if PAUSE not in (left.symbol, right.symbol) and {left.symbol, right.symbol} & set(CLASSES[4]):
        spread *= GLIDING[between_words]
    if not between_words or PAUSE in (left.symbol, right.symbol):
        return spread
    if left.symbol == right.symbol:
        return max(spread, SHARED * (left.duration + right.duration))
    return max(spread, ONSET) if right.symbol[-1].isdigit() else spread


def _kind(symbol: str) -> str:
    """The sort of sound that a word begins or ends with."""
    return "stop" if symbol in CLASSES[1] else "fricative" if symbol in CLASSES[2] else "other"


def _word_starts(words: Sequence[Word]) -> set[int]:
    """The numbers of the phones with which words and pauses begin."""
    return set(np.cumsum([len(word.phones) for word in words]).tolist())


def with_spreads(alignment: Alignment, posteriors: np.ndarray) -> Alignment:
    """The alignment with the `spread` of each phone but the last."""
    found = iter([*spreads(alignment, posteriors).round(4).tolist(), 0.0])

    def spread(word: Word) -> Word:
        phones = tuple(replace(phone, spread=next(found)) for phone in word.phones)
        return replace(word, phones=phones)

    return replace(alignment, words=tuple(spread(word) for word in alignment.words))
