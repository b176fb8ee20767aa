"""Beam search for the likeliest words, by the phone network's scores and a language model.

A search through the tree of all words at once (Ney and Ortmanns, "Dynamic programming search for
continuous speech recognition", 1999), so that words that begin alike are searched once: what has
been said counts by its last two words, and only what is nearly as likely as the best is followed.

A word's confidence is the share of all that the search held likely that has the word too. Shortly
after it has ended, its rivals are still being followed. Each counts by its score, flattened since
the frames of a sound are not as independent as the search takes them to be (Evermann and Woodland,
"Posterior probability decoding, confidence estimation and system combination", 2000).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from alignment.network.phone_network import FRAME_S, INDEX, STEP_FRAMES, SYMBOLS, in_steps
from alignment.recognition.lattice import END_WORD, NEAR_NATS, ON, Arc, Arcs, LatticeBuilder
from alignment.recognition.ngrams import found
from alignment.result import PAUSE

ROOT, SILENCE_NODE = 0, 1
"""Nodes: between two words, where nothing is heard yet; and a pause between them."""
RIVALS_AFTER_S = 0.3  # seconds after a word's end at which its rivals are looked at
SAME_END_S = 0.1  # seconds by which the same word's end may be elsewhere
BACK = 6  # words before the latest that are looked through
# Log odds of a word from those of its share, fitted to the words recognised in 72 clips of the half
# that choices are made on.
FLATTENED = 0.5
CONFIDENCE_OFFSET, CONFIDENCE_SLOPE = 1.02, 0.72
NO_RECORD = -1  # no word, no record
WATCHED, RIVALS = 5, 500  # steps from one look at what is followed to the next, and how many count


@dataclass(frozen=True, slots=True)
class Ranges:
    """Ranges of numbers: of node k `count[k]`, from `first[k]` on."""

    first: np.ndarray
    count: np.ndarray

    @classmethod
    def of(cls, owners: np.ndarray, nodes: int) -> Ranges:
        """Return the places of the rising ``owners`` (n,) that belong to each of so many nodes."""
        ends = np.searchsorted(owners, np.arange(nodes + 1))
        return cls(ends[:-1], np.diff(ends))

    def spread(self, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the nodes' numbers, one node after the other, and the place of each node."""
        count = self.count[nodes]
        place = np.repeat(np.arange(len(nodes)), count)
        ahead = self.first[nodes] - (np.cumsum(count) - count)
        return np.repeat(ahead, count) + np.arange(len(place)), place


