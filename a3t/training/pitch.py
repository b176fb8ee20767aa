"""The pitch of packed clips, for models that are told it: ``pitch.npy`` beside the features.

``python -m a3t.training.pitch WAVEFORMS FEATURES`` runs WORLD's DIO and StoneMask (Morise 2016) on
every clip. Frame t of a clip has its pitch at sample 300 t, the mel's own grid.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

import numpy as np
from tqdm import tqdm

from a3t.grid import HOP, SAMPLE_RATE
from a3t.training.features import PITCH, Features, Item
from a3t.training.waveforms import Entry, Waveforms

FLOOR, CEILING = 65.0, 500.0  # Hz, of read speech


def pitch(samples: np.ndarray, frames: int, speed: int = 1) -> np.ndarray:
    """log2 of F0 in Hz, 0 where there is no voice: (frames,) of mono samples (n,) at 24 kHz.

    ``speed``, 1 to 12, is DIO's own: how far it decimates before it searches.
    """
    import pyworld

    wave = np.asarray(samples, dtype=np.float64)
    period = 1000.0 * HOP / SAMPLE_RATE
    coarse, times = pyworld.dio(
        wave, SAMPLE_RATE, f0_floor=FLOOR, f0_ceil=CEILING, frame_period=period, speed=speed
    )
    hertz = pyworld.stonemask(wave, coarse, times, SAMPLE_RATE)
    hertz = np.pad(hertz, (0, max(0, frames - len(hertz))))[:frames]
    voiced = (hertz >= FLOOR / 1.2) & (hertz <= CEILING * 1.2)
    return np.where(voiced, np.log2(np.maximum(hertz, 1.0)), 0.0).astype(np.float32)


@cache
def _opened(folder: Path) -> tuple[Waveforms, dict[str, Entry]]:
    waveforms = Waveforms(folder)
    return waveforms, {entry.name: entry for entry in waveforms.entries}


def _of_item(job: tuple[Path, Item, int]) -> np.ndarray:
    """Worker: the pitch of one clip."""
    folder, item, speed = job
    waveforms, entries = _opened(folder)
    return pitch(waveforms.read(entries[item.name]), item.frames, speed)


def add_pitch(waveforms: Path, folder: Path, jobs: int = 2, speed: int = 1) -> None:
    """Write ``pitch.npy`` (all frames,) float16 into a folder of features."""
    features = Features.load(folder)
    missing = [item.name for item in features.items if item.name not in _opened(waveforms)[1]]
    if missing:
        raise ValueError(f"{missing[0]} is not among the waveforms: make the features of them")
    result = np.zeros(len(features.mel), np.float16)
    work = [(waveforms, item, speed) for item in features.items]
    with ProcessPoolExecutor(jobs) as pool:
        found = tqdm(pool.map(_of_item, work, chunksize=16), total=len(work), unit="clip")
        for item, values in zip(features.items, found, strict=True):
            result[item.first_frame : item.first_frame + item.frames] = values
    temporary = folder / "pitch.tmp.npy"
    np.save(temporary, result)
    temporary.replace(folder / PITCH)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("waveforms", type=Path)
    parser.add_argument("features", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--speed", type=int, default=1, help="4: five times as fast, 2 %% of the frames voiced else"
    )
    options = parser.parse_args()
    add_pitch(options.waveforms, options.features, options.jobs, options.speed)


if __name__ == "__main__":
    main()
