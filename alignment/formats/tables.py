"""Alignments in the files of other programs: Praat's TextGrid, CTM, Audacity's and HTK's labels."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from alignment.arpabet import ARPABET, phone_named, strip_stress
from alignment.atomic import write_whole
from alignment.errors import AlignmentError
from alignment.formats.text_file import LARGEST_ALIGNMENT, RECOGNISED_MARK, read_text
from alignment.result import PAUSE, Alignment, Phone, Word, pause

# How aligners write silence and noise.
PAUSE_LABELS = frozenset({"", "sil", "sp", "spn", "pau", "<sil>", "<eps>", "<p:>", "<p>"})

# Boundaries nearer than this are the same boundary (files are written with few digits).
SAME_BOUNDARY = 0.005
CONFIDENCES = f"confidence, {RECOGNISED_MARK}"  # a tier's name
_DECIMAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)
# Praat reads what stands free: texts and numbers; "xmin =" and "intervals [1]:" are for people.
_FREE_VALUES = re.compile(r'"((?:[^"]|"")*)"|(?<!\S)(-?\d[\d.]{0,30}(?:[eE][+-]?\d{1,3})?)(?!\S)')
HTK_UNITS_PER_S = 10_000_000  # a second


class LabelledInterval(NamedTuple):
    """A labelled interval, in seconds, with its confidence (1 in files that hold none)."""

    start: float
    end: float
    label: str
    score: float = 1.0


def spoken_entries(entries: Iterable[LabelledInterval]) -> list[LabelledInterval]:
    """Drop the pauses."""
    return [entry for entry in entries if entry.label.lower() not in PAUSE_LABELS]


def assemble(
    words: Sequence[LabelledInterval],
    phones: Sequence[LabelledInterval],
    duration: float,
    path: Path,
) -> Alignment:
    """Join words, the phones whose middles lie in them, and pauses between them to an alignment.

    `words` and `phones` without pauses, in order; `duration` of the recording, seconds; `path`
    for errors. Raises AlignmentError when a word has no phones or a phone is not ARPAbet.
    """
    result: list[Word] = []
    clock = 0.0
    following = 0
    for start, end, text, score in words:
        while following < len(phones) and _middle(phones[following]) < start:
            following += 1
        first = following
        while following < len(phones) and _middle(phones[following]) < end:
            following += 1
        inside = phones[first:following]
        if not inside:
            raise AlignmentError(
                f'{path.name} has no phones for "{_short(text)}" at {start:.2f} s: align it again.'
            )
        if start - clock > SAME_BOUNDARY:
            result.append(pause(clock, start))
            clock = start
        # The word's own boundaries win over its phones' outer ones; inner gaps are closed.
        edges = [clock, *(phone.start for phone in inside[1:]), end]
        parts = tuple(
            Phone(_arpabet(phone.label, text, path), edges[k], edges[k + 1], phone.score)
            for k, phone in enumerate(inside)
        )
        result.append(Word(text, clock, end, score, parts))
        clock = end
    if duration - clock > SAME_BOUNDARY:
        result.append(pause(clock, duration))
    else:
        duration = max(clock, 0.0)
    return Alignment(tuple(result), duration)


def _middle(entry: LabelledInterval) -> float:
    return (entry.start + entry.end) / 2


def _short(label: str) -> str:
    """Shorten a label for an error message: a broken file can hold labels of many lines."""
    return " ".join(label.split())[:40]


def _arpabet(label: str, word: str, path: Path) -> str:
    try:
        return phone_named(label)
    except ValueError as error:
        label, word = _short(label), _short(word)
        raise AlignmentError(f'{path.name}: in "{word}" "{label}" {error}') from None


def require_whole(alignment: Alignment, path: Path) -> Alignment:
    """Return the alignment if it has words, and phones in order that cover it without a gap.

    Raises AlignmentError, naming the place, if not.
    """
    if not alignment.spoken:
        raise AlignmentError(f"{path.name} has no words: align the recording again.")
    numbers = [alignment.duration, alignment.score]
    parts: list[Word | Phone] = [*alignment.words, *alignment.phones]
    for part in parts:
        numbers += [part.start, part.end, part.score]
    if not all(math.isfinite(number) for number in numbers):
        raise AlignmentError(f"{path.name} has times that are not numbers: align it again.")
    for word in alignment.spoken:
        for phone in word.phones:
            _arpabet(phone.symbol, word.text, path)
    clock = 0.0
    for word in alignment.words:
        for phone in word.phones:
            if abs(phone.start - clock) > SAME_BOUNDARY or phone.end <= phone.start:
                raise AlignmentError(
                    f"{path.name} has a gap or an overlap at {clock:.3f} s "
                    f'("{_short(word.text or PAUSE)}"): correct it there.'
                )
            clock = phone.end
        if not word.phones or abs(word.end - clock) > SAME_BOUNDARY:
            raise AlignmentError(
                f'{path.name} has a word, "{_short(word.text)}", that its phones don\'t fill: '
                f"correct it at {word.start:.3f} s."
            )
    if abs(alignment.duration - clock) > SAME_BOUNDARY:
        raise AlignmentError(f"{path.name} ends at {clock:.3f} s, not at its own duration.")
    return alignment


def write_textgrid(alignment: Alignment, path: Path) -> None:
    """Write a TextGrid, in the long text format, with scores of recognised words alone."""
    from praatio import textgrid
    from praatio.data_classes.interval_tier import IntervalTier

    grid = textgrid.Textgrid()
    tiers = {
        "words": [(word.start, word.end, word.text) for word in alignment.words],
        "phones": [(phone.start, phone.end, phone.symbol) for phone in alignment.phones],
    }
    if alignment.recognised:
        scores = [(word.start, word.end, f"{word.score:.4f}") for word in alignment.spoken]
        tiers[CONFIDENCES] = scores
    for name, entries in tiers.items():
        # praatio leaves out empty labels here and fills them in again as it saves.
        spoken = [entry for entry in entries if entry[2]]
        grid.addTier(IntervalTier(name, spoken, 0.0, alignment.duration))
    write_whole(
        path, lambda part: grid.save(str(part), format="long_textgrid", includeBlankSpaces=True)
    )


class IntervalTier(NamedTuple):
    """A tier of a TextGrid: its name, its end in seconds, its intervals, and if none is missing."""

    name: str
    end: float
    entries: list[LabelledInterval]
    whole: bool


def interval_tiers(text: str) -> list[IntervalTier]:
    """Read the tiers of a TextGrid, in its long or its short format, as far as they go."""
    values = [(match[1], match[2]) for match in _FREE_VALUES.finditer(text)]
    tiers, k = list[IntervalTier](), 0
    while k < len(values):
        # class, name, start, end, number of intervals; of each its start, end and label
        if values[k][0] != "IntervalTier" or not _are_numbers(values, k + 2, 3):
            k += 1
            continue
        name, end, count = values[k + 1][0] or "", float(values[k + 3][1]), float(values[k + 4][1])
        entries = list[LabelledInterval]()
        k += 5
        while len(entries) < count and _are_numbers(values, k, 2) and k + 2 < len(values):
            label = (values[k + 2][0] or "").replace('""', '"').strip()
            entries.append(LabelledInterval(float(values[k][1]), float(values[k + 1][1]), label))
            k += 3
        tiers.append(IntervalTier(name, end, entries, len(entries) == count))
    return tiers


def _are_numbers(values: Sequence[tuple[str, str]], first: int, count: int) -> bool:
    """Return whether the values from one on are as many numbers."""
    numbers = [number for _, number in values[first : first + count] if number]
    return len(numbers) == count and all(number.count(".") < 2 for number in numbers)


def read_textgrid(path: Path) -> Alignment:
    """Read the TextGrid of one speaker, long or short text format; raises AlignmentError."""
    tiers = interval_tiers(read_text(path, LARGEST_ALIGNMENT, "TextGrid"))
    if not tiers or not all(tier.whole for tier in tiers):
        raise AlignmentError(
            f"{path.name} can't be read as a TextGrid: save it in Praat as a text file."
        )
    words, phones = (spoken_entries(_tier(tiers, kind, path)) for kind in ("words", "phones"))
    confidences = next((tier.entries for tier in tiers if tier.name == CONFIDENCES), None)
    if confidences is not None:
        # Others have been moved by somebody.
        scores = {
            each.start: min(max(_number(each.label) or 0.0, 0.0), 1.0) for each in confidences
        }
        words = [word._replace(score=scores.get(word.start, 0.0)) for word in words]
    read = assemble(words, phones, max(tier.end for tier in tiers), path)
    return replace(read, recognised=confidences is not None)


def has_phone_tier(text: str) -> bool:
    """Return whether a TextGrid's text names a tier of phones."""
    return re.search(r'"(?:[^"\n]{0,80} - )?phones?"', text, re.IGNORECASE) is not None


