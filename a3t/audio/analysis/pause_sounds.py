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

SOUND_FRAME_S, HOP_S = 0.010, 0.005  # seconds
WORD_GUARD_S = 0.03  # seconds beside a word
MIN_PAUSE_S, MAX_SEARCHED_PAUSE_S = 0.15, 30.0  # seconds of a pause that is looked at
ABOVE_DB, CLICK_ABOVE_DB = 8.0, 14.0  # dB over the quiet of the pause
BRIDGED_S = 0.03  # seconds
MAX_CLICK_S = 0.05  # seconds, the longest
BREATH_S = (0.1, 1.2)  # seconds
PITCHED = 0.5  # the autocorrelation from which a sound has a pitch
PITCH_HZ = (70.0, 400.0)  # Hz
QUIET_FRAME_SHARE = 0.2
LOUD_PIECE_S, PAUSE_BLOCK_S = 0.1, 30.0  # seconds
QUIETER_DB = 20.0  # dB, than speech is what holds none
POWER_FLOOR = 1e-10  # of full scale, power


@dataclass(frozen=True, slots=True)
class PauseSound:
    """A "breath" or a "click": its seconds in the recording."""

    kind: str
    start: float
    end: float


def sounds_in_pauses(
    recording: Recording, pauses: Iterable[tuple[float, float]]
) -> Iterator[PauseSound]:
    """Yield the sounds in some pauses, each [start, end) in seconds, in order."""
    rate = recording.sample_rate
    for start, end in pauses:
        if not MIN_PAUSE_S <= end - start <= MAX_SEARCHED_PAUSE_S:
            continue
        first, last = round(start * rate), min(round(end * rate), recording.samples)
        sound = np.diff(recording.mono(first, last).astype(np.float64), prepend=0.0)
        levels = _levels(sound, rate)
        if not len(levels):
            continue
        quiet = np.quantile(levels, QUIET_FRAME_SHARE)
        for begin, stop in _runs(levels > quiet + ABOVE_DB):
            seconds = (stop - begin) * HOP_S
            inside = begin * HOP_S >= WORD_GUARD_S and (end - start) - stop * HOP_S >= WORD_GUARD_S
            if not inside:
                continue
            piece = sound[
                round(begin * HOP_S * rate) : round((stop * HOP_S + SOUND_FRAME_S) * rate)
            ]
            loud = levels[begin:stop].max() >= quiet + CLICK_ABOVE_DB
            kind = ""
            if seconds <= MAX_CLICK_S and loud:
                kind = "click"
            elif BREATH_S[0] <= seconds <= BREATH_S[1] and not _has_pitch(piece, rate):
                kind = "breath"
            if kind:
                yield PauseSound(kind, start + begin * HOP_S, start + stop * HOP_S + SOUND_FRAME_S)


def speech_power(recording: Recording, alignment: Alignment) -> float:
    """Return the mean power of the first minute of a recording's words, full scale at 1."""
    power, count = 0.0, 0
    for word in alignment.spoken:
        sound = recording.mono(*recording.samples_between(word.start, word.end))
        power += float(np.square(sound, dtype=np.float64).sum())
        count += len(sound)
        if count > 60.0 * recording.sample_rate:
            break
    return power / max(count, 1)


def is_quiet(recording: Recording, start: float, end: float, speech: float) -> bool:
    """Return whether no 0.1 s from ``start`` to ``end``, in seconds, is loud beside speech.

    Loud is what is above `QUIETER_DB` below the power ``speech`` (of full scale), without its
    constant part.
    """
    rate = recording.sample_rate
    size, block = round(LOUD_PIECE_S * rate), round(PAUSE_BLOCK_S * rate)
    first, last = recording.samples_between(start, end)
    limit = speech * 10 ** (-QUIETER_DB / 10)
    for begin in range(first, last, block):
        sound = recording.mono(begin, min(begin + block, last)).astype(np.float64)
        power = np.square(sound - sound.mean())
        pieces = np.add.reduceat(power, np.arange(0, len(power), size)) / size
        if pieces.max() > limit:
            return False
    return True


def _levels(sound: np.ndarray, rate: int) -> np.ndarray:
    """Return the frames' levels, (frames,) dB of full scale."""
    size, hop = round(SOUND_FRAME_S * rate), round(HOP_S * rate)
    starts = np.arange(0, len(sound) - size + 1, hop)
    total = np.concatenate([[0.0], np.cumsum(np.square(sound))])
    return np.asarray(10 * np.log10((total[starts + size] - total[starts]) / size + POWER_FLOOR))


def _runs(active: np.ndarray) -> Iterator[Span]:
    """Yield the runs [first, last) that are active, short gaps between them bridged."""
    spans: list[Span] = []
    for begin, stop in runs_of(active):
        if spans and (begin - spans[-1][1]) * HOP_S <= BRIDGED_S:
            spans[-1] = spans[-1][0], stop
        else:
            spans.append((begin, stop))
    yield from spans


def _has_pitch(sound: np.ndarray, rate: int) -> bool:
    size = min(len(sound), round(0.2 * rate))
    middle = (len(sound) - size) // 2
    piece = sound[middle : middle + size]
    spectrum = np.fft.rfft(piece * np.hanning(size), 2 * size)
    autocorrelation = np.fft.irfft(np.square(np.abs(spectrum)))
    lags = autocorrelation[round(rate / PITCH_HZ[1]) : round(rate / PITCH_HZ[0])]
    return bool(len(lags) and lags.max() > PITCHED * autocorrelation[0])
