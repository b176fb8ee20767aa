"""Chooses the reading of an ambiguous figure by the words beside it.

The rules give the readings that a figure can have; weights that were learnt from text take one of
them (after Tyagi et al., Proteno: Text Normalization with Limited Data for Fast Deployment in Text
to Speech Systems, 2021), or none where they are unsure: then the rules alone decide.
`training.text.train_figures` makes the weights.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from functools import cache

from a3t.text.normaliser.context import Context, is_figure
from a3t.user_folders import SHIPPED_MODELS

FOLDER = SHIPPED_MODELS / "figures"
READINGS = {
    "whole": ("year", "number"),  # 1984
    "slash": ("part", "date", "out of"),  # 4/5
    "dotted": ("decimal", "time"),  # 10.30
}
"""Kinds of figures and what each can be; the first is what the rules take by themselves."""

Weights = Mapping[str, Mapping[str, float]]  # reading -> feature -> weight


def features(figure: str, context: Context) -> list[str]:
    """The features of a figure and its two neighbours on either side."""
    before, after = _shape(context.before), _shape(context.after)
    found = [
        f"-1 {before}", f"+1 {after}", f"-2 {_shape(context.before_that)}",
        f"+2 {_shape(context.after_that)}", f"-2-1 {_shape(context.before_that)} {before}",
        f"+1 …{after[-2:]}", f"figure {figure[:2]}", f"-+ {before} {after[-1:]}",
    ]  # fmt: skip
    if context.pause_before:
        found.append("pause before")
    if context.pause_after or not context.after:
        found = [each for each in found if not each.startswith("+")] + ["pause after"]
    return (
        found + ["capital after"] * context.name_follows + ["capital before"] * context.after_name
    )


def _shape(word: str) -> str:
    return "#" if is_figure(word) else re.sub(r"[^a-z$%']", "", word.lower())


def chosen(kind: str, figure: str, context: Context, admissible: Sequence[str]) -> str:
    """One of the admissible READINGS of a figure of a kind; "" where they are too alike."""
    if len(admissible) < 2 or not (context.before or context.after):
        return ""
    weights, sure = _shipped()[kind]
    best, share = likeliest(weights, features(figure, context), admissible)
    if share < sure:
        return ""
    if best != READINGS[kind][0]:
        context.choices.append(f"{figure} as a {best}" if best != "out of" else f"{figure} {best}")
    return best


def likeliest(
    weights: Weights, found: Sequence[str], admissible: Sequence[str]
) -> tuple[str, float]:
    """(the likeliest of the readings, its probability among them)."""
    scores = {
        reading: sum(weights[reading].get(each, 0.0) for each in ("", *found))
        for reading in admissible
    }
    best = max(scores, key=lambda reading: scores[reading])
    return best, 1 / sum(math.exp(score - scores[best]) for score in scores.values())


@cache
def _shipped() -> dict[str, tuple[Weights, float]]:
    """For each kind, the weights that come with the package and the least probability to take."""
    table = json.loads((FOLDER / "weights.json").read_text(encoding="utf-8"))
    return {kind: (entry["weights"], entry["sure"]) for kind, entry in table.items()}
