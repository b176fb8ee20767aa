"""Several ways to make one edit, ranked by what can be measured of them.

The network has one answer to one question. What differs on purpose is the question: how fast the
new words are spoken, how much of their neighbours is made anew with them, and how far from there
the joint may lie.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import soxr

from a3t.audio.median_pitch import median_pitch
from a3t.audio.mel import log_mel
from a3t.audio.patches import read_patched
from a3t.errors import InputError
from a3t.grid import SAMPLE_RATE, frames_of, seconds_of
from a3t.model.durations import DurationPredictor
from a3t.plan.edit_plan import EditPlan
from a3t.plan.planner import replan
from a3t.plan.request import MARGIN, REACH, SPEEDS, EditRequest
from a3t.rendering.edited import EditedRecording


class Variation(NamedTuple):
    """Pace against what was asked for; margin and reach in seconds."""

    pace: float
    margin: float
    reach: float


# In place of the first stands what was asked for. No two have margin and reach in common: where
# the new words' time is given, pace changes nothing.
VARIATIONS = (
    Variation(1.0, MARGIN, REACH),
    Variation(0.93, 0.0375, 0.075),
    Variation(1.0, 0.1, 0.1),
    Variation(1.07, 0.0375, 0.15),
    Variation(1.0, 0.0625, 0.15),
    Variation(0.87, 0.025, 0.1),
    Variation(1.15, 0.0625, 0.075),
    Variation(1.0, 0.0, 0.05),
)
TRIES = 3  # results at most of an edit whose words are not heard, the first included
AROUND = 0.5  # seconds on either side of a joint, by whose own changes its jump is judged
NEARBY = 3.0  # seconds on either side of an edit, by whose pitch that of the new words is judged

# What a merit weighs against the mean confidence of the new words, 1 of which is all of it.
PACE, JOINT, PITCH = 1.0, 0.1, 0.3
REMADE = 2.0  # a second; of all merits the one that tells most (benchmarks.candidate_ranking)
USUAL_PITCH = 0.15  # octaves that a few words' median differs from their neighbours' anyway


@dataclass(frozen=True)
class Merits:
    """What a candidate is ranked by.

    heard: the new words' mean confidence when the result is aligned again, 0..1.
    joint: how much the mel changes from frame to frame at the joints, against the changes that the
        speech around them has; 1 is as much as natural.
    pace: rate of the new words against what was asked for.
    pitch: the new words' median pitch against that of the speech around them, in octaves.
    remade: seconds of the recording's own speech beside an edit that are made anew with it.
    """

    heard: float
    joint: float
    pace: float
    pitch: float = 0.0
    remade: float = 0.0

    @property
    def score(self) -> float:
        """One number, the higher the better; a word that is not heard weighs most."""
        return (
            self.heard
            - PACE * abs(float(np.log(self.pace)))
            - JOINT * max(0.0, self.joint - 1.0)
            - PITCH * max(0.0, abs(self.pitch) - USUAL_PITCH)
            - REMADE * self.remade
        )


@dataclass(frozen=True)
class Candidate:
    """A result that was verified, and its merits."""

    result: EditedRecording
    merits: Merits


Make = Callable[[EditPlan], EditedRecording]  # renders a plan and verifies the result


def make_candidates(
    plan: EditPlan, count: int, make: Make, durations: DurationPredictor
) -> list[EditedRecording]:
    """``count`` results that differ, the best first; each one's ``candidate`` says why.

    The plan's own rendering is one of them. Raises InputError for a count that can't be had.
    """
    if not 1 <= count <= len(VARIATIONS):
        raise InputError(f"{count} candidates can't be made: ask for 1 to {len(VARIATIONS)}.")
    return ranked([variant(plan, number, make, durations) for number in range(count)])


def make_audible(plan: EditPlan, make: Make, durations: DurationPredictor) -> EditedRecording:
    """The plan's rendering; if a new word can't be heard in it, the best of TRIES that differ."""
    first = variant(plan, 0, make, durations)
    if not first.result.doubtful:
        return first.result
    tried = [first]
    for number in range(1, TRIES):
        tried.append(variant(plan, number, make, durations))
        if not tried[-1].result.doubtful:
            break
    best = ranked([each for each in tried if not each.result.doubtful] or tried)[0]
    note = {"of": len(tried), "heard_first": round(first.merits.heard, 4)}
    return replace(best, candidate=(best.candidate or {}) | note)


def varied(request: EditRequest, variation: Variation) -> EditRequest:
    """The request, but for what varies; a time that was given stays."""
    speed = request.speed * (variation.pace if request.times_are_free else 1.0)
    speed = min(max(speed, SPEEDS[0]), SPEEDS[1])
    return replace(request, speed=speed, margin=variation.margin, reach=variation.reach)


def variant(plan: EditPlan, number: int, make: Make, durations: DurationPredictor) -> Candidate:
    """The plan in the variation of that number, made and measured; 0 is the plan itself."""
    variation = VARIATIONS[number]
    if number:
        plan = replan(plan, varied(plan.request, variation), durations)
    result = make(plan)
    return Candidate(result, merits(result, variation.pace if plan.request.times_are_free else 1.0))


def ranked(candidates: Sequence[Candidate]) -> list[EditedRecording]:
    """The results, the best first, each with its rank and merits as its ``candidate``."""
    order = sorted(candidates, key=lambda each: -each.merits.score)
    return [
        replace(
            each.result,
            candidate={
                "rank": rank,
                "of": len(order),
                "score": round(each.merits.score, 4),
                "heard": round(each.merits.heard, 4),
                "joint": round(each.merits.joint, 4),
                "pace": each.merits.pace,
                "pitch": round(each.merits.pitch, 4),
                "remade": round(each.merits.remade, 4),
            },
        )
        for rank, each in enumerate(order, 1)
    ]


def merits(result: EditedRecording, pace: float) -> Merits:
    """What is measured of a result that was verified."""
    scores = [word.score for words in result.scores or () for word in words]
    spans = [change.output for change in result.map.samples.changes]
    jumps = [joint_jump(result, sample) for span in spans for sample in span]
    spoken = [k for k, edit in enumerate(result.plan.edits) if edit.is_spoken]
    pitches = [pitch_difference(result, spans[k]) for k in spoken]
    pitch = float(np.mean(np.abs(pitches))) if pitches else 0.0
    margins = [seconds_of(sum(result.plan.edits[k].margin)) for k in spoken]
    remade = float(np.mean(margins)) if margins else 0.0
    return Merits(float(np.mean(scores or [1.0])), max(jumps, default=1.0), pace, pitch, remade)


def pitch_difference(result: EditedRecording, span: tuple[int, int]) -> float:
    """The median pitch of a span of the output against that of what is around it, in octaves; 0
    where either has no voice."""
    rate = result.recording.sample_rate
    first, last = max(0, span[0] - round(NEARBY * rate)), span[1] + round(NEARBY * rate)
    last = min(last, result.map.samples.output_length)
    sound = read_patched(result.recording, result.patches, first, last).mean(axis=1)
    new = median_pitch(sound[span[0] - first : span[1] - first], rate)
    around = np.concatenate([sound[: span[0] - first], sound[span[1] - first :]])
    difference = new - median_pitch(around, rate)
    return float(difference) if np.isfinite(difference) else 0.0


def joint_jump(result: EditedRecording, sample: int) -> float:
    """The mel's change at a sample of the output against the mean change around it; 1 if even."""
    rate = result.recording.sample_rate
    reach = round(AROUND * rate)
    first, last = max(0, sample - reach), min(result.map.samples.output_length, sample + reach)
    mono = read_patched(result.recording, result.patches, first, last).mean(axis=1)
    mel = log_mel(soxr.resample(mono, rate, SAMPLE_RATE).astype(np.float32)).numpy()
    changes = _changes(mel)
    place = frames_of((sample - first) / rate)
    here = changes[max(0, place - 2) : place + 2]
    usual = float(changes.mean()) if len(changes) else 0.0
    return float(here.max()) / usual if len(here) and usual > 0 else 1.0


def _changes(mel: np.ndarray) -> np.ndarray:
    """(T, 80) -> (T - 1,) mean change; what is quieter than a room's silence counts as silence."""
    return np.abs(np.diff(np.maximum(mel, -4.0), axis=0)).mean(axis=1)
