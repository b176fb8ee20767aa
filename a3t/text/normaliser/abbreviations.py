"""Abbreviations, told apart by their full stop and by the words beside them."""

from __future__ import annotations

from a3t.text.normaliser.context import Context, is_day, is_figure, is_one, is_year, month_named
from a3t.text.normaliser.kinds.codes import book_of_bible
from a3t.text.normaliser.vocabulary import (
    ABBREVIATIONS,
    AFTER_COMMA,
    AFTER_NAMES,
    ALSO_BARE,
    BEFORE_NUMBERS,
    COMPASS,
    DOTTED_TITLES,
    MONTH_ABBREVIATIONS,
    NAMES_ONLY_DOTTED,
    ONLY_MONTHS,
    SMALL_ONLY,
    STATES,
    TITLES,
    UNITS,
    WEEKDAYS,
    WITH_COMPASS,
)


def expand(core: str, full_stop: bool, near: Context) -> str:
    """Words for an abbreviation ("Dr" before a name -> doctor); "" if `core` isn't one here.

    `full_stop` says that one follows the core.
    """
    key = core.lower()
    if not near.capitals_mean:
        return _in_capitals(key, full_stop)
    found = (
        book_of_bible(core, near)
        or _before_figure(core, key, full_stop, near)
        or _month_or_day(core, key, full_stop, near)
        or _unit(key, full_stop, near)
        or _with_name(core, key, full_stop, near)
        or _state(core, near)
    )
    if not found and full_stop and not near.before and not near.after and key in AFTER_COMMA:
        found = AFTER_NAMES[key]
    if not found and (full_stop or "." in key) and not (core[:1].isupper() and key in SMALL_ONLY):
        found = ABBREVIATIONS.get(key, "") or (TITLES.get(key, "") if core[:1].isupper() else "")
    return found or ALSO_BARE.get(key, "")


def _in_capitals(key: str, full_stop: bool) -> str:
    """Read a text all in capitals, where neither names nor small letters tell anything."""
    found = ALSO_BARE.get(key, "")
    if full_stop and not found and key not in ("st", "ste", "lt"):
        found = TITLES.get(key, "")
    return found


def _with_name(core: str, key: str, full_stop: bool, near: Context) -> str:
    if not core[:1].isupper():
        # "Roe v. Wade"
        return "versus" if key == "v" and full_stop and near.before[:1].isupper() else ""
    company = key == "co" and near.before.lower() in ("&", "and") and full_stop
    after_name = near.after_name or company or near.before[-2:] in ("st", "nd", "rd", "th")
    if near.pause_before and key in AFTER_COMMA and near.before[:1].isupper():
        after_name = True
    street = AFTER_NAMES.get(key, "")
    numbered = is_figure(near.before_that)  # 12 Oak Ct
    if street and key in NAMES_ONLY_DOTTED and not full_stop and not numbered:
        street = ""
    if after_name and street and (key not in TITLES or not near.name_follows):
        return street
    if key in COMPASS and near.street_follows:
        return COMPASS[key]
    if near.name_follows:
        if key in COMPASS and full_stop:
            numbered = is_figure(near.before) or near.after.lower() in WITH_COMPASS
            return COMPASS[key] if numbered else ""
        return TITLES.get(key, "") or (DOTTED_TITLES.get(key, "") if full_stop else "")
    with_title = near.after.lower() in ("and", "&") and not near.pause_after
    return TITLES.get(key, "") if with_title and key in ("dr", "ms", "prof") else ""


def _before_figure(core: str, key: str, full_stop: bool, near: Context) -> str:
    if not is_figure(near.after) or near.pause_after:
        return ""
    if core == "No" and near.before and not near.pause_before:
        return "number"  # "at No 10"
    if key == "est" and not is_year(near.after):
        return "estimated"
    if key in ("v", "c", "st", "p", "art") and core[:1].isupper():
        return ""
    if key in ("apt", "ste") and core[:1].isupper():
        return BEFORE_NUMBERS[key]
    if core in ("Ep", "Eps"):
        return BEFORE_NUMBERS[key]
    return BEFORE_NUMBERS.get(key, "") if full_stop else ""


def _month_or_day(core: str, key: str, full_stop: bool, near: Context) -> str:
    month = MONTH_ABBREVIATIONS.get(key, "")
    if not core[:1].isupper() or core.isupper():
        beside = is_day(near.after) and not near.pause_after
        sure = core.isupper() or key not in ("mar", "may", "sep", "sept")
        beside = beside or (is_day(near.before) and is_year(near.after))
        dotted = full_stop and (key in ONLY_MONTHS - {"dec", "oct"} or is_day(near.after))
        return month if month and month != key and ((sure and beside) or dotted) else ""
    if month and month != key:
        dated = is_day(near.before) or is_day(near.after) or is_year(near.after)
        return month if dated or (full_stop and key in ONLY_MONTHS) else ""
    day = WEEKDAYS.get(key, "")
    if not day:
        return ""
    dated = is_day(near.after) or bool(month_named(near.after))
    phrase = full_stop and near.after in ("morning", "afternoon", "evening", "night")
    sure = key not in ("sat", "sun", "wed") and full_stop
    return day if dated or phrase or sure else ""


def _unit(key: str, full_stop: bool, near: Context) -> str:
    if not full_stop or not (is_figure(near.before) or is_one(near.before)):
        return ""
    singular = is_one(near.before) or near.noun_follows(near.before_that)
    if key == "in":
        goes_on = not near.after or not near.after[:1].isupper()
        return ("inch" if singular and near.before == "1" else "inches") if goes_on else ""
    return UNITS[key][0 if singular else 1] if key in UNITS and key != "x" else ""


def _state(core: str, near: Context) -> str:
    """Portland, OR; Austin, TX 78701."""
    named = near.pause_before and near.before[:1].isupper() and core in STATES
    ends = near.pause_after or not near.after or near.after[:5].isdigit()
    return STATES[core] if named and ends else ""
