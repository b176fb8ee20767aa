"""Train a punctuation model: python -m training.text.train_punctuation CONFIG --text … --out …

An encoder begins with vectors of words by their neighbours, may learn from masked words (Devlin et
al., BERT, 2019), then all of it learns tags and cases, with R-Drop (Liang et al., R-Drop:
Regularized dropout for neural networks, 2021). How long is said in seconds of the processor, so
that a busy machine gives the same model; a run that was ended goes on where it was.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml
from torch import Tensor, nn
from torch.nn import functional as F

from a3t.audio.output.files import atomic_path
from a3t.errors import InputError
from a3t.text.punctuation.small_encoder import SmallEncoder
from a3t.text.punctuation.tagging import WINDOW, build
from a3t.text.punctuation.tags import TAGS
from a3t.text.punctuation.word_numbers import MASKED, SPECIAL, Vocabulary
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
from training.text.punctuation_baselines import LinearWindow, recurrent

CONFIG, VOCABULARY, TRAINED = "config.yaml", "vocabulary.txt", "trained.pt"  # in a run's folder
HIDDEN_WORDS = 0.15  # of a text, to be guessed
SAVE_EVERY, SHOW_EVERY = 30.0, 20.0  # seconds of the processor
_SENTENCES = 4  # that stand for themselves, and are put together to a paragraph


@dataclass(frozen=True)
class TaggerTraining:
    """batch: windows a step. seconds, pretrain_seconds: of the processor, for tags and for masked
    words. rate: the highest learning rate. bfloat16: whether products of matrices are in it.
    r_drop: its weight (alpha); 0: without. r_drop_from: the part of the time after which R-Drop
    begins, which takes twice the time for a step. cases: the weight of the words' cases.
    neighbours: whether words begin with their neighbours' vectors."""

    batch: int = 8
    seconds: float = 1200.0
    pretrain_seconds: float = 0.0
    rate: float = 1e-3
    bfloat16: bool = True
    r_drop: float = 1.0
    r_drop_from: float = 0.75
    cases: float = 0.3
    neighbours: bool = True
    seed: int = 1


def network_of(config: dict[str, Any], vocabulary: Vocabulary) -> nn.Module:
    """The network that a configuration describes: FFA, or what it is compared with."""
    if "linear" in config:
        return LinearWindow(**config["linear"])
    if "lstm" in config:
        return recurrent(vocabulary, config["encoder"], config["lstm"])
    if "pretrained" in config["encoder"]:
        from training.text.pretrained_encoder import TwoStreams

        return TwoStreams.of(config)
    return build(config, vocabulary)


def vocabulary_of(text: TaggedText, count: int, buckets: int) -> Vocabulary:
    """The ``count`` most frequent words of a text."""
    frequent = Counter(text.words).most_common(count + len(SPECIAL))
    listed = [word for word, times in frequent if word not in SPECIAL and times > 1]
    return Vocabulary(tuple(listed[:count]), buckets)


def read_texts(paths: Sequence[Path], seed: int = 1) -> TaggedText:
    """All texts, one after the other. Lines of a file whose lines have few words ("sentences…")
    are dealt out at random, for they don't follow each other."""
    paragraphs: list[str] = []
    for path in paths:
        lines = read_paragraphs(path)
        if sum(map(len, lines)) < 80 * len(lines):
            np.random.default_rng(seed).shuffle(lines)
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


def rate_at(part: float) -> float:
    """The learning rate as a part of its highest: up, constant, down in the last third.

    So a run can be given more time before it goes down (Hägele et al., Scaling laws and
    compute-optimal training beyond fixed training durations, 2024).
    """
    return min(1.0, part / 0.02, max(0.0, 1 - part) / 0.33)


