"""The figures of what a system made of a task: each as its measure's docstring defines it.

All sound is at 24 kHz. What is compared is the gap's content after the vocoder, within the
recording that it was put into; only the distances of mels are taken before the vocoder.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from a3t.audio.analysis.mel import log_mel
from a3t.errors import InputError
from a3t.grid import HOP, SAMPLE_RATE
from a3t.text.pronunciation.pronouncer import Pronouncer
from alignment import AlignmentError
from alignment.recognition import recognise
from evaluation import cepstra, joints, metrics
from evaluation.clips import LOW_RATE, Vocoder
from evaluation.systems.interface import VOICE_SECONDS, Output, Range, Sound, System
from evaluation.tables.tasks import EDIT, GIVEN, PROMPT, GapTask

FADE = 120  # samples of the cross-fade outside of a gap: 5 ms
CONTEXT = 60  # frames on each side that are vocoded, and analysed, with a gap
LEAST = 0.5  # seconds; in less no voice is recognised
RATED = 2 * SAMPLE_RATE  # samples on each side of a gap that PLCMOS rates with it

# The figures that a table shows, and their units.
MEASURES = {
    "mcd": "MCD, dB",
    "mcd_first": "MCD as the first implementation took it",
    "mel_distance": "mel distance, dB",
    "detail": "detail",
    "f0": "F0, cents",
    "similarity": "similarity",
    "dnsmos": "DNSMOS OVRL",
    "dnsmos_p808": "DNSMOS P.808",
    "plcmos": "PLCMOS",
    "wer": "word errors",
    "joints": "joints",
    "outside": "largest change outside",
}


@dataclass(frozen=True)
class Made:
    """A result: its sound (n,), and the samples [first, last) that fill the gap."""

    sound: Sound
    region: Range
    mel: np.ndarray  # (frames, 80) of the region, before the vocoder where there was one

    @property
    def filled(self) -> Sound:
        """The samples that fill the gap."""
        return self.sound[slice(*self.region)]

    @property
    def frames(self) -> Range:
        """The frames [first, last) that fill the gap."""
        return round(self.region[0] / HOP), round(self.region[1] / HOP)

    def around(self, reach: int) -> tuple[Sound, float]:
        """Return the gap with so many samples on each side, and where it begins in them, in s."""
        first, last = self.region
        start = max(0, first - reach)
        return self.sound[start : last + reach], (first - start) / SAMPLE_RATE


def make(task: GapTask, system: System, vocoder: Vocoder) -> tuple[Made, float]:
    """Return a system's output for a task, and its processor seconds without the vocoder."""
    begun = time.process_time()
    output = system.output(task.gap)
    spent = time.process_time() - begun
    return put_in(task, output, vocoder), spent


def put_in(task: GapTask, output: Output, vocoder: Vocoder) -> Made:
    """Return an output as sound, put into the recording if it is the gap alone."""
    first, last = output.region
    mel = output.mel[first:last]
    if output.made != output.region:
        return Made(vocoded(vocoder, output.mel), (first * HOP, last * HOP), mel)
    left, right = max(0, first - CONTEXT), min(len(output.mel), last + CONTEXT)
    sound = vocoded(vocoder, output.mel[left:right])
    begin = task.gap.frame_span[0] * HOP
    before, after = task.recording[:begin], task.recording[task.resume :]
    return splice(before, after, sound, (first - left) * HOP, (last - first) * HOP, mel)


def vocoded(vocoder: Vocoder, mel: np.ndarray) -> Sound:
    """Return the vocoder's samples; InputError if they are not as many as the frames want."""
    sound = np.asarray(vocoder(mel), dtype=np.float32)
    if sound.shape != (len(mel) * HOP,):
        raise InputError(f"The vocoder gave {sound.shape} for {len(mel)} frames.")
    return sound


