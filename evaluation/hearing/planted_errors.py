"""Does the aligner doubt wrong texts, and trust right ones? Tested with errors planted in clips.

Each clip is aligned with its own text, with one word replaced, put in or left out, with words drawn
from all clips, with another clip's text, and with its halves swapped; half of the clips as they
are, the others in pink noise 10 or 5 dB below the speech. The clips are those of
aligner_held_out.txt, which the network aligner didn't hear in training, and to which none of its
weights was fitted.

Found: a wrong or an additional word has a confidence below 0.5; beside a missing one a word has, or
there is sound between its neighbours that is said not to be in the text; or the text is refused.
False alarms: all doubts (alignment.confidence.doubts) about the words of right texts and the sound
between them.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from alignment import AlignmentError
from alignment.confidence.doubts import doubts_beside
from evaluation.harness.declared_tables import Column, Row, Rows, Table, rate
from evaluation.harness.estimates import Interval
from evaluation.harness.measurement import Measurement, Setting
from evaluation.hearing.planting import (
    Spoken,
    deleted,
    held_out_clips,
    inserted,
    others,
    replaced,
    vocabulary,
)
from training.alignment.distortions import noisy
from training.programs import counts

# Corpora take turns by fours; dB by which the noise is below the speech.
TURNS = (("clean", None), ("noise 10 dB", 10.0), ("clean", None), ("noise 5 dB", 5.0))
RIGHT, MISSING = "right", "one word missing"
PLANTED = {"one word wrong": replaced, "one word too many": inserted, MISSING: deleted}
FOUND, REFUSED, DOUBTED = "found", "refused", "words doubted"


@dataclass(frozen=True)
class PlantedText:
    """A text for a clip, of mono samples (n,), and which of its words should be doubted."""

    name: str
    condition: str
    samples: np.ndarray
    rate: int
    kind: str
    words: list[str]
    suspects: range = range(0)


def planted_texts(setting: Setting) -> Iterator[PlantedText]:
    """Return every clip with its own text, and the wrong ones."""
    seed = setting.options.seed
    clips = held_out_clips(setting.options.clips, seed)
    pool = vocabulary(clips)
    for number, spoken in enumerate(clips):
        condition, below = TURNS[number // 4 % 4]
        samples = spoken.samples if below is None else noisy(spoken.samples, below)
        other = clips[(number + 4) % len(clips)]
        for kind, words, suspects in texts(spoken, other, pool, random.Random(f"{seed}-{number}")):
            yield PlantedText(
                spoken.clip.name, condition, samples, spoken.rate, kind, words, suspects
            )


def texts(
    spoken: Spoken, other: Spoken, pool: Sequence[str], draw: random.Random
) -> Iterator[tuple[str, list[str], range]]:
    """Yield kinds, words and suspects."""
    words = list(spoken.words)
    yield RIGHT, words, range(0)
    for kind, planter in PLANTED.items():
        change = planter(words, pool, draw, 1)
        suspects = range(change.start, change.start + len(change.new))
        if kind == MISSING:
            suspects = range(max(change.start - 1, 0), min(change.start + 1, len(words) - 1))
        yield kind, change.of(words), suspects
    half = len(words) // 2
    yield "halves swapped", words[half:] + words[:half], range(0)
    yield "another clip's text", list(other.words), range(0)
    yield "words at random", list(others(pool, words, draw, len(words))), range(0)


def align_text(text: PlantedText, setting: Setting) -> Iterator[Row]:
    """Count the hits of the aligner's verdict on a text among so many cases."""
    begun = time.process_time()
    try:
        result = setting.align(text.samples, text.rate, text.words, check=False)
    except AlignmentError:
        lowest, refused, doubted = 0.0, True, len(text.words)
    else:
        scores, refused = [word.score for word in result.spoken], result.score < 0.5
        doubted = len({d for k in range(len(scores)) for d in doubts_beside(result, k, k + 1)})
        between = text.suspects.start + 1 if text.suspects != range(1) else 0  # before all words
        if text.kind == MISSING and any(
            not doubt.text for doubt in doubts_beside(result, between, between)
        ):
            scores[text.suspects.start] = 0.0  # it is named between the two
        lowest = min((scores[k] for k in text.suspects), default=1.0)
    spent = time.process_time() - begun
    row = {"clip": text.name, "condition": text.condition, "text": text.kind, "processor": spent}
    row["speech"] = len(text.samples) / text.rate
    if text.kind == RIGHT:
        yield row | {"counted": DOUBTED, "hits": doubted, "of": len(text.words)}
    if text.kind in PLANTED:
        yield row | {"counted": FOUND, "hits": int(refused or lowest < 0.5), "of": 1}
    else:
        yield row | {"counted": REFUSED, "hits": int(refused), "of": 1}


def _hits(head: str, part: str = "") -> Column:
    def figure(rows: Rows) -> Interval:
        inside = [row for row in rows if part in row["condition"]]
        return Interval.share(sum(row["hits"] for row in inside), sum(row["of"] for row in inside))

    return Column(head, figure, ".1f")


SHARES = (
    Column("cases", lambda rows: sum(row["of"] for row in rows)),
    *(_hits("clean", "clean"), _hits("in noise", "noise"), _hits("all")),
)
MEASUREMENT = Measurement(
    planted_texts,
    align_text,
    [
        Table(SHARES, ("counted", "text"), only=lambda row: row["text"] in (RIGHT, *PLANTED)),
        Table(SHARES, ("counted",), "text", lambda row: row["text"] not in (RIGHT, *PLANTED)),
        Table([rate("times real time", "processor", "speech", ".3f", per=1)]),
    ],
    counts(clips=100, seed=6),
    unit="text",
    legend="Per cent of the cases, with 95 % intervals.",
)
