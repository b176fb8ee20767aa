"""Words or sentences with their times, a line or an interval each: CTM, labels, TSV, TextGrid."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest
from typing import NamedTuple

from alignment.formats.tables import PAUSE_LABELS, IntervalTier, interval_tiers
from alignment.formats.transcripts.cues import REAL, Cue, Parsed, in_order, seconds_of, shortened
from alignment.formats.transcripts.lines import NAME_ALONE

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
MILLISECONDS_FROM = 1000  # whole times that reach this aren't seconds

WORD_TIERS = ("words", "word")
SEEN, SEEN_CHARACTERS = 50, 2000  # lines that tell a kind, of each
SHORTEST_S = 1e-3  # of a label that stands alone
OTHER_TIERS = ("phones", "phone", "segments", "mau", "kan", "syllables", "points")


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
    pattern: str
    unit: float = 1.0

    def matches(self, text: str) -> bool:
        """Return whether all lines seen are such; "12 30 people came" is a sentence."""
        cues, unknown = _cues(self._fields(_seen(text)), self.unit)
        if unknown or not cues:
            return False
        ordered = all(cue.start < cue.end for cue in cues)
        return self.unit == 1.0 or (ordered and (len(cues) > 1 or cues[0].end > SHORTEST_S))

    def read(self, text: str) -> Parsed:
        """Read a cue in each line that matches; note other lines."""
        return _noted(*_cues(self._fields(_lines(text)), self.unit))

    def _fields(self, lines: Iterable[str]) -> Iterator[tuple[str, Mapping[str, str | None]]]:
        for line in lines:
            match = re.fullmatch(self.pattern, line)
            yield line, match.groupdict() if match else {}


LINE_LAYOUTS = tuple(
    LineLayout(*row)
    for row in (
        ("words in CTM", rf"\S+[ \t]+\S+[ \t]+(?P<start>{REAL})[ \t]+(?P<length>{REAL})[ \t]+"
         r"(?P<text>\S+)(?:[ \t]+\S+){0,3}"),
        ("sentences in STM", r"\S+[ \t]+[\dAB][ \t]+(?P<speaker>\S+)[ \t]+(?P<start>\d+\.\d+)[ \t]+"
         r"(?P<end>\d+\.\d+)[ \t]+(?:<[^>]{0,200}>[ \t]+)?(?P<text>\S.*)"),
        ("labels with times",
         r"(?P<start>\d{1,9}\.\d{2,9}) +(?P<end>\d{1,9}\.\d{2,9}) +(?P<text>[^\d\s].*)"),
        ("HTK's labels", r"(?P<start>\d{1,15})[ \t]+(?P<end>\d{1,15})[ \t]+(?P<text>[^\d\s].*)",
         1e-7),
    )
)  # fmt: skip


def _cues(
    rows: Iterable[tuple[str, Mapping[str, str | None]]], unit: float
) -> tuple[list[Cue], list[str]]:
    """Return the cues of rows (line, its fields) with text, and the lines without a start."""
    cues, unknown = list[Cue](), list[str]()
    for line, fields in rows:
        start, end, length = (_time(fields.get(key)) * unit for key in ("start", "end", "length"))
        if math.isnan(start):
            unknown += [line] * any(map(str.isalnum, line))
        elif said := " ".join((fields.get("text") or fields.get("name") or "").split()):
            end = start + length if math.isnan(end) else end
            cues.append(Cue(start, end, said, fields.get("speaker") or ""))
    return cues, unknown


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


class Table(NamedTuple):
    """The columns of a table: what separates them, and the place of each that is known.

    named: the first line names them. open: the text goes on to the end of a line.
    """

    separator: str
    places: dict[str, int]
    named: bool
    open: bool

    def rows(self, lines: Iterable[str]) -> Iterator[list[str]]:
        """Yield the cells of each line but that with the names, the text's as one."""
        quoting = csv.QUOTE_NONE if self.separator == "\t" else csv.QUOTE_MINIMAL
        text = self.places.get("text", 0)
        for row in islice(
            csv.reader(lines, delimiter=self.separator, quoting=quoting),  # type: ignore[arg-type]
            int(self.named),
            None,
        ):
            cells = [cell.strip() for cell in row]
            if self.open:
                cells[text:] = [f"{self.separator} ".join(cells[text:])]
            yield cells

    def fields(self, lines: Iterable[str]) -> Iterator[tuple[str, dict[str, str | None]]]:
        """Yield each line with its fields by name."""
        for row in self.rows(lines):
            fields = {name: row[k] for name, k in self.places.items() if k < len(row)}
            yield self.separator.join(row), {**fields}


