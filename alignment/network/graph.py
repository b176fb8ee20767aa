"""All ways to say a text as one graph, and the best path through it.

Words in their order, each by any of its pronunciations. Between them, if the sound asks for it: a
pause, a filled pause ("um"), the last words again, a start of the next word that is broken off, or
anything else. So what nobody wrote has a place of its own and doesn't move its neighbours.

States for speech that the text lacks between two words, and their costs.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from alignment.arpabet import strip_stress
from alignment.network.phone_network import INDEX, SYMBOLS
from alignment.result import PAUSE

Pronunciation = Sequence[str]
"""ARPAbet with or without stress."""

# "uh", "er", "ah", "eh", each also with a nasal: "um", "erm"; and "mm" and "hm".
FILLER_VOWELS, FILLER_NASALS = ("AH", "ER", "AA", "EH"), ("M", "N")
FILLERS_WITHOUT_VOWEL = (("M",), ("HH", "M"))
# Who hesitates holds a sound, and it is now this vowel and now that one to the network.
HELD_VOWELS = ("AA", "AE", "AH", "AO", "EH", "ER", "UH")
HELD_NASALS = ("M", "N", "NG")
HELD_VOWEL_FRAMES, HELD_NASAL_FRAMES = 12, 5  # frames at least
WORD, SILENCE, FILLER, REPEAT, NOISE = range(5)
"""The kinds of part that a state belongs to."""
# Frames that each phone lasts at least. A word could else be squeezed into a few frames of noise,
# and be heard where it is spoken as a repetition of itself.
MIN_PHONE_FRAMES = 3
# The columns of "anything else", any vowel and any nasal.
_ANYTHING, _VOWEL, _NASAL = range(len(SYMBOLS), len(SYMBOLS) + 3)
_NOWHERE = -1


class Costs(NamedTuple):
    """Nats that it costs to enter what nobody wrote; what costs infinitely much is not searched.

    ``noise_frame``: by which each frame of "anything else" lies below its likeliest phone. Chosen
    on planted sounds in clips that nothing is reported of. "Anything else" costs most: were it
    cheap, a word that is said twice would be a noise, and then the word.

    held: a hesitation that may go from one vowel to another, and end in any nasal. joined: in
    addition, unless there is silence on both sides. late: in addition for a word that is broken off
    beyond its first half, or one that is said twice would be a start and then the word.
    """

    filler: float = 18.0
    repeat: float = 14.0
    broken: float = 18.0
    noise: float = 40.0
    noise_frame: float = 1.1
    held: float = np.inf
    joined: float = 0.0
    late: float = 0.0


NOTHING_UNWRITTEN = Costs(np.inf, np.inf, np.inf, np.inf)


def again(latest: Sequence[Sequence[Pronunciation]]) -> Iterator[tuple[int, Pronunciation]]:
    """Yield the ways to repeat the last word, each with its number from 1, or (0) the last two."""
    if latest:
        yield from enumerate(latest[-1], 1)
    if len(latest) > 1:
        yield 0, [phone for word in latest for phone in word[0]]


def starts(following: Sequence[Pronunciation]) -> dict[Pronunciation, list[Pronunciation]]:
    """Return the first halves of the next word, after which it is broken off, with their rests."""
    result: dict[Pronunciation, list[Pronunciation]] = {}
    for broken in dict.fromkeys(tuple(phones[:-1]) for phones in following if len(phones) > 1):
        middle = len(broken) // 2 + 1
        rests = result.setdefault(broken[:middle], [])
        if broken[middle:]:
            rests.append(broken[middle:])
    return result


class State(NamedTuple):
    """A phone of word ``word`` (by numbers), or of what stands before that word, by its ``kind``.

    Of a repetition of that one word ``pronunciation`` is which of them, from 1; of others it is 0.
    """

    kind: int
    symbol: int
    word: int
    pronunciation: int = 0
    phone: int = 0


class Visit(NamedTuple):
    """A state of the best path, in frames [start, stop)."""

    state: State
    start: int
    stop: int


@dataclass(slots=True)
class Graph:
    """States, the ``frames`` that each lasts at least, and how it is entered.

    The first of a chain is entered from a group of states at the cost ``entry``, the others from
    the state before them.
    """

    states: list[State] = field(default_factory=list)
    frames: list[int] = field(default_factory=list)
    group: list[int] = field(default_factory=list)
    entry: list[float] = field(default_factory=list)
    groups: list[list[int]] = field(default_factory=list)
    openings: list[int] = field(default_factory=list)  # groups from which the text can begin
    closing: int = _NOWHERE  # the group in which it can end
    costs: Costs = field(default_factory=Costs)
    before_words: Mapping[int, Costs] = field(default_factory=dict)
    shortest: int = MIN_PHONE_FRAMES
    step: int = 1

    @classmethod
    def of(
        cls,
        words: Sequence[Sequence[Pronunciation]],
        costs: Costs | None = None,
        shortest: int = MIN_PHONE_FRAMES,
        before_words: Mapping[int, Costs] | None = None,
        held: Container[int] = (),
        step: int = 1,
    ) -> Graph:
        """Build the graph of words, each with at least one pronunciation of at least one phone.

        ``shortest``: how many frames a phone lasts at least; ``before_words``: what it costs before
        some of the words, by their numbers, instead of ``costs``; ``held``: the words that are
        hesitations, with any vowel and any nasal for their own; ``step``: how many frames of the
        network one frame here is the sum of.
        """
        graph = cls(
            costs=costs or Costs(), before_words=before_words or {}, shortest=shortest, step=step
        )
        ends: list[int] = []  # of the word before
        for number in range(len(words) + 1):
            following = words[number] if number < len(words) else ()
            ready = graph._between(number, ends, words, following)
            if number == 0:
                graph.openings.append(ready)
            if number == len(words):
                graph.closing = ready
                break
            ends = [
                graph._chain(WORD, number, phones, ready, 0.0, pronunciation, number in held)[-1]
                for pronunciation, phones in enumerate(following)
            ]
        return graph

    def _between(
        self,
        number: int,
        ends: list[int],
        words: Sequence[Sequence[Pronunciation]],
        following: Sequence[Pronunciation],
    ) -> int:
        """Add what can stand before word `number`; returns the group from which it is entered."""
        costs = self.before_words.get(number, self.costs)
        said = self._group(ends)
        silence = self._phone(State(SILENCE, INDEX[PAUSE], number), 1, said)
        here = self._group([*ends, silence])
        if number == 0:
            self.openings += [said, here]
        latest = words[max(number - 2, 0) : number]
        over = self._unwritten(number, here, costs, costs.joined, latest, following)
        apart: list[int] = []
        if costs.joined:
            apart = self._unwritten(number, self._group([silence]), costs, 0.0, latest, following)
        left = self._group([*over, *apart])
        rest = self._phone(State(SILENCE, INDEX[PAUSE], number), 1, left)
        for state in (*over, *apart):  # sentences that nobody wrote have pauses between them
            if self.states[state].kind == NOISE:
                self.group[state] = self._group([*self.groups[self.group[state]], rest])
        return self._group([*ends, silence, *over, rest])

    def _unwritten(
        self,
        number: int,
        group: int,
        costs: Costs,
        more: float,
        latest: Sequence[Sequence[Pronunciation]],
        following: Sequence[Pronunciation],
    ) -> list[int]:
        """Add all unwritten sounds before word ``number``, at ``more`` cost; return their ends."""
        over: list[int] = []
        if np.isfinite(costs.filler):
            over += self._fillers(number, group, -costs.filler - more)
        if np.isfinite(costs.held):
            over += self._held(number, group, -costs.held - more)
        if np.isfinite(costs.repeat):
            for way, said in again(latest):
                cost = -costs.repeat - more
                over.append(self._chain(REPEAT, number, said, group, cost, way)[-1])
        if np.isfinite(costs.broken):
            for half, rests in starts(following).items():
                begun = self._chain(REPEAT, number, half, group, -costs.broken - more)
                over += begun
                for rest in rests:
                    over += self._chain(REPEAT, number, rest, self._group(begun[-1:]), -costs.late)
        if np.isfinite(costs.noise):
            noise = State(NOISE, _ANYTHING, number)
            over.append(self._phone(noise, 1, group, -costs.noise - more))
        return over

    def _fillers(self, number: int, group: int, cost: float) -> list[int]:
        """Add a filled pause in all its forms, which share their vowels; return its last states."""
        ends = [self._chain(FILLER, number, (v,), group, cost)[-1] for v in FILLER_VOWELS]
        vowel = self._group(ends)
        for nasal in FILLER_NASALS:
            state = State(FILLER, INDEX[nasal], number, phone=1)
            ends.append(self._phone(state, self.shortest, vowel))
        for phones in FILLERS_WITHOUT_VOWEL:
            ends.append(self._chain(FILLER, number, phones, group, cost)[-1])
        return ends

    def _chain(
        self,
        kind: int,
        number: int,
        phones: Pronunciation,
        group: int,
        cost: float,
        pronunciation: int = 0,
        held: bool = False,
    ) -> list[int]:
        """Add a state for each phone; return them."""
        result: list[int] = []
        for place, phone in enumerate(phones):
            bare = strip_stress(phone)
            symbol = INDEX[bare]
            if held:
                symbol = (
                    _VOWEL if bare in HELD_VOWELS else _NASAL if bare in HELD_NASALS else symbol
                )
            state = State(kind, symbol, number, pronunciation, place)
            entered = (_NOWHERE, 0.0) if place else (group, cost)
            result.append(self._phone(state, self.shortest, *entered))
        return result

    def _held(self, number: int, group: int, cost: float) -> list[int]:
        """Add a vowel, a nasal after it, and a nasal alone, each held; return these states."""
        vowel, nasal = (State(FILLER, symbol, number) for symbol in (_VOWEL, _NASAL))
        longer, shorter = (
            math.ceil(frames / self.step) for frames in (HELD_VOWEL_FRAMES, HELD_NASAL_FRAMES)
        )
        return [
            self._phone(vowel, longer, group, cost),
            self._phone(nasal._replace(phone=1), shorter),
            self._phone(nasal, longer, group, cost),
        ]

    def _phone(self, state: State, frames: int, group: int = _NOWHERE, cost: float = 0.0) -> int:
        """Add a phone; without a ``group`` it is entered from the state before it."""
        self.states.append(state)
        self.frames.append(frames)
        self.group.append(group)
        self.entry.append(cost)
        return len(self.states) - 1

    def _group(self, members: Iterable[int]) -> int:
        self.groups.append(list(members))
        return len(self.groups) - 1

    def best_path(self, scores: np.ndarray) -> list[Visit] | None:
        """Return the likeliest way to say the text by phones; None with too few frames.

        ``scores``: log posteriors (T, 40).
        """
        totals, moved = self._totals(scores)
        column = {member: place for place, member in enumerate(self._sources())}
        starts, ends = (each.tolist() for each in self._places())

        def likeliest(group: int, t: int) -> int:
            return max(self.groups[group], key=lambda member: totals[t, column[member]])

        state = likeliest(self.closing, -1)
        if not np.isfinite(totals[-1, column[state]]):
            return None
        result: list[Visit] = []
        place, stop = ends[state], len(scores)
        for t in range(len(scores) - 1, 0, -1):
            if not moved[t, place]:
                continue
            if place > starts[state]:
                place -= 1
                continue
            result.append(Visit(self.states[state], t, stop))
            group = self.group[state]
            state = state - 1 if group == _NOWHERE else likeliest(group, t - 1)
            place, stop = ends[state], t
        result.append(Visit(self.states[state], 0, stop))
        return result[::-1]

    def _sources(self) -> list[int]:
        """Return the states from which a group is entered: few of all."""
        return sorted({member for members in self.groups for member in members})

    def _places(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the first and last place of each state: one for each frame that it must last."""
        stops = np.cumsum(self.frames)
        return stops - self.frames, stops - 1

    def _totals(self, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the best totals of `_sources` by frame, (T, m), and where paths move on, (T, n).

        The latter says whether the best path to each place enters it in that frame.
        """
        starts, ends = self._places()
        count = int(ends[-1]) + 1
        symbols = np.repeat([state.symbol for state in self.states], self.frames)
        anything = np.delete(scores, INDEX[PAUSE], axis=1).max(axis=1, keepdims=True)
        held = [
            scores[:, [INDEX[symbol] for symbol in each]].max(axis=1, keepdims=True)
            for each in (HELD_VOWELS, HELD_NASALS)
        ]
        columns = np.concatenate(
            [scores, anything - self.step * self.costs.noise_frame, *held], axis=1
        )
        columns = columns.astype(np.float32)
        # The total of nowhere stands last: nothing comes from there.
        ends = np.append(ends, count)
        members = [each or [_NOWHERE] for each in self.groups]
        offsets = np.cumsum([0, *map(len, members)])[:-1]
        sources = ends[np.concatenate(members)]
        group, entry = np.array(self.group), np.array(self.entry, np.float32)
        chains = np.flatnonzero(group != _NOWHERE)  # what else there is follows another state
        first, group, entry = starts[chains], group[chains], entry[chains]
        kept = ends[self._sources()]
        totals = np.full((len(scores), len(kept)), -np.inf, np.float32)
        moved = np.zeros((len(scores), count), bool)
        last = np.full(count + 1, -np.inf, np.float32)
        opening = np.isin(group, self.openings)
        last[first[opening]] = entry[opening] + columns[0][symbols[first[opening]]]
        totals[0] = last[kept]
        best = last[:-1]
        entering = np.empty(count, np.float32)
        for t in range(1, len(scores)):
            entering[1:] = best[:-1]
            entering[first] = np.maximum.reduceat(last[sources], offsets)[group] + entry
            np.greater(entering, best, out=moved[t])
            np.maximum(best, entering, out=best)
            best += columns[t][symbols]
            totals[t] = last[kept]
        return totals, moved
