"""Random windows of waveform for training the vocoder.

The batch of a step depends only on the seed and the step, so a resumed run sees exactly what an
uninterrupted one would have seen.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from a3t.audio.analysis.mel import log_mel
from a3t.errors import InputError
from a3t.grid import HOP, SAMPLE_RATE
from training.vocoder.waveforms import CachedWave, Waveforms

LOW = 125.0  # Hz: the median pitch of a low voice lies below
HOME = ("commonvoice", "speechocean")  # corpora that were recorded at home
HOME_TOP = 7000.0  # Hz: what codecs and microphones have left above is nothing to learn from


@dataclass(frozen=True)
class WaveBatch:
    """``mel`` (B, T, 80), ``samples`` (B, 300 T), and ``top`` (B,): the highest known Hz."""

    mel: Tensor
    samples: Tensor
    top: Tensor


@dataclass(frozen=True)
class WindowConfig:
    """The ``data:`` part of a vocoder's configuration.

    Args:
        frames: of a window.
        batch: windows in a batch.
        speed: range of resampling ratios (pitch and formants move together: more voices than
            there are speakers), used for half the windows.
        gain_db: range of gains.
        low_voices: how many times as often clips of voices below 125 Hz are drawn as their lengths
            say. In them the harmonics are close, and hardest to tell from a mel.
        home: the same for clips of corpora that were recorded at home; with 0, none.
    """

    frames: int = 64
    batch: int = 12
    speed: tuple[float, float] = (0.85, 1.18)
    gain_db: tuple[float, float] = (-15.0, 6.0)
    low_voices: float = 1.0
    home: float = 0.0


class Windows:
    """Random windows of waveform. InputError if no clip is long enough."""

    def __init__(self, waveforms: Waveforms, config: WindowConfig, seed: int = 0) -> None:
        self.waveforms, self.config, self.seed = waveforms, config, seed
        longest = int(config.frames * HOP * max(config.speed[1], 1.0)) + 1
        self.entries = [
            entry
            for entry in waveforms.entries
            if entry.length > longest and (config.home or entry.corpus not in HOME)
        ]
        if not self.entries:
            raise InputError(f"No clip in the cache is longer than {longest} samples.")
        weights = _weights(self.entries)
        weights[[entry.corpus in HOME for entry in self.entries]] *= config.home
        if config.low_voices != 1.0:
            pitches = waveforms.pitches()
            weights[[pitches[entry.voice] < LOW for entry in self.entries]] *= config.low_voices
        self._cumulative = np.cumsum(weights)

    def __call__(self, step: int) -> WaveBatch:
        """The batch of one step."""
        random = np.random.default_rng([self.seed, step])
        windows, tops = zip(*(self._draw(random) for _ in range(self.config.batch)), strict=True)
        samples = torch.from_numpy(np.stack(windows))
        # One frame more than needed is centred on the window's end; it belongs to the next block.
        mel = log_mel(samples)[:, : self.config.frames]
        return WaveBatch(mel, samples, torch.tensor(tops))

    def _draw(self, random: np.random.Generator) -> tuple[np.ndarray, float]:
        place = random.random() * self._cumulative[-1]
        entry = self.entries[int(np.searchsorted(self._cumulative, place, side="right"))]
        ratio = random.uniform(*self.config.speed) if random.random() < 0.5 else 1.0
        length = self.config.frames * HOP
        count = round(length * ratio)
        first = int(random.integers(0, entry.length - count + 1))
        window = self.waveforms.read(entry, first, count)
        if ratio != 1.0:
            window = _resampled(window, length)
        gain = 10 ** (random.uniform(*self.config.gain_db) / 20)
        gain = min(gain, 0.99 / max(float(np.abs(window).max()), 1e-4))
        top = HOME_TOP if entry.corpus in HOME else min(entry.rate, SAMPLE_RATE) / 2
        return (window * np.float32(gain)).astype(np.float32), min(top * ratio, SAMPLE_RATE / 2)


def _resampled(window: np.ndarray, length: int) -> np.ndarray:
    """A window (n,) as (length,) samples, by its Fourier transform."""
    spectrum = np.fft.rfft(window)
    changed = np.zeros(length // 2 + 1, complex)
    kept = min(len(spectrum), len(changed))
    changed[:kept] = spectrum[:kept]
    return np.asarray(np.fft.irfft(changed, length) * (length / len(window)))


def _weights(entries: list[CachedWave]) -> np.ndarray:
    """The weight of each clip: its length, over the square root of its corpus's length."""
    lengths = np.array([entry.length for entry in entries], float)
    corpora = np.array([entry.corpus for entry in entries])
    weights = lengths.copy()
    for corpus in np.unique(corpora):
        inside = corpora == corpus
        weights[inside] /= np.sqrt(lengths[inside].sum())
    return weights
