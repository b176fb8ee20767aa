"""Compare training runs on the same clips, by what they fill in against the recording.

The experiment of tables 4.2 and 4.3 without a vocoder: the middle third of the phones of test clips
is masked, durations given; mean L1 of the masked frames in log10 units, their mel-cepstral distance
in dB, and their detail (`evaluation.metrics.detail`: 1 as recorded, less where it is blurred).
The last row of the table is the mean of each clip's visible frames.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch

from a3t.errors import InputError
from a3t.grid import SAMPLE_RATE
from a3t.learning.batches import crop
from a3t.model.a3t import A3T
from evaluation.clips import FEATURES, HeldOutClip, open_gap
from evaluation.harness.declared_tables import Row, Table, rate
from evaluation.harness.measurement import Measurement, Setting
from evaluation.metrics import detail
from evaluation.systems.heard import own_split
from evaluation.systems.interface import System
from evaluation.systems.networks import A3TSystem
from evaluation.systems.simple import MeanSpectrum
from training.export import read_run
from training.features.split_list import refuse_trained_on
from training.features.store import Store
from training.pretraining_objective import cepstral_distance
from training.programs import option

SPLITS = {"seen": "test", "unseen": "test_unseen"}


def clips_of(
    store: Store, split: str, count: int, frames: int | None = None
) -> Iterator[HeldOutClip]:
    """Return ``count`` evenly spaced clips of a split, of at least six phones, without their sound.

    Each is the same crop of at most ``frames`` every time, or the whole clip.
    """
    rng, silence = np.random.default_rng(0), np.zeros(0, np.float32)
    usable = [clip for clip in store.of_split(split) if clip.phones >= 6]
    for clip in usable[:: max(1, len(usable) // count)][:count]:
        stored = store.read(clip)
        stored = crop(stored, frames, rng) if frames else stored
        parts = (getattr(stored, name) for name in FEATURES)
        yield HeldOutClip(clip.name, "", split == "test", SAMPLE_RATE, silence, *parts)


def system_of(exp: Path) -> System:
    """Load a run's averaged network, without phones if it was trained without."""
    config, weights, _ = read_run(exp)
    network = A3T.from_config(config)
    network.load_state_dict(weights)
    return A3TSystem(network, exp.name, bool((config.get("data") or {}).get("speech_only")))


def systems_on_clips(setting: Setting) -> list[tuple[System, str, HeldOutClip]]:
    """Pair every run, and the mean spectrum, with clips of both kinds of voices."""
    options = setting.options
    store = Store(options.features)
    clips = [
        (kind, clip)
        for kind, split in SPLITS.items()
        for clip in clips_of(store, split, options.clips, options.frames)
    ]
    if not clips:
        raise InputError(f"{options.features} has no test clips: extract their features first.")
    for run in options.runs:
        names = [clip.name for _, clip in clips]
        refuse_trained_on(own_split(run.name, run), names, run.name)
    systems = [*map(system_of, options.runs), MeanSpectrum()]
    return [(system, kind, clip) for system in systems for kind, clip in clips]


def compare(item: tuple[System, str, HeldOutClip], setting: Setting) -> Iterator[Row]:
    """Compare a system's frames with the recording's: sums over the masked frames."""
    system, kind, clip = item
    gap = open_gap(clip, clip.region, clip.durations[slice(*clip.region)])
    first, last = gap.frame_span
    filled, true = torch.from_numpy(system.fill(gap)), torch.from_numpy(clip.mel[first:last])
    yield {
        "run": f"({system.name})" if isinstance(system, MeanSpectrum) else system.name,
        "voices": kind,
        "clips": 1,
        "frames": last - first,
        "l1": float((filled - true).abs().mean(-1).sum()),
        "decibels": float(cepstral_distance(filled, true).sum()),
        "detail": detail(true.numpy(), filled.numpy()),
    }


MEASUREMENT = Measurement(
    systems_on_clips,
    compare,
    [
        Table(
            (
                rate("L1", "l1", "frames", ".3f", per=1),
                rate("dB", "decibels", "frames", per=1, form=".2f"),
                rate("detail", "detail", "clips", per=1, form=".2f"),
            ),
            ("run", "voices"),
        )
    ],
    (
        option("runs", type=Path, nargs="+", metavar="RUN"),
        option(
            "--features", type=Path, required=True, metavar="STORE",
            help="features from training.extract",
        ),
        option(
            "--clips", type=int, default=40, metavar="N", help="for each of seen and unseen voices"
        ),
        option("--frames", type=int, metavar="N", help="crop each clip (default: all)"),
    ),
)  # fmt: skip
