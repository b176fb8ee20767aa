"""A cache of decoded waveforms: one flat memory map at 24 kHz, and an index.

``python -m training.waveforms CACHE`` decodes and resamples once; the vocoder's training then
reads random windows from it.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from a3t.errors import InputError
from training.corpora import Clip, corpora_root, read_corpora, split_of
from training.corpora.decoding import decode

SAMPLES = "samples.npy"
INDEX = "index.jsonl"


@dataclass(frozen=True)
class CachedWave:
    """One clip in the cache: ``start`` and ``length`` in samples at 24 kHz, ``rate`` its own."""

    name: str
    corpus: str
    speaker: str
    split: str
    rate: int
    start: int
    length: int


def prepare(clips: Iterable[Clip], folder: Path) -> None:
    """Write the cache of ``clips`` into ``folder``, the index last."""
    folder.mkdir(parents=True, exist_ok=True)
    entries: list[CachedWave] = []
    raw = folder / "samples.raw.tmp"
    total = 0
    with open(raw, "wb") as out:
        for clip in clips:
            samples, rate = decode(clip.path)
            samples.tofile(out)
            split = split_of(clip)
            entries.append(
                CachedWave(clip.name, clip.corpus, clip.speaker, split, rate, total, len(samples))
            )
            total += len(samples)
    header = np.lib.format.open_memmap(folder / SAMPLES, "w+", np.int16, (total,))
    header[:] = np.memmap(raw, np.int16, "r")
    header.flush()
    raw.unlink()
    index = folder / (INDEX + ".tmp")
    index.write_text("".join(json.dumps(asdict(entry)) + "\n" for entry in entries))
    os.replace(index, folder / INDEX)


class Waveforms:
    """A cache opened for reading: its ``entries``, and their samples as float32 in [-1, 1]."""

    def __init__(self, folder: Path | str, split: str | None = None) -> None:
        folder = Path(folder)
        if not (folder / INDEX).is_file():
            raise InputError(
                f"{folder} holds no prepared waveforms; "
                "make them with: python -m training.waveforms FOLDER"
            )
        lines = (folder / INDEX).read_text().splitlines()
        entries = [CachedWave(**json.loads(line)) for line in lines]
        self.entries = [entry for entry in entries if split in (None, entry.split)]
        self._samples = np.load(folder / SAMPLES, mmap_mode="r")

    def __len__(self) -> int:
        return len(self.entries)

    def read(self, entry: CachedWave, first: int = 0, count: int | None = None) -> np.ndarray:
        """Samples [first, first + count) of an entry (all of it by default), float32."""
        last = entry.length if count is None else min(entry.length, first + count)
        return self._samples[entry.start + first : entry.start + last].astype(np.float32) / 32768.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cache", type=Path, help="folder to write")
    parser.add_argument("--corpora", type=Path, help="folder of corpora (default: $A3T_CORPORA)")
    arguments = parser.parse_args()
    prepare(read_corpora(arguments.corpora or corpora_root()), arguments.cache)


if __name__ == "__main__":
    main()
