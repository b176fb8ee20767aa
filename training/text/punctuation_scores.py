"""Scores of restored marks: precision, recall and F1, as the field counts them.

    python -m training.text.punctuation_scores RUN … --text books-test.txt.xz iwslt2011-test.tsv

A mark counts as right if it has the right tag after the right word. "Overall" takes all three marks
together (micro average), as the tables of the FFA paper do.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from torch import nn

from a3t.text.punctuation.network import WINDOW, predict
from a3t.text.punctuation.words_and_tags import TAGS
from training.programs import Program, option
from training.text.punctuated_text import (
    IGNORED,
    TaggedText,
    read_paragraphs,
    read_tagged,
    tagged,
)
from training.text.train_punctuation import TaggerTraining, load_run

OVERALL = "OVERALL"


@dataclass(frozen=True)
class Score:
    """Per cent."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def scores(found: np.ndarray, due: np.ndarray) -> dict[str, Score]:
    """Score each tag but O, and all together; found and due (N) are indices of TAGS."""
    from sklearn.metrics import precision_recall_fscore_support

    marks = [*range(1, len(TAGS))]
    settings: dict[str, Any] = {"labels": marks, "zero_division": 0}
    precision, recall, *_ = precision_recall_fscore_support(due, found, **settings)
    whole = precision_recall_fscore_support(due, found, average="micro", **settings)
    pairs = [*zip(precision, recall, strict=True), whole[:2]]
    names = [*(TAGS[k] for k in marks), OVERALL]
    return {
        n: Score(100 * float(p), 100 * float(r)) for n, (p, r) in zip(names, pairs, strict=True)
    }


def tags_of(network: nn.Module, text: TaggedText) -> tuple[np.ndarray, np.ndarray]:
    """Return the tags and the cases that a network gives a text's words (N)."""
    tags, cases = predict(network, text.words)
    return tags.argmax(-1).numpy(), cases.argmax(-1).numpy()


def case_score(found: np.ndarray, due: np.ndarray) -> Score:
    """Score capitals within a sentence; nothing for a text without case."""
    told = due != IGNORED
    if not told.any():
        return Score(0.0, 0.0)
    from sklearn.metrics import precision_recall_fscore_support

    precision, recall, *_ = precision_recall_fscore_support(
        due[told] > 0, found[told] > 0, average="binary", zero_division=0
    )
    return Score(100 * float(precision), 100 * float(recall))


def row(score: Mapping[str, Score]) -> str:
    """Write a line of a table: precision, recall and F1 of each mark, and of all."""
    return " | ".join(f"{s.precision:.1f} | {s.recall:.1f} | {s.f1:.1f}" for s in score.values())


def read_test(path: Path) -> TaggedText:
    """Read a test text: one with a tag for each word (.tsv), or paragraphs."""
    return read_tagged(path) if path.suffix == ".tsv" else tagged(read_paragraphs(path))


def work(args: argparse.Namespace) -> None:
    """Print the scores of the runs on the tests."""
    runs = [(run.name, *load_run(run)) for run in args.runs]
    for path in args.text:
        text = read_test(path)
        print(f"\n{path.name}: {len(text):,} words\n")
        print("| | " + " | ".join(f"{name} P | R | F1" for name in (*TAGS[1:], OVERALL)), end="")
        print(" | capitals F1 | seconds | words seen | parameters |\n|" + "---|" * 17)
        for name, config, network, state in runs:
            tags, cases = tags_of(network, text)
            seen = state["step"] * TaggerTraining(**config["training"]).batch * WINDOW
            size = sum(x.numel() for x in network.parameters())
            capitals = case_score(cases, text.cases)
            print(
                f"| {name} | {row(scores(tags, text.tags))} | {capitals.f1:.1f} | "
                f"{state['seconds']:.0f} | {seen:,} | {size:,} |",
                flush=True,
            )


main = Program(
    work,
    option("runs", type=Path, nargs="+", metavar="RUN"),
    option("--text", type=Path, nargs="+", required=True, metavar="FILE"),
)


if __name__ == "__main__":
    raise SystemExit(main())
