"""The audibility of joints: three measures at a place in a sound, compared with natural speech.

A joint is compared with unedited recordings at the same kind of place, which is given by the
classes of the phones 20 ms to its left and right. By definition, 95 % of natural places are within
their 95th percentile; inaudible joints should be too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import soxr

from a3t.audio.analysis.mel import N_FFT, mel_filters
from a3t.audio.output.patches import Patch, read_patched
from a3t.audio.reading.recording import Recording
from a3t.grid import HOP, SAMPLE_RATE
from a3t.plan.edit_plan import EditPlan
from a3t.rendering.edited import EditedRecording
from a3t.text.phones import CONSONANTS, PAUSE

MEASURES = ("dip", "flux", "jump")
STEP = 120  # samples at 24 kHz between two natural places, 5 ms
BESIDE = 0.02  # seconds from a place to the points that give its two classes
ENOUGH = 200  # natural places of a kind; if there are fewer, all kinds are used
STOPS = frozenset("B CH D G JH K P T".split())
SONORANTS = frozenset("L M N NG R W Y".split())
QUIET = 1e-9  # power of silence, -90 dB of full scale
AROUND = 0.1  # seconds that are read on each side of a joint
HALF_FADE = 0.0075  # seconds from an edit's end to the middle of its cross-fade

_MILLISECOND = SAMPLE_RATE // 1000
_REACH = 40 * _MILLISECOND  # samples that a measure uses on each side of its place


@dataclass(frozen=True)
class PhoneSamples:
    """A phone of a recording: its symbol and samples [first, last) at 24 kHz."""

    symbol: str
    first: int
    last: int


def measure(mono: np.ndarray, places: Sequence[int] | np.ndarray) -> np.ndarray:
    """Measure a sound (samples,) at 24 kHz at places (n,): (n, 3).

    dip: absolute level difference in dB between the 10 ms around a place and the 20 ms before and
    after them. flux: mean absolute difference between the log10 mels of the 20 ms before and after
    (bins are clipped at -6). jump: the largest second difference of samples within 3 ms relative to
    its RMS within 40 ms, which is large where a waveform is discontinuous.
    """
    sound = np.pad(np.asarray(mono, np.float64), _REACH)
    starts = np.asarray(places, int)
    near = np.lib.stride_tricks.sliding_window_view(sound, 2 * _REACH)[starts]
    return np.stack([_dip(near), _flux(near), _jump(near)], axis=1)


def _around(near: np.ndarray, first: float, last: float) -> np.ndarray:
    """Return the samples from ``first`` to ``last`` milliseconds relative to the place."""
    begin, end = (_REACH + round(time * _MILLISECOND) for time in (first, last))
    return near[:, begin:end]


def _level(samples: np.ndarray) -> np.ndarray:
    return np.asarray(10 * np.log10(np.square(samples).mean(axis=1) + QUIET))


def _dip(near: np.ndarray) -> np.ndarray:
    beside = (_level(_around(near, -25, -5)) + _level(_around(near, 5, 25))) / 2
    return np.abs(_level(_around(near, -5, 5)) - beside)


def _flux(near: np.ndarray) -> np.ndarray:
    filters = mel_filters().numpy()
    before, after = (
        np.maximum(
            np.log10(
                np.abs(np.fft.rfft(part * np.hanning(part.shape[1]), N_FFT)) @ filters.T + 1e-9
            ),
            -6.0,
        )
        for part in (_around(near, -20, 0), _around(near, 0, 20))
    )
    return np.asarray(np.abs(after - before).mean(axis=1))


def _jump(near: np.ndarray) -> np.ndarray:
    bend = np.diff(near, 2)
    usual = np.sqrt(np.square(_around(bend, -20, 20)).mean(axis=1) + QUIET * 1e-3)
    return np.asarray(np.abs(_around(bend, -3, 3)).max(axis=1) / usual)


def sound_class(symbol: str) -> str:
    """Return a phone's class: pause, stop, fricative, sonorant or vowel."""
    if symbol == PAUSE:
        return "pause"
    if symbol in STOPS:
        return "stop"
    if symbol in SONORANTS:
        return "sonorant"
    return "fricative" if symbol in CONSONANTS else "vowel"


