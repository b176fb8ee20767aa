"""A small network, trained on exact times, that moves each boundary by what surrounds it.

Where a phone ends is a convention, and aligners have habits of their own: the closure of a stop
after a pause is given to the pause, a nasal before a stop comes out too long, and quiet ends are
lost in noise. What they found, how sure the phone networks are around it, and the phones' lengths
and classes tell in which direction and how far the boundary should move. Trained by
training.alignment.train_boundaries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from alignment.arpabet import strip_stress
from alignment.network.phone_network import (
    FRAME_SECONDS,
    HOP,
    INDEX,
    RATE,
    Weights,
    information,
    load_weights,
)
from alignment.result import PAUSE

WEIGHTS = Path(__file__).with_name("boundaries.safetensors")

FARTHEST = 0.05  # seconds that a boundary is moved, at most

# Phones that end and begin alike.
CLASSES = (
    (PAUSE,),
    ("P", "T", "K", "B", "D", "G", "CH", "JH"),
    ("F", "TH", "S", "SH", "HH", "V", "DH", "Z", "ZH"),
    ("M", "N", "NG"),
    ("L", "R", "W", "Y"),
)
VOWEL = len(CLASSES)
_CLASS = {symbol: k for k, symbols in enumerate(CLASSES) for symbol in symbols}

AROUND = 8  # frames of 10 ms on either side that are looked at
LOWEST = -8.0  # nats below the likeliest phone; less is no worse
CHANGE_REACH = 6  # frames of 5 ms on either side in which the spectrum's change is weighed
LEVEL_FRAMES = 4  # frames of 5 ms on either side whose level is taken
SHORTEST, LONGEST = 0.01, 0.2  # seconds of a phone; beyond, its length says no more


@dataclass(frozen=True, slots=True)
class Boundaries:
    """The inner boundaries of n phones and pauses, each (n - 1,), seconds: at the spectral change,
    and where the network found them; `symbols` of the n."""

    symbols: Sequence[str]
    times: np.ndarray
    found: np.ndarray
    duration: float


def correct(
    boundaries: Boundaries,
    frames: np.ndarray,
    scores: np.ndarray,
    second: np.ndarray,
) -> np.ndarray:
    """The boundaries' times, moved by at most FARTHEST, seconds, (n - 1,).

    `frames` (K, BANDS) and log posteriors `scores` (T, 40) of alignment.network.phone_network;
    `second` (T, 40): the larger network's.
    """
    if not len(boundaries.times):
        return boundaries.times
    known = surroundings(boundaries, frames, scores, second)
    return boundaries.times + moves(known, load_weights(WEIGHTS))


def moves(known: np.ndarray, weights: Weights) -> np.ndarray:
    """Seconds, (m,), at most FARTHEST either way, from `surroundings` (m, SURROUNDINGS)."""
    for layer in ("first", "second"):
        known = np.maximum(known @ weights[f"{layer}.weight"].T + weights[f"{layer}.bias"], 0.0)
    moved = known @ weights["last.weight"].T + weights["last.bias"]
    return np.clip(moved[:, 0] * FARTHEST, -FARTHEST, FARTHEST)


def surroundings(
    boundaries: Boundaries,
    frames: np.ndarray,
    scores: np.ndarray,
    second: np.ndarray,
) -> np.ndarray:
    """The features of each boundary, each value of about -2 to 2: (n - 1, SURROUNDINGS)."""
    times, symbols = boundaries.times, boundaries.symbols
    # Twice: the weights were shaped for a first aligner's boundaries as well.
    found = boundaries.found
    others = np.stack([found, found, changes(frames, times, CHANGE_REACH)], axis=1)
    apart = np.clip((others - times[:, None]) / FARTHEST, -1.0, 1.0)
    columns = [
        apart,
        _levels(frames, times),
        _lengths(times, boundaries.duration),
        _likeness(scores, times, symbols),
        _likeness(second, times, symbols),
        _phones(symbols),
        np.full((len(times), 1), information(scores)),
        _classes(symbols),
    ]
    return np.concatenate(columns, axis=1).astype(np.float32)


def changes(frames: np.ndarray, times: np.ndarray, reach: int) -> np.ndarray:
    """The centre of mass, seconds, (m,), of the spectral change over 20 ms within `reach` frames
    of 5 ms around times (m,); frames (K, B)."""
    half = 2
    padded = np.pad(frames, ((half, half), (0, 0)), mode="edge")
    change = np.linalg.norm(padded[2 * half :] - padded[: len(frames)], axis=1)
    seconds = HOP / RATE
    places = np.round(times / seconds).astype(int)[:, None]
    places = np.clip(places + np.arange(-reach, reach + 1), 0, len(frames) - 1)
    weight = change[places]
    weight = weight - weight.min(axis=1, keepdims=True) + 1e-9
    return (weight * places).sum(axis=1) / weight.sum(axis=1) * seconds


def _levels(frames: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Mean log energy just before and just after, (m, 2)."""
    level = frames.mean(axis=1)
    places = np.round(times * RATE / HOP).astype(int)[:, None]
    steps = np.arange(1, LEVEL_FRAMES + 1)
    last = len(level) - 1
    before, after = (level[np.clip(places + s, 0, last)].mean(axis=1) for s in (-steps, steps))
    return np.stack([before, after], axis=1)


