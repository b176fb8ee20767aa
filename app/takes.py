"""The files of one result: sound, edit.json, TextGrid, subtitles."""

from __future__ import annotations

import json
from pathlib import Path

from a3t.audio.files import atomic_path
from a3t.audio.span_map import Span
from a3t.rendering.edited import EditedRecording
from a3t.rendering.edited_alignment import edited_alignment, made_spans, shown_words
from alignment.formats import write_alignment
from app import texts
from app.changes import words_of
from app.sessions import EditMark, Take, Version


def write_take(
    result: EditedRecording, source: Version, folder: Path, name: str, suffix: str
) -> Take:
    """Write a result made of the version `source` into a new folder.

    Without a `suffix` a FLAC stays a FLAC, and anything else becomes a WAV.
    """
    suffix = suffix or (".flac" if source.audio.suffix.lower() == ".flac" else ".wav")
    folder.mkdir()
    audio = result.save(folder / f"{name}{suffix}")
    record = without_folders(audio.with_suffix(".edit.json"))
    alignment = edited_alignment(result, source.alignment or result.plan.alignment)
    grid, subtitles = folder / f"{name}.TextGrid", folder / f"{name}.srt"
    write_alignment(alignment, grid)
    write_alignment(alignment, subtitles, shown_words(words_of(result.plan.new_text.text)))
    edits, changes = result.plan.edits, result.map.samples.changes
    return Take(
        texts.take_name(result.candidate or {}, result.plan.request.margin),
        audio,
        (audio, record, grid, subtitles),
        alignment,
        tuple(
            _mark(edit.op, change.source, result, edit.old_words)
            for edit, change in zip(edits, changes, strict=True)
        ),
        tuple(
            _mark(edit.op, change.output, result, edit.new_words)
            for edit, change in zip(edits, changes, strict=True)
        ),
        result.doubtful,
        tuple(made_spans(result)),
        tuple(map(str, result.plan.doubts)),
    )


def _mark(op: str, span: Span, result: EditedRecording, words: str) -> EditMark:
    return EditMark(op, result.map.seconds(span[0]), result.map.seconds(span[1]), words)


def without_folders(record: Path) -> Path:
    """The record with bare file names: visitors need not know the server's folders."""
    told = json.loads(record.read_text(encoding="utf-8"))
    for part in ("source", "prompt"):
        if part in told:
            told[part]["path"] = Path(told[part]["path"]).name
    with atomic_path(record) as temporary:
        text = json.dumps(told, indent=1, ensure_ascii=False) + "\n"
        temporary.write_text(text, encoding="utf-8")
    return record
