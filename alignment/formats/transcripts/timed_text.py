"""Text with times in it, as people and programs write it without a standard."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from alignment.formats.transcripts.cues import ARROW, STAMP, Cue, Parsed, in_order, seconds_of
from alignment.formats.transcripts.lines import (
    bracketed_names,
    by_speaker,
    named_by_colons,
    speakers_of,
    without_references,
)

_SPEAKER_NAME = r"(?P<name>[^\W\d_][^\n:\[\](){}<>]{0,40}?)"
_OPEN, _CLOSE = r"[\[(]", r"[\])]"
_ALONE = re.compile(r"[A-Z][\w.'’-]{0,20}(?: [A-Z(\d][\w.'’()-]{0,20}){0,2}")  # a name
# "Anna  0:03", "Speaker 1 (00:07):", "(00:07):", "0:07", "00:07 Anna"
_STAMP_LINE = re.compile(
    rf"(?:{_SPEAKER_NAME}\s{{0,3}}:?[\s,–—-]{{1,9}})?{_OPEN}?{STAMP}{_CLOSE}?\s{{0,3}}:?"
    rf"(?(name)|(?:\s{{1,9}}(?P<after>{_ALONE.pattern}))?):?"
)
# "00:00:01:02 - 00:00:03:05", "[0:01 – 0:03] text", "0:01 , 0:03 , text"
_RANGE = re.compile(
    rf"{_OPEN}?{STAMP}\s{{0,3}}(?:{ARROW}|[-–—,]|to)\s{{0,3}}{STAMP}{_CLOSE}?\s{{0,3}}[,:]?\s{{0,9}}(?P<said>.*)",
    re.DOTALL,
)
# "[1.00s -> 3.00s] text", which faster-whisper's users print, "[1.0 - 3.0] text", "[1.0s] text"
_SECONDS = r"(?:\d{1,6}(?:\.\d{1,9})?)"
_IN_SECONDS = re.compile(
    rf"{_OPEN}\s?(?P<start>{_SECONDS})\s?(?:s(?:ec)?)?(?:(?<=[sc])|"
    rf"\s{{0,3}}(?:{ARROW}|[-–—])\s{{0,3}}{_SECONDS}\s?(?:s(?:ec)?)?)"
    rf"\s?{_CLOSE}:?\s{{0,9}}(?P<said>\S.*)",
    re.DOTALL,
)
# "[00:12.00]text", "0:07 text", "(00:07): text", "Anna (00:07): text"
_STAMPED_LINE = re.compile(
    rf"(?:(?:{_SPEAKER_NAME}\s{{0,3}}:?\s{{0,9}})?(?P<open>{_OPEN}){STAMP}{_CLOSE}|(?P<bare>{STAMP}))"
    r"\s{0,9}[-–—:]{0,2}\s{0,9}(?P<said>\S.*)",
    re.DOTALL,
)
_LYRICS_TAG = re.compile(
    r"\[(?:ar|ti|al|by|au|length|offset|re|ve):[^\]\n]{0,200}\]", re.IGNORECASE
)
_EXACT = re.compile(r"(?<![\d:.,])(?:\d{1,3}:\d\d:\d\d\b|\d{1,3}:\d\d[.,]\d)")
_MAX_EXACT_SHARE = 0.4  # of a text's lines that have an exact time, where it is no running text


class _Line(NamedTuple):
    """A line: its time, if any, the name in it, what it says, and if the time has no brackets."""

    start: float | None
    name: str
    said: str
    plain: bool = False


def _parsed(line: str) -> _Line:
    text = line.strip()
    if not any(map(str.isdigit, text[:80])):
        return _Line(None, "", text)
    if match := _IN_SECONDS.fullmatch(text):
        return _Line(float(match["start"]), "", match["said"])
    if match := _RANGE.fullmatch(text):
        return _Line(seconds_of(match.groups()[:4]), "", match["said"])
    if len(text) <= 120 and (head := _STAMP_LINE.fullmatch(text)):
        name = head["name"] or head["after"] or ""
        return _Line(seconds_of(head.groups()[1:5]), name.strip(), "")
    if match := _STAMPED_LINE.match(text):
        groups = match.groups()
        stamp = groups[2:6] if match["open"] else groups[7:11]
        said = match["said"]
        return _Line(seconds_of(stamp), (match["name"] or "").strip(), said, not match["open"])
    return _Line(None, "", text)


def is_stamped(text: str) -> bool:
    """Return whether the text's lines have times, in order: the first of them, and one in twenty.

    A single one must stand alone or in brackets: "10:30 is when we meet" is a sentence.
    """
    lines = [line for line in text.splitlines() if line.strip()][:400]
    stamped = [
        (k, parsed) for k, line in enumerate(lines) if (parsed := _parsed(line)).start is not None
    ]
    if not stamped or stamped[0][0] > 5 or len(stamped) * 20 < len(lines):
        return False
    starts = [parsed.start or 0.0 for _, parsed in stamped]
    if len(stamped) == 1:
        return not stamped[0][1].plain
    ordered = sum(a <= b for a, b in zip(starts, starts[1:], strict=False))
    return ordered * 10 >= 9 * (len(starts) - 1)


def first_unknown(text: str) -> str:
    """Return the first line with an exact time of a text in which most have one; "" for another."""
    lines = [line for line in text.splitlines() if line.strip()]
    timed = [line for line in lines if _EXACT.search(line[:200])]
    return timed[0] if len(timed) > max(1, _MAX_EXACT_SHARE * len(lines)) else ""


def read_stamped(text: str) -> Parsed:
    """Read a cue for each time, which ends where the next begins."""
    cues: list[Cue] = []
    start, speaker, said = math.nan, "", list[str]()

    def end_of(following: float) -> None:
        turns = by_speaker(map(without_references, said), names)
        joined = " ".join(text for _, text in turns if text)
        if joined:
            cues.append(Cue(start, following, joined, next((n for n, _ in turns if n), speaker)))

    lines = [
        _parsed(line) for line in text.splitlines() if line.strip() and not _LYRICS_TAG.match(line)
    ]
    bracketed = bracketed_names([line.said for line in lines if line.said])
    lines = [line._replace(said=named_by_colons([line.said], bracketed)[0]) for line in lines]
    lines = _with_names_beside(lines)
    lines = lines[next((k for k, line in enumerate(lines) if line.start is not None), 0) :]
    names = speakers_of([line.said for line in lines if line.said])
    for line in lines:
        if line.start is None:
            said.append(line.said)
            continue
        end_of(line.start)
        start, speaker, said = line.start, line.name or speaker, [line.said] if line.said else []
    end_of(math.nan)
    return in_order(cues)


def _with_names_beside(lines: list[_Line]) -> list[_Line]:
    """Join each time that stands alone with the name in the line after it, or before it.

    Only if all such times have one and more is said.
    """
    alone = [k for k, line in enumerate(lines) if line.start is not None and not line.said]
    groups = [b - a for a, b in zip(alone, [*alone[1:], len(lines)], strict=False)]
    for side, first in ((1, 0), (-1, 1)):
        beside = [k + side for k in alone if not lines[k].name]
        enough = min(groups[:-1] or [0]) > 2 and groups[-1] >= 3 - first
        if not enough or len(beside) < len(alone) or beside[0] < 0:
            continue
        if all(lines[k].start is None and _ALONE.fullmatch(lines[k].said) for k in beside):
            named, places = {k - side: lines[k].said for k in beside}, frozenset(beside)
            return [
                line._replace(name=named.get(k, line.name))
                for k, line in enumerate(lines)
                if k not in places
            ]
    return lines
