"""The files of one result: sound, edit.json, TextGrid, subtitles; and where it differs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from a3t.audio.files import atomic_path
from a3t.audio.span_map import Span, SpanMap
from a3t.projects.history import Change, Difference, changes_of, differences
from a3t.rendering.edited import EditedRecording
from a3t.rendering.edited_alignment import edited_alignment, shown_words
from alignment.formats import write_alignment
from app import texts
from app.bounded import bounded
from app.changes import words_of
from app.sessions import EditMark, Session, Take, Version


def write_take(
    result: EditedRecording,
    session: Session,
    folder: Path,
    suffix: str,
    notes: Mapping[str, Any],
) -> Take:
    """Write a result into a new folder, with further entries of its edit.json.

    Without a `suffix` a FLAC stays a FLAC, and anything else becomes a WAV.
    """
    original, name = session.original, session.result_name
    suffix = suffix or (".flac" if original.audio.suffix.lower() == ".flac" else ".wav")
    folder.mkdir()
    audio = bounded(result.save, folder / f"{name}{suffix}", notes=notes)
    record = without_folders(audio.with_suffix(".edit.json"))
    alignment = edited_alignment(result, original.alignment or result.plan.alignment)
    grid, subtitles = folder / f"{name}.TextGrid", folder / f"{name}.srt"
    write_alignment(alignment, grid)
    write_alignment(alignment, subtitles, shown_words(words_of(result.plan.new_text.text)))
    found = differences(changes_in(session.current), changes_of(result))
    return Take(
        texts.take_name(result.candidate or {}, result.plan.request.margin),
        audio,
        (audio, record, grid, subtitles),
        alignment,
        result,
        {**result.record, **notes},
        marks_before(session.current, found, result.recording.sample_rate),
        tuple(
            EditMark(each.op, *seconds, each.new_words)
            for each in found
            for seconds in [_seconds(result.map.samples, each.source, result.map.sample_rate)]
        ),
    )


def changes_in(version: Version) -> Sequence[Change]:
    """What a version changes in the original."""
    return changes_of(version.result) if version.result is not None else ()


def marks_before(version: Version, found: Sequence[Difference], rate: int) -> tuple[EditMark, ...]:
    """Where a version differs from the next one, in its own seconds; rate: Hz."""
    spans = version.result.map.samples if version.result is not None else SpanMap((), 0)
    return tuple(
        EditMark(each.op, *seconds, each.old_words)
        for each in found
        for seconds in [_seconds(spans, each.source, rate)]
    )


def _seconds(spans: SpanMap, source: Span, rate: int) -> tuple[float, float]:
    first, last = spans.output_span(source)
    return first / rate, last / rate


def without_folders(record: Path) -> Path:
    """The record with bare file names: visitors need not know the server's folders."""
    written = json.loads(record.read_text(encoding="utf-8"))
    for part in ("source", "prompt"):
        if part in written:
            written[part]["path"] = Path(written[part]["path"]).name
    with atomic_path(record) as temporary:
        text = json.dumps(written, indent=1, ensure_ascii=False) + "\n"
        temporary.write_text(text, encoding="utf-8")
    return record
