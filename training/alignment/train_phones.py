"""Trains the phone network: python -m training.alignment.train_phones FOLDER --out FILE

FOLDER holds recordings and, beside each, its alignment, as `python -m alignment corpus FOLDER
--ending .json` writes them (a .TextGrid will do, but has no scores: nothing is doubted); or an
`alignments.jsonl` (also .xz), an object a line with the `path` of a recording below FOLDER, its
`alignment`, and optionally its `weight` (1): how often it is heard, against others as long. Each
epoch hears every clip otherwise: another tract, another pace, in rooms, noise, music, beside
another talker, in narrow bands, with pauses of its own room tone between its words
(training.alignment.segments). Words that their alignment doubts teach nothing. Torch is needed.
Whatever comes first ends it, --steps or --minutes, and the rate falls to zero there. --begin takes
the weights of a network that has these layers or some of them; --state saves where it is, and goes
on from there. --left-out has names of recordings that it doesn't learn from: of those the loss and
the share of wrong phones are printed every 500 steps.

The segments are made where the network is. A core of a CPU takes 12 in a step; for a GPU:
--device cuda --batch 128 --minutes 9 --steps 1000000.

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

from alignment.network.phone_network import SLOW_WIDTH, Weights, load_weights
from training.alignment.examples import UNSURE, Example, folder_examples, pairs
from training.alignment.phone_model import begin, network, weights_of
from training.alignment.sequence_loss import sequence_loss
from training.programs import Program, option

BATCH = 12
RATE = 2e-3
WARM_UP = 0.05  # of the training
FRAME, SEQUENCE = 0.5, 1.5  # what the losses of each frame and of sequences count for
HEARD_OUT = 256  # held-out segments


def train(
    examples: Sequence[Example],
    steps: int,
    rate: float = RATE,
    seed: int = 0,
    checkpoint: Callable[[Any], None] | None = None,
    beginning: Weights | None = None,
    state: Path | None = None,
    minutes: float = math.inf,
    batch: int = BATCH,
    device: str = "cpu",
    slow_width: int = SLOW_WIDTH,
    held_out: Sequence[Example] = (),
) -> Any:
    """AdamW on random segments, a `batch` in a step: cross-entropy of each frame's phone and
    `sequence_loss`, both printed. Ends after so many `steps` or `minutes`. Returns the
    mean of the networks along the way, the latest of which count most.

    `checkpoint`: called with that mean after every 500 steps; `beginning`: weights to begin with,
    see `begin`; `state`: a file to go on from, and to save to.
    """
    import torch

    from training.alignment.segments import Backgrounds, Clips, segments

    torch.manual_seed(seed)
    place = torch.device(device)
    torch.backends.cudnn.benchmark = True
    backgrounds = Backgrounds.synthesised(120.0, np.random.default_rng(seed), place)
    clips = Clips.of(examples, place)
    followers = torch.from_numpy(pairs(examples).astype(np.float32)).to(place)
    draw = torch.Generator(place).manual_seed(seed)
    model = network(slow_width).to(place)

    def losses(network: Any, inputs: Any, wanted: Any) -> tuple[Any, Any, Any]:
        """The losses of frames and of sequences, and the logits of phones."""
        with torch.autocast(place.type, torch.bfloat16, enabled=place.type != "cpu"):
            logits, scores = network(inputs)
        each = torch.nn.functional.cross_entropy(
            logits.flatten(0, 1).float(), wanted.flatten(), ignore_index=UNSURE
        )
        return each, sequence_loss(scores, wanted, followers), logits

    strange = []
    if held_out:
        others = Clips.of(held_out, place)
        fixed = torch.Generator(place).manual_seed(1)
        size = min(batch, HEARD_OUT)
        strange = [segments(others, backgrounds, size, fixed) for _ in range(HEARD_OUT // size)]

    def report(network: Any) -> str:
        found = []
        network.eval()
        with torch.no_grad():
            for inputs, wanted in strange:
                each, whole, logits = losses(network, inputs, wanted)
                wrong = (logits.argmax(2) != wanted)[wanted != UNSURE].float().mean()
                found.append([each.item(), whole.item(), wrong.item()])
        each, whole, wrong = np.mean(found, axis=0)
        return f"held out {each:.3f}, of sequences {whole:.3f}, wrong phones {wrong:.2%}"

    if beginning is not None:
        begin(model, beginning, segments(clips, backgrounds, batch, draw)[0])
        if strange:
            print(f"at the beginning: {report(model)}", flush=True)
    mean = torch.optim.swa_utils.AveragedModel(
        model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.998), use_buffers=True
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=1e-2)
    parts = {"model": model, "mean": mean, "optimizer": optimizer}
    first, spent = 0, 0.0
    if state is not None and state.is_file():
        saved = torch.load(state, weights_only=True, map_location=place)
        first, spent = saved.pop("step"), saved.pop("seconds")
        for name, part in parts.items():
            part.load_state_dict(saved[name])
        draw.manual_seed(seed + first)
    model.train()
    average: Any = None
    started = time.monotonic() - spent
    step = first
    while (done := max(step / steps, (time.monotonic() - started) / 60 / minutes)) < 1:
        for group in optimizer.param_groups:
            group["lr"] = rate * share_of_rate(done)
        each, whole, _ = losses(model, *segments(clips, backgrounds, batch, draw))
        optimizer.zero_grad()
        (FRAME * each + SEQUENCE * whole).backward()
        if torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0).isfinite():
            optimizer.step()
        mean.update_parameters(model)
        latest = torch.stack([each.detach(), whole.detach()])
        average = latest if average is None else 0.98 * average + 0.02 * latest
        step += 1
        if step % 100 == 0:
            frames, sequences = average.tolist()
            print(f"step {step}: loss {frames:.3f}, of sequences {sequences:.3f}", flush=True)
        if step % 500 == 0 and strange:
            print(f"step {step}, {done:.0%}: {report(mean.module)}", flush=True)
        if step % 500 == 0 and checkpoint is not None:
            checkpoint(mean.module)
        if state is not None and (step % 200 == 0 or step == steps):
            states = {name: part.state_dict() for name, part in parts.items()}
            seconds = time.monotonic() - started
            torch.save({**states, "step": step, "seconds": seconds}, state.with_suffix(".part"))
            state.with_suffix(".part").replace(state)
    if strange:
        print(f"step {step}, at the end: {report(mean.module)}", flush=True)
    return mean.module.eval()


def share_of_rate(done: float) -> float:
    """The rate after such a share of the training, of the highest: it rises, then falls to zero."""
    if done < WARM_UP:
        return 0.04 + 0.96 * done / WARM_UP
    return 0.5 + 0.5 * math.cos(math.pi * (done - WARM_UP) / (1 - WARM_UP))


def save(model: Any, followers: np.ndarray, path: Path) -> None:
    """Writes the network's weights and `pairs` of the examples, halved."""
    from safetensors.numpy import save_file

    weights = {**weights_of(model), "pairs": followers}
    save_file({name: value.astype(np.float16) for name, value in weights.items()}, path)


def work(options: argparse.Namespace) -> None:
    left_out = options.left_out.read_text("utf-8").split() if options.left_out else ()
    examples, held_out = folder_examples(options.folder, frozenset(left_out))
    print(f"{len(examples)} recordings, {len(held_out)} held out", flush=True)
    followers = pairs(examples)
    model = train(
        examples,
        options.steps,
        checkpoint=lambda model: save(model, followers, options.out),
        beginning=load_weights(options.begin) if options.begin else None,
        state=options.state,
        minutes=options.minutes,
        batch=options.batch,
        device=options.device,
        slow_width=options.slow_width,
        held_out=held_out,
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
    option("--minutes", type=float, default=math.inf, help="end after so many minutes"),
    option("--batch", type=int, default=BATCH, metavar="N", help=f"segments, default: {BATCH}"),
    option("--device", default="cpu", help="where torch runs: cpu (default), cuda"),
    option(
        "--slow-width", type=int, default=SLOW_WIDTH, metavar="N",
        help=f"width of the network at every 40 ms, default: {SLOW_WIDTH}",
    ),
    option(
        "--left-out", type=Path, metavar="FILE",
        help="names of recordings to leave out, one per line",
    ),
)  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
