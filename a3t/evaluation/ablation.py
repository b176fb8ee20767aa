"""Several runs on the same clips: how far what each fills is from what was said.

python -m a3t.evaluation.ablation dump exp/a3t_paper exp/no_alignment … --clips 40

The experiment of tables 4.2 and 4.3 without a vocoder: the middle third of the phones of test clips
is masked, durations given; mean L1 of the masked frames in log10 units, their mel-cepstral distance
in dB, and their detail (`a3t.evaluation.metrics.detail`: 1 as recorded, less where it is blurred).
Prints a table; the last row knows only the mean of each clip's visible frames.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from a3t.console import run
from a3t.errors import InputError
from a3t.evaluation.figures import Clip
from a3t.evaluation.metrics import detail
from a3t.model.a3t import A3T
from a3t.model.embeddings import Batch
from a3t.training.data import crop_phones
from a3t.training.espnet.dump import read_scp
from a3t.training.espnet.pack import read_average
from a3t.training.pretrain import cepstral_distance

SPLITS = {"seen": "test", "unseen": "test_unseen"}
Fill = Callable[[Batch], Tensor]  # -> (1, T, 80)


@dataclass(frozen=True)
class Figures:
    """Means over the masked frames of all clips."""

    l1: float  # log10 units
    decibels: float
    detail: float


def clips(dump: Path, split: str, count: int, frames: int | None = None) -> Iterator[Clip]:
    """``count`` clips of at least six phones, taken evenly from all over the split; of each a crop
    of at most ``frames``, always the same, or all of it."""
    rng = np.random.default_rng(0)
    if not (dump / split / "mel.scp").exists():
        return
    mels = read_scp(dump / split / "mel.scp")
    lists = {key: read_scp(dump / split / key) for key in ("phones", "durations")}
    names = [name for name in mels if len(lists["phones"][name].split()) >= 6]
    for name in names[:: max(1, len(names) // count)][:count]:
        ids, durations = (np.array(lists[key][name].split(), np.int64) for key in lists)
        mel = np.load(mels[name]).astype(np.float32)
        first, last = crop_phones(durations, frames, rng) if frames else (0, len(ids))
        start, end = durations[:first].sum(), durations[:last].sum()
        yield Clip(mel[start:end], ids[first:last], durations[first:last])


def filler(exp: Path) -> Fill:
    """A run's averaged network; one of speech alone is given no phones."""
    config, weights = read_average(exp)
    network = A3T.from_config(config)
    network.load_state_dict(weights)
    network.eval()
    return speech_only(network.fill) if config["data"].get("speech_only") else network.fill


def speech_only(fill: Fill) -> Fill:
    """The same network, told nothing of the text."""

    def without(batch: Batch) -> Tensor:
        none = torch.zeros_like(batch.phone_count)
        owner = torch.full_like(batch.frame_phone, -1)
        return fill(replace(batch, phones=batch.phones[:, :0], phone_count=none, frame_phone=owner))

    return without


def mean_spectrum(batch: Batch) -> Tensor:
    """Every masked frame is the mean of the visible ones."""
    mean = batch.mel[~batch.masked].mean(0)
    return torch.where(batch.masked[..., None], mean, batch.mel)


def judge(fill: Fill, batches: Sequence[Batch]) -> Figures:
    absolute, distance, fine = [], [], []
    for batch in batches:
        filled, true = fill(batch)[batch.masked], batch.mel[batch.masked]
        absolute.append((filled - true).abs().mean(-1))
        distance.append(cepstral_distance(filled, true))
        fine.append(detail(true.numpy(), filled.numpy()))
    l1, decibels = (float(torch.cat(values).mean()) for values in (absolute, distance))
    return Figures(l1, decibels, float(np.mean(fine)))


def table(rows: Mapping[str, Mapping[str, Figures]]) -> str:
    """Markdown: a run a row, L1, dB and detail of each kind of speakers."""
    kinds = list(next(iter(rows.values())))
    heads = [f"{kind} voices, {unit}" for kind in kinds for unit in ("L1", "dB", "detail")]
    lines = [f"| run | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
    for name, found in rows.items():
        cells = [
            f"{found[kind].l1:.3f} | {found[kind].decibels:.2f} | {found[kind].detail:.2f}"
            for kind in kinds
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def compare(dump: Path, runs: Sequence[Path], count: int, frames: int | None = None) -> str:
    """The table of ``runs``; InputError if there is no clip, or a run can't be read."""
    batches: dict[str, Any] = {
        kind: [clip.batch() for clip in clips(dump, split, count, frames)]
        for kind, split in SPLITS.items()
    }
    batches = {kind: found for kind, found in batches.items() if found}
    if not batches:
        raise InputError(f"{dump} has no test clips: run stage 3 first.")
    fillers = {exp.name: filler(exp) for exp in runs} | {"(mean spectrum)": mean_spectrum}
    return table(
        {
            name: {kind: judge(fill, found) for kind, found in batches.items()}
            for name, fill in fillers.items()
        }
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """0 done, 1 something can't be used (one sentence says what)."""
    parser = argparse.ArgumentParser(prog="python -m a3t.evaluation.ablation", description=__doc__)
    parser.add_argument("dump", type=Path)
    parser.add_argument("runs", type=Path, nargs="+")
    parser.add_argument("--clips", type=int, default=40, help="of each kind of speakers")
    parser.add_argument("--frames", type=int, help="of each a crop of so many (default: all)")
    options = parser.parse_args(arguments)
    given = (options.dump, options.runs, options.clips, options.frames)
    return run(lambda: print(compare(*given)))


if __name__ == "__main__":
    sys.exit(main())
