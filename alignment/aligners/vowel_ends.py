"""The ends of vowels before pauses: where the second formant fades.

The networks hear a vowel on into its breath and the room's decay. By the phoneticians' rule it ends
with the last pulse that has a second formant, creak included. Ends are never moved back: in a room
and in noise the level falls too late or not at all.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from alignment.network.boundaries import CLASSES
from alignment.network.graph import SILENCE, Visit
from alignment.network.phone_network import HOP, INDEX, RATE, SYMBOLS, band_edges

SECONDS = HOP / RATE
DECIBELS = 3.0 * 10 / np.log(10)  # of the features' unit

# Hz, in which second formants lie; seconds in which the vowel's own level is taken, and by which
# its end is moved forward at most; dB below that level at which it is over, or the share of the way
# to it from the pause's. By the labels of the voices to fit to (hand-labels --chosen), which are as
# well met by neighbouring values.
FORMANT = (800.0, 3500.0)
NEAR, REACH = 0.2, 0.12
DEEPEST, SHARE = 20.0, 1 / 3
MARGIN = 4  # frames of a pause next to its ends that don't count for its level

_CONSONANTS = {symbol for symbols in CLASSES for symbol in symbols}
_VOWELS = {INDEX[symbol] for symbol in SYMBOLS if symbol not in _CONSONANTS}


def with_vowel_ends(
    ends: np.ndarray, visits: Sequence[Visit], frames: np.ndarray, duration: float
) -> np.ndarray:
    """The `ends` of all visits but the last, seconds, (n - 1,), those of vowels before silence
    moved; `frames`: (K, BANDS) of alignment.network.phone_network.features."""
    ends = ends.copy()
    edges = [0.0, *ends.tolist(), duration]
    level = formant_level(frames)
    for k, (visit, following) in enumerate(zip(visits, visits[1:], strict=False)):
        if visit.state.symbol in _VOWELS and following.state.kind == SILENCE:
            ends[k] = faded(level, *edges[k : k + 3])
    return ends


def formant_level(frames: np.ndarray) -> np.ndarray:
    """The level of second formants, dB, (K,), over three frames."""
    centres = band_edges()[1:-1]
    inside = (centres >= FORMANT[0]) & (centres < FORMANT[1])
    level = np.pad(frames[:, inside].mean(axis=1), 1, mode="edge")
    return np.asarray(np.convolve(level, np.ones(3) / 3, mode="valid") * DECIBELS)


def faded(level: np.ndarray, start: float, end: float, rest: float) -> float:
    """The time at which a vowel from `start` to `end` fades, seconds; `rest`: its pause's end. The
    end that it has where the pause is too short to tell."""
    near, last, stop = (int(each / SECONDS) for each in (max(start, end - NEAR), end, rest))
    pause = level[last + MARGIN : stop - MARGIN + 1]
    if not len(pause):
        return end
    loudest, floor = float(np.percentile(level[near : last + 1], 90)), float(np.median(pause))
    threshold = max(loudest - DEEPEST, floor + SHARE * (loudest - floor))
    first = int((end - min(REACH, 0.7 * (end - start))) / SECONDS)
    heard = level[first : last + 1] > threshold
    held = np.flatnonzero(heard[1:] & heard[:-1])  # for two frames: no click
    return min((first + 1 + int(held[-1]) + 0.5) * SECONDS, end) if len(held) else end
