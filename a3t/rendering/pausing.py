"""The pauses of an edit in samples: room tone where nobody speaks."""

from __future__ import annotations

from a3t.audio.patches import Patch
from a3t.audio.pauses import put_pause, quieted
from a3t.audio.recording import Recording
from a3t.grid import samples_of
from a3t.plan.records import EditPlan, PlannedEdit
from a3t.text.phones import PAUSE


def pause_of(recording: Recording, plan: EditPlan, edit: PlannedEdit, seed: int) -> Patch:
    """The patch of an edit that is nothing but a pause."""
    rate = recording.sample_rate
    first, last = (min(samples_of(frame, rate), recording.samples) for frame in edit.source)
    return put_pause(recording, plan.alignment, (first, last), samples_of(edit.frames, rate), seed)


def with_room_tone(
    recording: Recording, plan: EditPlan, edit: PlannedEdit, patch: Patch, seed: int
) -> Patch:
    """The patch of new words with room tone in the pauses among them."""
    rate = recording.sample_rate
    spans, frame = [], edit.source[0]
    for phone in edit.phones:
        if phone.symbol == PAUSE:
            first, last = samples_of(frame, rate), samples_of(frame + phone.frames, rate)
            spans.append((first - patch.source[0], last - patch.source[0]))
        frame += phone.frames
    return quieted(patch, spans, recording, plan.alignment, seed) if spans else patch
