"""Words or sentences with their times, a line or an interval each: CTM, labels, TSV, TextGrid."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest
from typing import NamedTuple

from alignment.formats.tables import PAUSE_LABELS
from alignment.formats.transcripts.cues import REAL, Cue, Parsed, in_order, seconds_of, shortened
from alignment.formats.transcripts.lines import NAME_ALONE

_DECIMAL = r"\d{1,9}\.\d{1,20}"
# The columns of a table with names in its first line, by what programs call them.
_COLUMNS = {
    "start": ("start", "start time", "start timecode", "in", "begin", "tmin", "from", "timestamp",
              "timespan", "timecode", "time"),
    "end": ("end", "end time", "end timecode", "out", "stop", "tmax", "to"),
    "length": ("duration", "length", "dur"),
    "speaker": ("speaker", "speaker name", "speaker label", "role"),
    "text": ("text", "transcript", "subtitle", "content", "sentence", "word", "description",
             "comments"),
    "name": ("marker name", "name", "label"),
}  # fmt: skip
_POINT = re.compile(r"\d[.:]\d")
_SEPARATORS = "\t;|,"
MARKED = 4  # columns with known names: a table, also if no line has a time
MILLISECONDS_FROM = 1000  # whole times that reach this aren't seconds

WORD_TIERS = ("words", "word")
SEEN, SEEN_CHARACTERS = 50, 2000  # lines that tell a kind, of each
SHORTEST_S = 1e-3  # of a label that stands alone
OTHER_TIERS = ("phones", "phone", "segments", "mau", "kan", "syllables", "points")
# Praat reads what stands free: texts and numbers; "xmin =" and "intervals [1]:" are for people.
_FREE_VALUES = re.compile(r'"((?:[^"]|"")*)"|(?<!\S)(-?\d[\d.]{0,30}(?:[eE][+-]?\d{1,3})?)(?!\S)')


def _lines(text: str) -> Iterator[str]:
    """Yield the lines without comments, and what Audacity writes below a label: frequencies."""
    lines = (line.strip(" \r") for line in text.splitlines())
    return (line for line in lines if line.strip() and not line.startswith((";;", "\\")))


def _seen(text: str) -> list[str]:
    """Return the beginnings of the first lines, which tell the kind."""
    return [line[:SEEN_CHARACTERS] for line in islice(_lines(text), SEEN)]


@dataclass(frozen=True)
class LineLayout:
    """A kind of lines with spaces between their fields, the pattern's groups; times in ``unit`` s.

    The groups: start, text, perhaps end, length (instead of an end), speaker.
    """

    name: str
    pattern: re.Pattern[str]
    unit: float = 1.0

    def matches(self, text: str) -> bool:
        """Return whether all lines seen are such; "12 30 people came" is a sentence."""
        matches = [self.pattern.fullmatch(line) for line in _seen(text)]
        cues = [self._cue(match) for match in matches if match]
        if not cues or len(cues) < len(matches):
            return False
        ordered = all(cue.start < cue.end for cue in cues)
        return self.unit == 1.0 or (ordered and (len(cues) > 1 or cues[0].end > SHORTEST_S))

    def read(self, text: str) -> Parsed:
        """Read a cue in each line that matches; note other lines."""
        matches = [(line, self.pattern.fullmatch(line)) for line in _lines(text)]
        unknown = [line for line, match in matches if match is None]
        return _noted([self._cue(match) for _, match in matches if match], unknown)

    def _cue(self, match: re.Match[str]) -> Cue:
        fields = match.groupdict()
        start, end, length = (
            float((fields.get(key) or "nan").replace(",", ".")) * self.unit
            for key in ("start", "end", "length")
        )
        end = start + length if math.isnan(end) else end
        return Cue(start, end, fields["text"].strip(), fields.get("speaker") or "")


LINE_LAYOUTS = (
    LineLayout(
        "words in CTM",
        re.compile(
            rf"\S+[ \t]+\S+[ \t]+(?P<start>{REAL})[ \t]+(?P<length>{REAL})[ \t]+(?P<text>\S+)"
            r"(?:[ \t]+\S+){0,3}"
        ),
    ),
    LineLayout(
        "sentences in STM",
        re.compile(
            rf"\S+[ \t]+[\dAB][ \t]+(?P<speaker>\S+)[ \t]+(?P<start>{_DECIMAL})[ \t]+"
            rf"(?P<end>{_DECIMAL})[ \t]+(?:<[^>]{{0,200}}>[ \t]+)?(?P<text>\S.*)"
        ),
    ),
    LineLayout(
        "labels with times",
        re.compile(r"(?P<start>\d{1,9}\.\d{2,9}) +(?P<end>\d{1,9}\.\d{2,9}) +(?P<text>[^\d\s].*)"),
    ),
    LineLayout(
        "HTK's labels",
        re.compile(r"(?P<start>\d{1,15})[ \t]+(?P<end>\d{1,15})[ \t]+(?P<text>[^\d\s].*)"),
        1e-7,
    ),
)


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


class _Table(NamedTuple):
    """The columns of a table: what separates them, and the place of each that is known.

    named: the first line names them. open: the text goes on to the end of a line.
    """

    separator: str
    places: dict[str, int]
    named: bool
    open: bool

    def rows(self, lines: Iterable[str]) -> Iterator[list[str]]:
        """Yield the cells of each line but that with the names, the text's as one."""
        tabs = self.separator == "\t"
        rows = csv.reader(
            lines, delimiter=self.separator, quoting=csv.QUOTE_NONE if tabs else csv.QUOTE_MINIMAL
        )
        text = self.places.get("text", 0)
        for row in islice(rows, int(self.named), None):
            cells = [cell.strip() for cell in row]
            if self.open:
                cells[text:] = [f"{self.separator} ".join(cells[text:])]
            yield cells