def splice(
    before: Sound, after: Sound, sound: Sound, start: int, length: int, mel: np.ndarray
) -> Made:
    """Put samples [start, start + length) of ``sound`` between two stretches of a recording.

    The cross-fades lie outside of them, so that what is judged is the system's alone.
    """
    lead = min(FADE, len(before), start)
    tail = min(FADE, len(after), len(sound) - start - length)
    rise, fall = (np.linspace(0, 1, n + 2)[1:-1] for n in (lead, tail))
    pieces: list[np.ndarray] = [
        before[: len(before) - lead],
        (1 - rise) * before[len(before) - lead :] + rise * sound[start - lead : start],
        sound[start : start + length],
        (1 - fall) * sound[start + length : start + length + tail] + fall * after[:tail],
        after[tail:],
    ]
    whole = np.concatenate(pieces).astype(np.float32)
    return Made(whole, (len(before), len(before) + length), mel)


def recorded(task: GapTask) -> Made:
    """Return the recorded sound of the gap.

    For new words, which nobody said, it is as many samples from the middle of the recording.
    """
    if task.truth is not None and task.true_mel is not None:
        sound, (first, last) = task.truth
        return Made(sound, (first * HOP, min(last * HOP, len(sound))), task.true_mel)
    mel = log_mel(task.recording).numpy()
    length = min(task.gap.length, len(mel))
    first = (len(mel) - length) // 2
    region = (first * HOP, min((first + length) * HOP, len(task.recording)))
    return Made(task.recording, region, mel[first : first + length])


def copy_synthesis(task: GapTask, vocoder: Vocoder) -> Made:
    """Return the speech from its own mel, by the vocoder: what every system pays for it."""
    true = recorded(task)
    mel = log_mel(true.sound).numpy()
    first, last = true.frames
    left, right = max(0, first - CONTEXT), min(len(mel), last + CONTEXT)
    sound = vocoded(vocoder, mel[left:right])
    begin, resume = true.region
    return splice(
        true.sound[:begin],
        true.sound[resume:],
        sound,
        (first - left) * HOP,
        resume - begin,
        true.mel,
    )


