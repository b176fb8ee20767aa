"""Train the phone network.

python -m training.alignment.train_phones FOLDER --out FILE

FOLDER holds recordings and, beside each, its alignment, as `python -m alignment corpus FOLDER
--ending .json` writes them (a .TextGrid will do, but has no scores: nothing is doubted); or an
`alignments.jsonl` (also .xz), an object a line with the `path` of a recording below FOLDER, its
`alignment`, and optionally its `weight` (1): how often it is heard, against others as long;
--weight says so of all recordings in a folder. Each
epoch hears every clip otherwise: another tract, another pace, in rooms, noise, music, beside
another talker, in narrow bands, with pauses of its own room tone between its words
(training.alignment.segments). Words that their alignment doubts teach nothing.

The first of --steps and --minutes ends it. --begin takes the weights of a network that has these
layers or some of them. --left-out has names of recordings that it doesn't learn from: the loss and
the share of wrong phones of these are in the log. The checkpoint and the log are in a folder beside
FILE, of its name without the ending: the same command resumes there.

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
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.numpy import save_file
from torch import Tensor

from a3t.learning.loop import Losses
from alignment.network.phone_network import SLOW_WIDTH, load_weights
from training.alignment.examples import UNSURE, Example, folder_examples, pairs
from training.alignment.phone_model import PhoneModel, begin, weights_of
from training.alignment.segments import Backgrounds, Clips, segments
from training.alignment.sequence_loss import sequence_loss
from training.devices import refuse_missing
from training.programs import Program, option
from training.training_runs import TrainingRun, TrainingSchedule, carry_out

BATCH = 12
FRAME, SEQUENCE = 0.5, 1.5  # what the losses of each frame and of sequences count for
HELD_OUT = 256  # held-out segments


class PhoneTraining:
    """Random segments, a `batch` in a step, and their losses.

    They are cross-entropy of each frame's phone, `sequence_loss`, and the share of wrong phones.
    """

    def __init__(
        self,
        examples: Sequence[Example],
        held_out: Sequence[Example],
        schedule: TrainingSchedule,
        batch: int = BATCH,
        device: str = "cpu",
        slow_width: int = SLOW_WIDTH,
    ) -> None:
        self.schedule, self.batch, self.place = schedule, batch, torch.device(device)
        torch.manual_seed(schedule.seed)
        torch.backends.cudnn.benchmark = True
        self.model = PhoneModel(slow_width).to(self.place)
        self.backgrounds = Backgrounds.synthesised(
            120.0, np.random.default_rng(schedule.seed), self.place
        )
        self.clips = Clips.of(examples, self.place)
        self.followers = torch.from_numpy(pairs(examples).astype(np.float32)).to(self.place)
        self.held_out = self._held_out(held_out)

    def _held_out(self, examples: Sequence[Example]) -> list[tuple[Tensor, Tensor]]:
        if not examples:
            return []
        clips, draw = Clips.of(examples, self.place), self._draw(1)
        size = min(self.batch, HELD_OUT)
        return [segments(clips, self.backgrounds, size, draw) for _ in range(HELD_OUT // size)]

    def _draw(self, seed: int) -> torch.Generator:
        return torch.Generator(self.place).manual_seed(seed)

    def segments(self, step: int) -> tuple[Tensor, Tensor]:
        """Draw the network's input and its phones."""
        draw = self._draw(self.schedule.seed * 1_000_003 + step)
        return segments(self.clips, self.backgrounds, self.batch, draw)

    def losses(self, step: int) -> Losses:
        """Return the losses of a step."""
        return self.losses_of(*self.segments(step))

    def losses_of(self, inputs: Tensor, wanted: Tensor) -> Losses:
        """Return the losses of segments."""
        with torch.autocast(self.place.type, torch.bfloat16, enabled=self.place.type != "cpu"):
            logits, scores = self.model(inputs)
        frames = F.cross_entropy(
            logits.flatten(0, 1).float(), wanted.flatten(), ignore_index=UNSURE
        )
        sequences = sequence_loss(scores, wanted, self.followers)
        wrong = (logits.argmax(2) != wanted)[wanted != UNSURE].float().mean()
        total = FRAME * frames + SEQUENCE * sequences
        return {"total": total, "frames": frames, "sequences": sequences, "wrong_phones": wrong}

    @torch.no_grad()
    def validate(self) -> dict[str, float]:
        """Return the means of these over what is held out, if anything is."""
        if not self.held_out:
            return {}
        found = [self.losses_of(*each) for each in self.held_out]
        return {name: float(np.mean([each[name].item() for each in found])) for name in found[0]}

    def begin(self, trained: TrainingRun, weights: Mapping[str, np.ndarray]) -> None:
        """Take the weights of another network, see `phone_model.begin`."""
        begin(self.model, weights, self.segments(0)[0])
        trained.follow_from(self.model.state_dict())


def save(model: PhoneModel, followers: np.ndarray, path: Path) -> None:
    """Write the network's weights and `pairs` of the examples, halved."""
    weights = {**weights_of(model), "pairs": followers}
    save_file({name: value.astype(np.float16) for name, value in weights.items()}, path)


def folder_weight(text: str) -> tuple[str, float]:
    """Read "NAME=2" as ("NAME", 2.0)."""
    name, _, weight = text.rpartition("=")
    if not name or not float(weight) > 0:
        raise ValueError(text)
    return name, float(weight)


def train(options: argparse.Namespace) -> None:
    """Train, or resume training, and write the weights."""
    refuse_missing(options.device)
    left_out = options.left_out.read_text("utf-8").split() if options.left_out else ()
    kept = options.out.with_suffix("") / "examples"
    examples, held_out = folder_examples(
        options.folder, kept, frozenset(left_out), dict(options.weight)
    )
    schedule = TrainingSchedule(
        options.steps,
        rate=options.rate,
        warmup=500,
        decay=options.steps,
        betas=(0.9, 0.999),
        ema=0.998,
        epoch=200,
        minutes=options.minutes,
        by_clock=True,
    )
    work = PhoneTraining(
        examples, held_out, schedule, options.batch, options.device, options.slow_width
    )
    trained = carry_out(
        work,
        options.out.with_suffix(""),
        begin=partial(work.begin, weights=load_weights(options.begin)) if options.begin else None,
        recordings=len(examples),
        held_out=len(held_out),
    )
    work.model.load_state_dict(trained.average)
    save(work.model, pairs(examples), options.out)


main = Program(
    train,
    option("folder", type=Path, metavar="FOLDER"),
    option("--out", type=Path, required=True, metavar="FILE.safetensors"),
    option("--steps", type=int, default=10_000, metavar="N"),
    option("--begin", type=Path, metavar="FILE.safetensors", help="initial weights"),
    option("--minutes", type=float, help="end after so many minutes"),
    option("--rate", type=float, default=2e-3, metavar="R", help="learning rate, default: 2e-3"),
    option(
        "--weight", type=folder_weight, action="append", default=[], metavar="FOLDER=W",
        help="times that the recordings in a folder of FOLDER are heard",
    ),
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
