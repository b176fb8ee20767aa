"""Rules for figures: numbers, money, measures, times and dates."""

from __future__ import annotations

import re
from math import gcd

from a3t.text.normaliser import numbers
from a3t.text.normaliser.context import (
    Context,
    chosen,
    is_day,
    is_figure,
    is_function_word,
    is_one,
    is_whole,
    month_named,
)
from a3t.text.normaliser.numbers import grouped, said
from a3t.text.normaliser.vocabulary import CURRENCY_CODES, SAID, UNITS, WORDS

# --- numbers --------------------------------------------------------------------------------------

NUMBER = r"(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?|\.[0-9]+"


_OPERATORS = {
    "-": "minus", "−": "minus", "+": "plus", "*": "times", "x": "times", "×": "times",
    "/": "divided by", "÷": "divided by", "=": "equals",
}  # fmt: skip
_TENS = {2: "tens", 3: "hundreds", 4: "thousands", 7: "millions"}
SCALE = "k|mn?|bn?|tn?|hundred|[mbt]r?illion|thousand|lakhs?|crores?"
_SIGNS = "".join(numbers.CURRENCY_SIGNS)
AMOUNT = (
    rf"(?P<sign>[-+~≈]?)(?P<prefix>US|CA|AU|HK|NZ|A|C|R|S)?(?P<symbol>[{_SIGNS}])(?P<minus>-?)"
    rf"(?P<amount>{NUMBER})(?:(?P<low>{SCALE})?[-–](?P<symbol_again>[{_SIGNS}]?)(?P<upper>{NUMBER}))?"
)
"""An amount without what may follow it: a scale, "per", a plus."""
MONEY = rf"{AMOUNT}-?(?P<scale>{SCALE})?(?P<plus>\+)?(?:/(?P<per>[a-z]+))?"
CODED = rf"({NUMBER})?({'|'.join(CURRENCY_CODES)})"
AMOUNT_FIRST = rf"(?P<amount>{NUMBER})(?P<symbol>[{_SIGNS}])"
_SAID_SIGNS = {"-": "minus", "+": "plus", "~": "about", "≈": "about"}
UNIT = r"[A-Za-zμ°%‰¢Ω]+(?:\^?[23])?(?:/[A-Za-zμ]+(?:\^?[23])?)?"
_POWERS = {"2": "square", "3": "cubic"}
_LENGTHS = frozenset("km m cm mm μm mi yd ft in s".split())
_SCALED = frozenset(SAID["scales"]) - {"k", "m", "mn", "b", "bn", "t", "tn"}
_SUMS = frozenset("+ - − × * / ÷ = < > ≤ ≥ ≈ ^".split())
_SIDES = {"L": "left", "R": "right", "C": "center"}
FIVES = frozenset(f"{minute:02}" for minute in range(0, 60, 5))
"""Minutes that a time with a dot has, where nothing else tells it from a decimal."""
_HALF_OF_DAY = re.compile(r"[ap]\.?m\.?", re.IGNORECASE)


def calculation(match: re.Match[str], _: Context) -> str:
    """Read 10-3=7: where something is equal, a dash is a minus."""
    parts = re.findall(rf"{NUMBER}|[^0-9.]", match[0])
    return said(*(_OPERATORS.get(part) or grouped(part) for part in parts))


def subtraction(match: re.Match[str], context: Context) -> str:
    """Read 5-3 before an equals sign; else it is a range."""
    return f"{grouped(match[1])} minus {grouped(match[2])}" if context.equals_follows else ""


