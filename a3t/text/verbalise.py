"""One written token to its spoken words, seen in its context.

Rules are tried in order, the most particular first; the last one reads letters.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from a3t.text import numbers
from a3t.text.lexicon import known, lookup
from a3t.text.phones import strip_stress
from a3t.text.spelling import spell_out
from a3t.text.vocabulary import (
    DOMAINS,
    IN_ADDRESSES,
    MONARCHS,
    MONTH_ABBREVIATIONS,
    POWERS,
    ROMAN_AFTER,
    SPELLED,
    SYMBOLS,
    UNITS,
)

_NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+"
_UNIT = r"[A-Za-zµμ°%‰¢]+[²³]?(?:/[a-z]+)?"
_MONEY = re.compile(
    rf"(?P<sign>-?)(?:US|A|C|NZ)?(?P<symbol>[$£€¥₹])(?P<amount>{_NUMBER})"
    rf"(?:[-–](?P<upper>{_NUMBER}))?-?(?P<scale>k|mn?|bn?|tn?|hundred|[mbt]r?illion|thousand)?",
    re.IGNORECASE,
)
_FIGURES = re.compile(r"-?\d")
_ROMAN = re.compile(r"(?=[IVX]{2,})X{0,3}(?:IX|IV|V?I{0,3})")


@dataclass(frozen=True)
class Context:
    """A token's surroundings: the cores of its neighbours ("" at an end of the text)."""

    before: str
    after: str
    capitals_mean: bool  # False in a text all in capitals, where they tell nothing


Rule = Callable[[re.Match[str], Context], "list[str]"]


def verbalise(core: str, context: Context) -> list[str]:
    """Spoken words of a token without its outer punctuation; [] if it says nothing."""
    if core in SYMBOLS:
        return SYMBOLS[core].split()
    for pattern, rule in _RULES:
        match = pattern.fullmatch(core)
        if match:
            words = rule(match, context)
            if words:
                return words
    return _pieces(core, context)


# --- rules: each gets the whole token's match, and may decline with [] -----------------------------


def _address(match: re.Match[str], _: Context) -> list[str]:
    text = re.sub(r"^https?://", "", match[0], flags=re.IGNORECASE).rstrip("/").lower()
    if "@" not in text and not text.startswith("www."):
        host = text.partition("/")[0]
        if host.rpartition(".")[2] not in DOMAINS:
            return []
    words: list[str] = []
    for part in re.findall(r"[a-z']+|\d+|[^a-z\d]", text):
        if part in IN_ADDRESSES:
            words.append(IN_ADDRESSES[part])
        elif part.isdigit():
            words += numbers.plain(part)
        elif part[0].isalpha():
            short = len(part) <= 3 and not known(part)
            words += list(part) if short or part.upper() in SPELLED or part == "www" else [part]
    return words


def _handle(match: re.Match[str], context: Context) -> list[str]:
    sign, name = match[1], match[2]
    if sign == "@":
        return ["at", *_pieces(name, context)]
    if name.isdigit():
        return ["number", *numbers.plain(name)]
    return ["hashtag", *_pieces(name, context)]


def _money(match: re.Match[str], context: Context) -> list[str]:
    scale = numbers.SCALES.get((match["scale"] or "").lower())
    words = ["minus"] if match["sign"] else []
    if match["upper"]:
        return [
            *words,
            *numbers.plain(match["amount"]),
            "to",
            *numbers.money(match["upper"], match["symbol"], scale),
        ]
    return [*words, *numbers.money(match["amount"], match["symbol"], scale)]


def _clock(match: re.Match[str], context: Context) -> list[str]:
    hour, minute, second = int(match[1]), int(match[2]), match[3]
    half = (match[4] or "").replace(".", "").lower()
    if hour > 24 or minute > 59:
        return []
    half_follows = re.fullmatch(r"[ap]\.?m\.?", context.after, re.IGNORECASE) is not None
    o_clock = not half and not half_follows and context.after.lower() not in ("o'clock", "hours")
    return [*numbers.clock(hour, minute, int(second) if second else None, o_clock), *half]


def _ratio(match: re.Match[str], _: Context) -> list[str]:
    return [*numbers.cardinal(match[1]), "to", *numbers.cardinal(match[2])]


def _hour(match: re.Match[str], _: Context) -> list[str]:
    return [*numbers.cardinal(match[1]), match[2].lower(), "m"]


def _half_of_day(match: re.Match[str], context: Context) -> list[str]:
    after_figure = _FIGURES.match(context.before) or context.before.lower() == "o'clock"
    dotted = "." in match[0] or match[0].isupper()
    return [match[1].lower(), "m"] if after_figure or (dotted and context.capitals_mean) else []


def _iso_date(match: re.Match[str], _: Context) -> list[str]:
    return _checked_date(int(match[2]), int(match[3]), match[1])


