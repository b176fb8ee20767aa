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
from dataclasses import dataclass, replace

import numpy as np

from alignment.phone_net import FRAME_SECONDS, HOP, INDEX, RATE, features, posteriors
from alignment.records import PAUSE, Alignment, Phone, Word, pause

REACH = 1.0  # seconds that a boundary can move, at most
LEAVING = 0.4  # logarithm lost for each frame that a boundary moves
SHORTEST = 0.005  # seconds of a phone
SHORTEST_PAUSE = 0.05  # seconds of a pause that the first aligner did not find

# Where both aligners are this far apart, in seconds, one of them is lost: in noise, the first.
APART = 0.05

TRUST = 0.5  # of the mean of both aligners, the network's share

# The spectral change: over 20 ms, looked for within 20 ms on either side.
CHANGE_FRAMES, CHANGE_REACH = 4, 4  # of 5 ms


@dataclass(frozen=True, slots=True)
class _State:
    """A phone or pause, where the first aligner lets it begin (seconds), whether it can be left
    out, and whether the first aligner has it."""

    phone: Phone
    start: float
    optional: bool
    known: bool


def refined(alignment: Alignment, samples: np.ndarray) -> Alignment:
    """The alignment with its boundaries moved, and pauses found or dropped between its words.

    `samples`: the same recording, 16 kHz mono (n,). Words, phones and scores stay.
    """
    states, owners = _states(alignment)
    frames = features(samples)
    scores = posteriors(frames)
    starts = _starts(scores, states)
    if starts is None:
        return alignment
    kept = [k for k, start in enumerate(starts) if start >= 0]
    # A pause too short to be one goes to its neighbours, half and half.
    ends = np.append(starts[kept[1:]], alignment.duration)
    for place, k in reversed(list(enumerate(kept))):
        length = ends[place] - starts[k]
        if owners[k] < 0 and not states[k].known and length < SHORTEST_PAUSE:
            if 0 < place < len(kept) - 1:
                starts[kept[place + 1]] -= length / 2
            elif place == 0 and len(kept) > 1:
                starts[kept[1]] = 0.0
            starts[k] = -1.0
    kept = [k for k, start in enumerate(starts) if start >= 0]
    before = [states[k].start for k in kept[1:]]
    familiar = [states[k].known and states[j].known for j, k in zip(kept, kept[1:], strict=False)]
    moved = _settled(frames, starts[kept[1:]], np.array(before), np.array(familiar, dtype=bool))
    ends = _apart(np.append(moved, alignment.duration))
    return _rebuilt(alignment, [(states[k], owners[k]) for k in kept], ends, scores)


def _states(alignment: Alignment) -> tuple[list[_State], list[int]]:
    """All phones with an optional pause before, between and after the words; whose they are."""
    states: list[_State] = []
    owners: list[int] = []

    def add(phone: Phone, start: float, owner: int, known: bool) -> None:
        states.append(_State(phone, start, owner < 0, known))
        owners.append(owner)

    for number, word in enumerate(alignment.words):
        if word.is_pause:
            add(word.phones[0], word.start, -1, True)
            continue
        if not owners or owners[-1] >= 0:
            add(Phone(PAUSE, word.start, word.start), word.start, -1, False)
        for phone in word.phones:
            add(phone, phone.start, number, True)
    if owners and owners[-1] >= 0:
        end = alignment.duration
        add(Phone(PAUSE, end, end), end, -1, False)
    return states, owners


def _starts(scores: np.ndarray, states: Sequence[_State]) -> np.ndarray | None:
    """Where the network hears each state begin, seconds; -1 for one that is left out."""
    indices = np.array([INDEX[state.phone.symbol.rstrip("012")] for state in states])
    guesses = np.array([state.start for state in states]) / FRAME_SECONDS
    optional = np.array([state.optional for state in states])
    path = _viterbi(scores, indices, np.round(guesses).astype(int), optional)
    if path is None:
        return None
    changes = np.flatnonzero(np.diff(path)) + 1
    starts = np.full(len(states), -1.0)
    starts[path[0]] = 0.0
    starts[path[changes]] = _crossed(
        scores, indices[path[changes - 1]], indices[path[changes]], changes
    )
    return starts


def _crossed(
    scores: np.ndarray, left: np.ndarray, right: np.ndarray, firsts: np.ndarray
) -> np.ndarray:
    """Seconds at which symbols `left` give way to `right`, just before the frames `firsts`."""
    before = scores[firsts - 1, left] - scores[firsts - 1, right]
    after = scores[firsts, left] - scores[firsts, right]
    crosses = (before > 0) & (after < 0)
    share = np.where(crosses, before / np.where(crosses, before - after, 1.0), 0.5)
    return (firsts - 1 + share) * FRAME_SECONDS


def _settled(
    frames: np.ndarray, found: np.ndarray, first: np.ndarray, familiar: np.ndarray
) -> np.ndarray:
    """Boundaries of the network and of the first aligner, seconds, (m,), made one."""
    together = familiar & (np.abs(found - first) <= APART)
    return _to_change(frames, np.where(together, TRUST * found + (1 - TRUST) * first, found))


