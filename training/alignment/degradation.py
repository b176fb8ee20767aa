"""Clean recordings degraded as real ones are: rooms, noise, music, other talkers, narrow bands.

Everything works on the power of mel bands every 5 ms (alignment.network.phone_network.band_power),
where a second of speech costs microseconds to degrade: powers of independent sounds add, a diffuse
tail is a decay in each band, another pace and another vocal tract are other positions in time and
frequency. So each epoch hears every clip otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from alignment.network.phone_network import (
    BANDS,
    HOP,
    RATE,
    band_edges,
    band_power,
    between,
    with_tract,
)

FRAMES_PER_SECOND = RATE / HOP

TRACT = 0.12  # the logarithm of a vocal tract's length against another's, at most
SLOWER, FASTER = 0.2, 0.25  # likewise for the pace

SILENCE = 1e-9  # power below which nothing is left, of the loudest band's


CENTRES = band_edges()[1:-1]
"""Hz of each band, (BANDS,)."""


@dataclass(frozen=True, slots=True)
class Backgrounds:
    """Powers (K, BANDS) of sounds that are not speech, each at least as long as a segment."""

    noise: np.ndarray
    music: np.ndarray

    @classmethod
    def synthesised(cls, seconds: float, random: np.random.Generator) -> Backgrounds:
        """White noise, and chords with beats; their level is left to `degraded`."""
        count = round(seconds * RATE)
        white = random.standard_normal(count).astype(np.float32)
        return cls(band_power(white), band_power(music(count, random)))


def music(count: int, random: np.random.Generator) -> np.ndarray:
    """Chords of three to five tones with harmonics, one or two a second, a bass and a beat."""
    time = np.arange(count) / RATE
    result = np.zeros(count, np.float32)
    at = 0.0
    while at < count / RATE:
        length = random.uniform(0.3, 1.2)
        inside = slice(round(at * RATE), round((at + length) * RATE))
        clock = time[inside] - at
        root = 55 * 2 ** (random.integers(0, 24) / 12)
        for _ in range(random.integers(3, 6)):
            pitch = root * 2 ** (random.choice([0, 3, 4, 7, 10, 12, 16, 19, 24]) / 12)
            fading = np.exp(-clock * random.uniform(0.5, 6.0))
            for harmonic in range(1, random.integers(4, 16)):
                if pitch * harmonic < RATE / 2:
                    loud = fading / harmonic ** random.uniform(0.7, 1.6)
                    phase = random.uniform(0, 6.28)
                    result[inside] += loud * np.sin(6.2832 * pitch * harmonic * clock + phase)
        if random.random() < 0.6:
            beat = random.standard_normal(len(clock)) * np.exp(-clock * random.uniform(15, 60))
            result[inside] += (beat * random.uniform(0.3, 2.0)).astype(np.float32)
        at += length
    return result


def stretched(
    power: np.ndarray, edges: np.ndarray, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """The same speech by another tract at another pace; `power` (K, BANDS), `edges` seconds."""
    pace = float(np.exp(random.uniform(-SLOWER, FASTER)))
    tract = float(np.exp(random.uniform(-TRACT, TRACT)))
    logarithms = np.log(power)
    places = np.arange(max(round(len(power) / pace), 2)) * pace
    return np.exp(with_tract(between(logarithms, places), tract)), edges / pace


def degraded(
    power: np.ndarray,
    backgrounds: Backgrounds,
    talker: np.ndarray,
    random: np.random.Generator,
) -> np.ndarray:
    """`power` (K, BANDS) of speech with some of: a room, a background, a narrow band.

    `talker` (K, BANDS): what another person says meanwhile.
    """
    result = power
    if random.random() < 0.35:
        result = _in_a_room(result, random)
    speech = float(np.mean(result.sum(axis=1)))
    if random.random() < 0.7:
        kind = random.random()
        if kind < 0.55:
            other = _excerpt(backgrounds.noise, len(result), random) * _colour(random)
            decibels = random.uniform(-2, 28)
        elif kind < 0.75:
            other, decibels = talker, random.uniform(0, 22)
        else:
            other = _excerpt(backgrounds.music, len(result), random)
            decibels = random.uniform(-2, 22)
        level = speech / max(float(np.mean(other.sum(axis=1))), 1e-20) * 10 ** (-decibels / 10)
        result = result + other * np.float32(level)
    if random.random() < 0.3:
        low = random.uniform(150, 400) if random.random() < 0.5 else 0.0
        high = random.uniform(3000, 7000) if random.random() < 0.7 else RATE
        kept = (low <= CENTRES) & (high >= CENTRES)
        result = result * np.where(kept, 1.0, 1e-6).astype(np.float32)
    return result


def _excerpt(power: np.ndarray, count: int, random: np.random.Generator) -> np.ndarray:
    start = random.integers(0, max(len(power) - count, 1))
    return np.resize(power[start : start + count], (count, BANDS))


def _colour(random: np.random.Generator) -> np.ndarray:
    """Gains of the bands that make white noise pink, brown or something in between, (BANDS,)."""
    slope = random.uniform(-0.3, 2.0)
    gains = CENTRES**-slope
    if random.random() < 0.3:  # a hum or a hiss
        centre = random.choice(CENTRES)
        gains = gains * np.exp(-0.5 * (np.log(CENTRES / centre) / random.uniform(0.2, 1.0)) ** 2)
    return (gains / gains.mean()).astype(np.float32)


def _in_a_room(power: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """With a diffuse tail: T60 0.15 to 0.8 s, 6 dB above the direct sound to 12 dB below it."""
    from scipy.signal import lfilter

    decay = 10 ** (-6 / (random.uniform(0.15, 0.8) * FRAMES_PER_SECOND))
    ratio = 10 ** (-random.uniform(-6, 12) / 10)
    late = lfilter([ratio * (1 - decay)], [1, -decay], power, axis=0)
    # The first milliseconds of the tail fall in the frame itself.
    return (power + late).astype(np.float32)
