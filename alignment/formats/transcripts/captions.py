"""Captions: SubRip, WebVTT, SBV, ASS and MicroDVD.

pysubs2 would read most subtitles as well, but takes time that grows with the square of the number
of unclosed tags, keeps WebVTT's entities and inline times in the text, and knows neither rolling
captions nor names.
"""

from __future__ import annotations

import contextlib
import html
import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from alignment.formats.transcripts.cues import (
    ARROW,
    STAMP,
    Cue,
    Parsed,
    counted,
    in_order,
    parted,
    seconds_of,
)
from alignment.formats.transcripts.lines import (
    bracketed_names,
    by_speaker,
    is_heading,
    named_by_colons,
    speakers_of,
    without_references,
)

_ARROW = re.compile(
    rf"^[ \t]{{0,9}}{STAMP}[ \t]{{0,9}}(?:{ARROW})(?:[ \t]{{0,9}}{STAMP})?(?P<rest>.*)"
)
_SETTINGS = re.compile(
    r"(?:[ \t]{1,9}[A-Za-z]\w{0,19}:\S{1,60}){1,9}[ \t]{0,9}|[\s\d:.,]{0,40}"
)  # of a cue's place
# What those who make and share subtitles add to them, at their beginning and end.
_ADVERTISEMENT = re.compile(
    r"\b(?:(?:www\.)?(?:opensubtitles|tvsubtitles|addic7ed|subscene|podnapisi|amara|yts|yify|"
    r"subdivx|titlovi|opensubs)\.(?:org|com|net|mx|am)\b|amara\.org)|"
    r"^\W{0,5}(?:(?:subtitles?|subtitled|captions?|captioned|captioning|synced|sync|synchroni[sz]ed|"
    r"corrected|transcribed|transcript|transcription|ripped|encoded|translated|translation|resynced)"
    r"\b[\w &,/-]{0,40}?(?:\bby\b|:)|advertise your product|support us and become|"
    r"please rate this subtitle|download(?:ed)? (?:movie|subtitles?)\b)",
    re.IGNORECASE,
)
_ADVERTISED = 3  # cues at the beginning and the end that may be one
_SBV = re.compile(rf"^[ \t]{{0,9}}{STAMP},{STAMP}[ \t]{{0,9}}$")
_VOICE = re.compile(r"<v(?:\.[^ <>\n]{0,60})? ([^<>\n]{1,60})>")
_MOST_COMPARED = 60  # words of a cue that the next may repeat
_FASTEST = 40  # characters a second that can be said
_APART = 1.0  # seconds after which a cue repeats nothing
_BLOCKS = ("NOTE", "STYLE", "REGION", "WEBVTT")


class _CueLines(NamedTuple):
    """A cue's lines as they stand in the file; whether they had tags, such as that of one word."""

    start: float
    end: float
    lines: list[str]
    tagged: bool = False


def has_arrows(text: str) -> bool:
    """True if a line has two times with an arrow between them."""
    return any((found := _ARROW.match(line)) and found[7] for line in text.splitlines())


def is_sbv(text: str) -> bool:
    """True if the first line is two times with a comma between them."""
    return _SBV.match(text.lstrip().partition("\n")[0]) is not None


def read_arrows(text: str) -> Parsed:
    """SubRip or WebVTT, with or without numbers and blank lines between the cues."""
    return _spoken(_blocks(text, _ARROW))


def read_sbv(text: str) -> Parsed:
    return _spoken(_blocks(text.replace("[br]", "\n"), _SBV))


def is_ass(text: str) -> bool:
    return re.search(r"^\[(?:Script Info|Events)\]|^Dialogue: ", text, re.MULTILINE) is not None


def read_ass(text: str) -> Parsed:
    """The dialogue of a .ass or .ssa, with the names that it has for the lines."""
    columns = "layer start end style name marginl marginr marginv effect text".split()
    cues: list[Cue] = []
    events = False
    for line in text.splitlines():
        head, _, rest = line.partition(":")
        if line.startswith("["):
            events = line.strip().lower() == "[events]"
        elif events and head == "Format":
            columns = [name.strip().lower() for name in rest.split(",")]
        elif head == "Dialogue":
            parts = rest.split(",", max(len(columns) - 1, 0))
            fields = dict(zip(columns, parts, strict=False))
            times = [re.fullmatch(STAMP, fields.get(key, "").strip()) for key in ("start", "end")]
            start, end = (seconds_of(t.groups()) if t else float("nan") for t in times)
            said = re.sub(r"\\[Nnh]", " ", _without(fields.get("text", ""), "{", "}"))
            cues.append(Cue(start, end, _plain(said), fields.get("name", "").strip()))
    ordered = in_order([cue for cue in cues if cue.text])
    if any(cue.speaker for cue in cues):
        return ordered
    lined = _spoken([_CueLines(cue.start, cue.end, [cue.text]) for cue in ordered.cues])
    return lined._replace(notes=(*ordered.notes, *lined.notes))


