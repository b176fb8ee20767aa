"""Several renderings of one edit, ranked by what can be measured in them.

Each has a melody of its own, drawn by the seed (`a3t.rendering.renderer`), and differs in what the
network is asked for: how fast the new words are spoken, how much of the neighbouring speech is
regenerated with them, and how far from there the joint may lie. Up to half of them take words that
are recorded elsewhere, if there are any (`a3t.rendering.recorded_takes`). A single result takes
such words, too, where they were said nearly as they should be here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import NamedTuple

import numpy as np
import soxr

from a3t.audio.analysis.mel import log_mel
from a3t.audio.output.patches import read_patched
from a3t.errors import InputError
from a3t.grid import SAMPLE_RATE, frames_of, seconds_of
from a3t.plan.edit_limits import MAX_SEED, SPEEDS
from a3t.plan.edit_plan import EditPlan
from a3t.plan.planner import replan
from a3t.plan.request import MARGIN, REACH, EditRequest
from a3t.rendering.edited import EditedRecording
from a3t.rendering.recorded_takes import recorded_requests
from a3t.rendering.renderer import PREDICTED, Renderer


class Variation(NamedTuple):
    """Pace relative to the requested speed; margin and reach in seconds."""

    pace: float
    margin: float
    reach: float


# The first one stands for the request itself. No two have both margin and reach in common, because
# pace has no effect where the duration of the new words is given.
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
TRIES = 3  # most renderings of an edit whose words are inaudible, the first included
AROUND = 0.5  # seconds on each side of a joint, the reference for its spectral jump

# Weights relative to the mean confidence of the new words, which is 0 to 1 and has weight 1.
PACE, JOINT = 1.0, 0.1
REMADE = 2.0  # per second; the most predictive merit of all
MANNER = 0.03  # of recorded words
MAX_COST = 2.0  # of words that are taken from elsewhere unasked (docs/log.md)


@dataclass(frozen=True)
class Merits:
    """The measurements by which a candidate is ranked.

    heard: the new words' mean confidence when the result is aligned again, 0 to 1.
    joint: the mel's frame-to-frame change at the joints relative to that of the surrounding speech;
        1 is natural.
    pace: rate of the new words relative to the requested one.
    remade: mean seconds of original speech beside an edit that are regenerated with it.
    manner: the cost of words that are recorded elsewhere (`a3t.rendering.recorded_takes`).
    """

    heard: float
    joint: float
    pace: float
    remade: float = 0.0
    manner: float = 0.0

    @property
    def score(self) -> float:
        """A single number, higher is better; an inaudible word weighs most."""
        return (
            self.heard
            - PACE * abs(float(np.log(self.pace)))
            - JOINT * max(0.0, self.joint - 1.0)
            - REMADE * self.remade
            - MANNER * self.manner
        )


@dataclass(frozen=True)
class Candidate:
    """A verified result and its merits."""

    result: EditedRecording
    merits: Merits


def make_candidates(plan: EditPlan, count: int, renderer: Renderer) -> list[EditedRecording]:
    """``count`` different results, the best first; the ``candidate`` of each explains its rank.

    One of them is the plan itself. Raises InputError if ``count`` is out of range.
    """
    if not 1 <= count <= len(VARIATIONS):
        raise InputError(f"{count} candidates can't be made: ask for 1 to {len(VARIATIONS)}.")
    first = variant(plan, 0, renderer)
    recorded = [*_with_recorded_words(plan, first.result, renderer, count // 2)]
    others = [variant(plan, number, renderer) for number in range(1, count - len(recorded))]
    return ranked([first, *recorded, *others])


def make_best(plan: EditPlan, renderer: Renderer) -> EditedRecording:
    """The plan's rendering, or one with words that are recorded elsewhere, if these are heard and
    were said alike; if a new word is inaudible in it, the best of up to TRIES variants."""
    first = renderer.edited(plan)
    # Another seed asks for another rendering, not for recorded words.
    if plan.request.seed == PREDICTED and not plan.request.recorded:
        for recorded in _with_recorded_words(plan, first, renderer, 1, MAX_COST):
            best = ranked([measured(plan, 0, first), recorded])[0]
            if best.plan is recorded.result.plan and not best.doubtful:
                return best
    if not first.doubtful:
        return first
    variants = [measured(plan, 0, first)]
    for number in range(1, TRIES):
        variants.append(variant(plan, number, renderer))
        if not variants[-1].result.doubtful:
            break
    best = ranked([each for each in variants if not each.result.doubtful] or variants)[0]
    note = {"of": len(variants), "heard_first": round(variants[0].merits.heard, 4)}
    return replace(best, candidate=(best.candidate or {}) | note)


def _with_recorded_words(
    plan: EditPlan,
    first: EditedRecording,
    renderer: Renderer,
    most: int,
    most_cost: float = math.inf,
) -> Iterator[Candidate]:
    """At most so many results of the plan with words from elsewhere that cost no more than
    ``most_cost``, the best first; ``first``: its rendering."""
    for request, cost in recorded_requests(plan, first, most, most_cost):
        taken = replan(plan, request, renderer.networks.durations)
        if any(edit.taken for edit in taken.edits):
            found = measured(taken, 0, renderer.edited(taken))
            yield replace(found, merits=replace(found.merits, manner=cost))


def varied(request: EditRequest, variation: Variation) -> EditRequest:
    """The request with the variation applied; a given duration stays."""
    speed = request.speed * (variation.pace if request.times_are_free else 1.0)
    speed = min(max(speed, SPEEDS[0]), SPEEDS[1])
    seed = (request.seed + VARIATIONS.index(variation)) % MAX_SEED
    return replace(request, speed=speed, margin=variation.margin, reach=variation.reach, seed=seed)


def variant(plan: EditPlan, number: int, renderer: Renderer) -> Candidate:
    """The plan in variation ``number``, rendered and measured; 0 is the plan itself."""
    if number:
        request = varied(plan.request, VARIATIONS[number])
        plan = replan(plan, request, renderer.networks.durations)
    return measured(plan, number, renderer.edited(plan))


def measured(plan: EditPlan, number: int, result: EditedRecording) -> Candidate:
    """A verified result of the plan in variation ``number``, with its merits."""
    pace = VARIATIONS[number].pace if plan.request.times_are_free else 1.0
    return Candidate(result, merits(result, pace))


def ranked(candidates: Sequence[Candidate]) -> list[EditedRecording]:
    """The results, the best first, each with its rank and merits in ``candidate``."""
    order = sorted(candidates, key=lambda each: -each.merits.score)
    return [
        replace(
            each.result,
            candidate={"rank": rank, "of": len(order), "score": round(each.merits.score, 4)}
            | {name: round(value, 4) for name, value in asdict(each.merits).items()},
        )
        for rank, each in enumerate(order, 1)
    ]


def merits(result: EditedRecording, pace: float) -> Merits:
    """Measure a verified result."""
    scores = [word.score for words in result.scores or () for word in words]
    scores += [
        result.source_edits[speech.origin].plan.alignment.spoken[word].score
        for edit in result.plan.edits
        for speech in edit.taken
        for word in range(*speech.words)
        if not result.source_edits[speech.origin].plan.edits
    ]
    spans = [change.output for change in result.map.samples.changes]
    jumps = [joint_jump(result, sample) for span in spans for sample in span]
    margins = [seconds_of(sum(edit.margin)) for edit in result.plan.edits if edit.is_spoken]
    remade = float(np.mean(margins or [0.0]))
    return Merits(float(np.mean(scores or [1.0])), max(jumps, default=1.0), pace, remade)


def joint_jump(result: EditedRecording, sample: int) -> float:
    """The mel's change at an output sample relative to the mean change around it; 1 if even."""
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
    """(T, 80) -> (T - 1,) mean change; levels below a room's noise floor are clipped to it."""
    return np.abs(np.diff(np.maximum(mel, -4.0), axis=0)).mean(axis=1)
