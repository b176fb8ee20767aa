"""Augmentation of voices: the same change to a crop's context and its target."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from a3t.audio.analysis.mel import FMAX_HZ, FMIN_HZ, MELS, hz_to_mel, mel_to_hz
from training.features.corpus_batches import DataConfig

BENT = (1000.0, 2500.0)  # Hz, between which a bend begins: harmonics stay multiples of the pitch


@dataclass(frozen=True)
class Augment:
    """Random changes of a log10 mel, drawn once per crop.

    Args:
        warp: widest factor by which the frequency axis is stretched (0.12: 0.89 to 1.12).
        gain: standard deviation of the level, in log10 units (0.15 is 3 dB).
        bend: widest factor by which what is above 2.5 kHz is moved once more.
        tilt: standard deviation of a line from the lowest to the highest bin, in log10 units.
        equaliser: standard deviation of a smooth curve over the bins, in log10 units.
        odds: share of crops that are warped, tilted and equalised; the level always varies.
    """

    warp: float = 0.12
    gain: float = 0.15
    bend: float = 0.0
    tilt: float = 0.15
    equaliser: float = 0.0
    odds: float = 0.6

    def __call__(self, mel: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, float]:
        """Change a mel, (T, 80) -> (T, 80); return the factor by which its pitch has risen too."""
        factor = 1.0
        mel = mel + np.float32(rng.normal(0.0, self.gain))
        if rng.random() < self.odds:
            factor = _factor(self.warp, rng)
            bend = _factor(self.bend, rng) if self.bend else 1.0
            mel = warp_frequency(mel, factor, bend)
        if rng.random() < self.odds:
            mel = mel + np.linspace(-0.5, 0.5, MELS, dtype=np.float32) * np.float32(
                rng.normal(0.0, self.tilt)
            )
        if self.equaliser and rng.random() < self.odds:
            mel = mel + smooth_curve(self.equaliser, rng)
        return mel, factor


def augment_of(data: DataConfig) -> Augment | None:
    """Return the augmentation of a configuration's part ``data``, if it has one."""
    return None if data.augment is None else Augment(**data.augment)


def _factor(widest: float, rng: np.random.Generator) -> float:
    """Draw between 1 / (1 + widest) and 1 + widest, evenly in logarithms."""
    return float(np.exp(rng.uniform(-1.0, 1.0) * np.log1p(widest)))


def smooth_curve(deviation: float, rng: np.random.Generator) -> np.ndarray:
    """Draw a random sum of the bins' first five cosines, (80,), with this standard deviation.

    It is what microphones, rooms and throats differ by.
    """
    orders = np.arange(1, 6)
    waves = np.cos(np.pi * orders[:, None] * (np.arange(MELS) + 0.5) / MELS)
    heights = rng.normal(size=len(orders)) / np.sqrt(orders)
    return np.asarray(deviation / np.sqrt((0.5 / orders).sum()) * heights @ waves, np.float32)


def warp_frequency(mel: np.ndarray, factor: float, bend: float = 1.0) -> np.ndarray:
    """Move what is at frequency f to factor × f, pitch and formants alike; (T, 80) -> (T, 80).

    What is above 2.5 kHz moves to factor × bend × f.
    """
    limits = hz_to_mel(np.array([FMIN_HZ, FMAX_HZ]))
    centres = np.linspace(limits[0], limits[1], MELS + 2)[1:-1]
    hertz = mel_to_hz(centres)
    share = np.clip((hertz - BENT[0]) / (BENT[1] - BENT[0]), 0.0, 1.0)
    wanted = hz_to_mel(hertz / (factor * bend**share))
    place = np.clip((wanted - centres[0]) / (centres[1] - centres[0]), 0.0, MELS - 1.0)
    low = np.minimum(place.astype(int), MELS - 2)
    part = (place - low).astype(np.float32)
    return mel[:, low] * (1 - part) + mel[:, low + 1] * part
