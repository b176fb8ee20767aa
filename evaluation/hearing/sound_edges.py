"""The edges of words beside pauses, where their sound begins or ends, by its level alone.

A truth for boundaries beside pauses in real speech, where nobody has labelled any: the first or
last time at which the level is for 16 ms within START or END dB of the word's own loudest. Both
levels were taken for which the aligner's mean errors have the direction and size that hand labels
of other recordings gave (words begin 17 to 23 ms early, end 8 to 12 ms late), so what is measured
by them is the scatter, not the bias.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.signal import butter, sosfiltfilt

from alignment import Alignment, Word

STEP, WINDOW, HOLD = 0.002, 0.01, 0.016  # seconds
LOWEST = 70.0  # Hz
START, END = 30.0, 27.5  # dB below the word's peak
CLEAR = 35.0  # dB from the pause's floor to that peak, at least
SHORTEST = 0.1  # seconds of a pause
NEAR = 0.25  # seconds of a pause beside the word, and of the word, in which the edge is looked for


class SoundEdge(NamedTuple):
    """The beginning (`is_start`) or the end of the sound of a spoken word, seconds."""

    word: int
    is_start: bool
    time: float


def levels(samples: np.ndarray, rate: int) -> np.ndarray:
    """The level in dB every STEP seconds, (n,)."""
    filtered = sosfiltfilt(butter(4, LOWEST, "highpass", fs=rate, output="sos"), samples)
    window = np.hanning(round(WINDOW * rate))
    power = np.convolve(np.square(filtered), window / window.sum(), mode="same")
    places = np.arange(0, len(samples) - 1, rate * STEP).round().astype(int)
    return 10 * np.log10(power[places] + 1e-12)


def sound_edges(samples: np.ndarray, rate: int, aligned: Alignment) -> Iterator[SoundEdge]:
    """The edges beside pauses that are long, quiet and hold nothing unwritten."""
    level = levels(samples.astype(float), rate)
    number = -1
    for place, word in enumerate(aligned.words):
        if word.is_pause:
            continue
        number += 1
        peak = float(np.percentile(_cut(level, word.start, word.end), 95))
        for is_start in (True, False):
            beside = place - 1 if is_start else place + 1
            if not 0 <= beside < len(aligned.words):
                continue
            pause = aligned.words[beside]
            time = _edge(level, word, pause, peak, is_start)
            if time is not None:
                yield SoundEdge(number, is_start, time)


def _edge(level: np.ndarray, word: Word, pause: Word, peak: float, is_start: bool) -> float | None:
    if not pause.is_pause or pause.unwritten or pause.duration < SHORTEST:
        return None
    quarter = pause.duration / 4
    floor = float(np.median(_cut(level, pause.start + quarter, pause.end - quarter)))
    if peak - floor < CLEAR:
        return None
    inside = min(0.3, 0.8 * word.duration)
    reach = min(NEAR, pause.duration / 2)
    if is_start:
        begin = pause.end - reach
        stretch = _cut(level, begin, word.start + inside)
    else:
        begin = pause.start + reach
        stretch = _cut(level, word.end - inside, begin)[::-1]
    loud = stretch > peak - (START if is_start else END)
    count = round(HOLD / STEP)
    held = np.convolve(loud.astype(int), np.ones(count, int), mode="valid") == count
    if not held.any():
        return None
    passed = int(held.argmax()) * STEP
    return begin + passed if is_start else begin - passed


def _cut(level: np.ndarray, start: float, end: float) -> np.ndarray:
    first = round(start / STEP)
    return level[first : max(round(end / STEP), first + 5)]
