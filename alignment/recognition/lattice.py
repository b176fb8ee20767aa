"""The likeliest ways through a recording, word by word.

What the search for words has followed and found likely is kept, so that a model that knows more
than two words before each one can choose again (alignment.recognition.rescoring).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

NEAR_NATS = 4.0  # nats
BEGINNING = -1  # the record before the first word
START_WORD, END_WORD = 0, 1  # as words
ON = -1  # in place of END_WORD: the text continues


class Arcs(NamedTuple):
    """Words, (n,) each, from record to record.

    before: the record of the word before. total: the search's total up to its end, nats. language:
    the language model's share for this word. record: the word's own.
    """

    before: np.ndarray
    word: np.ndarray
    total: np.ndarray
    language: np.ndarray
    record: np.ndarray


class Arc(NamedTuple):
    """A word from one record to another, and its gain in nats without the language model's part."""

    record: int
    before: int
    word: int
    gain: float


class Settled(NamedTuple):
    """The records after one that was settled on.

    gains: of each, nats, -inf where none of the ways to it leads through that one. numbers: its new
    number, by its old one. before: of the steps that are kept, the record before each.
    """

    gains: np.ndarray
    numbers: np.ndarray
    before: list[np.ndarray]


@dataclass(slots=True)
class LatticeBuilder:
    """Collects what the search follows: arcs step by step, and the best total of each record."""

    arcs: list[Arcs] = field(default_factory=list)
    totals: list[np.ndarray] = field(default_factory=list)
    beginning: float = 0.0  # the total before the first word

    def add(self, arcs: Arcs, totals: np.ndarray) -> None:
        """Add the arcs of a step, and the best total of each of its records."""
        before, word, record = (
            each.astype(np.int32) for each in (arcs.before, arcs.word, arcs.record)
        )
        language = arcs.language.astype(np.float32)  # a quarter of an hour has millions of arcs
        self.arcs.append(Arcs(before, word, arcs.total, language, record))
        self.totals.append(totals)

    def settle(self, steps: int, record: int) -> Settled:
        """Begin after `record`, of one of the first so many `steps`, which are forgotten."""
        first = sum(map(len, self.totals[:steps]))
        up_to = np.append(np.concatenate(self.totals), self.beginning)
        total = np.full(len(up_to), -np.inf)
        total[record] = up_to[record]
        numbers = np.arange(len(up_to), dtype=np.int32) - first
        numbers[[record, BEGINNING]] = BEGINNING
        before = np.full(len(up_to), BEGINNING)
        kept: list[Arcs] = []
        for arcs in self.arcs[steps:]:
            totals = arcs.total - up_to[arcs.before] + total[arcs.before]
            order = np.argsort(totals)  # so that the best to each record is the last
            order = order[np.isfinite(totals[order])]
            source, word, _, language, after = (each[order] for each in arcs)
            total[after], before[after] = totals[order], numbers[source]
            kept.append(Arcs(numbers[source], word, totals[order], language, numbers[after]))
        ends = np.cumsum([0, *map(len, self.totals[steps:])]) + first
        gains = total - np.where(np.isfinite(total), up_to, 0.0)
        self.arcs, self.beginning = kept, float(up_to[record])
        self.totals = [total[each] for each in map(slice, ends[:-1], ends[1:])]
        return Settled(gains, numbers, [before[each] for each in map(slice, ends[:-1], ends[1:])])

    def lattice(
        self,
        last: np.ndarray,
        totals: np.ndarray,
        language: np.ndarray,
        nats: float = NEAR_NATS,
        end: int = END_WORD,
    ) -> list[Arc]:
        """Return the arcs of ways at most so many ``nats`` below the best one, by rising record.

        The last arcs are the text's ``end``. ``last``: records in which a text can end; ``totals``:
        the total of each with its end; ``language``: what the language model gave to the end.
        """
        up_to = np.append(np.concatenate([*self.totals, totals.max(keepdims=True)]), self.beginning)
        final = len(up_to) - 2  # before the beginning's, which is found by -1
        ends = Arcs(last, np.full(len(last), end), totals, language, np.full(len(last), final))
        rest = np.full(len(up_to), -np.inf)  # the best from each record to the end
        rest[final] = 0.0
        kept: list[Arc] = []
        for arcs in (ends, *reversed(self.arcs)):
            gains = arcs.total - up_to[arcs.before] + rest[arcs.record]
            np.maximum.at(rest, arcs.before, gains)
            near = arcs.total + rest[arcs.record] > totals.max() - nats
            before, word, total, language, record = (each[near] for each in arcs)
            acoustic = total - up_to[before] - language
            values = (record.tolist(), before.tolist(), word.tolist(), acoustic.tolist())
            kept += map(Arc, *values)
        return sorted(kept)
