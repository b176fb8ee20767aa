"""A toy store and a network that trains on it in seconds."""

from pathlib import Path
from typing import Any

import torch
import yaml

from tests.training.stores import write_store
from training.configuration import merge
from training.features.store import Store

CONFIG: dict[str, Any] = {
    "model": {
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
    "masking": {"scheme": "thesis", "arguments": {"ratio": 0.5, "mean_span": 3.0}},
    "data": {"batch_frames": 150, "jitter": 1, "shift_rows": True},  # three or four clips
    "training": {"noam": 16, "rate": 1.0, "warmup": 20, "seed": 7, "steps": 16, "epoch": 4},
    "espnet": {
        "precision": "float32",
        "num_workers": 0,
        "log_interval": 1,
        "keep_nbest_models": 2,
    },
}


def write_corpus(folder: Path) -> Store:
    return write_store(folder, {"train": 12, "dev": 4}, pitch=True, phones=11, longest=7)


def command(features: Path, out: Path, *more: str, config: dict | None = None) -> list[str]:
    """Arguments for ``training.espnet.train`` that train on the toy store into ``out``."""
    out.mkdir(parents=True, exist_ok=True)
    settings = out.parent / f"{out.name}.yaml"
    settings.write_text(yaml.safe_dump(merge(CONFIG, config or {})))
    given = ["--config", str(settings), "--features", str(features), "--output_dir", str(out)]
    return [*given, "--ngpu", "0", *more]


def state(out: Path, name: str = "checkpoint.pth") -> dict[str, Any]:
    return torch.load(out / name, weights_only=False)


def losses(out: Path, name: str = "checkpoint.pth") -> list[tuple[float, float]]:
    """Training and validation loss of each epoch."""
    stats = state(out, name)["reporter"]["stats"]
    return [(stats[k]["train"]["loss"], stats[k]["valid"]["loss"]) for k in sorted(stats)]
