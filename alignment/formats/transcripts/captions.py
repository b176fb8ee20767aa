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
    is_heading,
    named_by_colons,
    speakers_of,
    without_references,
)

_ARROW = re.compile(
    rf"^[ \t]{{0,9}}(?P<start>{CLOCK})[ \t]{{0,9}}(?:{ARROW})"
    rf"(?:[ \t]{{0,9}}(?P<end>{CLOCK}))?(?P<rest>.*)"
)
_SETTINGS = re.compile(
    r"(?:[ \t]{1,9}[A-Za-z]\w{0,19}:\S{1,60}){1,9}[ \t]{0,9}|[\s\d:.,]{0,40}"
)  # of a cue's place
_ADVERTISED = 3  # cues at the beginning and the end that may be one
_SBV = re.compile(rf"^[ \t]{{0,9}}(?P<start>{CLOCK}),(?P<end>{CLOCK})[ \t]{{0,9}}$", re.MULTILINE)
_VOICE = re.compile(r"<v(?:\.[^ <>\n]{0,60})? ([^<>\n]{1,60})>")
_MAX_COMPARED_WORDS = 60  # words of a cue that the next may repeat
_MAX_CHARACTERS_PER_S = 40  # characters a second that can be said
_MAX_GAP_S = 1.0  # seconds after which a cue repeats nothing
_BLOCKS = ("NOTE", "STYLE", "REGION", "WEBVTT")
_MICRODVD = re.compile(r"\{(\d{1,8})\}\{(\d{1,8})\}(.*)")
_FRAMES_PER_S = 23.976  # where the first line has no other


class _CueLines(NamedTuple):
    """A cue's lines as they stand in the file; whether they had tags, such as that of one word."""

    start: float
    end: float
    lines: list[str]
    tagged: bool = False


def has_arrows(text: str) -> bool:
    """Return whether a line has a time and an arrow, with another time or nothing behind it."""
    arrows = (arrow for line in text.splitlines() if (arrow := _ARROW.match(line)))
    return any(arrow["end"] or not arrow["rest"].strip() for arrow in arrows)


def is_sbv(text: str) -> bool:
    """Return whether a line is two times with a comma between them."""
    return _SBV.search(text) is not None


def read_arrows(text: str) -> Parsed:
    """Read SubRip or WebVTT, with or without numbers and blank lines between the cues."""
    return _spoken(_blocks(text, _ARROW))


def read_sbv(text: str) -> Parsed:
    """Read YouTube's SBV."""
    return _spoken(_blocks(text.replace("[br]", "\n"), _SBV))


def is_ass(text: str) -> bool:
    """Return whether a text has the sections or lines of an ASS or SSA file."""
    return re.search(r"^\[(?:Script Info|Events)\]|^Dialogue: ", text, re.MULTILINE) is not None


def read_ass(text: str) -> Parsed:
    """Read the dialogue of a .ass or .ssa, with the names that it has for the lines."""
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
            start, end = (seconds_of(fields.get(key)) for key in ("start", "end"))
            said = re.sub(r"\\[Nnh]", " ", _remove_bracketed(fields.get("text", ""), "{", "}"))
            cues.append(Cue(start, end, _plain(said), fields.get("name", "").strip()))
    ordered = in_order([cue for cue in cues if cue.text])
    if any(cue.speaker for cue in cues):
        return ordered
    lined = _spoken([_CueLines(cue.start, cue.end, [cue.text]) for cue in ordered.cues])
    return lined._replace(notes=(*ordered.notes, *lined.notes))


def _blocks(text: str, timing: re.Pattern[str]) -> list[_CueLines]:
    """Return each cue's lines: all between its times and the next cue's number or times.

    In WebVTT, whose notes stand between the cues, they end at an empty line.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    webvtt = lines[0].lstrip("\ufeff").startswith("WEBVTT")
    timed_lines = [(k, match) for k, line in enumerate(lines) if (match := timing.match(line))]
    heads = [_number_before(lines, k) for k, _ in timed_lines]
    if 2 * sum(head < k for head, (k, _) in zip(heads, timed_lines, strict=True)) <= len(
        timed_lines
    ):
        heads = [k for k, _ in timed_lines]  # the odd number there is what somebody says
    blocks = []
    ended = len(lines)
    while ended and not lines[ended - 1].strip():
        ended -= 1
    if heads and heads[0] < timed_lines[0][0] and lines[ended - 1].strip() == str(len(heads) + 1):
        ended -= ended > 1 and not lines[ended - 2].strip()  # the number of a cue that was cut off
    for (k, match), end in zip(timed_lines, [*heads[1:], ended], strict=False):
        block = lines[k + 1 : end]
        rest = match.groupdict().get("rest") or ""
        if rest.strip() and not _SETTINGS.fullmatch(rest):
            block = [rest, *block]  # said on the same line
        if webvtt and "" in block:
            block = block[: block.index("")]
        if webvtt and block and block[0].startswith(_BLOCKS):
            block = []
        start, stop = seconds_of(match["start"]), seconds_of(match["end"])
        blocks.append(_CueLines(start, stop if stop >= start else math.nan, block))
    return blocks


def _number_before(lines: Sequence[str], k: int) -> int:
    """Return the line of a cue's number before its times in line ``k``; ``k`` if there is none."""
    before = [j for j in range(max(k - 2, 0), k) if lines[j].strip()]
    return before[-1] if before and lines[before[-1]].strip().isdigit() else k