def fraction(match: re.Match[str], context: Context) -> str:
    """Read 3/4, 1/4th, and 2-3/4 or 3/4 after a whole number; 4/21 is a date."""
    above, below = int(match[2]), int(match[3])
    numerator, denominator = numbers.cardinal(above), numbers.cardinal(below)
    if context.equals_follows and not match[1]:
        return f"{numerator} divided by {denominator}"
    if not match[1] and ((above, below) in ((24, 7), (9, 11)) or _keeps_time(match, context)):
        return f"{numerator} {denominator}"
    in_play = above > 30 and 0 < below < 11 and not match[1]
    if in_play and (above % below or context.around & WORDS["cricket"]):  # runs for wickets
        return f"{numbers.pairs(match[2]) if above > 99 else numerator} for {denominator}"
    mixed = is_whole(context.before) and not context.pause_before  # 2 1/2
    if not match[1] and match[4] is None and not mixed:
        can_be_date = 1 <= above <= 12 and 1 <= below <= 31
        if (below == 1 and not can_be_date) or "odds" in (context.before, context.before_that):
            return f"{numerator} to {denominator}"
        readings = ["part", *["date"] * can_be_date, *["out of"] * (1 <= above <= below)]
        meant = chosen("slash", match[0], context, readings)
        small = 1 < below <= 12 and gcd(above, below) == 1
        if meant == "date" and small and not context.dated:
            meant = "part"
        by_rule = can_be_date and (below == 1 or (below >= 13 and below not in (16, 20)))
        if meant == "date" or (by_rule and not meant):
            return f"{numbers.MONTHS[above - 1]} {numbers.ordinal(below)}"
        if meant == "out of":
            return f"{numerator} out of {denominator}"
    if match[1]:
        whole = numbers.cardinal(match[1].rstrip("-"))
        return f"{whole} {numbers.fraction(above, below, after_whole=True)}"
    return _part(above, below, is_whole(context.before) and above < below, context)


def _keeps_time(match: re.Match[str], context: Context) -> bool:
    """Return whether 6/8 is a time signature."""
    above, below, after = int(match[2]), match[3], context.after.lower()
    if below not in ("2", "4", "8", "16") or not 2 <= above <= 15 or match[4]:
        return False
    if after in WORDS["music_after"] and not context.pause_after:
        return True
    part = after in ("of", "a", "an", "the", "full", "cup", "inch", "mile", "hour") or is_whole(
        context.before
    )
    if part or context.before.lower() in ("on", "by", "until", "since", "dated"):
        return False
    goes_on = not after or context.pause_after or is_function_word(after)
    counted = context.before == "in" and above != 1 and goes_on
    return counted or str(above) == below or bool(context.around & WORDS["music"])


def vulgar(match: re.Match[str], context: Context) -> str:
    """Read ½ and 2½."""
    above, below = numbers.VULGAR[match[2]]
    if match[1]:
        return f"{numbers.plain(match[1])} {numbers.fraction(above, below, after_whole=True)}"
    return _part(above, below, is_whole(context.before), context)


def _part(above: int, below: int, after_whole: bool, context: Context) -> str:
    if (above, below) == (1, 2) and context.after.lower() in ("a", "an", "the"):
        return "half"
    return numbers.fraction(above, below, after_whole)


def ordinal(match: re.Match[str], context: Context) -> str:
    """Read 21st; 3rd March -> the third of march."""
    if month_named(context.after) and is_day(match[1]) and not context.pause_after:
        return _day(match[1], context)
    return numbers.ordinal(match[1])


def _day(digits: str, context: Context) -> str:
    """Return a day before its month in words."""
    the = "" if context.before.lower() == "the" else "the"
    return said(the, numbers.ordinal(digits), "of")


def many(match: re.Match[str], context: Context) -> str:
    """Read 100s of, 10,000s of: hundreds, tens of thousands."""
    if context.after.lower() != "of":
        return ""
    size = len(match[1].replace(",", ""))
    return f"{_TENS[size - 3]} of thousands" if size in (5, 6) else _TENS.get(size, "")


