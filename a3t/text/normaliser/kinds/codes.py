"""Rules for codes, serials and references: A380, ab9453, 24H2, Table 2-1, John 3:16."""

from __future__ import annotations

import re

from a3t.text.normaliser import numbers
from a3t.text.normaliser.context import Context, is_function_word, is_whole
from a3t.text.normaliser.numbers import said
from a3t.text.normaliser.vocabulary import BIBLE, BIBLE_BOOKS, NUMBERED_IN_PARTS
from a3t.text.pronunciation.lexicon import in_lexicon


def code(match: re.Match[str], context: Context) -> str:
    """A380, BA287, ab9453, A320neo: letters, then figures in pairs, or one by one in a serial."""
    letters, digits, ending = match[1], match[2], match[3].lower()
    serial = letters.islower() or len(digits) > 4 or digits.startswith("0")
    if letters.islower() and (len(digits) < 4 or is_function_word(letters)):
        return ""
    if ending not in ("", "s") and not (len(ending) == 1 or in_lexicon(ending)):
        return ""
    figures = numbers.spell_digits(digits) if serial else numbers.pairs(digits)
    if ending == "s":
        figures, ending = numbers.plural(figures), ""
    return said(" ".join(letters.lower()), figures, ending)


def plural(match: re.Match[str], _: Context) -> str:
    """F-16s, 747s, 2x4s."""
    parts = re.findall("[a-z]+|[0-9]+", match[0].lower())[:-1]
    if "x" in parts:
        return numbers.plural(said(*("by" if p == "x" else numbers.cardinal(p) for p in parts)))
    words = (" ".join(part) if part.isalpha() else numbers.plain(part) for part in parts)
    return numbers.plural(said(*words))


def standard(match: re.Match[str], _: Context) -> str:
    """802.11ac, the family of Wi-Fi."""
    head, letters = numbers.pairs("802"), " ".join(match[2].lower())
    return said(head, "point", numbers.cardinal(match[1]), letters)


def model(match: re.Match[str], _: Context) -> str:
    """737-800, US-101 and F-150: in pairs, and what follows an aeroplane's as a number."""
    if match[1].isalpha():
        return f"{' '.join(match[1].lower())} {numbers.pairs(match[2])}"
    return f"{numbers.pairs(match[1])} {numbers.cardinal(match[2])}"


def release(match: re.Match[str], _: Context) -> str:
    """24H2, 1080p60: what can be no measure."""
    figures, letter, last = match.groups()
    head = numbers.pairs(figures) if len(figures) > 2 else numbers.cardinal(figures)
    return f"{head} {letter.lower()} {numbers.cardinal(last)}"


def with_port(match: re.Match[str], _: Context) -> str:
    """192.168.0.1:8080, localhost:3000."""
    host, port = match[1].lower().split("."), match[2]
    parts = (numbers.spell_digits(part) if is_whole(part) else part for part in host)
    return f"{' dot '.join(parts)} port {numbers.spell_digits(port)}"


def forum(match: re.Match[str], _: Context) -> str:
    """r/podcasting, u/someone."""
    parts = re.findall("[a-z]+|[0-9]+", match[2].lower())
    words = (numbers.plain(part) if is_whole(part) else part for part in parts)
    return said(match[1].lower(), "slash", *words)


def per_unit(match: re.Match[str], context: Context) -> str:
    """12/kg: a price that names no currency."""
    from a3t.text.normaliser.kinds.measures import unit_name  # which has rules of its own
    from a3t.text.normaliser.kinds.numerals import grouped

    below = unit_name(match[2], one=True)
    return f"{grouped(match[1])} per {below}" if below else ""


def verse(match: re.Match[str], context: Context) -> str:
    """13:4-7 after a book of the Bible."""
    if context.before.lower() not in BIBLE_BOOKS.keys() | BIBLE:
        return ""
    words = f"{numbers.cardinal(match[1])} {numbers.cardinal(match[2])}"
    return f"{words} to {numbers.cardinal(match[3])}" if match[3] else words


def book_of_bible(core: str, near: Context) -> str:
    """The name of a book before a chapter ("Ps. 23:1", "1 Cor. 13"), and the ordinal before one."""
    key, after = core.lower(), near.after.lower()
    of_several = near.after[:1].isupper() and re.match(r"\d{1,3}(?::\d|$)", near.after_that)
    if core in ("1", "2", "3") and of_several and after in BIBLE_BOOKS.keys() | BIBLE:
        return ("first", "second", "third")[int(core) - 1]
    chapter = re.match(r"\d{1,3}(?::\d|$)", near.after)
    return BIBLE_BOOKS.get(key, "") if chapter and core[:1].isupper() else ""


def in_parts(match: re.Match[str], context: Context) -> str:
    """2-1 after Table: the first of chapter 2, not from 2 to 1."""
    if context.before.lower() not in NUMBERED_IN_PARTS:
        return ""
    return f"{numbers.cardinal(match[1])} {numbers.cardinal(match[2])}"


def rating(match: re.Match[str], context: Context) -> str:
    """9.5/10, and 8/10: so many out of ten."""
    if "." not in match[1] and match[2] != "10":
        return ""
    if match[1] == match[2] or context.equals_follows:
        return ""
    return f"{numbers.plain(match[1])} out of {numbers.cardinal(match[2])}"
