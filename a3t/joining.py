"""From frames to samples: an edit's span, margins and overlaps on the recording's own clock."""

from __future__ import annotations

import numpy as np

from a3t.audio.mel import HOP, SAMPLE_RATE
from a3t.audio.patches import Patch
from a3t.audio.recording import Recording
from a3t.audio.splicing import cut_out, make_patch
from a3t.audio.windows import grid_samples
from a3t.plan.records import PlannedEdit, Range

RADIUS = 0.03  # seconds that a cut may move to a quieter place


def edit_frames(edit: PlannedEdit, first: int, last: int) -> Range:
    """An edit's new frames [first, last) with its margins and what is free for the joints."""
    return first - edit.margin[0] - edit.overlap[0], last + edit.margin[1] + edit.overlap[1]


def patch_of(recording: Recording, edit: PlannedEdit, samples: np.ndarray) -> Patch:
    """The patch of new words from the samples (n,), at 24 kHz, of `edit_frames`."""
    length = grid_samples(recording)  # the last frame is only as long as the recording
    begin, stop = edit.remade[0] * HOP, min(edit.remade[1] * HOP, length)
    before = edit.overlap[0] * HOP
    after = min((edit.remade[1] + edit.overlap[1]) * HOP, length) - stop
    made = edit.frames + sum(edit.margin)
    cut = before + made * HOP - (edit.remade[1] * HOP - stop) + after
    return make_patch(recording, samples[:cut], (begin, stop), (before, after))


def deletion_of(recording: Recording, edit: PlannedEdit) -> Patch:
    """What stands on both sides of deleted frames, joined at the quietest points nearby."""
    scale = recording.sample_rate / SAMPLE_RATE
    first = round(edit.source[0] * HOP * scale)
    last = min(round(edit.source[1] * HOP * scale), recording.samples)
    room = [
        side
        for side, at_end in zip(edit.overlap, (first == 0, last == recording.samples), strict=True)
        if not at_end
    ]
    radius = round(min(room, default=0) * HOP * scale)
    return cut_out(recording, first, last, min(radius, round(RADIUS * recording.sample_rate)))