def _blocks(text: str, timing: re.Pattern[str]) -> list[_CueLines]:
    """Each cue's lines: all between its times and the next cue's number or times; in WebVTT, whose
    notes stand between the cues, up to an empty line."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    webvtt = lines[0].lstrip("\ufeff").startswith("WEBVTT")
    found = [(k, match) for k, line in enumerate(lines) if (match := timing.match(line))]
    heads = [_number_before(lines, k) for k, _ in found]
    if 2 * sum(head < k for head, (k, _) in zip(heads, found, strict=True)) <= len(found):
        heads = [k for k, _ in found]  # the odd number there is what somebody says
    blocks = []
    ended = len(lines)
    while ended and not lines[ended - 1].strip():
        ended -= 1
    if heads and heads[0] < found[0][0] and lines[ended - 1].strip() == str(len(heads) + 1):
        ended -= ended > 1 and not lines[ended - 2].strip()  # the number of a cue that was cut off
    for (k, match), end in zip(found, [*heads[1:], ended], strict=False):
        own = lines[k + 1 : end]
        rest = match.groupdict().get("rest") or ""
        if rest.strip() and not _SETTINGS.fullmatch(rest):
            own = [rest, *own]  # said on the same line
        if webvtt and "" in own:
            own = own[: own.index("")]
        if webvtt and own and own[0].startswith(_BLOCKS):
            own = []
        times = match.groups()[:8]
        start, stop = seconds_of(times[:4]), seconds_of(times[4:])
        blocks.append(_CueLines(start, stop if stop >= start else math.nan, own))
    return blocks


def _number_before(lines: Sequence[str], k: int) -> int:
    """The line with a cue's number before its times, line ``k``; that itself if there is none."""
    before = [j for j in range(max(k - 2, 0), k) if lines[j].strip()]
    return before[-1] if before and lines[before[-1]].strip().isdigit() else k


def _spoken(blocks: Sequence[_CueLines]) -> Parsed:
    """The cues of these blocks: in order, without tags, repeated lines, headings and names."""
    cleaned: list[_CueLines] = []
    bracketed = bracketed_names([line for block in blocks for line in block.lines])
    for block in blocks:
        lines = []
        for line in named_by_colons(block.lines, bracketed):
            # A voice becomes a name before the line, as other programs write it.
            line = _VOICE.sub(lambda match: f"\n{match[1].strip()}: ", line)
            lines += [_plain(part) for part in line.split("\n")]
        tagged = any("<" in line for line in block.lines)
        cleaned.append(_CueLines(block.start, block.end, [line for line in lines if line], tagged))
    voices = {
        match[1].strip()
        for block in blocks
        for line in block.lines
        for match in _VOICE.finditer(line)
    }
    cleaned = [block for block in cleaned if block.lines]
    notes: list[str] = []
    edges = {*range(_ADVERTISED), *range(len(cleaned) - _ADVERTISED, len(cleaned))}
    spam = [k for k, block in enumerate(cleaned) if k in edges and _is_advertisement(block)]
    if spam and len(spam) < len(cleaned):
        cleaned = [block for k, block in enumerate(cleaned) if k not in spam]
        notes.append(counted(len(spam), "advertisement"))
    order = sorted(range(len(cleaned)), key=lambda k: cleaned[k].start)
    if order != list(range(len(cleaned))):
        notes.append("with its cues put in order")
    single, repeated, total = without_repeats([cleaned[k] for k in order])
    if repeated:
        notes.append(f"rolling captions, {repeated} of {total} lines repeated")
    names = speakers_of([line for block in single for line in block.lines]) | voices
    cues: list[Cue] = []
    speaker, headings = "", 0
    for block in single:
        lines = [line for line in block.lines if not (names and is_heading(line))]
        headings += len(block.lines) - len(lines)
        turns = by_speaker(map(without_references, lines), frozenset(names))
        for cue in parted(block.start, block.end, turns):
            speaker = cue.speaker or speaker
            if cue.text:
                cues.append(cue._replace(speaker=speaker))
    if headings:
        notes.append(counted(headings, "heading"))
    return Parsed(cues, notes=tuple(notes))


