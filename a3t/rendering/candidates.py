"""Several renderings of one edit, ranked by what can be measured in them.

Each has a melody of its own, drawn by the seed (`a3t.rendering.renderer`), and differs in what the
network is asked for: how fast the new words are spoken, how much of the neighbouring speech is
regenerated with them, and how far from there the joint may lie. Up to half of them take words that
are recorded elsewhere, if there are any; a single result takes these, too, where they were said
nearly as they should be here.

The same person said them in the same room, but in another place of a sentence. Unit selection
(Hunt and Black 1996, "Unit selection in a concatenative speech synthesis system using a large
speech database"): a target cost, of how the words were said against how the network says them here,
and a join cost, of the phones that they stood between against those that they will.
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
from a3t.audio.reading.recording import Recording
from a3t.grid import SAMPLE_RATE, frames_of, samples_of, seconds_of
from a3t.plan.edit_limits import MAX_SEED
from a3t.plan.edit_plan import EditPlan, PlannedEdit
from a3t.plan.options import SpeechOptions, option_of
from a3t.plan.planner import replan
from a3t.plan.request import MAX_GAIN_DB, EditRequest, ReusedWords
from a3t.plan.reuse import RecordedTexts
from a3t.rendering.edited import EditedRecording
from a3t.rendering.renderer import PREDICTED, Renderer
from a3t.spans import Span
from a3t.text.comparison.edit_script import WordEdit
from a3t.text.phones import PAUSE, is_vowel
from alignment import Alignment, Word
from alignment.arpabet import strip_stress
from alignment.result import DOUBTFUL_BELOW

MAX_LEVEL_CHANGE_DB = 6.0  # by which words are made louder or softer
MAX_PITCH_OCTAVES = 0.5  # octaves; farther away it may be somebody else
# Costs: of another phone beside the words, of one of another kind, and of a pause for a phone; of
# an octave, of a doubled length, and of 10 dB.
PHONE_COST, KIND_COST, BREAK_COST = 0.3, 0.6, 1.5
PITCH_COST, LENGTH_COST, LEVEL_COST = 8.0, 1.5, 0.5
PHONE_KINDS = ("P T K B D G CH JH", "F TH S SH HH V DH Z ZH", "M N NG", "L R W Y")
PITCH_RATE_HZ = 8_000
# 50 ms, so that the lowest voice has three periods in it; every 20 ms.
PITCH_FRAME_SAMPLES, PITCH_HOP_SAMPLES = 400, 160
LOWEST_PITCH_HZ, HIGHEST_PITCH_HZ = 65.0, 420.0  # Hz
MIN_VOICED = 0.5  # of a frame's energy that comes back a period later
MIN_ENERGY = 10 ** (-25 / 10)  # of the loudest frame's energy
MIN_VOICED_COUNT = 5  # frames
MAX_RENDERINGS = 3  # most renderings of an edit whose words are inaudible, the first included
AROUND_JOINT_S = 0.5  # seconds on each side of a joint, the reference for its spectral jump
# Weights relative to the mean confidence of the new words, which is 0 to 1 and has weight 1.
PACE_WEIGHT, JOINT_WEIGHT = 1.0, 0.1
REMADE_WEIGHT = 2.0  # per second; the most predictive merit of all
MANNER_WEIGHT = 0.03  # of recorded words
MAX_COST = 2.0  # of words that are taken from elsewhere unasked (docs/log.md)


@dataclass(frozen=True)
class Manner:
    """The sound of some words.

    pitch: log2 Hz, NaN without any; level: dB of full scale; seconds; before, after: the phones
    beside them, or pauses.
    """

    pitch: float
    level: float
    seconds: float
    before: str
    after: str

    def cost(self, wanted: Manner) -> float:
        """Return the cost of words said in another manner than the text asks for."""
        pitch = abs(self.pitch - wanted.pitch)
        return (
            _change(self.before, wanted.before)
            + _change(self.after, wanted.after)
            + PITCH_COST * (pitch if math.isfinite(pitch) else 0.1)
            + LENGTH_COST * abs(math.log2(self.seconds / wanted.seconds))
            + LEVEL_COST * abs(self.level - wanted.level) / 10
        )


def _change(is_: str, wanted: str) -> float:
    """Return the cost of a phone beside the words where another one was."""
    if (is_ == PAUSE) != (wanted == PAUSE):
        return BREAK_COST
    if strip_stress(is_) == strip_stress(wanted):
        return 0.0
    return PHONE_COST if _kind(is_) == _kind(wanted) else KIND_COST


def _kind(phone: str) -> int:
    if is_vowel(phone):
        return len(PHONE_KINDS)
    return next((k for k, kind in enumerate(PHONE_KINDS) if phone in kind.split()), -1)


def recorded_requests(
    plan: EditPlan, made: EditedRecording, most: int, most_cost: float = math.inf
) -> list[tuple[EditRequest, float]]:
    """Return up to ``most`` requests for the plan's edits with recorded words, the best first.

    Each comes with the mean cost of its words; none of these costs more than ``most_cost``.
    ``made``: a result whose words are all made, which shows the manner that is wanted.
    """
    choices = [
        [choice for choice in each if choice[2] <= most_cost]
        for each in recorded_choices(plan, made)
    ]
    requests = []
    for n in range(min(most, max(map(len, choices), default=0))):
        chosen = [each[n] for each in choices if n < len(each)]
        request = replace(plan.request, recorded=tuple(words for words, _, _ in chosen))
        requests.append((request, sum(cost for _, _, cost in chosen) / len(chosen)))
    return requests


def recorded_choices(
    plan: EditPlan, made: EditedRecording
) -> list[list[tuple[ReusedWords, Manner, float]]]:
    """Return each edit's recorded words at its level, their manner and cost, the cheapest first."""
    if not plan.request.moves or not plan.request.times_are_free:
        return []
    heard = [(plan.recording, plan.alignment)]
    heard += [(other.recording, other.alignment) for other in plan.others]
    texts = [plan.text, *(other.text for other in plan.others)]
    recorded = RecordedTexts(tuple(texts))
    choices = []
    for k, edit in enumerate(plan.edits):
        if not edit.is_spoken or any(word.emphasis for word in edit.words):
            continue
        options = []
        script = WordEdit("replace", edit.old, edit.new)
        for words in recorded.short_matches(script, plan.new_text):
            if usable(plan, edit, heard[words.text][1], words):
                manner, wanted = manner_of(*heard[words.text], words.old), wanted_manner(made, k)
                if not abs(manner.pitch - wanted.pitch) > MAX_PITCH_OCTAVES:
                    options.append((_levelled(words, manner, wanted), manner, manner.cost(wanted)))
        choices.append(sorted(options, key=lambda each: each[2]))
    return choices


