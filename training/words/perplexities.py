"""Measure the perplexities of language models on held-out documents.

python -m training.words.perplexities RUN… --data DIR

A RUN is a folder NAME-SEED of `training.words.train_transformer_xl`; runs of one NAME are a row:
their mean, and the standard deviation between seeds. Rare nouns are those that WordNet has a class
for; their bands are by occurrences in the training text.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from training.programs import Program, option
from training.words.positioned_text import (
    END,
    NUMBER,
    PARTS,
    UNKNOWN,
    WordList,
    load_part,
    load_words,
)
from training.words.train_transformer_xl import Streams, StreamSettings, load_network, nats_of

BANDS = (10, 30, 100)  # occurrences


def kinds(listed: WordList) -> dict[str, np.ndarray]:
    """Return the words (W,) that each column of the table is of."""
    rare, counts = listed.classes >= listed.size, listed.counts
    names = listed.words[: listed.size]
    spoken = np.array([word[0].isalpha() or word in (NUMBER, UNKNOWN) for word in names])
    spoken[[k for k, word in enumerate(names) if word == END]] = False
    found = {
        "all tokens": np.ones(listed.size, bool),
        "words, no marks": spoken,
        "nouns": listed.nouns,
        "rare nouns": rare,
    }
    edges = (0, *BANDS, int(counts.max()) + 1)
    for low, high in zip(edges, edges[1:], strict=False):
        name = f"< {high}" if not low else f"≥ {low}" if high == edges[-1] else f"{low}–{high - 1}"
        found[name] = rare & (counts >= low) & (counts < high)
    return found


def perplexities(nats: np.ndarray, tokens: np.ndarray, listed: WordList) -> dict[str, float]:
    """Return the perplexity of the tokens of each kind; of none it is left out."""
    chosen = {name: which[tokens] for name, which in kinds(listed).items()}
    return {n: float(np.exp(nats[own].mean())) for n, own in chosen.items() if own.any()}


def table(rows: Mapping[str, Sequence[Mapping[str, float]]]) -> str:
    """Write a Markdown table: mean ± standard deviation, which one run has none of."""
    heads = list(next(iter(rows.values()))[0])
    lines = ["| | seeds | " + " | ".join(heads) + " |", "|---|" + "---|" * (len(heads) + 1)]
    for name, runs in rows.items():
        cells = []
        for head in heads:
            values = [run[head] for run in runs]
            spread = f" ± {np.std(values, ddof=1):.1f}" if len(values) > 1 else ""
            cells.append(f"{np.mean(values):.1f}{spread}")
        lines.append(f"| {name} | {len(runs)} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def work(options: argparse.Namespace) -> None:
    """Print the table of the runs."""
    listed = load_words(options.data)
    text = Streams(load_part(options.data, options.part), StreamSettings(streams=options.streams))
    rows: dict[str, list[dict[str, float]]] = {}
    for run in options.runs:
        name = run.name.rpartition("-")[0]
        found = nats_of(load_network(run, listed), text, listed.size)
        rows.setdefault(name, []).append(perplexities(*found, listed))
    print(table(rows), flush=True)


main = Program(
    work,
    option("runs", type=Path, nargs="+", metavar="RUN"),
    option("--data", type=Path, required=True, metavar="DIR"),
    option("--part", choices=PARTS, default="test"),
    option("--streams", type=int, default=4, metavar="N", help="read side by side"),
)


if __name__ == "__main__":
    raise SystemExit(main())
