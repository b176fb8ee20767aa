"""Adapting a network to one voice, in minutes, on a CPU.

The masked spectrogram of a person's own recordings is filled as in pretraining, and only a
low-rank change of the weights is trained. It is judged by pieces that are held out, and the best
state is kept.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from a3t.errors import InputError
from a3t.model.a3t import A3T
from a3t.model.low_rank import add_low_rank, take_low_rank
from a3t.model.masking import MaskingConfig
from a3t.model.threads import on_threads
from a3t.pretrained import load_checkpoint
from a3t.voice.material import VoicePiece
from training.batches import Batches, DataConfig
from training.loop import Run, Schedule
from training.objective import LossConfig, Objective, validate
from training.precision import use_bfloat16
from training.store import OPTIONAL, Store, StoreWriter

THREADS = 2  # always, since the changes depend on it; more gain little
LEAST_SECONDS = 3.0  # of speech: less than this generalises to nothing
HELD_OUT = 0.12  # share of the pieces by which an adaptation is judged
LEAST_STEPS, MOST_STEPS = 60, 600
STEPS_A_SECOND = 4.0  # of speech
SPEAKER = ("speaker", "speaker_matching")
JUDGED_FROM = 6  # pieces: with fewer none is held out


@dataclass(frozen=True)
class AdaptationConfig:
    """The settings of an adaptation.

    Args:
        rank: of the change of each layer's weight.
        parts: of the network, whose layers change; all by default.
        steps, rate: of AdamW; by default as many steps as `steps_for` has for the speech.
        batch_frames: frames of a step.
        crop: shortest and longest stretch in frames.
        adversarial: weight of a critic that keeps the voice from blurring; 0 for none, which is
            nearer to the speaker after ten seconds of speech, and no less after sixty.
        critic: a shipped one to start from, or null for random weights.
        precision: one of `training.precision.PRECISIONS`.
        speaker, speaker_matching: weights of the losses of `training.speaker_loss`.
        seed: of everything that is drawn.
    """

    rank: int = 8
    parts: tuple[str, ...] = ()
    steps: int | None = None
    rate: float = 2e-3
    batch_frames: int = 1000
    crop: tuple[int, int] = (160, 320)
    adversarial: float = 0.0
    critic: str | None = "critic"
    precision: str = "auto"
    speaker: float = 3.0
    speaker_matching: float = 1.0
    seed: int = 0

    def steps_of(self, seconds: float) -> int:
        """How many steps are taken with so many seconds of speech."""
        return self.steps or steps_for(seconds)


def steps_for(seconds: float, least: int = LEAST_STEPS) -> int:
    """How many steps so many seconds of speech are worth, at least so many: too few leave most of
    five minutes unused, and with ten seconds more of them are less clear (docs/log.md)."""
    return round(min(max(STEPS_A_SECOND * seconds, least), MOST_STEPS))


@dataclass(frozen=True)
class Adaptation:
    """Changes for `a3t.model.low_rank.apply_low_rank`, and what was measured.

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
    stopping: threading.Event | None = None,
) -> Adaptation:
    """Adapt to the speaker of some pieces; the network itself stays as it is.

    ``folder`` takes the features and a checkpoint, from which the same call goes on when it was
    interrupted. ``progress`` is called with the steps done and all of them. Raises InputError if
    there is too little speech.
    """
    config = config or AdaptationConfig()
    seconds = sum(piece.seconds for piece in pieces)
    if seconds < LEAST_SECONDS:
        raise InputError(
            f"There are {seconds:.1f} s of usable speech, and a voice needs {LEAST_SECONDS:g} s: "
            "give more or clearer recordings."
        )
    with on_threads(THREADS):
        return _adapted(copy.deepcopy(network).cpu(), pieces, folder, config, progress, stopping)


