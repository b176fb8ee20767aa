"""Every way in which a text can be said, as one graph, and the best path through it.

Words in their order, each by any of its pronunciations. Between them, if the sound asks for it: a
pause, a filled pause ("um"), the last words again, a start of the next word that is broken off, or
anything else. So what nobody wrote has a place of its own and doesn't move its neighbours.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from alignment.network.phone_network import INDEX, SYMBOLS
from alignment.result import PAUSE

Pronunciation = Sequence[str]
"""ARPAbet with or without stress."""

WORD, SILENCE, FILLER, REPEAT, NOISE = range(5)
"""What a state belongs to."""

# "uh", "um", "er", "erm", "mm", "hm", "ah", "eh", and as they sound where the nasal isn't an M.
FILLERS = (
    ("AH",), ("AH", "M"), ("AH", "N"), ("ER",), ("ER", "M"), ("ER", "N"), ("M",), ("HH", "M"),
    ("AA",), ("AA", "M"), ("EH",), ("EH", "M"), ("EH", "N"),
)  # fmt: skip
# Who hesitates holds a sound, and it is now this vowel and now that one to the network.
VOWELS = ("AA", "AE", "AH", "AO", "EH", "ER", "UH")
NASALS = ("M", "N", "NG")
HELD_VOWEL, HELD_NASAL = 12, 5  # frames at least


class Costs(NamedTuple):
    """Nats that it costs to enter what nobody wrote, and by which each frame of "anything else"
    lies below its likeliest phone. Chosen on planted sounds in clips that nothing is reported of.

    "Anything else" costs most: were it cheap, a word that is said twice would be a noise, and then
    the word. held: a hesitation that may go from one vowel to another, and end in any nasal; not
    looked for unless it is finite. joined: in addition, unless there is silence on both sides."""

    filler: float = 18.0
    repeat: float = 14.0
    broken: float = 18.0
    noise: float = 40.0
    noise_frame: float = 1.1
    held: float = np.inf
    joined: float = 0.0


NOTHING_UNWRITTEN = Costs(1e6, 1e6, 1e6, 1e6, 0.0)

# Frames that each phone lasts at least. A word could else be squeezed into a few frames of noise,
# and be heard where it is spoken as a repetition of itself.
SHORTEST = 3


class State(NamedTuple):
    """A phone of word `word` (by numbers), or of what stands before that word, by its `kind`. Of a
    repetition of that one word `pronunciation` is which of them, from 1; of others it is 0."""

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


def _again(latest: Sequence[Sequence[Pronunciation]]) -> Iterator[tuple[int, Pronunciation]]:
    """How the last word can be said again, each way with its number from 1, or (0) the last two."""
    if latest:
        yield from enumerate(latest[-1], 1)
    if len(latest) > 1:
        yield 0, [phone for word in latest for phone in word[0]]


# The columns of "anything else", any vowel and any nasal.
_ANYTHING, _VOWEL, _NASAL = range(len(SYMBOLS), len(SYMBOLS) + 3)
_NOWHERE = -1


@dataclass(slots=True)
class Graph:
    """States with how each is entered: from the one before it in its chain, or from a group of
    states at what `entry` says that it costs."""

    states: list[State] = field(default_factory=list)
    before: list[int] = field(default_factory=list)
    group: list[int] = field(default_factory=list)
    entry: list[float] = field(default_factory=list)
    groups: list[list[int]] = field(default_factory=list)
    openings: list[int] = field(default_factory=list)  # groups from which the text can begin
    closing: int = _NOWHERE  # the group in which it can end
    costs: Costs = field(default_factory=Costs)
    before_words: Mapping[int, Costs] = field(default_factory=dict)
    shortest: int = SHORTEST

    @classmethod
    def of(
        cls,
        words: Sequence[Sequence[Pronunciation]],
        costs: Costs | None = None,
        shortest: int = SHORTEST,
        before_words: Mapping[int, Costs] | None = None,
        held: Container[int] = (),
    ) -> Graph:
        """`words`: each with its pronunciations, at least one of at least one phone; `shortest`:
        how many frames a phone lasts at least; `before_words`: what it costs before some of the
        words, by their numbers, instead of `costs`; `held`: the words that are hesitations, with
        any vowel and any nasal for their own."""
        graph = cls(costs=costs or Costs(), before_words=before_words or {}, shortest=shortest)
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
        """What can stand before word `number`; the group from which that word is entered."""
        costs = self.before_words.get(number, self.costs)
        said = self._group(ends)
        silence = self._state(State(SILENCE, INDEX[PAUSE], number), _NOWHERE, said, 0.0)
        here = self._group([*ends, silence])
        if number == 0:
            self.openings += [said, here]
        latest = words[max(number - 2, 0) : number]
        over = self._unwritten(number, here, costs, costs.joined, latest, following)
        apart: list[int] = []
        if costs.joined:
            apart = self._unwritten(number, self._group([silence]), costs, 0.0, latest, following)
        left = self._group([*over, *apart])
        rest = self._state(State(SILENCE, INDEX[PAUSE], number), _NOWHERE, left, 0.0)
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
        """The last states of all that nobody wrote before word `number`, each at `more` cost."""
        over: list[int] = []
        for phones in FILLERS:
            over.append(self._chain(FILLER, number, phones, group, -costs.filler - more)[-1])
        if np.isfinite(costs.held):
            over += self._held(number, group, -costs.held - more)
        for way, again in _again(latest):
            cost = -costs.repeat - more
            over.append(self._chain(REPEAT, number, again, group, cost, way)[-1])
        for start in {tuple(phones[:-1]): None for phones in following}:
            over += self._chain(REPEAT, number, start, group, -costs.broken - more)
        noise = State(NOISE, _ANYTHING, number)
        over.append(self._state(noise, _NOWHERE, group, -costs.noise - more))
        return over

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
        """The last state of each phone; a phone has as many states as it lasts frames at least."""
        result: list[int] = []
        latest = _NOWHERE
        for place, phone in enumerate(phones):
            bare = phone.rstrip("012")
            symbol = INDEX[bare]
            if held:
                symbol = _VOWEL if bare in VOWELS else _NASAL if bare in NASALS else symbol
            state = State(kind, symbol, number, pronunciation, place)
            for _ in range(self.shortest):
                if latest == _NOWHERE:
                    latest = self._state(state, _NOWHERE, group, cost)
                else:
                    latest = self._state(state, latest, _NOWHERE, 0.0)
            result.append(latest)
        return result

    def _held(self, number: int, group: int, cost: float) -> list[int]:
        """The last states of a vowel, of a nasal after it, and of a nasal alone, each held."""
        vowel, nasal = (State(FILLER, symbol, number) for symbol in (_VOWEL, _NASAL))
        ends: list[int] = []
        for state, frames, after in (
            (vowel, HELD_VOWEL, _NOWHERE), (nasal._replace(phone=1), HELD_NASAL, 0),
            (nasal, HELD_VOWEL, _NOWHERE),
        ):  # fmt: skip
            latest = _NOWHERE if after == _NOWHERE else ends[after]
            for _ in range(frames):
                entered = (group, cost) if latest == _NOWHERE else (_NOWHERE, 0.0)
                latest = self._state(state, latest, *entered)
            ends.append(latest)
        return ends

    def _state(self, state: State, before: int, group: int, entry: float) -> int:
        self.states.append(state)
        self.before.append(before)
        self.group.append(group)
        self.entry.append(entry)
        return len(self.states) - 1

    def _group(self, members: Iterable[int]) -> int:
        self.groups.append(list(members))
        return len(self.groups) - 1

    def best_path(self, scores: np.ndarray) -> list[Visit] | None:
        """The likeliest way to say the text in log posteriors `scores` (T, 40), phone by phone;
        None when there are too few frames for it."""
        totals, steps = self._totals(scores)
        column = {member: place for place, member in enumerate(self._sources())}

        def likeliest(members: list[int], t: int) -> int:
            return max(members, key=lambda member: totals[t, column[member]])

        state = likeliest(self.groups[self.closing], -1)
        if not np.isfinite(totals[-1, column[state]]):
            return None
        result: list[Visit] = []
        stop = len(scores)
        for t in range(len(scores) - 1, -1, -1):
            step = int(steps[t, state])
            if step == 0 and t:
                continue
            inside = step == 1 and self.states[self.before[state]] == self.states[state]
            if not inside or not t:
                result.append(Visit(self.states[state], t, stop))
                stop = t
            if t:
                before, group = self.before[state], self.group[state]
                state = before if step == 1 else likeliest(self.groups[group], t - 1)
        return result[::-1]

    def _sources(self) -> list[int]:
        """The states from which a group is entered: few of all."""
        return sorted({member for members in self.groups for member in members})

    def _totals(self, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of each frame the best totals of `_sources`, (T, m), and how each state is entered, (T,
        n): 0 from itself, 1 from the one before it, 2 from its group."""
        count = len(self.states)
        symbols = np.array([state.symbol for state in self.states])
        anything = np.delete(scores, INDEX[PAUSE], axis=1).max(axis=1, keepdims=True)
        held = [
            scores[:, [INDEX[symbol] for symbol in each]].max(axis=1, keepdims=True)
            for each in (VOWELS, NASALS)
        ]
        columns = np.concatenate([scores, anything - self.costs.noise_frame, *held], axis=1)
        # The total of nowhere stands last: nothing comes from there.
        nowhere = count
        before = np.array(self.before)
        before[before == _NOWHERE] = nowhere
        members = [each or [nowhere] for each in self.groups]
        offsets = np.cumsum([0, *map(len, members)])[:-1]
        sources = np.concatenate([np.array(each) for each in members])
        group = np.array(self.group)
        entry = np.where(group == _NOWHERE, -np.inf, np.array(self.entry)).astype(np.float32)
        kept = np.array(self._sources())
        totals = np.full((len(scores), len(kept)), -np.inf, np.float32)
        steps = np.zeros((len(scores), count), np.uint8)
        opening = np.isin(group, self.openings)
        last = np.full(count + 1, -np.inf, np.float32)
        last[:-1][opening] = entry[opening] + columns[0, symbols[opening]]
        totals[0] = last[kept]
        for t in range(1, len(scores)):
            best = last[:-1].copy()
            moved = last[before]
            step = (moved > best).view(np.uint8)
            np.maximum(best, moved, out=best)
            entered = np.maximum.reduceat(last[sources], offsets)[group] + entry
            step[entered > best] = 2
            np.maximum(best, entered, out=best)
            last[:-1] = best + columns[t, symbols]
            totals[t] = last[kept]
            steps[t] = step
        return totals, steps
