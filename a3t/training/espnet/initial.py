"""A packed model's weights as what an ESPnet run starts from (``--init_param``).

python -m a3t.training.espnet.initial small exp/small.pth
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import torch

from a3t.audio.files import atomic_path
from a3t.console import run
from a3t.pretrained import load_checkpoint
from a3t.training.espnet.pack import NETWORK


def write_initial(model: str, target: Path) -> None:
    """``model``: a shipped model's name or a folder; InputError if it can't be read."""
    _, tensors, _ = load_checkpoint(model)
    state = {
        f"{NETWORK}{name}": value.float() if value.is_floating_point() else value
        for name, value in tensors.items()
    }
    target.parent.mkdir(parents=True, exist_ok=True)
    with atomic_path(target) as temporary:
        torch.save(state, temporary)


def main(arguments: Sequence[str] | None = None) -> int:
    """0 done, 1 there is no such model."""
    parser = argparse.ArgumentParser(
        prog="python -m a3t.training.espnet.initial", description=__doc__
    )
    parser.add_argument("model")
    parser.add_argument("target", type=Path)
    options = parser.parse_args(arguments)
    return run(lambda: write_initial(options.model, options.target))


if __name__ == "__main__":
    sys.exit(main())
