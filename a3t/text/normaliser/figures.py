"""Rules for tokens with figures: money, times, dates, telephone numbers, fractions, measures."""

from __future__ import annotations

import re

from a3t.text.normaliser import numbers
from a3t.text.normaliser.context import Context, is_day, is_figure, is_whole, month_named
from a3t.text.normaliser.vocabulary import (
    CALLED_IN_PAIRS,
    CURRENCY_CODES,
    DIALLED,
    DOLLARS,
    NOT_UNITS,
    STATES,
    UNITS,
)

NUMBER = r"(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?|\.[0-9]+"
UNIT = r"[A-Za-zμ°%‰¢Ω]+(?:\^?[23])?(?:/[A-Za-zμ]+(?:\^?[23])?)?"
_SIGNS = "".join(numbers.CURRENCIES)
MONEY = (
    rf"(?P<sign>-?)(?P<prefix>US|CA|AU|HK|NZ|A|C|S)?(?P<symbol>[{_SIGNS}])(?P<minus>-?)(?P<amount>{NUMBER})"
    rf"(?:[-–][{_SIGNS}]?(?P<upper>{NUMBER}))?"
    r"-?(?P<scale>k|mn?|bn?|tn?|hundred|[mbt]r?illion|thousand)?(?:/(?P<per>[a-z]+))?"
)
CODED = rf"({NUMBER})?({'|'.join(CURRENCY_CODES)})"
AMOUNT_FIRST = rf"(?P<amount>{NUMBER})(?P<symbol>[{_SIGNS}])"
_HALF_OF_DAY = re.compile(r"[ap]\.?m\.?", re.IGNORECASE)
_POWERS = {"2": "square", "3": "cubic"}


def money(match: re.Match[str], context: Context) -> list[str]:
    """$5.20, -£3m, C$50, $5-10, $20/hr."""
    scale = numbers.SCALES.get((match["scale"] or "").lower(), "")
    symbol = match["symbol"]
    if match["prefix"] and symbol != "$":
        return []
    words = ["minus"] if match["sign"] or match["minus"] else []
    if match["upper"]:
        words += [*grouped(match["amount"]), "to"]
    noun = context.noun_follows(context.before) and not match["per"]
    words += numbers.money(match["upper"] or match["amount"], symbol, scale, attributive=noun)
    country = DOLLARS.get((match["prefix"] or "").upper(), "").split()
    if country and not {"dollar", "dollars"}.isdisjoint(words):
        at = [word in ("dollar", "dollars") for word in words].index(True)
        words[at:at] = country
    if match["per"]:
        words += ["per", *(UNITS.get(match["per"].lower(), (match["per"],))[0].lower().split())]
    return words


def amount_first(match: re.Match[str], context: Context) -> list[str]:
    """20€ and 5.50€."""
    return numbers.money(match["amount"], match["symbol"])


def currency_code(match: re.Match[str], context: Context) -> list[str]:
    """20USD, and USD after an amount."""
    amount = match[1] or context.before
    if not is_figure(amount):
        return []
    words = CURRENCY_CODES[match[2]][0 if amount == "1" else 1].split()
    return [*grouped(match[1]), *words] if match[1] else words


def clock(match: re.Match[str], context: Context) -> list[str]:
    """3:45, 3:45pm, 15:30, 1:30:05."""
    hour, minute, second = int(match[1]), int(match[2]), match[3]
    half = (match[4] or "").replace(".", "").lower()
    if hour > 24 or minute > 59:
        return []
    if second and int(second):
        return [*numbers.elapsed(hour, minute, int(second)), *half]
    if context.after.lower() == "hours" and match[1].startswith("0") and minute == 0:
        return ["oh", *numbers.cardinal(hour), "hundred"]
    half_follows = _HALF_OF_DAY.fullmatch(context.after) is not None
    o_clock = not half and not half_follows and context.after.lower() not in ("o'clock", "hours")
    return [*numbers.clock(hour, minute, o_clock), *half]


def dotted_clock(match: re.Match[str], context: Context) -> list[str]:
    """5.30pm, and 5.30 before "p.m.": elsewhere it is a decimal."""
    if not match[3] and not _HALF_OF_DAY.fullmatch(context.after):
        return []
    if int(match[1]) > 12 or int(match[2]) > 59:
        return []
    half = (match[3] or "").replace(".", "").lower()
    return [*numbers.clock(int(match[1]), int(match[2]), o_clock=False), *half]