def _slash_date(match: re.Match[str], _: Context) -> list[str]:
    first, second = int(match[1]), int(match[2])
    month, day = (second, first) if first > 12 else (first, second)
    return _checked_date(month, day, match[3])


def _dot_date(match: re.Match[str], _: Context) -> list[str]:
    return _checked_date(int(match[2]), int(match[1]), match[3])


def _checked_date(month: int, day: int, year: str) -> list[str]:
    return numbers.date(month, day, year) if 1 <= month <= 12 and 1 <= day <= 31 else []


def _telephone(match: re.Match[str], _: Context) -> list[str]:
    return (["plus"] if match[0].startswith("+") else []) + numbers.spell_digits(match[0])


def _area_code(match: re.Match[str], context: Context) -> list[str]:
    followed = re.fullmatch(r"\d{3}-\d{4}", context.after)
    return numbers.spell_digits(match[0]) if followed else []


def _fraction(match: re.Match[str], context: Context) -> list[str]:
    above, below = int(match[1]), int(match[2])
    if (above, below) in ((24, 7), (9, 11)):
        return [*numbers.cardinal(above), *numbers.cardinal(below)]
    return numbers.fraction(above, below, after_whole=context.before.isdigit() and above < below)


def _vulgar(match: re.Match[str], context: Context) -> list[str]:
    above, below = numbers.VULGAR[match[2]]
    if match[1]:
        return [*numbers.plain(match[1]), *numbers.fraction(above, below, after_whole=True)]
    return numbers.fraction(above, below, after_whole=context.before.isdigit())


def _ordinal(match: re.Match[str], _: Context) -> list[str]:
    return numbers.ordinal(match[1])


def _decade(match: re.Match[str], _: Context) -> list[str]:
    return numbers.decade(match[1])


def _short_year(match: re.Match[str], _: Context) -> list[str]:
    return numbers.spoken_year(match[1])


def _is_month(word: str) -> bool:
    bare = word.rstrip(".,").lower()
    return word[:1].isupper() and (bare in numbers.MONTHS or bare in MONTH_ABBREVIATIONS)


def _number(match: re.Match[str], context: Context) -> list[str]:
    text = match[0]
    if text.isdigit() and 1 <= int(text[:3]) <= 31 and len(text) <= 2:
        if _is_month(context.before):
            return numbers.ordinal(text)
        if _is_month(context.after):
            return ["the", *numbers.ordinal(text), "of"]
    return numbers.plain(text.replace(",", "")) if "," not in text else _grouped(text)


def _grouped(text: str) -> list[str]:
    """A number with commas is never a year."""
    whole, dot, decimals = text.partition(".")
    return [*numbers.cardinal(whole), *(["point", *numbers.spell_digits(decimals)] if dot else [])]


def _range(match: re.Match[str], context: Context) -> list[str]:
    return [*verbalise(match[1], context), "to", *verbalise(match[2], context)]


def _quantity(match: re.Match[str], context: Context) -> list[str]:
    figure, unit = match[1], match[2]
    if unit in ("k", "M", "bn", "B"):
        return [*numbers.plain(figure), numbers.SCALES[unit.lower()]]
    name = unit_name(unit, one=figure in ("1", "-1"))
    if not name:
        return []
    figures = re.split(r"(?<=\d)[-–](?=\d)", figure)
    words = [word for part in figures for word in ("to", *_grouped(part.lstrip("-")))][1:]
    return [*(["minus"] if figure.startswith("-") else []), *words, *name]


def _unit(match: re.Match[str], context: Context) -> list[str]:
    if not _FIGURES.match(context.before) and match[0] not in ("°C", "°F"):
        return []
    if match[0].lower() in ("x", "s", "in."):
        return []
    return unit_name(match[0], one=context.before in ("1", "-1"))


def unit_name(unit: str, one: bool) -> list[str]:
    """Words for "km", "m²", "km/h" after a figure; [] if it is no unit."""
    above, per, below = unit.lower().replace("µ", "μ").partition("/")
    power = POWERS.get(above[-1:], "")
    names = UNITS.get(above[: len(above) - bool(power)])
    if names is None or (per and below not in UNITS):
        return []
    words = [*power.split(), *names[0 if one else 1].split()]
    return [*words, "per", *UNITS[below][0].split()] if per else words


def _roman(match: re.Match[str], context: Context) -> list[str]:
    before = context.before.lower()
    if not context.capitals_mean or not context.before[:1].isupper():
        return []
    values = {"I": 1, "V": 5, "X": 10}
    digits = [values[letter] for letter in match[0]]
    pairs = zip(digits, [*digits[1:], 0], strict=True)
    value = sum(-a if a < b else a for a, b in pairs)
    if before in MONARCHS:
        return ["the", *numbers.ordinal(value)]
    return numbers.cardinal(value) if before in ROMAN_AFTER or len(match[0]) > 1 else []


