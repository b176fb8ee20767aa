"""Adjusts the level of filled frames towards that of the surrounding speech.

A network trained with L1 predicts an average, which is too quiet, and in unfamiliar conditions it
is off by several dB more. The recording's phones around an edit show how loud each class of phones
is there; all filled frames of an edit are shifted half-way to that level. N frames, on the grid of
`a3t.grid`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from torch import Tensor

from a3t.grid import FRAMES_PER_SECOND
from a3t.model.energy import frame_energy
from a3t.text.phones import PAUSE, is_vowel, strip_stress

# Half-way and 1.5 s gave the smallest error on the development voices.
SHARE = 0.5
REACH = 1.5 * FRAMES_PER_SECOND  # frames; the distance at which a neighbour's weight is 1/e
MOST = 0.6  # largest shift of a level in log10 units: 12 dB
ENOUGH = 8.0  # weighted frames of a class; with fewer, it isn't used
SONORANTS = frozenset("L M N NG R W Y".split())


def loudness_class(symbol: str) -> str | None:
    """A class of phones of similar loudness; None for phones whose level is too variable."""
    if symbol == PAUSE:
        return None
    if is_vowel(symbol):
        return "unstressed" if symbol.endswith("0") else "stressed"
    return "sonorant" if strip_stress(symbol) in SONORANTS else None


def levelled(
    mel: Tensor, masked: np.ndarray, symbols: Sequence[str], phone_of_frame: np.ndarray
) -> Tensor:
    """The filled mel with each masked run's level adjusted to its neighbours': (N, 80) log10.

    mel: (N, 80), filled. masked: (N,) bool, the filled frames. symbols: the window's phones.
    phone_of_frame: (N,) the index of each frame's phone.
    """
    energy = frame_energy(mel[None])[0].numpy()
    kinds = np.array([loudness_class(symbol) or "" for symbol in symbols])[phone_of_frame]
    result = mel.clone()
    for first, last in _runs(masked):
        gain = _gain(energy, kinds, ~masked, first, last)
        result[first:last] += float(np.clip(SHARE * gain, -MOST, MOST))
    return result


def _gain(
    energy: np.ndarray, kinds: np.ndarray, visible: np.ndarray, first: int, last: int
) -> float:
    """By how much frames [first, last) are too quiet, in log10 units; 0 without evidence.

    ``energy`` is (N,) log10. Mean powers are compared class by class, since they determine
    loudness.
    """
    power = 10.0 ** (2 * energy.astype(np.float64))
    place = np.arange(len(energy))
    distance = np.maximum(np.maximum(first - place, place - last), 0)
    weights = np.exp(-distance / REACH) * visible
    gain, total = 0.0, 0.0
    for kind in set(kinds[first:last]) - {""}:
        here = first + np.flatnonzero(kinds[first:last] == kind)
        own = weights * (kinds == kind)
        if own.sum() >= ENOUGH:
            expected = float((own * power).sum() / own.sum())
            gain += len(here) * 0.5 * float(np.log10(expected / power[here].mean()))
            total += len(here)
    return gain / total if total else 0.0


def _runs(masked: np.ndarray) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], masked.astype(int), [0]])))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]
