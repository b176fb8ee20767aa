"""Plain texts: with times, as Otter, Rev, YouTube and LRC have them, with names, or bare."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from alignment.formats.transcripts.captions import STAMP, seconds_of
from alignment.formats.transcripts.cues import Cue, Parsed, in_order
from alignment.formats.transcripts.scripts import (
    by_speaker,
    is_heading,
    speakers_of,
    without_references,
)

_NAME = r"(?P<name>[^\W\d_][^\n:\[\](){}<>]{0,40}?)"
_OPEN, _CLOSE = r"[\[(]", r"[\])]"
# "Anna  0:03", "Speaker 1 (00:07):", "(00:07):", "0:07", "00:07 Anna"
_HEAD = re.compile(
    rf"(?:{_NAME}\s{{0,3}}:?[\s,–—-]{{1,9}})?{_OPEN}?{STAMP}{_CLOSE}?\s{{0,3}}:?"
    r"(?:\s{1,9}(?P<after>[A-Z][^\n:.?!,]{0,40}))?:?"
)
# "[00:12.00]text", "0:07 text", "(00:07): text", "Anna (00:07): text"
_LINE = re.compile(
    rf"(?:(?:{_NAME}\s{{0,3}}:?\s{{0,9}})?(?P<open>{_OPEN}){STAMP}{_CLOSE}|(?P<bare>{STAMP}))"
    r"\s{0,9}[-–—:]{0,2}\s{0,9}(?P<said>\S.*)",
    re.DOTALL,
)
_TAG = re.compile(r"\[(?:ar|ti|al|by|au|length|offset|re|ve):[^\]\n]{0,200}\]", re.IGNORECASE)


class _Line(NamedTuple):
    """A line: its time if it has one, the name in it, what it says, and whether the time is in
    brackets or alone."""

    start: float | None
    name: str
    said: str
    plain: bool = False


def _parsed(line: str) -> _Line:
    text = line.strip()
    if not any(map(str.isdigit, text[:80])):
        return _Line(None, "", text)
    if len(text) <= 120 and (head := _HEAD.fullmatch(text)):
        name = head["name"] or head["after"] or ""
        return _Line(seconds_of(head.groups()[1:5]), name.strip(), "")
    if found := _LINE.match(text):
        groups = found.groups()
        stamp = groups[2:6] if found["open"] else groups[7:11]
        said = found["said"]
        return _Line(seconds_of(stamp), (found["name"] or "").strip(), said, not found["open"])
    return _Line(None, "", text)


def is_stamped(text: str) -> bool:
    """True if the text's own lines have times, in order: the first of them, and one in twenty.

    A single one must stand alone or in brackets: "10:30 is when we meet" is a sentence.
    """
    lines = [line for line in text.splitlines() if line.strip()][:400]
    found = [
        (k, parsed) for k, line in enumerate(lines) if (parsed := _parsed(line)).start is not None
    ]
    if not found or found[0][0] > 5 or len(found) * 20 < len(lines):
        return False
    starts = [parsed.start or 0.0 for _, parsed in found]
    if len(found) == 1:
        return not found[0][1].plain
    ordered = sum(a <= b for a, b in zip(starts, starts[1:], strict=False))
    return ordered * 10 >= 9 * (len(starts) - 1)


def read_stamped(text: str) -> Parsed:
    """A cue for each time, which ends where the next begins."""
    cues: list[Cue] = []
    start, speaker, said = math.nan, "", list[str]()

    def end_of(following: float) -> None:
        turns = by_speaker(map(without_references, said), names)
        own = " ".join(text for _, text in turns if text)
        if own:
            cues.append(Cue(start, following, own, next((n for n, _ in turns if n), speaker)))

    lines = [_parsed(line) for line in text.splitlines() if line.strip() and not _TAG.match(line)]
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


def read_text_lines(text: str) -> Parsed:
    """A text without times; its speakers' names, and a script's headings, aren't spoken."""
    lines = text.splitlines()
    names = speakers_of([line for line in lines if line.strip()], captions=False)
    kept = [line for line in lines if not (names and is_heading(line))]
    notes = []
    if left := len(lines) - len(kept):
        notes.append(f"{left} headings left out" if left > 1 else "a heading left out")
    if not names:
        whole = "\n".join(map(_without_references, kept))
        return Parsed([Cue(math.nan, math.nan, whole)], whole, tuple(notes))
    turns = by_speaker(map(without_references, kept), names)
    cues = [Cue(math.nan, math.nan, said, name) for name, said in turns if said]
    return Parsed(cues, notes=tuple(notes))


def _without_references(line: str) -> str:
    """The line as it is, unless it has any."""
    return without_references(line) if re.search(r"\[\d{1,4}\]", line) else line