@dataclass(frozen=True, slots=True)
class LexiconTree:
    """Nodes with their phone (by number), level by level, so that a node's children are neighbours.

    The words that end at node k are those of ``ending`` in its range of ``ends``.
    """

    phone: np.ndarray
    parent: np.ndarray
    children: Ranges
    ending: np.ndarray
    ends: Ranges
    levels: tuple[slice, ...]  # of the words' first phones, their second ones, …

    @classmethod
    def of(cls, pronunciations: Iterable[tuple[int, Sequence[str]]]) -> LexiconTree:
        """Build a tree of words by number, each with one or more phones without stress."""
        words, ways = zip(*pronunciations, strict=True)
        lengths = np.array([len(way) for way in ways])
        phones = np.array([INDEX[symbol] for way in ways for symbol in way])
        starts = np.cumsum(lengths) - lengths
        node = np.full(len(ways), ROOT)  # that each pronunciation has come to
        phone, parent = [np.full(2, INDEX[PAUSE])], [np.array([-1, ROOT])]
        levels, count = [], 2
        for level in range(int(lengths.max())):
            here = np.flatnonzero(lengths > level)
            steps = node[here] * len(SYMBOLS) + phones[starts[here] + level]
            distinct, place = np.unique(steps, return_inverse=True)
            node[here] = count + place
            parent.append(distinct // len(SYMBOLS))
            phone.append(distinct % len(SYMBOLS))
            levels.append(slice(count, count + len(distinct)))
            count += len(distinct)
        parents = np.concatenate(parent)
        children = Ranges.of(parents, count)
        # What comes after a pause is what can come after a word, but for another pause.
        children.first[SILENCE_NODE] = children.first[ROOT] + 1
        children.count[SILENCE_NODE] = children.count[ROOT] - 1
        by_node = np.argsort(node, kind="stable")
        return cls(
            np.concatenate(phone),
            parents,
            children,
            np.array(words)[by_node],
            Ranges.of(node[by_node], count),
            tuple(levels),
        )

    def best_below(self, scores: np.ndarray) -> np.ndarray:
        """Return each node's best of the ``scores`` (by word number) that can still end, (nodes,).

        ROOT and SILENCE_NODE have 0.
        """
        result = np.full(len(self.phone), -np.inf)
        nodes = np.repeat(np.arange(len(result)), self.ends.count)
        np.maximum.at(result, nodes, scores[self.ending])
        for level in self.levels[:0:-1]:
            np.maximum.at(result, self.parent[level], result[level])
        result[[ROOT, SILENCE_NODE]] = 0.0
        return result


class Rivals(NamedTuple):
    """The rivals followed after a step: scores, nats, and the record of each one's latest word."""

    step: int
    scores: np.ndarray
    latest: np.ndarray


class Endings(NamedTuple):
    """Words that may have ended: the record before each, its word, the step after its last."""

    before: np.ndarray
    word: np.ndarray
    step: np.ndarray


def confidences(
    path: Sequence[int], endings: Endings, rivals: Sequence[Rivals], seconds: float
) -> list[float]:
    """Return the probability of each word of the likeliest path, 0..1.

    ``path``: its records in order; ``rivals`` of some steps, rising, the last step among them;
    ``seconds``: of a step.
    """
    steps = np.array([each.step for each in rivals])
    wanted = endings.step[list(path)] + round(RIVALS_AFTER_S / seconds)
    places = np.minimum(np.searchsorted(steps, wanted), len(rivals) - 1)
    result = []
    for record, place in zip(path, places.tolist(), strict=True):
        each = rivals[place]
        weights = np.exp(FLATTENED * (each.scores - each.scores.max()))
        share = float(weights[_has(record, each.latest, endings, SAME_END_S / seconds)].sum())
        share = min(max(share / float(weights.sum()), 1e-4), 1 - 1e-4)
        odds = CONFIDENCE_OFFSET + CONFIDENCE_SLOPE * np.log(share / (1 - share))
        result.append(round(float(1 / (1 + np.exp(-odds))), 4))
    return result


def _has(record: int, latest: np.ndarray, endings: Endings, apart: float) -> np.ndarray:
    """Flag the rivals that have the word of ``record`` at about its time, (n,)."""
    flags = np.zeros(len(latest), bool)
    for _ in range(BACK):
        there = latest >= 0
        near = np.abs(endings.step[latest] - endings.step[record]) <= apart
        flags |= there & near & (endings.word[latest] == endings.word[record])
        latest = np.where(there, endings.before[latest], latest)
    return flags


class LanguageModel(Protocol):
    """Words by numbers; contexts, by numbers of the model's own, of what has been said."""

    @property
    def beginning(self) -> int:
        """The context before the first word."""
        ...

    def follow(self, context: np.ndarray, word: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return log P(word | context), nats, and the context after the word, (n,) each."""
        ...


@dataclass(frozen=True, slots=True)
class Search:
    """The search's weights and beam; chosen on clips that nothing is reported of.

    `together` frames of 10 ms are one step, so that a phone lasts at least as long. `acoustic`
    weighs their scores against the language model; `word` is what each word costs, nats.
    What is `beam` nats below the best, or not among the best `most` (`exits` of ends of words), is
    not followed.
    """

    together: int = STEP_FRAMES
    acoustic: float = 0.9
    word: float = 1.5
    beam: float = 20.0
    most: int = 8000
    exits: int = 300


class Found(NamedTuple):
    """A word (by number) of the likeliest text, from `start` to `end`, seconds; how probable."""

    word: int
    start: float
    end: float
    confidence: float


def search(
    posteriors: np.ndarray,
    tree: LexiconTree,
    ahead: np.ndarray,
    model: LanguageModel,
    options: Search | None = None,
    choose: Callable[[list[Arc]], list[int]] | None = None,
    near: float = NEAR_NATS,
) -> list[Found]:
    """Return the likeliest words in ``posteriors`` or scores (T, 40), or none.

    None when no way leads to an end. ``ahead`` (nodes,): of the tree's nodes the best log
    probability of their words (`best_below`). ``choose``: takes the records of one of the ways at
    most ``near`` nats below the likeliest, in order; the likeliest if it isn't given.
    """
    beam = BeamSearch(tree, ahead, model, options, keeps_lattice=choose is not None)
    beam.hear(posteriors)
    return beam.found(beam.path(choose, near))


class BeamSearch:
    """A search that continues as sound arrives; arguments as for `search`.

    `keeps_lattice`: so that `path` can choose otherwise, and words can be settled on; those are
    forgotten, so that a search takes no more memory the longer it lasts.
    """

    def __init__(
        self,
        tree: LexiconTree,
        ahead: np.ndarray,
        model: LanguageModel,
        options: Search | None = None,
        keeps_lattice: bool = False,
    ) -> None:
        self.tree, self.ahead, self.model = tree, ahead, model
        self.options = options or Search()
        self.steps = 0  # heard in all
        self._keeps_lattice = keeps_lattice
        self._gain = ahead - ahead[tree.parent]  # by which a child's look ahead is worse
        # What the language model was asked a step ago, rising, and what it said.
        self._asked, self._answers = np.array([NO_RECORD]), (np.zeros(1), np.zeros(1, np.int64))
        self._begin(model.beginning)

    def _begin(self, told: int) -> None:
        """Begin between two words, in the context `told`."""
        self._nodes, self._told = np.array([ROOT]), np.array([told])
        self._scores, self._latest = np.zeros(1), np.array([NO_RECORD])
        self._records: list[Endings] = []
        self._rivals: list[Rivals] = []
        self._builder = LatticeBuilder()
        self._written = 0
        self._settled = self.steps  # after the last word that was settled on

    @property
    def step_seconds(self) -> float:
        """The duration of one step of the search, in seconds."""
        return self.options.together * FRAME_S

    @property
    def is_between(self) -> bool:
        """True if the likeliest is that no word is being said."""
        return bool(self._nodes[self._scores.argmax()] <= SILENCE_NODE)

    def hear(self, posteriors: np.ndarray) -> None:
        """Follow what can be said in further ``posteriors`` or scores (T, 40).

        T is a multiple of ``options.together``, but for the last ones.
        """
        for frame in self.options.acoustic * in_steps(posteriors, self.options.together):
            self._follow(frame)
            self.steps += 1
            if self.steps % WATCHED == 0:
                self._rivals.append(self._watch())

    def _follow(self, frame: np.ndarray) -> None:
        """Go one step further: into the next phones, or on in the same one."""
        tree, options = self.tree, self.options
        nodes, told, scores = self._nodes, self._told, self._scores
        into, place = tree.children.spread(nodes)
        moved = scores[place] + frame[tree.phone[into]] + self._gain[into]
        stays = np.flatnonzero(nodes != ROOT)
        stayed = scores[stays] + frame[tree.phone[nodes[stays]]]
        total = np.append(moved, stayed)
        kept = _likeliest(total, total.max() - options.beam, options.most)
        first = np.searchsorted(kept, len(moved))  # of those that stay
        moves, stays = kept[:first], stays[kept[first:] - len(moved)]
        source, target = np.append(place[moves], stays), np.append(into[moves], nodes[stays])
        total = total[kept]
        one = _best_of_each(told[source] * len(tree.phone) + target, total)
        source = source[one]
        self._nodes, self._told, self._scores = target[one], told[source], total[one]
        self._latest = self._latest[source]
        self._end_words()

    def _end_words(self) -> None:
        """Add the places between two words where one can have ended."""
        nodes, told, scores, latest = self._nodes, self._told, self._scores, self._latest
        options = self.options
        ending, place = self.tree.ends.spread(nodes)
        if not len(ending):
            return
        language, then = self._language(told[place], ending)
        total = scores[place] - self.ahead[nodes[place]] - options.word + language
        least = max(total.max(), scores.max()) - options.beam
        kept = _likeliest(total, least, options.exits)
        word, then, total = self.tree.ending[ending[kept]], then[kept], total[kept]
        before = latest[place[kept]]
        one = _best_of_each(then, total)
        if self._keeps_lattice:
            records = self._written + np.searchsorted(then[one], then)
            self._builder.add(Arcs(before, word, total, language[kept], records), total[one])
        count = len(one)
        self._records.append(Endings(before[one], word[one], np.full(count, self.steps + 1)))
        self._nodes = np.append(nodes, np.full(count, ROOT))
        self._told, self._scores = np.append(told, then[one]), np.append(scores, total[one])
        self._latest = np.append(latest, self._written + np.arange(count))
        self._written += count

    def _language(self, told: np.ndarray, ending: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the language model's scores of words that end, and the contexts after them.

        It is asked only about those that could not end a step ago.
        """
        asked = told * len(self.tree.ending) + ending
        place, known = found(self._asked, asked)
        scores, then = (each[place] for each in self._answers)
        new = np.flatnonzero(~known)
        scores[new], then[new] = self.model.follow(told[new], self.tree.ending[ending[new]])
        self._asked, self._answers = asked, (scores, then)
        return scores, then

    def _watch(self) -> Rivals:
        kept = _likeliest(self._scores, self._scores.max() - self.options.beam, RIVALS)
        return Rivals(self.steps, self._scores[kept], self._latest[kept])

    def path(
        self,
        choose: Callable[[list[Arc]], list[int]] | None = None,
        near: float = NEAR_NATS,
        ended: bool = True,
    ) -> list[int]:
        """Return the records of the likeliest words, or of those chosen, from what was settled on.

        None when no way leads to an end. If the sound has not ``ended``, the last word may go on
        and is not among them.
        """
        here = np.arange(len(self._nodes))
        if ended:
            here = np.flatnonzero(self._nodes <= SILENCE_NODE)
        if not len(here) or not self._records:
            return []
        total, last = self._scores[here], self._latest[here]
        language = np.zeros(len(here))
        if ended:
            language, _ = self.model.follow(self._told[here], np.full(len(here), END_WORD))
        else:
            one = _best_of_each(last, total)
            total, last, language = total[one], last[one], language[one]
        total = total + language
        if choose is None:
            return _path(self._endings(), int(last[total.argmax()]))
        return choose(self._builder.lattice(last, total, language, near, END_WORD if ended else ON))

    def found(self, path: list[int]) -> list[Found]:
        """Return a path's words; the first begins where the last settled one ended."""
        if not path:
            return []
        endings, rivals = self._endings(), self._rivals
        if not rivals or rivals[-1].step != self.steps:
            rivals = [*rivals, self._watch()]
        times = (np.append(self._settled, endings.step[path]) * self.step_seconds).tolist()
        sure = confidences(path, endings, rivals, self.step_seconds)
        words = endings.word[path].tolist()
        return [Found(*each) for each in zip(words, times[:-1], times[1:], sure, strict=True)]

    def _endings(self) -> Endings:
        return Endings(*(np.concatenate(each) for each in zip(*self._records, strict=True)))

    def settle(self, record: int) -> None:
        """Follow only ways through the `record` of a `path`, and forget what led to it."""
        upto = np.cumsum([len(each.word) for each in self._records])
        gone = int(np.searchsorted(upto, record, side="right")) + 1
        self._settled = int(self._endings().step[record])
        gains, numbers, before = self._builder.settle(gone, record)
        on = np.isfinite(gains)
        kept = np.flatnonzero(on[self._latest])
        self._nodes, self._told = self._nodes[kept], self._told[kept]
        self._scores = self._scores[kept] + gains[self._latest[kept]]
        self._latest = numbers[self._latest[kept]]
        self._records = [
            Endings(each, word, step)
            for each, (_, word, step) in zip(before, self._records[gone:], strict=True)
        ]
        self._rivals = [
            Rivals(step, scores, np.where(on[latest], numbers[latest], NO_RECORD))
            for step, scores, latest in self._rivals
            if step > self._settled
        ]
        self._written -= int(upto[gone - 1])

    def rest(self) -> None:
        """Start again after the last settled words, because nobody speaks."""
        self._begin(self._told[self._scores.argmax()])


def _likeliest(scores: np.ndarray, least: float, most: int) -> np.ndarray:
    """Return the places of scores above the ``least``, rising; at most ``most``, but for ties."""
    kept = np.flatnonzero(scores > least)
    if len(kept) > most:
        near = scores[kept]
        kept = kept[near >= np.partition(near, -most)[-most]]
    return kept


def _best_of_each(keys: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Return the place of each key's best score, by rising key; the first of equal ones."""
    order = np.argsort(keys, kind="stable")  # what rises for long stretches is only merged
    keys, scores = keys[order], scores[order]
    first = _first_of_each(keys)
    best = np.repeat(np.maximum.reduceat(scores, first), np.diff(first, append=len(keys)))
    winners = np.flatnonzero(scores == best)
    return order[winners[_first_of_each(keys[winners])]]


def _first_of_each(keys: np.ndarray) -> np.ndarray:
    """Return the first place of each of some rising keys."""
    return np.flatnonzero(np.append(True, keys[1:] != keys[:-1])[: len(keys)])


def _path(endings: Endings, last: int) -> list[int]:
    """Return the records that lead to ``last``, in order."""
    path: list[int] = []
    while last != NO_RECORD:
        path.append(last)
        last = int(endings.before[last])
    return path[::-1]