def number(match: re.Match[str], context: Context) -> str:
    """Read everything else that is only figures; beside a month, a day."""
    text = match[0]
    if is_whole(text) and is_day(text) and not (len(text) == 2 and text[0] == "0"):
        if month_named(context.before) and not context.pause_before:
            return numbers.ordinal(text)
        if context.before == "march" and not context.noun_follows("a"):
            return numbers.ordinal(text)
        if month_named(context.after) and not context.pause_after:
            return _day(text, context)
    if is_whole(text) and numbers.reads_as_year(text):
        counted = chosen("whole", text, context, ("year", "number")) == "number"
        return numbers.cardinal(text) if counted else numbers.year(text)
    return grouped(text) if "," in text else numbers.plain(text)


# --- money ----------------------------------------------------------------------------------------


def money(match: re.Match[str], context: Context) -> str:
    """Read $5.20, -£3m, C$50, $5-10, $1.50-$2, $20/hr, $1M+."""
    scale = SAID["scales"].get((match["scale"] or "").lower(), "")
    symbol, prefix = match["symbol"], (match["prefix"] or "").upper()
    if prefix and symbol != "$":
        return ""
    if prefix == "R":
        symbol, prefix = "R$", ""
    question = context.before.lower() == "the" and context.noun_seems_to_follow  # the $5 question
    noun = (question or context.noun_follows(context.before)) and not match["per"]

    def amount(figures: str) -> str:
        words = numbers.money(figures, symbol, scale, attributive=noun)
        country = SAID["dollars"].get(prefix, "")
        return re.sub(r"\bdollars?\b", lambda own: said(country, own[0]), words, count=1)

    first, upper, per = match["amount"], match["upper"], (match["per"] or "").lower()
    if upper:
        exact = match["symbol_again"] and "." in first + upper
        low = SAID["scales"].get((match["low"] or "").lower(), "")
        low = low if low != scale else ""
        first = f"{amount(first) if exact and not low else said(grouped(first), low)} to"
    per = "day" if per == "d" else per
    return said(
        "minus" if match["minus"] else _SAID_SIGNS.get(match["sign"], ""),
        first if upper else "",
        amount(upper or match["amount"]),
        "plus" if match["plus"] else "",
        f"per {UNITS.get(per, (per,))[0].lower()}" if per else "",
    )


def amount_first(match: re.Match[str], context: Context) -> str:
    """Read 20€ and 5.50€."""
    return numbers.money(match["amount"], match["symbol"])


def currency_code(match: re.Match[str], context: Context) -> str:
    """Read 20USD, and USD after an amount."""
    amount = match[1] or context.before
    if not is_figure(amount):
        return ""
    words = CURRENCY_CODES[match[2]][0 if amount == "1" else 1]
    return f"{grouped(match[1])} {words}" if match[1] else words


# --- measures -------------------------------------------------------------------------------------


def primes(match: re.Match[str], context: Context) -> str:
    """Read 12" and 6': inches and feet."""
    singular = match[1] == "1" or context.noun_follows(context.before)
    one, more = ("inch", "inches") if match[2] == '"' else ("foot", "feet")
    return f"{grouped(match[1])} {one if singular else more}"


def quantity(match: re.Match[str], context: Context) -> str:
    """Read 5kg, 60km/h, 5-10%, 3M."""
    figure, hyphen, unit = match.groups()
    before = context.before.lower()
    figures = re.split(r"(?<=[0-9])[-–](?=[0-9])", figure)
    words = " to ".join(grouped(part.lstrip("-")) for part in figures)
    words = f"minus {words}" if figure.startswith("-") else words
    if not hyphen and (label := _label(figure, unit, context)):
        return label
    if unit == "k" and {context.after.lower(), before} & WORDS["races"]:
        return f"{words} k"
    room = context.before_that.lower() in WORDS["called_in_pairs"]  # room is 4B
    named = context.name_follows or room
    billions = unit == "B" and ("." in figure or len(figure) < 3) and not named
    if unit == "m" and context.after.lower() in WORDS["counted"]:
        return f"{words} million"
    if unit == "in" and not hyphen:
        return f"{words} {'inch' if figure == '1' else 'inches'}"
    if unit in ("k", "M", "bn") or (billions and context.before.lower() not in ("apt", "no")):
        return f"{words} {SAID['scales'][unit.lower()]}"
    if unit == "p" and len(figure) > 2:
        return ""  # 1080p; pence have two figures
    singular = hyphen or figure in ("1", "-1") or context.noun_follows(context.before)
    singular = singular or (unit.isalpha() and unit != "x" and context.noun_seems_to_follow)
    name = "p" if unit == "p" else unit_name(unit, one=bool(singular))
    return f"{words} {name}" if name else ""


