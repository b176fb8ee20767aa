"""Noise and music to put under speech, reproducible to the sample."""

from __future__ import annotations

import numpy as np

from alignment.network.phone_network import SAMPLE_RATE_HZ


def noisy(samples: np.ndarray, decibels: float) -> np.ndarray:
    """Add pink noise, so many dB below the speech (n,); the same for the same number of samples."""
    n = len(samples)
    spectrum = np.fft.rfft(np.random.default_rng(n).standard_normal(n))
    pink = np.fft.irfft(spectrum / np.sqrt(np.maximum(np.arange(len(spectrum)), 1.0)), n)
    level = np.sqrt(np.mean(samples**2) / np.mean(pink**2)) * 10 ** (-decibels / 20)
    return np.asarray(samples + level * pink, np.float32)


def music(count: int, random: np.random.Generator) -> np.ndarray:
    """Play chords of three to five tones with harmonics, one or two a second, a bass and a beat."""
    time = np.arange(count) / SAMPLE_RATE_HZ
    result = np.zeros(count, np.float32)
    at = 0.0
    while at < count / SAMPLE_RATE_HZ:
        length = random.uniform(0.3, 1.2)
        inside = slice(round(at * SAMPLE_RATE_HZ), round((at + length) * SAMPLE_RATE_HZ))
        clock = time[inside] - at
        root = 55 * 2 ** (random.integers(0, 24) / 12)
        for _ in range(random.integers(3, 6)):
            pitch = root * 2 ** (random.choice([0, 3, 4, 7, 10, 12, 16, 19, 24]) / 12)
            fading = np.exp(-clock * random.uniform(0.5, 6.0))
            for harmonic in range(1, random.integers(4, 16)):
                if pitch * harmonic < SAMPLE_RATE_HZ / 2:
                    loud = fading / harmonic ** random.uniform(0.7, 1.6)
                    phase = random.uniform(0, 6.28)
                    result[inside] += loud * np.sin(6.2832 * pitch * harmonic * clock + phase)
        if random.random() < 0.6:
            beat = random.standard_normal(len(clock)) * np.exp(-clock * random.uniform(15, 60))
            result[inside] += (beat * random.uniform(0.3, 2.0)).astype(np.float32)
        at += length
    return result
