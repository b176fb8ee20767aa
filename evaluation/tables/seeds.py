"""The spread of a system's figures over trainings with different seeds."""

from __future__ import annotations

from collections.abc import Mapping

from evaluation.systems.named import RUNS, SEED, base_name
from evaluation.tables.tasks import GIVEN
from evaluation.tables.thesis_tables import Rows, figure_of

FIRST = RUNS["a3t_thesis"]  # what the others are compared with, seed by seed
MEASURES = (("mcd", "MCD, dB"), ("mel_distance", "mel distance, dB"), ("detail", "detail"))


def seed_means(rows: Rows, measure: str) -> dict[str, dict[str, float]]:
    """The mean over clips of each system, by the seed of its training ("" for the first)."""
    found: dict[str, dict[str, float]] = {}
    for name in dict.fromkeys(row.system for row in rows):
        seed = name.partition(SEED)[2]
        mean = figure_of([row for row in rows if row.system == name], measure)
        if mean.count:
            found.setdefault(base_name(name), {})[seed] = mean.value
    return {name: found[name] for name in RUNS.values() if len(found.get(name, {})) > 1}


def seeds_table(rows: Rows) -> str:
    """Every system that was trained from several seeds, durations given: the mean of its trainings
    and their range, and its difference from the first row, each seed's from the same seed's. Empty
    where there is none."""
    own = [row for row in rows if row.kind == GIVEN]
    parts = []
    for measure, shown in MEASURES:
        means = seed_means(own, measure)
        if means:
            parts += _table(means, shown, 2)
    return "\n".join(parts)


def _table(means: Mapping[str, Mapping[str, float]], shown: str, digits: int) -> list[str]:
    lines = [
        f"### Between trainings: {shown}, durations given\n",
        f"| system | trainings | each | mean (lowest to highest) | minus {FIRST}, seed by seed |",
        "|---|---|---|---|---|",
    ]
    first = means.get(FIRST, {})
    for name, by_seed in means.items():
        each = [by_seed[seed] for seed in sorted(by_seed)]
        shared = [by_seed[seed] - first[seed] for seed in sorted(by_seed) if seed in first]
        less = _range(shared, digits, "+") if shared and name != FIRST else "–"
        listed = ", ".join(f"{value:.{digits}f}" for value in each)
        lines.append(f"| {name} | {len(each)} | {listed} | {_range(each, digits)} | {less} |")
    return [*lines, ""]


def _range(values: list[float], digits: int, sign: str = "") -> str:
    mean = sum(values) / len(values)
    form = f"{sign}.{digits}f"
    return f"{mean:{form}} ({min(values):{form}} to {max(values):{form}})"