def ratio(match: re.Match[str], _: Context) -> list[str]:
    """2:1."""
    return [*numbers.cardinal(match[1]), "to", *numbers.cardinal(match[2])]


def hour(match: re.Match[str], _: Context) -> list[str]:
    """7pm."""
    return [*numbers.cardinal(match[1]), match[2].lower(), "m"]


def half_of_day(match: re.Match[str], context: Context) -> list[str]:
    """a.m. anywhere; AM and am after a figure; PM anywhere in capitals."""
    after_figure = is_figure(context.before) or context.before.lower() == "o'clock"
    alone = not context.before and not context.after
    named = alone or match[0] == "PM" or context.before.lower() in ("the", "this", "every")
    capitals = match[0].isupper() and context.capitals_mean
    spelled = after_figure or "." in match[0] or (capitals and named)
    return [match[1].lower(), "m"] if spelled else []


def iso_date(match: re.Match[str], _: Context) -> list[str]:
    """2024-05-06."""
    return _checked_date(int(match[2]), int(match[3]), match[1])


def slash_date(match: re.Match[str], _: Context) -> list[str]:
    """5/6/2020: the month first, unless that can't be."""
    first, second = int(match[1]), int(match[2])
    month, day = (second, first) if first > 12 else (first, second)
    return _checked_date(month, day, match[3])


def dot_date(match: re.Match[str], _: Context) -> list[str]:
    """13.06.2020: the day first."""
    return _checked_date(int(match[2]), int(match[1]), match[3])


def _checked_date(month: int, day: int, year: str) -> list[str]:
    return numbers.date(month, day, year) if 1 <= month <= 12 and 1 <= day <= 31 else []


def telephone(match: re.Match[str], _: Context) -> list[str]:
    """555-1234, +44-20-…, 1-800-555-0199."""
    digits = match[0].lstrip("+")
    words = ["plus"] if match[0].startswith("+") else []
    if digits.startswith("1-800-"):
        return [*words, "one", "eight", "hundred", *numbers.spell_digits(digits[6:])]
    return words + numbers.spell_digits(digits)


def area_code(match: re.Match[str], context: Context) -> list[str]:
    """(555) before 123-4567."""
    followed = re.fullmatch(r"[0-9]{3}-[0-9]{4}", context.after)
    return numbers.spell_digits(match[0]) if followed else []


def number_by_name(match: re.Match[str], context: Context) -> list[str]:
    """Room 101, Boeing 747, dial 911, TX 78701: what stands before says how it is read."""
    before, digits = context.before.lower(), match[0]
    if before in CALLED_IN_PAIRS and len(digits) in (3, 4) and digits[0] != "0":
        return numbers.pairs(digits)
    counts = context.noun_follows("a")  # "call 200 people"
    if before in DIALLED and not counts:
        return numbers.spell_digits(digits)
    if len(digits) == 5 and context.before in STATES:
        return numbers.spell_digits(digits)
    return []


def fraction(match: re.Match[str], context: Context) -> list[str]:
    """3/4, and 2-3/4 or 3/4 after a whole number."""
    above, below = int(match[2]), int(match[3])
    if not match[1] and (above, below) in ((24, 7), (9, 11)):
        return [*numbers.cardinal(above), *numbers.cardinal(below)]
    if match[1]:
        whole = numbers.cardinal(match[1].rstrip("-"))
        return [*whole, *numbers.fraction(above, below, after_whole=True)]
    return _part(above, below, is_whole(context.before) and above < below, context)


def vulgar(match: re.Match[str], context: Context) -> list[str]:
    """½ and 2½."""
    above, below = numbers.VULGAR[match[2]]
    if match[1]:
        return [*numbers.plain(match[1]), *numbers.fraction(above, below, after_whole=True)]
    return _part(above, below, is_whole(context.before), context)


def _part(above: int, below: int, after_whole: bool, context: Context) -> list[str]:
    if (above, below) == (1, 2) and context.after.lower() in ("a", "an", "the"):
        return ["half"]
    return numbers.fraction(above, below, after_whole)


def ordinal(match: re.Match[str], context: Context) -> list[str]:
    """21st; 3rd March -> the third of march."""
    words = numbers.ordinal(match[1])
    if month_named(context.after) and is_day(match[1]) and not context.pause_after:
        return [*([] if context.before.lower() == "the" else ["the"]), *words, "of"]
    return words


def decade(match: re.Match[str], _: Context) -> list[str]:
    """1980s, '80s, 80's."""
    return numbers.decade(match[1])


