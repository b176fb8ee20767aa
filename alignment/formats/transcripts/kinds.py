"""The table of the kinds of transcript that are read, each recognised by its content."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from alignment.errors import InputError
from alignment.formats.text_file import RECOGNISED_MARK, decoded, read_bytes
from alignment.formats.transcripts import (
    captions,
    json_transcripts,
    lines,
    timed_text,
    ttml,
    word_tables,
)
from alignment.formats.transcripts.cues import Parsed, TranscriptFile, counted, shortened, with_ends
from alignment.formats.transcripts.documents import HEADING, document_kind
from alignment.formats.transcripts.markdown import without_markdown

MAX_TRANSCRIPT_BYTES = 20_000_000  # bytes
_FENCE = re.compile(r"\A\s{0,99}(?:```|~~~)\w{0,20}[ \t]{0,9}\n(.*)\n(?:```|~~~)\s*\Z", re.DOTALL)
_FRAGMENT = re.compile(r"\s{0,99}<(?:p|div|span|br)\b[^<>]{0,300}>", re.IGNORECASE)  # of a web page
_HEADING_LINE = re.compile(rf"^{HEADING}.*\n?", re.MULTILINE)
_RECOGNISED_LINE = re.compile(rf"\[?{RECOGNISED_MARK}[^\]\n]{{0,100}}\]?")
# Files with these endings hold nothing else than what they promise, or are broken.
TIMED_ENDINGS = (
    ".srt", ".vtt", ".sbv", ".ass", ".ssa", ".json", ".ctm", ".textgrid", ".tsv", ".csv", ".sub",
    ".stl",
)  # fmt: skip
# What isn't read: how it begins, and its name.
_FOREIGN = tuple(
    (re.compile(rf"\s{{0,99}}(?:{beginning})", re.IGNORECASE), name)
    for beginning, name in (
        (r"%PDF", "a PDF"),
        (r"<!DOCTYPE html|<html|<head\b|<body\b", "a web page"),
        (r"<\?xml|<!DOCTYPE|<[A-Z]{1,20}_[A-Z_]{1,20}[\s>]", "XML"),
        (r"<sami", "SAMI subtitles"),
        (r"Scenarist_SCC|(?:\d\d[:;]){3}\d\d\s{1,9}[0-9a-f]{4}(?:\s[0-9a-f]{4}|\s*$)",
         "Scenarist's captions"),
        (r"\d{3}STL\d\d\.\d\d", "EBU's subtitles"),
        (r"TITLE:[^\n]{0,200}\n(?:\s{0,99}FCM:|\s{0,99}\d{3,6}\s)", "an edit decision list"),
        (r"SESSION NAME:\s", "the text of a session"),
        (r"SPEAKER\s\S{1,200}\s\d\s[\d.]{1,20}\s[\d.]{1,20}\s<NA>", "a list of who speaks (RTTM)"),
        (r"@(?:UTF8|Font|Begin)\b[^\n]{0,99}\n@", "a CHAT transcript"),
        (r"#!MLF!#", "a list of label files"),
        (r"PK\x03\x04", "a packed file"),
        (r"\{\\rtf", "RTF"),
    )
)  # fmt: skip


@dataclass(frozen=True)
class Kind:
    """A kind of transcript. `matches` sees the whole text and must be linear in its length.

    written: people may have written it, with Markdown's signs, which are taken out before.
    """

    name: str
    matches: Callable[[str], object]
    read: Callable[[str], Parsed]
    written: bool = False


def _is_webvtt(text: str) -> bool:
    return text.startswith("WEBVTT")


TRANSCRIPT_KINDS = (
    Kind("WebVTT subtitles", _is_webvtt, captions.read_arrows),
    Kind("TTML subtitles", ttml.is_ttml, ttml.read_ttml),
    Kind("ASS subtitles", captions.is_ass, captions.read_ass),
    Kind("words of a TextGrid", word_tables.is_textgrid, word_tables.read_textgrid_words),
    Kind("SubRip subtitles", captions.has_arrows, captions.read_arrows),
    Kind("YouTube's SBV subtitles", captions.is_sbv, captions.read_sbv),
    Kind("MicroDVD subtitles", captions.is_microdvd, captions.read_microdvd),
    Kind("a table with named columns", word_tables.named_columns, word_tables.read_table),
    *(Kind(each.name, each.matches, each.read) for each in word_tables.LINE_LAYOUTS),
    Kind("a table of times", word_tables.found_columns, word_tables.read_table),
    Kind("text with times", timed_text.is_stamped, timed_text.read_stamped, True),
    Kind("text", lambda text: True, lines.read_text_lines, True),
)


def read_transcript(path: Path, headings: bool = False) -> TranscriptFile:
    """Read a transcript of any of these kinds from a file, a document's headings if asked to.

    Raises InputError if the file can't be read, is none of these kinds, or has no text.
    """
    data = read_bytes(path, MAX_TRANSCRIPT_BYTES, "transcript")
    noted: tuple[str, ...] = ()
    if document := document_kind(data):
        try:
            text = document.text(data)
        except ValueError as error:
            raise InputError(f"{path.name} is a broken {document.name}: save it again.") from error
        if not headings:
            text, left = _HEADING_LINE.subn("", text)
            noted = (counted(left, "heading"),) * bool(left)
    else:
        text, noted = decoded(data, path)
    result = parse_transcript(text, path.name)
    if result.kind == "text" and path.suffix.lower() in TIMED_ENDINGS:
        raise InputError(
            f"{path.name} is not what its ending {path.suffix} says, beginning with its first line "
            f"({shortened(text)}): check it, or save it as .txt."
        )
    if document:
        article = "an" if document.name[0] in "OR" else "a"
        kind = f"{article} {document.name}" + ("" if result.kind == "text" else f", {result.kind}")
        result = replace(result, kind=kind)
    if not any(map(str.isalnum, result.text)):
        raise InputError(f"{path.name} has no spoken text: give the text itself.")
    return replace(result, notes=(*noted, *result.notes))


def parse_transcript(text: str, name: str = "The text") -> TranscriptFile:
    """Read a text of any of these kinds, wherever it comes from; ``name`` it in errors.

    Raises InputError if it is of a kind that isn't read, has times in a layout that isn't known, or
    is of a kind with times and has no words.
    """
    text = _FENCE.sub(r"\1", text.lstrip("\ufeff"))
    foreign = next((foreign for pattern, foreign in _FOREIGN if pattern.match(text)), None)
    if foreign and not ttml.is_ttml(text):
        raise InputError(f"{name} is {foreign}, which a3t doesn't read: save it as plain text.")
    recognised = RECOGNISED_MARK in text
    if recognised:
        text = _RECOGNISED_LINE.sub("", text)
    kind, parsed = _parsed(text, name)
    if kind == "text" and (line := timed_text.first_unknown(text)):
        raise InputError(
            f"{name} has times in a layout that a3t doesn't know, first in the line "
            f"{shortened(line)}: save it as .srt, or without times."
        )
    result = TranscriptFile(
        name, kind, with_ends(parsed.cues), parsed.whole, parsed.notes, recognised
    )
    if kind != "text" and not any(map(str.isalnum, result.text)):
        raise InputError(f"{name} has no spoken text, read as {kind}: give the text itself.")
    return result


def _parsed(text: str, name: str) -> tuple[str, Parsed]:
    """Return the kind's name, and what is read."""
    if (data := json_transcripts.loaded(text, name)) is not None:
        if named_cues := json_transcripts.read_json(data):
            return named_cues
        text = json_transcripts.text_in(data, name)
    if _FRAGMENT.match(text):
        text = captions.without_tags(text)
    plain, name, result = without_markdown(text), "text", Parsed([])
    for kind in TRANSCRIPT_KINDS:
        seen = plain if kind.written else text
        if kind.matches(seen):
            name, result = kind.name, kind.read(seen)
            if not kind.written or any(any(map(str.isalnum, cue.text)) for cue in result.cues):
                break
    return "a text in JSON" if data is not None and name == "text" else name, result
