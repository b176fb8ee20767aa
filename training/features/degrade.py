"""Speech as rooms, lines and machines leave it: degraded copies of what a model trains on.

``python -m training.extract --degraded N`` stores the mel of N of them beside each training
clip's own, frame for frame. A crop of one has the same noise, room and band in what is shown and
in what is to be filled, so that a model learns to go on with its surroundings. Made once, they cost
the training loop nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from a3t.audio.analysis.mel import log_mel
from training.corpora.decoding import decode_floats
from training.features.sounds import (
    band,
    clipped,
    coloured_noise,
    companded,
    hum,
    music,
    reverberant,
    with_noise,
)

Floats = np.ndarray

# How often each happens to a copy, by itself.
ROOM, NOISE, MUSIC, BABBLE, BAND, CLIPPING = 0.35, 0.5, 0.1, 0.1, 0.35, 0.12


def degraded(
    samples: Floats,
    rng: np.random.Generator,
    babble: Callable[[int, np.random.Generator], Floats] | None = None,
) -> Floats:
    """Record these samples (n,) at 24 kHz under worse conditions, (n,), nothing shifted.

    In the order in which it happens: a room, other sounds, a microphone that overloads, a line.
    ``babble`` makes other people's speech (n,) where it is wanted. 16-bit rounding ends it, as it
    ends most recordings.
    """
    wave = np.asarray(samples, np.float64)
    if rng.random() < ROOM:
        wave = reverberant(wave, rng, rng.uniform(0.15, 0.9), rng.uniform(-4.0, 12.0))
    if rng.random() < NOISE:
        noise = coloured_noise(len(wave), rng, slope=rng.uniform(-7.0, 2.0))
        if rng.random() < 0.2:
            noise = noise + rng.uniform(0.2, 1.0) * hum(len(wave), rng)
        wave = with_noise(wave, noise, rng.uniform(3.0, 32.0))
    if rng.random() < MUSIC:
        wave = with_noise(wave, music(len(wave), rng), rng.uniform(3.0, 20.0))
    if babble is not None and rng.random() < BABBLE:
        wave = with_noise(wave, babble(len(wave), rng), rng.uniform(6.0, 24.0))
    if rng.random() < CLIPPING:
        wave = clipped(wave, rng.uniform(0.08, 0.5))
    if rng.random() < BAND:
        wave = _line(wave, rng)
    peak = float(np.abs(wave).max(initial=0.0))
    if peak > 1.0:
        wave = wave / peak
    return (np.round(wave * 32767) / 32768).astype(np.float32)


def _line(wave: Floats, rng: np.random.Generator) -> Floats:
    kind = rng.random()
    if kind < 0.4:  # a telephone's
        wave = band(wave, rng.uniform(180.0, 420.0), rng.uniform(2900.0, 3800.0))
        return companded(wave) if rng.random() < 0.5 else wave
    if kind < 0.7:  # a low sampling rate, an old tape
        return band(wave, None, rng.uniform(2500.0, 7500.0))
    return band(wave, rng.uniform(70.0, 350.0), None)  # a small microphone, a low cut


def babble_of(sounds: Sequence[Path]) -> Callable[[int, np.random.Generator], Floats]:
    """Mix four voices, of recordings that training may hear, each as loud as the others."""

    def babble(count: int, rng: np.random.Generator) -> Floats:
        total = np.zeros(count)
        for place in rng.integers(len(sounds), size=4):
            voice, _ = decode_floats(sounds[place])
            total += np.resize(voice / max(1e-4, float(voice.std())), count)
        return total

    return babble


def degraded_mels(
    name: str, samples: Floats, copies: int, others: Sequence[Path] = ()
) -> list[np.ndarray]:
    """Return log10 mels (T, 80) of so many degraded copies of a clip; its name decides them."""
    found = []
    for number in range(1, copies + 1):
        digest = hashlib.sha256(f"{name} {number}".encode()).digest()
        rng = np.random.default_rng(int.from_bytes(digest[:8], "big"))
        babble = babble_of(others) if others else None
        found.append(log_mel(degraded(samples, rng, babble)).numpy())
    return found
