"""Lines of transcripts: who says them, headings, numbers of pages and notes, Markdown's signs."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from alignment.formats.transcripts.cues import Cue, Parsed, counted

# At most 32 characters, so that no line is searched further.
_NAMED_LINE = re.compile(
    r"\s{0,9}(?:[-–—]\s{0,3})?(?:>>>?\s{0,3})?"
    r"(?P<name>[A-Z][\w.'’-]{0,20}(?: (?:[A-Z(][\w.'’()-]{0,20}|\d{1,3})){0,2}|spk_\d{1,3}|"
    r"speaker_\d{1,3})"
    r"\s?:(?:\s+|$)(?P<said>.*)",
    re.DOTALL,
)
# A name that stands alone: "Anna Smith", "Speaker 1", "S00"
NAME_ALONE = re.compile(r"[A-Z][\w.'’-]{0,20}(?: [A-Z(\d][\w.'’()-]{0,20}){0,2}")
_NUMBERED = re.compile(
    r"(?:speaker|host|guest|interviewer|interviewee|narrator|moderator|announcer|caller|operator|"
    r"participant|voiceover)(?:[ _]?(?:\d{1,3}|[A-Z]))?",
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
# "[Speaker 0] text", "(Speaker 1) text", "[ANNA]: text"
_BRACKETED = re.compile(
    r"\s{0,9}[\[(](?P<name>[A-Z]\w{0,20}(?: \w{1,20}){0,2})[\])]\s{0,3}:?\s{1,9}(?P<said>\S.*)",
    re.DOTALL,
)
_BRACKETED_SOUNDS = frozenset(
    "music laughs laughter laughing applause noise silence inaudible unintelligible crosstalk "
    "cheering coughs sighs pause beat blank".split()
)
_SIGNED_NUMBER = re.compile(r"(speaker|spk)[_ -]?0{0,3}(\d{1,3})", re.IGNORECASE)
# "Page 3 of 12", "- 12 -", "p. 4"
_PAGE = re.compile(
    r"[-–—\s|]{0,5}(?:page|pg\.?|p\.)\s?\d{1,4}(?:\s?(?:of|/)\s?\d{1,4})?[-–—\s|.]{0,5}|"
    r"[-–—|]?\s?\d{1,4}\s?[-–—|]",
    re.IGNORECASE,
)
_REFERENCE = re.compile(r"\[\d{1,4}\]")

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


def is_advertisement(line: str) -> bool:
    """Return whether those who made or shared a transcript name themselves in a line."""
    return _ADVERTISEMENT.search(line[:200]) is not None


def without_references(text: str) -> str:
    """Remove "[2]": the numbers of notes, verses and pages."""
    return " ".join(_REFERENCE.sub(" ", text).split()) if "[" in text else text


def bracketed_names(lines: Sequence[str]) -> frozenset[str]:
    """Return the names in brackets that begin lines and are those of who speaks.

    "[Speaker 0]" always is, and so is "[ANNA]"; others are if most of several lines begin so.
    """
    matches = [match for line in lines if (match := _BRACKETED.match(line))]
    names = {
        match["name"]
        for match in matches
        if match["name"].split()[0].lower() not in _BRACKETED_SOUNDS
    }
    most = 2 * len(matches) > max(sum(1 for line in lines if line.strip()), 2)
    return frozenset(
        name
        for name in names
        if most or _NUMBERED.fullmatch(name) or (name.isupper() and len(name) > 2)
    )


def named_by_colons(lines: Iterable[str], names: frozenset[str]) -> list[str]:
    """Return the lines with "Speaker 0: text" for "[Speaker 0] text" and "SPEAKER_00: text"."""
    result = []
    for line in lines:
        match = _BRACKETED.match(line)
        if match is None or match["name"] not in names:
            match = _NAMED_LINE.match(line) if "_" in line[:40] else None
        if match:
            line = f"{speaker_name(match['name'])}: {match['said']}"
        result.append(line)
    return result


def speaker_name(name: str) -> str:
    """Return "Speaker 0" for spk_0 and SPEAKER_00, and "Speaker A" for A; another name as it is."""
    if number := _SIGNED_NUMBER.fullmatch(name):
        return name if " " in name else f"Speaker {int(number[2])}"
    return f"Speaker {name}" if len(name) == 1 or (name.isdigit() and len(name) < 4) else name


def is_heading(line: str) -> bool:
    """Return whether nobody says a line of a script: "Scene 1. A house, day.", "INT. HOUSE"."""
    return _HEADING.fullmatch(line.strip()) is not None


def speakers_of(lines: Sequence[str], captions: bool = True) -> frozenset[str]:
    """Return the names of speakers with which lines begin.

    "Speaker 1:" always is one. A name in capitals is, in captions, unless all of them are in
    capitals and it stands there once; elsewhere, where it may be a heading, if there are several.
    Another one is, if it begins three lines, or if most lines begin with one.
    """
    names = Counter(name for line in lines if (name := _name_of(line)))
    letters = [sum(map(str.isupper, line)) / max(sum(map(str.isalpha, line)), 1) for line in lines]
    shouted = bool(lines) and sum(share > 0.9 for share in letters) > len(lines) / 2
    mostly = len(names) > 1 and sum(names.values()) > len(lines) / 2
    several = captions or len(names) > 1 or sum(names.values()) > 2
    return frozenset(
        name
        for name, times in names.items()
        if _NUMBERED.fullmatch(name)
        or times > 2
        or mostly
        or (captions and times == len(lines) > 1)
        or (name.isupper() and len(name) > 1 and several and (times > 1 or not shouted))
    )


def _name_of(line: str) -> str:
    match = _NAMED_LINE.match(line)
    if match is None or match["name"].split()[0].lower() in _SPOKEN:
        return ""
    return match["name"]


def by_speaker(lines: Iterable[str], names: frozenset[str]) -> list[tuple[str, str]]:
    """(name, text) of each turn in these lines; the name is "" until one is given."""
    turns: list[tuple[str, list[str]]] = []
    for line in lines:
        name = _name_of(line)
        if name in names:
            match = _NAMED_LINE.match(line)
            turns.append((name, [match["said"] if match else line]))
        elif turns:
            turns[-1][1].append(line)
        else:
            turns.append(("", [line]))
    return [(name, " ".join(" ".join(said).split())) for name, said in turns]


def read_text_lines(text: str) -> Parsed:
    """Read a text without times; its speakers' names, and a script's headings, aren't spoken."""
    lines = text.splitlines()
    bracketed = bracketed_names(lines)
    lines = named_by_colons(lines, bracketed)
    names = speakers_of([line for line in lines if line.strip()], captions=False)
    names |= {speaker_name(name) for name in bracketed}
    spoken = _without_page_numbers(lines)
    kept = [line for line in spoken if not (names and is_heading(line))]
    notes = []
    if left := len(spoken) - len(kept):
        notes.append(counted(left, "heading"))
    if left := len(lines) - len(spoken):
        notes.append(counted(left, "page number"))
    if not names:
        whole = "\n".join(map(_without_references, kept))
        return Parsed([Cue(math.nan, math.nan, whole)], whole, tuple(notes))
    turns = by_speaker(map(without_references, kept), names)
    cues = [Cue(math.nan, math.nan, said, name) for name, said in turns if said]
    return Parsed(cues, notes=tuple(notes))


def _without_page_numbers(lines: Sequence[str]) -> list[str]:
    """Return the lines without "Page 3 of 12", and bare numbers that count on from page to page."""
    bare = [
        (k, int(line))
        for k, line in enumerate(lines)
        if re.fullmatch(r"\s{0,99}\d{1,4}\s{0,99}", line)
    ]
    apart = all(b[0] - a[0] > 1 for a, b in pairwise(bare))
    counts = len(bare) > 1 and apart and all(b[1] == a[1] + 1 for a, b in pairwise(bare))
    left = {k for k, _ in bare} if counts else set()
    return [
        line for k, line in enumerate(lines) if k not in left and not _PAGE.fullmatch(line.strip())
    ]


def _without_references(line: str) -> str:
    return without_references(line) if re.search(r"\[\d{1,4}\]", line) else line
