"""Alignments as plain tables: HTK label files, NIST CTM, Audacity labels.

CTM and Audacity labels hold one kind of interval a file. So words go to `x.ctm` and phones, with
the pauses, to `x.phones.ctm` beside it (`x.txt` and `x.phones.txt`), and both are read again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from alignment.arpabet import ARPABET, strip_stress
from alignment.atomic import write_whole
from alignment.errors import AlignmentError
from alignment.formats.assembly import PAUSE_LABELS, LabelledInterval, assemble, spoken_entries
from alignment.formats.text_file import LARGEST_ALIGNMENT, RECOGNISED_MARK, read_text
from alignment.result import Alignment

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)

HTK_UNITS = 10_000_000  # a second


def write_lab(alignment: Alignment, path: Path) -> None:
    """HTK labels: start and end in 100 ns, phone, score, and the word at its first phone."""
    # There are no comments; a pause of 100 ns is read as nothing.
    lines = [f"0 1 sp 1.0000 [{RECOGNISED_MARK}]"] if alignment.recognised else []
    for word in alignment.words:
        for position, phone in enumerate(word.phones):
            start, end = (round(edge * HTK_UNITS) for edge in (phone.start, phone.end))
            auxiliary = f" {word.text}" if word.text and position == 0 else ""
            lines.append(f"{start} {end} {phone.symbol} {phone.score:.4f}{auxiliary}")
    _write(path, lines)


def read_lab(path: Path) -> Alignment:
    """HTK labels with words; times in 100 ns or, with a decimal point, in seconds."""
    phones: list[LabelledInterval] = []
    words: list[LabelledInterval] = []
    scores: list[list[float]] = []  # of each word's phones: a label file has none of words
    duration = 0.0
    spoken = ""
    for fields in _fields(path, re.compile(r"\s+"), 3):
        start, end = (_htk_seconds(field) for field in fields[:2])
        rest = fields[3:]
        score = _number(rest[0]) if rest else None
        rest = rest[1:] if score is not None else rest
        score = 1.0 if score is None else score
        duration = max(duration, end)
        entry = LabelledInterval(start, end, fields[2], score)
        if not spoken_entries([entry]):
            spoken = ""
            continue
        phones.append(entry)
        if rest:
            spoken = " ".join(rest)
            words.append(LabelledInterval(start, end, spoken))
            scores.append([score])
        elif spoken:
            words[-1] = words[-1]._replace(end=end)
            scores[-1].append(score)
        else:
            raise AlignmentError(
                f'{path.name} has the phone "{fields[2]}" at {start:.3f} s without its word: '
                "use labels with words, as a3t align writes them."
            )
    means = [
        word._replace(score=round(sum(own) / len(own), 4))
        for word, own in zip(words, scores, strict=True)
    ]
    return assemble(means, phones, duration, path)


def write_ctm(alignment: Alignment, path: Path) -> None:
    """CTM: recording, channel, start, duration, label, confidence; see the module."""
    name = re.sub(r"\s+", "_", _stem(path)) or "recording"
    _write_both(
        alignment,
        path,
        lambda a, b, label, p: f"{name} 1 {a:.4f} {b - a:.4f} {label} {p:.4f}",
        f";; {RECOGNISED_MARK}",
    )


def write_audacity(alignment: Alignment, path: Path) -> None:
    """Audacity's label tracks: start, end, label; no scores."""
    mark = f"0.000000\t0.000000\t[{RECOGNISED_MARK}]"
    _write_both(alignment, path, lambda a, b, label, _: f"{a:.6f}\t{b:.6f}\t{label}", mark)


def read_ctm(path: Path) -> Alignment:
    def entry(fields: Sequence[str]) -> LabelledInterval:
        start, length = float(fields[2]), float(fields[3])
        return LabelledInterval(
            start, start + length, fields[4], float(fields[5]) if fields[5:] else 1.0
        )

    return _read_both(path, re.compile(r"\s+"), 5, entry)