def _tier(tiers: Sequence[IntervalTier], kind: str, path: Path) -> list[LabelledInterval]:
    """Return the tier named "words" (also "word", "Words", "speaker - words"), or "phones"."""
    named = [
        tier.entries
        for tier in tiers
        if tier.name.rpartition(" - ")[2].strip().lower() in (kind, kind[:-1])
    ]
    if len(named) == 1:
        return named[0]
    present = ", ".join(f'"{tier.name}"' for tier in tiers)
    if named:
        raise AlignmentError(
            f'{path.name} has several tiers of {kind} ({present}): keep one speaker\'s "{kind}".'
        )
    raise AlignmentError(
        f'{path.name} has no tier "{kind}" (its tiers: {present}): both "words" and "phones" '
        "are needed, as the Montreal Forced Aligner writes them."
    )


def write_lab(alignment: Alignment, path: Path) -> None:
    """Write HTK labels: start and end in 100 ns, phone, score, and the word at its first phone."""
    # There are no comments; a pause of 100 ns is read as nothing.
    lines = [f"0 1 sp 1.0000 [{RECOGNISED_MARK}]"] if alignment.recognised else []
    for word in alignment.words:
        for position, phone in enumerate(word.phones):
            start, end = (round(edge * HTK_UNITS_PER_S) for edge in (phone.start, phone.end))
            auxiliary = f" {word.text}" if word.text and position == 0 else ""
            lines.append(f"{start} {end} {phone.symbol} {phone.score:.4f}{auxiliary}")
    _write(path, lines)


