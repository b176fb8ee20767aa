"""What the stage shows of a recording, as plain JSON: peaks, mel, words with phones, marks.

Only a part of a long recording is shown at once (`SHOWN` seconds), so that the page's memory does
not grow with the recording.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
from PIL import Image

from a3t.audio.mel_window import mel_window
from a3t.audio.recording import Recording
from a3t.grid import FRAMES_PER_SECOND, grid_frames
from a3t.plan.edit_plan import PlannedEdit
from a3t.projects.history import differences, planned_changes
from a3t.rendering.edited import EditedRecording
from a3t.rendering.edited_alignment import made_spans
from alignment import Alignment
from app.bounded import bounded
from app.changes import DOUBTFUL
from app.recordings import as_percent, opened, overview
from app.sessions import EditMark, Session
from app.takes import changes_in, marks_before

SHOWN = 30.0  # seconds
BEFORE_EDIT = 3.0  # seconds shown before the first edit of a long recording
PEAKS_PER_SECOND = 200

# What browsers play as it is; for anything else a copy is made to listen to.
PLAYED = {"WAV", "WAVEX", "FLAC", "OGG", "MP3", "MPEG"}
PLAYED_SUBTYPES = {"PCM_U8", "PCM_16", "PCM_24", "FLOAT", "VORBIS", "OPUS", "MPEG_LAYER_III"}

# Dark to bright, even in lightness, told apart by any eye: anchors that are interpolated.
ANCHORS = ((8, 8, 24), (52, 22, 84), (120, 36, 100), (192, 62, 76), (240, 126, 50), (252, 238, 170))


def stage(session: Session) -> dict[str, Any]:
    """The current version, and beneath it the chosen take, if there is one."""
    version, take, plan = session.current, session.take, session.plan
    marks: Sequence[EditMark] = ()
    if plan is not None:
        marks = take.source_marks if take is not None else plan_marks(session)
    edited = [*_made_in(version.result), *((mark.start, mark.end) for mark in marks)]
    sides = [side(version.audio, version.alignment, marks, edited, session.start, "before")]
    joints: list[list[float]] = []
    if take is not None:
        joints = [
            [a.start, a.end, b.start, b.end]
            for a, b in zip(take.source_marks, take.output_marks, strict=True)
        ]
        moved = session.start + sum(
            b[3] - b[2] - b[1] + b[0] for b in joints if b[1] <= sides[0]["start"]
        )
        made = _made_in(take.result)
        sides.append(side(take.audio, take.alignment, take.output_marks, made, moved, "after"))
    return {"sides": sides, "joints": joints}


def _made_in(result: EditedRecording | None) -> list[tuple[float, float]]:
    """The seconds of the synthesised words; none of the original."""
    return [] if result is None else made_spans(result)


def plan_marks(session: Session) -> tuple[EditMark, ...]:
    """What a plan will synthesise, in the current version's seconds, margins included."""
    plan = session.plan
    assert plan is not None
    found = differences(changes_in(session.current), planned_changes(plan))
    marks = marks_before(session.current, found, plan.recording.sample_rate)
    return tuple(
        replace(mark, words=planned_words(each.after))
        for mark, each in zip(marks, found, strict=True)
    )


def planned_words(edits: Sequence[PlannedEdit]) -> str:
    words = " ".join(edit.new_words for edit in edits if edit.new_words)
    return f"{words} ({sum(edit.seconds for edit in edits):.2f} s)" if words else ""


def first_shown(marks: Sequence[EditMark], duration: float) -> float:
    """Where the shown part begins so that the first edit is in it."""
    if duration <= SHOWN or not marks:
        return 0.0
    return max(0.0, min(marks[0].start - BEFORE_EDIT, duration - SHOWN))


def start_at_edit(session: Session) -> float:
    """`first_shown` for the current recording and its planned edits, in seconds."""
    duration = opened(session.current.audio).seconds
    return first_shown(plan_marks(session), duration)


