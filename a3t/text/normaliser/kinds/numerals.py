"""Rules for tokens that are only figures: numbers, telephone numbers, fractions, sums, ranges."""

from __future__ import annotations

import re

from a3t.text.normaliser import numbers
from a3t.text.normaliser.context import Context, is_day, is_whole, month_named
from a3t.text.normaliser.figure_choice import chosen
from a3t.text.normaliser.numbers import said
from a3t.text.normaliser.vocabulary import CALLED_IN_PAIRS, DIALLED, STATES

NUMBER = r"(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?|\.[0-9]+"


def ratio(match: re.Match[str], _: Context) -> str:
    """2:1."""
    return f"{numbers.cardinal(match[1])} to {numbers.cardinal(match[2])}"


_OPERATORS = {
    "-": "minus", "−": "minus", "+": "plus", "*": "times", "x": "times", "×": "times",
    "/": "divided by", "÷": "divided by", "=": "equals",
}  # fmt: skip


def calculation(match: re.Match[str], _: Context) -> str:
    """10-3=7: where something is equal, a dash is a minus."""
    parts = re.findall(rf"{NUMBER}|[^0-9.]", match[0])
    return said(*(_OPERATORS.get(part) or grouped(part) for part in parts))


def subtraction(match: re.Match[str], context: Context) -> str:
    """5-3 before an equals sign; else it is a range."""
    return f"{grouped(match[1])} minus {grouped(match[2])}" if context.equals_follows else ""


def telephone(match: re.Match[str], _: Context) -> str:
    """555-1234, 555.123.4567, (555)123-4567, +1(123), +44-20-…, 1-800-555-0199."""
    digits = match[0].lstrip("+")
    plus = "plus" if match[0].startswith("+") else ""
    if digits.startswith("1-800-"):
        return said(plus, "one eight hundred", numbers.spell_digits(digits[6:]))
    return said(plus, numbers.spell_digits(digits))


def ip_address(match: re.Match[str], context: Context) -> str:
    """192.168.0.1, figure by figure; 1.2.3.4 is a version unless it is called an address."""
    parts = match[0].split(".")
    named = context.before.lower() in ("ip", "address", "server", "host", "ping")
    if max(map(int, parts)) > 255 or not (named or any(len(part) == 3 for part in parts)):
        return ""
    return " dot ".join(map(numbers.spell_digits, parts))


def plan_number(match: re.Match[str], _: Context) -> str:
    """401k, 401(k), 501(c)(3): paragraphs of American law that people know by their numbers."""
    digits, letter, paragraph = match[1], match[2].lower(), match[3]
    words = f"{numbers.cardinal(digits[0])} o {numbers.cardinal(digits[2])} {letter}"
    return said(words, numbers.cardinal(paragraph) if paragraph else "")


def area_code(match: re.Match[str], context: Context) -> str:
    """(555) before 123-4567."""
    followed = re.fullmatch(r"[0-9]{3}-[0-9]{4}", context.after)
    return numbers.spell_digits(match[0]) if followed else ""


def number_by_name(match: re.Match[str], context: Context) -> str:
    """Room 101, Boeing 747, dial 911, TX 78701: what stands before says how it is read."""
    before, digits = context.before.lower(), match[0]
    if before in ("is", "was", "in", "number"):
        before = context.before_that.lower() if context.before_that.lower() in DIALLED else before
    if before in CALLED_IN_PAIRS and len(digits) in (3, 4) and digits[0] != "0":
        return numbers.pairs(digits)
    if digits == "911" and re.match("call|operator|dispatch|emergenc", context.after):
        return numbers.spell_digits(digits)
    of_http = context.after.rstrip("s") in ("error", "response")
    if digits[0] in "45" and len(digits) == 3 and of_http:
        return numbers.pairs(digits)
    if before == "to" and len(digits) > 4 and context.before_that.isupper():
        return numbers.spell_digits(digits)  # text STOP to 88022
    counts = context.noun_follows("a")  # "call 200 people"
    if before in DIALLED and not counts:
        return numbers.spell_digits(digits)
    if len(digits) == 5 and context.before in STATES:
        return numbers.spell_digits(digits)
    if re.fullmatch("7[0-8]7", digits) and before in ("the", "a", "this", "that", "old", "new"):
        counted = counts and context.after.endswith("s")
        return "" if counted else numbers.pairs(digits)  # aeroplanes: "the 747 landed"
    named = before in ("a", "an") and not counts  # a 404, an RTX 4090
    named = named or bool(re.fullmatch("[A-Z]{2,4}X", context.before))
    in_pairs = (context.street_follows or named) and digits[0] != "0" and len(digits) < 5
    return numbers.pairs(digits) if in_pairs else ""


