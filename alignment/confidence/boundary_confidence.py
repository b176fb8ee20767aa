"""Spreads of boundaries: where two phones' posteriors cross slowly, one could be elsewhere.

The frames around a boundary in which neither of its two phones is clearly likelier than the other
say over how long a stretch it is undecided. How far from the truth boundaries of the network
aligner are for each such length was fitted to two of flite's voices, clean, in noise and in a room;
`python -m evaluation.hearing.calibration boundaries` holds it against the other two.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from alignment.network.phone_network import FRAME_SECONDS, INDEX
from alignment.result import Alignment, Word

REACH = 6  # frames on either side that are looked at

# Seconds within which two of three boundaries are, for a boundary that is decided at once, and for
# each second over which it is not.
LEAST, EACH = 0.004, 0.23


def undecided(alignment: Alignment, posteriors: np.ndarray) -> np.ndarray:
    """Seconds around each inner boundary of the phones in which either of two could be, (n - 1,).

    `posteriors`: log, (T, 40), of alignment.network, of the same recording.
    """
    phones = alignment.phones
    symbols = np.array([INDEX[phone.symbol.rstrip("012")] for phone in phones])
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
    return LEAST + EACH * undecided(alignment, posteriors)


def with_spreads(alignment: Alignment, posteriors: np.ndarray) -> Alignment:
    """The alignment with the `spread` of each phone but the last."""
    found = iter([*spreads(alignment, posteriors).round(4).tolist(), 0.0])

    def spread(word: Word) -> Word:
        phones = tuple(replace(phone, spread=next(found)) for phone in word.phones)
        return replace(word, phones=phones)

    return replace(alignment, words=tuple(spread(word) for word in alignment.words))