def _is_advertisement(block: _CueLines) -> bool:
    return any(_ADVERTISEMENT.search(line[:200]) for line in block.lines)


def without_repeats(blocks: Sequence[_CueLines]) -> tuple[list[_CueLines], int, int]:
    """Rolling captions with each line once; how many lines were repeated, and how many there are.

    They are rolling if half of the cues begin with the words that the cue before ended with, and
    go on, or show them again too shortly to be said, or with another word marked. Others are left
    as they are, but for a cue that stands twice in the same place.
    """
    blocks = [block for k, block in enumerate(blocks) if not k or block != blocks[k - 1]]
    words = [[word for line in block.lines for word in line.split()] for block in blocks]
    total = sum(len(block.lines) for block in blocks)
    shared = [
        _overlap(words[k - 1], words[k])
        if k and blocks[k].start <= blocks[k - 1].end + _APART
        else 0
        for k in range(len(blocks))
    ]
    repeats = sum(
        (count > 1 or len(before) == 1)
        if count < len(own)
        else block.tagged or (block.end - block.start) * _FASTEST < len(" ".join(own))
        for block, count, own, before in zip(blocks, shared, words, [[], *words], strict=False)
        if count
    )
    if len(blocks) < 3 or 2 * repeats < len(blocks) - 1:
        return list(blocks), 0, total
    kept: list[_CueLines] = []
    repeated = 0
    for block, count in zip(blocks, shared, strict=True):
        lines = []
        for line in block.lines:
            own = line.split()
            repeated += len(own) <= count
            lines.append(" ".join(own[count:]))
            count = max(0, count - len(own))
        if any(lines):
            kept.append(block._replace(lines=[line for line in lines if line]))
    return kept, repeated, total


def _overlap(before: Sequence[str], own: Sequence[str]) -> int:
    """The number of words at the end of one cue that begin the next."""
    most = min(len(before), len(own), _MOST_COMPARED)
    return next((k for k in range(most, 0, -1) if before[-k:] == own[:k]), 0)


def _plain(text: str) -> str:
    """Without tags (<i>, {\\an8}), its entities (&amp;) as what they stand for."""
    text = _without(_without(text, "<", ">"), "{\\", "}")
    # Python refuses to convert a number of thousands of digits, which is no character anyhow.
    with contextlib.suppress(ValueError):
        text = html.unescape(text)
    return " ".join(text.split())


def _without(text: str, opening: str, closing: str) -> str:
    """Without what stands from each `opening` to the next `closing`; reads each character once.

    A regular expression would search to the end of the text for each opening that is not closed.
    """
    first, *rest = text.split(opening)
    kept: list[str] = [first]
    unclosed: list[str] = []
    for part in rest:
        _, closed, after = part.partition(closing)
        if closed:
            kept.append(after)
            unclosed = []
        else:
            unclosed += [opening, part]
    return "".join(kept + unclosed)


_MICRODVD = re.compile(r"\{(\d{1,8})\}\{(\d{1,8})\}(.*)")
_PICTURES = 23.976  # a second, where the first line has no other


def is_microdvd(text: str) -> bool:
    """True if the first line begins with two numbers of pictures."""
    return _MICRODVD.match(text.lstrip()) is not None


def read_microdvd(text: str) -> Parsed:
    """Lines of pictures {from}{to}; a first one of {1}{1} may say how many there are a second."""
    rate, blocks = _PICTURES, []
    for line in text.splitlines():
        if not (found := _MICRODVD.match(line.strip())):
            continue
        first, last, said = int(found[1]), int(found[2]), found[3]
        if first == last and re.fullmatch(r"\d{2,3}(?:\.\d{1,6})?", said):
            rate = float(said)
            continue
        said = re.sub(r"\{[a-zA-Z]:[^{}\n]{0,60}\}", "", said)
        blocks.append(_CueLines(first / rate, last / rate, said.split("|")))
    return _spoken(blocks)
