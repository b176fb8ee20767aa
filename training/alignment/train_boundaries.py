"""Trains alignment.network.boundaries.

    python -m training.alignment.train_boundaries SENTENCES.txt --out FILE

SENTENCES.txt has a sentence a line. flite's voices say them, clean and in noise or a room, and tell
when each phone ends; what the aligner makes of the same recordings is the input. Each sentence is
also heard as by a voice that is higher and faster, or lower and slower. Runs on one core, in some
twenty minutes; flite and torch are needed. `python -m evaluation hand-labels` measures the result.

The weights that ship come from 250 prompts of the CMU ARCTIC set and 300 sentences of 5 to
13 words from LibriSpeech, LJ Speech, VCTK and Common Voice, said by all four voices.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from alignment.aligner import stress_of
from alignment.aligners import network_aligner
from alignment.aligners.network_aligner import Acoustics
from alignment.errors import AlignmentError
from alignment.network.boundaries import MAX_MOVE_S, Boundaries, surroundings
from alignment.network.graph import NOTHING_UNWRITTEN
from alignment.network.phone_network import SAMPLE_RATE_HZ as SAMPLE_RATE
from alignment.result import PAUSE
from alignment.waveform import model_waveform
from training.alignment.distortions import CONDITIONS
from training.alignment.flite import PAUSE as SILENT
from training.alignment.flite import VOICES, SyntheticUtterance, speak
from training.programs import Program, option

WIDTHS = (64, 32)
MEMBERS = 3  # networks whose mean is taken
STEPS = 4500
BATCH = 512
RATE = 3e-3
PACES = 0.86, 1.16  # of a voice that is higher and faster, or lower and slower

DISTURBED = ("noise 10 dB", "room", "noise 20 dB", "noise 5 dB")


def true_times(utterance: SyntheticUtterance, symbols: Sequence[str]) -> np.ndarray:
    """The true time of each inner boundary of phones and pauses, seconds, (n - 1,).

    Next to a pause that is not spoken both its edges are at the boundary of its neighbours.
    """
    starts, ends, clock = [], [], 0.0
    for symbol, end in utterance.phones:
        if symbol != SILENT:
            starts.append(clock)
            ends.append(end)
        clock = end
    said = -1
    times = []
    for left, right in pairwise(symbols):
        said += left != PAUSE
        times.append(ends[said] if right == PAUSE else starts[said + 1])
    return np.array(times)


def examples(sentences: Sequence[str], voice: str) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """For each recording the boundaries' surroundings, (m, SURROUNDINGS), and the seconds from each
    boundary to the true one, (m,)."""
    for number, sentence in enumerate(sentences):
        spoken = speak(sentence, voice)
        for condition, pace in conditions(number):
            utterance = spoken if pace == 1.0 else faster(spoken, pace)
            samples, rate = CONDITIONS[condition](utterance.samples, utterance.rate)
            waveform, duration = model_waveform(samples, rate), len(samples) / rate
            try:
                sound, boundaries = of_network(waveform, utterance, duration)
            except AlignmentError:
                continue
            if boundaries is not None:
                inputs = surroundings(boundaries, sound.frames, sound.scores, sound.second)
                yield inputs, true_times(utterance, boundaries.symbols) - boundaries.times


def conditions(number: int) -> list[tuple[str, float]]:
    """The variations of the sentence of that number, each with its speed."""
    first, second = (DISTURBED[(number + k) % len(DISTURBED)] for k in (0, 1))
    normal = [("clean", 1.0), (first, 1.0)]
    draw = random.Random(number)
    return [*normal, ("clean", draw.uniform(*PACES)), (second, draw.uniform(*PACES))]


def faster(utterance: SyntheticUtterance, pace: float) -> SyntheticUtterance:
    """As a tape that runs `pace` times as fast would have it: higher, too, with a shorter vocal
    tract."""
    import soxr

    lower = round(SAMPLE_RATE / pace)
    samples = soxr.resample(utterance.samples, SAMPLE_RATE, lower, quality="HQ")
    share = len(samples) / len(utterance.samples)
    phones = tuple((symbol, end * share) for symbol, end in utterance.phones)
    return replace(utterance, samples=samples, phones=phones)


def of_network(
    waveform: np.ndarray, utterance: SyntheticUtterance, duration: float
) -> tuple[Acoustics, Boundaries | None]:
    """The network aligner's boundaries, with nothing unwritten."""
    stressed = stress_of(utterance.words, utterance.pronunciations)
    sound = Acoustics.of(waveform)
    candidates = [list(each.values()) for each in stressed]
    searched = network_aligner.searched(sound.scores, sound.sequences)
    visits = network_aligner.best_path(candidates, searched, NOTHING_UNWRITTEN)
    if visits is None:
        return sound, None
    return sound, network_aligner.boundaries_of(visits, sound, duration)[1]