def kind_of(phones: Sequence[PhoneSamples], place: int) -> tuple[str, str]:
    """Return the classes of the phones to the left and right of a sample of the recording."""
    beside = round(BESIDE * SAMPLE_RATE)
    ends = [phone.last for phone in phones]
    left, right = (
        phones[min(int(np.searchsorted(ends, sample, "right")), len(phones) - 1)]
        for sample in (place - beside, place + beside)
    )
    return sound_class(left.symbol), sound_class(right.symbol)


class Natural:
    """The measures of unedited recordings, by kind of place."""

    def __init__(self) -> None:
        self._measures: dict[tuple[str, str], list[np.ndarray]] = {}

    def add_plan(self, plan: EditPlan) -> None:
        """Measure a plan's recording, as `add` does."""
        self.add(_at_24_khz(plan.recording, (), 0, plan.recording.samples), phones_of(plan))

    def add(self, mono: np.ndarray, phones: Sequence[PhoneSamples]) -> None:
        """Measure every 5 ms of a recording (samples,) at 24 kHz, except at its ends."""
        places = np.arange(2 * _REACH, len(mono) - 2 * _REACH, STEP)
        kinds = [kind_of(phones, int(place)) for place in places]
        values = measure(mono, places)
        for kind in sorted(set(kinds)):  # so that what is drawn is always the same
            same = [other == kind for other in kinds]
            self._measures.setdefault(kind, []).append(values[same])

    def percentile(self, kind: tuple[str, str], values: np.ndarray) -> np.ndarray:
        """Return the shares, (3,), 0 to 1, of natural places of this kind with smaller measures."""
        same = self._measures.get(kind, [])
        if sum(map(len, same)) < ENOUGH:
            same = [part for parts in self._measures.values() for part in parts]
        return np.asarray((np.concatenate(same) < values).mean(axis=0))

    def drawn(self, count: int) -> np.ndarray:
        """Return the percentiles, (n, 3), of ``count`` of the natural places themselves.

        They are drawn at random, of kinds that have enough: what is natural of all three at once.
        """
        own = {
            k: np.concatenate(v) for k, v in self._measures.items() if sum(map(len, v)) >= ENOUGH
        }
        total = sum(map(len, own.values()))
        draw = np.random.default_rng(0)
        return np.concatenate(
            [
                np.stack([self.percentile(kind, each) for each in draw.choice(values, some)])
                for kind, values in own.items()
                if (some := round(count * len(values) / total))
            ]
        )


def phones_of(plan: EditPlan) -> list[PhoneSamples]:
    """Return the phones of a plan's recording."""
    return [
        PhoneSamples(phone.symbol, phone.first * HOP, phone.last * HOP) for phone in plan.phones
    ]


def joint_percentiles(result: EditedRecording, natural: Natural) -> Iterator[np.ndarray]:
    """Return each joint's percentiles among natural places, (3,), where both sides are recorded.

    A cut has one joint; words that are taken from elsewhere have two, both in pauses.
    """
    recording, phones = result.recording, phones_of(result.plan)
    half, reach = (round(time * recording.sample_rate) for time in (HALF_FADE, AROUND))
    scale = SAMPLE_RATE / recording.sample_rate
    for edit, change in zip(result.plan.edits, result.map.samples.changes, strict=True):
        left, right = (kind_of(phones, round(place * scale)) for place in change.source)
        places = {change.output[0] + half: (left[0], right[1])}
        if edit.taken:
            sides = (change.output[0] + half, change.output[1] - half)
            places = dict.fromkeys(sides, ("pause", "pause"))
        for place, kind in places.items():
            if reach < place < result.map.samples.output_length - reach:
                sound = _at_24_khz(recording, result.patches, place - reach, place + reach)
                (here,) = measure(sound, [round(reach * scale)])
                yield natural.percentile(kind, here)


def _at_24_khz(
    recording: Recording, patches: tuple[Patch, ...], first: int, last: int
) -> np.ndarray:
    """Return samples [first, last) of the output, mono, (n,) at 24 kHz."""
    mono = read_patched(recording, patches, first, last).mean(axis=1)
    rate = recording.sample_rate
    return mono if rate == SAMPLE_RATE else np.asarray(soxr.resample(mono, rate, SAMPLE_RATE))
