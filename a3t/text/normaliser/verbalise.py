"""One written token to its spoken words, seen in its context.

Rules are tried in order, the most particular first; the last one reads letters.
"""

from __future__ import annotations

import re

from a3t.text.normaliser import numbers
from a3t.text.normaliser.context import Context, Rule
from a3t.text.normaliser.kinds import (
    addresses,
    codes,
    dates_and_times,
    initials,
    measures,
    money,
    numerals,
)
from a3t.text.normaliser.numbers import said
from a3t.text.normaliser.vocabulary import BEFORE_FIGURES, MONTH_ABBREVIATIONS, SYMBOLS, WEEKDAYS
from a3t.text.pronunciation.lexicon import in_lexicon

_GREEK_LEFT = {"μ": "mu", "Ω": "omega"}
_PART = re.compile(
    rf"[A-Za-z]+(?:'[A-Za-z]+)*'?|'?(?:[0-9]{{2}}|[0-9]{{3}}0)s\b|{numerals.NUMBER}|[^A-Za-z0-9'\s]"
)
_END_OF_RANGE = r"\d[\d.,:]*(?:%|°[CF]?|[ap]\.?m\.?|'?s|st|nd|rd|th|k|m|bn|x)?"


def verbalise(core: str, context: Context) -> str:
    """Spoken words of a token without its outer punctuation; "" if it says nothing."""
    if core in SYMBOLS:
        return SYMBOLS[core]
    for pattern, rule in _RULES:
        if (match := pattern.fullmatch(core)) and (words := rule(match, context)):
            return words
    return _pieces(core, context)


# --- rules that speak the parts of a token --------------------------------------------------------


def _handle(match: re.Match[str], context: Context) -> str:
    sign, name = match[1], match[2]
    if sign == "@":
        return said("at", _pieces(name, context))
    if name.isascii() and name.isdigit():
        return f"number {numbers.plain(name)}"
    return said("hashtag", _pieces(re.sub("(?<=[a-z])(?=[A-Z])", "_", name), context))


def _range(match: re.Match[str], context: Context) -> str:
    first, last = match[1], match[2]
    if re.fullmatch("[0-9]{4}", first) and re.fullmatch("[0-9]{2}", last):
        return f"{numbers.year(first)} to {numbers.spoken_year(last)}"
    begin, end = verbalise(first, context), verbalise(last, context)
    if first == last or (first, last) == ("10", "4"):  # fifty fifty, ten four
        return said(begin, end)
    # 3-5 March: the third to the fifth of march
    return said(begin.removesuffix(" of"), "to", end)


def _either(match: re.Match[str], context: Context) -> str:
    """48kHz/24-bit: one beside the other."""
    return said(*(verbalise(part, context.inside) for part in match.groups()))


def _named_range(match: re.Match[str], context: Context) -> str:
    ends = []
    for written in match.groups():
        key = written.lower()
        name = WEEKDAYS.get(key) or MONTH_ABBREVIATIONS.get(key)
        whole = key in numbers.MONTHS or key in WEEKDAYS.values()
        if not written[0].isupper() or not (name or whole or len(key) == 1):
            return ""
        ends.append(name or key)
    one_letter = [len(match[1]) == 1, len(match[2]) == 1]
    if any(one_letter) and (match[1], match[2]) not in (("A", "Z"), ("A", "B")):
        return ""
    return f"{ends[0]} to {ends[1]}"


def _possessive(match: re.Match[str], context: Context) -> str:
    words = verbalise(match[1], context)
    last = words.rpartition(" ")[2]
    sibilant = not words or (last.endswith("s") and len(last) > 1)
    return "" if sibilant else f"{words}'s"


def _power(match: re.Match[str], context: Context) -> str:
    base = verbalise(match[1], context)
    if match[1].isalpha() and len(match[1]) > 2:
        return base  # a footnote's mark
    return f"{base} {numbers.power(int(match[2]))}" if base else ""


def _sharp(match: re.Match[str], _: Context) -> str:
    return f"{match[1].lower()} sharp"


def _and_clipped(match: re.Match[str], context: Context) -> str:
    return said(verbalise(match[1], context), "'n", verbalise(match[2], context))


# --- everything else ------------------------------------------------------------------------------


def _pieces(core: str, context: Context) -> str:
    """Compounds: each run of letters and each run of figures on its own, signs between named."""
    if "-" in core.strip("-") and any(sign.isdigit() for sign in core):
        sides = filter(None, re.split("-+", core))
        return said(*(verbalise(side, context.inside) for side in sides))
    parts = _PART.findall(core)
    if len(parts) == 1 and parts[0][0].isalpha() and parts[0].isascii():
        return _letters(core if core.strip("'") == parts[0].strip("'") else parts[0], context)
    words: list[str] = []
    for before, part, after in zip(["", *parts], parts, [*parts[1:], ""], strict=False):
        if part[0].isascii() and part[0].isalnum():
            words.append(_piece(part, before, after, context))
        elif part[0] in "'." and len(part) > 1:
            words.append(verbalise(part, context.inside))
        elif part in numbers.VULGAR:
            words.append(numbers.fraction(*numbers.VULGAR[part]))
        else:
            words.append(_GREEK_LEFT.get(part) or _sign(part, before, after))
    return said(*words)


