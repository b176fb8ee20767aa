"""From listeners' CSV files to mean opinion scores, preferences, and what is significant."""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

import numpy as np

from a3t.errors import InputError
from training.programs import Program, option

FIELDS = ("listener", "trial", "choice", "seconds", "place")
SCALE = ("1", "2", "3", "4", "5")
CHOICES = {"mos": SCALE, "smos": SCALE, "abx": ("A", "B")}
RESAMPLES = 2000
MOST_BYTES = 5_000_000  # of a file of ratings


@dataclass(frozen=True)
class Rating:
    """One listener's judgement: a number, or in ABX the system that was chosen and the other."""

    listener: str
    task: str
    system: str
    value: float = 1.0
    against: str = ""


@dataclass
class Ratings:
    """All ratings, and what was left out, with the reason."""

    kind: str
    systems: tuple[str, ...]
    ratings: list[Rating] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def read_ratings(key_path: Path, files: Iterable[Path]) -> Ratings:
    """The ratings of CSV files by the key of their test.

    A rating that can't be used (an unknown trial, no such choice, rated twice by one listener) is
    left out and said. InputError for a file that is none of this test's, or no rating at all.
    """
    try:
        key = json.loads(key_path.read_text(encoding="utf-8"))
        kind, systems = str(key["kind"]), tuple(map(str, key["systems"]))
        trials = {t["name"]: (t["task"], tuple(t["systems"])) for t in key["trials"]}
        allowed = CHOICES[kind]
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise InputError(f"{key_path} is not the key of a listening test.") from None
    found = Ratings(kind, systems)
    rated: set[tuple[str, str]] = set()
    for path in files:
        for number, row in enumerate(_rows(path), start=2):
            who, trial, choice = row["listener"].strip(), row["trial"], row["choice"].strip()
            where = f"{path.name}, line {number}"
            if trial not in trials:
                found.left_out.append(f"{where}: there is no trial {trial}")
            elif choice not in allowed:
                found.left_out.append(f"{where}: {choice!r} is not one of {', '.join(allowed)}")
            elif (who, trial) in rated:
                found.left_out.append(f"{where}: {who} has rated {trial} already")
            else:
                rated.add((who, trial))
                found.ratings.append(_rating(kind, who, choice, *trials[trial]))
    if not found.ratings:
        raise InputError("There is no rating of this test in these files.")
    return found