def _label(figure: str, letter: str, context: Context) -> str:
    """Read runway 27L, seat 12C, 2x + 1, 3M tape, 2M NaCl: a letter that is no unit; or ""."""
    before, after = context.before.lower().removesuffix("s"), context.after
    if len(letter) > 1 or not letter.isalpha():
        return ""
    if before == "runway" and letter in _SIDES:
        return f"{numbers.spell_digits(figure)} {_SIDES[letter]}"
    term = letter in "abknpqrtxyz" and (after in _SUMS or context.before in _SUMS)
    if before in WORDS["labelled"] or term:
        return f"{numbers.plain(figure)} {letter.lower()}"
    if letter == "M" and context.around & WORDS["chemistry"]:
        return f"{grouped(figure)} molar"
    if (figure, letter) != ("3", "M") or after in WORDS["counted"] or after.endswith("s"):
        return ""
    return "" if context.before.lower() in WORDS["about"] else "three m"


def unit(match: re.Match[str], context: Context) -> str:
    """Read a unit that stands apart from its figure: 5 kg, 10 sq ft."""
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
    if written == "M":  # no meters, which have a small letter
        return "molar" if context.around & WORDS["chemistry"] else ""
    if written in ("sq", "cu") and not UNITS.get(context.after.lower()):
        return ""
    if written == "in":
        last = not context.after or context.before_that.lower() in ("ft", "feet", "foot")
        return "inches" if last else ""
    singular = is_one(context.before) or context.noun_follows(context.before_that)
    return unit_name(written, one=singular)


def unit_name(unit: str, one: bool) -> str:
    """Return the words for "km", "m²", "km/h" after a figure; "" if it is no unit."""
    above, per, below = unit.partition("/")
    name, divisor = _one_unit(above, one), _one_unit(below, one=True, after=True)
    if not name or (per and not divisor):
        return ""
    return f"{name} per {divisor}" if per else name


def _one_unit(written: str, one: bool, after: bool = False) -> str:
    match = re.fullmatch(r"(.*?[A-Za-zΩ°%‰¢])(?:\^?([23]))?", written)
    names = UNITS.get(match[1].lower()) if match else None
    other = written in WORDS["not_units"] or re.fullmatch("[A-Z]+s", written)  # HRs: no hours
    if match is None or names is None or other:
        return ""
    if match[2] and "^" not in written and match[1].lower() not in _LENGTHS:
        return ""  # 24H2
    words = names[0 if one else 1]
    if match[2] and after and match[1] == "s":
        return f"{words} {'squared' if match[2] == '2' else 'cubed'}"
    return f"{_POWERS[match[2]]} {words}" if match[2] else words


# --- times and dates ------------------------------------------------------------------------------


def clock(match: re.Match[str], context: Context) -> str:
    """Read 3:45, 3:45pm, 15:30, 1:30:05."""
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
    """Read 2m30s, 1h20m, and 20m after 3h: lengths of time."""
    parts = [int(part or 0) for part in match.groups()]
    stated = sum(part is not None for part in match.groups())
    after_hours = stated == 1 and match[2] and re.fullmatch(r"\d+ ?h", context.before)
    if (stated < 2 and not after_hours) or not any(parts):
        return ""
    return numbers.elapsed(*parts)


