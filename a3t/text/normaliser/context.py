"""A written token's surroundings, and what they tell about it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from a3t.text.normaliser.numbers import MONTHS, VULGAR
from a3t.text.normaliser.vocabulary import SAID, WORDS
from a3t.user_folders import SHIPPED_MODELS

_FIGURES = re.compile(r"[-±~≈≤≥]?\.?[0-9]")
FOLDER = SHIPPED_MODELS / "figures"
READINGS = {
    "whole": ("year", "number"),  # 1984
    "slash": ("part", "date", "out of"),  # 4/5
    "dotted": ("decimal", "time"),  # 10.30
}
"""Kinds of figures and what each can be; the first is what the rules take by themselves."""


@dataclass(frozen=True)
class Context:
    """A token's surroundings: the cores of its neighbours ("" at an end of the text)."""

    before: str = ""
    after: str = ""
    before_that: str = ""
    after_that: str = ""
    pause_before: bool = False
    pause_after: bool = False  # other than this token's own full stop
    capitals_mean: bool = True  # False in a text all in capitals, where they tell nothing
    street_follows: bool = False  # the name of a street, as after a house number
    equals_follows: bool = False  # an equals sign within the next few tokens
    around: frozenset[str] = frozenset()  # the words beside a figure, in small letters
    choices: list[str] = field(default_factory=list, compare=False)  # that were made, to be told

    @property
    def inside(self) -> Context:
        """For a part of a compound, whose neighbours are within the token."""
        return Context(capitals_mean=self.capitals_mean, around=self.around)

    @property
    def after_name(self) -> bool:
        """A capitalised word stands before, and it is not just a sentence's first word."""
        before = self.before
        return before[:1].isupper() and not self.pause_before and not is_function_word(before)

    @property
    def name_follows(self) -> bool:
        """A capitalised word follows, and it does not look like the start of a sentence."""
        after = self.after
        return after[:1].isupper() and not self.pause_after and not is_function_word(after)

    @property
    def dated(self) -> bool:
        """A word beside a figure tells that it is a date: on 4/5."""
        before = self.before.lower()
        cues = WORDS["dated"] | set(SAID["weekdays"].values())
        return before in cues or self.after.lower() == "at"

    def noun_follows(self, article: str) -> bool:
        """Return whether this is a measure before a noun: a [5 mile] run, after its ``article``."""
        after = self.after
        words = re.fullmatch(r"[A-Za-z][a-z]+(-[a-z]+)*", after) and not is_function_word(after)
        return article.lower() in ("a", "an") and bool(words) and not self.pause_after

    @property
    def noun_seems_to_follow(self) -> bool:
        """The same for a measure without an article: [60W] bulb, but not [60 km] north."""
        after = self.after
        if after.endswith(("ly", "ed", "ing", "s")) or after in WORDS["beside_measures"]:
            return False
        return self.noun_follows("a")


Rule = Callable[[re.Match[str], Context], str]
"""The words for a token that matches, "" if it is none of this kind after all."""


def is_function_word(word: str) -> bool:
    """Return whether a word is an article, a pronoun, a preposition …: no name and no noun."""
    return word.lower() in WORDS["function_words"]


def is_figure(word: str) -> bool:
    """Return whether a token begins with a figure, after a sign or a decimal point."""
    return _FIGURES.match(word) is not None


def is_one(word: str) -> bool:
    """Return whether a measure of this figure is said in the singular: 1, ½, 1/4."""
    part = re.fullmatch(r"([0-9]{1,2})/([0-9]{1,3})", word)
    less = part is not None and int(part[1]) < int(part[2])
    return word in ("1", "-1") or word in VULGAR or less


def is_whole(word: str) -> bool:
    """Return whether a token is a whole number in plain figures."""
    return word.isascii() and word.isdigit()


def is_day(word: str) -> bool:
    """Return whether a word is 1 to 31, perhaps with an ordinal's ending or as a range (3-5)."""
    match = re.fullmatch(r"([0-9]{1,2})(?:st|nd|rd|th)?(?:[-–][0-9]{1,2})?", word)
    return match is not None and 1 <= int(match[1]) <= 31


def is_year(word: str) -> bool:
    """Return whether a word is 1000 to 2099 in figures."""
    return len(word) == 4 and is_whole(word) and 1000 <= int(word) <= 2099


def month_named(word: str) -> str:
    """Return the month that a name or an abbreviation stands for; "" for another word.

    In small letters "may", "march", "mar" and "sep" are not sure enough.
    """
    bare = word.rstrip(".,").lower()
    if not word[:1].isupper() and bare in ("may", "march", "mar", "sep"):
        return ""
    return bare if bare in MONTHS else SAID["month_abbreviations"].get(bare, "")


# --- ambiguous figures ----------------------------------------------------------------------------


Weights = Mapping[str, Mapping[str, float]]  # reading -> feature -> weight


def features(figure: str, context: Context) -> list[str]:
    """Return the features of a figure and its two neighbours on either side."""
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
    """Choose among the admissible READINGS of a figure of a kind; "" where they are too alike."""
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
    """Return the most probable reading and its probability among the admissible ones."""
    scores = {
        reading: sum(weights[reading].get(each, 0.0) for each in ("", *found))
        for reading in admissible
    }
    best = max(scores, key=lambda reading: scores[reading])
    return best, 1 / sum(math.exp(score - scores[best]) for score in scores.values())


@cache
def _shipped() -> dict[str, tuple[Weights, float]]:
    """Load each kind's weights that come with the package and the least probability to take."""
    table = json.loads((FOLDER / "weights.json").read_text(encoding="utf-8"))
    return {kind: (entry["weights"], entry["sure"]) for kind, entry in table.items()}