def _rows(path: Path) -> list[dict[str, str]]:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise InputError(f"{path} is larger than a listener's ratings can be.")
        with open(path, encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            if tuple(reader.fieldnames or ()) != FIELDS:
                raise InputError(f"{path} is not a file of ratings: its columns are others.")
            return [{name: row[name] or "" for name in FIELDS} for row in reader]
    except (OSError, UnicodeDecodeError, csv.Error):
        raise InputError(f"{path} can't be read.") from None


def _rating(kind: str, who: str, choice: str, task: str, systems: tuple[str, ...]) -> Rating:
    if kind != "abx":
        return Rating(who, task, systems[0], float(choice))
    place = CHOICES["abx"].index(choice)
    return Rating(who, task, systems[place], 1.0, systems[1 - place])


@dataclass(frozen=True)
class MeanOpinion:
    """A system's mean opinion score with its 95 % interval, over so many ratings."""

    system: str
    mean: float
    low: float
    high: float
    count: int


def mean_opinions(ratings: Sequence[Rating], systems: Sequence[str]) -> list[MeanOpinion]:
    """MOS by system; the interval is a bootstrap's over listeners and tasks at once, since ratings
    by one listener, or of one task, are no independent ratings (seed 0, 2,000 draws)."""
    listeners = sorted({rating.listener for rating in ratings})
    tasks = sorted({rating.task for rating in ratings})
    scores = []
    for system in systems:
        table = np.full((len(listeners), len(tasks)), np.nan)
        for rating in ratings:
            if rating.system == system:
                place = listeners.index(rating.listener), tasks.index(rating.task)
                table[place] = rating.value
        valid = ~np.isnan(table)
        if not valid.any():
            continue
        values, draw = np.where(valid, table, 0.0), np.random.default_rng(0)
        means = []
        for _ in range(RESAMPLES):
            rows = np.bincount(
                draw.integers(0, len(listeners), len(listeners)), minlength=len(listeners)
            )
            columns = np.bincount(draw.integers(0, len(tasks), len(tasks)), minlength=len(tasks))
            weight = rows[:, None] * columns[None] * valid
            if weight.sum():
                means.append((weight * values).sum() / weight.sum())
        low, high = np.quantile(means, [0.025, 0.975])
        mean = float(table[valid].mean())
        scores.append(MeanOpinion(system, mean, float(low), float(high), int(valid.sum())))
    return scores


def compare_mos(ratings: Sequence[Rating], systems: Sequence[str]) -> dict[tuple[str, str], float]:
    """The probability, for each pair of systems, that they differ by chance as much as they do:
    Wilcoxon's signed ranks over what one listener said of both on one task (scipy), by Holm."""
    from scipy.stats import wilcoxon

    value = {(r.listener, r.task, r.system): r.value for r in ratings}
    found: dict[tuple[str, str], float] = {}
    for one, other in combinations(systems, 2):
        differences = [
            value[who, task, one] - value[who, task, other]
            for who, task, system in value
            if system == one and (who, task, other) in value
        ]
        if any(differences):
            found[one, other] = float(wilcoxon(differences, zero_method="zsplit").pvalue)
        elif differences:
            found[one, other] = 1.0
    return holm(found)


def compare_abx(
    ratings: Sequence[Rating], systems: Sequence[str]
) -> dict[tuple[str, str], tuple[int, int, float]]:
    """For each pair: how often the first was chosen, of how often, and the probability of that by
    chance: a binomial test (scipy), by Holm."""
    from scipy.stats import binomtest

    counts: dict[tuple[str, str], tuple[int, int]] = {}
    for one, other in combinations(systems, 2):
        chosen = [r.system == one for r in ratings if {r.system, r.against} == {one, other}]
        if chosen:
            counts[one, other] = (sum(chosen), len(chosen))
    by_chance = holm({pair: float(binomtest(k, n).pvalue) for pair, (k, n) in counts.items()})
    return {pair: (*count, by_chance[pair]) for pair, count in counts.items()}


def holm(found: Mapping[tuple[str, str], float]) -> dict[tuple[str, str], float]:
    """Holm's correction of several probabilities (Holm 1979)."""
    result: dict[tuple[str, str], float] = {}
    highest = 0.0
    for place, (pair, value) in enumerate(sorted(found.items(), key=lambda item: item[1])):
        highest = max(highest, min(1.0, value * (len(found) - place)))
        result[pair] = highest
    return {pair: result[pair] for pair in found}


def results(found: Ratings) -> str:
    """The result of a test, as Markdown."""
    listeners = {rating.listener for rating in found.ratings}
    lines = [f"{len(found.ratings)} ratings by {len(listeners)} listeners.\n"]
    if found.kind != "abx":
        lines += [f"| system | {found.kind.upper()} (95 %) | ratings |", "|---|---|---|"]
        for score in mean_opinions(found.ratings, found.systems):
            shown = f"{score.mean:.2f} ({score.low:.2f} to {score.high:.2f})"
            lines.append(f"| {score.system} | {shown} | {score.count} |")
        lines += ["", "| one | other | p (Wilcoxon, Holm) |", "|---|---|---|"]
        for (one, other), p in compare_mos(found.ratings, found.systems).items():
            lines.append(f"| {one} | {other} | {p:.3g} |")
    else:
        lines += ["| one | other | one preferred | p (binomial, Holm) |", "|---|---|---|---|"]
        for (one, other), (k, n, p) in compare_abx(found.ratings, found.systems).items():
            lines.append(f"| {one} | {other} | {k} of {n} | {p:.3g} |")
    if found.left_out:
        lines += ["", f"Left out: {len(found.left_out)}", *(f"- {x}" for x in found.left_out[:20])]
    return "\n".join(lines) + "\n"


def run(options: argparse.Namespace) -> None:
    """Print what the ratings say; raises InputError."""
    print(results(read_ratings(options.key, options.files)))


main = Program(
    run,
    option("key", type=Path, help="key.json, written with the page"),
    option("files", type=Path, nargs="+", metavar="CSV"),
    name="evaluation ratings",
)
