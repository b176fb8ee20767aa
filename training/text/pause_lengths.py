"""Count the pauses at each mark.

python -m training.text.pause_lengths CORPORA

Books have no sound, so a punctuation model that is trained on them hears made-up pauses, drawn as
often as people made pauses of each length (`a3t.text.punctuation.words_and_tags.PAUSE_STEPS`) after
words with each tag. CORPORA has a manifest.tsv (path and text of clips) and alignments.jsonl.xz
(path and alignment); of its clips those are counted whose text is punctuated and aligned word for
word.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import yaml

from a3t.text.punctuation.words_and_tags import PAUSE_LENGTHS, TAGS, pause_length
from alignment import Alignment
from training.features.given_alignments import listed_alignments
from training.programs import Program, option
from training.text.punctuated_text import TaggedText, tagged

HELD_OUT = "LJ002"  # clips that are measured on


def pauses_after(alignment: Alignment) -> tuple[list[str], list[float]]:
    """Return an alignment's spoken words, and the seconds of the pause after each."""
    spoken: list[str] = []
    pauses: list[float] = []
    for word in alignment.words:
        if word.text:
            spoken.append(word.text)
            pauses.append(0.0)
        elif spoken:
            pauses[-1] += word.end - word.start
    return spoken, pauses


def read_clips(corpora: Path) -> Iterator[tuple[str, TaggedText, list[float]]]:
    """Yield (path, words with tags, seconds of pause after each word) of the punctuated clips."""
    with (corpora / "manifest.tsv").open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        texts = {row["path"]: row["text"] for row in rows}
    for path, alignment, _ in listed_alignments(corpora / "alignments.jsonl.xz"):
        written = texts.get(path, "")
        text = tagged([written])
        spoken, pauses = pauses_after(alignment)
        if text.words == tuple(spoken) and not written.isupper():
            yield path, text, pauses


def count(corpora: Path) -> np.ndarray:
    """Count each pause length after each tag: (4, PAUSE_LENGTHS), rows that sum to 1.

    The last word of a clip has no pause of its own. The clips of HELD_OUT aren't counted.
    """
    counts = np.zeros((len(TAGS), PAUSE_LENGTHS))
    counts[:, 1:] = 1.0  # nothing is impossible
    for path, text, pauses in read_clips(corpora):
        if HELD_OUT not in path:
            for tag, seconds in zip(text.tags[:-1], pauses[:-1], strict=True):
                counts[tag, pause_length(seconds)] += 1
    ends = [TAGS.index("PERIOD"), TAGS.index("QUESTION")]
    counts[ends] = counts[ends].sum(0)  # corpora of single sentences have few of either within
    return counts / counts.sum(1, keepdims=True)


def work(options: argparse.Namespace) -> None:
    """Print the table of pause lengths."""
    table = count(options.corpora)
    rows = {tag: [round(float(x), 4) for x in row] for tag, row in zip(TAGS, table, strict=True)}
    print(yaml.safe_dump({"pauses": rows}, sort_keys=False), end="")


main = Program(
    work,
    option("corpora", type=Path),
)


if __name__ == "__main__":
    raise SystemExit(main())