def side(
    audio: Path,
    alignment: Alignment | None,
    marks: Sequence[EditMark],
    edited: Sequence[tuple[float, float]],
    start: float,
    name: str,
) -> dict[str, Any]:
    """One recording from `start` seconds on, as the stage's script reads it.

    `edited` has the seconds between which words are removed, or were synthesised.
    """
    recording = opened(audio)
    start = max(0.0, min(start, recording.seconds - SHOWN))
    end = min(start + SHOWN, recording.seconds)
    is_long = name == "before" and recording.seconds > SHOWN
    whole = list(overview(recording)) if is_long else []
    words = []
    for number, word in enumerate(alignment.spoken if alignment is not None else ()):
        if word.end > start and word.start < end:
            words.append(
                {
                    "number": number,
                    "text": word.text,
                    "start": round(word.start, 4),
                    "end": round(word.end, 4),
                    "score": round(word.score, 2),
                    "doubtful": word.score < DOUBTFUL,
                    "edited": any(a < (word.start + word.end) / 2 < b for a, b in edited),
                    "phones": [[p.symbol, round(p.start, 4), round(p.end, 4)] for p in word.phones],
                }
            )
    return {
        "name": name,
        "file": str(bounded(heard, recording)),
        "start": start,
        "end": end,
        "duration": recording.seconds,
        "peaks": list(bounded(peaks, recording, start, end)),
        "overview": whole,
        "mel": bounded(mel_picture, recording, start, end),
        "words": words,
        "marks": [
            {"op": mark.op, "start": mark.start, "end": mark.end, "words": mark.words}
            for mark in marks
        ],
    }


def peaks(recording: Recording, start: float, end: float) -> Sequence[int]:
    """The lowest and highest sample, alternately, PEAKS_PER_SECOND pairs a second, -100..100."""
    rate = recording.sample_rate
    samples = recording.mono(round(start * rate), min(round(end * rate), recording.samples))
    if not len(samples):
        return []
    slices = min(len(samples), max(1, round((end - start) * PEAKS_PER_SECOND)))
    edges = np.linspace(0, len(samples), slices + 1).astype(int)[:-1]
    return as_percent(np.minimum.reduceat(samples, edges), np.maximum.reduceat(samples, edges))


def mel_picture(recording: Recording, start: float, end: float) -> str:
    """The log-mel as a PNG in a data URL, a column a frame, low bins at the bottom."""
    first, end_frame = int(start * FRAMES_PER_SECOND), int(np.ceil(end * FRAMES_PER_SECOND))
    last = max(first + 1, min(end_frame, grid_frames(recording.samples, recording.sample_rate)))
    mel = mel_window(recording, first, last).numpy()
    low, high = np.quantile(mel, [0.02, 0.998])
    grey = np.clip((mel - low) / max(high - low, 1e-6) * 255, 0, 255).astype(np.uint8)
    image = Image.fromarray(np.ascontiguousarray(grey.T[::-1]), mode="P")
    image.putpalette(palette())
    with io.BytesIO() as file:
        image.save(file, "PNG")
        return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode('ascii')}"


@lru_cache(maxsize=1)
def palette() -> bytes:
    """256 colours interpolated between the anchors."""
    places = np.linspace(0, len(ANCHORS) - 1, 256)
    channels = [
        np.interp(places, range(len(ANCHORS)), [anchor[k] for anchor in ANCHORS]) for k in range(3)
    ]
    return np.stack(channels, 1).round().astype(np.uint8).tobytes()


def heard(recording: Recording) -> Path:
    """A file that a browser plays: the recording itself, else a 16-bit mono copy beside it."""
    played = recording.container in PLAYED and recording.subtype in PLAYED_SUBTYPES
    if played and recording.channels <= 2:
        return recording.path
    copy = recording.path.with_name(f"{recording.path.stem}.heard.wav")
    if not copy.is_file():
        with soundfile.SoundFile(copy, "w", recording.sample_rate, 1, "PCM_16") as file:
            for first in range(0, recording.samples, 1_000_000):
                file.write(recording.mono(first, min(first + 1_000_000, recording.samples)))
    return copy
