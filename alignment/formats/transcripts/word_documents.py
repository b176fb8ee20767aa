"""The paragraphs of a Word document (.docx), as text."""

from __future__ import annotations

import io
import zipfile
import zlib
from xml.etree import ElementTree

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
