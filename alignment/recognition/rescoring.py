"""Rescoring of a lattice by a model of whole sentences.

Texts grow word by word through the lattice; of those that come to the same record the likeliest few
go on. What the search's trigrams gave to each word gives way to their mean with the network
(Mikolov and others, "Recurrent neural network based language model", 2010).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from alignment.recognition.lattice import BEGINNING, ON, START, Arc
from alignment.recognition.ngrams import NGrams
from alignment.recognition.word_network import WordNetwork, WordState

RECALLED = 12  # words that distinguish two texts


class _Hypothesis(NamedTuple):
    """A way through the lattice: its score, nats, its last words, its record, and the way to the
    word before."""

    score: float = 0.0
    words: tuple[int, ...] = ()
    record: int = BEGINNING
    before: _Hypothesis | None = None

    def records(self) -> list[int]:
        """The records of all its words, in order."""
        result: list[int] = []
        here: _Hypothesis | None = self
        while here is not None and here.record != BEGINNING:
            result.append(here.record)
            here = here.before
        return result[::-1]


@dataclass(frozen=True)
class _Hypotheses:
    """The likeliest texts at one record, n of them; what each gains by a word that can follow."""

    texts: Sequence[_Hypothesis]
    state: WordState
    gains: dict[int, np.ndarray]

    def extended(self, arc: Arc) -> Iterator[tuple[_Hypothesis, WordState]]:
        """Each text with the word of the arc, and the state before it."""
        for place, (text, more) in enumerate(zip(self.texts, self.gains[arc.word], strict=True)):
            score = text.score + arc.gain + float(more)
            words = (*text.words, arc.word)[-RECALLED:]
            yield _Hypothesis(score, words, arc.record, text), self.state.of(place)


@dataclass(frozen=True)
class Rescoring:
    """The network's `share` of a word's probability, the `weight` of that against the acoustics,
    and how many texts go on from a record at `most`; chosen on clips that nothing is reported
    of. `said`, with the network's `state`: the words before."""

    network: WordNetwork
    trigrams: NGrams
    share: float = 0.5
    weight: float = 1.0
    most: int = 6
    said: tuple[int, ...] = ()
    state: WordState | None = None

    def after(self, words: Sequence[int]) -> Rescoring:
        """Rescoring of what comes after `words` that have been said."""
        state = self.state or self.network.beginning
        for word in words:
            state = self.network.after(state, [word])
        return replace(self, said=(*self.said, *words)[-RECALLED:], state=state)

    def __call__(self, lattice: Sequence[Arc]) -> list[int]:
        """The records of the likeliest text, in order."""
        following: dict[int, set[int]] = defaultdict(set)
        for arc in lattice:
            following[arc.before].add(arc.word)
        left = Counter(arc.before for arc in lattice)
        state = self.state or self.network.beginning
        begun = [_Hypothesis(words=self.said)]
        arrived = {BEGINNING: self._arrived(begun, state, following[BEGINNING])}
        for record, group in groupby(lattice, attrgetter("record")):
            # At the edge of what is near, rounding may have kept a word without those before it.
            arcs = [arc for arc in group if arc.before in arrived]
            ways = [way for arc in arcs for way in arrived[arc.before].extended(arc)]
            for arc in arcs:  # what has been left behind for good is forgotten
                left[arc.before] -= 1
                if not left[arc.before]:
                    del arrived[arc.before]
            ways.sort(key=lambda way: -way[0].score)
            if not ways:
                continue
            distinct: dict[tuple[int, ...], tuple[_Hypothesis, WordState]] = {}
            for text, before in ways:
                distinct.setdefault(text.words, (text, before))
            texts, befores = zip(*[*distinct.values()][: self.most], strict=True)
            if not following[record]:
                return texts[0].records()[:-1]
            state = self.network.after(
                WordState.stacked(befores), [text.words[-1] for text in texts]
            )
            arrived[record] = self._arrived(texts, state, following[record])
        return []

    def _arrived(
        self, texts: Sequence[_Hypothesis], state: WordState, following: set[int]
    ) -> _Hypotheses:
        words = np.array(sorted(following))
        pairs = np.array([(START, START, *text.words)[-2:] for text in texts])
        pairs[[not text.words for text in texts], 0] = -1  # nothing stands before the beginning
        first, second = (np.repeat(each, len(words)) for each in pairs.T)
        plain = self.trigrams.scores(first, second, np.tile(words, len(texts)))
        by_network = np.exp(self.network.scores(state, words))
        mean = (1 - self.share) * np.exp(plain).reshape(by_network.shape) + self.share * by_network
        gains = self.weight * np.log(mean + 1e-12)
        gains[:, words == ON] = 0.0
        return _Hypotheses(texts, state, dict(zip(words.tolist(), gains.T, strict=True)))
