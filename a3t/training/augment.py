"""Augmentation of voices: the same change to a crop's context and its target."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from a3t.audio.mel import FMAX, FMIN, MELS, hz_to_mel, mel_to_hz


@dataclass(frozen=True)
class Augment:
    """Random changes of a log10 mel, drawn once per crop.

    Args:
        warp: widest factor by which the frequency axis is stretched (0.12: 0.89 to 1.12).
        gain: standard deviation of the level, in log10 units (0.15 is 3 dB).
        tilt: standard deviation of a line from the lowest to the highest bin, in log10 units.
        odds: share of crops that are warped and tilted; the level always varies.
    """

    warp: float = 0.12
    gain: float = 0.15
    tilt: float = 0.15
    odds: float = 0.6

    def __call__(self, mel: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, float]:
        """(T, 80) -> (T, 80), and the factor by which its pitch has risen."""
        factor = 1.0
        mel = mel + np.float32(rng.normal(0.0, self.gain))
        if rng.random() < self.odds:
            factor = float(np.exp(rng.uniform(-1.0, 1.0) * np.log1p(self.warp)))
            mel = warp_frequency(mel, factor)
        if rng.random() < self.odds:
            mel = mel + np.linspace(-0.5, 0.5, MELS, dtype=np.float32) * np.float32(
                rng.normal(0.0, self.tilt)
            )
        return mel, factor


def warp_frequency(mel: np.ndarray, factor: float) -> np.ndarray:
    """Move what is at frequency f to factor × f, pitch and formants alike; (T, 80) -> (T, 80)."""
    limits = hz_to_mel(np.array([FMIN, FMAX]))
    centres = np.linspace(limits[0], limits[1], MELS + 2)[1:-1]
    wanted = hz_to_mel(mel_to_hz(centres) / factor)
    place = np.clip((wanted - centres[0]) / (centres[1] - centres[0]), 0.0, MELS - 1.0)
    low = np.minimum(place.astype(int), MELS - 2)
    part = (place - low).astype(np.float32)
    return mel[:, low] * (1 - part) + mel[:, low + 1] * part