def read_audacity(path: Path) -> Alignment:
    def entry(fields: Sequence[str]) -> LabelledInterval:
        return LabelledInterval(float(fields[0]), float(fields[1]), fields[2].strip())

    return _read_both(path, re.compile(r"\t"), 3, entry)


def is_label_file(path: Path) -> bool:
    """True if a .txt or .lab begins as a label file does: two times and a label.

    A transcript that happens to begin with two numbers is not one.
    """
    try:
        with path.open("rb") as file:
            first = file.readline(500).decode("utf-8-sig", errors="replace")
    except OSError:
        return False
    if path.suffix.lower() == ".txt":
        return re.match(r"\d+\.\d+\t\d+\.\d+\t", first) is not None
    fields = first.split()
    times = [_number(field) for field in fields[:2]]
    if len(fields) < 3 or times[0] is None or times[1] is None or times[1] <= times[0]:
        return False
    return fields[2].lower() in PAUSE_LABELS or strip_stress(fields[2].upper()) in ARPABET


def phones_beside(path: Path) -> Path:
    """x.ctm -> x.phones.ctm"""
    return path.with_name(f"{_stem(path)}.phones{path.suffix}")


def _stem(path: Path) -> str:
    return path.stem.removesuffix(".phones")


def _write_both(
    alignment: Alignment, path: Path, line: Callable[[float, float, str, float], str], mark: str
) -> None:
    words = [line(w.start, w.end, w.text, w.score) for w in alignment.spoken]
    phones = [line(p.start, p.end, p.symbol, p.score) for p in alignment.phones]
    _write(phones_beside(path), phones)
    _write(path, [mark, *words] if alignment.recognised else words)


def _write(path: Path, lines: Sequence[str]) -> None:
    text = "".join(f"{line}\n" for line in lines)
    write_whole(path, lambda part: part.write_text(text, encoding="utf-8"))


def _read_both(
    path: Path,
    separator: re.Pattern[str],
    least: int,
    entry: Callable[[Sequence[str]], LabelledInterval],
) -> Alignment:
    path = path.with_name(f"{_stem(path)}{path.suffix}")
    beside = phones_beside(path)
    for needed in (path, beside):
        if not needed.is_file():
            raise AlignmentError(
                f"{needed.name} is missing: words are read from {path.name} and phones from "
                f"{beside.name}, side by side."
            )
    words, phones = (
        _entries(each, _fields(each, separator, least), entry) for each in (path, beside)
    )
    duration = max((each.end for each in (*words, *phones)), default=0.0)
    return assemble(spoken_entries(words), spoken_entries(phones), duration, path)


def _entries(
    path: Path, rows: Sequence[Sequence[str]], entry: Callable[[Sequence[str]], LabelledInterval]
) -> list[LabelledInterval]:
    try:
        return sorted(entry(fields) for fields in rows if RECOGNISED_MARK not in fields[-1])
    except ValueError as error:
        raise AlignmentError(f"{path.name} has a line without times: write it again.") from error


def _fields(path: Path, separator: re.Pattern[str], least: int) -> list[list[str]]:
    """The lines of a table, cut; comments (;;) and what Audacity adds for frequencies left out."""
    text = read_text(path, LARGEST_ALIGNMENT, "label file")
    rows = []
    for line in text.splitlines():
        if not line.strip() or line.startswith((";;", "\\")):
            continue
        # Audacity writes a label without a text too: nothing after its second tab.
        fields = separator.split(line.strip(" ") if separator.pattern == r"\t" else line.strip())
        if len(fields) < least:
            raise AlignmentError(
                f'{path.name} has the line "{line.strip()[:40]}", which has fewer than {least} '
                "columns: write it again."
            )
        rows.append(fields)
    return rows


def _number(field: str) -> float | None:
    return float(field) if _NUMBER.fullmatch(field) else None


def _htk_seconds(field: str) -> float:
    value = _number(field)
    if value is None:
        raise AlignmentError(f'A label file has "{field}" in place of a time: write it again.')
    return value if "." in field else value / HTK_UNITS
