"""Noise, rooms, music, levels and rates as recordings have them; reproducible to the sample."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from alignment.network.phone_network import SAMPLE_RATE_HZ

Distortion = Callable[[np.ndarray, int], tuple[np.ndarray, int]]


def noise(decibels: float) -> Distortion:
    """Pink noise, `decibels` below the speech; the same noise for the same number of samples."""

    def add(samples: np.ndarray, rate: int) -> tuple[np.ndarray, int]:
        n = len(samples)
        spectrum = np.fft.rfft(np.random.default_rng(n).standard_normal(n))
        pink = np.fft.irfft(spectrum / np.sqrt(np.maximum(np.arange(len(spectrum)), 1.0)), n)
        level = np.sqrt(np.mean(samples**2) / np.mean(pink**2)) * 10 ** (-decibels / 20)
        return (samples + level * pink).astype(np.float32), rate

    return add


def room(samples: np.ndarray, rate: int) -> tuple[np.ndarray, int]:
    """Direct sound and a diffuse tail of equal energy, 60 dB down after 0.4 s."""
    time_axis = np.arange(round(0.4 * rate)) / rate
    tail = np.random.default_rng(7).standard_normal(len(time_axis)) * 10 ** (-3 * time_axis / 0.4)
    tail[: round(0.002 * rate)] = 0.0
    response = tail / np.sqrt(np.sum(tail**2))
    response[0] = 1.0
    size = len(samples) + len(response)
    product = np.fft.rfft(samples, size) * np.fft.rfft(response, size)
    return np.fft.irfft(product, size)[: len(samples)].astype(np.float32), rate


def at_rate(target: int) -> Distortion:
    def resample(samples: np.ndarray, rate: int) -> tuple[np.ndarray, int]:
        import soxr

        return soxr.resample(samples, rate, target, quality="HQ"), target

    return resample


CONDITIONS: dict[str, Distortion] = {
    "clean": lambda samples, rate: (samples, rate),
    "noise 20 dB": noise(20),
    "noise 10 dB": noise(10),
    "noise 5 dB": noise(5),
    "room": room,
    "gain 8": lambda samples, rate: (samples * 8, rate),
    "gain 1/8": lambda samples, rate: (samples / 8, rate),
    "48 kHz": at_rate(48_000),
    "44.1 kHz": at_rate(44_100),
    "24 kHz": at_rate(24_000),
    "22.05 kHz": at_rate(22_050),
}


def music(count: int, random: np.random.Generator) -> np.ndarray:
    """Chords of three to five tones with harmonics, one or two a second, a bass and a beat."""
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
