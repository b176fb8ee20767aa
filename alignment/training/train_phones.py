"""Trains alignment.network: python -m alignment.training.train_phones FOLDER --out FILE

FOLDER holds recordings and, beside each, its alignment (.TextGrid or .json), as
`python -m alignment corpus` writes them. The network hears each recording four times: as it is, and
at other speeds, two of these in noise or in a room, with the labels of the clean recording: so it
learns to find boundaries that PocketSphinx misses. Runs on one core; torch is needed.

The weights that ship were trained on LibriSpeech, LJ Speech, VCTK and Kathleen, without the clips
that benchmarks.planted_errors tests and without three readers. 8000 steps of 16 segments on 2.9 h
by an earlier state of these functions, with labels on a grid of 12.5 ms and four blocks (10 minutes
of a core); then, with two blocks more, 4420 steps of 32 segments on 3276 clips (6.5 h), labelled
anew by that network and the smaller one before it, as these functions do it (13 minutes; the
rate fell from 1.2e-3).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from alignment.errors import AlignmentError
from alignment.network.phone_network import (
    BANDS,
    DILATIONS,
    HOP,
    INDEX,
    RATE,
    STRIDE,
    SYMBOLS,
    features,
)
from alignment.result import Alignment

WIDTH = 192
SEGMENT = 200  # frames of 10 ms
BATCH = 32

COPIES = 4  # of each recording
FASTER = 0.15  # the logarithm of the speed, at most; a sixth


@dataclass(frozen=True, slots=True)
class Example:
    """16 kHz mono (n,), and the phones in it with their ends in seconds."""

    samples: np.ndarray
    phones: tuple[tuple[str, float], ...]

    @classmethod
    def of(cls, samples: np.ndarray, alignment: Alignment) -> Example:
        return cls(samples, tuple((phone.symbol, phone.end) for phone in alignment.phones))


def labels(phones: Sequence[tuple[str, float]], count: int) -> np.ndarray:
    """The index of the phone at every 10 ms, (count,)."""
    ends = np.array([end for _, end in phones])
    indices = np.array([INDEX[symbol.rstrip("012")] for symbol, _ in phones])
    times = np.arange(count) * STRIDE * HOP / RATE
    return indices[np.minimum(np.searchsorted(ends, times, side="right"), len(indices) - 1)]


def disturbed(samples: np.ndarray, other: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """In a room, and in noise or beside another voice, 0 to 25 dB below."""
    n = len(samples)
    if random.random() < 0.4:
        seconds = random.uniform(0.15, 0.7)
        time = np.arange(round(seconds * RATE)) / RATE
        tail = random.standard_normal(len(time)) * 10 ** (-3 * time / seconds)
        tail *= random.uniform(0.2, 1.0) / np.sqrt(np.sum(tail**2))
        tail[0] = 1.0
        size = 1 << (n + len(tail)).bit_length()
        samples = np.fft.irfft(np.fft.rfft(samples, size) * np.fft.rfft(tail, size), size)[:n]
    if random.random() < 0.1:
        noise = np.resize(other, n)
    else:
        spectrum = np.fft.rfft(random.standard_normal(n))
        slope = random.uniform(0.0, 1.0)
        noise = np.fft.irfft(spectrum / np.maximum(np.arange(len(spectrum)), 1.0) ** slope, n)
    decibels = random.uniform(0, 25)
    level = np.sqrt(np.mean(samples**2) / max(float(np.mean(noise**2)), 1e-12))
    return samples + noise * level * 10 ** (-decibels / 20)


def copies(
    example: Example, other: np.ndarray, random: np.random.Generator
) -> Iterator[tuple[np.ndarray, float]]:
    """What the network hears of an example: as it is, faster or slower (and with that higher or
    lower), and twice so disturbed; each with how many times as fast it is."""
    import soxr

    yield example.samples, 1.0
    for number in range(COPIES - 1):
        speed = float(np.exp(random.uniform(-FASTER, FASTER)))
        changed = soxr.resample(example.samples, RATE * speed, RATE, quality="MQ")
        speed = len(example.samples) / len(changed)
        yield (disturbed(changed, other, random) if number else changed), speed


def prepared(examples: Iterable[Example], seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Features (5 ms, float16) and labels (10 ms) of the copies of all examples, joined."""
    random = np.random.default_rng(seed)
    parts: list[np.ndarray] = []
    targets: list[np.ndarray] = []
    before = np.ones(RATE, np.float32)
    for example in examples:
        for samples, speed in copies(example, before, random):
            frames = features(samples)
            frames = frames[: len(frames) // STRIDE * STRIDE]
            parts.append(frames.astype(np.float16))
            phones = [(symbol, end / speed) for symbol, end in example.phones]
            targets.append(labels(phones, len(frames) // STRIDE).astype(np.uint8))
        before = example.samples
    return np.concatenate(parts), np.concatenate(targets)


def pairs(examples: Iterable[Example]) -> np.ndarray:
    """The logarithm of how often a phone (row) is followed by another (column), (40, 40)."""
    counts = np.full((len(SYMBOLS), len(SYMBOLS)), 0.5)
    for example in examples:
        indices = [INDEX[symbol.rstrip("012")] for symbol, _ in example.phones]
        np.add.at(counts, (indices[:-1], indices[1:]), 1.0)
    return np.log(counts / counts.sum(axis=1, keepdims=True))


def network() -> Any:
    """The network in torch; its state has the names that phone_network reads."""
    from torch import Tensor, nn

    class PhoneNet(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.input = nn.Conv1d(BANDS, WIDTH, 7, stride=STRIDE, padding=3)
            for number, dilation in enumerate(DILATIONS):
                block = nn.Conv1d(WIDTH, WIDTH, 3, padding=dilation, dilation=dilation)
                self.add_module(f"block{number}", block)
            self.output = nn.Linear(WIDTH, len(SYMBOLS))
            self.dropout = nn.Dropout(0.1)

        def forward(self, frames: Tensor) -> Tensor:
            """(B, K, BANDS) -> logits (B, K / 2, 40)."""
            hidden = self.input(frames.transpose(1, 2)).relu()
            for number in range(len(DILATIONS)):
                block = self.get_submodule(f"block{number}")
                hidden = hidden + self.dropout(block(hidden).relu())
            return self.output(hidden.transpose(1, 2))

    return PhoneNet()


def train(
    frames: np.ndarray, targets: np.ndarray, steps: int, start: Any = None, rate: float = 2e-3
) -> Any:
    """`steps` of AdamW on random segments, in bfloat16 where the processor has it; prints the
    loss. Returns the mean of the networks along the way, the latest of which count most."""
    import torch

    torch.manual_seed(0)
    random = np.random.default_rng(0)
    model = start or network()
    mean = torch.optim.swa_utils.AveragedModel(
        model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.998)
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps)
    model.train()
    average = 0.0
    for step in range(steps):
        places = random.integers(0, len(targets) - SEGMENT, BATCH)
        inputs = np.stack([frames[p * STRIDE : (p + SEGMENT) * STRIDE] for p in places])
        wanted = np.stack([targets[p : p + SEGMENT] for p in places])
        with torch.autocast("cpu", torch.bfloat16):
            logits = model(torch.from_numpy(with_bands_hidden(inputs, random)))
        loss = torch.nn.functional.cross_entropy(
            logits.flatten(0, 1).float(), torch.from_numpy(wanted.astype(np.int64)).flatten()
        )
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        mean.update_parameters(model)
        average = loss.item() if step == 0 else 0.98 * average + 0.02 * loss.item()
        if step % 100 == 99:
            print(f"step {step + 1}: loss {average:.3f}", flush=True)
    return mean.module.eval()


def with_bands_hidden(inputs: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Segments (B, K, BANDS) as float32, in three of ten up to six neighbouring bands at 0."""
    inputs = inputs.astype(np.float32)
    for segment in inputs:
        if random.random() < 0.3:
            first = random.integers(0, BANDS - 6)
            segment[:, first : first + random.integers(1, 7)] = 0.0
    return inputs


def weights_of(model: Any) -> dict[str, np.ndarray]:
    return {name: value.detach().numpy() for name, value in model.state_dict().items()}


def relabelled(examples: Iterable[Example], model: Any) -> Iterator[Example]:
    """The same phones at the times that the network gives them."""
    from alignment.aligners.refinement import realign_phones

    weights = weights_of(model)
    for example in examples:
        symbols = [symbol for symbol, _ in example.phones]
        ends = np.array([end for _, end in example.phones])
        moved = realign_phones(example.samples, symbols, ends, weights)
        yield Example(example.samples, tuple(zip(symbols, moved.tolist(), strict=True)))


def save(model: Any, followers: np.ndarray, path: Path) -> None:
    """Writes the network's weights and `pairs` of the examples, halved."""
    from safetensors.numpy import save_file

    weights = {**weights_of(model), "pairs": followers}
    save_file({name: value.astype(np.float16) for name, value in weights.items()}, path)


def folder_examples(folder: Path) -> list[Example]:
    """Every recording of a folder that has its alignment beside it."""
    import soundfile
    import soxr

    from alignment.formats.by_ending import read_alignment

    found = []
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() not in (".wav", ".flac", ".ogg", ".opus", ".mp3"):
            continue
        beside = [path.with_suffix(ending) for ending in (".TextGrid", ".json")]
        alignment = next((each for each in beside if each.is_file()), None)
        if alignment is None:
            continue
        samples, rate = soundfile.read(path, dtype="float32", always_2d=True)
        mono = soxr.resample(samples.mean(axis=1), rate, RATE)
        found.append(Example.of(mono, read_alignment(alignment)))
    if not found:
        raise AlignmentError(
            f"{folder} has no recordings with alignments beside them: make them first with "
            f"a3t align corpus {folder}."
        )
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m alignment.training.train_phones")
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.safetensors")
    parser.add_argument("--steps", type=int, default=10_000, metavar="N")
    parser.add_argument(
        "--rounds", type=int, default=1, metavar="N", help="labelled anew in between"
    )
    options = parser.parse_args(arguments)
    try:
        examples: Sequence[Example] = folder_examples(options.folder)
    except AlignmentError as error:
        print(f"alignment: {error}", file=sys.stderr)
        return 1
    model = None
    for turn in range(options.rounds):
        if turn:
            examples = list(relabelled(examples, model))
        model = train(*prepared(examples), options.steps, model, 2e-3 if turn == 0 else 1e-3)
        save(model, pairs(examples), options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