def short_year(match: re.Match[str], _: Context) -> list[str]:
    """'05."""
    return numbers.spoken_year(match[1])


def number(match: re.Match[str], context: Context) -> list[str]:
    """Everything else that is only figures; beside a month, a day."""
    text = match[0]
    if is_whole(text) and is_day(text) and not (len(text) == 2 and text[0] == "0"):
        if month_named(context.before) and not context.pause_before:
            return numbers.ordinal(text)
        if month_named(context.after) and not context.pause_after:
            the = [] if context.before.lower() == "the" else ["the"]
            return [*the, *numbers.ordinal(text), "of"]
    return grouped(text) if "," in text else numbers.plain(text)


def grouped(text: str) -> list[str]:
    """A number that is no year: a measure, an amount, or one with commas."""
    if text.startswith("-"):
        return ["minus", *grouped(text[1:])]
    whole, dot, decimals = text.partition(".")
    words = numbers.cardinal(whole) if whole else []
    return [*words, *(["point", *numbers.spell_digits(decimals)] if dot else [])]


def height(match: re.Match[str], _: Context) -> list[str]:
    """6'2": six foot two."""
    return [*numbers.cardinal(match[1]), "foot", *numbers.cardinal(match[2])]


def by(match: re.Match[str], _: Context) -> list[str]:
    """1920x1080: nineteen twenty by ten eighty."""
    parts = re.split("[x×]", match[0].lower())
    return [word for part in parts for word in ("by", *numbers.plain(part))][1:]


def lettered(match: re.Match[str], _: Context) -> list[str]:
    """221B: two twenty one b."""
    return [*numbers.pairs(match[1]), match[2].lower()]


def quantity(match: re.Match[str], context: Context) -> list[str]:
    """5kg, 60km/h, 5-10%, 3M."""
    figure, hyphen, unit = match.groups()
    billions = unit == "B" and ("." in figure or len(figure) < 3) and not context.name_follows
    if unit in ("k", "M", "bn") or (billions and context.before.lower() not in ("apt", "no")):
        return [*grouped(figure), numbers.SCALES[unit.lower()]]
    if unit == "p" and len(figure) > 2:
        return []  # 1080p; pence have two figures
    singular = hyphen or figure in ("1", "-1") or context.noun_follows(context.before)
    name = ["p"] if unit == "p" else unit_name(unit, one=bool(singular))
    if not name:
        return []
    figures = re.split(r"(?<=[0-9])[-–](?=[0-9])", figure)
    words = [word for part in figures for word in ("to", *grouped(part.lstrip("-")))][1:]
    return [*(["minus"] if figure.startswith("-") else []), *words, *name]


def unit(match: re.Match[str], context: Context) -> list[str]:
    """A unit that stands apart from its figure: 5 kg, 10 sq ft."""
    written = match[0]
    if context.before.lower() in ("degrees", "degree") and written in ("C", "F"):
        return ["celsius" if written == "C" else "fahrenheit"]
    if written in ("°C", "°F"):
        return unit_name(written, one=False)
    if written.lower() == "x":
        return ["by"] if is_figure(context.before) and is_figure(context.after) else []
    squared = context.before.lower() in ("sq", "cu") and is_figure(context.before_that)
    if not (is_figure(context.before) or squared):
        return []
    if written in ("sq", "cu") and not UNITS.get(context.after.lower()):
        return []
    if written == "in":
        last = not context.after or context.before_that.lower() in ("ft", "feet", "foot")
        return ["inches"] if last else []
    singular = context.before in ("1", "-1") or context.noun_follows(context.before_that)
    return unit_name(written, one=singular)


def unit_name(unit: str, one: bool) -> list[str]:
    """Words for "km", "m²", "km/h" after a figure; [] if it is no unit."""
    above, per, below = unit.partition("/")
    name, divisor = _one_unit(above, one), _one_unit(below, one=True, after=True)
    if not name or (per and not divisor):
        return []
    return [*name, "per", *divisor] if per else name


def _one_unit(written: str, one: bool, after: bool = False) -> list[str]:
    match = re.fullmatch(r"(.*?[A-Za-zΩ°%‰¢])(?:\^?([23]))?", written)
    if match is None or written in NOT_UNITS:
        return []
    names = UNITS.get(match[1].lower())
    if names is None:
        return []
    words = names[0 if one else 1].split()
    if match[2] and after and match[1] == "s":
        return [*words, "squared" if match[2] == "2" else "cubed"]
    return [_POWERS[match[2]], *words] if match[2] else words
