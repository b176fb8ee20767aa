"""Captions and scripts: SubRip, WebVTT, SBV, ASS, and text with times or with names in it.

pysubs2 would read most subtitles as well, but takes time that grows with the square of the number
of unclosed tags, keeps WebVTT's entities and inline times in the text, and knows neither rolling
captions nor names.
"""

from __future__ import annotations

import contextlib
import html
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from alignment.formats.transcripts.cues import Cue, Parsed, in_order, parted

# At most 32 characters, so that no line is searched further.
_NAME = re.compile(
    r"\s{0,9}(?:[-–—]\s{0,3})?(?:>>>?\s{0,3})?"
    r"(?P<name>[A-Z][\w.'’-]{0,20}(?: (?:[A-Z(][\w.'’()-]{0,20}|\d{1,3})){0,2})"
    r"\s?:(?:\s+|$)(?P<said>.*)",
    re.DOTALL,
)
_NUMBERED = re.compile(
    r"(?:speaker|host|guest|interviewer|interviewee|narrator|moderator|announcer|caller|operator|"
    r"participant|voiceover)(?: ?(?:\d{1,3}|[A-Z]))?",
    re.IGNORECASE,
)
# What begins lines with a colon and is read aloud.
_SPOKEN = frozenset(
    "question answer note warning example chapter part section step tip figure table summary "
    "remember today tomorrow yesterday first second third finally also but and so then well now "
    "here there yes no".split()
)
_HEADING = re.compile(
    r"\W{0,3}(?:(?:act|scene)\s(?:\d{1,3}|[ivxlc]{1,7}|one|two|three|four|five|six|seven|eight|nine|"
    r"ten)\b.{0,80}|(?:INT|EXT|INT\./EXT|I/E)\b[. ].{2,80})",
    re.IGNORECASE,
)
_REFERENCE = re.compile(r"\[\d{1,4}\]")


def without_references(text: str) -> str:
    """Without "[2]": the numbers of notes, verses and pages."""
    return " ".join(_REFERENCE.sub(" ", text).split()) if "[" in text else text


def is_heading(line: str) -> bool:
    """True for a line of a script that nobody says: "Scene 1. A house, day.", "INT. HOUSE"."""
    return _HEADING.fullmatch(line.strip()) is not None


def speakers_of(lines: Sequence[str], captions: bool = True) -> frozenset[str]:
    """The names with which lines begin that are those of who speaks.

    "Speaker 1:" always is. A name in capitals is, in captions, unless all of them are in capitals
    and it stands there once; elsewhere, where it may be a heading, if there are several. Another
    one is, if it begins three lines, or if most lines begin with one.
    """
    found = Counter(name for line in lines if (name := _name_of(line)))
    letters = [sum(map(str.isupper, line)) / max(sum(map(str.isalpha, line)), 1) for line in lines]
    shouted = bool(lines) and sum(share > 0.9 for share in letters) > len(lines) / 2
    mostly = len(found) > 1 and sum(found.values()) > len(lines) / 2
    several = captions or len(found) > 1 or sum(found.values()) > 2
    return frozenset(
        name
        for name, times in found.items()
        if _NUMBERED.fullmatch(name)
        or times > 2
        or mostly
        or (captions and times == len(lines) > 1)
        or (name.isupper() and len(name) > 1 and several and (times > 1 or not shouted))
    )


def _name_of(line: str) -> str:
    match = _NAME.match(line)
    if match is None or match["name"].split()[0].lower() in _SPOKEN:
        return ""
    return match["name"]


def by_speaker(lines: Iterable[str], names: frozenset[str]) -> list[tuple[str, str]]:
    """(name, text) of each turn in these lines; the name is "" until one is given."""
    turns: list[tuple[str, list[str]]] = []
    for line in lines:
        name = _name_of(line)
        if name in names:
            match = _NAME.match(line)
            turns.append((name, [match["said"] if match else line]))
        elif turns:
            turns[-1][1].append(line)
        else:
            turns.append(("", [line]))
    return [(name, " ".join(" ".join(said).split())) for name, said in turns]


