"""Align the letters of words with their phones, learnt from a lexicon alone.

Each letter makes none, one or two phones, in order (Damper et al., Aligning text and phonemes for
speech technology applications using an EM-like algorithm, 2005). Which letter makes what is found
by turns: align every word by the present costs, then count again.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from alignment.arpabet import strip_stress

Pair = tuple[str, tuple[str, ...]]  # a word of a–z, and its phones
Chunks = list[tuple[str, ...]]  # what each letter makes
Costs = Mapping[str, Mapping[tuple[str, ...], float]]

_LONGEST = 2  # phones that one letter makes: x, u
_UNSEEN = 14.0  # nats


def align(word: str, phones: Sequence[str], costs: Costs) -> Chunks | None:
    """Deal the phones out to the letters in the cheapest way; None if there are too many phones.

    Costs are of phones without stress; the chunks that are returned keep it.
    """
    bare = [strip_stress(phone) for phone in phones]
    count = len(bare)
    # best[j]: the least cost of the letters so far making the first j phones.
    best = [0.0, *[math.inf] * count]
    back: list[list[int]] = []
    for letter in word:
        table = costs.get(letter, {})
        row, choice = [math.inf] * (count + 1), [0] * (count + 1)
        for j in range(count + 1):
            for size in range(min(_LONGEST, j) + 1):
                cost = best[j - size] + table.get(tuple(bare[j - size : j]), _UNSEEN + size)
                if cost < row[j]:
                    row[j], choice[j] = cost, size
        best = row
        back.append(choice)
    if math.isinf(best[count]):
        return None
    chunks: Chunks = []
    j = count
    for choice in reversed(back):
        chunks.append(tuple(phones[j - choice[j] : j]))
        j -= choice[j]
    return chunks[::-1]


def learn_costs(pairs: Sequence[Pair], rounds: int = 5) -> Costs:
    """Learn costs (negative log probabilities) of each letter's chunks, from words' phones."""
    costs = _first_costs(pairs)
    for _ in range(rounds):
        counts: dict[str, Counter[tuple[str, ...]]] = defaultdict(Counter)
        for word, phones in pairs:
            for letter, chunk in zip(word, align(word, phones, costs) or (), strict=False):
                counts[letter][tuple(map(strip_stress, chunk))] += 1
        costs = {letter: _negative_logs(table) for letter, table in counts.items()}
    return costs


def _first_costs(pairs: Iterable[Pair]) -> Costs:
    """Return costs by the places of a phone and a letter in words with as many of either."""
    counts: dict[str, Counter[tuple[str, ...]]] = defaultdict(Counter)
    for word, phones in pairs:
        if len(word) == len(phones):
            for letter, phone in zip(word, phones, strict=True):
                counts[letter][(strip_stress(phone),)] += 1
    for table in counts.values():
        table[()] = max(1, sum(table.values()) // 8)
    return {letter: _negative_logs(table) for letter, table in counts.items()}


def _negative_logs(counts: Counter[tuple[str, ...]]) -> dict[tuple[str, ...], float]:
    total = sum(counts.values())
    return {chunk: -math.log(count / total) for chunk, count in counts.items()}
