"""Words or sentences with their times, a line or an interval each: CTM, labels, TSV, TextGrid."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from alignment.formats.tables import PAUSE_LABELS
from alignment.formats.transcripts.cues import STAMP, Cue, Parsed, in_order, seconds_of, shortened

_REAL = r"-?\d{1,9}(?:[.,]\d{0,20})?"
_CLOCK = r"(?:\d{1,4}:)?\d{1,2}:\d{1,2}(?:[.,:;]\d{1,20})?"
_CTM = re.compile(rf"\S+[ \t]+\S+[ \t]+({_REAL})[ \t]+({_REAL})[ \t]+(\S+)(?:[ \t]+\S+){{0,3}}")
_LABEL = re.compile(rf"({_REAL}|{_CLOCK})\t({_REAL}|{_CLOCK})(?:\t(.*))?")
_HTK = re.compile(r"(\d{1,15})[ \t]+(\d{1,15})[ \t]+([^\d\s].*)")

# The columns of a table with names in its first line, by what programs call them.
_COLUMNS = {
    "start": ("start", "start time", "in", "begin", "start_time", "tmin", "from", "timestamp"),
    "end": ("end", "end time", "out", "stop", "end_time", "tmax", "to"),
    "length": ("duration", "length", "dur"),
    "speaker": ("speaker", "speaker name", "speaker_label", "role"),
    "text": ("text", "transcript", "subtitle", "content", "sentence", "word", "description",
             "comments"),
    "name": ("marker name", "name", "label"),
}  # fmt: skip
_SEPARATORS = "\t,;"
PICTURES_PER_SECOND = 30.0  # of editors' timecodes, where nothing says how many there are
MILLISECONDS_FROM = 1000  # whole times that reach this aren't seconds

WORD_TIERS = ("words", "word")
SEEN = 50  # lines that tell a kind
OTHER_TIERS = ("phones", "phone", "segments", "mau", "kan", "syllables", "points")
# Praat reads what stands free: texts and numbers; "xmin =" and "intervals [1]:" are for people.
_FREE_VALUES = re.compile(r'"((?:[^"]|"")*)"|(?<!\S)(-?\d[\d.]{0,30}(?:[eE][+-]?\d{1,3})?)(?!\S)')


def _lines(text: str) -> Iterator[str]:
    lines = (line.strip(" \r") for line in text.splitlines())
    return (line for line in lines if line.strip() and not line.startswith((";;", "\\")))


def _all_like(text: str, pattern: re.Pattern[str]) -> bool:
    first = list(islice(_lines(text), SEEN))
    return bool(first) and all(pattern.fullmatch(line) for line in first)


def is_ctm(text: str) -> bool:
    """Return whether all lines seen are those of a CTM."""
    return _all_like(text, _CTM)


def is_label_track(text: str) -> bool:
    """Audacity's labels; two times and a tab between each."""
    return _all_like(text, _LABEL)


def is_htk(text: str) -> bool:
    """HTK's labels: whole numbers of 100 ns."""
    return _all_like(text, _HTK) and _in_htk_order(text)


def _in_htk_order(text: str) -> bool:
    """Return whether the lines' times follow each other: "12 30 people came" is a sentence."""
    labels = [match for line in islice(_lines(text), SEEN) if (match := _HTK.fullmatch(line))]
    return all(int(match[1]) < int(match[2]) for match in labels) and (
        len(labels) > 1 or int(labels[0][2]) > 10_000
    )


def read_ctm(text: str) -> Parsed:
    """Read the words of a CTM."""
    return _cues(text, _CTM, lambda m: Cue(_real(m[1]), _real(m[1]) + _real(m[2]), m[3]))


def read_label_track(text: str) -> Parsed:
    """Read Audacity's labels, in seconds or in hours, minutes and seconds."""
    return _cues(text, _LABEL, lambda m: Cue(_time(m[1]), _time(m[2]), (m[3] or "").strip()))


def read_htk(text: str) -> Parsed:
    """Read HTK's labels."""
    return _cues(text, _HTK, lambda m: Cue(int(m[1]) / 1e7, int(m[2]) / 1e7, m[3].strip()))


def _cues(text: str, line: re.Pattern[str], cue: Callable[[re.Match[str]], Cue]) -> Parsed:
    """Read a cue in each line that matches; other lines are noted."""
    matches = [(each, line.fullmatch(each)) for each in _lines(text)]
    unknown = [each for each, match in matches if match is None]
    return _noted([cue(match) for _, match in matches if match], unknown)


def _noted(cues: Sequence[Cue], unknown: Sequence[str]) -> Parsed:
    """Put what is said in order; note lines that weren't understood, and ends before starts."""
    cues = [cue for cue in cues if cue.text.lower() not in PAUSE_LABELS]
    early = next((cue for cue in cues if cue.end < cue.start), None)
    result = in_order([cue._replace(end=max(cue.start, cue.end)) for cue in cues])
    notes = list(result.notes)
    if unknown:
        lines = f"{len(unknown)} lines" if len(unknown) > 1 else "a line"
        notes.append(f"{lines} not understood, first {shortened(unknown[0])}")
    if early:
        notes.append(f"the end of {shortened(early.text)} before its start")
    return result._replace(notes=tuple(notes))


def _real(number: str) -> float:
    return float(number.replace(",", "."))


