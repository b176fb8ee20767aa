"""Abbreviations, told apart by their full stop and by the words beside them."""

from __future__ import annotations

from dataclasses import dataclass

from a3t.text.numbers import MONTHS
from a3t.text.vocabulary import (
    ABBREVIATIONS,
    AFTER_NAMES,
    ALSO_BARE,
    BEFORE_NUMBERS,
    DOTTED_TITLES,
    MONTH_ABBREVIATIONS,
    TITLES,
    UNITS,
)


@dataclass(frozen=True)
class Neighbours:
    """Cores of the tokens around, and whether a pause parts this one from them."""

    before: str
    after: str
    pause_before: bool
    pause_after: bool  # other than this token's own full stop


def expand(core: str, full_stop: bool, near: Neighbours) -> list[str]:
    """Words for an abbreviation ("Dr" before a name -> doctor); [] if `core` isn't one here.

    `full_stop` says that one follows the core.
    """
    key = core.lower()
    name_follows = near.after[:1].isupper() and not near.pause_after
    name_precedes = near.before[:1].isupper() and not near.pause_before
    found = ""
    if name_follows and core[:1].isupper() and (full_stop or key not in ("ste", "st")):
        # "Main St. Paul …": a street only where no name follows.
        found = TITLES.get(key, "") or (DOTTED_TITLES.get(key, "") if full_stop else "")
    if not found and full_stop and near.after[:1].isdigit():
        found = BEFORE_NUMBERS.get(key, "")
    if not found and (full_stop or near.before.isdigit()):
        found = _month(core, near)
    if not found and full_stop and near.before[:1].isdigit() and key in UNITS:
        found = UNITS[key][0 if near.before == "1" else 1]
    if not found and full_stop and near.before[:1].isdigit() and key == "in" and not near.after:
        found = "inches"
    if not found and full_stop and name_precedes and core[:1].isupper():
        found = AFTER_NAMES.get(key, "")
    if not found and (full_stop or "." in key):
        found = ABBREVIATIONS.get(key, "") or (TITLES.get(key, "") if core[:1].isupper() else "")
    return (found or ALSO_BARE.get(key, "")).split()


def _month(core: str, near: Neighbours) -> str:
    month = MONTH_ABBREVIATIONS.get(core.lower(), "")
    figure_near = near.before.rstrip("stndrh").isdigit() or near.after[:1].isdigit()
    return month if month in MONTHS and core[:1].isupper() and figure_near else ""