def named_columns(text: str) -> Table | None:
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
    if "start" not in places or not {"text", "name"} & places.keys():
        return None
    places.setdefault("text", places.get("name", 0))
    table = Table(separator, places, True, places["text"] == len(names) - 1)
    return table if _cues(table.fields(_seen(text)), 1.0)[0] else None


def found_columns(text: str) -> Table | None:
    """Return the columns of a table without their names, by what stands in them.

    The first one of times in all lines is the starts, the next the ends, or the lengths where these
    are before the starts. Between tabs, the text is the column with most letters, else all that
    follows the times and perhaps names. Only tabs separate numbers without a point or a colon.
    """
    lines = _seen(text)
    for separator in _SEPARATORS:
        tabs = separator == "\t"
        rows = list(Table(separator, {}, False, False).rows(lines))
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
        later = all(a <= b for a, b in zip(starts, ends, strict=False))
        places = {"start": first} | ({"end" if later else "length": second} if ends else {})
        if len(other) > 1 and all(map(NAME_ALONE.fullmatch, columns[other[0]])):
            places["speaker"] = other.pop(0)
        most = max(other, key=lambda k: sum(map(len, columns[k])), default=len(columns))
        last = not tabs and bool(other) and other[0] > max(first, second)
        places["text"] = other[0] if last else most
        return Table(separator, places, False, last)
    return None


def _time(field: str | None) -> float:
    """Return the seconds of a time, or of the first of two with a dash between them."""
    return seconds_of((field or "").partition(" - ")[0])


def read_table(text: str) -> Parsed:
    """Read a table: Whisper's, editors' markers, Audacity's and ELAN's labels, other transcripts.

    Times that are whole numbers from `MILLISECONDS_FROM` on are milliseconds.
    """
    table = named_columns(text) or found_columns(text)
    try:
        cues, unknown = _cues(table.fields(_lines(text)), 1.0) if table else ([], [])
    except csv.Error:  # a cell without an end
        cues, unknown = [], [text]
    times = [time for cue in cues for time in cue[:2] if math.isfinite(time)]
    if max(times, default=0.0) >= MILLISECONDS_FROM and all(map(float.is_integer, times)):
        cues = [cue._replace(start=cue.start / 1e3, end=cue.end / 1e3) for cue in cues]
    return _noted(cues, unknown)


def is_textgrid(text: str) -> bool:
    """Return whether a text begins as a TextGrid does."""
    head = text[:300]
    return "ooTextFile" in head and "TextGrid" in head


def read_textgrid_words(text: str) -> Parsed:
    """Read the words of a TextGrid, of each speaker if its tiers are named "anna - words".

    Else the intervals of its one tier, or of that with most text, are read.
    """
    cues = [
        Cue(entry.start, entry.end, entry.label, name)
        for tier, name in _chosen(interval_tiers(text))
        for entry in tier.entries
        if entry.label
    ]
    return _noted(cues, [])


def _chosen(tiers: Sequence[IntervalTier]) -> list[tuple[IntervalTier, str]]:
    """Return the tiers to read, each with the name of who speaks, if there are several."""
    named = [(tier, *tier.name.rpartition(" - ")[::2]) for tier in tiers]
    words = [(tier, name) for tier, name, kind in named if kind.strip().lower() in WORD_TIERS]
    if words:
        return [(tier, name.strip() if len(words) > 1 else "") for tier, name in words]
    other = [tier for tier, _, kind in named if kind.strip().lower() not in OTHER_TIERS]
    most = max(other, key=lambda tier: sum(len(each.label) for each in tier.entries), default=None)
    return [(most, "")] if most is not None else []