def usable(plan: EditPlan, edit: PlannedEdit, aligned: Alignment, words: ReusedWords) -> bool:
    """Return whether recorded words are surely heard, and said as they are to be said now."""
    spoken = aligned.spoken[slice(*words.old)]
    said = [tuple(phone.symbol for phone in word.phones) for word in spoken]
    wanted = [plan.pronunciations[k] for k in range(*edit.new)]
    return min(word.score for word in spoken) >= DOUBTFUL_BELOW and said == wanted


def manner_of(recording: Recording, aligned: Alignment, words: Span) -> Manner:
    """Measure the sound of words of a recording."""
    spoken = aligned.spoken
    said = spoken[slice(*words)]
    before = _beside(spoken[words[0] - 1] if words[0] else None, said[0], 0)
    after = _beside(said[-1], spoken[words[1]] if words[1] < len(spoken) else None, 1)
    start, end = said[0].start, said[-1].end
    sound = recording.mono(*recording.samples_between(start, end)).astype(np.float64)
    return Manner(
        median_pitch(sound, recording.sample_rate),
        active_level(sound, recording.sample_rate),
        end - start,
        before,
        after,
    )


def _beside(left: Word | None, right: Word | None, side: int) -> str:
    """Return the phone of the left word (side 0), or of the right one, at the joint of two."""
    if left is None or right is None or right.start - left.end > 0.03:
        return PAUSE
    return (right.phones[0] if side else left.phones[-1]).symbol


def wanted_manner(made: EditedRecording, k: int) -> Manner:
    """Measure the sound wanted of the new words of edit ``k``: as they are made."""
    plan, edit = made.plan, made.plan.edits[k]
    rate, words = plan.recording.sample_rate, plan.alignment.spoken
    patch = made.patches[k].samples.mean(axis=1)
    before, after = (samples_of(frames, rate) for frames in edit.margin)
    made_words = patch[before : max(len(patch) - after, before + 1)]
    left = words[edit.old[0] - 1] if edit.old[0] else None
    right = words[edit.old[1]] if edit.old[1] < len(words) else None
    gone = words[slice(*edit.old)]
    start = gone[0] if gone else right
    end = gone[-1] if gone else left
    joins = _beside(left, start, 0), _beside(end, right, 1)
    return Manner(
        median_pitch(made_words, rate), active_level(made_words, rate), edit.seconds, *joins
    )


