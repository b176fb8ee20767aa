r"""Train FastSpeech 2's duration predictor on a feature store.

python -m training.train_durations --config a3t/model/conf/durations.yaml \
    --features FEATURES --out FOLDER

Pauses are phones like the others. At the end errors.tsv has the errors on the clips of ``test``
and, if there is one, of ``test_unseen``, whose speakers are not in the training data, in
milliseconds and by class of phone.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from a3t.audio.output.files import atomic_path
from a3t.errors import InputError
from a3t.grid import seconds_of
from a3t.learning.loop import Losses
from a3t.model.variance.durations import DurationPredictor, rate_ratio, word_edges
from a3t.text.phones import PAUSE, PHONE_ID, PHONES, is_vowel
from alignment.arpabet import strip_stress
from training.configuration import build, read_config, settings
from training.devices import CPU, Place, compute, compute_options
from training.features.store import Store, StoredClip
from training.programs import Program, option
from training.training_runs import TrainingSchedule, carry_out

# Below this mean confidence of the alignment a clip's durations can't be trusted.
LEAST_SCORE = 0.5
TESTS = ("test", "test_unseen")
CLASSES = {
    "plosives": "B D G K P T".split(),
    "affricates": "CH JH".split(),
    "fricatives": "DH F HH S SH TH V Z ZH".split(),
    "nasals": "M N NG".split(),
    "approximants": "L R W Y".split(),
}


class DurationTraining:
    """The losses of a step, and validation on whole held-out texts."""

    def __init__(self, config: dict[str, Any], store: Store, place: Place = CPU) -> None:
        self.store, self.place = store, place
        self.texts = int(config.get("data", {}).get("texts", 24))
        self.clips = {
            split: [clip for clip in store.of_split(split) if clip.score >= LEAST_SCORE]
            for split in ("train", "dev")
        }
        for split, clips in self.clips.items():
            if not clips:
                raise InputError(f'These features have no clips of the split "{split}".')
        self.schedule = settings(TrainingSchedule, config.get("training"))
        torch.manual_seed(self.schedule.seed)
        self.model = build(DurationPredictor.from_config, config).to(place.device)

    def losses(self, step: int) -> Losses:
        """Return L1 between log durations: their median, which is robust to bad alignments.

        The speaking rate is not the predictor's business, since its output is scaled to the speaker
        later: each text's mean log ratio is subtracted first. Pauses are not scaled, and must be
        right as they are.
        """
        rng = np.random.default_rng([self.schedule.seed, step])
        chosen = rng.integers(0, len(self.clips["train"]), self.texts)
        # Each process has at least a text, if it has to be another's.
        rank, processes = self.place.part
        chosen = chosen[rank::processes] if rank < len(chosen) else chosen[:1]
        phones, edges, frames, count = self._collate([self.clips["train"][k] for k in chosen])
        predicted = self.model(phones, edges, count)
        order = torch.arange(phones.shape[1], device=phones.device)[None]
        valid = order < count[:, None]
        spoken = valid & (phones != PHONE_ID[PAUSE])
        error = frames.clamp(min=1).log() - predicted
        rate = (error * spoken).sum(1) / spoken.sum(1).clamp(min=1)
        level = (rate.mean()).abs()  # averaged over voices, however, the rate must be right
        # The rate keeps its gradient: without it, phones whose mean differs from their median would
        # push all predictions away, further with every step.
        error = torch.where(spoken, error - rate[:, None], error)
        shape = (error.abs() * valid).sum() / valid.sum()
        found = {"total": shape + 0.1 * level, "shape": shape, "level": level}
        return found | {"weight": valid.sum().float()}

    @torch.no_grad()
    def validate(self) -> dict[str, float]:
        """Return mean errors in frames of phones and of pauses, and the variance that is explained.

        They are scaled to each speaker as the editor does; the share is of log durations.
        """
        wrong, pauses, residual, spread = [], [], [], []
        for clip in self.clips["dev"]:
            phones, edges, frames, count = self._collate([clip])
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

    def _collate(self, clips: list[StoredClip]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        rows = [self.store.read(clip, mel=False) for clip in clips]
        count = [len(row.phones) for row in rows]
        phones, edges, frames = (
            torch.zeros(len(rows), max(count), dtype=torch.long) for _ in range(3)
        )
        for b, (row, n) in enumerate(zip(rows, count, strict=True)):
            phones[b, :n] = torch.from_numpy(row.phones)
            edges[b, :n] = torch.tensor(word_edges(row.words.tolist()))
            frames[b, :n] = torch.from_numpy(row.durations)
        tensors = (phones, edges, frames.float(), torch.tensor(count))
        phones, edges, frames, counts = (each.to(self.place.device) for each in tensors)
        return phones, edges, frames, counts


def phone_class(symbol: str) -> str:
    """Class vowels by stress, consonants by manner, pauses; "other" for special symbols."""
    if symbol == PAUSE:
        return "pauses"
    if is_vowel(symbol):
        return "vowels, unstressed" if symbol.endswith("0") else "vowels, stressed"
    plain = strip_stress(symbol)
    return next((name for name, members in CLASSES.items() if plain in members), "other")


def errors(predictor: DurationPredictor, store: Store) -> Iterator[tuple[str, str, float]]:
    """Return split, class and absolute error in ms of each phone of the test clips.

    That is after scaling to the speaker's rate in that clip.
    """
    for clip in store.clips:
        if clip.split not in TESTS:
            continue
        stored = store.read(clip, mel=False)
        symbols = [PHONES[k] for k in stored.phones]
        predicted = np.array(predictor.frames(symbols, stored.words.tolist()))
        spoken = stored.words >= 0
        ratio = rate_ratio(stored.durations[spoken].tolist(), predicted[spoken].tolist())
        predicted = np.where(spoken, predicted * ratio, predicted)
        for symbol, found, true in zip(symbols, predicted, stored.durations, strict=True):
            yield clip.split, phone_class(symbol), 1000.0 * seconds_of(abs(found - true))


def report(rows: Sequence[tuple[str, str, float]]) -> str:
    """Write tab-separated: split, class, phones, mean and median error in ms."""
    lines = ["split\tclass\tphones\tmean_ms\tmedian_ms"]
    groups: dict[tuple[str, str], list[float]] = {}
    for split, name, error in rows:
        groups.setdefault((split, name), []).append(error)
        if name != "pauses":
            groups.setdefault((split, "all but pauses"), []).append(error)
    for (split, name), found in sorted(groups.items()):
        figures = f"{np.mean(found):.1f}\t{np.median(found):.1f}"
        lines.append(f"{split}\t{name}\t{len(found)}\t{figures}")
    return "\n".join(lines) + "\n"


def train(config: dict[str, Any], features: Path, out: Path, place: Place = CPU) -> str:
    """Train, or resume training, and write errors.tsv when all steps are done.

    Returns its text, or how far training has got.
    """
    store = Store(features)
    work = DurationTraining(config, store, place)
    trained = carry_out(work, out, config, split=store.split_list, place=place)
    if place.rank:
        return ""
    if trained.step < work.schedule.steps:
        return f"Stopped at step {trained.step} of {work.schedule.steps}: run it again to continue."
    work.model.load_state_dict(trained.average)
    work.model.cpu().eval()
    text = report(list(errors(work.model, store)))
    with atomic_path(out / "errors.tsv") as temporary:
        temporary.write_text(text, encoding="utf-8")
    return text


def train_here(options: argparse.Namespace, place: Place) -> None:
    """Train as the parsed command says."""
    text = train(read_config(options.config), options.features, options.out, place)
    if place.rank == 0:
        print(text)


def work(options: argparse.Namespace) -> None:
    """Train in as many processes as asked for."""
    compute(options, train_here)


main = Program(
    work,
    option("--config", type=Path, required=True),
    option("--features", type=Path, required=True, help="feature store (training.extract)"),
    option("--out", type=Path, required=True),
    *compute_options(),
)


if __name__ == "__main__":
    sys.exit(main())
