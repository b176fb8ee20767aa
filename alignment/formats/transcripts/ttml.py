"""Timed Text (TTML), the subtitles of Netflix, the BBC and iTunes (DFXP, IMSC)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from xml.etree import ElementTree

from alignment.errors import InputError
from alignment.formats.transcripts.cues import Cue, Parsed, in_order
from alignment.formats.transcripts.xml_text import attribute, local_name, paragraphs, parsed_xml

# What may stand before the root, which has to begin within the first characters.
_HEAD_CHARACTERS = 2000
_ROOT = re.compile(
    r"(?:<\?xml[^>]{0,200}\?>\s{0,99})?(?:<!--[^>]{0,500}-->\s{0,99})?<(?:\w{1,20}:)?tt[\s>]"
)
_CLOCK_TIME = re.compile(r"(\d{1,4}):(\d{2}):(\d{2}(?:\.\d{1,9})?)(?::(\d{1,3}))?")
_OFFSET = re.compile(r"(\d{1,12}(?:\.\d{1,9})?)(h|ms|m|s|f|t)")


def is_ttml(text: str) -> bool:
    """Return whether a text is TTML."""
    return _ROOT.match(text.lstrip()[:_HEAD_CHARACTERS]) is not None


def read_ttml(text: str) -> Parsed:
    """Read a cue for each paragraph; one without a time of its own continues the cue before it."""
    try:
        root = parsed_xml(text)
    except ValueError as error:
        raise InputError(f"The TTML is broken ({str(error)[:60]}): save it again.") from error
    rates = {name: _number(attribute(root, name)) for name in ("frameRate", "tickRate")}
    units = {
        "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001, "f": 1 / (rates["frameRate"] or 30.0),
        "t": 1 / (rates["tickRate"] or rates["frameRate"] or 1.0),
    }  # fmt: skip
    cues = []
    for paragraph in paragraphs(root):
        start, end, lasts = (
            _seconds(attribute(paragraph, name), units) for name in ("begin", "end", "dur")
        )
        end = end if math.isfinite(end) else start + lasts
        said = " ".join("".join(_said(paragraph)).split())
        if said:
            cues.append(Cue(start, end, said))
    return in_order(cues)


def _said(paragraph: ElementTree.Element) -> Iterator[str]:
    for element in paragraph.iter():
        yield "\n" if local_name(element) == "br" else ""
        if local_name(element) in ("p", "span"):
            yield element.text or ""
        if element is not paragraph:
            yield element.tail or ""


def _number(value: str) -> float:
    return float(value) if re.fullmatch(r"\d{1,9}", value) else 0.0


def _seconds(value: str, units: dict[str, float]) -> float:
    """Return a time of TTML in seconds, NaN for none."""
    if clock := _CLOCK_TIME.fullmatch(value.strip()):
        hours, minutes, seconds, frames = clock.groups()
        whole = int(hours) * 3600 + int(minutes) * 60 + float(seconds)
        return whole + int(frames or 0) * units["f"]
    if offset := _OFFSET.fullmatch(value.strip()):
        return float(offset[1]) * units[offset[2]]
    return math.nan
