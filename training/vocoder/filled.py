"""Mels of cached clips in which A3T has filled half of the words: what the vocoder gets from it.

``python -m training.vocoder.filled CACHE FEATURES`` fills every clip that both folders have, its
durations as they were recorded; the vocoder's training then draws windows of them beside recorded
ones (``filled`` of `training.vocoder.vocoder_data.WindowConfig`).
"""

from __future__ import annotations

import argparse
import json
import os
import zlib
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
from tqdm import tqdm

from a3t.grid import FRAMES_PER_SECOND
from training.programs import Program, option
from training.vocoder.waveforms import MELS, PLACES, FilledClip, Waveforms

RUN = (0.6, 2.0)  # seconds that are filled at once
KEPT = (0.4, 1.0)  # seconds between two runs


def drawn_runs(ends: Sequence[int], random: np.random.Generator) -> list[tuple[int, int]]:
    """Draw runs of whole words to fill, of the lengths `RUN` and `KEPT` in turn.

    The words are known by their ends in frames.
    """
    runs: list[tuple[int, int]] = []
    at = 0
    for place in range(2 * len(ends)):
        low, high = (KEPT, RUN)[place % 2]
        wanted = at + random.uniform(low, high) * FRAMES_PER_SECOND
        following = bisect_left(ends, wanted)
        if following == len(ends):
            break
        if place % 2:
            runs.append((at, ends[following]))
        at = ends[following]
    return runs


def prepare(cache: Path, features: Path, model_name: str) -> None:
    """Write the filled mels into the cache's folder, the index last."""
    from a3t.model.loading import load_networks
    from a3t.model.masking import MaskedMel, fill
    from a3t.rendering.mel_corrections import levelled
    from a3t.text.phones import PHONES
    from training.features.store import Store

    model = load_networks(model_name).model
    store = Store(features)
    known = {clip.name: clip for clip in store.of_split("train")}
    mels, places, total = [], [], 0
    for entry in tqdm(Waveforms(cache, "train").entries, unit="clip", disable=None):
        clip = known.get(entry.name)
        if clip is None:
            continue
        stored = store.read(clip)
        ends = np.cumsum(stored.durations)
        lasts = np.flatnonzero(np.diff(stored.words, append=-2) * (stored.words >= 0))  # of words
        random = np.random.default_rng(zlib.crc32(entry.name.encode()))
        runs = drawn_runs(ends[lasts].tolist(), random)
        if not runs:
            continue
        phone_of_frame = np.repeat(np.arange(len(stored.phones)), stored.durations)
        mel, masked = torch.from_numpy(stored.mel).float(), np.zeros(len(stored.mel), bool)
        for first, last in runs:
            masked[first:last] = True
        item = MaskedMel(mel, masked, stored.phones.tolist(), phone_of_frame)
        symbols = [PHONES[phone] for phone in stored.phones]
        filled = levelled(fill(model, item), masked, symbols, phone_of_frame)
        mels.append(filled.numpy().astype(np.float16))
        places.append(FilledClip(entry.name, total, len(mel), runs))
        total += len(mel)
    np.save(cache / MELS, np.concatenate(mels))
    index = cache / (PLACES + ".tmp")
    index.write_text("".join(json.dumps(asdict(place)) + "\n" for place in places))
    os.replace(index, cache / PLACES)


def work(options: argparse.Namespace) -> None:
    """Fill clips as the options say."""
    torch.set_num_threads(options.threads)
    prepare(options.cache, options.features, options.model)


main = Program(
    work,
    option("cache", type=Path, help="folder of training.vocoder.waveforms"),
    option("features", type=Path, help="feature store (training.extract)"),
    option("--model", default="small", help="the A3T model that fills"),
    option("--threads", type=int, default=1),
)


if __name__ == "__main__":
    raise SystemExit(main())