def _time(field: str) -> float:
    """Return the seconds of a number, or of hours, minutes, seconds and perhaps pictures."""
    field = field.strip()
    if re.fullmatch(_REAL, field):
        return _real(field)
    if timecode := re.fullmatch(r"(\d{1,4}):(\d\d):(\d\d)[:;](\d\d)", field):
        return seconds_of((*timecode.groups()[:3], None)) + int(timecode[4]) / PICTURES_PER_SECOND
    match = re.fullmatch(STAMP, field)
    return seconds_of(match.groups()) if match else math.nan


def _named_columns(text: str) -> tuple[str, dict[str, int]] | None:
    """Return the separator and the columns' places of a table whose first line names them."""
    head = text.partition("\n")[0][:500]
    separator = max(_SEPARATORS, key=head.count)
    names = [name.strip().strip('"').lower() for name in head.split(separator)]
    places = {
        column: names.index(known)
        for column, called in _COLUMNS.items()
        if (known := next((each for each in called if each in names), ""))
    }
    said = "text" in places or "name" in places
    return (separator, places) if "start" in places and said and len(names) > 1 else None


def has_columns(text: str) -> bool:
    """Return whether the first line names columns of times and of a text."""
    return _named_columns(text) is not None


def read_columns(text: str) -> Parsed:
    """Read a table with named columns: Whisper's, editors' markers, other transcripts.

    Times that are whole numbers from `MILLISECONDS_FROM` on are milliseconds.
    """
    separator, places = _named_columns(text) or (",", {})
    quoted = separator != "\t"
    rows = csv.reader(
        text.splitlines(),
        delimiter=separator,
        quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE,
    )
    cues, unknown, whole = list[Cue](), list[str](), True
    try:
        next(rows, None)
        for row in rows:
            fields = {name: row[k].strip() for name, k in places.items() if k < len(row)}
            start, end, length = (_time(fields.get(k, "")) for k in ("start", "end", "length"))
            if not math.isfinite(start):
                unknown += [separator.join(row)] * any(map(str.strip, row))
                continue
            whole = whole and fields["start"].isdigit() and fields.get("end", "0").isdigit()
            end = start + length if math.isnan(end) else end
            if said := fields.get("text") or fields.get("name", ""):
                cues.append(Cue(start, end, " ".join(said.split()), fields.get("speaker", "")))
    except csv.Error:
        unknown.append(text)
    if whole and max((cue.end for cue in cues), default=0.0) >= MILLISECONDS_FROM:
        cues = [cue._replace(start=cue.start / 1e3, end=cue.end / 1e3) for cue in cues]
    return _noted(cues, unknown)


def is_textgrid(text: str) -> bool:
    """Return whether a text begins as a TextGrid does."""
    head = text[:300]
    return "ooTextFile" in head and "TextGrid" in head


class TextGridTier(NamedTuple):
    """A tier of intervals and its name."""

    name: str
    entries: Sequence[Cue]


def read_textgrid_words(text: str) -> Parsed:
    """Read the words of a TextGrid, of each speaker if its tiers are named "anna - words".

    Else the intervals of its one tier, or of that with most text, are read.
    """
    cues = [
        cue._replace(speaker=name)
        for tier, name in _chosen(_interval_tiers(text))
        for cue in tier.entries
    ]
    return _noted([cue for cue in cues if cue.text], [])


def _interval_tiers(text: str) -> list[TextGridTier]:
    """Read the tiers of a TextGrid, in its long or its short format, as far as they go."""
    values = [(match[1], match[2]) for match in _FREE_VALUES.finditer(text)]
    tiers, k = list[TextGridTier](), 0
    while k < len(values):
        # class, name, start, end, number of intervals; of each its start, end and label
        if values[k][0] != "IntervalTier" or not _are_numbers(values, k + 2, 3):
            k += 1
            continue
        name, count, entries = values[k + 1][0] or "", values[k + 4][1], list[Cue]()
        k += 5
        while len(entries) < float(count) and _are_numbers(values, k, 2) and k + 2 < len(values):
            label = (values[k + 2][0] or "").replace('""', '"')
            entries.append(Cue(float(values[k][1]), float(values[k + 1][1]), label.strip()))
            k += 3
        tiers.append(TextGridTier(name, entries))
    return tiers


def _are_numbers(values: Sequence[tuple[str, str]], first: int, count: int) -> bool:
    """Return whether the values from one on are as many numbers."""
    numbers = [number for _, number in values[first : first + count] if number]
    return len(numbers) == count and all(number.count(".") < 2 for number in numbers)


def _chosen(tiers: Sequence[TextGridTier]) -> list[tuple[TextGridTier, str]]:
    """Return the tiers to read, each with the name of who speaks, if there are several."""
    named = [(tier, *tier.name.rpartition(" - ")[::2]) for tier in tiers]
    words = [(tier, name) for tier, name, kind in named if kind.strip().lower() in WORD_TIERS]
    if words:
        return [(tier, name.strip() if len(words) > 1 else "") for tier, name in words]
    other = [tier for tier, _, kind in named if kind.strip().lower() not in OTHER_TIERS]
    most = max(other, key=lambda tier: sum(len(cue.text) for cue in tier.entries), default=None)
    return [(most, "")] if most is not None else []
