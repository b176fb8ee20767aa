"""A few new words that are recorded elsewhere: taken where they fit, or offered as other takes.

The same person said them in the same room, but in another place of a sentence. Unit selection
(Hunt and Black 1996, "Unit selection in a concatenative speech synthesis system using a large
speech database"): a target cost, of how the words were said against how the network says them here,
and a join cost, of the phones that they stood between against those that they will.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import soxr

from a3t.audio.reading.recording import Recording
from a3t.grid import samples_of
from a3t.plan.edit_plan import EditPlan, PlannedEdit
from a3t.plan.request import MAX_GAIN_DB, EditRequest, ReusedWords
from a3t.plan.reuse import RecordedTexts
from a3t.rendering.edited import EditedRecording
from a3t.spans import Span
from a3t.text.comparison.edit_script import WordEdit
from a3t.text.phones import PAUSE, is_vowel
from alignment import Alignment, Word
from alignment.arpabet import strip_stress

LEAST_SCORE = 0.5  # of a word's alignment, or it isn't taken
MOST_DECIBELS = 6.0  # by which words are made louder or softer
MOST_PITCH = 0.5  # octaves; farther away it may be somebody else
# Costs: of another phone beside the words, of one of another kind, and of a pause for a phone; of
# an octave, of a doubled length, and of 10 dB.
PHONE, KIND, BREAK = 0.3, 0.6, 1.5
PITCH, LENGTH, LEVEL = 8.0, 1.5, 0.5
KINDS = ("P T K B D G CH JH", "F TH S SH HH V DH Z ZH", "M N NG", "L R W Y")


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
        """The cost of words said in another manner than the text asks for."""
        pitch = abs(self.pitch - wanted.pitch)
        return (
            _change(self.before, wanted.before)
            + _change(self.after, wanted.after)
            + PITCH * (pitch if math.isfinite(pitch) else 0.1)
            + LENGTH * abs(math.log2(self.seconds / wanted.seconds))
            + LEVEL * abs(self.level - wanted.level) / 10
        )


def _change(is_: str, wanted: str) -> float:
    """The cost of a phone beside the words where another one was."""
    if (is_ == PAUSE) != (wanted == PAUSE):
        return BREAK
    if strip_stress(is_) == strip_stress(wanted):
        return 0.0
    return PHONE if _kind(is_) == _kind(wanted) else KIND


def _kind(phone: str) -> int:
    if is_vowel(phone):
        return len(KINDS)
    return next((k for k, kind in enumerate(KINDS) if phone in kind.split()), -1)


def recorded_requests(
    plan: EditPlan, made: EditedRecording, most: int, most_cost: float = math.inf
) -> list[tuple[EditRequest, float]]:
    """At most so many requests for the plan's edits with recorded words that cost no more than
    ``most_cost``, where there are any, the best first, each with the mean cost of its words;
    ``made``: a result whose words are all made, which shows the manner that is wanted."""
    choices = [
        [choice for choice in each if choice[2] <= most_cost]
        for each in recorded_choices(plan, made)
    ]
    found = []
    for n in range(min(most, max(map(len, choices), default=0))):
        own = [each[n] for each in choices if n < len(each)]
        request = replace(plan.request, recorded=tuple(words for words, _, _ in own))
        found.append((request, sum(cost for _, _, cost in own) / len(own)))
    return found


def recorded_choices(
    plan: EditPlan, made: EditedRecording
) -> list[list[tuple[ReusedWords, Manner, float]]]:
    """Each edit's recorded words at its level, their pronunciation and their cost, the cheapest
    first."""
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
        found = []
        script = WordEdit("replace", edit.old, edit.new)
        for words in recorded.short_matches(script, plan.new_text):
            if usable(plan, edit, heard[words.text][1], words):
                manner, wanted = manner_of(*heard[words.text], words.old), wanted_manner(made, k)
                if not abs(manner.pitch - wanted.pitch) > MOST_PITCH:
                    found.append((_levelled(words, manner, wanted), manner, manner.cost(wanted)))
        choices.append(sorted(found, key=lambda each: each[2]))
    return choices


def usable(plan: EditPlan, edit: PlannedEdit, aligned: Alignment, words: ReusedWords) -> bool:
    """True if recorded words are surely heard, and said as they are to be said now."""
    own = aligned.spoken[slice(*words.old)]
    said = [tuple(phone.symbol for phone in word.phones) for word in own]
    wanted = [plan.pronunciations[k] for k in range(*edit.new)]
    return min(word.score for word in own) >= LEAST_SCORE and said == wanted


def manner_of(recording: Recording, aligned: Alignment, words: Span) -> Manner:
    """The sound of words of a recording."""
    spoken = aligned.spoken
    own = spoken[slice(*words)]
    before = _beside(spoken[words[0] - 1] if words[0] else None, own[0], 0)
    after = _beside(own[-1], spoken[words[1]] if words[1] < len(spoken) else None, 1)
    start, end = own[0].start, own[-1].end
    sound = recording.mono(*recording.samples_between(start, end)).astype(np.float64)
    return Manner(
        median_pitch(sound, recording.sample_rate),
        active_level(sound, recording.sample_rate),
        end - start,
        before,
        after,
    )


def _beside(left: Word | None, right: Word | None, side: int) -> str:
    """The phone of the left word (side 0), or of the right one, at the joint between two."""
    if left is None or right is None or right.start - left.end > 0.03:
        return PAUSE
    return (right.phones[0] if side else left.phones[-1]).symbol


def wanted_manner(made: EditedRecording, k: int) -> Manner:
    """The sound wanted of the new words of edit ``k``: as they are made."""
    plan, edit = made.plan, made.plan.edits[k]
    rate, words = plan.recording.sample_rate, plan.alignment.spoken
    patch = made.patches[k].samples.mean(axis=1)
    before, after = (samples_of(frames, rate) for frames in edit.margin)
    own = patch[before : max(len(patch) - after, before + 1)]
    left = words[edit.old[0] - 1] if edit.old[0] else None
    right = words[edit.old[1]] if edit.old[1] < len(words) else None
    gone = words[slice(*edit.old)]
    start = gone[0] if gone else right
    end = gone[-1] if gone else left
    joins = _beside(left, start, 0), _beside(end, right, 1)
    return Manner(median_pitch(own, rate), active_level(own, rate), edit.seconds, *joins)


def _levelled(words: ReusedWords, manner: Manner, wanted: Manner) -> ReusedWords:
    """The words half way to the level that is wanted, as how loud their speaker said them counts
    too; those of another recording all the way."""
    share, most = (1.0, MAX_GAIN_DB) if words.text else (0.5, MOST_DECIBELS)
    by = share * (wanted.level - manner.level)
    return replace(words, decibels=round(min(max(by, -most), most), 2))


def active_level(sound: np.ndarray, rate: int) -> float:
    """dB of full scale of a sound (n,), of those 20 ms of it that are within 20 dB of the loudest:
    not of its pauses."""
    size = rate // 50
    power = np.square(sound[: len(sound) // size * size].reshape(-1, size)).mean(axis=1)
    loud = power[power > 0.01 * power.max(initial=0.0)]
    return float(10 * np.log10(loud.mean() + 1e-10)) if len(loud) else -100.0


RATE = 8_000
FRAME, HOP = 400, 160  # 50 ms, so that the lowest voice has three periods in it; every 20 ms
LOWEST, HIGHEST = 65.0, 420.0  # Hz
VOICED = 0.5  # of a frame's energy that comes back a period later
AUDIBLE = 10 ** (-25 / 10)  # of the loudest frame's energy
LEAST = 5  # frames


def median_pitch(mono: np.ndarray, sample_rate: int) -> float:
    """The median of log2 F0 (Hz) over the voiced frames of a sound (n,); NaN if they are few.

    By normalised autocorrelation: of the periods that fit about equally well, the shortest.
    """
    sound = np.asarray(soxr.resample(mono, sample_rate, RATE), np.float64)
    if len(sound) < FRAME:
        return math.nan
    frames = np.lib.stride_tricks.sliding_window_view(sound, FRAME)[::HOP]
    frames = frames - frames.mean(axis=1, keepdims=True)
    energy = np.square(frames).sum(axis=1)
    frames = frames[energy > AUDIBLE * energy.max()]
    if len(frames) < LEAST:
        return math.nan
    spectra = np.abs(np.fft.rfft(frames, 2 * FRAME, axis=1)) ** 2
    again = np.fft.irfft(spectra, axis=1)[:, :FRAME]
    lags = np.arange(round(RATE / HIGHEST), round(RATE / LOWEST))
    # What is left of the frame at a lag is shorter: its energy is what there is to compare with.
    again = again[:, lags] / again[:, :1] * FRAME / (FRAME - lags)
    best = again.max(axis=1)
    peaks = again >= 0.9 * best[:, None]
    peaks[:, 1:-1] &= (again[:, 1:-1] >= again[:, :-2]) & (again[:, 1:-1] >= again[:, 2:])
    shortest = lags[np.argmax(peaks, axis=1)]
    voiced = shortest[best > VOICED]
    return float(np.median(np.log2(RATE / voiced))) if len(voiced) >= LEAST else math.nan