def _apart(ends: np.ndarray) -> np.ndarray:
    """Rising ends with at least SHORTEST between them; the last one stays."""
    count = np.arange(1, len(ends))
    if not len(count):
        return ends
    moved = np.maximum.accumulate(np.maximum(ends[:-1], 0) - count * SHORTEST) + count * SHORTEST
    return np.append(np.minimum(moved, ends[-1] - SHORTEST * count[::-1]), ends[-1])


def _rebuilt(
    alignment: Alignment,
    kept: Sequence[tuple[_State, int]],
    ends: np.ndarray,
    scores: np.ndarray,
) -> Alignment:
    words: list[Word] = []
    parts: list[Phone] = []
    clock = 0.0
    for place, ((state, owner), end) in enumerate(zip(kept, ends, strict=True)):
        last = place == len(kept) - 1
        stop = alignment.duration if last else round(float(end), 4)
        if owner < 0:
            score = state.phone.score if state.known else _quiet(scores, clock, stop)
            words.append(pause(clock, stop, score))
        else:
            parts.append(replace(state.phone, start=clock, end=stop))
            if last or kept[place + 1][1] != owner:
                word, phones = alignment.words[owner], tuple(parts)
                words.append(replace(word, start=phones[0].start, end=stop, phones=phones))
                parts = []
        clock = stop
    return replace(alignment, words=tuple(words))


def _quiet(scores: np.ndarray, start: float, end: float) -> float:
    """How sure the network is of a pause: the mean posterior, 0..1."""
    first = min(round(start / FRAME_SECONDS), len(scores) - 1)
    inside = scores[first : max(round(end / FRAME_SECONDS), first + 1), INDEX[PAUSE]]
    return round(float(np.exp(inside).mean()), 4)


def phone_ends(
    samples: np.ndarray,
    symbols: Sequence[str],
    ends: np.ndarray,
    weights: Mapping[str, np.ndarray] | None = None,
) -> np.ndarray:
    """The ends of the same phones and pauses, moved, seconds, (n,); the last one stays.

    `samples`: 16 kHz mono; `symbols` with "sp" for pauses; `ends` in seconds, rising. For
    phone_training, which labels its recordings anew with the `weights` that it has so far.
    """
    ends = np.asarray(ends, dtype=float)
    # Without room for every phone there is nothing to choose.
    if len(symbols) < 2 or ends[-1] < len(ends) * FRAME_SECONDS:
        return ends
    frames = features(samples)
    edges = np.append(0.0, ends[:-1])
    states = [
        _State(Phone(symbol, edge, edge), float(edge), False, True)
        for symbol, edge in zip(symbols, edges, strict=True)
    ]
    starts = _starts(posteriors(frames, weights), states)
    if starts is None:
        return ends
    familiar = np.ones(len(ends) - 1, dtype=bool)
    return _apart(np.append(_settled(frames, starts[1:], ends[:-1], familiar), ends[-1]))


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


def _viterbi(
    scores: np.ndarray, indices: np.ndarray, guesses: np.ndarray, optional: np.ndarray
) -> np.ndarray | None:
    """The state of each frame, (T,), on the best path; None when there is no way through.

    `scores` (T, symbols); for each of n states its symbol, the frame where it probably begins
    (rising), and whether the path may pass it by. A state begins within REACH of its guess and
    loses LEAVING for each frame in between; only the states within reach are looked at.
    """
    frames, states = len(scores), len(indices)
    reach = round(REACH / FRAME_SECONDS)
    opens = np.maximum(guesses - reach, 0)
    closes = np.append(guesses[1:] + reach, frames)
    low = np.minimum(np.searchsorted(closes, np.arange(frames), side="right"), states - 1)
    high = np.searchsorted(opens, np.arange(frames), side="right")
    steps = np.zeros((frames, int((high - low).max())), dtype=np.uint8)
    passable = np.append(False, optional[:-1])
    # The total of state j stands at j + 2; nothing comes before the first.
    total = np.full(states + 2, -np.inf)
    total[2] = scores[0, indices[0]]
    if optional[0] and states > 1:
        total[3] = scores[0, indices[1]]
    for t in range(1, frames):
        a, b = low[t], high[t]
        away = LEAVING * np.abs(t - guesses[a:b])
        best = total[a + 2 : b + 2]
        step = np.zeros(b - a, dtype=np.uint8)
        passes = np.where(passable[a:b], total[a:b], -np.inf)
        for back, source in ((1, total[a + 1 : b + 1]), (2, passes)):
            entered = source - away
            better = entered > best
            best = np.where(better, entered, best)
            step[better] = back
        steps[t, : b - a] = step
        total[a + 2 : b + 2] = best + scores[t, indices[a:b]]
        total[: a + 2] = -np.inf
    state = states - 1
    if optional[-1] and total[-2] > total[-1]:
        state -= 1
    if not np.isfinite(total[state + 2]):
        return None
    path = np.zeros(frames, dtype=int)
    for t in range(frames - 1, -1, -1):
        path[t] = state
        if t:
            state -= int(steps[t, state - low[t]])
    return path