def _lengths(times: np.ndarray, duration: float) -> np.ndarray:
    """Logarithms of the lengths of two phones before and two after, (m, 4); ends count as short."""
    edges = np.concatenate([[0.0], times, [duration]])
    lengths = np.log(np.clip(np.diff(edges), SHORTEST, LONGEST) / SHORTEST)
    padded = np.pad(lengths, 1)
    return np.stack([padded[k : k + len(times)] for k in range(4)], axis=1) - 1.5


def _likeness(scores: np.ndarray, times: np.ndarray, symbols: Sequence[str]) -> np.ndarray:
    """The scores of two phones on either side at the boundary and up to AROUND frames from
    it, between frames by a straight line; and the difference of the two that meet,
    (m, 5 * (2 * AROUND + 1))."""
    below, count = _below_best(scores), len(times)
    places = times[:, None] / FRAME_SECONDS + np.arange(-AROUND, AROUND + 1)
    places = np.clip(places, 0, len(below) - 1)
    before = np.floor(places).astype(int)
    after, share = np.minimum(before + 1, len(below) - 1), places - before
    padded = np.pad(_indices(symbols), 1)  # a pause beyond the ends
    phones = [padded[k : k + count, None] for k in range(4)]
    near = [below[before, k] * (1 - share) + below[after, k] * share for k in phones]
    return np.concatenate([*near, near[1] - near[2]], axis=1)


def _below_best(scores: np.ndarray) -> np.ndarray:
    return np.maximum(scores - scores.max(axis=1, keepdims=True), LOWEST) / 4.0


def _indices(symbols: Sequence[str]) -> np.ndarray:
    return np.array([INDEX[strip_stress(symbol)] for symbol in symbols])


def _phones(symbols: Sequence[str]) -> np.ndarray:
    """The two phones that meet, one-hot, (m, 2 * 40)."""
    one_hot = np.eye(len(INDEX))[_indices(symbols)]
    return np.concatenate([one_hot[:-1], one_hot[1:]], axis=1)


def _classes(symbols: Sequence[str]) -> np.ndarray:
    """The classes of the phones: second to the left, left, right, second to the right."""
    kinds = [_CLASS.get(strip_stress(symbol), VOWEL) for symbol in symbols]
    padded = np.array([0, *kinds, 0])
    one_hot = np.eye(VOWEL + 1)
    count = len(kinds) - 1
    return np.concatenate([one_hot[padded[k : k + count]] for k in range(4)], axis=1)


_OTHERS = 3 + 2 + 4 + 1 + 4 * (VOWEL + 1)
SURROUNDINGS = _OTHERS + 2 * 5 * (2 * AROUND + 1) + 2 * len(INDEX)