def train(inputs: np.ndarray, moves: np.ndarray, seed: int = 0) -> dict[str, np.ndarray]:
    """Weights for `moves` (m,), seconds, from `inputs` (m, n) as `surroundings` gives them: least
    absolute error, the mean of MEMBERS networks as one."""
    return together([_member(inputs, moves, seed + k) for k in range(MEMBERS)])


def together(members: Sequence[Mapping[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """One network whose output is the mean of its members'."""
    from scipy.linalg import block_diag

    every = {name: [member[name] for member in members] for name in members[0]}
    return {
        "first.weight": np.concatenate(every["first.weight"]),
        "first.bias": np.concatenate(every["first.bias"]),
        "second.weight": block_diag(*every["second.weight"]).astype(np.float32),
        "second.bias": np.concatenate(every["second.bias"]),
        "last.weight": np.concatenate(every["last.weight"], axis=1) / len(members),
        "last.bias": np.mean(every["last.bias"], axis=0),
    }


def _member(inputs: np.ndarray, moves: np.ndarray, seed: int) -> dict[str, np.ndarray]:
    import torch
    from torch import nn

    torch.manual_seed(seed)
    draw = np.random.default_rng(seed)
    sizes = (inputs.shape[1], *WIDTHS, 1)
    layers = [nn.Linear(a, b) for a, b in pairwise(sizes)]
    steps: list[nn.Module] = []
    for layer in layers:
        steps += [layer, nn.ReLU(), nn.Dropout(0.2)]
    model = nn.Sequential(*steps[:-2])
    # Learnt with inputs of one scale; the scale is then part of the first layer.
    mean, spread = inputs.mean(axis=0), inputs.std(axis=0) + 1e-3
    known = torch.from_numpy(((inputs - mean) / spread).astype(np.float32))
    wanted = torch.from_numpy((np.clip(moves, -0.08, 0.08) / MAX_MOVE_S).astype(np.float32))
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=STEPS)
    for _ in range(STEPS):
        chosen = torch.from_numpy(draw.integers(0, len(inputs), BATCH))
        loss = (model(known[chosen])[:, 0] - wanted[chosen]).abs().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    weights: dict[str, np.ndarray] = {}
    for name, layer in zip(("first", "second", "last"), layers, strict=True):
        weights[f"{name}.weight"] = layer.weight.detach().numpy()
        weights[f"{name}.bias"] = layer.bias.detach().numpy()
    weights["first.weight"] = weights["first.weight"] / spread
    weights["first.bias"] = weights["first.bias"] - weights["first.weight"] @ mean
    return {name: value.astype(np.float32) for name, value in weights.items()}


def save(parts: Sequence[tuple[np.ndarray, np.ndarray]], path: Path) -> None:
    """Trains on the examples and writes the weights."""
    from safetensors.numpy import save_file

    inputs, moves = (np.concatenate([part[k] for part in parts]) for k in (0, 1))
    save_file(train(inputs, moves), path)


def work(options: argparse.Namespace) -> None:
    lines = options.sentences.read_text(encoding="utf-8").splitlines()
    said = [line for line in lines if line.strip()]
    parts = {voice: list(examples(said, voice)) for voice in VOICES}
    if not said or not all(parts.values()):
        raise AlignmentError(f"{options.sentences} has no sentences that could be aligned.")
    save([part for each in parts.values() for part in each], options.out)


main = Program(
    work,
    option("sentences", type=Path, metavar="SENTENCES.txt"),
    option("--out", type=Path, required=True, metavar="FILE.safetensors"),
)


if __name__ == "__main__":
    sys.exit(main())
