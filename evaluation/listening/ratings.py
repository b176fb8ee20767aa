"""From listeners' CSV files to mean opinion scores, and what is significant."""

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
from evaluation.harness.estimates import RESAMPLES, Interval
from evaluation.harness.report_files import markdown_table
from training.programs import Program, option

FIELDS = ("listener", "trial", "choice", "seconds", "place")
SCALE = ("1", "2", "3", "4", "5")
MOST_BYTES = 5_000_000  # of a file of ratings


@dataclass(frozen=True)
class Rating:
    """One listener's judgement."""

    listener: str
    task: str
    system: str
    value: float


@dataclass
class Ratings:
    """All ratings, and what was left out, with the reason."""

    kind: str
    systems: tuple[str, ...]
    ratings: list[Rating] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def read_ratings(key_path: Path, files: Iterable[Path]) -> Ratings:
    """Read the ratings of CSV files by the key of their test.

    A rating that can't be used (an unknown trial, no such choice, rated twice by one listener) is
    left out and said. InputError for a file that is none of this test's, or no rating at all.
    """
    try:
        key = json.loads(key_path.read_text(encoding="utf-8"))
        kind, systems = str(key["kind"]), tuple(map(str, key["systems"]))
        trials = {t["name"]: (t["task"], t["system"]) for t in key["trials"]}
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
            elif choice not in SCALE:
                found.left_out.append(f"{where}: {choice!r} is not one of {', '.join(SCALE)}")
            elif (who, trial) in rated:
                found.left_out.append(f"{where}: {who} has rated {trial} already")
            else:
                rated.add((who, trial))
                found.ratings.append(Rating(who, *trials[trial], float(choice)))
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


def mean_opinions(ratings: Sequence[Rating], systems: Sequence[str]) -> dict[str, Interval]:
    """Return the MOS by system; the interval is a bootstrap's over listeners and tasks at once.

    Ratings by one listener, or of one task, are no independent ratings (seed 0).
    """
    listeners = sorted({rating.listener for rating in ratings})
    tasks = sorted({rating.task for rating in ratings})
    scores = {}
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
            rows, columns = (
                np.bincount(draw.integers(0, count, count), minlength=count)
                for count in (len(listeners), len(tasks))
            )
            weight = rows[:, None] * columns[None] * valid
            if weight.sum():
                means.append((weight * values).sum() / weight.sum())
        low, high = np.quantile(means, [0.025, 0.975])
        mean = float(table[valid].mean())
        scores[system] = Interval(mean, float(low), float(high), int(valid.sum()))
    return scores


def compare_mos(ratings: Sequence[Rating], systems: Sequence[str]) -> dict[tuple[str, str], float]:
    """Return the probability, for each pair of systems, that they differ so much by chance.

    Wilcoxon's signed ranks over what one listener said of both on one task (scipy), by Holm.
    """
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


def holm(found: Mapping[tuple[str, str], float]) -> dict[tuple[str, str], float]:
    """Correct several probabilities by Holm (1979)."""
    result: dict[tuple[str, str], float] = {}
    highest = 0.0
    for place, (pair, value) in enumerate(sorted(found.items(), key=lambda item: item[1])):
        highest = max(highest, min(1.0, value * (len(found) - place)))
        result[pair] = highest
    return {pair: result[pair] for pair in found}


def results(found: Ratings) -> str:
    """Write the result of a test, as Markdown."""
    ratings, systems = found.ratings, found.systems
    parts = [f"{len(ratings)} ratings by {len({each.listener for each in ratings})} listeners.\n"]
    head = ["system", f"{found.kind.upper()} (95 %)", "ratings"]
    means = mean_opinions(ratings, systems).items()
    parts.append(markdown_table(head, [(name, f"{x:.2f}", x.count) for name, x in means]))
    pairs = [(*pair, f"{p:.3g}") for pair, p in compare_mos(ratings, systems).items()]
    parts.append(markdown_table(["one", "other", "p (Wilcoxon, Holm)"], pairs))
    if found.left_out:
        parts.append(f"Left out: {len(found.left_out)}")
        parts[-1] += "".join(f"\n- {each}" for each in found.left_out[:20]) + "\n"
    return "\n".join(parts)


def run(options: argparse.Namespace) -> None:
    """Print what the ratings say; raises InputError."""
    print(results(read_ratings(options.key, options.files)))


main = Program(
    run,
    option("key", type=Path, help="key.json, written with the page"),
    option("files", type=Path, nargs="+", metavar="CSV"),
    name="evaluation ratings",
)
