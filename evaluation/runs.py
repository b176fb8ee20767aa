"""Compare training runs on the same clips, by what they fill in against the recording.

The experiment of tables 4.2 and 4.3 without a vocoder: the middle third of the phones of test clips
is masked, durations given; mean L1 of the masked frames in log10 units, their mel-cepstral distance
in dB, and their detail (`evaluation.metrics.detail`: 1 as recorded, less where it is blurred).
The last row of the table is the mean of each clip's visible frames.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from a3t.errors import InputError
from a3t.model.a3t import A3T
from a3t.model.embeddings import Batch
from a3t.voice.kernel.batches import crop
from a3t.voice.kernel.objective import cepstral_distance
from evaluation.aligned import AlignedMel
from evaluation.metrics import detail
from training.export import read_run
from training.store import Store

SPLITS = {"seen": "test", "unseen": "test_unseen"}
Fill = Callable[[Batch], Tensor]  # -> (1, T, 80)


@dataclass(frozen=True)
class Figures:
    """Means over the masked frames of all clips."""

    l1: float  # log10 units
    decibels: float
    detail: float


def aligned_clips(
    store: Store, split: str, count: int, frames: int | None = None
) -> Iterator[AlignedMel]:
    """``count`` evenly spaced clips of a split with at least six phones each; of each the same crop
    of at most ``frames`` every time, or the whole clip."""
    rng = np.random.default_rng(0)
    usable = [clip for clip in store.of_split(split) if clip.phones >= 6]
    for clip in usable[:: max(1, len(usable) // count)][:count]:
        stored = store.read(clip)
        stored = crop(stored, frames, rng) if frames else stored
        yield AlignedMel(stored.mel, stored.phones, stored.durations)


def filler(exp: Path) -> Fill:
    """Fill with a run's averaged network, without phones if it was trained without."""
    config, weights, _ = read_run(exp)
    network = A3T.from_config(config)
    network.load_state_dict(weights)
    network.eval()
    without_text = (config.get("data") or {}).get("speech_only")
    return speech_only(network.fill) if without_text else network.fill


def speech_only(fill: Fill) -> Fill:
    """The same, without the text."""

    def fill_without_text(batch: Batch) -> Tensor:
        none = torch.zeros_like(batch.phone_count)
        owner = torch.full_like(batch.frame_phone, -1)
        return fill(replace(batch, phones=batch.phones[:, :0], phone_count=none, frame_phone=owner))

    return fill_without_text


def mean_spectrum(batch: Batch) -> Tensor:
    """Fill every masked frame with the mean of the visible ones."""
    mean = batch.mel[~batch.masked].mean(0)
    return torch.where(batch.masked[..., None], mean, batch.mel)


def judge(fill: Fill, batches: Sequence[Batch]) -> Figures:
    """Compare what a network fills in with the recordings."""
    absolute, distance, fine = [], [], []
    for batch in batches:
        filled, true = fill(batch)[batch.masked], batch.mel[batch.masked]
        absolute.append((filled - true).abs().mean(-1))
        distance.append(cepstral_distance(filled, true))
        fine.append(detail(true.numpy(), filled.numpy()))
    l1, decibels = (float(torch.cat(values).mean()) for values in (absolute, distance))
    return Figures(l1, decibels, float(np.mean(fine)))


def run_table(rows: Mapping[str, Mapping[str, Figures]]) -> str:
    """A Markdown table: one row per run, with L1, dB and detail for each kind of voices."""
    kinds = list(next(iter(rows.values())))
    heads = [f"{kind} voices, {unit}" for kind in kinds for unit in ("L1", "dB", "detail")]
    lines = [f"| run | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
    for name, figures in rows.items():
        cells = [
            f"{figures[kind].l1:.3f} | {figures[kind].decibels:.2f} | {figures[kind].detail:.2f}"
            for kind in kinds
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def compare(features: Path, runs: Sequence[Path], count: int, frames: int | None = None) -> str:
    """The table of ``runs``; InputError if there are no clips or a run can't be read."""
    store = Store(features)
    batches: dict[str, list[Batch]] = {
        kind: [clip.batch() for clip in aligned_clips(store, split, count, frames)]
        for kind, split in SPLITS.items()
    }
    batches = {kind: own for kind, own in batches.items() if own}
    if not batches:
        raise InputError(f"{features} has no test clips: extract their features first.")
    fillers = {exp.name: filler(exp) for exp in runs} | {"(mean spectrum)": mean_spectrum}
    return run_table(
        {
            name: {kind: judge(fill, own) for kind, own in batches.items()}
            for name, fill in fillers.items()
        }
    )
