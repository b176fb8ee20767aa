"""Is what was filled as loud as its neighbours would have it? Its level against theirs.

A network trained by L1 fills the middle of what could have been, which is too quiet, and in
conditions that it does not know it is off by several dB more. The recording's own phones around an
edit say how loud each class of sound is here; what is filled is moved half-way to that, all of an
edit's frames alike. N frames, as everywhere on the grid of `a3t.grid`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from torch import Tensor

from a3t.grid import FRAMES_PER_SECOND
from a3t.model.energy import frame_energy
from a3t.text.phones import PAUSE, is_vowel, strip_stress

# Half-way and 1.5 s made the least error on the voices that things are chosen by.
SHARE = 0.5
REACH = 1.5 * FRAMES_PER_SECOND  # frames after which a neighbour says a third as much
MOST = 0.6  # log10 units that a level is moved at most, 12 dB
ENOUGH = 8.0  # frames, so weighted, without which nothing is moved
SONORANTS = frozenset("L M N NG R W Y".split())


def loudness_class(symbol: str) -> str | None:
    """Phones that are about as loud as each other; None for those whose level says little."""
    if symbol == PAUSE:
        return None
    if is_vowel(symbol):
        return "unstressed" if symbol.endswith("0") else "stressed"
    return "sonorant" if strip_stress(symbol) in SONORANTS else None


def levelled(
    mel: Tensor, masked: np.ndarray, symbols: Sequence[str], phone_of_frame: np.ndarray
) -> Tensor:
    """The filled mel with each masked run at the level of its neighbours, (N, 80) log10.

    ``mel`` is filled, ``masked`` (N,) says where, ``symbols`` are the window's phones and
    ``phone_of_frame`` (N,) whose each frame is.
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
    """By how much frames [first, last) are too quiet, log10 units; 0 if nothing can be said.

    ``energy`` (N,) log10; of each class of sound mean powers are compared, since they are heard.
    """
    power = 10.0 ** (2 * energy.astype(np.float64))
    place = np.arange(len(energy))
    distance = np.maximum(np.maximum(first - place, place - last), 0)
    weights = np.exp(-distance / REACH) * visible
    found, total = 0.0, 0.0
    for kind in set(kinds[first:last]) - {""}:
        here = first + np.flatnonzero(kinds[first:last] == kind)
        own = weights * (kinds == kind)
        if own.sum() >= ENOUGH:
            expected = float((own * power).sum() / own.sum())
            found += len(here) * 0.5 * float(np.log10(expected / power[here].mean()))
            total += len(here)
    return found / total if total else 0.0


def _runs(masked: np.ndarray) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], masked.astype(int), [0]])))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]
