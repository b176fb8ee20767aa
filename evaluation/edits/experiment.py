"""Makes the listed edits under each condition and compares them with natural speech."""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import soundfile
import soxr

from a3t.audio.reading.recording import Recording
from a3t.editor import Editor, Source
from a3t.errors import InputError
from a3t.grid import HOP, SAMPLE_RATE, grid_frames
from a3t.plan.edit_plan import EditPlan
from a3t.plan.request import EditRequest
from a3t.plan.word_grid import on_grid
from a3t.source.records import AlignedRecording
from a3t.text.transcript import Transcript
from alignment import Alignment
from evaluation import joints
from evaluation.edits.conditions import CLEAN, write_under
from evaluation.edits.listing import ListedEdit
from evaluation.edits.segment_metrics import (
    LabelledPhone,
    LabelledSound,
    Span,
    measure_stretch,
    natural_stretches,
)
from evaluation.harness.declared_tables import Row, Rows
from evaluation.harness.measurement import Setting
from training.corpora import Clip
from training.corpora.decoding import decode_floats

SURE = 0.5  # least score of an aligned word in a natural stretch
NATURAL = 3  # natural stretches per edit and condition
FADE = 180  # samples from a span's end to the middle of its cross-fade
CONTEXT = 2 * SAMPLE_RATE  # samples on each side of an edit that PLCMOS rates with it

PATCH, STRETCH = "patch", "natural"


def measure_edit(
    edit: ListedEdit,
    clip: Clip,
    conditions: Sequence[str],
    setting: Setting,
    earlier: Rows = (),
    editor: Editor | None = None,
) -> Iterator[Row]:
    """Measure the patch of an edit under each condition, and natural stretches of the recording.

    The clip is aligned once, as recorded, so that the measures don't depend on how well degraded
    speech is aligned. ``earlier`` rows of the same edit: natural stretches are the same for every
    model that predicts the same durations, and are taken over if so. ``editor``: what makes
    the edit, by default the setting's. InputError if the edit can't be made.
    """
    for folder in ("sources", "edited"):
        (setting.folder / folder).mkdir(parents=True, exist_ok=True)
    clean, _ = decode_floats(clip.path)
    text, new_text = edit.texts(clip)
    if ("aligned", clip.name) not in setting.known:
        path = setting.folder / "sources" / f"{edit.name} {CLEAN}.wav"
        write_under(CLEAN, clean, 0, path)
        setting.known["aligned", clip.name] = setting.editor.align(path, text)
    alignment = setting.known["aligned", clip.name]
    for condition in conditions:
        path = setting.folder / "sources" / f"{edit.name} {condition}.wav"
        seed = zlib.crc32(f"{edit.clip} {condition}".encode())
        write_under(condition, clean, seed, path)
        facts: Row = {
            "edit": edit.name,
            "kind": edit.kind,
            "voice": edit.voice,
            "condition": condition,
        }
        begun = time.process_time()
        known = AlignedRecording(Recording.open(path), Transcript.from_text(text), alignment)
        # The first result is taken, even if it is inaudible.
        request = EditRequest(new_text=new_text, verify=False)
        plan, source, patch = _made(known, request, setting, editor or setting.editor)
        seconds = plan.edits[0].frames * HOP / SAMPLE_RATE
        facts |= {"seconds": seconds}
        yield facts | {"stretch": PATCH, **patch, "processor": time.process_time() - begun}
        same = [
            row
            for row in earlier
            if (row["edit"], row["condition"], row["stretch"]) == (edit.name, condition, STRETCH)
        ]
        if same and same[0]["seconds"] == seconds:
            yield from same
            continue
        planned = plan.edits[0]
        for span in natural_stretches(source, planned.frames, planned.remade, NATURAL):
            yield facts | {"stretch": STRETCH, **measure_stretch(source, span, source, span)}


def _made(
    known: AlignedRecording, request: EditRequest, setting: Setting, editor: Editor
) -> tuple[EditPlan, LabelledSound, dict[str, float]]:
    """Return the plan, the recording, and the measures of the patch."""
    plan, path = single_edit(editor, known, request), known.recording.path
    result = editor.render(plan)
    edited = result.save(setting.folder / "edited" / path.name, provenance=False)
    samples = _read(path)
    frames = grid_frames(len(samples), SAMPLE_RATE)
    source = LabelledSound(samples, labelled_phones(known.alignment, frames))
    output = LabelledSound(_read(edited), _phones_after(plan, source.phones))
    planned = plan.edits[0]
    span = (planned.source[0], planned.source[0] + planned.frames)
    figures = measure_stretch(output, span, source, planned.source)
    first, last = (
        place * SAMPLE_RATE // plan.recording.sample_rate
        for place in result.record["edits"][0]["output"]
    )
    figures |= _joints(source, output, (first + FADE, last - FADE))
    return plan, source, figures


def single_edit(editor: Editor, source: Source, request: EditRequest) -> EditPlan:
    """Plan a request; raise InputError if it is not one edit that is spoken."""
    plan = editor.plan(source, request)
    if len(plan.edits) != 1 or not plan.edits[0].is_spoken:
        raise InputError("It is not a single edit.")
    return plan


def _read(path: Path) -> np.ndarray:
    """Read mono samples (n,) at 24 kHz."""
    samples, rate = soundfile.read(path, dtype="float32")
    return samples if rate == SAMPLE_RATE else soxr.resample(samples, rate, SAMPLE_RATE)


def labelled_phones(alignment: Alignment, frames: int) -> list[LabelledPhone]:
    """Return the phones of a whole recording, of which a plan may have only a part."""
    scores = [word.score for word in alignment.spoken]
    return [
        LabelledPhone(p.symbol, p.first, p.last, p.word, p.word < 0 or scores[p.word] >= SURE)
        for p in on_grid(alignment, frames)
    ]


def _phones_after(plan: EditPlan, before: Sequence[LabelledPhone]) -> list[LabelledPhone]:
    """Return the output's phones; the word numbers are unique, but not in order."""
    edit = plan.edits[0]
    first, last = edit.source
    growth = edit.frames - (last - first)
    phones = [phone for phone in before if phone.last <= first]
    place = first
    for new in edit.phones:
        word = -1 if new.word < 0 else 10_000 + new.word
        phones.append(LabelledPhone(new.symbol, place, place + new.frames, word))
        place += new.frames
    behind = [phone for phone in before if phone.first >= last]
    return phones + [replace(p, first=p.first + growth, last=p.last + growth) for p in behind]


def _joints(source: LabelledSound, output: LabelledSound, places: Span) -> dict[str, float]:
    """Return, for each measure, the share of an edit's two joints that stand out.

    They exceed the 95th percentile of the source's natural places of the same kind.
    """
    natural = joints.Natural()
    before, after = (
        [joints.PhoneSamples(p.symbol, p.first * HOP, p.last * HOP) for p in sound.phones]
        for sound in (source, output)
    )
    natural.add(source.samples, before)
    edge = SAMPLE_RATE // 10
    inside = [place for place in places if edge < place < len(output.samples) - edge]
    if not inside:
        return {}
    ranks = [
        natural.percentile(joints.kind_of(after, place), here)
        for place, here in zip(inside, joints.measure(output.samples, inside), strict=True)
    ]
    shares = (np.array(ranks) > 0.95).mean(axis=0)
    return {
        f"joint_{name}": float(share) for name, share in zip(joints.MEASURES, shares, strict=True)
    }
