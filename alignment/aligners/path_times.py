"""The times of the phones on a best path: between frames, and at least some time apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np

from alignment.network.acoustics import Acoustics
from alignment.network.boundaries import Boundaries, changes, correct
from alignment.network.graph import FILLER, NOISE, REPEAT, SILENCE, WORD, Visit
from alignment.network.phone_network import FRAME_S, INDEX, SYMBOLS
from alignment.result import PAUSE, Alignment, Phone, Word, pause

SHORTEST_PHONE_S = 0.005
SHORTEST_PAUSE_S = 0.05  # a shorter one goes to its neighbours
CHANGE_SEARCH_FRAMES = 3  # frames of 5 ms on either side in which the spectral change is looked for
UNWRITTEN_NAMES = {SILENCE: "", FILLER: "<um>", REPEAT: "<repeat>", NOISE: "<noise>"}


def on_the_clock(
    visits: Sequence[Visit],
    words: Sequence[str],
    candidates: Sequence[Sequence[tuple[str, ...]]],
    sound: Acoustics,
    duration: float,
) -> Alignment:
    """Return the best path in seconds, boundaries refined, as words that cover [0, duration]."""
    visits, boundaries = boundaries_of(visits, sound, duration)
    moved = correct(boundaries, sound.frames, sound.scores, sound.second)
    edges = np.append(0.0, apart(np.append(moved, duration)))
    return Alignment(tuple(_words(visits, words, candidates, edges.round(4), duration)), duration)


def _words(
    visits: Sequence[Visit],
    words: Sequence[str],
    candidates: Sequence[Sequence[tuple[str, ...]]],
    edges: np.ndarray,
    duration: float,
) -> Iterator[Word]:
    edges[-1] = duration
    place = 0
    for _, part in groupby(visits, part_of):
        states = [visit.state for visit in part]
        state, stop = states[0], place + len(states)
        if state.kind == WORD:
            symbols = candidates[state.word][state.pronunciation]
            times = edges[place : stop + 1].tolist()
            phones = tuple(
                Phone(symbol, times[k], times[k + 1]) for k, symbol in enumerate(symbols)
            )
            yield Word(words[state.word], times[0], times[-1], 1.0, phones)
        else:
            start, end = float(edges[place]), float(edges[stop])
            yield pause(start, end, 1.0, UNWRITTEN_NAMES[state.kind])
        place = stop


def part_of(visit: Visit) -> tuple[int, int]:
    """Return the word that a visit belongs to, or the sound before a word."""
    return visit.state.kind, visit.state.word


def boundaries_of(
    visits: Sequence[Visit], sound: Acoustics, duration: float
) -> tuple[list[Visit], Boundaries]:
    """Return the visits that last, and the boundaries between them before they are corrected."""
    kept, starts = _kept(visits, _starts(visits, sound.scores), duration)
    crossings = starts[1:]
    times = changes(sound.frames, crossings, CHANGE_SEARCH_FRAMES) if len(crossings) else crossings
    return kept, Boundaries([_symbol(visit) for visit in kept], times, crossings, duration)


def _symbol(visit: Visit) -> str:
    """Return the phone that a visit is to; anything else counts as a pause."""
    return SYMBOLS[visit.state.symbol] if visit.state.symbol < len(SYMBOLS) else PAUSE


def _starts(visits: Sequence[Visit], scores: np.ndarray) -> np.ndarray:
    """Return each state's start in seconds, (m,): where the posteriors of two phones cross."""
    indices = np.array([INDEX[_symbol(visit)] for visit in visits])
    firsts = np.array([visit.start for visit in visits[1:]], dtype=int)
    if not len(firsts):
        return np.zeros(1)
    return np.append(0.0, crossed(scores, indices[:-1], indices[1:], firsts))


def _kept(
    visits: Sequence[Visit], starts: np.ndarray, duration: float
) -> tuple[list[Visit], np.ndarray]:
    """Drop pauses that are too short to be one."""
    starts = starts.copy()
    ends = np.append(starts[1:], duration)
    kept: list[int] = []
    for place, visit in enumerate(visits):
        length = float(ends[place] - starts[place])
        inside = 0 < place < len(visits) - 1
        if visit.state.kind == SILENCE and length < SHORTEST_PAUSE_S and len(visits) > 1:
            if inside:
                starts[place + 1] -= length / 2
            elif place == 0:
                starts[1] = 0.0
            continue
        kept.append(place)
    return [visits[place] for place in kept], starts[kept]


def crossed(
    scores: np.ndarray, left: np.ndarray, right: np.ndarray, firsts: np.ndarray
) -> np.ndarray:
    """Return the seconds at which symbols `left` give way to `right`, just before `firsts`.

    `firsts`: frames.
    """
    before = scores[firsts - 1, left] - scores[firsts - 1, right]
    after = scores[firsts, left] - scores[firsts, right]
    crosses = (before > 0) & (after < 0)
    share = np.where(crosses, before / np.where(crosses, before - after, 1.0), 0.5)
    return (firsts - 1 + share) * FRAME_S


def apart(ends: np.ndarray) -> np.ndarray:
    """Move rising ends apart by at least SHORTEST_PHONE_S; the last one stays."""
    count = np.arange(1, len(ends))
    if not len(count):
        return ends
    moved = (
        np.maximum.accumulate(np.maximum(ends[:-1], 0) - count * SHORTEST_PHONE_S)
        + count * SHORTEST_PHONE_S
    )
    return np.append(np.minimum(moved, ends[-1] - SHORTEST_PHONE_S * count[::-1]), ends[-1])
