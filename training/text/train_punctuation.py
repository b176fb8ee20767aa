"""Train a punctuation model.

python -m training.text.train_punctuation CONFIG --text … --out …

Words begin with their neighbours' vectors, then the whole network learns tags and cases. How long
is given in seconds of the processor, so that a busy machine gives the same model; a run that was
stopped resumes.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml
from torch import Tensor, nn
from torch.nn import functional as F

from a3t.errors import InputError
from a3t.learning.loop import CHECKPOINT, Losses, use_bfloat16
from a3t.text.punctuation.network import WINDOW, SmallEncoder, build
from a3t.text.punctuation.restoring import load
from a3t.text.punctuation.words_and_tags import SPECIAL, TAGS, Vocabulary
from training.devices import CPU, Place, compute, compute_options
from training.programs import Program, option
from training.text.neighbour_vectors import neighbour_vectors
from training.text.punctuated_text import (
    IGNORED,
    Spoilt,
    TaggedBatch,
    TaggedText,
    TextWindows,
    read_paragraphs,
    tagged,
)
from training.training_runs import TrainingRun, TrainingSchedule, carry_out

CONFIG, VOCABULARY = "config.yaml", "vocabulary.txt"  # in a run's folder
VALIDATION_SEED, VALIDATION_STEPS = 2**31 - 1, 16
_SENTENCES = 4  # that stand for themselves, and are put together to a paragraph


@dataclass(frozen=True)
class TaggerTraining:
    """The settings of a training.

    batch: windows a step. window: words in each. seconds: of the processor, or the clock's on a
    GPU. rate: the highest learning rate. bfloat16: whether products of matrices are in it; None: if
    a measurement finds that faster. cases: the weight of the words' cases. neighbours: whether
    words begin with their neighbours' vectors. r_drop: α of R-Drop (Liang et al. 2021), two passes
    with other dropout whose tags are brought together; 0: one pass. epoch, patience: steps between
    two validations on --dev, and how many steps without a better one end the training early.
    """

    batch: int = 8
    window: int = WINDOW
    seconds: float = 1200.0
    rate: float = 1e-3
    bfloat16: bool | None = None
    cases: float = 0.3
    neighbours: bool = True
    r_drop: float = 0.0
    epoch: int = 250
    patience: int | None = None
    seed: int = 1


def network_of(config: dict[str, Any], vocabulary: Vocabulary) -> nn.Module:
    """Return the network that a configuration describes."""
    if "pretrained" in config["encoder"]:
        from training.text.pretrained_encoder import TwoStreams

        return TwoStreams.of(config)
    return build(config, vocabulary)


def vocabulary_of(text: TaggedText, count: int, buckets: int) -> Vocabulary:
    """Return the ``count`` most frequent words of a text."""
    frequent = Counter(text.words).most_common(count + len(SPECIAL))
    listed = [word for word, times in frequent if word not in SPECIAL and times > 1]
    return Vocabulary(tuple(listed[:count]), buckets)


def read_texts(paths: Sequence[Path]) -> TaggedText:
    """Read all texts, one after the other.

    Lines of a file whose lines have few words ("sentences…") are dealt out at random, for they
    don't follow each other.
    """
    paragraphs: list[str] = []
    for path in paths:
        lines = read_paragraphs(path)
        if sum(map(len, lines)) < 80 * len(lines):
            np.random.default_rng(1).shuffle(lines)
            lines = [" ".join(lines[k : k + _SENTENCES]) for k in range(0, len(lines), _SENTENCES)]
        paragraphs += lines
    return tagged(paragraphs)


@torch.no_grad()
def begin(encoder: SmallEncoder, text: TaggedText) -> None:
    """Give an encoder the text's `neighbour_vectors`, as large as its vectors were."""
    ids = np.array([encoder.vocabulary.ids(word)[0] for word in text.words])
    if len(encoder.vocabulary) <= 2 * encoder.size:
        return  # a text of so few words has no such vectors
    vectors = neighbour_vectors(ids, len(encoder.vocabulary), encoder.size)
    spread = encoder.word.weight.std()
    encoder.word.weight.copy_(torch.from_numpy(vectors.copy()) * spread)
    encoder.affix.weight.mul_(0.2)  # they say little beside these