def read_lab(path: Path) -> Alignment:
    """Read HTK labels with words; times in 100 ns or, with a decimal point, in seconds."""
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
        word._replace(score=round(sum(word_scores) / len(word_scores), 4))
        for word, word_scores in zip(words, scores, strict=True)
    ]
    return assemble(means, phones, duration, path)


def write_ctm(alignment: Alignment, path: Path) -> None:
    """Write a CTM: recording, channel, start, duration, label, confidence; see the module."""
    name = re.sub(r"\s+", "_", _stem(path)) or "recording"
    _write_both(
        alignment,
        path,
        lambda a, b, label, p: f"{name} 1 {a:.4f} {b - a:.4f} {label} {p:.4f}",
        f";; {RECOGNISED_MARK}",
    )


def write_audacity(alignment: Alignment, path: Path) -> None:
    """Write Audacity's label tracks: start, end, label; no scores."""
    mark = f"0.000000\t0.000000\t[{RECOGNISED_MARK}]"
    _write_both(alignment, path, lambda a, b, label, _: f"{a:.6f}\t{b:.6f}\t{label}", mark)


def read_ctm(path: Path) -> Alignment:
    """Read NIST's CTM of words and, beside it, of phones."""

    def entry(fields: Sequence[str]) -> LabelledInterval:
        start, length = float(fields[2]), float(fields[3])
        return LabelledInterval(
            start, start + length, fields[4], float(fields[5]) if fields[5:] else 1.0
        )

    return _read_both(path, re.compile(r"\s+"), 5, entry)


def read_audacity(path: Path) -> Alignment:
    """Read Audacity's labels of words and, beside them, of phones."""

    def entry(fields: Sequence[str]) -> LabelledInterval:
        return LabelledInterval(float(fields[0]), float(fields[1]), fields[2].strip())

    return _read_both(path, re.compile(r"\t"), 3, entry)


def is_label_file(path: Path) -> bool:
    """Return whether a .txt or .lab begins as a label file does: two times and a label.

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
    """Return the file of phones beside one of words: x.phones.ctm for x.ctm."""
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
    """Split a table's lines, without comments (;;) and what Audacity adds for frequencies."""
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
    return float(field) if _DECIMAL.fullmatch(field) else None


def _htk_seconds(field: str) -> float:
    value = _number(field)
    if value is None:
        raise AlignmentError(f'A label file has "{field}" in place of a time: write it again.')
    return value if "." in field else value / HTK_UNITS_PER_S
