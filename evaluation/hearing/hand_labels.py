"""The errors of the aligner's boundaries against labels by hand, and the share within the spreads.

A folder of labels has NAME.tsv beside NAME.opus (or .wav) and NAME.txt for each sentence: a line is
the start and the end of a phone or pause in seconds, its symbol and its word (RULES.md there says
where boundaries lie). clips.tsv has each sentence's name, voice and set. The aligner has the
dictionary's pronunciations; boundaries between phones are compared where both have the same two.
Where a recording begins or ends within a word is no boundary; a word that the aligner puts at a
recording's own beginning or end has no spread there, so it counts for the errors only.
What is fitted to labels is fitted to the voices of one set (fit: --chosen) and reported of others.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np
import soundfile

from a3t.errors import InputError
from a3t.text.transcript import Transcript
from alignment import Word
from evaluation.harness.declared_tables import Column, Row, Rows, Table, count, proportion, total
from evaluation.harness.measurement import CHOSEN, Measurement, Setting
from evaluation.harness.processes import ROOT
from training.programs import option

LABELS = ROOT / "tests" / "alignment" / "labels"
SILENCE, GLOTTAL = "sil", "q"
FIT, REPORT = "fit", "report"


class Segment(NamedTuple):
    """A labelled phone or pause, seconds."""

    start: float
    end: float
    symbol: str
    word: str


@dataclass(frozen=True)
class LabelledWord:
    """A word's phones; whether a pause is ``before`` and ``after``.

    ``glottal``: seconds of a glottal stop or creak before the first, which belong to it.
    """

    phones: tuple[Segment, ...]
    glottal: float
    before: bool
    after: bool

    @property
    def start(self) -> float:
        """The second at which it begins, with what is glottal."""
        return self.phones[0].start - self.glottal

    @property
    def end(self) -> float:
        """The second at which it ends."""
        return self.phones[-1].end


@dataclass(frozen=True)
class LabelledClip:
    """A sentence with its labels; ``samples``: mono, (n,)."""

    name: str
    voice: str
    words: tuple[str, ...]
    labels: tuple[LabelledWord, ...]
    samples: np.ndarray
    rate: int


def read_labels(path: Path) -> list[Segment]:
    """Read the segments of a file of labels, in order."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    return [Segment(float(row[0]), float(row[1]), row[2], row[3]) for row in rows]


def labelled_words(segments: list[Segment]) -> list[LabelledWord]:
    """Return the words of a sentence; one that is said twice in a row would be one."""
    result: list[LabelledWord] = []
    groups = [(word, list(own)) for word, own in groupby(segments, lambda each: each.word)]
    for place, (_, own) in enumerate(groups):
        if own[0].symbol == SILENCE:
            continue
        glottal = own[0].end - own[0].start if own[0].symbol == GLOTTAL else 0.0
        phones = tuple(each for each in own if each.symbol not in (SILENCE, GLOTTAL))
        before, after = (
            0 <= k < len(groups) and groups[k][1][0].symbol == SILENCE
            for k in (place - 1, place + 1)
        )
        result.append(LabelledWord(phones, glottal, before, after))
    return result


def labelled_clips(setting: Setting) -> list[LabelledClip]:
    """Find the clips that have labels."""
    folder: Path = setting.options.labels
    with open(folder / "clips.tsv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    result: list[LabelledClip] = []
    for row in rows:
        if row["set"] != (FIT if setting.options.chosen else REPORT):
            continue
        name = row["name"]
        sound = next(p for p in map(folder.joinpath, (f"{name}.opus", f"{name}.wav")) if p.exists())
        samples, rate = soundfile.read(sound, dtype="float32")
        text = (folder / f"{name}.txt").read_text(encoding="utf-8").strip()
        words = Transcript.from_text(text).spoken
        labels = tuple(labelled_words(read_labels(folder / f"{name}.tsv")))
        if len(labels) != len(words):
            raise InputError(
                f"{name}: {len(labels)} words are labelled, the text has {len(words)}."
            )
        result.append(LabelledClip(name, row["voice"], tuple(words), labels, samples, rate))
    return result


def compare(clip: LabelledClip, setting: Setting) -> Iterator[Row]:
    """Measure each boundary's error, found minus labelled, and spread, ms."""
    aligned = setting.align(clip.samples, clip.rate, clip.words, check=False)
    spreads = {phone.end: phone.spread for phone in aligned.phones[:-1]}
    for word, label in zip(aligned.spoken, clip.labels, strict=True):
        for of, at_pause, found, true in boundaries(word, label):
            error = 1000 * (found - true)
            spread = 1000 * spreads.get(found, np.nan)
            yield {
                "clip": clip.name, "voice": clip.voice, "of": of,
                "where": "beside pauses" if at_pause else "in speech",
                "error": error, "spread": spread,
                "stated": found in spreads, "within": abs(error) <= spread,
            }  # fmt: skip


def boundaries(word: Word, label: LabelledWord) -> Iterator[tuple[str, bool, float, float]]:
    """Yield a word's comparable boundaries: of what, whether at a pause, found and labelled."""
    if label.start > 0:
        yield "words", label.before, word.start, label.start
    own = [phone.symbol.rstrip("012") for phone in word.phones]
    theirs = [phone.symbol for phone in label.phones]
    for block in SequenceMatcher(None, own, theirs, autojunk=False).get_matching_blocks():
        for k in range(1, block.size):
            found, true = word.phones[block.a + k].start, label.phones[block.b + k].start
            yield "phones inside words", False, found, true
    if label.after:
        yield "words", True, word.end, label.end


def _errors(rows: Rows) -> np.ndarray:
    return np.array([row["error"] for row in rows])


COLUMNS = (
    count("boundaries"),
    Column("mean", lambda rows: float(np.abs(_errors(rows)).mean()), ".1f"),
    Column("median", lambda rows: float(np.median(np.abs(_errors(rows)))), ".1f"),
    Column("bias", lambda rows: float(_errors(rows).mean()), "+.1f"),
    Column("median bias", lambda rows: float(np.median(_errors(rows))), "+.1f"),
    Column(
        "within 20 ms, %", lambda rows: 100 * float((np.abs(_errors(rows)) <= 20).mean()), ".0f"
    ),
    total("with a spread", "stated"),
    proportion("within it", "within", "stated", ".0f"),
)
MEASUREMENT = Measurement(
    labelled_clips,
    compare,
    [*(Table(COLUMNS, (by,)) for by in ("of", "where")), Table(COLUMNS)],
    (
        option("--labels", type=Path, default=LABELS, metavar="FOLDER"),
        CHOSEN,
    ),
    unit="sentence",
    legend="Found minus labelled, ms. Words: starts, and ends before pauses. Within it: per cent "
    "of the boundaries with a spread.",
)
