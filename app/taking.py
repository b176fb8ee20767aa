"""The files of one result: sound, edit.json, TextGrid, subtitles."""

from __future__ import annotations

import json
from pathlib import Path

from a3t.audio.files import atomic_path
from a3t.records import EditedRecording
from a3t.text.transcript import Transcript
from alignment.formats import write_alignment
from app import texts
from app.sessions import Mark, Take
from app.timing import after_edit


def write_take(
    result: EditedRecording, folder: Path, stem: str, number: int, k: int, suffix: str
) -> Take:
    """Write result `k` of the session's edit `number` (from 1); `suffix` "" keeps FLAC a FLAC."""
    source = result.recording.path
    suffix = suffix or (".flac" if source.suffix.lower() == ".flac" else ".wav")
    folder = folder / str(k)
    folder.mkdir()
    name = f"{stem}.edited" if number == 1 else f"{stem}.edited-{number}"
    audio = result.save(folder / f"{name}{suffix}")
    record = without_folders(audio.with_suffix(".edit.json"))
    told = result.record
    alignment = after_edit(result.plan, told)
    grid, subtitles = folder / f"{name}.TextGrid", folder / f"{name}.srt"
    write_alignment(alignment, grid)
    write_alignment(alignment, subtitles, shown_words(result.plan.new_text))
    rate = result.recording.sample_rate
    edits = told["edits"]
    return Take(
        texts.take_name(k + 1, result.candidate, result.plan.asked.margin),
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
    )


def shown_words(text: Transcript) -> list[str]:
    """What subtitles show for each spoken word: the written token, once."""
    tokens = [word.token for word in text.words]
    return [
        "" if k and tokens[k - 1] == word.token else word.written
        for k, word in enumerate(text.words)
    ]


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
