"""Rules for figures with units: 5kg, 60 km/h, 6'2", 12", 5-10%, 3M."""

from __future__ import annotations

import re

from a3t.text.normaliser import numbers
from a3t.text.normaliser.context import Context, is_figure, is_one
from a3t.text.normaliser.kinds.numerals import grouped
from a3t.text.normaliser.vocabulary import CALLED_IN_PAIRS, NOT_UNITS, UNITS

UNIT = r"[A-Za-zμ°%‰¢Ω]+(?:\^?[23])?(?:/[A-Za-zμ]+(?:\^?[23])?)?"
_POWERS = {"2": "square", "3": "cubic"}
_LENGTHS = frozenset("km m cm mm μm mi yd ft in s".split())


_SCALED = frozenset(numbers.SCALES) - {"k", "m", "mn", "b", "bn", "t", "tn"}
_COUNTED = frozenset(
    "people users views subscribers followers downloads listeners viewers customers copies plays "
    "dollars pounds euros jobs streams visitors members".split()
)
_RACES = frozenset(
    "run runs race races runner runners walk walks tv video videos footage monitor display screen "
    "resolution camera".split()
)


def primes(match: re.Match[str], context: Context) -> str:
    """12" and 6': inches and feet."""
    singular = match[1] == "1" or context.noun_follows(context.before)
    one, more = ("inch", "inches") if match[2] == '"' else ("foot", "feet")
    return f"{grouped(match[1])} {one if singular else more}"


def height(match: re.Match[str], _: Context) -> str:
    """6'2": six foot two."""
    return f"{numbers.cardinal(match[1])} foot {numbers.cardinal(match[2])}"


def quantity(match: re.Match[str], context: Context) -> str:
    """5kg, 60km/h, 5-10%, 3M."""
    figure, hyphen, unit = match.groups()
    figures = re.split(r"(?<=[0-9])[-–](?=[0-9])", figure)
    words = " to ".join(grouped(part.lstrip("-")) for part in figures)
    words = f"minus {words}" if figure.startswith("-") else words
    if unit == "k" and context.after.lower() in _RACES:
        return f"{words} k"
    named = context.name_follows or context.before_that.lower() in CALLED_IN_PAIRS  # room is 4B
    billions = unit == "B" and ("." in figure or len(figure) < 3) and not named
    if unit == "m" and context.after.lower() in _COUNTED:
        return f"{words} million"
    if unit == "in" and not hyphen:
        return f"{words} {'inch' if figure == '1' else 'inches'}"
    if unit in ("k", "M", "bn") or (billions and context.before.lower() not in ("apt", "no")):
        return f"{words} {numbers.SCALES[unit.lower()]}"
    if unit == "p" and len(figure) > 2:
        return ""  # 1080p; pence have two figures
    singular = hyphen or figure in ("1", "-1") or context.noun_follows(context.before)
    singular = singular or (unit.isalpha() and unit != "x" and context.noun_seems_to_follow)
    name = "p" if unit == "p" else unit_name(unit, one=bool(singular))
    return f"{words} {name}" if name else ""


def unit(match: re.Match[str], context: Context) -> str:
    """A unit that stands apart from its figure: 5 kg, 10 sq ft."""
    written = match[0]
    if context.before.lower() in ("degrees", "degree") and written in ("C", "F"):
        return "celsius" if written == "C" else "fahrenheit"
    if written in ("°C", "°F"):
        return unit_name(written, one=False)
    if written.lower() == "x":
        between = is_figure(context.before) and is_figure(context.after)
        return "" if not between else "times" if context.equals_follows else "by"
    linked = context.before.lower() in {"sq", "cu", *_SCALED} and is_figure(context.before_that)
    if not (is_figure(context.before) or is_one(context.before) or linked):
        return ""
    if written in ("sq", "cu") and not UNITS.get(context.after.lower()):
        return ""
    if written == "in":
        last = not context.after or context.before_that.lower() in ("ft", "feet", "foot")
        return "inches" if last else ""
    singular = is_one(context.before) or context.noun_follows(context.before_that)
    return unit_name(written, one=singular)


def unit_name(unit: str, one: bool) -> str:
    """Words for "km", "m²", "km/h" after a figure; "" if it is no unit."""
    above, per, below = unit.partition("/")
    name, divisor = _one_unit(above, one), _one_unit(below, one=True, after=True)
    if not name or (per and not divisor):
        return ""
    return f"{name} per {divisor}" if per else name


def _one_unit(written: str, one: bool, after: bool = False) -> str:
    match = re.fullmatch(r"(.*?[A-Za-zΩ°%‰¢])(?:\^?([23]))?", written)
    names = UNITS.get(match[1].lower()) if match else None
    if match is None or names is None or written in NOT_UNITS:
        return ""
    if match[2] and "^" not in written and match[1].lower() not in _LENGTHS:
        return ""  # 24H2
    words = names[0 if one else 1]
    if match[2] and after and match[1] == "s":
        return f"{words} {'squared' if match[2] == '2' else 'cubed'}"
    return f"{_POWERS[match[2]]} {words}" if match[2] else words
