"""A cache of decoded waveforms: one flat memory map at 24 kHz, an index, and voices' pitches.

``python -m training.vocoder.waveforms CACHE`` decodes and resamples once; the vocoder's training
then reads random windows from it, with NumPy alone.
"""

from __future__ import annotations

import argparse
import json
import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from a3t.errors import InputError
from a3t.grid import HOP, SAMPLE_RATE
from training.programs import Program, option

if TYPE_CHECKING:
    from training.corpora import Clip

SAMPLES, INDEX, PITCHES = "samples.npy", "index.jsonl", "pitches.json"
MELS, PLACES = "filled.npy", "filled.jsonl"  # of training.vocoder.filled
PITCH_CLIPS, PITCH_SECONDS = 3, 8  # of a voice, that its pitch is measured in


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

    @property
    def voice(self) -> str:
        """The voice's name among all corpora's."""
        return f"{self.corpus}-{self.speaker}"


def prepare(clips: Iterable[Clip], folder: Path) -> None:
    """Write the cache of ``clips`` into ``folder``, the index last."""
    from training.corpora import split_of
    from training.corpora.decoding import decode

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
    (folder / PITCHES).write_text(json.dumps(measured_pitches(header, entries)))
    index = folder / (INDEX + ".tmp")
    index.write_text("".join(json.dumps(asdict(entry)) + "\n" for entry in entries))
    os.replace(index, folder / INDEX)


@dataclass(frozen=True)
class FilledClip:
    """Frames [start, start + frames) of the mels are the clip ``name``.

    Of these, ``runs`` of [first, last) are filled.
    """

    name: str
    start: int
    frames: int
    runs: Sequence[Sequence[int]]


class Waveforms:
    """A cache opened for reading: its ``entries``, and their samples as float32 in [-1, 1]."""

    def __init__(self, folder: Path | str, split: str | None = None) -> None:
        folder = Path(folder)
        if not (folder / INDEX).is_file():
            raise InputError(
                f"{folder} holds no prepared waveforms; "
                "make them with: python -m training.vocoder.waveforms FOLDER"
            )
        lines = (folder / INDEX).read_text().splitlines()
        entries = [CachedWave(**json.loads(line)) for line in lines]
        self.entries = [entry for entry in entries if split in (None, entry.split)]
        self._samples = np.load(folder / SAMPLES, mmap_mode="r")

        self._folder = folder

    def __len__(self) -> int:
        """Count the clips."""
        return len(self.entries)

    def pitches(self) -> dict[str, float]:
        """Return the median pitch in Hz of each voice, infinite if it was never voiced."""
        path = self._folder / PITCHES
        if not path.is_file():
            raise InputError(f"{path} is missing: make the waveforms again.")
        return {str(voice): float(hertz) for voice, hertz in json.loads(path.read_text()).items()}

    def filled(self) -> tuple[list[FilledClip], np.ndarray]:
        """Return the clips of which A3T has filled a part, and all their mels (N, 80), in a row."""
        path = self._folder / PLACES
        if not path.is_file():
            raise InputError(f"{path} is missing: python -m training.vocoder.filled makes it.")
        clips = [FilledClip(**json.loads(line)) for line in path.read_text().splitlines()]
        return clips, np.load(self._folder / MELS, mmap_mode="r")

    def read(self, entry: CachedWave, first: int = 0, count: int | None = None) -> np.ndarray:
        """Read samples [first, first + count) of an entry (all of it by default), float32."""
        last = entry.length if count is None else min(entry.length, first + count)
        return self._samples[entry.start + first : entry.start + last].astype(np.float32) / 32768.0


def measured_pitches(samples: np.ndarray, entries: Iterable[CachedWave]) -> dict[str, float]:
    """Return the median pitch in Hz of each voice, from some of its clips; infinite if unvoiced."""
    from a3t.audio.analysis.world_pitch import log_pitch

    voices: dict[str, list[CachedWave]] = {}
    for entry in entries:
        voices.setdefault(entry.voice, []).append(entry)
    found = {}
    for voice, own in voices.items():
        contours = []
        for entry in own[:: max(1, len(own) // PITCH_CLIPS)][:PITCH_CLIPS]:
            count = min(entry.length, PITCH_SECONDS * SAMPLE_RATE)
            window = samples[entry.start : entry.start + count] / 32768.0
            contours.append(log_pitch(window, count // HOP, speed=4))
        contour = np.concatenate(contours)
        voiced = contour[contour > 0]
        found[voice] = float(2 ** np.median(voiced)) if len(voiced) else math.inf
    return found


def work(arguments: argparse.Namespace) -> None:
    """Cache the waveforms of the corpora."""
    from training.corpora import corpora_root, read_corpora

    prepare(read_corpora(arguments.corpora or corpora_root()), arguments.cache)


main = Program(
    work,
    option("cache", type=Path, help="folder to write"),
    option("--corpora", type=Path, help="folder of corpora (default: $A3T_CORPORA)"),
)


if __name__ == "__main__":
    raise SystemExit(main())
