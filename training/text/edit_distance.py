"""The fewest changes that make one sequence of another."""

from __future__ import annotations

from collections.abc import Callable, Sequence


def edit_distance(
    first: Sequence[str],
    second: Sequence[str],
    cost: Callable[[str, str], int] = lambda a, b: int(a != b),
) -> int:
    """Substitutions, which cost what ``cost`` says, deletions and insertions (Levenshtein 1966)."""
    above = list(range(len(second) + 1))
    for i, a in enumerate(first, start=1):
        row = [i]
        for j, b in enumerate(second, start=1):
            row.append(min(above[j - 1] + cost(a, b), above[j] + 1, row[j - 1] + 1))
        above = row
    return above[-1]