def _named_columns(text: str) -> _Table | None:
    """Return the columns of a table whose first line names those of times and of a text."""
    head = text.lstrip().partition("\n")[0][:500]
    separator = max(_SEPARATORS, key=head.count)
    names = [
        " ".join(re.sub(r"\([^()]{0,20}\)|[\"_]", " ", name).split()).lower()
        for name in head.split(separator)
    ]
    places = {
        column: names.index(known)
        for column, called in _COLUMNS.items()
        if (known := next((each for each in called if each in names), ""))
    }
    marked = len(places) >= MARKED
    places["text"] = places.get("text", places.get("name", -1))
    if "start" not in places or places["text"] < 0 or len(names) < 2:
        return None
    table = _Table(separator, places, True, places["text"] == len(names) - 1)
    rows = table.rows(_seen(text))
    timed = any(math.isfinite(_time("".join(row[places["start"] :][:1]))) for row in rows)
    return table if marked or timed else None


def _found_columns(text: str) -> _Table | None:
    """Return the columns of a table without their names, by what stands in them.

    The first one of times in all lines is the starts, the next the ends, or the lengths where these
    are before the starts. Between tabs, the text is the column with most letters, else all that
    follows the times and perhaps names. Only tabs separate numbers without a point or a colon.
    """
    lines = _seen(text)
    for separator in _SEPARATORS:
        tabs = separator == "\t"
        rows = list(_Table(separator, {}, False, False).rows(lines))
        columns = list(zip_longest(*rows, fillvalue="") if tabs else zip(*rows, strict=False))
        times = {
            k: seconds
            for k, column in enumerate(columns)
            if all(map(math.isfinite, seconds := list(map(_time, column))))
            and (tabs or all(map(_POINT.search, column)))
        }
        other = [
            k
            for k, column in enumerate(columns)
            if k not in times and any(map(str.isalpha, "".join(column)))
        ]
        (first, starts), (second, ends) = [*times.items(), (0, []), (0, [])][:2]
        if not times or len(times) + bool(other) < 2 or len(times) + len(rows) < 3:
            continue
        exact = all(":" in each or (tabs and _POINT.search(each)) for each in columns[first])
        if not ends and not (exact and starts == sorted(starts)):
            continue
        places = {"start": first}
        if ends:
            later = all(a <= b for a, b in zip(starts, ends, strict=True))
            places["end" if later else "length"] = second
        if len(other) > 1 and all(map(NAME_ALONE.fullmatch, columns[other[0]])):
            places["speaker"] = other.pop(0)
        most = max(other, key=lambda k: sum(map(len, columns[k])), default=len(columns))
        last = not tabs and bool(other) and other[0] > max(first, second)
        places["text"] = other[0] if last else most
        return _Table(separator, places, False, last)
    return None


def _time(field: str) -> float:
    """Return the seconds of a time, or of the first of two with a dash between them."""
    return seconds_of(field.partition(" - ")[0])


def has_columns(text: str) -> bool:
    """Return whether the first line names columns of times and of a text."""
    return _named_columns(text) is not None


def is_table(text: str) -> bool:
    """Return whether all lines seen have times and a text in the same columns."""
    return _found_columns(text) is not None


def read_table(text: str) -> Parsed:
    """Read a table: Whisper's, editors' markers, Audacity's and ELAN's labels, other transcripts.

    Times that are whole numbers from `MILLISECONDS_FROM` on are milliseconds.
    """
    table = _named_columns(text) or _found_columns(text)
    if table is None:
        return Parsed([])
    cues, unknown, whole = list[Cue](), list[str](), True
    try:
        for row in table.rows(_lines(text)):
            fields = {name: row[k] for name, k in table.places.items() if k < len(row)}
            start, end, length = (_time(fields.get(k, "")) for k in ("start", "end", "length"))
            if not math.isfinite(start):
                unknown += [table.separator.join(row)] * any(map(str.isalnum, "".join(row)))
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
