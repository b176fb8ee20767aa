"""Documents of word processors, whose text may be a transcript of any kind.

A Word or OpenDocument file is a zip of XML; RTF is text with its formatting in it.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from xml.etree import ElementTree

from alignment.formats.transcripts.xml_text import attribute, local_name, paragraphs, parsed_xml

LARGEST_PART = 50_000_000  # bytes of XML, unpacked
# The style and its tab stops, where text was before it was moved, a text box's second copy.
_UNSHOWN_IN_WORD = ("pPr", "moveFrom", "Fallback")
_UNSPOKEN = ("tracked-changes", "annotation", "note", "table-of-content")
HEADING = "# "  # before a title
_RTF = re.compile(
    rb"\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-z'])|([{}])|[\r\n]+|([^\\{}\r\n]+)"
)
_UNSHOWN = frozenset(
    b"fonttbl colortbl stylesheet info pict header footer footnote annotation object".split()
)
_RTF_SIGNS = {
    b"par": "\n", b"line": "\n", b"tab": "\t", b"emdash": "—", b"endash": "–", b"lquote": "‘",
    b"rquote": "’", b"ldblquote": "“", b"rdblquote": "”", b"row": "\n", b"cell": "\t",
    b"page": "\n", b"sect": "\n",
}  # fmt: skip


@dataclass(frozen=True)
class Document:
    """A kind of document: the part of the zip that has its text, and how that is read.

    ``text`` marks titles by HEADING and raises ValueError if the document is broken or too large.
    """

    name: str
    part: str
    text: Callable[[bytes], str]


def document_kind(data: bytes) -> Document | None:
    """Return the kind of document that a file's bytes are, or None."""
    if data.startswith(b"{\\rtf"):
        return RTF_DOCUMENT
    if not data.startswith(b"PK"):
        return None
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            names = packed.namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return None
    return next((kind for kind in (WORD_DOCUMENT, OPEN_DOCUMENT) if kind.part in names), None)


def _unpacked(data: bytes, part: str) -> ElementTree.Element:
    """Return the XML of a part of a zip; raise ValueError if that can't be read."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            if packed.getinfo(part).file_size > LARGEST_PART:
                raise ValueError(part)
            return parsed_xml(packed.read(part).decode())
    except (
        zipfile.BadZipFile, KeyError, OSError, EOFError, NotImplementedError, RuntimeError,
        zlib.error,
    ) as error:  # fmt: skip
        raise ValueError(str(error)) from error


def _word_text(data: bytes) -> str:
    """Return a line for each paragraph, changes accepted; what was deleted is another element."""
    parts: list[str] = []
    signs = {"tab": "\t", "br": "\n", "cr": "\n"}
    for paragraph in paragraphs(_unpacked(data, WORD_DOCUMENT.part)):
        style = paragraph.find("{*}pPr/{*}pStyle")
        name = "" if style is None else attribute(style, "val").lower()
        parts.append(HEADING if name.startswith(("title", "subtitle", "heading")) else "")
        waiting = [paragraph]
        while waiting:
            element = waiting.pop()
            kind = local_name(element)
            if kind not in _UNSHOWN_IN_WORD:
                parts.append(element.text or "" if kind == "t" else signs.get(kind, ""))
                waiting += reversed(element)
        parts.append("\n")
    return "".join(parts)


def _open_text(data: bytes) -> str:
    """Return a line for each paragraph, without notes and what was deleted."""
    parts: list[str] = []
    waiting: list[ElementTree.Element | str] = [_unpacked(data, OPEN_DOCUMENT.part)]
    while waiting:  # not by recursion: a file may nest as deep as it likes
        element = waiting.pop()
        if isinstance(element, str):
            parts.append(element)
            continue
        kind = local_name(element)
        if kind in _UNSPOKEN:
            continue
        title = kind == "h" or attribute(element, "style-name") in ("Title", "Subtitle")
        signs = {"tab": "\t", "line-break": "\n", "s": " "}
        parts += [HEADING if title else signs.get(kind, ""), element.text or ""]
        if kind in ("p", "h"):
            waiting.append("\n")
        for child in reversed(element):
            waiting += [child.tail or "", child]
    return "".join(parts)


def _rtf_text(data: bytes) -> str:
    """Return the text of an RTF, without what isn't shown in its lines, and what was deleted."""
    parts: list[str] = []
    groups: list[tuple[bool, int]] = []
    shown, fallback, skipped = True, 1, 0
    for match in _RTF.finditer(data):
        word, number, byte, sign, brace, text = match.groups()
        shown_text = ""
        if brace == b"{":
            groups.append((shown, fallback))
        elif brace == b"}":
            shown, fallback = groups.pop() if groups else (True, 1)
        elif sign is not None:
            shown = shown and sign != b"*"  # what other programs may pass over
            shown_text = {b"~": "\xa0", b"_": "-"}.get(sign, sign.decode("cp1252", "replace"))
            shown_text = shown_text if sign in b"~_\\{}" else ""
        elif word in _UNSHOWN or (word == b"deleted" and number != b"0"):
            shown = False
        elif word == b"uc":
            fallback = int(number or 1)
        elif word == b"u":
            shown_text, skipped = chr(int(number or 0) % 65536), -1
        elif word is not None:
            shown_text = _RTF_SIGNS.get(word, "")
        elif byte or text:
            encoded = bytes([int(byte, 16)]) if byte else text
            shown_text = encoded.decode("cp1252", "replace")[max(skipped, 0) :]
            skipped = max(0, skipped - len(encoded))
        if shown:
            parts.append(shown_text)
        skipped = fallback if skipped < 0 else skipped
    return "".join(parts).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


WORD_DOCUMENT = Document("Word document", "word/document.xml", _word_text)
OPEN_DOCUMENT = Document("OpenDocument text", "content.xml", _open_text)
RTF_DOCUMENT = Document("RTF document", "", _rtf_text)
