"""Tune the network of sequences for segments: python -m training.live.train_segments CONFIG FOLDER
--out DIR

FOLDER is as for training.alignment.train_phones. The network that ships learns to look ahead only
to the end of a segment: of those that it learns to cut itself, of 280 ms each, or of what lies
between pauses. ``minutes`` are the processor's, so that the three are trained for equal time; the
same command resumes. `python -m evaluation live --segments DIR` compares them.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from a3t.errors import InputError
from a3t.learning.loop import CHECKPOINT, Losses
from alignment.network.phone_network import INDEX, SEQUENCE_WEIGHTS, SLOWER, load_weights
from alignment.result import PAUSE
from training.alignment.examples import UNSURE, Example, folder_examples, pairs
from training.alignment.segments import SEGMENT, Backgrounds, Clips, segments
from training.alignment.sequence_loss import sequence_loss
from training.alignment.train_phones import FRAME, SEQUENCE
from training.configuration import read_config, settings
from training.live.segmented_network import SegmentedNetwork, number_loss
from training.programs import Program, option
from training.training_runs import TrainingSchedule, carry_out, initial_weights, require_done

KINDS = ("learnt", "fixed", "pauses")
FIXED = 7  # times 40 ms: the paper's 280
PAUSED, LONGEST = 3, 50  # times 40 ms of a pause that ends a segment, and of the longest segment
HALF = 0.5  # the probability from which a segment ends
BOUNDARY_RATE = 10.0  # of the network that decides, which is new, against the other's
LAST = 64  # added to the label of a phone that ends a word


@dataclass(frozen=True)
class SegmentSettings:
    """kind: one of KINDS. batch: segments of sound a step. noise: before the sigmoid. number: the
    weight of `number_loss`."""

    kind: str = "learnt"
    batch: int = 8
    noise: float = 1.0
    number: float = 0.3

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InputError(f"kind must be one of {', '.join(KINDS)}, not {self.kind}.")


def fixed_ends(count: int, phase: int = 0) -> np.ndarray:
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


def with_word_ends(example: Example) -> Example:
    """The example, LAST added to the labels of phones that end a word."""
    ending = example.last & (example.symbols != UNSURE)
    return replace(example, symbols=(example.symbols + LAST * ending).astype(np.uint8))


class SegmentTraining:
    """Cross-entropy of each frame's phone, `sequence_loss`, and for learnt segments their number's
    term."""

    def __init__(self, config: dict[str, Any], examples: Sequence[Example]) -> None:
        self.chosen = settings(SegmentSettings, config.get("segments"))
        self.schedule = settings(TrainingSchedule, config["training"])
        torch.manual_seed(self.schedule.seed)
        self.model = SegmentedNetwork(load_weights(SEQUENCE_WEIGHTS))
        cpu = torch.device("cpu")
        self.clips = Clips.of([with_word_ends(each) for each in examples], cpu)
        random = np.random.default_rng(self.schedule.seed)
        self.backgrounds = Backgrounds.synthesised(60.0, random, cpu)
        self.followers = torch.from_numpy(pairs(examples).astype(np.float32))

    def drawn(self, step: int) -> tuple[Tensor, Tensor, Tensor]:
        """The network's input (B, K, BANDS), its phones (B, T), and the words that end (B,)."""
        draw = torch.Generator().manual_seed(self.schedule.seed * 1_000_003 + step)
        inputs, labels = segments(self.clips, self.backgrounds, self.chosen.batch, draw)
        sure = labels != UNSURE
        last = sure & (labels >= LAST)
        begun = last & ~F.pad(last, (1, 0))[:, :-1]
        return inputs, torch.where(sure, labels % LAST, labels), begun.sum(1)

    def ends(self, inputs: Tensor, phones: Tensor, step: int) -> Tensor:
        """The probability that a segment ends with each 40 ms, (B, S); all but learnt ones are
        certain."""
        if self.chosen.kind == "learnt":
            found: Tensor = self.model.boundary(inputs, self.chosen.noise)
            return found
        if self.chosen.kind == "fixed":
            phases = np.random.default_rng((self.schedule.seed, step)).integers(
                FIXED, size=len(phones)
            )
            each = [fixed_ends(SEGMENT // SLOWER, int(phase)) for phase in phases]
        else:
            each = [
                pause_ends(own) for own in (phones[:, SLOWER - 1 :: SLOWER] == INDEX[PAUSE]).numpy()
            ]
        return torch.from_numpy(np.stack(each))

    def losses(self, step: int) -> Losses:
        inputs, phones, words = self.drawn(step)
        ends = self.ends(inputs, phones, step)
        logits, scores = self.model(inputs, ends)
        frames = F.cross_entropy(logits.flatten(0, 1), phones.flatten(), ignore_index=UNSURE)
        sequences = sequence_loss(scores, phones, self.followers)
        total = FRAME * frames + SEQUENCE * sequences
        found = {"frames": frames, "sequences": sequences}
        if self.chosen.kind == "learnt":
            found["number"] = number_loss(ends, words)
            total = total + self.chosen.number * found["number"]
        found["segments_a_word"] = ends.detach().sum() / words.clamp(min=1).sum()
        return {"total": total, **found}

    def validate(self) -> dict[str, float]:
        return {}


def load_segmented(run: Path) -> tuple[str, SegmentedNetwork]:
    """The kind of a run's segments, and its network with averaged weights."""
    chosen = settings(SegmentSettings, read_config(run / "config.yaml").get("segments"))
    network = SegmentedNetwork(load_weights(SEQUENCE_WEIGHTS))
    network.load_state_dict(initial_weights(str(run / CHECKPOINT)))
    return chosen.kind, network.eval()


def work(options: argparse.Namespace) -> None:
    config = read_config(options.config)
    given = {"minutes": options.minutes, "steps": options.steps}
    config["training"] |= {name: value for name, value in given.items() if value}
    left_out = options.left_out.read_text("utf-8").split() if options.left_out else ()
    examples, _ = folder_examples(options.folder, options.examples, frozenset(left_out))
    training = SegmentTraining(config, examples)
    rates = {"boundary": BOUNDARY_RATE}
    facts: dict[str, Any] = {"recordings": len(examples)}
    require_done(carry_out(training, options.out, config, rates=rates, **facts))


main = Program(
    work,
    option("config", type=Path, metavar="CONFIG"),
    option("folder", type=Path, metavar="FOLDER"),
    option("--out", type=Path, required=True, metavar="DIR"),
    option("--examples", type=Path, required=True, metavar="DIR", help="keeps decoded recordings"),
    option("--minutes", type=float, metavar="N", help="instead of the configuration's"),
    option("--steps", type=int, metavar="N", help="likewise"),
    option("--left-out", type=Path, metavar="FILE", help="names of recordings, one a line"),
)


if __name__ == "__main__":
    raise SystemExit(main())
