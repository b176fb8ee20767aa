"""Trains the phone network: python -m alignment.training.train_phones FOLDER --out FILE

FOLDER holds recordings and, beside each, its alignment (.TextGrid or .json), as
`python -m alignment corpus` writes them; or an `alignments.jsonl` (also .xz), an object a line with
the `path` of a recording below FOLDER and its `alignment`. Each epoch hears every clip otherwise:
another tract, another pace, in rooms, noise, music, beside another talker, in narrow bands, with
pauses of its own room tone between its words (alignment.training.degradation). Words that their
alignment doubts teach nothing. Runs on one core; torch is needed.

The weights that ship: 10,000 steps (an hour of a busy core) on 4353 recordings, 8.0 h of
LibriSpeech, LJ Speech, VCTK, Kathleen and Common Voice, aligned by the aligner before (PocketSphinx
refined by a smaller network). Left out were three readers, twenty of Common Voice's voices, and
one prompt in 33 of the rest; benchmarks/aligner_held_out.txt has those that nothing else was
fitted to either.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from alignment.errors import AlignmentError
from alignment.network.phone_network import BANDS, DILATIONS, STRIDE, SYMBOLS, WIDTH
from alignment.training.degradation import Backgrounds
from alignment.training.examples import (
    UNSURE,
    Example,
    folder_examples,
    pairs,
    segment,
    with_bands_hidden,
)

BATCH = 12


def network() -> Any:
    """The network in torch. `weights_of` gives what phone_network reads."""
    from torch import Tensor, nn

    class PhoneNetwork(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.input = nn.Conv1d(BANDS, WIDTH, 7, stride=STRIDE, padding=3, bias=False)
            self.input_norm = nn.BatchNorm1d(WIDTH)
            for number, dilation in enumerate(DILATIONS):
                block = nn.Conv1d(WIDTH, WIDTH, 3, padding=dilation, dilation=dilation, bias=False)
                self.add_module(f"block{number}", block)
                self.add_module(f"block{number}_norm", nn.BatchNorm1d(WIDTH))
            self.output = nn.Linear(WIDTH, len(SYMBOLS))
            self.dropout = nn.Dropout(0.1)

        def forward(self, frames: Tensor) -> Tensor:
            """(B, K, BANDS) -> logits (B, K / 2, 40)."""
            hidden = self.input_norm(self.input(frames.transpose(1, 2))).relu()
            for number in range(len(DILATIONS)):
                block = self.get_submodule(f"block{number}")
                norm = self.get_submodule(f"block{number}_norm")
                hidden = hidden + self.dropout(norm(block(hidden)).relu())
            return self.output(hidden.transpose(1, 2))

    return PhoneNetwork()


def train(
    examples: Sequence[Example],
    steps: int,
    rate: float = 2e-3,
    seed: int = 0,
    checkpoint: Any = None,
) -> Any:
    """`steps` of AdamW on random segments, in bfloat16 where the processor has it; prints the
    loss. Returns the mean of the networks along the way, the latest of which count most.

    `checkpoint`: called with that mean after every thousand steps."""
    import torch

    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    backgrounds = Backgrounds.synthesised(120.0, random)
    model = network()
    mean = torch.optim.swa_utils.AveragedModel(
        model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.998), use_buffers=True
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, rate, total_steps=steps, pct_start=0.15
    )
    model.train()
    average = 0.0
    for step in range(steps):
        batch = [segment(examples, backgrounds, random) for _ in range(BATCH)]
        inputs = with_bands_hidden(np.stack([each for each, _ in batch]), random)
        wanted = torch.from_numpy(np.stack([each for _, each in batch]).astype(np.int64))
        with torch.autocast("cpu", torch.bfloat16):
            logits = model(torch.from_numpy(inputs))
        loss = torch.nn.functional.cross_entropy(
            logits.flatten(0, 1).float(), wanted.flatten(), ignore_index=UNSURE
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
        if checkpoint is not None and step % 1000 == 999:
            checkpoint(mean.module)
    return mean.module.eval()


def weights_of(model: Any) -> dict[str, np.ndarray]:
    """As phone_network reads them: each normalisation is part of its convolution."""
    state = {name: value.detach().float().numpy() for name, value in model.state_dict().items()}
    result = {name: state[name] for name in ("output.weight", "output.bias")}
    for name in ("input", *(f"block{number}" for number in range(len(DILATIONS)))):
        norm = f"{name}_norm"
        scale = state[f"{norm}.weight"] / np.sqrt(state[f"{norm}.running_var"] + 1e-5)
        result[f"{name}.weight"] = state[f"{name}.weight"] * scale[:, None, None]
        result[f"{name}.bias"] = state[f"{norm}.bias"] - state[f"{norm}.running_mean"] * scale
    return result


def save(model: Any, followers: np.ndarray, path: Path) -> None:
    """Writes the network's weights and `pairs` of the examples, halved."""
    from safetensors.numpy import save_file

    weights = {**weights_of(model), "pairs": followers}
    save_file({name: value.astype(np.float16) for name, value in weights.items()}, path)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m alignment.training.train_phones")
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.safetensors")
    parser.add_argument("--steps", type=int, default=10_000, metavar="N")
    parser.add_argument(
        "--left-out", type=Path, metavar="FILE", help="names of recordings to leave out, one a line"
    )
    options = parser.parse_args(arguments)
    try:
        left_out = options.left_out.read_text("utf-8").split() if options.left_out else ()
        examples = folder_examples(options.folder, frozenset(left_out))
    except (AlignmentError, OSError) as error:
        print(f"alignment: {error}", file=sys.stderr)
        return 1
    print(f"{len(examples)} recordings", flush=True)
    followers = pairs(examples)
    model = train(
        examples, options.steps, checkpoint=lambda model: save(model, followers, options.out)
    )
    save(model, followers, options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