class PunctuationTraining:
    """The losses of a step. ``pauses`` (4, PAUSE_LENGTHS): as `TextWindows` has them."""

    def __init__(
        self,
        model: nn.Module,
        text: TaggedText,
        settings: TaggerTraining,
        pauses: np.ndarray | None,
        dev: TaggedText | None = None,
        place: Place = CPU,
    ) -> None:
        if settings.patience and dev is None:
            raise InputError("training.patience needs a text to validate on: name one with --dev.")
        self.model, self.text, self.settings = model.to(place.device), text, settings
        self.place = place
        self.windows = TextWindows(text, settings.window, settings.batch, Spoilt(), pauses)
        self.dev = []
        if dev is not None:
            held = TextWindows(dev, settings.window, settings.batch, Spoilt(), pauses)
            self.dev = [held.batch(VALIDATION_SEED, step) for step in range(VALIDATION_STEPS)]
        chosen = settings.bfloat16
        self.bfloat16 = use_bfloat16("auto", place.device) if chosen is None else chosen

    @cached_property
    def schedule(self) -> TrainingSchedule:
        """The schedule of as many steps as the time allows."""
        return TrainingSchedule(
            steps=10**9,
            rate=self.settings.rate,
            warmup=50,
            betas=(0.9, 0.999),
            seed=self.settings.seed,
            minutes=self.settings.seconds / 60,
            by_clock=self.place.device != "cpu",
            decay=1 if self.settings.patience else 2000,
            epoch=self.settings.epoch,
            patience=self.settings.patience,
        )

    def losses(self, step: int) -> Losses:
        """Cross entropy of tags and cases, and with R-Drop the distance of two passes' tags."""
        batch = self.windows.batch(self.settings.seed, step).part(*self.place.part)
        losses, tags = self._losses(batch)
        if self.settings.r_drop:
            others, other_tags = self._losses(batch)
            apart = divergence(tags, other_tags)
            losses = {name: (value + others[name]) / 2 for name, value in losses.items()}
            losses["r_drop"] = apart
            losses["total"] = losses["total"] + self.settings.r_drop * apart
        return losses | {"weight": torch.tensor(float(len(batch.texts)), device=tags.device)}

    def _losses(self, batch: TaggedBatch) -> tuple[Losses, Tensor]:
        """Return the losses of a pass, and its scores of tags (B, T, 4)."""
        device = torch.device(self.place.device)
        tags, cases, pauses = (
            torch.from_numpy(x).long().to(device) for x in (batch.tags, batch.cases, batch.pauses)
        )
        with torch.autocast(device.type, torch.bfloat16, enabled=self.bfloat16):
            found, found_cases = self.model(batch.texts, pauses)
        of_tags = F.cross_entropy(found.float().flatten(0, 1), tags.flatten())
        of_cases = F.cross_entropy(
            found_cases.float().flatten(0, 1), cases.flatten(), ignore_index=IGNORED
        )
        total = of_tags + self.settings.cases * of_cases
        return {"total": total, "tags": of_tags}, found.float()

    @torch.no_grad()
    def validate(self) -> dict[str, float]:
        """Return the mean losses on the text of --dev; `punctuation_scores` tests a run."""
        rows = [self._losses(batch)[0] for batch in self.dev]
        return (
            {name: float(sum(row[name] for row in rows)) / len(rows) for name in rows[0]}
            if rows
            else {}
        )

    def begin(self, trained: TrainingRun) -> None:
        """Begin where the words' vectors are trained."""
        encoder = getattr(self.model, "encoder", None)
        if self.settings.neighbours and isinstance(encoder, SmallEncoder):
            begin(encoder, self.text)
            trained.follow_from(self.model.state_dict())


def divergence(one: Tensor, other: Tensor) -> Tensor:
    """Return R-Drop's distance of two passes' scores (B, T, n): the mean of both KL divergences."""
    p, q = one.log_softmax(-1).flatten(0, -2), other.log_softmax(-1).flatten(0, -2)
    both = [F.kl_div(a, b, reduction="batchmean", log_target=True) for a, b in ((p, q), (q, p))]
    return (both[0] + both[1]) / 2


