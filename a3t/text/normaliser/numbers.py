"""Figures as people read them aloud, American style, in lower-case words.

num2words does the cardinals, ordinals and years; here are the readings around it: decimals, clock
times, dates, money, fractions, digit strings.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from a3t.text.normaliser.vocabulary import SAID

MAX_CARDINAL_DIGITS = 15
"""Longer strings of digits are read digit by digit."""

_DIGITS = "zero one two three four five six seven eight nine".split()
MONTHS = (
    "january february march april may june july august september october november december"
).split()

CURRENCIES = {sign: words.split("|") for sign, words in SAID["currencies"].items()}
"""symbol: one, many, one hundredth, hundredths"""
CURRENCY_SIGNS = tuple(sign for sign in CURRENCIES if len(sign) == 1)
VULGAR = {
    sign: (int(above), int(below))
    for sign in "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
    for above, below in [unicodedata.normalize("NFKC", sign).split("⁄")]
}


@lru_cache(maxsize=4096)
def _num2words(number: int, to: str) -> str:
    from num2words import num2words

    words = re.findall(r"[a-z]+", num2words(number, to=to))
    return " ".join(word for word in words if word != "and")


def said(*parts: str) -> str:
    """Join the parts that aren't empty."""
    return " ".join(filter(None, parts))


def cardinal(number: int | str) -> str:
    """Read 105 -> one hundred five; a negative number begins with "minus"."""
    digits = str(number).replace(",", "")
    if digits.startswith("-"):
        return f"minus {cardinal(digits[1:])}"
    if len(digits) > MAX_CARDINAL_DIGITS:
        return spell_digits(digits)
    return _num2words(int(digits), "cardinal")


def ordinal(number: int | str) -> str:
    """Read 22 -> twenty second."""
    digits = str(number).replace(",", "")
    if len(digits) > MAX_CARDINAL_DIGITS:
        return f"{spell_digits(digits)} th"
    return _num2words(int(digits), "ordinal")


def year(number: int | str) -> str:
    """Read 1905 -> nineteen oh five; 2000 -> two thousand; 2024 -> twenty twenty four."""
    return _num2words(int(number), "year")


def reads_as_year(digits: str) -> bool:
    """Return whether four figures without a comma are read in pairs: 1066, 1998, not 3400."""
    return len(digits) == 4 and 1010 <= int(digits) <= 2099


def spell_digits(text: str) -> str:
    """Name each figure; everything else is passed over."""
    return " ".join(_DIGITS[int(digit)] for digit in text if digit in "0123456789")


def letters(text: str) -> str:
    """Name each letter by itself."""
    return " ".join(text.lower())


def plain(text: str) -> str:
    """Say a written number: [-]1,234 | 12.50 | .5 | 007 | 1.2.3 | 1998 (as a year)."""
    if text.startswith("-"):
        return f"minus {plain(text[1:])}"
    if text.count(".") > 1:
        return " point ".join(cardinal(part) for part in text.split(".") if part)
    whole, dot, decimals = text.partition(".")
    if dot and decimals:
        return said(cardinal(whole) if whole else "", "point", spell_digits(decimals))
    if len(whole) > 1 and whole.startswith("0"):
        return spell_digits(whole)
    return year(whole) if reads_as_year(whole) else cardinal(whole)


def grouped(text: str) -> str:
    """Say a number that is no year: a measure, an amount, or one with commas."""
    if text.startswith("-"):
        return f"minus {grouped(text[1:])}"
    whole, dot, decimals = text.partition(".")
    point = f"point {spell_digits(decimals)}" if dot else ""
    return said(cardinal(whole) if whole else "", point)


def decade(digits: str) -> str:
    """Read 1980 -> nineteen eighties; 90 -> nineties; 2000 -> two thousands."""
    return plural(year(digits) if len(digits) == 4 else cardinal(digits))


def plural(words: str) -> str:
    """Return the plural of a number's words: sixties, sixes, fours."""
    if words.endswith("y"):
        return words[:-1] + "ies"
    return words + ("es" if words.endswith("x") else "s")