def _adapted(
    network: A3T,
    pieces: Sequence[VoicePiece],
    folder: Path,
    config: AdaptationConfig,
    progress: Callable[[int, int], None] | None,
    stopping: threading.Event | None,
) -> Adaptation:
    """As `adapt`, of a copy of the network, which is changed."""
    torch.manual_seed(config.seed)
    losses_of = {name: getattr(config, name) for name in ("adversarial", *SPEAKER)}
    objective = Objective(network, LossConfig(**losses_of))
    if objective.critic is not None and config.critic is not None:
        _, weights, _ = load_checkpoint(config.critic)
        objective.critic.load_state_dict({name: value.float() for name, value in weights.items()})
    add_low_rank(network, config.rank, config.parts)
    seconds = sum(piece.seconds for piece in pieces)
    steps = config.steps_of(seconds)
    batches, held_out = _batches(network, _stored(pieces, folder / "features"), config)
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
    run = Run(objective, schedule, folder / "run")
    best = _Best(objective, held_out, folder / "run" / "best.pt")
    before = best.judge_start()
    if run.resume():
        best.resume()

    def losses(step: int) -> dict[str, Tensor]:
        if progress is not None:
            progress(step, steps)
        found: dict[str, Tensor] = objective(batches(step), bfloat16)
        return found

    run.train(losses, lambda: best.judge(run.step), stopping=stopping)
    step = best.restore(run)
    return Adaptation(take_low_rank(network), seconds, step, before, best.value)


class _Best:
    """The state that fills the held-out pieces best, or the last one if none are held out.

    It is kept in a file, ``path``, for a run that is interrupted and goes on.
    """

    def __init__(self, objective: Objective, batches: Batches | None, path: Path) -> None:
        self.objective, self.path = objective, path
        self.batches = (
            [batches(step) for step in range(batches.steps_a_pass)] if batches is not None else []
        )
        self.value: float | None = None
        self.step = 0
        self.state: dict[str, Tensor] = {}

    def judge_start(self) -> float | None:
        """The validation loss before adaptation: the low-rank change starts at zero."""
        if not self.batches:
            return None
        return validate(self.objective, self.batches)["l1"]

    def judge(self, step: int) -> dict[str, float]:
        if not self.batches:
            return {}
        found = validate(self.objective, self.batches)
        if self.value is None or found["l1"] < self.value:
            state = self.objective.state_dict()
            self.value, self.step = found["l1"], step
            self.state = {name: value.clone() for name, value in state.items()}
            self._save()
        return found

    def _save(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        temporary = self.path.with_suffix(".tmp")
        torch.save({"value": self.value, "step": self.step, "state": self.state}, temporary)
        temporary.replace(self.path)

    def resume(self) -> None:
        """Load what an interrupted run found best."""
        if self.path.exists():
            kept = torch.load(self.path, map_location="cpu", weights_only=True)
            self.value, self.step, self.state = kept["value"], kept["step"], kept["state"]

    def restore(self, run: Run) -> int:
        """Load that state; returns its step."""
        self.objective.load_state_dict(self.state or run.average)
        return self.step or run.step


def _stored(pieces: Sequence[VoicePiece], folder: Path) -> Store:
    """The pieces as a feature store; pieces already in it are not written again."""
    pitched = all(piece.pitch is not None for piece in pieces)
    count = round(HELD_OUT * len(pieces)) if len(pieces) >= JUDGED_FROM else 0
    # Evenly spread, so that validation doesn't hang on one moment of one recording.
    held_out = set(np.linspace(0, len(pieces) - 1, count).round().astype(int).tolist())
    with StoreWriter(folder, [OPTIONAL] if pitched else [], [p.name for p in pieces]) as writer:
        there = {clip.name for clip in writer.clips}
        for number, piece in enumerate(pieces):
            if piece.name in there:
                continue
            arrays = {
                "mel": piece.mel,
                "phones": piece.phones,
                "durations": piece.durations,
                "words": piece.words,
                "score": np.array(piece.score),
            }
            if pitched and piece.pitch is not None:
                arrays[OPTIONAL] = piece.pitch
            writer.add(piece.name, arrays, "voice", "dev" if number in held_out else "train")
    return Store(folder)


def _batches(
    network: A3T, store: Store, config: AdaptationConfig
) -> tuple[Batches, Batches | None]:
    masking = MaskingConfig("use")
    data = DataConfig(
        crop=config.crop, batch_frames=config.batch_frames, jitter=2, shift_rows=True, least_score=0
    )
    rows = network.alignment.num_embeddings if network.alignment is not None else 500
    same = {
        "pitch": network.pitch is not None and store.has_pitch,
        "alignment_rows": rows,
        "seed": config.seed,
    }
    train = Batches(store, "train", masking, data, **same)  # type: ignore[arg-type]
    if not store.of_split("dev"):
        return train, None
    return train, Batches(store, "dev", masking, data, train=False, **same)  # type: ignore[arg-type]