def _levelled(words: ReusedWords, manner: Manner, wanted: Manner) -> ReusedWords:
    """Bring words half way to the level that is wanted, those of another recording all the way.

    How loud their speaker said them counts too.
    """
    share, most = (1.0, MAX_GAIN_DB) if words.text else (0.5, MAX_LEVEL_CHANGE_DB)
    by = share * (wanted.level - manner.level)
    return replace(words, decibels=round(min(max(by, -most), most), 2))


def active_level(sound: np.ndarray, rate: int) -> float:
    """Return the level of a sound (n,) without its pauses, dB of full scale.

    It is taken of those 20 ms that are within 20 dB of the loudest.
    """
    size = rate // 50
    power = np.square(sound[: len(sound) // size * size].reshape(-1, size)).mean(axis=1)
    loud = power[power > 0.01 * power.max(initial=0.0)]
    return float(10 * np.log10(loud.mean() + 1e-10)) if len(loud) else -100.0


def median_pitch(mono: np.ndarray, sample_rate: int) -> float:
    """Return the median of log2 F0 (Hz) over the voiced frames of a sound (n,); NaN if few.

    By normalised autocorrelation: of the periods that fit about equally well, the shortest.
    """
    sound = np.asarray(soxr.resample(mono, sample_rate, PITCH_RATE_HZ), np.float64)
    if len(sound) < PITCH_FRAME_SAMPLES:
        return math.nan
    frames = np.lib.stride_tricks.sliding_window_view(sound, PITCH_FRAME_SAMPLES)[
        ::PITCH_HOP_SAMPLES
    ]
    frames = frames - frames.mean(axis=1, keepdims=True)
    energy = np.square(frames).sum(axis=1)
    frames = frames[energy > MIN_ENERGY * energy.max()]
    if len(frames) < MIN_VOICED_COUNT:
        return math.nan
    spectra = np.abs(np.fft.rfft(frames, 2 * PITCH_FRAME_SAMPLES, axis=1)) ** 2
    again = np.fft.irfft(spectra, axis=1)[:, :PITCH_FRAME_SAMPLES]
    lags = np.arange(
        round(PITCH_RATE_HZ / HIGHEST_PITCH_HZ), round(PITCH_RATE_HZ / LOWEST_PITCH_HZ)
    )
    # What is left of the frame at a lag is shorter: its energy is what there is to compare with.
    again = again[:, lags] / again[:, :1] * PITCH_FRAME_SAMPLES / (PITCH_FRAME_SAMPLES - lags)
    best = again.max(axis=1)
    peaks = again >= 0.9 * best[:, None]
    peaks[:, 1:-1] &= (again[:, 1:-1] >= again[:, :-2]) & (again[:, 1:-1] >= again[:, 2:])
    shortest = lags[np.argmax(peaks, axis=1)]
    voiced = shortest[best > MIN_VOICED]
    return (
        float(np.median(np.log2(PITCH_RATE_HZ / voiced)))
        if len(voiced) >= MIN_VOICED_COUNT
        else math.nan
    )


class Variation(NamedTuple):
    """Pace relative to the requested speed; margin and reach in seconds."""

    pace: float
    margin: float
    reach: float


# The first one stands for the request itself. No two have both margin and reach in common, because
# pace has no effect where the duration of the new words is given.
VARIATIONS = (
    Variation(1.0, EditRequest.margin, EditRequest.reach),
    Variation(0.93, 0.0375, 0.075),
    Variation(1.0, 0.1, 0.1),
    Variation(1.07, 0.0375, 0.15),
    Variation(1.0, 0.0625, 0.15),
    Variation(0.87, 0.025, 0.1),
    Variation(1.15, 0.0625, 0.075),
    Variation(1.0, 0.0, 0.05),
)


@dataclass(frozen=True)
class Merits:
    """The measurements by which a candidate is ranked.

    heard: the new words' mean confidence when the result is aligned again, 0 to 1.
    joint: the mel's frame-to-frame change at the joints relative to that of the surrounding speech;
        1 is natural.
    pace: rate of the new words relative to the requested one.
    remade: mean seconds of original speech beside an edit that are regenerated with it.
    manner: the cost of words that are recorded elsewhere (`Manner.cost`).
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
            - PACE_WEIGHT * abs(float(np.log(self.pace)))
            - JOINT_WEIGHT * max(0.0, self.joint - 1.0)
            - REMADE_WEIGHT * self.remade
            - MANNER_WEIGHT * self.manner
        )


@dataclass(frozen=True)
class Candidate:
    """A verified result and its merits."""

    result: EditedRecording
    merits: Merits


def make_candidates(plan: EditPlan, renderer: Renderer) -> list[EditedRecording]:
    """Make the requested number of candidates, best first.

    The ``candidate`` of each explains its rank. One of them is the plan itself.
    """
    count, first = plan.request.candidates, variant(plan, 0, renderer)
    recorded = [*_with_recorded_words(plan, first.result, renderer, count // 2)]
    others = [variant(plan, number, renderer) for number in range(1, count - len(recorded))]
    return ranked([first, *recorded, *others])


def make_best(plan: EditPlan, renderer: Renderer) -> EditedRecording:
    """Make the plan's rendering, or a better one.

    Words that are recorded elsewhere are taken if these are heard and were said alike; if a new
    word is inaudible, the result is the best of up to MAX_RENDERINGS variants.
    """
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
    for number in range(1, MAX_RENDERINGS):
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
    """Yield up to ``most`` results with words from elsewhere, the best first.

    They cost no more than ``most_cost``; ``first``: the plan's rendering.
    """
    for request, cost in recorded_requests(plan, first, most, most_cost):
        taken = replan(plan, request, renderer.networks.durations)
        if any(edit.taken for edit in taken.edits):
            yield measured(taken, 0, renderer.edited(taken), cost)


def varied(request: EditRequest, variation: Variation) -> EditRequest:
    """Apply a variation to the request; a given duration stays."""
    speed = request.speed * (variation.pace if request.times_are_free else 1.0)
    speed = option_of(SpeechOptions, "speed").clipped(speed)
    seed = (request.seed + VARIATIONS.index(variation)) % MAX_SEED
    return replace(request, speed=speed, margin=variation.margin, reach=variation.reach, seed=seed)


def variant(plan: EditPlan, number: int, renderer: Renderer) -> Candidate:
    """Render and measure the plan in variation ``number``; 0 is the plan itself."""
    if number:
        request = varied(plan.request, VARIATIONS[number])
        plan = replan(plan, request, renderer.networks.durations)
    return measured(plan, number, renderer.edited(plan))


def measured(
    plan: EditPlan, number: int, result: EditedRecording, manner: float = 0.0
) -> Candidate:
    """Measure a verified result of the plan in variation ``number``.

    ``manner``: the cost of its recorded words.
    """
    pace = VARIATIONS[number].pace if plan.request.times_are_free else 1.0
    return Candidate(result, merits(result, pace, manner))


def ranked(candidates: Sequence[Candidate]) -> list[EditedRecording]:
    """Return the results, the best first, each with its rank and merits in ``candidate``."""
    order = sorted(candidates, key=lambda each: -each.merits.score)
    return [
        replace(
            each.result,
            candidate={"rank": rank, "of": len(order), "score": round(each.merits.score, 4)}
            | {name: round(value, 4) for name, value in asdict(each.merits).items()},
        )
        for rank, each in enumerate(order, 1)
    ]


def merits(result: EditedRecording, pace: float, manner: float = 0.0) -> Merits:
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
    return Merits(float(np.mean(scores or [1.0])), max(jumps, default=1.0), pace, remade, manner)


def joint_jump(result: EditedRecording, sample: int) -> float:
    """Return the mel's change at an output sample relative to the mean change around; 1 if even."""
    rate = result.recording.sample_rate
    reach = round(AROUND_JOINT_S * rate)
    first, last = max(0, sample - reach), min(result.map.samples.output_length, sample + reach)
    mono = read_patched(result.recording, result.patches, first, last).mean(axis=1)
    mel = log_mel(soxr.resample(mono, rate, SAMPLE_RATE).astype(np.float32)).numpy()
    changes = _changes(mel)
    place = frames_of((sample - first) / rate)
    here = changes[max(0, place - 2) : place + 2]
    usual = float(changes.mean()) if len(changes) else 0.0
    return float(here.max()) / usual if len(here) and usual > 0 else 1.0


def _changes(mel: np.ndarray) -> np.ndarray:
    """Return a mel's mean change, (T, 80) -> (T - 1,), with levels below a room's noise clipped."""
    return np.abs(np.diff(np.maximum(mel, -4.0), axis=0)).mean(axis=1)
