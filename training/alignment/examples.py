"""Training examples of the phone network: clips with their phones, varied each time."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from alignment.errors import AlignmentError
from alignment.network.phone_network import (
    BANDS,
    HOP,
    INDEX,
    RATE,
    STRIDE,
    SYMBOLS,
    band_power,
    normalised,
)
from alignment.result import PAUSE, Alignment
from training.alignment.degradation import FASTER, Backgrounds, degraded, stretched

SEGMENT = 320  # frames of 10 ms
VIEW = 120  # at most so many more frames are normalised with a segment
LONGER = float(np.exp(FASTER))  # at the fastest pace

UNSURE = 255  # the label of what teaches nothing
LEAST_SCORE = 0.5  # of a word
LEAST_MATCH = 0.7  # of a whole text


@dataclass(frozen=True, slots=True)
class Example:
    """A clip: the logarithm of its bands' power (K, BANDS), float16; `symbols` (n,) and where each
    ends, seconds, `ends` (n,); `last` (n,) whether the phone ends a word; `weight`: how often it is
    heard, against others of its length."""

    logarithms: np.ndarray
    symbols: np.ndarray
    ends: np.ndarray
    last: np.ndarray
    weight: float = 1.0

    @classmethod
    def of(cls, samples: np.ndarray, alignment: Alignment, weight: float = 1.0) -> Example:
        """`samples`: 16 kHz mono, (n,)."""
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


@dataclass(frozen=True, slots=True)
class Examples:
    """Clips to draw from, each as often as it is long, times its weight."""

    clips: Sequence[Example]
    upto: np.ndarray  # the weight of each and all before it

    @classmethod
    def of(cls, clips: Sequence[Example]) -> Examples:
        return cls(clips, np.cumsum([len(each.logarithms) * each.weight for each in clips]))

    def draw(self, random: np.random.Generator) -> Example:
        place = np.searchsorted(self.upto, random.random() * self.upto[-1], side="right")
        return self.clips[min(int(place), len(self.clips) - 1)]


def labels(symbols: np.ndarray, ends: np.ndarray, count: int) -> np.ndarray:
    """The symbol at every 10 ms, (count,)."""
    times = np.arange(count) * STRIDE * HOP / RATE
    return symbols[np.minimum(np.searchsorted(ends, times, side="right"), len(symbols) - 1)]


def segment(
    examples: Examples, backgrounds: Backgrounds, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """The network's input (SEGMENT * STRIDE, BANDS), and its labels (SEGMENT,)."""
    example, other = examples.draw(random), examples.draw(random)
    frames = (SEGMENT + int(random.integers(0, VIEW))) * STRIDE
    power, symbols, ends, last = excerpt(example, round(frames * LONGER), random)
    while len(power) < frames:
        more = excerpt(examples.draw(random), round(frames * LONGER) - len(power), random)
        power, symbols, ends, last = _joined((power, symbols, ends, last), more)
    if random.random() < 0.75:
        power, ends = stretched(power, ends, random)
    if random.random() < 0.3:
        power, symbols, ends = _with_pauses(power, symbols, ends, last, random)
    power, symbols, ends = fitted(power, symbols, ends, frames, random)
    if random.random() < 0.8:
        talker = np.exp(np.resize(other.logarithms, power.shape).astype(np.float32))
        power = degraded(power, backgrounds, talker, random)
    inputs = normalised(power)
    targets = labels(symbols, ends, len(inputs) // STRIDE)
    start = int(random.integers(0, len(targets) - SEGMENT + 1))
    return inputs[start * STRIDE : (start + SEGMENT) * STRIDE], targets[start : start + SEGMENT]


def excerpt(
    example: Example, frames: int, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Power, symbols, ends, and which of these end a word, of at most `frames` of a clip."""
    start = int(random.integers(0, max(len(example.logarithms) - frames, 0) + 1))
    power = np.exp(example.logarithms[start : start + frames].astype(np.float32))
    ends = example.ends - start * HOP / RATE
    first = int(np.searchsorted(ends, 0.0, side="right"))
    stop = min(int(np.searchsorted(ends, len(power) * HOP / RATE)) + 1, len(ends))
    last = example.last[first:stop].copy()
    last[-1] = False  # it may be cut
    return power, example.symbols[first:stop], ends[first:stop], last


def _joined(
    first: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    second: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Two excerpts, one after the other, equally loud."""
    level = np.float32(first[0].mean() / max(float(second[0].mean()), 1e-20))
    seconds = len(first[0]) * HOP / RATE
    ends = np.append(first[2][:-1], seconds)
    return (
        np.concatenate([first[0], second[0] * level]),
        np.concatenate([first[1], second[1]]),
        np.concatenate([ends, second[2] + seconds]),
        np.concatenate([first[3], second[3]]),
    )


def _room_tone(power: np.ndarray, count: int, random: np.random.Generator) -> np.ndarray:
    """`count` frames of what the clip sounds like at its quietest."""
    level = power.sum(axis=1)
    quiet = np.flatnonzero(level <= np.quantile(level, 0.05))
    return power[random.choice(quiet, count)]


def _with_pauses(
    power: np.ndarray,
    symbols: np.ndarray,
    ends: np.ndarray,
    last: np.ndarray,
    random: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Cut after some of its words and room tone put in: ends of phrases whose times are exact."""
    words = np.flatnonzero(last)
    if not len(words):
        return power, symbols, ends
    chosen = np.sort(random.choice(words, min(int(random.integers(1, 4)), len(words)), False))
    parts: list[np.ndarray] = []
    kinds: list[np.ndarray] = []
    times: list[np.ndarray] = []
    at = first = 0
    late = 0.0
    for place in [*chosen.tolist(), len(ends) - 1]:
        stop = len(power) if place == len(ends) - 1 else round(ends[place] * RATE / HOP)
        parts.append(power[at:stop])
        kinds.append(symbols[first : place + 1])
        times.append(ends[first : place + 1] + late)
        at, first = stop, place + 1
        if first < len(ends):
            count = int(random.integers(10, 120))
            parts.append(_room_tone(power, count, random))
            late += count * HOP / RATE
            kinds.append(np.array([INDEX[PAUSE]], np.uint8))
            times.append(np.array([ends[place] + late]))
    return np.concatenate(parts), np.concatenate(kinds), np.concatenate(times)


def fitted(
    power: np.ndarray,
    symbols: np.ndarray,
    ends: np.ndarray,
    frames: int,
    random: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """An excerpt of `frames`, or the whole with room tone after it."""
    if len(power) < frames:
        tone = _room_tone(power, frames - len(power), random)
        symbols, ends = np.append(symbols, np.uint8(INDEX[PAUSE])), np.append(ends, np.inf)
        return np.concatenate([power, tone]), symbols, ends
    start = int(random.integers(0, len(power) - frames + 1))
    return power[start : start + frames], symbols, ends - start * HOP / RATE


def pairs(examples: Iterable[Example]) -> np.ndarray:
    """The logarithm of how often a phone (row) is followed by another (column), (40, 40)."""
    counts = np.full((len(SYMBOLS), len(SYMBOLS)), 0.5)
    for example in examples:
        known = (example.symbols[:-1] != UNSURE) & (example.symbols[1:] != UNSURE)
        np.add.at(counts, (example.symbols[:-1][known], example.symbols[1:][known]), 1.0)
    return np.log(counts / counts.sum(axis=1, keepdims=True))


def with_bands_hidden(inputs: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Segments (B, K, BANDS), in two of ten up to six neighbouring bands at 0."""
    inputs = inputs.copy()
    for part in inputs:
        if random.random() < 0.2:
            first = random.integers(0, BANDS - 6)
            part[:, first : first + random.integers(1, 7)] = 0.0
    return inputs


def listed(folder: Path) -> Iterator[tuple[Path, Alignment, float]]:
    """Every recording of a folder that has an alignment, in the folder's list or beside it, and its
    weight.

    A .json goes before a .TextGrid, which says nothing of how sure a word is.
    """
    from a3t.commands.align_corpus import RECORDINGS
    from alignment.formats import read_alignment

    for name in ("alignments.jsonl.xz", "alignments.jsonl"):
        if (folder / name).is_file():
            opened = lzma.open if name.endswith(".xz") else open
            with opened(folder / name, "rt", encoding="utf-8") as lines:  # type: ignore[operator]
                for line in lines:
                    entry: Mapping[str, Any] = json.loads(line)
                    alignment = Alignment.from_json(entry["alignment"])
                    yield folder / entry["path"], alignment, float(entry.get("weight", 1.0))
            return
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in RECORDINGS:
            beside = [path.with_suffix(ending) for ending in (".json", ".TextGrid")]
            found = next((each for each in beside if each.is_file()), None)
            if found is not None:
                yield path, read_alignment(found), 1.0


def folder_examples(folder: Path, left_out: frozenset[str] = frozenset()) -> list[Example]:
    """The recordings of a folder that match their texts, but for those whose stem is left out."""
    import soundfile

    from alignment.waveform import normalise_level

    found = []
    for path, alignment, weight in listed(folder):
        if path.stem in left_out or alignment.score < LEAST_MATCH:
            continue
        samples, rate = soundfile.read(path, dtype="float32", always_2d=True)
        found.append(Example.of(normalise_level(samples.mean(axis=1), rate), alignment, weight))
    if not found:
        raise AlignmentError(
            f"{folder} has no recordings with alignments: make them first with "
            f"python -m alignment corpus {folder} --ending .json."
        )
    return found
