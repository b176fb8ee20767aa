"""A toy corpus as the feature dump leaves it, and a network that trains on it in seconds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml

CONFIG = {
    "model_conf": {
        "vocabulary": 73,
        "width": 16,
        "heads": 2,
        "hidden": 16,
        "encoder_blocks": 1,
        "decoder_blocks": 1,
        "encoder_kernel": 3,
        "decoder_kernel": 3,
        "feed_forward_kernel": 1,
        "alignment_rows": 50,
        "postnet_channels": 8,
        "postnet_layers": 2,
        "dropout": 0.1,
        "postnet_dropout": 0.1,
    },
    "masking_conf": {"scheme": "thesis", "arguments": {"ratio": 0.5, "mean_span": 3.0}},
    "data_conf": {"jitter": 1, "shift_rows": True},
    "optim_conf": {"lr": 1.0},
    "scheduler_conf": {"model_size": 16, "warmup_steps": 20},
    "batch_bins": 12_000,  # mel elements: three or four clips
    "seed": 7,
    "num_workers": 0,
    "log_interval": 1,
    "keep_nbest_models": 2,
}


def write_split(folder: Path, clips: int, seed: int) -> None:
    """``mel.scp`` with its arrays, ``phones``, ``durations``, ``words`` and ``mel_shape``."""
    rng = np.random.default_rng(seed)
    (folder / "mel").mkdir(parents=True)
    lines: dict[str, list[str]] = {k: [] for k in ("mel.scp", "phones", "durations", "words")}
    shapes = []
    for k in range(clips):
        name = f"clip{seed}{k:02d}"
        durations = rng.integers(2, 6, rng.integers(8, 14))
        mel = rng.normal(size=(durations.sum(), 80)).astype(np.float16)
        path = folder / "mel" / f"{name}.npy"
        np.save(path, mel)
        words = np.arange(len(durations)) // 3
        phones = rng.integers(2, 70, len(durations))
        for key, value in (("phones", phones), ("durations", durations), ("words", words)):
            lines[key].append(f"{name} {' '.join(map(str, value))}")
        lines["mel.scp"].append(f"{name} {path}")
        shapes.append(f"{name} {len(mel)},80")
    for key, rows in (*lines.items(), ("mel_shape", shapes)):
        (folder / key).write_text("\n".join(rows) + "\n")


def write_corpus(folder: Path) -> None:
    write_split(folder / "train", clips=12, seed=1)
    write_split(folder / "dev", clips=4, seed=2)


def command(corpus: Path, out: Path, *more: str, config: dict | None = None) -> list[str]:
    """Arguments for ``a3t.training.espnet.train`` that train on the toy corpus into ``out``."""
    out.mkdir(parents=True, exist_ok=True)
    settings = out.parent / f"{out.name}.yaml"
    settings.write_text(yaml.safe_dump({**CONFIG, **(config or {})}))
    result = ["--config", str(settings), "--output_dir", str(out), "--ngpu", "0"]
    for split, option in (("train", "train"), ("dev", "valid")):
        for file, name, kind in (
            ("mel.scp", "mel", "npy"),
            ("phones", "phones", "text_int"),
            ("durations", "durations", "text_int"),
            ("words", "words", "text_int"),
        ):
            path = corpus / split / file
            result += [f"--{option}_data_path_and_name_and_type", f"{path},{name},{kind}"]
        result += [f"--{option}_shape_file", str(corpus / split / "mel_shape")]
    return [*result, *more]


def state(out: Path) -> dict[str, Any]:
    return torch.load(out / "checkpoint.pth", weights_only=False)


def losses(out: Path) -> list[tuple[float, float]]:
    """Training and validation loss of each epoch."""
    stats = state(out)["reporter"]["stats"]
    return [(stats[k]["train"]["loss"], stats[k]["valid"]["loss"]) for k in sorted(stats)]