def _piece(part: str, before: str, after: str, context: Context) -> str:
    """A run of letters or figures inside a token."""
    beside_figures = before[-1:].isdigit() or after[:1].isdigit()
    if part.isalpha() and beside_figures and len(part) <= 3:
        capitals = part.isupper() and len(part) == 2 and context.capitals_mean
        if capitals or part.lower() in ("mp", "co", "pm") or not in_lexicon(part.lower()):
            return " ".join(part.lower())
    return verbalise(part, context.inside)


def _sign(sign: str, before: str, after: str) -> str:
    figure_after, figure_before = after[:1].isdigit(), before[-1:].isdigit()
    if sign == "*":
        return "times" if figure_before and figure_after else ""
    if sign in BEFORE_FIGURES:
        single = len(before) == 1 and len(after) == 1 and sign in "<>≤≥≠≈"
        return SYMBOLS[sign] if figure_after or single else ""
    if sign == "^":
        return "to the"
    if sign in "&+=×@%°÷→∞" and (before or after):
        return SYMBOLS[sign]
    return numbers.CURRENCIES[sign][1] if sign in numbers.CURRENCIES else ""


def _letters(text: str, context: Context) -> str:
    word = re.sub(r"'+", "'", text.lower())
    camel = re.findall(r"(?:Mr|Dr|Ms)(?=[A-Z])|[A-Z]?[a-z]{2,}|[A-Z]+(?![a-z])", text)
    if len(camel) > 1 and "".join(camel) == text and context.capitals_mean and not in_lexicon(word):
        return said(*(verbalise(part, context) for part in camel))
    return word if word.strip("'") else ""


def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.ASCII)


