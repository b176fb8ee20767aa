"""The reading and punctuation of texts, measured.

Lists: how many of the written forms in tests/text/normaliser are read as they say, in sentences by
which no rule was written. Unknown words: by the network of
letters, words that it was not trained on. --texts names a folder of texts, by which also are
measured: homographs, a fifth of the marked sentences held out (homographs-train.tsv.xz); marks that
are restored, by words alone (talk-test.txt.xz, books-test.txt.xz, iwslt2011-test.tsv).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np

from a3t.text.pronunciation import letter_to_sound
from a3t.text.punctuation.restoring import shipped as shipped_marks
from a3t.text.transcript import Transcript
from evaluation.harness.declared_tables import Column, Row, Table
from evaluation.harness.measurement import Measurement, Setting
from training.programs import counts, option
from training.text import train_homographs, train_letters
from training.text.punctuation_scores import OVERALL, read_test, scores, tags_of

LISTS = Path(__file__).parents[1] / "tests" / "text" / "normaliser"
SET_ASIDE = "# set aside"  # begins the part of a list by which no rule was written
MARKED = ("talk-test.txt.xz", "books-test.txt.xz", "iwslt2011-test.tsv")
HOMOGRAPHS = "homographs-train.tsv.xz"


def score(name: str, figure: float, cases: int) -> Row:
    """Name a measure of reading, per cent, and of how many cases it is."""
    return {"measure": name, "figure": figure, "cases": cases}


def said(text: str) -> str:
    """Return a text's reading: its letters, without "and"."""
    return letters(" ".join(Transcript.from_text(text).spoken))


def letters(text: str) -> str:
    """Return the letters of a reading, which alone count."""
    return re.sub("[^a-z]", "", re.sub(r"\band\b", "", text.lower()))


def rows_of(text: str) -> Iterator[list[str]]:
    """Return [written, spoken, …]: the lines of a list that have a bar, but for its first."""
    for line in text.splitlines()[1:]:
        if " | " in line:
            yield [cell.strip() for cell in line.split(" | ")]


def right(name: str, rows: Iterable[list[str]]) -> Row:
    """Score the share of rows that are read as they say."""
    found = [said(row[0]) in map(letters, row[1:]) for row in rows]
    return score(name, 100 * float(np.mean(found)), len(found))


def lists() -> Iterator[Row]:
    """Score the lists of written forms."""
    _, aside = (LISTS / "podcasts.txt").read_text("utf-8").split(SET_ASIDE)
    yield right("written forms, set aside", rows_of(aside))
    _, aside = (LISTS / "kinds.txt").read_text("utf-8").split(SET_ASIDE)
    yield right("figures and signs, set aside", rows_of(aside))


def unknown_words(count: int) -> Iterator[Row]:
    """Count errors of phones and words, with stress, of so many words in no lexicon."""
    table = train_letters.lexicon()
    held = train_letters.split(list(table))[1]
    words = held[:: max(1, len(held) // count)]
    found = train_letters.errors(letter_to_sound.shipped(), {word: table[word] for word in words})
    yield score("unknown words, phones wrong", found["phones with stress"], len(words))
    yield score("unknown words, words wrong", found["words with stress"], len(words))


def homographs(path: Path) -> Row:
    """Count sentences whose homograph is read rightly, by what was learnt from the others."""
    train, held = train_homographs.divided(train_homographs.read(path))
    found = train_homographs.measure(train_homographs.learn(train), held)
    return score("homographs right", found["all"], len(held))


def marks(path: Path, most: int) -> Row:
    """Return the F1 of all marks together in the first words of a text."""
    text = read_test(path).first(most)
    found = scores(tags_of(shipped_marks(), text)[0], text.tags)[OVERALL].f1
    return score(f"marks restored, F1, {path.name.partition('-')[0]}", found, len(text))


def measures(setting: Setting) -> Iterator[Callable[[], Iterable[Row]]]:
    """Measure everything that can be; what is not in the folder --texts is left out."""
    options = setting.options
    yield lists
    yield lambda: unknown_words(options.words)
    if options.texts is not None:
        if (options.texts / HOMOGRAPHS).exists():
            yield lambda: [homographs(options.texts / HOMOGRAPHS)]
        for path in (options.texts / name for name in MARKED):
            if path.exists():
                yield lambda path=path: [marks(path, options.marked)]  # type: ignore[misc]


MEASUREMENT = Measurement(
    measures,
    lambda measure, setting: measure(),
    [
        Table(
            (
                Column("per cent", lambda rows: float(rows[0]["figure"]), ".1f"),
                Column("of", lambda rows: int(rows[0]["cases"])),
            ),
            ("measure",),
        )
    ],
    (option("--texts", type=Path, metavar="FOLDER"), *counts(words=10_000, marked=150_000)),
    unit="text",
)
