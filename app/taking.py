"""The files of one result: sound, edit.json, TextGrid, subtitles."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from a3t.audio.files import atomic_path
from a3t.grid import seconds_of
from a3t.plan.records import PlannedEdit
from a3t.records import EditedRecording
from a3t.timing import after_edit, shown_words
from alignment.formats import write_alignment
from app import texts
from app.changes import words_of
from app.sessions import Mark, Take, Version


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
    told = result.record
    alignment = after_edit(result.plan, told, source.alignment or result.plan.alignment)
    grid, subtitles = folder / f"{name}.TextGrid", folder / f"{name}.srt"
    write_alignment(alignment, grid)
    write_alignment(alignment, subtitles, shown_words(words_of(result.plan.new_text.text)))
    rate = result.recording.sample_rate
    edits = told["edits"]
    return Take(
        texts.take_name(result.candidate or {}, result.plan.asked.margin),
        audio,
        (audio, record, grid, subtitles),
        alignment,
        tuple(
            Mark(e["op"], e["source"][0] / rate, e["source"][1] / rate, e["old_words"])
            for e in edits
        ),
        tuple(
            Mark(e["op"], e["output"][0] / rate, e["output"][1] / rate, e["new_words"])
            for e in edits
        ),
        result.doubtful,
        tuple(made_spans(result.plan.edits, edits, rate)),
    )


def made_spans(
    planned: Sequence[PlannedEdit], told: Sequence[Mapping[str, Any]], rate: int
) -> Iterator[tuple[float, float]]:
    """Seconds of the new words alone in the result, without what is made anew beside them."""
    growth = 0
    for edit, spans in zip(planned, told, strict=True):
        start = seconds_of(edit.source[0]) + growth / rate
        if edit.is_spoken:
            yield start, start + edit.seconds
        (first, last), (begin, end) = spans["source"], spans["output"]
        growth += end - begin - (last - first)


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
