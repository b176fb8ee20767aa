"""Trains the phone network: python -m training.alignment.train_phones FOLDER --out FILE

FOLDER holds recordings and, beside each, its alignment, as `python -m alignment corpus FOLDER
--ending .json` writes them (a .TextGrid will do, but has no scores: nothing is doubted); or an
`alignments.jsonl` (also .xz), an object a line with the `path` of a recording below FOLDER, its
`alignment`, and optionally its `weight` (1): how often it is heard, against others as long. Each
epoch hears every clip otherwise: another tract, another pace, in rooms, noise, music, beside
another talker, in narrow bands, with pauses of its own room tone between its words
(training.alignment.degradation). Words that their alignment doubts teach nothing. Runs on one core;
torch is needed. --begin takes the weights of a network that has these layers or some of them,
--state goes on from where --minutes ended the last run.

The weights that ship: the aligner's, which have no branch (of an earlier state of this program):
10,000 steps (an hour of a busy core) on 4353 recordings, 8.0 h of LibriSpeech, LJ Speech, VCTK,
Kathleen and Common Voice, aligned by the aligner before (PocketSphinx refined by a smaller
network). `sequence_network.safetensors`, for confidences and recognition, begun with those: 5,200
steps (50 minutes of a busy core), in which a path might leave out short phones, and 4,500 (55
minutes) of this loss, by a script, at half the rate, which fell over the last 70%, on 8383
recordings, about 12 h of the same corpora and speechocean762, aligned by the network aligner
itself; weights 2 for Common Voice, 0.4 for speechocean762, whose speakers learn English. Left out
of both were three readers, twenty of Common Voice's voices, and one prompt in 33 of the rest;
evaluation/hearing/aligner_held_out.txt has those that nothing else was fitted to either, but for
what the benchmarks themselves say.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from alignment.network.phone_network import Weights, load_weights
from training.alignment.degradation import Backgrounds
from training.alignment.examples import (
    UNSURE,
    Example,
    Examples,
    folder_examples,
    pairs,
    segment,
    with_bands_hidden,
)
from training.alignment.phone_model import begin, network, weights_of
from training.alignment.sequence_loss import sequence_loss
from training.programs import Program, option

BATCH = 12
RATE = 2e-3
WARM_UP = 0.1  # of the steps
FRAME, SEQUENCE = 0.5, 1.5  # what the losses of each frame and of sequences count for


def train(
    examples: Sequence[Example],
    steps: int,
    rate: float = RATE,
    seed: int = 0,
    checkpoint: Callable[[Any], None] | None = None,
    beginning: Weights | None = None,
    state: Path | None = None,
    minutes: float = math.inf,
) -> Any:
    """`steps` of AdamW on random segments, in bfloat16 where the processor has it: cross-entropy of
    each frame's phone and `sequence_loss`, both printed. Returns the mean of the networks along the
    way, the latest of which count most.

    `checkpoint`: called with that mean after every thousand steps; `beginning`: weights to begin
    with, see `begin`. After `minutes` it stops, and goes on from `state` when it is called again.
    """
    import torch

    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    backgrounds = Backgrounds.synthesised(120.0, random)
    model = network()
    clips = Examples.of(examples)
    followers = torch.from_numpy(pairs(examples).astype(np.float32))

    def batch() -> tuple[Any, Any]:
        parts = [segment(clips, backgrounds, random) for _ in range(BATCH)]
        inputs = with_bands_hidden(np.stack([each for each, _ in parts]), random)
        wanted = np.stack([each for _, each in parts]).astype(np.int64)
        return torch.from_numpy(inputs), torch.from_numpy(wanted)

    if beginning is not None:
        begin(model, beginning, batch()[0])
    mean = torch.optim.swa_utils.AveragedModel(
        model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.998), use_buffers=True
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, rate, total_steps=steps, pct_start=WARM_UP
    )
    parts = {"model": model, "mean": mean, "optimizer": optimizer, "schedule": schedule}
    first = 0
    if state is not None and state.is_file():
        saved = torch.load(state, weights_only=True)
        first = saved.pop("step")
        for name, part in parts.items():
            part.load_state_dict(saved[name])
        random = np.random.default_rng((seed, first))
    model.train()
    average = np.zeros(2)
    started = time.monotonic()
    for step in range(first, steps):
        if time.monotonic() - started > 60 * minutes:
            break
        inputs, wanted = batch()
        with torch.autocast("cpu", torch.bfloat16):
            logits, scores = model(inputs)
        each = torch.nn.functional.cross_entropy(
            logits.flatten(0, 1).float(), wanted.flatten(), ignore_index=UNSURE
        )
        whole = sequence_loss(scores, wanted, followers)
        optimizer.zero_grad()
        (FRAME * each + SEQUENCE * whole).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        mean.update_parameters(model)
        losses = np.array([each.item(), whole.item()])
        average = losses if step == first else 0.98 * average + 0.02 * losses
        if step % 100 == 99:
            print(
                f"step {step + 1}: loss {average[0]:.3f}, of sequences {average[1]:.3f}", flush=True
            )
        if checkpoint is not None and step % 1000 == 999:
            checkpoint(mean.module)
        if state is not None and (step % 200 == 199 or step == steps - 1):
            states = {name: part.state_dict() for name, part in parts.items()}
            torch.save({**states, "step": step + 1}, state.with_suffix(".part"))
            state.with_suffix(".part").replace(state)
    return mean.module.eval()


def save(model: Any, followers: np.ndarray, path: Path) -> None:
    """Writes the network's weights and `pairs` of the examples, halved."""
    from safetensors.numpy import save_file

    weights = {**weights_of(model), "pairs": followers}
    save_file({name: value.astype(np.float16) for name, value in weights.items()}, path)


def work(options: argparse.Namespace) -> None:
    left_out = options.left_out.read_text("utf-8").split() if options.left_out else ()
    examples = folder_examples(options.folder, frozenset(left_out))
    print(f"{len(examples)} recordings", flush=True)
    followers = pairs(examples)
    model = train(
        examples,
        options.steps,
        checkpoint=lambda model: save(model, followers, options.out),
        beginning=load_weights(options.begin) if options.begin else None,
        state=options.state,
        minutes=options.minutes,
    )
    save(model, followers, options.out)


main = Program(
    work,
    option("folder", type=Path, metavar="FOLDER"),
    option("--out", type=Path, required=True, metavar="FILE.safetensors"),
    option("--steps", type=int, default=10_000, metavar="N"),
    option("--begin", type=Path, metavar="FILE.safetensors", help="initial weights"),
    option(
        "--state", type=Path, metavar="FILE.pt", help="file to resume from and to save to",
    ),
    option("--minutes", type=float, default=math.inf, help="stop after so many minutes"),
    option(
        "--left-out", type=Path, metavar="FILE",
        help="names of recordings to leave out, one per line",
    ),
)  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
