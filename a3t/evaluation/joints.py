"""How audible is a joint? Three measures of a place in a sound, and what natural speech has there.

A joint is judged against untouched recordings at the same kind of place: between the same two
classes of sound, 20 ms to its left and to its right. At a place natural speech itself lies within
its 95th percentile 95 times in 100; joints that nobody hears should do the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from a3t.audio.mel import N_FFT, mel_filters
from a3t.grid import SAMPLE_RATE
from a3t.text.phones import CONSONANTS, PAUSE

MEASURES = ("dip", "flux", "jump")
STEP = 120  # samples of 24 kHz between two natural places, 5 ms
BESIDE = 0.02  # seconds to either side of a place, where its two classes are looked up
ENOUGH = 200  # natural places of a kind; with fewer it is judged against all of them
STOPS = frozenset("B CH D G JH K P T".split())
SONORANTS = frozenset("L M N NG R W Y".split())
QUIET = 1e-9  # power that counts as nothing, -90 dB of full scale

_MILLISECOND = SAMPLE_RATE // 1000
_REACH = 40 * _MILLISECOND  # samples that a measure hears on either side of its place


@dataclass(frozen=True)
class PhoneSamples:
    """A phone of a recording: its symbol and samples [first, last) at 24 kHz."""

    symbol: str
    first: int
    last: int


def measure(mono: np.ndarray, places: Sequence[int] | np.ndarray) -> np.ndarray:
    """(n, 3): the measures at places (n,) of a sound (samples,), both at 24 kHz.

    dip: by how many dB the 10 ms around a place differ from the mean level of 20 ms before and
    after them, up or down. flux: mean difference of the log10 mels of the 20 ms before and after
    (bins below -6 count as -6). jump: the greatest second difference of samples within 3 ms,
    against its RMS within 40 ms; where a waveform breaks, it is great.
    """
    sound = np.pad(np.asarray(mono, np.float64), _REACH)
    starts = np.asarray(places, int)
    near = np.lib.stride_tricks.sliding_window_view(sound, 2 * _REACH)[starts]
    return np.stack([_dip(near), _flux(near), _jump(near)], axis=1)


def _around(near: np.ndarray, first: float, last: float) -> np.ndarray:
    """The samples from `first` to `last` milliseconds after the place."""
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
    """pause, stop, fricative, sonorant or vowel."""
    if symbol == PAUSE:
        return "pause"
    if symbol in STOPS:
        return "stop"
    if symbol in SONORANTS:
        return "sonorant"
    return "fricative" if symbol in CONSONANTS else "vowel"


def kind_of(phones: Sequence[PhoneSamples], place: int) -> tuple[str, str]:
    """The classes of sound to the left and to the right of a sample of the recording."""
    beside = round(BESIDE * SAMPLE_RATE)
    ends = [phone.last for phone in phones]
    left, right = (
        phones[min(int(np.searchsorted(ends, sample, "right")), len(phones) - 1)]
        for sample in (place - beside, place + beside)
    )
    return sound_class(left.symbol), sound_class(right.symbol)


class Natural:
    """The measures of untouched recordings, place by place, by kind of place."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], list[np.ndarray]] = {}

    def add(self, mono: np.ndarray, phones: Sequence[PhoneSamples]) -> None:
        """Every 5 ms of a recording (samples,) at 24 kHz, but for its ends."""
        places = np.arange(2 * _REACH, len(mono) - 2 * _REACH, STEP)
        kinds = [kind_of(phones, int(place)) for place in places]
        values = measure(mono, places)
        for kind in set(kinds):
            same = [other == kind for other in kinds]
            self._found.setdefault(kind, []).append(values[same])

    def percentile(self, kind: tuple[str, str], values: np.ndarray) -> np.ndarray:
        """(3,): the share of natural places of this kind, in 0..1, whose measure is smaller."""
        same = self._found.get(kind, [])
        if sum(map(len, same)) < ENOUGH:
            same = [part for parts in self._found.values() for part in parts]
        return np.asarray((np.concatenate(same) < values).mean(axis=0))

    @property
    def places(self) -> int:
        """How many there are."""
        return sum(len(part) for parts in self._found.values() for part in parts)


def within(percentiles: Iterable[np.ndarray], limit: float = 0.95) -> np.ndarray:
    """(4,): the share of joints within the limit by each measure, and by all three at once."""
    inside = np.array(list(percentiles)) <= limit
    return np.append(inside.mean(axis=0), inside.all(axis=1).mean())
