"""Turn frames into samples: an edit's words, pauses and joints at the recording's own rate."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from a3t.audio.analysis.room_tone import find_room_tone
from a3t.audio.analysis.steady_tones import find_steady_tones
from a3t.audio.matching.reverberation import find_reverberation
from a3t.audio.matching.sound_matching import Neighbour, SoundMatcher
from a3t.audio.output.patches import Patch
from a3t.audio.reading.recording import Recording
from a3t.audio.splicing.seams import put_pause, quieted, resample_patch
from a3t.audio.splicing.splicing import cut_out, make_patch
from a3t.grid import HOP, grid_samples, samples_of
from a3t.plan.edit_plan import EditPlan, PlannedEdit
from a3t.plan.windows import WindowFrames
from a3t.spans import Span
from a3t.text.phones import PAUSE

CLEAR = 2  # frames beside an edit whose vocoder output the edit still influences


def edit_frames(edit: PlannedEdit, first: int, last: int) -> Span:
    """An edit's new frames [first, last), extended by its margins and the space for its joints."""
    return first - edit.margin[0] - edit.overlap[0], last + edit.margin[1] + edit.overlap[1]


def neighbours_of(
    recording: Recording, frames: WindowFrames, copy: np.ndarray
) -> tuple[Neighbour, ...]:
    """The kept parts of a window, each as recorded and as resynthesised by the vocoder.

    copy: (300 N,) the resynthesis of the whole window, at 24 kHz.
    """
    kept = np.flatnonzero(~frames.masked & (frames.source >= 0))
    breaks = np.flatnonzero((np.diff(kept) != 1) | (np.diff(frames.source[kept]) != 1)) + 1
    neighbours = []
    for run in np.split(kept, breaks):
        run = run[CLEAR : len(run) - CLEAR]
        if len(run):
            vocoded = copy[run[0] * HOP : (run[-1] + 1) * HOP]
            first = int(frames.source[run[0]]) * HOP
            vocoded, start = resample_patch(vocoded, first, recording.sample_rate)
            real = recording.mono(start, min(start + len(vocoded), recording.samples))
            neighbours.append(Neighbour(real.astype(np.float64), vocoded[: len(real)]))
    return tuple(neighbours)


def sound_matcher(
    plan: EditPlan, edit: PlannedEdit, neighbours: Sequence[Neighbour]
) -> SoundMatcher:
    """A matcher of an edit's patch to the recording around it."""
    recording, match = plan.recording, plan.request.match
    tone = steady = reverberation = None
    if match.room_tone:
        first, last = recording.samples_in(edit.remade)
        tone = find_room_tone(recording, plan.alignment, (first + last) // 2)
        steady = find_steady_tones(recording, first, last)
        reverberation = find_reverberation(recording, first, last, tone)
    seed = plan.request.seed + edit.source[0]
    return SoundMatcher(match, neighbours, tone, seed, steady, reverberation)


def patch_of(
    recording: Recording, edit: PlannedEdit, samples: np.ndarray, matcher: SoundMatcher
) -> Patch:
    """The patch of new words, from the 24 kHz samples (n,) of the frames `edit_frames` gives."""
    # The last frame may be cut short by the end of the recording.
    length = grid_samples(recording.samples, recording.sample_rate)
    begin, stop = edit.remade[0] * HOP, min(edit.remade[1] * HOP, length)
    before = edit.overlap[0] * HOP
    after = min((edit.remade[1] + edit.overlap[1]) * HOP, length) - stop
    made = edit.frames + sum(edit.margin)
    cut = before + made * HOP - (edit.remade[1] * HOP - stop) + after
    return make_patch(recording, samples[:cut], (begin, stop), (before, after), matcher=matcher)


def deletion_of(recording: Recording, edit: PlannedEdit) -> Patch:
    """The patch that joins both sides of deleted frames, at the quietest points nearby."""
    first, last = recording.samples_in(edit.source)
    room = [
        side
        for side, at_end in zip(edit.overlap, (first == 0, last == recording.samples), strict=True)
        if not at_end
    ]
    return cut_out(recording, first, last, samples_of(min(room, default=0), recording.sample_rate))


def pause_of(plan: EditPlan, edit: PlannedEdit) -> Patch:
    """The patch of an edit that consists of a pause alone."""
    recording, rate = plan.recording, plan.recording.sample_rate
    first, last = recording.samples_in(edit.source)
    same = edit.frames == edit.source[1] - edit.source[0]
    length = last - first if same else samples_of(edit.frames, rate)
    return put_pause(recording, plan.alignment, (first, last), length, plan.request.seed)


def with_room_tone(plan: EditPlan, edit: PlannedEdit, patch: Patch) -> Patch:
    """The patch of new words with room tone in the pauses between them."""
    rate = plan.recording.sample_rate
    spans, frame = [], edit.source[0]
    for phone in edit.phones:
        if phone.symbol == PAUSE:
            first, last = samples_of(frame, rate), samples_of(frame + phone.frames, rate)
            spans.append((first - patch.source[0], last - patch.source[0]))
        frame += phone.frames
    if not spans:
        return patch
    return quieted(patch, spans, plan.recording, plan.alignment, plan.request.seed)
