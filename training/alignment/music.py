"""Music as a background: made, not recorded."""

from __future__ import annotations

import numpy as np

from alignment.network.phone_network import RATE


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
