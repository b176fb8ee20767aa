"""Speech as rooms, lines and machines leave it: degraded copies of what a model trains on.

``python -m a3t.training.degrade WAVEFORMS FEATURES`` writes ``mel-degraded-K.npy`` beside the mel
of packed features (`a3t.training.extract`), frame for frame the same clips. A crop of one has the
same noise, room and band in what is shown and in what is to be filled, so that a model learns to
go on with its surroundings. Made once, they cost the training loop nothing.
"""

from __future__ import annotations

import argparse
import hashlib
from functools import cache
from pathlib import Path

import numpy as np
from tqdm import tqdm

from a3t.audio.mel import log_mel
from a3t.training.features import Features, Item, degraded_mel
from a3t.training.sounds import (
    band,
    clipped,
    coloured_noise,
    companded,
    hum,
    music,
    reverberant,
    with_noise,
)
from a3t.training.waveforms import Entry, Waveforms
from a3t.training.workers import by_workers

Floats = np.ndarray

# How often each happens to a copy, by itself.
ROOM, NOISE, MUSIC, BABBLE, BAND, CLIPPING = 0.35, 0.5, 0.1, 0.1, 0.35, 0.12


def degraded(samples: Floats, rng: np.random.Generator, babble: Floats | None = None) -> Floats:
    """A recording of these samples (n,) at 24 kHz under worse conditions, (n,), nothing shifted.

    In the order in which it happens: a room, other sounds, a microphone that overloads, a line.
    ``babble`` (n,) is other people's speech. 16-bit rounding ends it, as it ends most recordings.
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
        wave = with_noise(wave, babble, rng.uniform(6.0, 24.0))
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


@cache
def _opened(folder: Path) -> tuple[Waveforms, dict[str, Entry]]:
    waveforms = Waveforms(folder)
    return waveforms, {entry.name: entry for entry in waveforms.entries}


def _of_item(job: tuple[Path, Item, int]) -> np.ndarray:
    """Worker: the mel of a clip's degraded copy of this number."""
    folder, item, number = job
    waveforms, entries = _opened(folder)
    digest = hashlib.sha256(f"{item.name} {number}".encode()).digest()
    rng = np.random.default_rng(int.from_bytes(digest[:8], "big"))
    samples = waveforms.read(entries[item.name])
    babble = np.zeros(len(samples))
    for _ in range(4):
        other = waveforms.entries[int(rng.integers(len(waveforms.entries)))]
        if other.split == "train":  # nobody hears what is held out, not even from afar
            voice = waveforms.read(other)
            babble += np.resize(voice / max(1e-4, float(voice.std())), len(samples))
    mel: np.ndarray = log_mel(degraded(samples, rng, babble if babble.any() else None)).numpy()
    return mel[: item.frames].astype(np.float16)


def add_degraded(waveforms: Path, folder: Path, copies: int, jobs: int = 2) -> None:
    """Write ``copies`` degraded mels, (all frames, 80) float16 each, into a folder of features."""
    features = Features.load(folder)
    for number in range(1, copies + 1):
        path = degraded_mel(folder, number)
        if path.exists():
            continue
        temporary = path.with_suffix(".tmp.npy")
        result = np.lib.format.open_memmap(temporary, "w+", np.float16, features.mel.shape)
        work = [(waveforms, item, number) for item in features.items]
        found = tqdm(by_workers(_of_item, work, jobs), total=len(work), unit="clip")
        for item, mel in zip(features.items, found, strict=True):
            result[item.first_frame : item.first_frame + item.frames] = mel
        result.flush()
        temporary.replace(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("waveforms", type=Path)
    parser.add_argument("features", type=Path)
    parser.add_argument("--copies", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    add_degraded(options.waveforms, options.features, options.copies, options.jobs)


if __name__ == "__main__":
    main()