def fraction(match: re.Match[str], context: Context) -> str:
    """3/4, 1/4th, and 2-3/4 or 3/4 after a whole number; 4/21 is a date."""
    above, below = int(match[2]), int(match[3])
    numerator, denominator = numbers.cardinal(above), numbers.cardinal(below)
    if context.equals_follows and not match[1]:
        return f"{numerator} divided by {denominator}"
    if not match[1] and (above, below) in ((24, 7), (9, 11)):
        return f"{numerator} {denominator}"
    if not match[1] and match[4] is None:
        can_be_date = 1 <= above <= 12 and 1 <= below <= 31
        if (below == 1 and not can_be_date) or "odds" in (context.before, context.before_that):
            return f"{numerator} to {denominator}"
        readings = ["part", *["date"] * can_be_date, *["out of"] * (1 <= above <= below)]
        meant = chosen("slash", match[0], context, readings)
        by_rule = can_be_date and (below == 1 or (below >= 13 and below not in (16, 20)))
        if meant == "date" or (by_rule and not meant):
            return f"{numbers.MONTHS[above - 1]} {numbers.ordinal(below)}"
        if meant == "out of":
            return f"{numerator} out of {denominator}"
    if match[1]:
        whole = numbers.cardinal(match[1].rstrip("-"))
        return f"{whole} {numbers.fraction(above, below, after_whole=True)}"
    return _part(above, below, is_whole(context.before) and above < below, context)


def vulgar(match: re.Match[str], context: Context) -> str:
    """½ and 2½."""
    above, below = numbers.VULGAR[match[2]]
    if match[1]:
        return f"{numbers.plain(match[1])} {numbers.fraction(above, below, after_whole=True)}"
    return _part(above, below, is_whole(context.before), context)


def _part(above: int, below: int, after_whole: bool, context: Context) -> str:
    if (above, below) == (1, 2) and context.after.lower() in ("a", "an", "the"):
        return "half"
    return numbers.fraction(above, below, after_whole)


def ordinal(match: re.Match[str], context: Context) -> str:
    """21st; 3rd March -> the third of march."""
    if month_named(context.after) and is_day(match[1]) and not context.pause_after:
        return _day(match[1], context)
    return numbers.ordinal(match[1])


def _day(digits: str, context: Context) -> str:
    """A day before its month."""
    the = "" if context.before.lower() == "the" else "the"
    return said(the, numbers.ordinal(digits), "of")


_TENS = {2: "tens", 3: "hundreds", 4: "thousands", 7: "millions"}


def many(match: re.Match[str], context: Context) -> str:
    """100s of, 10,000s of: hundreds, tens of thousands."""
    if context.after.lower() != "of":
        return ""
    size = len(match[1].replace(",", ""))
    return f"{_TENS[size - 3]} of thousands" if size in (5, 6) else _TENS.get(size, "")


def number(match: re.Match[str], context: Context) -> str:
    """Everything else that is only figures; beside a month, a day."""
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


def grouped(text: str) -> str:
    """A number that is no year: a measure, an amount, or one with commas."""
    if text.startswith("-"):
        return f"minus {grouped(text[1:])}"
    whole, dot, decimals = text.partition(".")
    point = f"point {numbers.spell_digits(decimals)}" if dot else ""
    return said(numbers.cardinal(whole) if whole else "", point)


def dimensions(match: re.Match[str], _: Context) -> str:
    """1920x1080: nineteen twenty by ten eighty."""
    return " by ".join(map(numbers.plain, re.split("[x×]", match[0].lower())))


def lettered(match: re.Match[str], _: Context) -> str:
    """221B: two twenty one b."""
    return f"{numbers.pairs(match[1])} {match[2].lower()}"
