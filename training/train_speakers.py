"""Train the speaker encoder to tell a feature store's training voices apart.

python -m training.train_speakers --features F --out FOLDER

Additive angular margin softmax (Deng et al. 2019) over crops of 1 to 3 s, voices drawn evenly.
Judged by the equal error rate on voices that training does not hear.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from a3t.errors import InputError
from a3t.learning.loop import Losses
from a3t.model.speaker_encoder import SpeakerEncoder
from a3t.pretrained import save_checkpoint
from training.devices import CPU, Place, compute, compute_options
from training.features.augment import augment_of
from training.features.corpus_batches import (
    Batches,
    DataConfig,
    Draw,
    MaskingConfig,
    standardise,
)
from training.features.store import Store
from training.programs import Program, option
from training.training_runs import TrainingSchedule, carry_out

SCALE, MARGIN = 30.0, 0.2
CROP = (80, 240)  # frames
JUDGED = 160  # frames of the stretches that are judged, 2 s
OF_A_VOICE = 10  # stretches
DATA = DataConfig(
    crop=CROP,
    batch_frames=6400,
    augment={"warp": 0.0, "gain": 0.3, "tilt": 0.15, "odds": 0.5},
    degraded=0.5,
    evenness=1.0,
    least_score=0.5,
)


class VoiceClassifier(nn.Module):
    """The encoder, and one direction for each training voice."""

    def __init__(self, encoder: SpeakerEncoder, voices: int) -> None:
        super().__init__()
        self.encoder = encoder
        self.directions = nn.Parameter(torch.randn(voices, encoder.output.out_features) * 0.1)

    def forward(self, mel: Tensor, counted: Tensor, voices: Tensor) -> Losses:
        """Return the losses of crops (B, T, 80), and the numbers of their voices (B,)."""
        vectors, _ = self.encoder(mel, counted)
        cosine = vectors @ F.normalize(self.directions, dim=-1).T
        own = cosine.gather(1, voices[:, None]).clamp(-1 + 1e-6, 1 - 1e-6)
        stricter = (own.acos() + MARGIN).clamp(max=math.pi).cos()
        logits = SCALE * cosine.scatter(1, voices[:, None], stricter)
        right = (cosine.argmax(1) == voices).float().mean()
        return {"total": F.cross_entropy(logits, voices), "right": right}


class SpeakerTraining:
    """The losses of a step, and validation."""

    def __init__(self, store: Store, steps: int, place: Place = CPU) -> None:
        self.place = place
        data = DATA if store.copies(store.of_split("train")) else replace(DATA, degraded=0.0)
        masking = MaskingConfig("use")
        self.train = Batches(store, "train", masking, data, augment=augment_of(data))
        self.voices = {v: k for k, v in enumerate(sorted({c.voice for c in self.train.clips}))}
        torch.manual_seed(0)
        encoder = SpeakerEncoder()
        standardise(encoder, store)
        self.model = VoiceClassifier(encoder, len(self.voices)).to(place.device)
        decay = max(1, steps // 2)
        self.schedule = TrainingSchedule(steps, 2e-3, 100, decay, epoch=max(1, steps // 10))
        self.unheard = self._unheard(store, data)

    def losses(self, step: int) -> Losses:
        """Return the losses of this process's share of a step, and its weight."""
        draws = self.train.draws(step)
        draws = draws[self.place.rank :: self.place.processes] or draws[:1]
        voices = torch.tensor([self.voices[draw.clip.voice] for draw in draws])
        batch = (each.to(self.place.device) for each in (*crops(self.train, draws), voices))
        found: Losses = self.model(*batch)
        return found | {"weight": torch.tensor(float(len(draws)), device=self.place.device)}

    def _unheard(self, store: Store, data: DataConfig) -> tuple[Tensor, Tensor, list[str]]:
        """Draw stretches of voices that training doesn't hear, from different clips."""
        chosen: dict[str, list[Draw]] = {}
        others = [split for split in ("dev", "test") if store.of_split(split)]
        batches = [Batches(store, s, MaskingConfig("use"), data, train=False) for s in others]
        for clip in sorted((c for b in batches for c in b.clips), key=lambda clip: clip.name):
            own = chosen.setdefault(clip.voice, [])
            if clip.voice not in self.voices and len(own) < OF_A_VOICE and clip.frames >= JUDGED:
                own.append(Draw(clip, JUDGED, (0, len(own))))
        draws = [draw for own in chosen.values() if len(own) > 1 for draw in own]
        if len(draws) < 4:
            raise InputError("These features have too few voices that training does not hear.")
        return *crops(batches[0], draws), [draw.clip.voice for draw in draws]

    @torch.no_grad()
    def validate(self) -> dict[str, float]:
        """Return the error rate on voices that training doesn't hear."""
        mel, counted, voices = self.unheard
        vectors, _ = self.model.encoder(mel.to(self.place.device), counted.to(self.place.device))
        cosine = (vectors @ vectors.T).cpu().numpy()
        pairs = list(combinations(range(len(voices)), 2))
        same = np.array([voices[a] == voices[b] for a, b in pairs])
        return {"equal_error_rate": equal_error_rate(np.array([cosine[p] for p in pairs]), same)}


def crops(batches: Batches, draws: Sequence[Draw]) -> tuple[Tensor, Tensor]:
    """Return a mel (B, T, 80) and which of its frames are not padding (B, T)."""
    batch = batches.collate(draws)
    time = torch.arange(batch.mel.shape[1])
    return batch.mel, time < batch.frames[:, None]


def equal_error_rate(scores: np.ndarray, same: np.ndarray) -> float:
    """Return the rate at which pairs of one voice are rejected as often as pairs of two accepted.

    scores (n,), same (n,) bool.
    """
    order = np.argsort(-scores, kind="stable")
    accepted = np.cumsum(~same[order]) / max(1, int((~same).sum()))
    rejected = 1 - np.cumsum(same[order]) / max(1, int(same.sum()))
    place = int(np.argmin(np.abs(accepted - rejected)))
    return float((accepted[place] + rejected[place]) / 2)


def train_speakers(options: argparse.Namespace, place: Place) -> None:
    """Train, or resume training, and pack the encoder when all steps are done."""
    store = Store(options.features)
    work = SpeakerTraining(store, options.steps, place)
    trained = carry_out(work, options.out, split=store.split_list, place=place)
    if trained.done and place.rank == 0:
        work.model.load_state_dict(trained.average)
        figures = trained.judge(work.validate)
        rate = figures["valid_equal_error_rate"]
        facts = {"voices": len(work.voices), "steps": trained.step, "equal_error_rate": rate}
        card = (
            "# Speaker encoder\n\n"
            f"Tells {len(work.voices)} training voices apart (`training.train_speakers`, "
            f"{trained.step:,} steps); equal error rate on stretches of {JUDGED / 80:g} s "
            f"of voices that training did not hear: {rate:.1%}. "
            "Licence of the weights: Apache-2.0.\n"
        )
        save_checkpoint(options.out / "packed", facts, work.model.encoder.state_dict(), card)
        print(f"equal error rate {rate:.1%}")


def work(options: argparse.Namespace) -> None:
    """Train in as many processes as asked for."""
    compute(options, train_speakers)


main = Program(
    work,
    option("--features", type=Path, required=True, help="feature store (training.extract)"),
    option("--out", type=Path, required=True),
    option("--steps", type=int, default=3000),
    *compute_options(threads=2),
)


if __name__ == "__main__":
    sys.exit(main())