_RULES: tuple[tuple[re.Pattern[str], Rule], ...] = (
    (_compile(r"[\w.+-]+@[\w-]+(\.[\w-]+)+(/\S*)?"), addresses.address),
    (
        _compile(r"([a-z]+://|www\.)\S+|[a-z][\w-]*(\.[\w-]+)*\.[a-z]{2,4}(/\S*)?"),
        addresses.address,
    ),
    (_compile(r"([\w-]*)\.([a-z]{2,4}[34]?)"), addresses.file_name),
    (_compile(r"[a-z][\w-]*(\.[\w-]+)*\.[a-z]{3,12}(/\S*)?"), addresses.unknown_ending),
    (_compile(r"([ru])/(\w{2,30})"), codes.forum),
    (_compile(r"(\d{1,3}(?:\.\d{1,3}){3}|localhost):(\d{1,5})"), codes.with_port),
    (_compile(r"(\d{1,3}):(\d{1,3})(?:[-–](\d{1,3}))?"), codes.verse),
    (_compile(r"([@#])(\w+)"), _handle),
    (_compile(money.MONEY), money.money),
    (_compile(money.AMOUNT_FIRST), money.amount_first),
    (re.compile(money.CODED), money.currency_code),
    (_compile(r"(\d{1,2}):(\d\d)(?::(\d\d))?([ap]\.?m\.?)?"), dates_and_times.clock),
    (_compile(r"(?:(\d+)h)?(?:(\d+)m(?:in)?)?(?:(\d+)s)?"), dates_and_times.length),
    (_compile(r"(\d{1,2})\.(\d\d)([ap]\.?m\.?)?"), dates_and_times.dotted_clock),
    (_compile(r"(\d+):(\d+)"), numerals.ratio),
    (_compile(r"(\d{1,2})([ap])\.?m\.?"), dates_and_times.hour),
    (_compile(r"([ap])\.?m\.?"), dates_and_times.half_of_day),
    (_compile(r"(?P<year>\d{4})[-/.](?P<month>\d\d)[-/.](?P<day>\d\d)"), dates_and_times.date),
    (_compile(r"(?P<month>\d\d?)/(?P<day>\d\d?)/(?P<year>\d{4}|\d\d)"), dates_and_times.date),
    (_compile(r"(?P<month>\d\d?)-(?P<day>\d\d?)-(?P<year>\d{4})"), dates_and_times.date),
    (_compile(r"(?:(\d\d?)-)?([a-z]{3,9})-(?:(\d\d?)|(\d{4}))"), dates_and_times.named_date),
    (_compile(r"(?P<day>\d\d?)\.(?P<month>\d\d?)\.(?P<year>\d{4})"), dates_and_times.date),
    (
        _compile(
            r"\d{3}-\d{4}|\+\d[\d-]{6,}|\+\d{1,3}\(\d{1,4}\)?[\d-]*|\d{1,5}(-\d{1,6}){2,}|\d{3}\.\d{3}\.\d{4}"
            r"|\d{3}\)-?\d{3}[-.]?\d{4}"
        ),
        numerals.telephone,
    ),
    (_compile(r"\d{1,3}(\.\d{1,3}){3}"), numerals.ip_address),
    (_compile(r"(401|403|408|457|501)\(?([a-dk])\)?(?:\(?(\d)\)?)?"), numerals.plan_number),
    (
        _compile(rf"(?=.*=)-?(?:{numerals.NUMBER})(?:[-+*x×/÷=]-?(?:{numerals.NUMBER}))+"),
        numerals.calculation,
    ),
    (_compile(rf"({numerals.NUMBER})-({numerals.NUMBER})"), numerals.subtraction),
    (_compile(r"(\d{1,3})[-–](\d{1,3})"), codes.in_parts),
    (_compile(r"\d{3}"), numerals.area_code),
    (_compile(r"\d{3,6}"), numerals.number_by_name),
    (_compile(r"(\d{1,2}(?:\.\d)?)/(10|5|100)"), codes.rating),
    (_compile(rf"({numerals.NUMBER})/([a-zμ]{{1,5}})"), codes.per_unit),
    (_compile(r"(\d+-)?(\d{1,3})/(\d{1,4})(ths?|rds?|nds?|sts?)?"), numerals.fraction),
    (re.compile(rf"([0-9]*)([{''.join(numbers.VULGAR)}])"), numerals.vulgar),
    (_compile(r"(\d[\d,]*)(?:st|nd|rd|th)"), numerals.ordinal),
    (_compile(r"(10|1,?00|1,?000|1?0,?000|1?00,?000|1,?000,?000)s"), numerals.many),
    (_compile(r"'?(\d{2}|\d{3}0)'?s[-–]'?(\d{2}|\d{3}0)'?s"), dates_and_times.decades),
    (_compile(r"'?(\d{2}|\d{3}0)'?s"), dates_and_times.decade),
    (_compile(r"'(\d\d)"), dates_and_times.short_year),
    (_compile(r"(\d+(?:\.\d+)?)(['\"])"), measures.primes),
    (_compile(r"(\d)'(\d{1,2})[\"']*"), measures.height),
    (_compile(rf"-?(?:{numerals.NUMBER})|\d+(?:\.\d+)+"), numerals.number),
    (_compile(r"802\.(\d\d?)([a-z]{0,2})"), codes.standard),
    (_compile(r"(7\d7|[A-Z]{1,2})-([1-9]\d\d)"), codes.model),
    (_compile(rf"({_END_OF_RANGE})[-–]({_END_OF_RANGE})"), _range),
    (_compile(r"([a-z]{1,9})[-–]([a-z]{1,9})"), _named_range),
    (_compile(r"\d+(x\d+)+"), numerals.dimensions),
    (_compile(r"\d+x\d+s|7\d7s|[a-z]{1,2}-\d{1,3}s"), codes.plural),
    (_compile(r"(\d\d|\d{3,4})([Hp])(\d\d?)"), codes.release),
    (_compile(r"([a-z]{1,3})(\d{3,8})([a-z]{0,4})"), codes.code),
    (_compile(r"(\d{3})([A-F])"), numerals.lettered),
    (
        re.compile(
            rf"(-?(?:{numerals.NUMBER})(?:[-–](?:{numerals.NUMBER}))?)(-?)({measures.UNIT})"
        ),
        measures.quantity,
    ),
    (re.compile(measures.UNIT), measures.unit),
    (_compile(r"(\d[\w.]*[a-z][\w.]*)/([\w.-]+)"), _either),
    (re.compile(rf"({initials.ROMAN})('s)?"), initials.roman),
    (re.compile(r"(x{0,3}(?:ix|iv|v?i{0,3}))()"), initials.roman),
    (_compile(r"(.+)\^(-?\d{1,3})"), _power),
    (re.compile(r"([A-G])#"), _sharp),
    (_compile(r"(?:[a-z]\.)+[a-z]\.?"), initials.dotted),
    (re.compile(r"([A-Z]{1,3})&([A-Z]{1,3})('?s)?"), initials.joined_initials),
    (_compile(r"([a-z]{3,})(?:-'?n'?-|'n')([a-z]{3,})"), _and_clipped),
    (_compile(r"(.*\d.*|(?:[a-z]\.)+)'s"), _possessive),
    (re.compile(r"([a-z])([A-Z]{2,})|([A-Z])o([A-Z])"), initials.mixed),
    (re.compile(r"([A-Z]{2,})((?:'?s)?)"), initials.capitals),
)  # fmt: skip
