"""The table of the kinds of transcript that are read, each recognised by its content."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from alignment.errors import InputError
from alignment.formats.text_file import RECOGNISED_MARK, decoded, read_bytes
from alignment.formats.transcripts import (
    captions,
    documents,
    json_transcripts,
    word_tables,
)
from alignment.formats.transcripts.cues import Parsed, TranscriptFile, with_ends
from alignment.formats.transcripts.documents import document_kind

LARGEST_FILE = 20_000_000  # bytes
_MARK = re.compile(rf"\[?{RECOGNISED_MARK}[^\]\n]{{0,100}}\]?")

_BOLD = re.compile(r"\*\*([^*\n]{1,200})\*\*")  # Markdown's, such as that of a name


@dataclass(frozen=True)
class Kind:
    """A kind of transcript. `matches` sees the whole text and must be linear in its length."""

    name: str
    matches: Callable[[str], bool]
    read: Callable[[str], Parsed]


def _is_webvtt(text: str) -> bool:
    return text.startswith("WEBVTT")


KINDS = (
    Kind("WebVTT subtitles", _is_webvtt, captions.read_arrows),
    Kind("TTML subtitles", documents.is_ttml, documents.read_ttml),
    Kind("ASS subtitles", captions.is_ass, captions.read_ass),
    Kind("words of a TextGrid", word_tables.is_textgrid, word_tables.read_textgrid_words),
    Kind("SubRip subtitles", captions.has_arrows, captions.read_arrows),
    Kind("YouTube's SBV subtitles", captions.is_sbv, captions.read_sbv),
    Kind("MicroDVD subtitles", captions.is_microdvd, captions.read_microdvd),
    Kind("Whisper's table", word_tables.is_tsv, word_tables.read_tsv),
    Kind("words in CTM", word_tables.is_ctm, word_tables.read_ctm),
    Kind("Audacity's labels", word_tables.is_label_track, word_tables.read_label_track),
    Kind("HTK's labels", word_tables.is_htk, word_tables.read_htk),
    Kind("text with times", captions.is_stamped, captions.read_stamped),
    Kind("text", lambda text: True, captions.read_text_lines),
)
# Files with these endings hold nothing else than what they promise, or are broken.
TIMED_ENDINGS = (
    ".srt", ".vtt", ".sbv", ".ass", ".ssa", ".json", ".ctm", ".textgrid", ".tsv", ".sub", ".stl",
)  # fmt: skip
# What isn't read: how it begins, and its name.
_FOREIGN = (
    ("%PDF", "a PDF"),
    ("<?xml", "XML"),
    ("<!DOCTYPE", "a web page"),
    ("<html", "a web page"),
    ("<SAMI", "SAMI subtitles"),
    ("PK\x03\x04", "a packed file"),
)


def read_transcript(path: Path) -> TranscriptFile:
    """A transcript of any of these kinds.

    Raises InputError if the file can't be read, is none of these kinds, or has no text.
    """
    data = read_bytes(path, LARGEST_FILE, "transcript")
    noted: tuple[str, ...] = ()
    if document := document_kind(data):
        try:
            text = document.text(data)
        except ValueError as error:
            raise InputError(f"{path.name} is a broken {document.name}: save it again.") from error
    else:
        text, noted = decoded(data, path)
    text = text.lstrip("\ufeff")
    foreign = next((name for start, name in _FOREIGN if text.lstrip().startswith(start)), None)
    if foreign and not documents.is_ttml(text):
        raise InputError(f"{path.name} is {foreign}, which a3t doesn't read: save it as text.")
    recognised = RECOGNISED_MARK in text
    if recognised:
        text = _MARK.sub("", text)
    name, found = _parsed(text, path)
    if document:
        article = "an" if document.name[0] in "OR" else "a"
        name = f"{article} {document.name}" + ("" if name == "text" else f", {name}")
    notes = (*noted, *found.notes)
    result = TranscriptFile(path.name, name, with_ends(found.cues), found.whole, notes, recognised)
    if not any(map(str.isalnum, result.text)):
        raise InputError(f"{path.name} has no spoken text: give the text itself.")
    return result


def _parsed(text: str, path: Path) -> tuple[str, Parsed]:
    """The kind's name, and what is read."""
    if (data := json_transcripts.loaded(text)) is not None:
        if found := json_transcripts.read_json(data):
            return found
        raise json_transcripts.not_known(path.name)
    text = _BOLD.sub(r"\1", text)
    kind = next(kind for kind in KINDS if kind.matches(text))
    if kind.name == "text" and path.suffix.lower() in TIMED_ENDINGS:
        raise InputError(
            f"{path.name} is not what its ending {path.suffix} says: check it, or save it as .txt."
        )
    return kind.name, kind.read(text)
