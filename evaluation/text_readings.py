"""The reading and punctuation of texts, measured.

Lists: how many of the written forms in tests/text/normaliser are read as they say; of those of
podcasts' kinds the sentences apart by which no rule was written. Unknown words: by the network of
letters, words that it was not trained on. --texts names a folder of texts, by which also are
measured: homographs, a fifth of the marked sentences held out (homographs-train.tsv.xz); marks that
are restored, by words alone (talk-test.txt.xz, books-test.txt.xz, iwslt2011-test.tsv).
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from a3t.text.pronunciation import letter_network
from a3t.text.punctuation.restoring import shipped as shipped_marks
from a3t.text.transcript import Transcript
from evaluation.harness.programs import add_counts, markdown_table
from training.text import train_homographs, train_letters
from training.text.punctuation_scores import OVERALL, read_test, scores, tags_of

LISTS = Path(__file__).parents[1] / "tests" / "text" / "normaliser"
SET_ASIDE = "# set aside"  # begins the part of a list by which no rule was written
MARKED = ("talk-test.txt.xz", "books-test.txt.xz", "iwslt2011-test.tsv")
HOMOGRAPHS = "homographs-train.tsv.xz"


class TextScore(NamedTuple):
    """A measure of reading, per cent, and of how many cases it is."""

    name: str
    figure: float
    cases: int


def said(text: str) -> str:
    """A text's reading: its letters, without "and"."""
    return letters(" ".join(Transcript.from_text(text, max_words=None).spoken))


def letters(text: str) -> str:
    """The letters of a reading, which alone count."""
    return re.sub("[^a-z]", "", re.sub(r"\band\b", "", text.lower()))


def rows_of(text: str) -> Iterator[list[str]]:
    """[written, spoken, …]: the lines of a list that have a bar, but for its first."""
    for line in text.splitlines()[1:]:
        if " | " in line:
            yield [cell.strip() for cell in line.split(" | ")]


def right(name: str, rows: Iterable[list[str]]) -> TextScore:
    """The share of rows that are read as they say."""
    found = [said(row[0]) in map(letters, row[1:]) for row in rows]
    return TextScore(name, 100 * float(np.mean(found)), len(found))


def lists() -> Iterator[TextScore]:
    """The lists of written forms."""
    texts = {name: (LISTS / f"{name}.txt").read_text("utf-8") for name in ("readings", "narrated")}
    yield right("written forms, rules fitted", (row for t in texts.values() for row in rows_of(t)))
    _, aside = (LISTS / "podcasts.txt").read_text("utf-8").split(SET_ASIDE)
    yield right("written forms, set aside", rows_of(aside))


def unknown_words(count: int) -> Iterator[TextScore]:
    """Errors of phones and words, with stress, of so many words in no lexicon."""
    table = train_letters.lexicon()
    held = train_letters.split(list(table))[1]
    words = held[:: max(1, len(held) // count)]
    found = train_letters.errors(letter_network.shipped(), {word: table[word] for word in words})
    yield TextScore("unknown words, phones wrong", found["phones with stress"], len(words))
    yield TextScore("unknown words, words wrong", found["words with stress"], len(words))


def homographs(path: Path) -> TextScore:
    """Sentences whose homograph is read rightly, by what was learnt from the others."""
    seen = Counter[tuple[str, str]]()
    train: list[train_homographs.MarkedHomograph] = []
    held: list[train_homographs.MarkedHomograph] = []
    for example in train_homographs.read(path):
        seen[key := (example.word, example.sense)] += 1
        (held if seen[key] % train_homographs.HELD_OUT == 0 else train).append(example)
    found = train_homographs.measure(train_homographs.learn(train), held)
    return TextScore("homographs right", found["all"], len(held))


def marks(path: Path, most: int) -> TextScore:
    """F1 of all marks together in the first words of a text."""
    text = read_test(path).first(most)
    found = scores(tags_of(shipped_marks(), text)[0], text.tags)[OVERALL].f1
    return TextScore(f"marks restored, F1, {path.name.partition('-')[0]}", found, len(text))


def measure_reading(texts: Path | None, words: int, marked: int) -> Iterator[TextScore]:
    """Everything that can be measured; what is not in the folder ``texts`` is left out."""
    yield from lists()
    yield from unknown_words(words)
    if texts is not None:
        if (texts / HOMOGRAPHS).exists():
            yield homographs(texts / HOMOGRAPHS)
        for name in MARKED:
            if (texts / name).exists():
                yield marks(texts / name, marked)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("--texts", type=Path, metavar="FOLDER")
    add_counts(parser, words=10_000, marked=150_000)


def run(options: argparse.Namespace) -> None:
    """Print the table."""
    found = measure_reading(options.texts, options.words, options.marked)
    print(markdown_table(["", "%", "of"], [(n, f"{f:.1f}", c) for n, f, c in found]))