def dotted_clock(match: re.Match[str], context: Context) -> str:
    """Read 5.30pm, 5.30 before "p.m.", and where the words beside it say so.

    Else it is a decimal.
    """
    if int(match[1]) > 12 or int(match[2]) > 59:
        return ""
    if not match[3] and not _HALF_OF_DAY.fullmatch(context.after):
        readings = ("decimal", "time") if match[2] in FIVES else ("decimal",)
        if chosen("dotted", match[0], context, readings) != "time":
            return ""
    half = (match[3] or "").replace(".", "").lower()
    return said(numbers.clock(int(match[1]), int(match[2]), o_clock=False), " ".join(half))


def half_of_day(match: re.Match[str], context: Context) -> str:
    """Read a.m. anywhere; AM and am after a figure; PM anywhere in capitals."""
    after_figure = is_figure(context.before) or context.before.lower() == "o'clock"
    alone = not context.before and not context.after
    named = alone or match[0] == "PM" or context.before.lower() in ("the", "this", "every")
    capitals = match[0].isupper() and context.capitals_mean
    spelled = after_figure or "." in match[0] or (capitals and named)
    return f"{match[1].lower()} m" if spelled else ""


def date(match: re.Match[str], _: Context) -> str:
    """Read 2024-05-06, 5/6/2020, 13.06.2020.

    Day and month change places where one can't be a month.
    """
    month, day = int(match["month"]), int(match["day"])
    if month > 12:
        month, day = day, month
    return numbers.date(month, day, match["year"]) if 1 <= month <= 12 and 1 <= day <= 31 else ""


def named_date(match: re.Match[str], _: Context) -> str:
    """Read Jan-15, Jan-15-2020 and 15-Jan-2020."""
    day, month, last = match.groups()[:3]
    year = match[4] or match[5]
    name = month_named(month.capitalize())
    if not name or (day is None) == (last is None) or not 1 <= int(day or last) <= 31:
        return ""
    return said(name, numbers.ordinal(day or last), numbers.spoken_year(year) if year else "")


def named_range(match: re.Match[str], context: Context) -> str:
    """Read Mon.–Fri., January-March, A-Z."""
    ends = []
    for written in match.groups():
        key = written.lower()
        name = SAID["weekdays"].get(key) or SAID["month_abbreviations"].get(key)
        whole = key in numbers.MONTHS or key in SAID["weekdays"].values()
        if not written[0].isupper() or not (name or whole or len(key) == 1):
            return ""
        ends.append(name or key)
    one_letter = [len(match[1]) == 1, len(match[2]) == 1]
    if any(one_letter) and (match[1], match[2]) not in (("A", "Z"), ("A", "B")):
        return ""
    return f"{ends[0]} to {ends[1]}"


def of_year(match: re.Match[str], _: Context) -> str:
    """Read 49ers: forty niners."""
    words = numbers.cardinal(match[1])
    return f"{words}rs" if words.endswith("e") else f"{words}ers"


def isotope(match: re.Match[str], _: Context) -> str:
    """Read ¹⁴C: carbon fourteen."""
    name = SAID["elements"].get(match[2], "")
    return f"{name} {numbers.pairs(match[1])}" if name else ""


def per_unit(match: re.Match[str], context: Context) -> str:
    """Read 12/kg: a price that names no currency."""
    below = unit_name(match[2], one=True)
    return f"{grouped(match[1])} per {below}" if below else ""


def rating(match: re.Match[str], context: Context) -> str:
    """Read 9.5/10, and 8/10: so many out of ten."""
    if "." not in match[1] and match[2] != "10":
        return ""
    part = context.after.lower() in ("full", "empty", "of", "done", "complete", "mile", "inch")
    mixed = is_whole(context.before) and not context.pause_before  # 11 1/10 miles
    if match[1] == match[2] or context.equals_follows or part or mixed:
        return ""
    return f"{numbers.plain(match[1])} out of {numbers.cardinal(match[2])}"