def _dotted(match: re.Match[str], _: Context) -> list[str]:
    return acronym(match[0].replace(".", "").upper(), dotted=True)


def _capitals(match: re.Match[str], context: Context) -> list[str]:
    letters, plural = match[1], match[2].replace("'", "")
    if not context.capitals_mean or (plural and len(letters) < 2):
        return []
    words = acronym(letters)
    return [*words[:-1], words[-1] + "'s"] if plural else words


def acronym(letters: str, dotted: bool = False) -> list[str]:
    """BBC -> [bbc], as the lexicon has it; US -> [u, s]; NASA -> [nasa]; COVID -> [covid]."""
    word = letters.lower()
    spelled = [strip_stress(phone) for phone in spell_out(word)]
    if any([strip_stress(phone) for phone in phones] == spelled for phones in lookup(word)):
        return [word]
    sayable = len(word) >= 5 and re.fullmatch(r"[^aeiouy]?([aeiouy][^aeiouy]{1,2})+[aeiouy]?", word)
    if not dotted and letters not in SPELLED and (known(word) or sayable):
        return [word]
    return list(word)


def _pieces(core: str, context: Context) -> list[str]:
    """Compounds: each run of letters and each run of figures on its own, signs between named."""
    parts = re.findall(r"[A-Za-z']+|" + _NUMBER + r"|[^A-Za-z\d'\s]", core)
    if len(parts) == 1 and parts[0][0].isalpha() | (parts[0][0] == "'"):
        return _letters(parts[0], context)
    words: list[str] = []
    inner = Context("", "", context.capitals_mean)
    for part in parts:
        if part in "&+=×@%°<>±÷" and (words or part in "&+="):
            words += SYMBOLS[part].split()
        elif part in numbers.CURRENCIES:
            words.append(numbers.CURRENCIES[part][1])
        elif part[0].isalnum() or part[0] in "'.":
            words += verbalise(part, inner) if part.strip("'.") else []
    return words


def _letters(text: str, context: Context) -> list[str]:
    word = re.sub(r"'+", "'", text.lower())
    camel = re.findall(r"[A-Z]?[a-z]{2,}|[A-Z]+(?![a-z])", text)
    if len(camel) > 1 and "".join(camel) == text and context.capitals_mean and not known(word):
        return [word for part in camel for word in verbalise(part, context)]
    return [word] if word.strip("'") else []


def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_RULES: tuple[tuple[re.Pattern[str], Rule], ...] = (
    (_compile(r"[\w.+-]+@[\w-]+(\.[\w-]+)+"), _address),
    (_compile(r"(https?://|www\.)\S+|[a-z][\w-]*(\.[\w-]+)*\.[a-z]{2,4}(/\S*)?"), _address),
    (_compile(r"([@#])(\w+)"), _handle),
    (_MONEY, _money),
    (_compile(r"(\d{1,2}):(\d\d)(?::(\d\d))?([ap]\.?m\.?)?"), _clock),
    (_compile(r"(\d+):(\d+)"), _ratio),
    (_compile(r"(\d{1,2})([ap])\.?m\.?"), _hour),
    (_compile(r"([ap])\.?m\.?"), _half_of_day),
    (_compile(r"(\d{4})-(\d\d)-(\d\d)"), _iso_date),
    (_compile(r"(\d{1,2})/(\d{1,2})/(\d{4}|\d\d)"), _slash_date),
    (_compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})"), _dot_date),
    (_compile(r"\d{3}-\d{4}|\+\d[\d-]{6,}|\d+(-\d+){2,}"), _telephone),
    (_compile(r"\d{3}"), _area_code),
    (_compile(r"(\d{1,3})/(\d{1,4})"), _fraction),
    (re.compile(rf"(\d*)([{''.join(numbers.VULGAR)}])"), _vulgar),
    (_compile(r"(\d[\d,]*)(?:st|nd|rd|th)"), _ordinal),
    (_compile(r"'?(\d{2}|\d{3}0)'?s"), _decade),
    (_compile(r"'(\d\d)"), _short_year),
    (_compile(rf"-?(?:{_NUMBER})|\d+(?:\.\d+)+"), _number),
    (_compile(r"(\d[\d.,:]*[ap]?m?)[-–](\d[\d.,:]*[ap]?m?)"), _range),
    (re.compile(rf"(-?(?:{_NUMBER})(?:[-–](?:{_NUMBER}))?)-?({_UNIT})"), _quantity),
    (re.compile(_UNIT), _unit),
    (_ROMAN, _roman),
    (_compile(r"(?:[a-z]\.)+[a-z]\.?"), _dotted),
    (re.compile(r"([A-Z]{2,})((?:'?s)?)"), _capitals),
)  # fmt: skip
