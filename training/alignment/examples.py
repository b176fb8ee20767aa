"""Training examples of the phone network: clips with their phones."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from alignment.errors import AlignmentError
from alignment.network.phone_network import BANDS, INDEX, SYMBOLS, band_power
from alignment.result import Alignment
from training.features.given_alignments import listed_alignments
from training.text_lines import whole_lines

UNSURE = 255  # the label of what teaches nothing
LEAST_SCORE = 0.5  # of a word
LEAST_MATCH = 0.7  # of a whole text


@dataclass(frozen=True, slots=True)
class Example:
    """A clip: the logarithm of its bands' power (K, BANDS), float16.

    `symbols` (n,) and where each ends, seconds, `ends` (n,); `last` (n,) whether the phone ends a
    word; `weight`: how often it is heard, against others of its length.
    """

    logarithms: np.ndarray
    symbols: np.ndarray
    ends: np.ndarray
    last: np.ndarray
    weight: float = 1.0

    @classmethod
    def of(cls, samples: np.ndarray, alignment: Alignment, weight: float = 1.0) -> Example:
        """Take an example of `samples`, 16 kHz mono, (n,)."""
        symbols: list[int] = []
        ends: list[float] = []
        last: list[bool] = []
        for word in alignment.words:
            sure = word.score >= LEAST_SCORE and not word.unwritten
            for number, phone in enumerate(word.phones, 1):
                symbols.append(INDEX[phone.symbol.rstrip("012")] if sure else UNSURE)
                ends.append(phone.end)
                last.append(number == len(word.phones) and not word.is_pause)
        power = band_power(samples)
        logarithms = np.log(power + 1e-9 * float(power.max()) + 1e-12).astype(np.float16)
        return cls(logarithms, np.array(symbols, np.uint8), np.array(ends), np.array(last), weight)


def pairs(examples: Iterable[Example]) -> np.ndarray:
    """Return the logarithm of how often a phone (row) is followed by another (column), (40, 40)."""
    counts = np.full((len(SYMBOLS), len(SYMBOLS)), 0.5)
    for example in examples:
        known = (example.symbols[:-1] != UNSURE) & (example.symbols[1:] != UNSURE)
        np.add.at(counts, (example.symbols[:-1][known], example.symbols[1:][known]), 1.0)
    return np.log(counts / counts.sum(axis=1, keepdims=True))


def listed(folder: Path) -> Iterator[tuple[Path, Alignment, float]]:
    """Find every recording of a folder that has an alignment, with its weight.

    The alignment is in the folder's list or beside it. A .json goes before a .TextGrid, which says
    nothing of how sure a word is.
    """
    from a3t.commands.align_corpus import RECORDINGS
    from alignment.formats import read_alignment

    for name in ("alignments.jsonl.xz", "alignments.jsonl"):
        if (folder / name).is_file():
            for recording, alignment, weight in listed_alignments(folder / name):
                yield folder / recording, alignment, weight
            return
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in RECORDINGS:
            beside = [path.with_suffix(ending) for ending in (".json", ".TextGrid")]
            found = next((each for each in beside if each.is_file()), None)
            if found is not None:
                yield path, read_alignment(found), 1.0


class ExamplePack:
    """Examples in a folder, by the paths of their recordings: what is kept is not decoded again.

    One that a kill cut off is dropped.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._frames, self._index = folder / "logarithms.f16", folder / "examples.jsonl"
        self._rows: dict[str, dict[str, Any]] = {}
        whole = 0
        for line in whole_lines(self._index):
            row = json.loads(line)
            self._rows[row["path"]] = row
            whole = row["start"] + row["frames"]
        self._frames.touch()
        os.truncate(self._frames, whole * BANDS * 2)
        self._whole = whole

    def __contains__(self, path: str) -> bool:
        """Return whether a recording's example is kept."""
        return path in self._rows

    def add(self, path: str, example: Example) -> None:
        """Keep a recording's example."""
        with open(self._frames, "ab") as file:
            file.write(example.logarithms.astype(np.float16).tobytes())
        row = {
            "path": path,
            "start": self._whole,
            "frames": len(example.logarithms),
            "symbols": example.symbols.tolist(),
            "ends": example.ends.tolist(),
            "last": np.flatnonzero(example.last).tolist(),
        }
        with open(self._index, "a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        self._rows[path] = row
        self._whole += row["frames"]

    def examples(self, weights: Mapping[str, float]) -> Iterator[tuple[str, Example]]:
        """Return some recordings' examples with their weights; the logarithms are mapped files."""
        mapped = np.memmap(self._frames, np.float16, "r", shape=(self._whole, BANDS))
        for path, weight in weights.items():
            row = self._rows[path]
            symbols = np.array(row["symbols"], np.uint8)
            last = np.zeros(len(symbols), bool)
            last[row["last"]] = True
            frames = mapped[row["start"] : row["start"] + row["frames"]]
            yield path, Example(frames, symbols, np.array(row["ends"]), last, weight)


def folder_examples(
    folder: Path,
    kept: Path,
    left_out: frozenset[str] = frozenset(),
    of_folders: Mapping[str, float] = MappingProxyType({}),
) -> tuple[list[Example], list[Example]]:
    """Return the recordings of a folder that match their texts, those that are left out apart.

    These are named by their stems. All are kept in the pack in the folder `kept`. `of_folders`:
    weights by the first part of a recording's path.
    """
    import soundfile

    from alignment.waveform import normalise_level

    pack = ExamplePack(kept)
    weights: dict[str, float] = {}
    for path, alignment, weight in listed(folder):
        if alignment.score >= LEAST_MATCH:
            inside = path.relative_to(folder)
            weights[name := inside.as_posix()] = weight * of_folders.get(inside.parts[0], 1.0)
            if name not in pack:
                samples, rate = soundfile.read(path, dtype="float32", always_2d=True)
                pack.add(name, Example.of(normalise_level(samples.mean(axis=1), rate), alignment))
    found: list[Example] = []
    apart: list[Example] = []
    for name, example in pack.examples(weights):
        (apart if Path(name).stem in left_out else found).append(example)
    if not found:
        raise AlignmentError(
            f"{folder} has no recordings with alignments: make them first with "
            f"python -m alignment corpus {folder} --ending .json."
        )
    return found, apart
