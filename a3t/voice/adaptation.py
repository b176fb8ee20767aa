"""Adapting a network to one voice, in minutes, on a CPU.

The masked spectrogram of a person's own recordings is filled as in pretraining, and only a
low-rank change of the weights is trained. It is judged by pieces that are held out, and the best
state is kept.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from a3t.errors import InputError
from a3t.learning.batches import ClipBatches, StoredFeatures
from a3t.learning.loop import LossConfig, Objective, Run, Schedule, use_bfloat16, validate
from a3t.model.a3t import A3T
from a3t.model.conformer import Batch
from a3t.model.saved_voices import add_low_rank, take_low_rank
from a3t.model.threads import on_threads
from a3t.voice.voice_pieces import VoicePiece

THREADS = 2  # always, since the changes depend on it; more gain little
LEAST_SECONDS = 8.0  # of speech: with less, words are less clear (docs/log.md)
# Up to so many seconds only the decoder learns, in more steps: what the encoder learns from little
# speech makes home recordings less clear (docs/log.md).
BRIEF_SECONDS, BRIEF_PARTS, BRIEF_STEPS = 80.0, ("decoder", "output"), 120
HELD_OUT = 0.12  # share of the pieces by which an adaptation is judged
LEAST_STEPS, MOST_STEPS = 60, 600
STEPS_A_SECOND = 4.0  # of speech
JUDGED_FROM = 6  # pieces: with fewer none is held out


@dataclass(frozen=True)
class AdaptationConfig:
    """The settings of an adaptation.

    Args:
        rank: of the change of each layer's weight.
        parts: of the network, whose layers change; by default all (`()`), or with little speech
            `BRIEF_PARTS`.
        steps, rate: of AdamW; by default as many steps as `steps_for` has for the speech.
        batch_frames: frames of a step.
        crop: shortest and longest stretch in frames.
        precision: one of `a3t.learning.loop.PRECISIONS`.
        speaker, speaker_matching: weights of the losses of `a3t.learning.loop`.
        seed: of everything that is drawn.
    """

    rank: int = 8
    parts: tuple[str, ...] | None = None
    steps: int | None = None
    rate: float = 2e-3
    batch_frames: int = 1000
    crop: tuple[int, int] = (160, 320)
    precision: str = "auto"
    speaker: float = 3.0
    speaker_matching: float = 1.0
    seed: int = 0

    def settled(self, seconds: float) -> AdaptationConfig:
        """The settings with the parts and steps that ``seconds`` of speech are worth, where none
        are given: too few steps leave most of five minutes unused, and with ten seconds more of
        them are less clear (docs/log.md)."""
        is_brief = seconds < BRIEF_SECONDS
        parts = (BRIEF_PARTS if is_brief else ()) if self.parts is None else self.parts
        least = BRIEF_STEPS if parts == BRIEF_PARTS else LEAST_STEPS
        steps = round(min(max(STEPS_A_SECOND * seconds, least), MOST_STEPS))
        return replace(self, parts=parts, steps=self.steps or steps)


@dataclass(frozen=True)
class Adaptation:
    """Changes for `a3t.model.saved_voices.apply_low_rank`, and what was measured.

    before and after: mean L1 in log10 units of the filled mel of what was held out, None where
    nothing was. step: the one whose weights these are.
    """

    changes: dict[str, Tensor]
    seconds: float
    step: int
    before: float | None
    after: float | None


def adapt(
    network: A3T,
    pieces: Sequence[VoicePiece],
    folder: Path,
    config: AdaptationConfig | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Adaptation:
    """Adapt to the speaker of some pieces; the network itself doesn't change.

    ``folder`` takes a checkpoint, from which the same call resumes after an interruption.
    ``progress`` is called with the steps done and all of them. Raises InputError if there is too
    little speech.
    """
    seconds = sum(piece.seconds for piece in pieces)
    config = (config or AdaptationConfig()).settled(seconds)
    if seconds < LEAST_SECONDS:
        raise InputError(
            f"There are {seconds:.1f} s of usable speech, and a voice needs {LEAST_SECONDS:g} s: "
            "give more or clearer recordings."
        )
    with on_threads(THREADS):
        return _adapted(copy.deepcopy(network).cpu(), pieces, folder, config, progress)


def _adapted(
    network: A3T,
    pieces: Sequence[VoicePiece],
    folder: Path,
    config: AdaptationConfig,
    progress: Callable[[int, int], None] | None,
) -> Adaptation:
    """Adapt a copy of the network, which is changed."""
    torch.manual_seed(config.seed)
    losses = LossConfig(speaker=config.speaker, speaker_matching=config.speaker_matching)
    objective = Objective(network, losses)
    assert config.parts is not None and config.steps is not None
    add_low_rank(network, config.rank, config.parts)
    seconds, steps = sum(piece.seconds for piece in pieces), config.steps
    batches, judged = _batches(network, pieces, config)
    schedule = Schedule(
        steps=steps,
        rate=config.rate,
        warmup=10,
        decay=steps // 2,
        weight_decay=0.0,
        ema=0.95,
        seed=config.seed,
        epoch=max(1, steps // 5),
    )
    bfloat16 = use_bfloat16(config.precision)
    run = VoiceRun(objective, schedule, folder / "run", judged)
    before = run.judged_l1() if judged else None
    run.resume()

    def losses_at(step: int) -> dict[str, Tensor]:
        if progress is not None:
            progress(step, steps)
        found: dict[str, Tensor] = objective(batches(step), bfloat16)
        return found

    run.train(losses_at, run.keep_if_best)
    objective.load_state_dict(run.best or run.average)
    step = run.best_step or run.step
    return Adaptation(take_low_rank(network), seconds, step, before, run.l1)


class VoiceRun(Run):
    """A voice that is being learnt. It keeps the state that fills the held-out pieces best, or the
    last one if none are held out (``judged``: their batches)."""

    def __init__(
        self, objective: Objective, schedule: Schedule, folder: Path, judged: Sequence[Batch]
    ) -> None:
        super().__init__(objective, schedule, folder)
        self.objective, self.judged = objective, judged
        self.l1: float | None = None  # of the best state
        self.best_step = 0
        self.best: dict[str, Tensor] = {}

    def load(self, state: Mapping[str, Any]) -> None:
        super().load(state)
        self.l1, self.best_step, self.best = state.get("best", (None, 0, {}))

    def state(self) -> dict[str, Any]:
        return super().state() | {"best": (self.l1, self.best_step, self.best)}

    def judge(self, validate: Callable[[], dict[str, float]]) -> dict[str, float]:
        """Nothing if nothing is held out: putting the averaged weights in place takes time."""
        return super().judge(validate) if self.judged else {}

    def judged_l1(self) -> float:
        """The validation loss now, on what is held out."""
        return validate(self.objective, self.judged)["l1"]

    def keep_if_best(self) -> dict[str, float]:
        """Keep this state if none before was better."""
        found = self.judged_l1()
        if self.l1 is None or found < self.l1:
            state = self.objective.state_dict()
            self.l1, self.best_step = found, self.step
            self.best = {name: value.clone() for name, value in state.items()}
        return {"l1": found}


def _batches(
    network: A3T, pieces: Sequence[VoicePiece], config: AdaptationConfig
) -> tuple[ClipBatches, list[Batch]]:
    """The batches that teach, and those that judge, if there are enough pieces for both."""
    pitched = network.pitch is not None and all(piece.pitch is not None for piece in pieces)
    clips = [(piece.name, _features(piece, pitched)) for piece in pieces]
    count = round(HELD_OUT * len(pieces)) if len(pieces) >= JUDGED_FROM else 0
    # Evenly spread, so that validation doesn't hang on one moment of one recording.
    held_out = set(np.linspace(0, len(pieces) - 1, count).round().astype(int).tolist())
    rows = network.alignment.num_embeddings if network.alignment is not None else 500
    shape = (config.crop, config.batch_frames, rows)
    taught = [clip for k, clip in enumerate(clips) if k not in held_out]
    train = ClipBatches(taught, *shape, seed=config.seed)
    if not held_out:
        return train, []
    judged = ClipBatches([clips[k] for k in sorted(held_out)], *shape, train=False)
    return train, [judged(step) for step in range(len(judged.groups))]


def _features(piece: VoicePiece, pitched: bool) -> StoredFeatures:
    """A piece's features, rounded as the store of a training rounds them."""
    pitch = piece.pitch if pitched else None
    return StoredFeatures(
        piece.mel.astype(np.float16).astype(np.float32),
        piece.phones.astype(np.int64),
        piece.durations.astype(np.int64),
        piece.words.astype(np.int64),
        None if pitch is None else pitch.astype(np.float16).astype(np.float32),
    )
