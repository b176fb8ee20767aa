"""Text with times in it, as people and programs write it without a standard."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from alignment.formats.transcripts.cues import (
    ARROW,
    CLOCK,
    Cue,
    Parsed,
    counted,
    in_order,
    parted,
    seconds_of,
)
from alignment.formats.transcripts.lines import (
    NAME_ALONE,
    bracketed_names,
    by_speaker,
    is_advertisement,
    named_by_colons,
    speakers_of,
    without_references,
)

_NAME = r"[\[(]?(?P<name>[^\W\d_][^\n:\[\](){}<>#|]{0,40}?)[\])]?"
_OPEN, _CLOSE = r"[\[(<{#*]", r"[\])>}#*]"
_TIME = rf"(?:{CLOCK}(?:-\d)?(?:\s?[ap]\.?m\b\.?)?|\d{{1,3}}m\s?\d{{1,2}}(?:\.\d{{1,9}})?s\b)"
# "Anna  0:03", "[00:12.00]text", "Anna (00:07 - 00:09): text", "2 0:00:01:02 0:00:03:05 text"
_HEAD = re.compile(
    rf"(?:{_NAME}\s{{0,3}}:?[\s,–—|-]{{0,9}})?(?P<open>{_OPEN}{{0,2}})\s?"
    r"(?P<date>\d{1,4}[./-]\d{1,2}[./-]\d{1,4},?\s{1,3})?(?P<number>\d{1,5}\s{1,3})?"
    rf"(?P<start>{_TIME})(?:\s{{0,3}}(?:{ARROW}|[-–—,\s]|to)\s{{0,3}}(?P<end>{_TIME}))?"
    rf"\s?(?P<close>{_CLOSE}{{0,2}})[\s:|=,–—-]{{0,9}}",
    re.IGNORECASE,
)
# "[1.00s -> 3.00s] text", which faster-whisper's users print, "[1.0 - 3.0] text", "[1.0s] text"
_SECONDS = r"(?:\d{1,6}(?:\.\d{1,9})?)"
_HEAD_IN_SECONDS = re.compile(
    rf"(?:{_NAME}\s{{0,3}}:?\s{{1,3}})?(?P<open>[\[(])\s?(?P<start>{_SECONDS})\s?(?:s(?:ec)?)?(?:(?<=[sc])|"
    rf"\s{{0,3}}(?:{ARROW}|[-–—])\s{{0,3}}(?P<end>{_SECONDS})\s?(?:s(?:ec)?)?)\s?[\])]:?\s{{0,9}}"
)
_INNER = re.compile(rf"{_OPEN}\s?(?P<time>{_TIME})\s?{_CLOSE}(?:\[[\d.]{{1,9}}\])?", re.IGNORECASE)
_OF_DAY = re.compile(r"[ap]\.?m", re.IGNORECASE)
_SPELT = re.compile(r"(?:(?P<m>\d{1,2}) minutes?,? ?)?(?:(?P<s>\d{1,2}) seconds?)?")
# What some kinds have around their text: tags of lyrics, the beginning and the end.
_UNSAID = re.compile(
    r"\[(?:ar|ti|al|by|au|length|offset|re|ve):[^\]\n]{0,200}\]|\[(?:begin|end)\]|"
    r"<(?:begin|end) subtitles>|\**\s?(?:start|end) script\s?\**",
    re.IGNORECASE,
)
_EXACT = re.compile(r"(?<![\d:.,])(?:\d{1,3}:\d\d:\d\d\b|\d{1,3}:\d\d[.,]\d)")
_MAX_EXACT_SHARE = 0.4  # of a text's lines that have an exact time, where it is no running text
_SEEN = 400  # lines that tell the kind
_MAX_TITLES = 40  # lines before the first time
_SENTENCE_END = re.compile(r"[.!?…][\"'”’)]*$")
_SENTENCE = re.compile(r"(?:[A-Z].* [a-z]\S*|\S* .*[.!?…][\"'”’)]*)")  # where a name would be


class _Line(NamedTuple):
    """A line: its time, if any, the name in it, what it says, and if the time has no brackets.

    of_day: the time is one of a day, as chats have it.
    """

    start: float | None
    name: str
    said: str
    plain: bool = False
    of_day: bool = False


def _parsed(line: str) -> _Line:
    text = line.strip()
    if not any(map(str.isdigit, text[:80])):
        return _Line(None, "", text)
    if match := _HEAD_IN_SECONDS.match(text):
        return _Line(float(match["start"]), match["name"] or "", text[match.end() :])
    match = _HEAD.match(text)
    if match is None:
        return _Line(None, "", text)
    name, said = (match["name"] or "").strip(" *"), text[match.end() :]
    opened, ranged = match["open"], bool(match["end"])
    if (
        (match["number"] and not ranged)
        or (name and said and not opened)
        or (opened and not match["close"])
        or _SENTENCE.fullmatch(name)
    ):
        return _Line(None, "", text)
    of_day = bool(match["date"] or _OF_DAY.search(match["start"]))
    plain = not ranged and opened in ("", "*")
    return _Line(_seconds(match["start"]), name, _INNER.sub(" ", said), plain, of_day)


def _seconds(time: str) -> float:
    """Return the seconds of a time: 0:01, 0:01-5 (tenths), 0m01s, 10:02 AM."""
    minutes, unit, seconds = time.partition("m")
    if unit and ":" not in time:
        return int(minutes) * 60 + float(seconds.strip(" s"))
    return seconds_of(re.sub(r"\s?[ap]\.?m\.?", "", time, flags=re.IGNORECASE).replace("-", "."))


def _lines(text: str, most: int | None = None) -> list[_Line]:
    """Parse the lines; where only their ends have times, each begins at the end before it."""
    texts = [
        line
        for line in text.replace("[br]", " ").splitlines()
        if line.strip() and not _UNSAID.fullmatch(line)
    ]
    lines = [_parsed(line) for line in texts[:most]]
    if any(line.start is not None for line in lines):
        return lines
    marks = [
        next((mark for mark in _INNER.finditer(line.said) if mark.end() == len(line.said)), None)
        for line in lines
    ]
    ends = [_seconds(mark["time"]) for mark in marks if mark]
    if len(ends) < 2 or ends != sorted(ends) or 2 * len(ends) < len(lines):
        return lines
    starts, result, begins = iter([0.0, *ends]), list[_Line](), True
    for line, mark in zip(lines, marks, strict=True):
        start = next(starts) if begins else None
        result.append(_Line(start, "", line.said[: mark.start()] if mark else line.said))
        begins = mark is not None
    return result


def is_stamped(text: str) -> bool:
    """Return whether the text's lines have times, in order: the first of them, and one in twenty.

    A single one must stand alone or in brackets: "10:30 is when we meet" is a sentence.
    """
    lines = _lines(text, _SEEN)
    stamped = [k for k, line in enumerate(lines) if line.start is not None]
    if not stamped or stamped[0] > _MAX_TITLES or len(stamped) * 20 < len(lines):
        return False
    starts = [lines[k].start or 0.0 for k in stamped]
    if len(stamped) == 1:
        line = lines[stamped[0]]
        return not (line.plain and line.said)
    ordered = sum(a <= b for a, b in zip(starts, starts[1:], strict=False))
    return ordered * 10 >= 9 * (len(starts) - 1)


def first_unknown(text: str) -> str:
    """Return the first line with an exact time of a text in which most have one; "" for another."""
    lines = [line for line in text.splitlines() if line.strip()]
    timed = [line for line in lines if _EXACT.search(line[:200])]
    return timed[0] if len(timed) > max(1, _MAX_EXACT_SHARE * len(lines)) else ""


def read_stamped(text: str) -> Parsed:
    """Read a cue for each time, which ends where the next begins.

    Lines before the first are titles, unless one ends a sentence.
    """
    cues: list[Cue] = []
    start, speaker, said = math.nan, "", list[str]()

    def end_of(following: float) -> None:
        turns = by_speaker(map(without_references, said), names)
        cues.extend(parted(start, following, [(n or speaker, text) for n, text in turns if text]))

    lines = _lines(text)
    bracketed = bracketed_names([line.said for line in lines if line.said])
    lines = [line._replace(said=named_by_colons([line.said], bracketed)[0]) for line in lines]
    lines = _with_names_beside(lines)
    first = next((k for k, line in enumerate(lines) if line.start is not None), 0)
    if not any(_SENTENCE_END.search(line.said) for line in lines[:first]):
        lines = lines[first:]
    spoken = [line for line in lines if not (line.start is None and is_advertisement(line.said))]
    names = speakers_of([line.said for line in spoken if line.said])
    for line in spoken:
        if line.start is None:
            said.append(line.said if said else _without_spelt(line.said, start))
            continue
        end_of(line.start)
        start, speaker, said = line.start, line.name or speaker, [line.said] if line.said else []
    end_of(math.nan)
    ordered = in_order(cues)
    if any(line.of_day for line in lines):
        ordered = Parsed([cue._replace(start=math.nan, end=math.nan) for cue in cues])
    left = [counted(len(lines) - len(spoken), "advertisement")] * (len(spoken) < len(lines))
    return ordered._replace(notes=(*ordered.notes, *left))


def _without_spelt(said: str, start: float) -> str:
    """Return what follows a time without the same time in words: "1 minute, 2 seconds"."""
    spelt = _SPELT.match(said)
    minutes, seconds = (int(each or 0) for each in (spelt.groups() if spelt else (0, 0)))
    same = spelt and spelt[0] and 60 * minutes + seconds == int(start)
    return said[spelt.end() :] if spelt and same else said


def _with_names_beside(lines: list[_Line]) -> list[_Line]:
    """Join each time with the name behind it, in the line after it, or before it.

    Only if all such times have one and more is said.
    """
    stamped = [k for k, line in enumerate(lines) if line.start is not None]
    following = [*(line.start for line in lines[1:]), 0.0]
    named = [k for k in stamped if lines[k].said]
    if all(NAME_ALONE.fullmatch(lines[k].said) and following[k] is None for k in named):
        lines = [
            line._replace(name=line.said, said="") if k in named else line
            for k, line in enumerate(lines)
        ]
    alone = [k for k in stamped if not lines[k].said]
    groups = [b - a for a, b in zip(alone, [*alone[1:], len(lines)], strict=False)]
    for side, first in ((1, 0), (-1, 1)):
        beside = [k + side for k in alone if not lines[k].name]
        enough = min(groups[:-1] or [0]) > 2 and groups[-1] >= 3 - first
        if not enough or len(beside) < len(alone) or beside[0] < 0:
            continue
        if all(lines[k].start is None and NAME_ALONE.fullmatch(lines[k].said) for k in beside):
            names, places = {k - side: lines[k].said for k in beside}, frozenset(beside)
            return [
                line._replace(name=names.get(k, line.name))
                for k, line in enumerate(lines)
                if k not in places
            ]
    return lines
