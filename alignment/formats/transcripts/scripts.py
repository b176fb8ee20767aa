"""Speakers and headings, by how a text's lines begin: "BOB: …", "Scene 1. A house."."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

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
