"""Boundaries refined: more precise and more robust than PocketSphinx's on its 10 ms grid.

The phones that PocketSphinx found are laid over the log posteriors of alignment.network by a
Viterbi search near the first boundaries; between two frames a boundary stands where the posteriors
of its two phones cross. The mean of both aligners' boundaries moves to the centre of the spectral
change within 15 ms, and from there by what alignment.network.boundaries says.

Each step was chosen by measurement on flite's voices (evaluation.hearing.boundary_errors).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from alignment.network.boundaries import Boundaries, changes, correct
from alignment.network.phone_network import FRAME_SECONDS, INDEX, Weights, features, posteriors
from alignment.network.search import best_path
from alignment.result import PAUSE, Alignment, Phone, Word, pause

REACH = 1.0  # seconds that a boundary can move, at most
LEAVING = 0.4  # logarithm lost for each frame that a boundary moves
SHORTEST = 0.005  # seconds of a phone
# Seconds of a pause that no first aligner found; a shorter one goes to its neighbours.
SHORTEST_PAUSE = 0.05

LONGEST_ALONE = 60.0  # seconds that the network searches without a first aligner

# Where the aligners are this far apart, in seconds, one of them is lost: in noise, PocketSphinx.
APART = 0.05

TRUST = 0.5  # of the mean of both aligners, the network's share

CHANGE_REACH = 3  # frames of 5 ms on either side in which the spectral change is looked for


@dataclass(frozen=True, slots=True)
class Acoustics:
    """What the network is given and says: `frames` (K, BANDS), log posteriors `scores` (T, 40)."""

    frames: np.ndarray
    scores: np.ndarray

    @classmethod
    def of(cls, samples: np.ndarray, weights: Weights | None = None) -> Acoustics:
        """`samples`: 16 kHz mono, (n,); `weights` of alignment.network.phone_network."""
        frames = features(samples)
        return cls(frames, posteriors(frames, weights))


@dataclass(frozen=True, slots=True)
class _State:
    """A phone or pause, where the first aligner lets it begin (seconds), whether it can be left
    out, and whether the first aligner has it."""

    phone: Phone
    start: float
    optional: bool
    known: bool


def refine(alignment: Alignment, sound: Acoustics) -> Alignment:
    """The alignment with its boundaries moved, and pauses found or dropped between its words.

    `sound`: the same recording. Words, phones and scores stay.
    """
    states, owners = _states(alignment)
    starts = _starts(sound.scores, states)
    return alignment if starts is None else _moved(alignment, sound, states, owners, starts)


def align_by_network(
    words: Sequence[str], phones: Sequence[Sequence[str]], duration: float, sound: Acoustics
) -> Alignment | None:
    """The words (each with its phones) found by the network alone; all scores 1.

    For recordings in which the first aligner finds no way. None when there is no room for the
    words, or more sound than can be searched at once.
    """
    count = sum(len(part) for part in phones)
    if duration > LONGEST_ALONE or not 0 < count <= len(sound.scores):
        return None
    edges = np.linspace(0.0, duration, count + 1)
    result: list[Word] = []
    at = 0
    for text, part in zip(words, phones, strict=True):
        spread = tuple(
            Phone(symbol, float(edges[at + k]), float(edges[at + k + 1]))
            for k, symbol in enumerate(part)
        )
        result.append(Word(text, spread[0].start, spread[-1].end, 1.0, spread))
        at += len(part)
    alignment = Alignment(tuple(result), duration)
    states, owners = _states(alignment)
    # No first aligner: the even spread is no guess to hold on to or to average with.
    states = [replace(state, known=False) for state in states]
    starts = _starts(sound.scores, states, reach=duration, leaving=0.0)
    return None if starts is None else _moved(alignment, sound, states, owners, starts)


def boundaries_of(alignment: Alignment, sound: Acoustics) -> Boundaries | None:
    """Both aligners' boundaries before they are corrected: what train_boundaries learns from."""
    states, _ = _states(alignment)
    starts = _starts(sound.scores, states)
    if starts is None:
        return None
    return _boundaries(sound, states, _kept(states, starts, alignment.duration), alignment.duration)


def _moved(
    alignment: Alignment,
    sound: Acoustics,
    states: Sequence[_State],
    owners: Sequence[int],
    starts: np.ndarray,
) -> Alignment:
    """The alignment with its states at the network's `starts`, cleaned, settled and corrected."""
    kept = _kept(states, starts, alignment.duration)
    boundaries = _boundaries(sound, states, kept, alignment.duration)
    times = correct(boundaries, sound.frames, sound.scores)
    ends = apart(np.append(times, alignment.duration))
    parts = [(states[k], owners[k]) for k, _ in kept]
    return _rebuilt(alignment, parts, ends, sound.scores)


def _kept(states: Sequence[_State], starts: np.ndarray, duration: float) -> list[tuple[int, float]]:
    """The states that are not left out, each with its start, seconds.

    A pause too short to be one goes to its neighbours, half and half.
    """
    starts = starts.copy()
    kept = [k for k, start in enumerate(starts) if start >= 0]
    ends = np.append(starts[kept[1:]], duration)
    for place, k in reversed(list(enumerate(kept))):
        length = ends[place] - starts[k]
        if states[k].optional and not states[k].known and length < SHORTEST_PAUSE:
            if 0 < place < len(kept) - 1:
                starts[kept[place + 1]] -= length / 2
            elif place == 0 and len(kept) > 1:
                starts[kept[1]] = 0.0
            starts[k] = -1.0
    return [(k, float(start)) for k, start in enumerate(starts) if start >= 0]


def _boundaries(
    sound: Acoustics, states: Sequence[_State], kept: Sequence[tuple[int, float]], duration: float
) -> Boundaries:
    """The boundaries between the states that are kept, both aligners' made one."""
    found = np.array([start for _, start in kept[1:]])
    first = np.array([states[k].start for k, _ in kept[1:]])
    known = np.array([states[k].known for k, _ in kept], dtype=bool)
    times = _settled(sound.frames, found, first, known[:-1] & known[1:])
    # Without a first aligner its times are the network's.
    first = first if known.any() else times
    symbols = [states[k].phone.symbol for k, _ in kept]
    return Boundaries(symbols, times, found, first, duration)


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


def _starts(
    scores: np.ndarray,
    states: Sequence[_State],
    reach: float | None = None,
    leaving: float | None = None,
) -> np.ndarray | None:
    """Where the network hears each state begin, seconds; -1 for one that is left out."""
    indices = np.array([INDEX[state.phone.symbol.rstrip("012")] for state in states])
    guesses = np.array([state.start for state in states]) / FRAME_SECONDS
    optional = np.array([state.optional for state in states])
    path = best_path(
        scores,
        indices,
        np.round(guesses).astype(int),
        optional,
        round((REACH if reach is None else reach) / FRAME_SECONDS),
        LEAVING if leaving is None else leaving,
    )
    if path is None:
        return None
    changes = np.flatnonzero(np.diff(path)) + 1
    starts = np.full(len(states), -1.0)
    starts[path[0]] = 0.0
    starts[path[changes]] = crossed(
        scores, indices[path[changes - 1]], indices[path[changes]], changes
    )
    return starts


def crossed(
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
    mean = np.where(together, TRUST * found + (1 - TRUST) * first, found)
    return changes(frames, mean, CHANGE_REACH)


def apart(ends: np.ndarray) -> np.ndarray:
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
