"""Fine-tunes the network of sequences for segments: python -m training.alignment.train_segments
FOLDER --kind learnt|fixed|pauses --out FILE.pt

FOLDER and what it holds are as for training.alignment.train_phones. The network that ships learns
to look ahead only to the end of a segment: of those that it learns to cut itself
(training.alignment.segments), of 280 ms each, or of what lies between pauses. Equal steps of each
are compared by evaluation.hearing.live_segments.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from alignment.network.phone_network import (
    INDEX,
    SEQUENCE_WEIGHTS,
    SLOWER,
    STRIDE,
    load_weights,
    normalised,
)
from alignment.result import PAUSE
from training.alignment.degradation import Backgrounds, degraded
from training.alignment.examples import (
    SEGMENT,
    UNSURE,
    Examples,
    excerpt,
    fitted,
    folder_examples,
    labels,
    pairs,
)
from training.alignment.segments import NOISE, number_loss, segmented_network
from training.alignment.sequence_loss import sequence_loss

KINDS = ("learnt", "fixed", "pauses")
FIXED = 7  # times 40 ms: the paper's 280
PAUSED, LONGEST = 3, 50  # times 40 ms of a pause that ends a segment, and of the longest segment
BATCH, RATE, HEAD_RATE = 8, 2e-4, 2e-3
FRAME, SEQUENCE, NUMBER = 0.5, 1.5, 0.3  # what the losses count for


def fixed_ends(count: int, phase: int) -> np.ndarray:
    """1 where a segment of 280 ms ends, (count,), else 0."""
    return ((np.arange(count) + phase) % FIXED == FIXED - 1).astype(np.float32)


def pause_ends(silent: np.ndarray) -> np.ndarray:
    """1 where what was said has been followed by 120 ms of silence, or a segment is 2 s long, of
    flags (S,) of silence every 40 ms."""
    ends = np.zeros(len(silent), np.float32)
    quiet, length = 0, 0
    for place, still in enumerate(silent):
        quiet, length = (quiet + 1 if still else 0), length + 1
        if quiet == PAUSED or length == LONGEST:
            ends[place], length = 1.0, 0
    return ends


def drawn(
    clips: Examples, backgrounds: Backgrounds, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, int]:
    """An excerpt (SEGMENT * STRIDE, BANDS), half of them degraded, its phones (SEGMENT,), and how
    many words end in it."""
    frames = SEGMENT * STRIDE
    power, symbols, ends, last = excerpt(clips.draw(random), frames, random)
    words = int(last.sum())
    power, symbols, ends = fitted(power, symbols, ends, frames, random)
    if random.random() < 0.5:
        other = clips.draw(random).logarithms
        talker = np.exp(np.resize(other, power.shape).astype(np.float32))
        power = degraded(power, backgrounds, talker, random)
    inputs = normalised(power)
    return inputs, labels(symbols, ends, SEGMENT), words


def train(clips: Examples, kind: str, steps: int, state: Path, minutes: float) -> Any:
    """The network after `steps`, in turns of `minutes` that go on from `state`."""
    import torch

    torch.manual_seed(0)
    model = segmented_network(load_weights(SEQUENCE_WEIGHTS))
    groups = [
        {"params": model.held.parameters(), "lr": RATE},
        {"params": model.boundary.parameters(), "lr": HEAD_RATE},
    ]
    optimizer = torch.optim.AdamW(groups, weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, [RATE, HEAD_RATE], total_steps=steps, pct_start=0.1
    )
    parts = {"model": model, "optimizer": optimizer, "schedule": schedule}
    first = 0
    if state.is_file():
        saved = torch.load(state, weights_only=True)
        first = saved.pop("step")
        for name, part in parts.items():
            part.load_state_dict(saved[name])
    random = np.random.default_rng((1, first))
    backgrounds = Backgrounds.synthesised(60.0, random)
    followers = torch.from_numpy(pairs(clips.clips).astype(np.float32))
    slow = SEGMENT // SLOWER
    average, started = np.zeros(4), time.monotonic()
    step = first
    while step < steps and time.monotonic() - started < 60 * minutes:
        inputs, targets, words = zip(
            *[drawn(clips, backgrounds, random) for _ in range(BATCH)], strict=True
        )
        frames = torch.from_numpy(np.stack(inputs))
        wanted = torch.from_numpy(np.stack(targets).astype(np.int64))
        counts = torch.tensor(words)
        if kind == "learnt":
            ends = model.probabilities(frames, NOISE)
        elif kind == "fixed":
            own = [fixed_ends(slow, int(random.integers(FIXED))) for _ in range(BATCH)]
            ends = torch.from_numpy(np.stack(own))
        else:
            silent = [each[SLOWER - 1 :: SLOWER] == INDEX[PAUSE] for each in targets]
            ends = torch.from_numpy(np.stack([pause_ends(each) for each in silent]))
        with torch.autocast("cpu", torch.bfloat16):
            logits, scores = model(frames, ends)
        each = torch.nn.functional.cross_entropy(
            logits.flatten(0, 1).float(), wanted.flatten(), ignore_index=UNSURE
        )
        whole = sequence_loss(scores, wanted, followers)
        number = number_loss(ends, counts)
        loss = FRAME * each + SEQUENCE * whole + (NUMBER * number if kind == "learnt" else 0.0)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        step += 1
        share = float(ends.detach().sum() / counts.clamp(min=1).sum())
        told = np.array([each.item(), whole.item(), number.item(), share])
        average = told if step == first + 1 else 0.95 * average + 0.05 * told
        if step % 25 == 0:
            print(
                f"{kind} step {step}: phones {average[0]:.3f}, sequences {average[1]:.3f}, number "
                f"{average[2]:.3f}, segments a word {average[3]:.2f}, "
                f"{(time.monotonic() - started) / (step - first):.2f} s a step",
                flush=True,
            )
    states = {name: part.state_dict() for name, part in parts.items()}
    torch.save({**states, "step": step}, state.with_suffix(".part"))
    state.with_suffix(".part").replace(state)
    return model


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m training.alignment.train_segments")
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--kind", choices=KINDS, required=True)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.pt")
    parser.add_argument("--steps", type=int, default=600, metavar="N")
    parser.add_argument("--minutes", type=float, default=60.0, help="of this turn")
    parser.add_argument("--left-out", type=Path, metavar="FILE", help="names, one a line")
    options = parser.parse_args(arguments)
    left_out = options.left_out.read_text("utf-8").split() if options.left_out else ()
    clips = Examples.of(folder_examples(options.folder, frozenset(left_out)))
    train(clips, options.kind, options.steps, options.out, options.minutes)


if __name__ == "__main__":
    main()
