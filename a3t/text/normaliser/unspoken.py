"""Unspoken parts of a transcript: sounds, tags, speakers' names, subtitles' timings.

Everything here is bounded: no pattern looks further than a line's length, so a text of any length
takes time in proportion.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from a3t.spans import Span
from a3t.text.normaliser import vocabulary

_BRACKETS = re.compile(r"\[([^\[\]\n]{1,60})\]|\(([^()\n]{1,40})\)")
_TAG = re.compile(
    r"</?(?:[biusp]|em|strong|font|span|c|v|lang|ruby|rt|br|div|sub|sup)(?:[ .][^<>\n]{0,100})?/?>"
    r"|<\d\d:[\d:.]{2,12}>|\{\\[^{}\n]{1,100}\}"
    # Marks of recognisers and aligners: <unk>, {spn}, ++um++, %hesitation, &=laughs
    r"|(?<!\w)(?:</?[a-z][\w-]{0,20}/?>|\{[a-z][\w-]{0,20}\}|\+\+[a-z]{1,20}\+\+)"
    r"|(?<!\S)(?:%|&=)[a-z][a-z:]{1,30}",
    re.IGNORECASE,
)
_TIME = r"(?:\d{1,3}:)?\d\d:\d\d[.,]\d{1,3}"
# A cue of a subtitle file: its number, if any, its times and their settings.
_CUE = re.compile(
    rf"(?m:^(?:\d{{1,6}}[ \t]{{0,9}}\n)?{_TIME} {{0,3}}--> {{0,3}}{_TIME}[^\n]{{0,200}}$)"
    r"|\AWEBVTT\b[^\n]{0,200}"
)
_SPEAKER = re.compile(
    r"(?m:^|(?<=[.!?…] ))[ \t]{0,20}(?:>>>? ?)?(?:(?:speaker|host|guest|interviewer|interviewee|"
    r"narrator|moderator|announcer|caller|operator|participant|voiceover)(?: ?(?:\d{1,3}|[A-Z]))?:"
    r"(?=\s)|>>>?(?=\s))",
    re.IGNORECASE,
)
_CAPITAL = r"[^\W\d_a-zß-öø-ÿ]"  # or a letter of a script that has none
_NAME = re.compile(
    rf"(?m:^)[ \t]{{0,20}}(?:>>>? ?)?({_CAPITAL}(?:{_CAPITAL}|[.'’-]){{1,20}}"
    rf"(?: {_CAPITAL}(?:{_CAPITAL}|[.'’-]){{0,20}}){{0,2}}):(?=\s)"
)

NO_NAMES: Mapping[str, bool] = MappingProxyType({})


def unspoken(text: str, names: Mapping[str, bool] = NO_NAMES) -> list[Span]:
    """Return the parts of the text that aren't spoken: [first, last) of each, in order.

    names: what is settled already of the names that begin lines: whether each is who speaks.
    """
    found = sorted({*_matches(text, names)})
    spans: list[Span] = []
    for first, last in found:
        if spans and first < spans[-1][1]:
            spans[-1] = (spans[-1][0], max(last, spans[-1][1]))
        else:
            spans.append((first, last))
    return spans


def speaker_names(text: str, names: Mapping[str, bool] = NO_NAMES) -> dict[str, str]:
    """Return the speakers' names, as they stand in the text ("SPEAKER 1:") and bare."""
    found = [*_SPEAKER.finditer(text), *_named_lines(text, names)]
    written = {" ".join(match[0].split()) for match in found}
    return {each: each.lstrip("> ").removesuffix(":") or ">>" for each in written}


def is_name(name: str) -> bool:
    """Return whether a line that begins with it and a colon is read as this speaker's."""
    return any(
        match is not None and match.end() == len(name) + 1
        for match in (pattern.match(f"{name}: ") for pattern in (_NAME, _SPEAKER))
    )


def names_of_lines(text: str) -> dict[str, bool]:
    """Return the names in capitals that begin lines, and whether each is a speaker's."""
    found = {match[1]: False for match in _NAME.finditer(text)}
    return found | {match[1]: True for match in _named_lines(text)}


def _matches(text: str, names: Mapping[str, bool]) -> Iterator[Span]:
    for pattern in (_TAG, _CUE, _SPEAKER):
        for match in pattern.finditer(text):
            yield match.span()
    for match in _BRACKETS.finditer(text):
        if names_a_sound(match[1] or match[2], square=match[1] is not None):
            yield match.span()
    for match in _named_lines(text, names):
        yield match.span()


def _named_lines(text: str, settled: Mapping[str, bool] = NO_NAMES) -> list[re.Match[str]]:
    """Return the beginnings of lines in capitals ("ANNA: …") that name a speaker.

    It could be a heading; as the start of several lines, or beside "Speaker 2: …", it is who
    speaks.
    """
    found = list(_NAME.finditer(text))
    often = Counter(match[1] for match in found)
    several = len(found) > 1 and (len(often) > 1 or len(found) > 2)
    several = several or any(match[0].endswith(":") for match in found and _SPEAKER.finditer(text))
    return [match for match in found if settled.get(match[1], several)]


def names_a_sound(inside: str, square: bool = True) -> bool:
    """Return whether brackets hold a sound or a state ("laughs softly"), not words.

    In square brackets one such word is enough; between parentheses, where words are spoken too,
    nothing else may stand there than what goes with it.
    """
    words = inside.strip(" .!…-–—*♪").replace("_", " ")
    if not any(map(str.isalpha, words)) or re.match(r"pause\b", words, re.IGNORECASE):
        return False
    if square and len(words.split()) <= 6:
        captioned = words.isupper() and len(words) > 4  # "[MUSIC PLAYING]", not "[US]"
        if captioned or _has_a_sound(words):
            return True
    place, sounds = 0, 0
    while place < len(words):
        match = vocabulary.SOUND.match(words, place)
        sounds += match is not None
        match = match or vocabulary.BESIDE_SOUND.match(words, place)
        if match is None or (match.end() < len(words) and words[match.end() - 1] != " "):
            return False
        place = match.end()
    return sounds > 0


def _has_a_sound(words: str) -> bool:
    """Return whether one of the words, or two together, names a sound."""
    parts = words.split()
    return any(
        vocabulary.SOUND.fullmatch(part) or vocabulary.SOUND.fullmatch(" ".join(parts[k : k + 2]))
        for k, part in enumerate(parts)
    )