def masked_words(
    texts: Sequence[Sequence[str]], rng: np.random.Generator, words: Sequence[str]
) -> tuple[list[list[str]], np.ndarray]:
    """The texts with some words masked, some exchanged, and which of them (B, T) to guess."""
    draw = rng.random((len(texts), len(texts[0])))
    result = []
    for text, row in zip(texts, draw, strict=True):
        changed = [*text]
        for k in np.flatnonzero(row < 0.9 * HIDDEN_WORDS):
            is_masked = row[k] < 0.8 * HIDDEN_WORDS
            changed[k] = MASKED if is_masked else words[int(rng.integers(len(words)))]
        result.append(changed)
    return result, draw < HIDDEN_WORDS


def pretraining_loss(encoder: SmallEncoder, batch: TaggedBatch, step: int) -> Tensor:
    """Cross entropy of the masked words, scored against the encoder's own word vectors."""
    vocabulary = encoder.vocabulary
    texts, hidden = masked_words(batch.texts, np.random.default_rng(step), vocabulary.words)
    embedded, _ = encoder(texts)
    due = torch.tensor([[vocabulary.ids(word)[0] for word in text] for text in batch.texts])
    wanted = torch.from_numpy(hidden) & (due >= len(SPECIAL))
    scores = embedded[wanted] @ encoder.word.weight.T / encoder.size**0.5
    return F.cross_entropy(scores, due[wanted])


def tagging_loss(
    network: nn.Module, batch: TaggedBatch, r_drop: float, case_weight: float
) -> Tensor:
    """Cross entropy of tags and cases; with R-Drop of two passes, and how far these are apart."""
    passes = 2 if r_drop else 1
    tags, cases, pauses = (
        torch.from_numpy(x).long().repeat(passes, 1)
        for x in (batch.tags, batch.cases, batch.pauses)
    )
    found, found_cases = (scores.float() for scores in network(batch.texts * passes, pauses))
    loss = F.cross_entropy(found.flatten(0, 1), tags.flatten())
    loss = loss + case_weight * F.cross_entropy(
        found_cases.flatten(0, 1), cases.flatten(), ignore_index=IGNORED
    )
    if r_drop:
        loss = loss + r_drop * symmetric_divergence(*found.chunk(2))
    return loss


def symmetric_divergence(a: Tensor, b: Tensor) -> Tensor:
    """Half of KL(a, b) + KL(b, a), a word's mean, of scores (…, C)."""
    p, q = a.log_softmax(-1), b.log_softmax(-1)
    return 0.5 * ((p.exp() - q.exp()) * (p - q)).sum(-1).mean()


def train_phase(
    network: nn.Module,
    windows: TextWindows,
    loss_of: Callable[[TaggedBatch, int, float], Tensor],
    schedule: TaggerTraining,
    seconds: float,
    state: Path,
) -> None:
    """Train a network for so long, or for what is left of it by the file ``state``.

    ``loss_of`` is called with a batch, its step, and the part of the time that is over.
    """
    parameters = [*network.parameters()]
    optimiser = torch.optim.AdamW(parameters, schedule.rate, weight_decay=0.01, fused=True)
    step, before = 0, 0.0
    if state.is_file():
        done = torch.load(state, weights_only=True)
        network.load_state_dict(done["network"])
        optimiser.load_state_dict(done["optimiser"])
        step, before = done["step"], done["seconds"]
    started = time.process_time() - before
    now = saved = shown = before
    losses: list[float] = []
    network.train()
    torch.manual_seed(schedule.seed + step)
    while now < seconds:
        for group in optimiser.param_groups:
            group["lr"] = schedule.rate * rate_at(now / seconds)
        with torch.autocast("cpu", torch.bfloat16, enabled=schedule.bfloat16):
            loss = loss_of(windows.batch(schedule.seed, step), step, now / seconds)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, 1.0)
        optimiser.step()
        losses.append(float(loss.detach()))
        step, now = step + 1, time.process_time() - started
        if now - shown > SHOW_EVERY or now >= seconds:
            words, mean = step * windows.count * windows.length, float(np.mean(losses))
            print(
                f"{state.stem}: {now:.0f} s, {step} steps, {words:,} words, loss {mean:.4f}",
                flush=True,
            )
            shown, losses = now, []
        if now - saved > SAVE_EVERY or now >= seconds:
            saved = now
            record = {"network": network.state_dict(), "optimiser": optimiser.state_dict()}
            with atomic_path(state) as temporary:
                torch.save(record | {"step": step, "seconds": now}, temporary)


