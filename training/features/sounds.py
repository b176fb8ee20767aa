"""Noise, rooms, bands, clipping and music to degrade speech with; mono float arrays at 24 kHz.

Each keeps the length of what it is given and shifts nothing, so that an alignment stays true.
"""

from __future__ import annotations

import numpy as np
from scipy.signal import butter, fftconvolve, sosfilt, sosfiltfilt

from a3t.grid import SAMPLE_RATE

Floats = np.ndarray

ACTIVE = 40.0  # dB below the loudest 20 ms, above which a recording counts as speech


def speech_level(samples: Floats) -> float:
    """Return the RMS of the 20 ms that are at most `ACTIVE` dB below the loudest; 0 for silence."""
    step = SAMPLE_RATE // 50
    blocks = np.resize(samples, (max(1, len(samples) // step), step))
    powers = np.square(blocks, dtype=np.float64).mean(axis=1)
    loud = powers[powers >= powers.max() * 10 ** (-ACTIVE / 10)]
    return float(np.sqrt(loud.mean()))


def with_noise(samples: Floats, noise: Floats, ratio: float) -> Floats:
    """Add noise (n,) to samples (n,), ``ratio`` dB below the speech's level."""
    power = float(np.square(noise, dtype=np.float64).mean())
    if power == 0:
        return samples
    wanted = speech_level(samples) * 10 ** (-ratio / 20)
    return samples + noise * (wanted / np.sqrt(power))


def coloured_noise(count: int, rng: np.random.Generator, slope: float) -> Floats:
    """Draw Gaussian noise (count,) that falls by ``slope`` dB an octave: 0 white, -3 pink."""
    spectrum = np.fft.rfft(rng.standard_normal(count))
    hertz = np.fft.rfftfreq(count, 1 / SAMPLE_RATE)
    # Level below 40 Hz, where nothing is heard.
    spectrum *= np.maximum(hertz, 40.0) ** (slope / (20 * np.log10(2.0)))
    noise: Floats = np.fft.irfft(spectrum, count)
    return noise / max(1e-12, float(noise.std()))


def hum(count: int, rng: np.random.Generator) -> Floats:
    """Make the mains: 50 or 60 Hz and its harmonics, (count,), of RMS 1."""
    time = np.arange(count) / SAMPLE_RATE
    base = float(rng.choice([50.0, 60.0]))
    wave = np.zeros(count)
    for k in range(1, 13):
        wave += rng.uniform(0, 1) / k * np.sin(2 * np.pi * (base * k * time + rng.random()))
    return wave / max(1e-12, float(wave.std()))


def reverberant(samples: Floats, rng: np.random.Generator, seconds: float, direct: float) -> Floats:
    """Put samples (n,) in a room whose sound falls by 60 dB in ``seconds``.

    The direct sound is ``direct`` dB above what the room adds. The room is noise that decays,
    sooner at the top, after a few milliseconds (Polack's model).
    """
    count = max(1, round(1.2 * seconds * SAMPLE_RATE))
    time = np.arange(count) / SAMPLE_RATE
    tail = rng.standard_normal(count) * 10 ** (-3 * time / seconds)
    dull = sosfilt(butter(1, 3000, fs=SAMPLE_RATE, output="sos"), tail)
    share = np.exp(-time / (seconds / 3))
    tail = tail * share + dull * (1 - share)
    tail[: round(rng.uniform(0.002, 0.02) * SAMPLE_RATE)] = 0.0
    energy = float(np.square(tail).sum())
    if energy > 0:
        tail *= np.sqrt(10 ** (-direct / 10) / energy)
    tail[0] = 1.0
    wave: Floats = fftconvolve(samples, tail)[: len(samples)]
    return wave * (speech_level(samples) / max(1e-9, speech_level(wave)))


def band(samples: Floats, low: float | None, high: float | None) -> Floats:
    """Keep the band between ``low`` and ``high`` Hz, by Butterworth filters without delay."""
    wave = samples
    if low is not None:
        wave = sosfiltfilt(butter(3, low, "highpass", fs=SAMPLE_RATE, output="sos"), wave)
    if high is not None and high < SAMPLE_RATE / 2:
        wave = sosfiltfilt(butter(6, high, fs=SAMPLE_RATE, output="sos"), wave)
    return np.asarray(wave)


def clipped(samples: Floats, share: float) -> Floats:
    """Cut off at ``share`` of the peak, and as loud as before."""
    ceiling = share * float(np.abs(samples).max(initial=0.0))
    wave = np.clip(samples, -ceiling, ceiling)
    return wave * (speech_level(samples) / max(1e-9, speech_level(wave)))


def companded(samples: Floats) -> Floats:
    """Pass samples through 8 bits of mu-law (ITU-T G.711) at their own full scale."""
    peak = max(1e-9, float(np.abs(samples).max(initial=0.0)))
    squeezed = np.sign(samples) * np.log1p(255 * np.abs(samples) / peak) / np.log(256)
    rounded = np.round(squeezed * 127) / 127
    return np.asarray(np.sign(rounded) * (256 ** np.abs(rounded) - 1) / 255 * peak)


def music(count: int, rng: np.random.Generator) -> Floats:
    """Make something like music, (count,), of RMS 1: chords that fade, a bass, a beat."""
    beat = round(60 / rng.uniform(70, 140) * SAMPLE_RATE)
    wave = np.zeros(count + 4 * beat)
    root = rng.uniform(90, 220)
    bright = rng.uniform(0.7, 2.0)
    drums = rng.random() < 0.5
    for place in range(0, count, beat):
        if (place // beat) % 2 == 0:
            degree = int(rng.choice([0, 3, 5, 7, 9]))
            chord = [degree - 12, degree, degree + int(rng.choice([3, 4])), degree + 7]
            for note in chord:
                pitch = root * 2 ** (note / 12)
                wave[place : place + 3 * beat] += _note(pitch, 3 * beat, bright, rng)
        pitch = root * 2 ** (int(rng.choice([12, 14, 15, 17, 19, 22, 24])) / 12)
        wave[place : place + beat] += 0.7 * _note(pitch, beat, bright, rng)
        if drums:
            length = beat // 2
            hit = rng.standard_normal(length) * np.exp(-np.arange(length) / (0.03 * SAMPLE_RATE))
            wave[place : place + length] += 0.6 * hit
    wave = wave[:count]
    return wave / max(1e-12, float(wave.std()))


def _note(pitch: float, count: int, bright: float, rng: np.random.Generator) -> Floats:
    time = np.arange(count) / SAMPLE_RATE
    wave = np.zeros(count)
    for k in range(1, min(20, int(9000 / pitch)) + 1):
        fade = np.exp(-time * (0.8 + 0.25 * k))
        wave += k**-bright * fade * np.sin(2 * np.pi * (pitch * k * time + rng.random()))
    rise = min(count, round(0.01 * SAMPLE_RATE))
    wave[:rise] *= np.linspace(0, 1, rise)
    return wave