class GapJudge:
    """All figures of the results of one task, whose truth is analysed once."""

    def __init__(self, task: GapTask) -> None:
        self.task = task

    def figures(self, made: Made, spoken: tuple[str, ...] | None = None) -> dict[str, float]:
        """Return every measure that has a meaning here; NaN where one could not be taken.

        PESQ, for one, can't be taken of less than a quarter of a second. ``spoken``: the words, if
        not the task's.
        """
        if not np.isfinite(made.sound).all() or not np.abs(made.filled).max(initial=0.0) > 1e-5:
            raise InputError(f"{self.task.name}: the gap was filled with silence, or with NaN.")
        found: dict[str, float] = {}
        if self.task.truth is not None:
            found |= self.against_truth(made)
        found |= metrics.speech_mos(made.filled, SAMPLE_RATE)
        around, _ = made.around(RATED)
        found["plcmos"] = metrics.figure_or_nan(metrics.concealment_mos, around, SAMPLE_RATE)
        found["similarity"] = metrics.figure_or_nan(self._similarity, made.filled)
        if self.task.kind in (EDIT, PROMPT):
            heard = made.sound if self.task.kind == EDIT else made.filled
            found["wer"] = word_errors(heard, spoken or self.task.spoken)
        found["joints"] = joint_share(made, self.task.recording)
        found["outside"] = largest_change(made, self.task)
        return found

    def _similarity(self, region: Sound) -> float:
        if len(region) < LEAST * SAMPLE_RATE:
            return float("nan")
        return float(self._voice @ metrics.speaker_embedding(region, SAMPLE_RATE))

    @cached_property
    def _voice(self) -> np.ndarray:
        visible = self.task.gap.sound[: round(VOICE_SECONDS * SAMPLE_RATE)]
        return metrics.speaker_embedding(visible, SAMPLE_RATE)

    @cached_property
    def _truth(self) -> Made:
        return recorded(self.task)

    @cached_property
    def _true_analysis(self) -> tuple[np.ndarray, np.ndarray]:
        return self._analyse(self._truth)

    @cached_property
    def _true_first(self) -> np.ndarray:
        return cepstra.first_implementation_cepstra(self._truth.filled, SAMPLE_RATE)

    def _analyse(self, made: Made) -> tuple[np.ndarray, np.ndarray]:
        """Return mel-cepstra and F0 of the region, every 5 ms; Harvest runs once for both."""
        around, start = made.around(CONTEXT * HOP)
        pitch = cepstra.fundamental(metrics.resampled(around, SAMPLE_RATE, LOW_RATE), LOW_RATE)
        region = (start, start + len(made.filled) / SAMPLE_RATE)
        signal = metrics.resampled(around, SAMPLE_RATE, self.task.rate)
        frames = cepstra.mel_cepstra(signal, self.task.rate, pitch)
        return (
            cepstra.region_frames(frames, region),
            cepstra.region_frames(pitch[0][:, None], region)[:, 0],
        )

    def against_truth(self, made: Made) -> dict[str, float]:
        """Return the measures that compare with what was recorded in the gap."""
        truth = self._truth
        same = self.task.kind == GIVEN and len(made.filled) == len(truth.filled)
        (a, f0), (b, other) = self._true_analysis, self._analyse(made)
        pairs = cepstra.warp_path(a[:, 1:], b[:, 1:])
        n = min(len(f0), len(other))
        tracks = (f0[:n], other[:n]) if same else (f0[pairs[:, 0]], other[pairs[:, 1]])
        cents, voicing = metrics.fundamental_error(*tracks)
        found = {
            "mcd": cepstra.cepstral_distortion(a, b),
            "mcd_first": cepstra.first_implementation_distance(
                self._true_first, cepstra.first_implementation_cepstra(made.filled, SAMPLE_RATE)
            ),
            "mel_distance": metrics.mel_cepstral_distance(truth.mel, made.mel),
            "detail": metrics.detail(truth.mel, made.mel),
            "f0": cents,
            "voicing": voicing,
        }
        if same:
            one, two = (x.around(CONTEXT * HOP)[0] for x in (truth, made))
            n = min(len(one), len(two))
            found["mel_l1"] = metrics.mel_l1(truth.mel, made.mel)
            for name, measure in (("pesq", metrics.pesq_wideband), ("stoi", metrics.stoi)):
                found[name] = metrics.figure_or_nan(measure, one[:n], two[:n], SAMPLE_RATE)
        return found


def word_errors(sound: Sound, spoken: tuple[str, ...]) -> float:
    """Return the share of words that our recogniser gets wrong with these words as its prior.

    It is 1 if none is recognised, and lower than without a prior: it is for differences between
    systems, and from copy-synthesis.
    """
    try:
        found = recognise(sound, SAMPLE_RATE, spoken, Pronouncer().choices(spoken))
    except AlignmentError:
        return 1.0
    return metrics.word_error_rate([word.lower() for word in spoken], found.text.split())


def joint_share(made: Made, recording: Sound) -> float:
    """Return the share of measures at the gap's ends beyond the recording's 95th percentile.

    The measures are dip, flux and jump (`evaluation.joints`); 0.05 is what nature has.
    """
    edge = SAMPLE_RATE // 10
    places = [place for place in made.region if edge < place < len(made.sound) - edge]
    if not places or len(recording) < 10 * edge:
        return float("nan")
    natural = joints.measure(recording, np.arange(edge, len(recording) - edge, joints.STEP))
    limits = np.quantile(natural, 0.95, axis=0)
    return float((joints.measure(made.sound, places) > limits).mean())


def largest_change(made: Made, task: GapTask) -> float:
    """Return the largest change of any sample outside the gap and its cross-fades, full scale at 1.

    It is 0 for an edit, by construction; whatever a system does that makes the whole sentence anew.
    """
    before, after = task.gap.frame_span[0] * HOP - FADE, len(task.recording) - task.resume - FADE
    parts = []
    if before > 0:
        parts.append(made.sound[:before] - task.recording[:before])
    if 0 < after <= len(made.sound):
        parts.append(made.sound[-after:] - task.recording[-after:])
    return float(max((np.abs(part).max() for part in parts if len(part)), default=0.0))
