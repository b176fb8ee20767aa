"""Train the duration predictor on packed features.

python -m a3t.training.durations --config a3t/model/conf/durations.yaml --features F --out FOLDER
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml
from torch import Tensor

from a3t.model.durations import DurationPredictor, word_edges
from a3t.text.phones import PAUSE, PHONE_ID
from a3t.training.features import Features, Item
from a3t.training.loop import Losses, Run, Schedule, stop_signals

# Below this mean confidence of its alignment a clip's durations are hardly right.
LEAST_SCORE = 0.5


class DurationTraining:
    """The losses of a step, and validation on whole held-out texts."""

    def __init__(self, config: dict[str, Any], features: Features) -> None:
        self.features = features
        self.texts = int(config.get("data", {}).get("texts", 24))
        self.items = {
            split: [i for i in features.items if i.split == split and i.score >= LEAST_SCORE]
            for split in ("train", "dev")
        }
        self.schedule = Schedule(**config.get("training", {}))
        torch.manual_seed(self.schedule.seed)
        self.model = DurationPredictor.from_config(config)

    def losses(self, step: int) -> Losses:
        """L1 between logs: the geometric middle of what is said, robust to bad alignments.

        A voice's rate is no concern of the predictor's (it is scaled to the speaker afterwards),
        so each text's mean log ratio is taken off before; pauses are not scaled, and have to be
        right as they are.
        """
        rng = np.random.default_rng([self.schedule.seed, step])
        chosen = rng.integers(0, len(self.items["train"]), self.texts)
        phones, edges, frames, count = self._collate([self.items["train"][k] for k in chosen])
        predicted = self.model(phones, edges, count)
        order = torch.arange(phones.shape[1])[None]
        valid = order < count[:, None]
        spoken = valid & (phones != PHONE_ID[PAUSE])
        error = frames.clamp(min=1).log() - predicted
        rate = (error * spoken).sum(1) / spoken.sum(1).clamp(min=1)
        level = (rate.mean()).abs()  # … but on the average over voices it must be right
        # The rate's own gradient keeps the level out of this: without it phones whose mean is not
        # their median would push all predictions away, further with every step.
        error = torch.where(spoken, error - rate[:, None], error)
        shape = (error.abs() * valid).sum() / valid.sum()
        return {"total": shape + 0.1 * level, "shape": shape, "level": level}

    @torch.no_grad()
    def validate(self) -> dict[str, float]:
        """With the sum/sum ratio as the editor uses it: mean error in frames, of phones and of
        pauses, and what share of the spread of log durations is explained."""
        wrong, pauses, residual, spread = [], [], [], []
        for item in self.items["dev"]:
            phones, edges, frames, count = self._collate([item])
            predicted = self.model(phones, edges, count).exp()
            spoken = phones[0] != PHONE_ID[PAUSE]
            p, d = predicted[0][spoken], frames[0][spoken]
            p = p * (d.sum() / p.sum())
            wrong.append((p - d).abs())
            residual.append((p.log() - d.log()).square())
            spread.append((d.log() - d.log().mean()).square())
            pauses.append((predicted[0][~spoken] - frames[0][~spoken]).abs())
        explained = 1 - torch.cat(residual).sum() / torch.cat(spread).sum()
        return {
            "frames": float(torch.cat(wrong).mean()),
            "pause_frames": float(torch.cat(pauses).mean()),
            "explained": float(explained),
        }

    def _collate(self, items: list[Item]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        rows = [self.features.of(item)[1:] for item in items]
        L = max(len(row[0]) for row in rows)
        phones, edges, frames = (torch.zeros(len(rows), L, dtype=torch.long) for _ in range(3))
        for b, (ids, durations, words) in enumerate(rows):
            phones[b, : len(ids)] = torch.from_numpy(ids.astype(np.int64))
            edges[b, : len(ids)] = torch.tensor(word_edges(words.tolist()))
            frames[b, : len(ids)] = torch.from_numpy(durations.astype(np.int64))
        return phones, edges, frames.float(), torch.tensor([len(row[0]) for row in rows])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--features", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    config = yaml.safe_load(arguments.config.read_text())
    work = DurationTraining(config, Features.load(arguments.features))
    run = Run(work.model, work.schedule, arguments.out)
    run.resume()
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "config.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
    print(json.dumps({"step": run.step}), flush=True)
    run.train(work.losses, work.validate, stopping=stop_signals())


if __name__ == "__main__":
    main()
