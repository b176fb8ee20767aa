"""Breaths and clicks of the mouth, found by their sound in the pauses of a recording.

A breath is noise for a tenth of a second or longer, well above the room's tone, below the speech
and without pitch; a click is short and stands alone. What touches a word is left alone: it may be
the word's own beginning or end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from a3t.audio.reading.recording import Recording
from a3t.spans import Span
from alignment import Alignment
from alignment.boolean_runs import runs_of

FRAME, HOP = 0.010, 0.005  # seconds
GUARD = 0.03  # seconds beside a word
LEAST, LONGEST = 0.15, 30.0  # seconds of a pause that is looked at
ABOVE, CLICK_ABOVE = 8.0, 14.0  # dB over the quiet of the pause
BRIDGED = 0.03  # seconds
CLICK = 0.05  # seconds, the longest
BREATH = (0.1, 1.2)  # seconds
PITCHED = 0.5  # the autocorrelation from which a sound has a pitch
PITCH = (70.0, 400.0)  # Hz
QUIET_SHARE = 0.2
LOUD_PIECE, BLOCK = 0.1, 30.0  # seconds
QUIETER = 20.0  # dB, than speech is what holds none
FLOOR = 1e-10  # of full scale, power


@dataclass(frozen=True, slots=True)
class PauseSound:
    """A "breath" or a "click": its seconds in the recording."""

    kind: str
    start: float
    end: float


def sounds_in_pauses(
    recording: Recording, pauses: Iterable[tuple[float, float]]
) -> Iterator[PauseSound]:
    """The sounds in some pauses, each [start, end) in seconds, in order."""
    rate = recording.sample_rate
    for start, end in pauses:
        if not LEAST <= end - start <= LONGEST:
            continue
        first, last = round(start * rate), min(round(end * rate), recording.samples)
        sound = np.diff(recording.mono(first, last).astype(np.float64), prepend=0.0)
        levels = _levels(sound, rate)
        if not len(levels):
            continue
        quiet = np.quantile(levels, QUIET_SHARE)
        for begin, stop in _runs(levels > quiet + ABOVE):
            seconds = (stop - begin) * HOP
            inside = begin * HOP >= GUARD and (end - start) - stop * HOP >= GUARD
            if not inside:
                continue
            piece = sound[round(begin * HOP * rate) : round((stop * HOP + FRAME) * rate)]
            loud = levels[begin:stop].max() >= quiet + CLICK_ABOVE
            kind = ""
            if seconds <= CLICK and loud:
                kind = "click"
            elif BREATH[0] <= seconds <= BREATH[1] and not _has_pitch(piece, rate):
                kind = "breath"
            if kind:
                yield PauseSound(kind, start + begin * HOP, start + stop * HOP + FRAME)


def speech_power(recording: Recording, alignment: Alignment) -> float:
    """The mean power of the first minute of a recording's words, full scale at 1."""
    power, count = 0.0, 0
    for word in alignment.spoken:
        sound = recording.mono(*recording.samples_between(word.start, word.end))
        power += float(np.square(sound, dtype=np.float64).sum())
        count += len(sound)
        if count > 60.0 * recording.sample_rate:
            break
    return power / max(count, 1)


def is_quiet(recording: Recording, start: float, end: float, speech: float) -> bool:
    """True if no 0.1 s from ``start`` to ``end``, in seconds, is louder than QUIETER dB below
    the power of its speech (of full scale); its constant part left out."""
    rate = recording.sample_rate
    size, block = round(LOUD_PIECE * rate), round(BLOCK * rate)
    first, last = recording.samples_between(start, end)
    limit = speech * 10 ** (-QUIETER / 10)
    for begin in range(first, last, block):
        sound = recording.mono(begin, min(begin + block, last)).astype(np.float64)
        power = np.square(sound - sound.mean())
        pieces = np.add.reduceat(power, np.arange(0, len(power), size)) / size
        if pieces.max() > limit:
            return False
    return True


def _levels(sound: np.ndarray, rate: int) -> np.ndarray:
    """(frames,) dB of full scale."""
    size, hop = round(FRAME * rate), round(HOP * rate)
    starts = np.arange(0, len(sound) - size + 1, hop)
    total = np.concatenate([[0.0], np.cumsum(np.square(sound))])
    return np.asarray(10 * np.log10((total[starts + size] - total[starts]) / size + FLOOR))


def _runs(active: np.ndarray) -> Iterator[Span]:
    """[first, last) of the runs that are active, short gaps between them bridged."""
    spans: list[Span] = []
    for begin, stop in runs_of(active):
        if spans and (begin - spans[-1][1]) * HOP <= BRIDGED:
            spans[-1] = spans[-1][0], stop
        else:
            spans.append((begin, stop))
    yield from spans


def _has_pitch(sound: np.ndarray, rate: int) -> bool:
    size = min(len(sound), round(0.2 * rate))
    middle = (len(sound) - size) // 2
    piece = sound[middle : middle + size]
    spectrum = np.fft.rfft(piece * np.hanning(size), 2 * size)
    own = np.fft.irfft(np.square(np.abs(spectrum)))
    lags = own[round(rate / PITCH[1]) : round(rate / PITCH[0])]
    return bool(len(lags) and lags.max() > PITCHED * own[0])