def _spoken(blocks: Sequence[_CueLines]) -> Parsed:
    """Return the blocks' cues in order, without tags, repeated lines, headings and names."""
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
    cleaned = _with_names_above([block for block in cleaned if block.lines])
    notes: list[str] = []
    edges = {*range(_ADVERTISED), *range(len(cleaned) - _ADVERTISED, len(cleaned))}
    spam = [
        k
        for k, block in enumerate(cleaned)
        if k in edges and any(map(is_advertisement, block.lines))
    ]
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


def _with_names_above(blocks: list[_CueLines]) -> list[_CueLines]:
    """Join the names that stand alone in the first line of all cues, as Teams writes them."""
    names = [block.lines[0] for block in blocks if len(block.lines) > 1]
    alone = all(map(NAME_ALONE.fullmatch, names)) and 2 * len(set(names)) <= len(names)
    if len(names) < len(blocks) or not alone:
        return blocks
    return [
        block._replace(lines=[f"{block.lines[0]}: {block.lines[1]}", *block.lines[2:]])
        for block in blocks
    ]


def without_repeats(blocks: Sequence[_CueLines]) -> tuple[list[_CueLines], int, int]:
    """Return rolling captions with each line once, the number of repeated lines, and of all.

    Captions are rolling if half of the cues begin with the words that the cue before ended with,
    and go on, or show them again too shortly to be said, or with another word marked. Others are
    left as they are, but for a cue that stands twice in the same place.
    """
    blocks = [block for k, block in enumerate(blocks) if not k or block != blocks[k - 1]]
    words = [[word for line in block.lines for word in line.split()] for block in blocks]
    total = sum(len(block.lines) for block in blocks)
    shared = [
        _overlap(words[k - 1], words[k])
        if k and blocks[k].start <= blocks[k - 1].end + _MAX_GAP_S
        else 0
        for k in range(len(blocks))
    ]
    repeats = sum(
        (count > 1 or len(before) == 1)
        if count < len(cue_words)
        else block.tagged
        or (block.end - block.start) * _MAX_CHARACTERS_PER_S < len(" ".join(cue_words))
        for block, count, cue_words, before in zip(
            blocks, shared, words, [[], *words], strict=False
        )
        if count
    )
    if len(blocks) < 3 or 2 * repeats < len(blocks) - 1:
        return list(blocks), 0, total
    kept: list[_CueLines] = []
    repeated = 0
    for block, count in zip(blocks, shared, strict=True):
        lines = []
        for line in block.lines:
            cue_words = line.split()
            repeated += len(cue_words) <= count
            lines.append(" ".join(cue_words[count:]))
            count = max(0, count - len(cue_words))
        if any(lines):
            kept.append(block._replace(lines=[line for line in lines if line]))
    return kept, repeated, total


def _overlap(before: Sequence[str], following: Sequence[str]) -> int:
    """Return the number of words at the end of one cue that begin the next."""
    most = min(len(before), len(following), _MAX_COMPARED_WORDS)
    return next((k for k in range(most, 0, -1) if before[-k:] == following[:k]), 0)


def without_tags(page: str) -> str:
    """Return the lines of a piece of a web page."""
    lines = re.split(r"</(?:p|div)>|<br ?/?>", page, flags=re.IGNORECASE)
    return "\n".join(map(_plain, lines))


def _plain(text: str) -> str:
    r"""Remove tags (<i>, {\an8}) and resolve entities (&amp;)."""
    text = _remove_bracketed(_remove_bracketed(text, "<", ">"), "{\\", "}")
    # Python refuses to convert a number of thousands of digits, which is no character anyhow.
    with contextlib.suppress(ValueError):
        text = html.unescape(text)
    return " ".join(text.split())


def _remove_bracketed(text: str, opening: str, closing: str) -> str:
    """Remove each passage from an opening mark to the next closing one, in linear time.

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


def is_microdvd(text: str) -> bool:
    """Return whether the first line begins with two frame numbers."""
    return _MICRODVD.match(text.lstrip()) is not None


def read_microdvd(text: str) -> Parsed:
    """Read lines of frames {from}{to}; a first one of {1}{1} may give the frames per second."""
    rate, blocks = _FRAMES_PER_S, []
    for line in text.splitlines():
        if not (match := _MICRODVD.match(line.strip())):
            continue
        first, last, said = int(match[1]), int(match[2]), match[3]
        if first == last and re.fullmatch(r"\d{2,3}(?:\.\d{1,6})?", said):
            rate = float(said)
            continue
        said = re.sub(r"\{[a-zA-Z]:[^{}\n]{0,60}\}", "", said)
        blocks.append(_CueLines(first / rate, last / rate, said.split("|")))
    return _spoken(blocks)
