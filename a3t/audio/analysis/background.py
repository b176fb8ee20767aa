"""Detect music under the speech: an edit can continue a steady tone and a room's noise, not music.

What is heard in the pauses nearest a place tells it: sound that is there all the time, loud beside
the speech, and made of tones, once those are taken off that are steady enough to be carried on, and
a hum that isn't: a motor's may waver, but it stays.
"""

from __future__ import annotations

import numpy as np

from a3t.audio.analysis.room_tone import pauses_near
from a3t.audio.analysis.steady_tones import find_steady_tones
from a3t.audio.reading.formats import to_float
from a3t.audio.reading.recording import Recording
from alignment import Alignment

FRAME = 0.08  # seconds
BAND = (100.0, 4000.0)  # Hz
BESIDE = 150.0  # Hz on either side of a bin, which a tone stands out of
CLEARLY = 4.0  # times the median
TONAL = 0.5  # of the power that must be in tones; of noise a quarter is
AUDIBLE = -30.0  # dB beside the speech; chosen with the line before (docs/log.md)
ALWAYS = 0.25  # of the frames may be quieter
LEAST_FRAMES = 4
HUM = 300.0  # Hz; a tone below, in at least …
HUMMING = 0.8  # … of the frames, is a machine's: music's come and go


def music_under(recording: Recording, alignment: Alignment, first: int, last: int) -> float | None:
    """The level, dB beside the speech, of music that goes on around samples [first, last); None if
    there is none, or no pause to hear it in."""
    rate = recording.sample_rate
    steady = find_steady_tones(recording, first, last)
    pauses = pauses_near(alignment, recording, (first + last) // 2)
    found = [
        _frames(steady.without(to_float(recording.read(*pause))).mean(axis=1), rate)
        for pause in pauses
    ]
    frames = np.concatenate(found) if found else np.empty((0, 0))
    if len(frames) < LEAST_FRAMES:
        return None
    tonal = _tonal(frames)
    others = ~_hum(tonal, rate)
    powers = frames[:, others].sum(axis=1)
    shares = (frames * tonal)[:, others].sum(axis=1) / np.maximum(powers, 1e-20)
    level = 10 * np.log10(np.quantile(powers, ALWAYS) + 1e-20) - _speech_level(
        recording, alignment, (first + last) / 2 / rate
    )
    return float(level) if level > AUDIBLE and np.median(shares) > TONAL else None


def _frames(sound: np.ndarray, rate: int) -> np.ndarray:
    """(frames, bins): power in BAND."""
    size = round(FRAME * rate)
    starts = range(0, len(sound) - size + 1, size // 2)
    hertz = np.fft.rfftfreq(size, 1 / rate)
    inside = (hertz >= BAND[0]) & (hertz <= BAND[1])
    window = np.hanning(size)
    spectra = [np.fft.rfft((sound[k : k + size]) * window)[inside] for k in starts]
    return np.square(np.abs(np.array(spectra).reshape(-1, int(inside.sum()))))


def _tonal(power: np.ndarray) -> np.ndarray:
    """(frames, bins): whether a frame's power stands out of its neighbourhood there."""
    reach = max(round(BESIDE * FRAME), 1)
    near = np.lib.stride_tricks.sliding_window_view(
        np.pad(power, [(0, 0), (reach, reach)], mode="reflect"), 2 * reach + 1, axis=1
    )
    return np.asarray(power > CLEARLY * np.median(near, axis=2))


def _hum(tonal: np.ndarray, rate: int) -> np.ndarray:
    """(bins,): where a low tone stands nearly all the time: a machine's, and not quite steady."""
    size = round(FRAME * rate)
    hertz = np.fft.rfftfreq(size, 1 / rate)
    hertz = hertz[(hertz >= BAND[0]) & (hertz <= BAND[1])]
    return np.asarray((tonal.mean(axis=0) >= HUMMING) & (hertz < HUM))


def _speech_level(recording: Recording, alignment: Alignment, near: float) -> float:
    """The mean power of the frames of the words within five seconds, in dB."""
    rate = recording.sample_rate
    words = [word for word in alignment.spoken if abs(word.start - near) < 5.0]
    powers = [
        float(frame.sum())
        for word in words or alignment.spoken[:20]
        for frame in _frames(recording.mono(*recording.samples_between(word.start, word.end)), rate)
    ]
    return float(10 * np.log10(np.mean(powers or [1e-20]) + 1e-20))
