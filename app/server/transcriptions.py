"""Transcriptions in the formats of OpenAI's endpoint /v1/audio/transcriptions."""

from __future__ import annotations

import math
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from a3t.text.transcript import Transcript
from alignment import Alignment
from alignment.formats.subtitles import cues_of, subtitles

if TYPE_CHECKING:
    from a3t.editor import Editor

FORMATS = ("json", "text", "srt", "verbose_json", "vtt")
UNTIMED = ("json", "text")


def heard(
    editor: Editor, recording: Path, prior: str | None, timed: bool
) -> tuple[Transcript, Alignment | None]:
    """A recording's words and, if `timed`, their times; in the worker's process."""
    found = editor.transcribe(recording, prior)
    return found, editor.align(recording, found) if timed else None


def answer(said: Transcript, aligned: Alignment | None, kind: str, words: bool) -> Any:
    """The body of an answer in one of FORMATS: text, or what becomes JSON. words: whether
    verbose_json has their times too."""
    if kind == "json":
        return {"text": said.text.strip()}
    if kind == "text" or aligned is None:
        return f"{said.text.strip()}\n"
    if kind != "verbose_json":
        return subtitles(aligned, said.shown, vtt=kind == "vtt")
    segments = [
        _segment(number, start, end, text, aligned)
        for number, (start, end, text) in enumerate(cues_of(aligned.spoken, said.shown))
    ]
    timed = [{"word": word.text, "start": word.start, "end": word.end} for word in aligned.spoken]
    return {
        "task": "transcribe",
        "language": "english",
        "duration": aligned.duration,
        "text": said.text.strip(),
        "segments": segments,
        **({"words": timed} if words else {}),
    }


def _segment(
    number: int, start: float, end: float, text: str, aligned: Alignment
) -> dict[str, Any]:
    """A segment with the fields that OpenAI's clients expect; there are no tokens here."""
    scores = [word.score for word in aligned.spoken if start <= word.start < end]
    sure = sum(scores) / len(scores) if scores else 1.0
    data = text.encode()
    return {
        "id": number,
        "seek": 0,
        "start": start,
        "end": end,
        "text": text,
        "tokens": [],
        "temperature": 0.0,
        "avg_logprob": round(math.log(max(sure, 1e-6)), 4),
        "compression_ratio": round(len(data) / len(zlib.compress(data)), 4),
        "no_speech_prob": 0.0,  # a3t keeps no words where nothing is heard
    }