def pairs(digits: str) -> str:
    """Read figures as rooms, roads and aeroplanes have them: 101 -> one oh one, 12 -> twelve."""
    if digits.endswith("00") or len(digits) < 3:
        return cardinal(digits)
    head, tail = digits[:-2], digits[-2:]
    return said(cardinal(head), "oh" if tail.startswith("0") else "", cardinal(tail))


def clock(hour: int, minute: int, o_clock: bool = True) -> str:
    """Say a time: 3:45 is "three forty five", 3:05 "three oh five", 3:00 "three o'clock"."""
    minutes = said("oh" if minute < 10 else "", cardinal(minute))
    if hour == 0 or hour == 24:
        return "midnight" if minute == 0 else f"zero {minutes}"
    if minute == 0:
        if hour > 12:
            return f"{cardinal(hour)} hundred"
        return said(cardinal(hour), "o'clock" if o_clock else "")
    return f"{cardinal(hour)} {minutes}"


def elapsed(hours: int, minutes: int, seconds: int) -> str:
    """Say a length of time: (1, 30, 5) -> one hour thirty minutes and five seconds."""
    parts = [
        f"{cardinal(count)} {unit}{'' if count == 1 else 's'}"
        for count, unit in ((hours, "hour"), (minutes, "minute"), (seconds, "second"))
        if count
    ] or ["zero seconds"]
    return said(*parts[:-1], "and" if len(parts) > 1 else "", parts[-1])


def date(month: int, day: int, year_digits: str) -> str:
    """Read (5, 6, "2020") -> may sixth twenty twenty."""
    return f"{MONTHS[month - 1]} {ordinal(day)} {spoken_year(year_digits)}"


def spoken_year(digits: str) -> str:
    """Read four figures as a year, two as said after an apostrophe ("05" -> oh five)."""
    if digits == "00":
        return "two thousand"
    if len(digits) == 2:
        return said("oh" if digits.startswith("0") else "", cardinal(digits))
    return year(digits)


def money(amount: str, symbol: str, scale: str = "", attributive: bool = False) -> str:
    """Say an amount: ("5.20", "$") is "five dollars and twenty cents".

    ``attributive``: as before a noun, "a five dollar bill".
    """
    one, many, small_one, small_many = CURRENCIES[symbol]
    many = one if attributive else many
    whole, _, decimals = amount.replace(",", "").partition(".")
    if not scale and small_one and not int(whole or 0) and len(decimals) == 1:
        decimals += "0"  # $0.5
    if scale or (decimals and (len(decimals) != 2 or not small_one)):
        point = f"point {spell_digits(decimals)}" if decimals else ""
        return said(cardinal(whole or 0), point, scale, many)
    units, hundredths = int(whole or 0), int(decimals or 0)
    small = small_one if hundredths == 1 or attributive else small_many
    if hundredths and not units:
        return f"{cardinal(hundredths)} {small}"
    major = f"{cardinal(whole or 0)} {one if units == 1 else many}"
    if hundredths and attributive:
        return f"{major} {cardinal(hundredths)}"
    return f"{major} and {cardinal(hundredths)} {small}" if hundredths else major


def fraction(above: int, below: int, after_whole: bool = False) -> str:
    """Say a fraction: 1/2 is "one half", 3/4 "three quarters", after a number "and a half"."""
    if above == below and below >= 10:
        return said(cardinal(above), "out of" if above == 10 else "", cardinal(below))
    named = below in (100, 1000) or 2 <= below <= 64
    if not named or above > max(below, 20) or above > below > 16:
        return f"{cardinal(above)} over {cardinal(below)}"
    name = {2: "half", 4: "quarter"}.get(below) or ordinal(below)
    if below in (100, 1000):
        name = name.removeprefix("one ")
    if above != 1:
        name = "halves" if below == 2 else f"{name}s"
    if after_whole:
        return f"and {'a' if above == 1 else cardinal(above)} {name}"
    return f"{cardinal(above)} {name}"


def power(exponent: int) -> str:
    """Return the words after the base: squared, cubed, to the sixth, to the minus three."""
    if exponent in (2, 3):
        return "squared" if exponent == 2 else "cubed"
    return f"to the {cardinal(exponent) if exponent < 0 else ordinal(exponent)}"
