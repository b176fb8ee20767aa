"""Several ways to make one edit, ranked by what can be measured of them.

The network has one answer to one question. What differs on purpose is the question: how fast the
new words are spoken, and how much of their neighbours is made anew with them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import soxr

from a3t.audio.mel import HOP, SAMPLE_RATE, log_mel
from a3t.audio.patches import output_spans, read_patched
from a3t.audio.recording import Recording
from a3t.errors import InputError
from a3t.records import EditedRecording, EditPlan

if TYPE_CHECKING:
    from a3t.editor import Editor

# Pace against the speaker's own, and margin in seconds; the first is what `Editor.edit` makes.
VARIATIONS = (
    (1.0, 0.025),
    (1.0, 0.0625),
    (1.1, 0.025),
    (0.91, 0.025),
    (1.1, 0.0625),
    (0.91, 0.0625),
    (1.0, 0.0),
    (1.2, 0.0375),
)
AROUND = 0.5  # seconds on either side of a joint, by whose own changes its jump is judged


@dataclass(frozen=True)
class Merits:
    """What a candidate is ranked by.

    heard: the new words' mean confidence when the result is aligned again, 0..1.
    joint: how much the mel changes from frame to frame at the joints, against the changes that the
        speech around them has; 1 is as much as natural.
    pace: rate of the new words against the speaker's own.
    """

    heard: float
    joint: float
    pace: float

    @property
    def score(self) -> float:
        """One number, the higher the better; a word that is not heard weighs most."""
        return self.heard - abs(float(np.log(self.pace))) - 0.1 * max(0.0, self.joint - 1.0)


def make_candidates(
    editor: Editor, recording: Recording, plan: EditPlan, count: int, seed: int = 0
) -> list[EditedRecording]:
    """``count`` results that differ, the best first; each one's ``candidate`` says why.

    The plan's own rendering is one of them. Raises InputError for a count that can't be had.
    """
    if not 1 <= count <= len(VARIATIONS):
        raise InputError(f"{count} candidates can't be made: ask for 1 to {len(VARIATIONS)}.")
    asked = plan.asked
    known = (plan.new_text.text, plan.text.text, plan.alignment)
    judged: list[tuple[Merits, EditedRecording]] = []
    for pace, margin in VARIATIONS[:count]:
        varied = plan
        if judged:
            varied = editor.plan(recording, *known, asked.speed * pace, asked.fit, margin)
        result = editor.check(editor.render(recording, varied, seed))
        judged.append((merits(result, 1.0 if asked.fit else pace), result))
    judged.sort(key=lambda pair: -pair[0].score)
    return [
        replace(
            result,
            candidate={
                "rank": rank,
                "of": count,
                "score": round(merit.score, 4),
                "heard": round(merit.heard, 4),
                "joint": round(merit.joint, 4),
                "pace": merit.pace,
            },
        )
        for rank, (merit, result) in enumerate(judged, 1)
    ]


def merits(result: EditedRecording, pace: float) -> Merits:
    """What is measured of a result that was checked."""
    scores = [word.score for words in result.heard or () for word in words]
    jumps = [
        joint_jump(result, sample)
        for span in output_spans(sorted(result.patches, key=lambda patch: patch.source))
        for sample in span.output
    ]
    return Merits(float(np.mean(scores or [1.0])), max(jumps, default=1.0), pace)


def joint_jump(result: EditedRecording, sample: int) -> float:
    """The mel's change at a sample of the output against the mean change around it; 1 if even."""
    rate = result.recording.sample_rate
    length = result.recording.samples + sum(patch.growth for patch in result.patches)
    reach = round(AROUND * rate)
    first, last = max(0, sample - reach), min(length, sample + reach)
    mono = read_patched(result.recording, result.patches, first, last).mean(axis=1)
    mel = log_mel(soxr.resample(mono, rate, SAMPLE_RATE).astype(np.float32)).numpy()
    changes = _changes(mel)
    place = round((sample - first) / rate * SAMPLE_RATE / HOP)
    here = changes[max(0, place - 2) : place + 2]
    usual = float(changes.mean()) if len(changes) else 0.0
    return float(here.max()) / usual if len(here) and usual > 0 else 1.0


def _changes(mel: np.ndarray) -> np.ndarray:
    """(T, 80) -> (T - 1,) mean change; what is quieter than a room's silence counts as silence."""
    return np.abs(np.diff(np.maximum(mel, -4.0), axis=0)).mean(axis=1)
