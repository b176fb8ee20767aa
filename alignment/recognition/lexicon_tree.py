"""All words' pronunciations as one tree, so that words that begin alike are searched once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from alignment.network.phone_network import INDEX
from alignment.result import PAUSE

ROOT, SILENCE = 0, 1
"""Nodes: between two words, where nothing is heard yet; and a pause between them."""


@dataclass(frozen=True, slots=True)
class LexiconTree:
    """Nodes with their phone (by number); `children` of node k are those in [first[k], first[k +
    1]), the words that end at it those of `ending` in [ends[k], ends[k + 1])."""

    phone: np.ndarray
    parent: np.ndarray
    children: np.ndarray
    first: np.ndarray
    ending: np.ndarray
    ends: np.ndarray

    @classmethod
    def of(cls, pronunciations: Iterable[tuple[int, Sequence[str]]]) -> LexiconTree:
        """A tree of words by number, each with at least one phone in ARPAbet without stress."""
        phone, parent = [INDEX[PAUSE], INDEX[PAUSE]], [-1, ROOT]
        found: dict[tuple[int, int], int] = {}
        where: list[int] = []
        words: list[int] = []
        for word, phones in pronunciations:
            node = ROOT
            for symbol in phones:
                key = (node, INDEX[symbol])
                node = found.setdefault(key, len(phone))
                if node == len(phone):
                    parent.append(key[0])
                    phone.append(key[1])
            where.append(node)
            words.append(word)
        parents = np.array(parent)
        below_root = np.flatnonzero(parents == ROOT)
        # What comes after a pause is what can come after a word, but for another pause.
        sources = np.append(parents[1:], np.full(len(below_root) - 1, SILENCE))
        children = np.append(np.arange(1, len(parents)), below_root[below_root != SILENCE])
        count = len(phone)
        by_parent = np.argsort(sources, kind="stable")
        by_node = np.argsort(where, kind="stable")
        return cls(
            np.array(phone),
            parents,
            children[by_parent],
            np.searchsorted(sources[by_parent], np.arange(count + 1)),
            np.array(words, dtype=np.int64)[by_node],
            np.searchsorted(np.array(where)[by_node], np.arange(count + 1)),
        )

    def best_below(self, scores: np.ndarray) -> np.ndarray:
        """Each node's best of the `scores` (by word number) that can still end, (nodes,); 0 for
        ROOT and SILENCE."""
        result = np.full(len(self.phone), -np.inf)
        node = np.repeat(np.arange(len(self.phone)), np.diff(self.ends))
        np.maximum.at(result, node, scores[self.ending])
        depth = np.zeros(len(self.phone), dtype=int)
        for k in range(2, len(depth)):  # parents come before their children
            depth[k] = depth[self.parent[k]] + 1
        for level in range(int(depth.max()), 1, -1):
            here = np.flatnonzero(depth == level)
            np.maximum.at(result, self.parent[here], result[here])
        result[[ROOT, SILENCE]] = 0.0
        return result


def spread(
    first: np.ndarray, items: np.ndarray, nodes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The items of each of the nodes, one after the other, and the place of each one's node."""
    counts = first[nodes + 1] - first[nodes]
    place = np.repeat(np.arange(len(nodes)), counts)
    offset = np.arange(len(place)) - np.repeat(np.cumsum(counts) - counts, counts)
    return items[first[nodes][place] + offset], place
