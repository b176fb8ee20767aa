"""Boundaries found anew, finer and steadier than PocketSphinx's 10 ms grid.

The phones that PocketSphinx found are laid over the log posteriors of alignment.phone_net by a
Viterbi search near the first boundaries; between two frames a boundary stands where the posteriors
of its two phones cross. The mean of both aligners' boundaries then moves to the centre of the
spectral change within 20 ms.

Each step was chosen by measurement on flite's voices (alignment.bench). A correction for each pair
of phone classes was tried and left out: fitted to three voices, it did nothing for the fourth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from alignment.phone_net import FRAME_SECONDS, HOP, INDEX, RATE, features, posteriors
from alignment.records import Alignment, Phone, Word

REACH = 0.15  # seconds that a boundary can move, at most
SHORTEST = 0.005  # seconds of a phone
LEAVING = 0.4  # logarithm lost for each frame that a boundary moves

TRUST = 0.5  # of the mean of both aligners, the network's share

# The spectral change: over 20 ms, looked for within 20 ms on either side.
CHANGE_FRAMES, CHANGE_REACH = 4, 4  # of 5 ms


def refined(alignment: Alignment, samples: np.ndarray) -> Alignment:
    """The alignment with its boundaries moved; `samples`: the same recording, 16 kHz mono (n,)."""
    phones = alignment.phones
    ends = phone_ends(samples, [p.symbol for p in phones], np.array([p.end for p in phones]))
    times = iter([round(float(end), 4) for end in ends[:-1]] + [alignment.duration])
    clock = 0.0
    words: list[Word] = []
    for word in alignment.words:
        parts: list[Phone] = []
        for phone in word.phones:
            parts.append(replace(phone, start=clock, end=next(times)))
            clock = parts[-1].end
        moved = replace(word, start=parts[0].start, end=clock, phones=tuple(parts))
        words.append(moved)
    return replace(alignment, words=tuple(words))


def phone_ends(
    samples: np.ndarray,
    symbols: Sequence[str],
    ends: np.ndarray,
    weights: Mapping[str, np.ndarray] | None = None,
) -> np.ndarray:
    """The phones' ends moved to where the phones change, seconds, (n,); the last one stays.

    `samples`: 16 kHz mono; `symbols` with "sp" for pauses; `ends` in seconds, rising.
    """
    ends = np.asarray(ends, dtype=float)
    # Without room for every phone there is nothing to choose.
    if len(symbols) < 2 or ends[-1] < len(ends) * FRAME_SECONDS:
        return ends
    frames = features(samples)
    crossings = _crossings(posteriors(frames, weights), symbols, ends)
    moved = _to_change(frames, TRUST * crossings + (1 - TRUST) * ends[:-1])
    # Every phone keeps a length.
    count = np.arange(1, len(ends))
    moved = np.maximum.accumulate(np.maximum(moved, 0) - count * SHORTEST) + count * SHORTEST
    return np.append(np.minimum(moved, ends[-1] - SHORTEST * count[::-1]), ends[-1])


def _crossings(scores: np.ndarray, symbols: Sequence[str], ends: np.ndarray) -> np.ndarray:
    """Where the network hears the boundaries, seconds, (n - 1,); `ends` of the first aligner."""
    indices = np.array([INDEX[symbol.rstrip("012")] for symbol in symbols])
    firsts = _viterbi(scores, indices, np.round(ends[:-1] / FRAME_SECONDS).astype(int))
    if firsts is None:
        return ends[:-1]
    before = scores[firsts - 1, indices[:-1]] - scores[firsts - 1, indices[1:]]
    after = scores[firsts, indices[:-1]] - scores[firsts, indices[1:]]
    crosses = (before > 0) & (after < 0)
    share = np.where(crosses, before / np.where(crosses, before - after, 1.0), 0.5)
    return (firsts - 1 + share) * FRAME_SECONDS


def _to_change(frames: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Times (m,) moved to the centre of mass of the spectral change near them; frames (K, B)."""
    half = CHANGE_FRAMES // 2
    padded = np.pad(frames, ((half, half), (0, 0)), mode="edge")
    change = np.linalg.norm(padded[2 * half :] - padded[: len(frames)], axis=1)
    seconds = HOP / RATE
    places = np.round(times / seconds).astype(int)[:, None]
    places = np.clip(places + np.arange(-CHANGE_REACH, CHANGE_REACH + 1), 0, len(frames) - 1)
    weight = change[places]
    weight = weight - weight.min(axis=1, keepdims=True) + 1e-9
    return (weight * places).sum(axis=1) / weight.sum(axis=1) * seconds


def _viterbi(scores: np.ndarray, indices: np.ndarray, guesses: np.ndarray) -> np.ndarray | None:
    """The first frame of each phone but the first, (n - 1,); None when there is no way through.

    `scores` (T, symbols); `indices` (n,) of the phones' symbols; boundary k stays within REACH of
    frame guesses[k], and every phone has a frame. Only the phones within reach are looked at.
    """
    frames, phones = len(scores), len(indices)
    reach = round(REACH / FRAME_SECONDS)
    first, last = np.arange(1, phones), frames - np.arange(phones - 1, 0, -1)
    early = np.clip(np.maximum.accumulate(guesses - reach), first, last)
    late = np.clip(np.maximum.accumulate(guesses + reach), first, last)
    opens, closes = np.append(0, early), np.append(late, frames)
    low = np.searchsorted(closes, np.arange(frames), side="right")
    high = np.searchsorted(opens, np.arange(frames), side="right")
    entered = np.zeros((frames, int((high - low).max())), dtype=bool)
    total = np.full(phones + 1, -np.inf)  # of phone k at k + 1; nothing comes before the first
    total[1] = 0.0
    latest, expected = np.append(0, late), np.append(0, guesses)
    for t in range(frames):
        a, b = low[t], high[t]
        stays = total[a + 1 : b + 1]
        if t:
            away = LEAVING * np.abs(t - expected[a:b])
            enters = np.where(latest[a:b] >= t, total[a:b] - away, -np.inf)
            better = enters > stays
            entered[t, : b - a] = better
            stays = np.where(better, enters, stays)
        total[a + 1 : b + 1] = stays + scores[t, indices[a:b]]
        total[: a + 1] = -np.inf
    if not np.isfinite(total[-1]):
        return None
    firsts = np.zeros(phones - 1, dtype=int)
    phone = phones - 1
    for t in range(frames - 1, 0, -1):
        if entered[t, phone - low[t]]:
            firsts[phone - 1] = t
            phone -= 1
    return firsts if phone == 0 else None
