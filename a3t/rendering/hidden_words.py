"""Proof that words which were muted can't be heard any more."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from a3t.audio.output.patches import read_patched
from a3t.grid import frames_of
from a3t.plan.cleaning.cuts import NAMED, Cut
from a3t.plan.edit_plan import EditPlan, PlannedEdit
from a3t.rendering.edited import DOUBTFUL, EditedRecording, WordScore
from a3t.text.pronunciation.pronouncer import Pronouncer
from alignment import AlignmentError
from alignment.aligners.network_aligner import NetworkAligner

BESIDE = 3  # words on either side, which place the one between them


def hiding(plan: EditPlan, edit: PlannedEdit) -> Cut | None:
    """The cut that hides an edit's words; None for another edit."""
    for cut in plan.request.cuts:
        first, last = frames_of(cut.start), frames_of(cut.end)
        if cut.kind == NAMED and first < edit.source[1] and edit.source[0] < last:
            return cut
    return None


def still_heard(result: EditedRecording) -> Iterator[WordScore]:
    """The hidden words that the aligner finds where they were, as it finds words that are said."""
    plan, rate = result.plan, result.recording.sample_rate
    pronouncer, words = Pronouncer(dict(plan.request.pronunciations)), plan.alignment.spoken
    for edit in plan.edits:
        if hiding(plan, edit) is None:
            continue
        first, last = max(edit.old[0] - BESIDE, 0), min(edit.old[1] + BESIDE, len(words))
        span = result.recording.samples_between(words[first].start, words[last - 1].end)
        begin, end = map(result.map.samples.output_of, span)
        sound = read_patched(result.recording, result.patches, begin, max(end, begin))
        spoken = plan.text.spoken[first:last]
        mono = sound.mean(axis=1).astype(np.float32)
        try:
            aligned = NetworkAligner().align(
                mono, rate, spoken, pronouncer.choices(spoken), check=False
            )
        except AlignmentError:  # nothing in it sounds like these words
            continue
        for number, word in enumerate(aligned.spoken, first):
            if edit.old[0] <= number < edit.old[1] and word.score >= DOUBTFUL:
                yield WordScore(plan.text.spoken[number], word.score)
