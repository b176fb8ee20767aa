"""Compare training runs on the same clips, by what they fill in against the recording.

The experiment of tables 4.2 and 4.3 without a vocoder: the middle third of the phones of test clips
is masked, durations given; mean L1 of the masked frames in log10 units, their mel-cepstral distance
in dB, and their detail (`evaluation.metrics.detail`: 1 as recorded, less where it is blurred).
The last row of the table is the mean of each clip's visible frames.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from a3t.errors import InputError
from a3t.grid import SAMPLE_RATE
from a3t.model.a3t import A3T
from a3t.voice.kernel.batches import crop
from a3t.voice.kernel.objective import cepstral_distance
from evaluation.clips import HeldOutClip, open_gap
from evaluation.harness.programs import markdown_table
from evaluation.metrics import detail
from evaluation.systems.interface import System
from evaluation.systems.networks import A3TSystem
from evaluation.systems.simple import MeanSpectrum
from training.export import read_run
from training.store import Store

SPLITS = {"seen": "test", "unseen": "test_unseen"}


@dataclass(frozen=True)
class Figures:
    """Means over the masked frames of all clips."""

    l1: float  # log10 units
    decibels: float
    detail: float


def clips_of(
    store: Store, split: str, count: int, frames: int | None = None
) -> Iterator[HeldOutClip]:
    """``count`` evenly spaced clips of a split with at least six phones each, without their sound;
    of each the same crop of at most ``frames`` every time, or the whole clip."""
    rng, silence = np.random.default_rng(0), np.zeros(0, np.float32)
    usable = [clip for clip in store.of_split(split) if clip.phones >= 6]
    for clip in usable[:: max(1, len(usable) // count)][:count]:
        stored = store.read(clip)
        stored = crop(stored, frames, rng) if frames else stored
        parts = (stored.mel, stored.phones, stored.durations, stored.words)
        yield HeldOutClip(clip.name, "", split == "test", SAMPLE_RATE, silence, *parts)


def system_of(exp: Path) -> System:
    """A run's averaged network, without phones if it was trained without."""
    config, weights, _ = read_run(exp)
    network = A3T.from_config(config)
    network.load_state_dict(weights)
    return A3TSystem(network, exp.name, bool((config.get("data") or {}).get("speech_only")))


def compared(system: System, clips: Sequence[HeldOutClip]) -> Figures:
    """Compare what a system fills in with the recordings."""
    absolute, distance, fine = [], [], []
    for clip in clips:
        gap = open_gap(clip, clip.region, clip.durations[slice(*clip.region)])
        first, last = gap.frame_span
        filled, true = torch.from_numpy(system.fill(gap)), torch.from_numpy(clip.mel[first:last])
        absolute.append((filled - true).abs().mean(-1))
        distance.append(cepstral_distance(filled, true))
        fine.append(detail(true.numpy(), filled.numpy()))
    l1, decibels = (float(torch.cat(values).mean()) for values in (absolute, distance))
    return Figures(l1, decibels, float(np.mean(fine)))


def run_table(rows: Mapping[str, Mapping[str, Figures]]) -> str:
    """A Markdown table: one row per run, with L1, dB and detail for each kind of voices."""
    kinds = list(next(iter(rows.values())))
    return markdown_table(
        ["run", *(f"{kind} voices, {unit}" for kind in kinds for unit in ("L1", "dB", "detail"))],
        [
            [name]
            + [
                cell
                for each in (figures[kind] for kind in kinds)
                for cell in (f"{each.l1:.3f}", f"{each.decibels:.2f}", f"{each.detail:.2f}")
            ]
            for name, figures in rows.items()
        ],
    ).rstrip()


def compare(features: Path, runs: Sequence[Path], count: int, frames: int | None = None) -> str:
    """The table of ``runs``; InputError if there are no clips or a run can't be read."""
    store = Store(features)
    clips = {kind: list(clips_of(store, split, count, frames)) for kind, split in SPLITS.items()}
    clips = {kind: own for kind, own in clips.items() if own}
    if not clips:
        raise InputError(f"{features} has no test clips: extract their features first.")
    systems = [*map(system_of, runs), MeanSpectrum()]
    return run_table(
        {
            f"({system.name})" if isinstance(system, MeanSpectrum) else system.name: {
                kind: compared(system, own) for kind, own in clips.items()
            }
            for system in systems
        }
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("runs", type=Path, nargs="+", metavar="RUN")
    parser.add_argument(
        "--features", type=Path, required=True, help="features from training.extract"
    )
    parser.add_argument(
        "--clips", type=int, default=40, metavar="N", help="for each of seen and unseen voices"
    )
    parser.add_argument("--frames", type=int, metavar="N", help="crop each clip (default: all)")


def run(options: argparse.Namespace) -> None:
    """Print the table of the runs; raises InputError."""
    print(compare(options.features, options.runs, options.clips, options.frames))
