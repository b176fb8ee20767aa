"""Figures and dates that are the same in other words: thirteen hundred and twelve, 1312; 5 May.

A range of words that says one number or one date has a key, its value; the other words are their
own. Two texts in which the keys agree differ in nothing that needs to be spoken anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from a3t.spans import Span
from a3t.text.comparison.edit_script import WordEdit, minimal_script
from a3t.text.normaliser.numbers import MONTHS, cardinal, ordinal
from a3t.text.transcript import Transcript

_SMALL = {cardinal(n): n for n in (*range(1, 20), *range(20, 100, 10))}
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_DAYS = {ordinal(n): n for n in range(1, 32)}
_DATES = frozenset([*MONTHS, *(day.split()[0] for day in _DAYS), "the"])
NUMBER_WORDS = frozenset([*_SMALL, *_SCALES, "hundred"])
_TELLING = NUMBER_WORDS | _DAYS.keys() | {"half"}
_LONGEST = 20  # words of one number


def same_figures(old: Transcript, new: Transcript) -> list[WordEdit]:
    """The ranges, in order, that say the same number or date in other words."""
    if _TELLING.isdisjoint(old.spoken):
        return []
    (old_keys, old_spans), (new_keys, new_spans) = _units(old), _units(new)
    same: list[WordEdit] = []
    i = j = 0
    ends = WordEdit("insert", (len(old_keys),) * 2, (len(new_keys),) * 2)
    for edit in [*minimal_script(old_keys, new_keys), ends]:
        for first, last in zip(old_spans[i : edit.old[0]], new_spans[j : edit.new[0]], strict=True):
            if old.spoken[slice(*first)] != new.spoken[slice(*last)]:
                same.append(WordEdit("replace", first, last))
        i, j = edit.old[1], edit.new[1]
    return same


def value(words: Sequence[str]) -> int | None:
    """The number that words say, as a count or a year; None if they say no single one."""
    words = [word for k, word in enumerate(words) if word != "and" or k in (0, len(words) - 1)]
    if (year := _year(words)) is not None:
        return year
    total, size = 0, 10**15
    while words:
        place = next((k for k, word in enumerate(words) if word in _SCALES), len(words))
        group, scale = _group(words[:place]), _SCALES[words[place]] if place < len(words) else 1
        if not group or scale >= size:
            return None
        total, size, words = total + group * scale, scale, words[place + 1 :]
    return total or None


def _group(words: Sequence[str]) -> int | None:
    """Thirteen hundred twelve -> 1312; up to 9999."""
    if "hundred" in words:
        place = [*words].index("hundred")
        above, below = _below_hundred(words[:place]), _below_hundred(words[place + 1 :])
        rest = place + 1 == len(words)
        return 100 * above + (below or 0) if above and (below or rest) else None
    return _below_hundred(words)


def _below_hundred(words: Sequence[str]) -> int | None:
    values = [_SMALL.get(word, 0) for word in words]
    if len(values) == 1:
        return values[0] or None
    two = len(values) == 2 and values[0] >= 20 and 0 < values[1] < 10
    return sum(values) if two else None


def _year(words: Sequence[str]) -> int | None:
    """Nineteen eighty four, twenty oh five."""
    for place in (1, 2):
        century, rest = _below_hundred(words[:place]), [*words[place:]]
        years = _below_hundred(rest[1:] if rest[:1] == ["oh"] else rest)
        if century and years and century >= 10 and (years < 10) == (rest[0] == "oh"):
            return 100 * century + years
    return None


def _units(text: Transcript) -> tuple[list[str], list[Span]]:
    """The key of each number, date and other word, and where it stands."""
    keys: list[str] = []
    spans: list[Span] = []
    for key, span in _found(text):
        keys.append(key)
        spans.append(span)
    return keys, spans


def _found(text: Transcript) -> Iterator[tuple[str, Span]]:
    words, place = text.spoken, 0
    while place < len(words):
        half = ("half", place + 2) if words[place : place + 2] == ("one", "half") else None
        found = half or _date(text, place) or _number(text, place)
        key, last = found or (words[place], place + 1)
        yield key, (place, last)
        place = last


def _number(text: Transcript, first: int) -> tuple[str, int] | None:
    last = first
    while last < min(len(text.words), first + _LONGEST) and (
        text.spoken[last] in NUMBER_WORDS or (text.spoken[last] in ("and", "oh") and last > first)
    ):
        last += 1
        if text.words[last - 1].pause_after:
            break
    while last > first and text.spoken[last - 1] in ("and", "oh"):
        last -= 1
    found = value(text.spoken[first:last]) if last > first + 1 else None
    return None if found is None else (f"number {found}", last)


def _date(text: Transcript, first: int) -> tuple[str, int] | None:
    """The fifth of may, fifth may, may fifth and may the fifth."""
    words = text.spoken[first : first + 5]
    if words[0] not in _DATES:
        return None
    for length in range(4, 1, -1):
        if any(word.pause_after for word in text.words[first : first + length - 1]):
            continue
        part = [word for word in words[:length] if word not in ("the", "of")]
        months, rest = [w for w in part if w in MONTHS], [w for w in part if w not in MONTHS]
        ends = words[:length][-1:] + words[:1]
        if len(months) == 1 and (day := _DAYS.get(" ".join(rest))) and "of" not in ends:
            whole = length == len(words) or words[length] not in _DAYS
            if whole and words[length - 1] != "the":
                return f"{months[0]} {day}", first + length
    return None
