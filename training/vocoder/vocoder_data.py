"""Random windows of waveform for training the vocoder.

The batch of a step depends only on the seed and the step, so a resumed run sees exactly what an
uninterrupted one would have seen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from a3t.audio.analysis.mel import MAGNITUDE_FLOOR, log_mel
from a3t.errors import InputError
from a3t.grid import HOP, SAMPLE_RATE
from training.vocoder.waveforms import CachedWave, Waveforms

LOW = 125.0  # Hz: the median pitch of a low voice lies below
HOME = ("commonvoice", "speechocean")  # corpora that were recorded at home
LEAST_MEL = np.log10(MAGNITUDE_FLOOR)
HOME_TOP = 7000.0  # Hz: what codecs and microphones have left above is nothing to learn from


@dataclass(frozen=True)
class WaveBatch:
    """Windows: ``mel`` (B, T, 80), ``samples`` (B, 300 T), and ``top`` (B,), the highest known Hz.

    The mels of the first ``recorded`` windows are those of their samples, A3T filled the others.
    """

    mel: Tensor
    samples: Tensor
    top: Tensor
    recorded: int

    def to(self, device: str) -> WaveBatch:
        """Move to a device; from pinned memory without waiting for it."""
        return self._with(lambda x: x.to(device, non_blocking=True))

    def pin_memory(self) -> WaveBatch:
        """Pin the memory for copies to a GPU."""
        return self._with(Tensor.pin_memory)

    def _with(self, change: Callable[[Tensor], Tensor]) -> WaveBatch:
        return WaveBatch(change(self.mel), change(self.samples), change(self.top), self.recorded)


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
        filled: how many of the windows are of mels that A3T has filled (training.vocoder.filled).
    """

    frames: int = 64
    batch: int = 12
    speed: tuple[float, float] = (0.85, 1.18)
    gain_db: tuple[float, float] = (-15.0, 6.0)
    low_voices: float = 1.0
    home: float = 0.0
    filled: int = 0


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
        self._fills = Fills(waveforms, config.frames) if config.filled else None

    def __call__(self, step: int) -> WaveBatch:
        """Draw the batch of one step."""
        random = np.random.default_rng([self.seed, step])
        recorded = self.config.batch - self.config.filled
        windows, tops = zip(*(self._draw(random) for _ in range(recorded)), strict=True)
        samples = torch.from_numpy(np.stack(windows))
        # One frame more than needed is centred on the window's end; it belongs to the next block.
        mel = log_mel(samples)[:, : self.config.frames]
        if self._fills is None:
            return WaveBatch(mel, samples, torch.tensor(tops), recorded)
        fills = [self._draw_filled(self._fills, random) for _ in range(self.config.filled)]
        mels, others, known = zip(*fills, strict=True)
        return WaveBatch(
            torch.cat([mel, torch.from_numpy(np.stack(mels))]),
            torch.cat([samples, torch.from_numpy(np.stack(others))]),
            torch.tensor([*tops, *known]),
            recorded,
        )

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
        gain = self._gain(window, random)
        return (window * gain).astype(np.float32), min(_top(entry) * ratio, SAMPLE_RATE / 2)

    def _gain(self, window: np.ndarray, random: np.random.Generator) -> np.float32:
        gain = 10 ** (random.uniform(*self.config.gain_db) / 20)
        return np.float32(min(gain, 0.99 / max(float(np.abs(window).max()), 1e-4)))

    def _draw_filled(
        self, fills: Fills, random: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray, float]:
        entry, mel, first = fills.draw(random)
        window = self.waveforms.read(entry, first * HOP, len(mel) * HOP)
        gain = self._gain(window, random)
        louder = np.maximum(mel + np.log10(gain), LEAST_MEL).astype(np.float32)
        return louder, (window * gain).astype(np.float32), _top(entry)


class Fills:
    """Windows of the mels that A3T has filled. InputError if there are none so long."""

    def __init__(self, waveforms: Waveforms, frames: int) -> None:
        clips, self._mels = waveforms.filled()
        entries = {entry.name: entry for entry in waveforms.entries}
        self._frames = frames
        self._windows = [
            (entries[clip.name], clip.start, first, last)
            for clip in clips
            if clip.name in entries
            for first, last in clip.runs
            if last - first >= frames and last * HOP <= entries[clip.name].length
        ]
        if not self._windows:
            raise InputError(f"No clip in the cache has {frames} filled frames in a row.")

    def draw(self, random: np.random.Generator) -> tuple[CachedWave, np.ndarray, int]:
        """Draw a clip, a mel (T, 80) of its filled frames, and the first of these."""
        entry, start, first, last = self._windows[int(random.integers(len(self._windows)))]
        at = int(random.integers(first, last - self._frames + 1))
        mel = self._mels[start + at : start + at + self._frames]
        return entry, mel.astype(np.float32), at


def _top(entry: CachedWave) -> float:
    """Return the highest Hz that a recording tells of."""
    return HOME_TOP if entry.corpus in HOME else min(entry.rate, SAMPLE_RATE) / 2


def _resampled(window: np.ndarray, length: int) -> np.ndarray:
    """Resample a window (n,) to (length,) samples, by its Fourier transform."""
    spectrum = np.fft.rfft(window)
    changed = np.zeros(length // 2 + 1, complex)
    kept = min(len(spectrum), len(changed))
    changed[:kept] = spectrum[:kept]
    return np.asarray(np.fft.irfft(changed, length) * (length / len(window)))


def _weights(entries: list[CachedWave]) -> np.ndarray:
    """Return the weight of each clip: its length, over the square root of its corpus's length."""
    lengths = np.array([entry.length for entry in entries], float)
    corpora = np.array([entry.corpus for entry in entries])
    weights = lengths.copy()
    for corpus in np.unique(corpora):
        inside = corpora == corpus
        weights[inside] /= np.sqrt(lengths[inside].sum())
    return weights
