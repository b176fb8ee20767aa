"""Rules for tokens of letters that are not plain words: initials, acronyms, Roman numerals."""

from __future__ import annotations

import re

from a3t.text.normaliser import numbers
from a3t.text.normaliser.context import Context
from a3t.text.normaliser.vocabulary import (
    MONARCHS,
    ROMAN_AFTER,
    SAID_AS,
    SPELLED,
)
from a3t.text.phones import strip_stress
from a3t.text.pronunciation.letter_to_sound import spell_out
from a3t.text.pronunciation.lexicon import in_lexicon, lookup

ROMAN = r"(?=[IVXLC])C{0,3}(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})"
_SAYABLE = re.compile(r"[^aeiouy]?([aeiouy][^aeiouy]{1,2})+[aeiouy]?")
# The same where capitals say nothing: Zau and Mei are names too.
_SAID = re.compile(r"[^aeiouy]?([aeiouy]{1,2}[^aeiouy]{1,2})+[aeiouy]{0,2}|[^aeiouy][aeiouy]{2}")
_VERBS_AFTER_I = frozenset(
    "am was have had will would do did can could like love want know think need see saw should "
    "must take took read wrote play played".split()
)


def roman(match: re.Match[str], context: Context) -> str:
    """Henry VIII, Chapter IV, World War I; elsewhere only what can be no other word."""
    before = context.before.lower()
    if match[1].islower():
        after_part = before in ROMAN_AFTER | {"page", "pages"}
        value = _value(match[1].upper())
        return numbers.cardinal(value) if after_part and 1 < value < 40 else ""
    if not context.before[:1].isupper() and context.before not in ("vol", "ch", "pt"):
        return ""
    value = _value(match[1])
    sure = len(match[1]) > 1 and set(match[1]) <= set("IVX")  # no word looks like it
    if not context.capitals_mean and not (sure and value > 1):
        return ""
    if before in MONARCHS and match[1] not in ("I", "C", "L"):
        words = f"the {numbers.ordinal(value)}"
    elif before in ROMAN_AFTER:
        if match[1] == "I" and context.after.lower() in _VERBS_AFTER_I:
            return ""
        words = numbers.cardinal(value)
    elif sure:
        words = numbers.cardinal(value)
    else:
        return ""
    return f"{words}'s" if match[2] else words


def _value(numeral: str) -> int:
    values = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
    digits = [values[letter] for letter in numeral]
    following = [*digits[1:], 0]
    return sum(-a if a < b else a for a, b in zip(digits, following, strict=True))


def dotted(match: re.Match[str], context: Context) -> str:
    """U.S.A., J.K."""
    if match[0].count(".") == 1 and context.name_follows:
        return " ".join(match[0].lower().replace(".", ""))  # T.S. Eliot's initials
    return acronym(match[0].replace(".", "").upper(), dotted=True)


def joined_initials(match: re.Match[str], _: Context) -> str:
    """AT&T, R&D."""
    words = f"{' '.join(match[1].lower())} and {' '.join(match[2].lower())}"
    return f"{words}'s" if match[3] else words


def mixed(match: re.Match[str], context: Context) -> str:
    """mRNA, iOS, YoY, IoT."""
    if match[3]:
        return f"{match[3].lower()} o {match[4].lower()}"
    if in_lexicon(match[0].lower()):
        return match[0].lower()
    return f"{match[1]} {acronym(match[2])}"


def capitals(match: re.Match[str], context: Context) -> str:
    """FBI, CEOs, NASA's."""
    letters, ending = match[1], match[2].replace("'", "")
    if ending and len(letters) < 2:
        return ""
    word = letters.lower()
    if not context.capitals_mean:
        # Everything is in capitals: what can't be a word must be initials.
        sayable = len(letters) > 4 or in_lexicon(word) or _SAID.fullmatch(word)
        return "" if sayable or ending else " ".join(word)
    words = acronym(letters)
    if ending and words == word and in_lexicon(word + ending):
        return word + (match[2] if in_lexicon(word + match[2]) else ending)
    return f"{words}'s" if ending else words


def acronym(letters: str, dotted: bool = False) -> str:
    """BBC -> bbc, as the lexicon has it; US -> u s; NASA -> nasa; COVID -> covid."""
    word = letters.lower()
    if word in SAID_AS:
        return SAID_AS[word]
    spelled = [strip_stress(phone) for phone in spell_out(word)]
    if [strip_stress(phone) for phone in next(iter(lookup(word)), ())] == spelled:
        return word
    sayable = len(word) >= 5 and _SAYABLE.fullmatch(word)
    if not dotted and letters not in SPELLED and (in_lexicon(word) or sayable):
        return word
    return " ".join(word)
