"""Rules for times of day, lengths of time, and dates."""

from __future__ import annotations

import re

from a3t.text.normaliser import numbers
from a3t.text.normaliser.context import Context, is_figure, month_named
from a3t.text.normaliser.figure_choice import chosen
from a3t.text.normaliser.numbers import said

FIVES = frozenset(f"{minute:02}" for minute in range(0, 60, 5))
"""Minutes that a time with a dot has, where nothing else tells it from a decimal."""
_HALF_OF_DAY = re.compile(r"[ap]\.?m\.?", re.IGNORECASE)


def clock(match: re.Match[str], context: Context) -> str:
    """3:45, 3:45pm, 15:30, 1:30:05."""
    hour, minute, second = int(match[1]), int(match[2]), match[3]
    half = (match[4] or "").replace(".", "").lower()
    if hour > 24 or minute > 59:
        return ""
    if second and int(second) < 60 and (int(second) or hour == 0) and not half:
        return numbers.elapsed(hour, minute, int(second))
    if context.after.lower() == "hours" and match[1].startswith("0") and minute == 0:
        return f"oh {numbers.cardinal(hour)} hundred"
    half_follows = _HALF_OF_DAY.fullmatch(context.after) is not None
    o_clock = not half and not half_follows and context.after.lower() not in ("o'clock", "hours")
    return said(numbers.clock(hour, minute, o_clock), " ".join(half))


def length(match: re.Match[str], context: Context) -> str:
    """2m30s, 1h20m, and 20m after 3h: lengths of time."""
    parts = [int(part or 0) for part in match.groups()]
    stated = sum(part is not None for part in match.groups())
    after_hours = stated == 1 and match[2] and re.fullmatch(r"\d+ ?h", context.before)
    if (stated < 2 and not after_hours) or not any(parts):
        return ""
    return numbers.elapsed(*parts)


def dotted_clock(match: re.Match[str], context: Context) -> str:
    """5.30pm, 5.30 before "p.m.", and where the words beside it say so: else it is a decimal."""
    if int(match[1]) > 12 or int(match[2]) > 59:
        return ""
    if not match[3] and not _HALF_OF_DAY.fullmatch(context.after):
        readings = ("decimal", "time") if match[2] in FIVES else ("decimal",)
        if chosen("dotted", match[0], context, readings) != "time":
            return ""
    half = (match[3] or "").replace(".", "").lower()
    return said(numbers.clock(int(match[1]), int(match[2]), o_clock=False), " ".join(half))


def hour(match: re.Match[str], _: Context) -> str:
    """7pm."""
    return f"{numbers.cardinal(match[1])} {match[2].lower()} m"


def half_of_day(match: re.Match[str], context: Context) -> str:
    """a.m. anywhere; AM and am after a figure; PM anywhere in capitals."""
    after_figure = is_figure(context.before) or context.before.lower() == "o'clock"
    alone = not context.before and not context.after
    named = alone or match[0] == "PM" or context.before.lower() in ("the", "this", "every")
    capitals = match[0].isupper() and context.capitals_mean
    spelled = after_figure or "." in match[0] or (capitals and named)
    return f"{match[1].lower()} m" if spelled else ""


def date(match: re.Match[str], _: Context) -> str:
    """2024-05-06, 5/6/2020, 13.06.2020; day and month change places where one can't be a month."""
    month, day = int(match["month"]), int(match["day"])
    if month > 12:
        month, day = day, month
    return numbers.date(month, day, match["year"]) if 1 <= month <= 12 and 1 <= day <= 31 else ""


def named_date(match: re.Match[str], _: Context) -> str:
    """Jan-15 and 15-Jan-2020."""
    day, month, last, year = match.groups()
    name = month_named(month.capitalize())
    if not name or (day is None) == (last is None) or not 1 <= int(day or last) <= 31:
        return ""
    return said(name, numbers.ordinal(day or last), numbers.spoken_year(year) if year else "")


def decade(match: re.Match[str], _: Context) -> str:
    """1980s, '80s, 80's."""
    return numbers.decade(match[1])


def decades(match: re.Match[str], _: Context) -> str:
    """1960s-80s, the '60s–'70s."""
    return f"{numbers.decade(match[1])} to {numbers.decade(match[2])}"


def short_year(match: re.Match[str], _: Context) -> str:
    """'05."""
    return numbers.spoken_year(match[1])
