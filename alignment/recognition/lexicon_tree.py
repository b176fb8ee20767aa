"""All words' pronunciations as one tree, so that words that begin alike are searched once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from alignment.network.phone_network import INDEX, SYMBOLS
from alignment.result import PAUSE

ROOT, SILENCE = 0, 1
"""Nodes: between two words, where nothing is heard yet; and a pause between them."""


@dataclass(frozen=True, slots=True)
class Ranges:
    """Ranges of numbers: of node k `count[k]`, from `first[k]` on."""

    first: np.ndarray
    count: np.ndarray

    @classmethod
    def of(cls, owners: np.ndarray, nodes: int) -> Ranges:
        """The places of the rising `owners` (n,) that belong to each of so many nodes."""
        ends = np.searchsorted(owners, np.arange(nodes + 1))
        return cls(ends[:-1], np.diff(ends))

    def spread(self, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The numbers of each of the nodes, one after the other, and the place of each one's
        node."""
        count = self.count[nodes]
        place = np.repeat(np.arange(len(nodes)), count)
        ahead = self.first[nodes] - (np.cumsum(count) - count)
        return np.repeat(ahead, count) + np.arange(len(place)), place


@dataclass(frozen=True, slots=True)
class LexiconTree:
    """Nodes with their phone (by number), level by level: so the children of a node follow one
    another. The words that end at node k are those of `ending` in its range of `ends`."""

    phone: np.ndarray
    parent: np.ndarray
    children: Ranges
    ending: np.ndarray
    ends: Ranges
    levels: tuple[slice, ...]  # of the words' first phones, their second ones, …

    @classmethod
    def of(cls, pronunciations: Iterable[tuple[int, Sequence[str]]]) -> LexiconTree:
        """A tree of words by number, each with at least one phone in ARPAbet without stress."""
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
        children.first[SILENCE] = children.first[ROOT] + 1
        children.count[SILENCE] = children.count[ROOT] - 1
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
        """Each node's best of the `scores` (by word number) that can still end, (nodes,); 0 for
        ROOT and SILENCE."""
        result = np.full(len(self.phone), -np.inf)
        nodes = np.repeat(np.arange(len(result)), self.ends.count)
        np.maximum.at(result, nodes, scores[self.ending])
        for level in self.levels[:0:-1]:
            np.maximum.at(result, self.parent[level], result[level])
        result[[ROOT, SILENCE]] = 0.0
        return result