STAMP = r"(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})(?:[.,:] ?(\d{1,9}))?"
_ARROW = re.compile(
    rf"^[ \t]{{0,9}}{STAMP}[ \t]{{0,9}}(?:-{{1,3}}>|→|[–—]>|--&gt;)[ \t]{{0,9}}{STAMP}"
)
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


def seconds_of(stamp: Sequence[str | None]) -> float:
    """Seconds of hours (or None), minutes, seconds and a fraction's digits (or None)."""
    hours, minutes, seconds, fraction = stamp
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + float(f"{seconds}.{fraction or 0}")


def has_arrows(text: str) -> bool:
    """True if a line has two times with an arrow between them."""
    return any(_ARROW.match(line) for line in text.splitlines())


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
    for (k, match), end in zip(found, [*heads[1:], len(lines)], strict=False):
        own = lines[k + 1 : end]
        if webvtt and "" in own:
            own = own[: own.index("")]
        if webvtt and own and own[0].startswith(_BLOCKS):
            own = []
        times = match.groups()
        blocks.append(_CueLines(seconds_of(times[:4]), seconds_of(times[4:]), own))
    return blocks


def _number_before(lines: Sequence[str], k: int) -> int:
    """The line with a cue's number before its times, line ``k``; that itself if there is none."""
    before = [j for j in range(max(k - 2, 0), k) if lines[j].strip()]
    return before[-1] if before and lines[before[-1]].strip().isdigit() else k


def _spoken(blocks: Sequence[_CueLines]) -> Parsed:
    """The cues of these blocks: in order, without tags, repeated lines, headings and names."""
    cleaned: list[_CueLines] = []
    for block in blocks:
        lines = []
        for line in block.lines:
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
    order = sorted(range(len(cleaned)), key=lambda k: cleaned[k].start)
    notes: list[str] = []
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
        notes.append(f"{headings} headings left out" if headings > 1 else "a heading left out")
    return Parsed(cues, notes=tuple(notes))


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


_SPEAKER = r"(?P<name>[^\W\d_][^\n:\[\](){}<>]{0,40}?)"
_OPEN, _CLOSE = r"[\[(]", r"[\])]"
_ALONE = re.compile(r"[A-Z][\w.'’-]{0,20}(?: [A-Z(\d][\w.'’()-]{0,20}){0,2}")  # a name
# "Anna  0:03", "Speaker 1 (00:07):", "(00:07):", "0:07", "00:07 Anna"
_HEAD = re.compile(
    rf"(?:{_SPEAKER}\s{{0,3}}:?[\s,–—-]{{1,9}})?{_OPEN}?{STAMP}{_CLOSE}?\s{{0,3}}:?"
    rf"(?(name)|(?:\s{{1,9}}(?P<after>{_ALONE.pattern}))?):?"
)
# "00:00:01:02 - 00:00:03:05", "[0:01 – 0:03] text", "0:01 , 0:03 , text"
_RANGE = re.compile(
    rf"{_OPEN}?{STAMP}\s{{0,3}}(?:[-–—,]|to)\s{{0,3}}{STAMP}{_CLOSE}?\s{{0,3}}[,:]?\s{{0,9}}(?P<said>.*)",
    re.DOTALL,
)
# "[00:12.00]text", "0:07 text", "(00:07): text", "Anna (00:07): text"
_LINE = re.compile(
    rf"(?:(?:{_SPEAKER}\s{{0,3}}:?\s{{0,9}})?(?P<open>{_OPEN}){STAMP}{_CLOSE}|(?P<bare>{STAMP}))"
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
    if found := _RANGE.fullmatch(text):
        return _Line(seconds_of(found.groups()[:4]), "", found["said"])
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
    """The lines without those that hold nothing but a name, if each time that stands alone has one
    after it, or before it, and more is said; the name is the time's then."""
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