def train(
    config: dict[str, Any], texts: Sequence[Path], out: Path, pretrained: Path | None = None
) -> nn.Module:
    """The trained network; its state and its configuration are kept in ``out``.

    ``pretrained`` is the folder of a run whose pretrained encoder is taken.
    """
    schedule = TaggerTraining(**config.get("training", {}))
    out.mkdir(parents=True, exist_ok=True)
    text = read_texts(texts)
    sizes = config["vocabulary"]
    vocabulary = vocabulary_of(text, sizes["words"], sizes["buckets"])
    (out / VOCABULARY).write_text("\n".join(vocabulary.words), encoding="utf-8")
    (out / CONFIG).write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
    torch.manual_seed(schedule.seed)
    network = network_of(config, vocabulary)
    count = sum(x.numel() for x in network.parameters())
    print(f"{len(text):,} words to learn from, {count:,} parameters", flush=True)
    pauses = np.array([config["pauses"][tag] for tag in TAGS]) if "pauses" in config else None
    windows = TextWindows(text, WINDOW, schedule.batch, Spoilt(), pauses)
    encoder = getattr(network, "encoder", None)
    if isinstance(encoder, SmallEncoder):
        if schedule.neighbours and not (out / TRAINED).is_file():
            begin(encoder, text)
        if schedule.pretrain_seconds:
            train_phase(
                encoder,
                windows,
                lambda batch, step, _: pretraining_loss(encoder, batch, step),
                schedule,
                schedule.pretrain_seconds,
                (pretrained or out) / "pretrained.pt",
            )

    def loss_of(batch: TaggedBatch, step: int, part: float) -> Tensor:
        r_drop = schedule.r_drop if part >= schedule.r_drop_from else 0.0
        return tagging_loss(network, batch, r_drop, schedule.cases)

    train_phase(network, windows, loss_of, schedule, schedule.seconds, out / TRAINED)
    return network


def load_run(folder: Path) -> tuple[dict[str, Any], nn.Module, dict[str, Any]]:
    """A run's configuration, its network, and how many "step"s it was trained, in "seconds"."""
    config = yaml.safe_load((folder / CONFIG).read_text(encoding="utf-8"))
    words = (folder / VOCABULARY).read_text(encoding="utf-8").split("\n")
    network = network_of(config, Vocabulary(tuple(words), config["vocabulary"]["buckets"]))
    state = torch.load(folder / TRAINED, weights_only=True)
    network.load_state_dict(state["network"])
    return config, network.eval(), {key: state[key] for key in ("step", "seconds")}


def changed(config: dict[str, Any], changes: Sequence[str]) -> dict[str, Any]:
    """A configuration with some values set; InputError for a change that isn't one."""
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


def work(args: argparse.Namespace) -> None:
    config = changed(yaml.safe_load(args.config.read_text(encoding="utf-8")), args.set)
    if args.pauses:
        config |= yaml.safe_load(args.pauses.read_text(encoding="utf-8"))
    train(config, args.text, args.out, args.pretrained)


main = Program(
    work,
    option("config", type=Path),
    option("--text", type=Path, nargs="+", required=True, metavar="FILE"),
    option("--out", type=Path, required=True, metavar="FOLDER"),
    option("--pretrained", type=Path, metavar="RUN", help="start from its encoder"),
    option(
        "--set", nargs="+", default=[], metavar="PART.NAME=VALUE",
        help="change the configuration, e.g. ffa.isa=false training.seconds=150",
    ),
    option("--pauses", type=Path, metavar="YAML", help="output of pause_lengths"),
)  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(main())
