"""The table of the kinds of transcript that are read, each recognised by its content."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from alignment.errors import InputError
from alignment.formats.text_file import RECOGNISED_MARK, decoded, read_bytes
from alignment.formats.transcripts import captions, json_transcripts, stamped_text, word_tables
from alignment.formats.transcripts.cues import Parsed, TranscriptFile, with_ends

LARGEST_FILE = 20_000_000  # bytes
_MARK = re.compile(rf"\[?{RECOGNISED_MARK}[^\]\n]{{0,100}}\]?")


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
    Kind("ASS subtitles", captions.is_ass, captions.read_ass),
    Kind("words of a TextGrid", word_tables.is_textgrid, word_tables.read_textgrid_words),
    Kind("SubRip subtitles", captions.has_arrows, captions.read_arrows),
    Kind("YouTube's SBV subtitles", captions.is_sbv, captions.read_sbv),
    Kind("Whisper's table", word_tables.is_tsv, word_tables.read_tsv),
    Kind("words in CTM", word_tables.is_ctm, word_tables.read_ctm),
    Kind("Audacity's labels", word_tables.is_label_track, word_tables.read_label_track),
    Kind("HTK's labels", word_tables.is_htk, word_tables.read_htk),
    Kind("text with times", stamped_text.is_stamped, stamped_text.read_stamped),
    Kind("text", lambda text: True, stamped_text.read_text_lines),
)
# Files with these endings hold nothing else than what they promise, or are broken.
TIMED_ENDINGS = (
    ".srt", ".vtt", ".sbv", ".ass", ".ssa", ".json", ".ctm", ".textgrid", ".tsv",
)  # fmt: skip
# What isn't read: how it begins, and its name.
_FOREIGN = (
    ("%PDF", "a PDF"),
    ("{\\rtf", "RTF"),
    ("<?xml", "XML"),
    ("<tt", "XML"),
    ("<!DOCTYPE", "a web page"),
    ("<html", "a web page"),
    ("PK\x03\x04", "a packed file"),
)


def read_transcript(path: Path) -> TranscriptFile:
    """A transcript of any of these kinds.

    Raises InputError if the file can't be read, is none of these kinds, or has no text.
    """
    data = read_bytes(path, LARGEST_FILE, "transcript")
    noted: tuple[str, ...] = ()
    if is_docx(data):
        try:
            text = docx_text(data)
        except ValueError as error:
            raise InputError(f"{path.name} is a broken Word document: save it again.") from error
    else:
        text, noted = decoded(data, path)
    text = text.lstrip("\ufeff")
    foreign = next((name for start, name in _FOREIGN if text.lstrip().startswith(start)), None)
    if foreign:
        raise InputError(f"{path.name} is {foreign}, which a3t doesn't read: save it as text.")
    recognised = RECOGNISED_MARK in text
    if recognised:
        text = _MARK.sub("", text)
    name, found = _parsed(text, path)
    if is_docx(data):
        name = "a Word document" if name == "text" else f"a Word document, {name}"
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
    kind = next(kind for kind in KINDS if kind.matches(text))
    if kind.name == "text" and path.suffix.lower() in TIMED_ENDINGS:
        raise InputError(
            f"{path.name} is not what its ending {path.suffix} says: check it, or save it as .txt."
        )
    return kind.name, kind.read(text)


# A Word document is a zip of XML; its text may be of any of these kinds.

_NAMES = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_PART = "word/document.xml"
LARGEST_PART = 50_000_000  # bytes of XML, unpacked
_HEADINGS = ("title", "subtitle", "heading")


def is_docx(data: bytes) -> bool:
    """True if a file's bytes are a zip with a Word document's text in it."""
    if not data.startswith(b"PK"):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            return _PART in packed.namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return False


def docx_text(data: bytes) -> str:
    """A line for each paragraph, without titles and headings, changes accepted.

    Raises ValueError if the document is broken or too large.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            if packed.getinfo(_PART).file_size > LARGEST_PART:
                raise ValueError(_PART)
            xml = packed.read(_PART)
        if b"<!DOCTYPE" in xml[:2000] or b"<!ENTITY" in xml:
            raise ValueError("entities")
        root = ElementTree.fromstring(xml)
    except (
        zipfile.BadZipFile, KeyError, OSError, EOFError, NotImplementedError, RuntimeError,
        ElementTree.ParseError, zlib.error,
    ) as error:  # fmt: skip
        raise ValueError(str(error)) from error
    return "\n".join(_paragraph(each) for each in root.iter(f"{_NAMES}p") if not _is_heading(each))


def _is_heading(paragraph: ElementTree.Element) -> bool:
    style = paragraph.find(f"{_NAMES}pPr/{_NAMES}pStyle")
    name = style.get(f"{_NAMES}val", "") if style is not None else ""
    return name.lower().startswith(_HEADINGS)


def _paragraph(paragraph: ElementTree.Element) -> str:
    """Its text; what was deleted with changes tracked stands in another element."""
    parts = []
    for each in paragraph.iter():
        match each.tag.removeprefix(_NAMES):
            case "t":
                parts.append(each.text or "")
            case "tab":
                parts.append("\t")
            case "br" | "cr":
                parts.append("\n")
    return "".join(parts)