def train(
    config: dict[str, Any],
    texts: Sequence[Path],
    out: Path,
    begin_with: str | None = None,
    dev: Sequence[Path] = (),
    place: Place = CPU,
) -> nn.Module:
    """Train a network; its state and its configuration are kept in ``out``.

    ``begin_with``: a model to train on, of the same sizes, in place of random weights; its words
    are kept.
    """
    settings = TaggerTraining(**config.get("training", {}))
    text = read_texts(texts)
    sizes = config["vocabulary"]
    begun = load(begin_with) if begin_with else None
    if begun is None:
        vocabulary = vocabulary_of(text, sizes["words"], sizes["buckets"])
    else:
        assert isinstance(begun.encoder, SmallEncoder)  # `load` makes no other
        vocabulary = begun.encoder.vocabulary
    out.mkdir(parents=True, exist_ok=True)
    (out / VOCABULARY).write_text("\n".join(vocabulary.words), encoding="utf-8")
    torch.manual_seed(settings.seed)
    pauses = np.array([config["pauses"][tag] for tag in TAGS]) if "pauses" in config else None
    held = read_texts(dev) if dev else None
    network = network_of(config, vocabulary)
    work = PunctuationTraining(network, text, settings, pauses, held, place)
    if begun is not None:
        work.model.load_state_dict(begun.state_dict())
    begin = work.begin if begun is None else None
    trained = carry_out(work, out, config, begin=begin, place=place, words=len(text))
    work.model.load_state_dict(trained.average)
    return work.model.cpu().eval()


def load_run(folder: Path) -> tuple[dict[str, Any], nn.Module, dict[str, Any]]:
    """Load a run's configuration, its network, and its training: "step"s and "seconds"."""
    config = yaml.safe_load((folder / CONFIG).read_text(encoding="utf-8"))
    words = (folder / VOCABULARY).read_text(encoding="utf-8").split("\n")
    network = network_of(config, Vocabulary(tuple(words), config["vocabulary"]["buckets"]))
    state = torch.load(folder / CHECKPOINT, weights_only=True)
    network.load_state_dict(state["average"])
    return config, network.eval(), {"step": state["step"], "seconds": state["spent"]}


def changed(config: dict[str, Any], changes: Sequence[str]) -> dict[str, Any]:
    """Set some values of a configuration; raise InputError for a change that isn't one."""
    for change in changes:
        names, equals, value = change.partition("=")
        part, dot, name = names.partition(".")
        if not equals or (dot and not isinstance(config.get(part, {}), dict)):
            raise InputError(f"“{change}” isn't a change: write it as in training.seconds=150.")
        if dot:
            config[part] = {**config.get(part, {}), name: yaml.safe_load(value)}
        else:
            config[part] = yaml.safe_load(value)
    return config


def train_here(args: argparse.Namespace, place: Place) -> None:
    """Train as the parsed command says."""
    config = changed(yaml.safe_load(args.config.read_text(encoding="utf-8")), args.set)
    if args.pauses:
        config |= yaml.safe_load(args.pauses.read_text(encoding="utf-8"))
    if args.precision != "float32":  # the configuration may choose bfloat16 as well
        config["training"] = {**config.get("training", {}), "bfloat16": place.bfloat16}
    train(config, args.text, args.out, args.begin, args.dev, place)


def work(args: argparse.Namespace) -> None:
    """Train in as many processes as asked for."""
    compute(args, train_here)


main = Program(
    work,
    option("config", type=Path),
    option("--text", type=Path, nargs="+", required=True, metavar="FILE"),
    option("--out", type=Path, required=True, metavar="FOLDER"),
    option("--dev", type=Path, nargs="+", default=[], metavar="FILE", help="texts to validate on"),
    *compute_options(),
    option(
        "--set", nargs="+", default=[], metavar="PART.NAME=VALUE",
        help="change the configuration, e.g. ffa.isa=false training.seconds=150",
    ),
    option("--begin", metavar="MODEL", help="train this model on, e.g. punctuation, as shipped"),
    option("--pauses", type=Path, metavar="YAML", help="output of pause_lengths"),
)  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(main())
