"""Does the aligner doubt wrong texts, and trust right ones? Tested with errors planted in clips.

Each clip is aligned with its own text, with one word
replaced, put in or left out, with words drawn from all clips, with another clip's text, and with
its halves swapped; half of the clips as they are, the others in pink noise 10 or 5 dB below the
speech. The clips are those of aligner_held_out.txt, which the network aligner didn't hear in
training, and to which none of its weights was fitted.

Found: a wrong or an additional word has a confidence below 0.5; beside a missing one a word has, or
there is sound between its neighbours that is said not to be in the text; or the text is refused.
False alarms: all doubts (alignment.confidence.doubts) about the words of right texts and the sound
between them.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tqdm import tqdm

from a3t.text.pronunciation.pronouncer import Pronouncer
from alignment import AlignmentError
from alignment.aligners.network_aligner import NetworkAligner
from alignment.confidence.doubts import doubts_beside
from evaluation.harness.programs import add_counts, markdown_table, write_named_tuples
from evaluation.hearing.planting import (
    Spoken,
    deleted,
    held_out_clips,
    inserted,
    others,
    replaced,
)
from training.alignment.distortions import Distortion, noise

TESTED_CLIPS, TESTED_SEED = 100, 6

CONDITIONS: tuple[tuple[str, Distortion | None], ...] = (
    ("clean", None),
    ("10 dB", noise(10)),
    ("clean", None),
    ("5 dB", noise(5)),
)


class Text(NamedTuple):
    """A text for a clip, and which of its words should be doubted."""

    kind: str
    words: list[str]
    suspects: range


class PlantedClip(NamedTuple):
    """A clip aligned with one text; ``lowest`` is the lowest confidence of its suspects."""

    clip: str
    condition: str
    kind: str
    words: int
    doubtful: int
    lowest: float
    refused: bool
    text: str


ONE = ("right", "one word wrong", "one word too many", "one word missing")
WHOLE = ("halves swapped", "another clip's text", "words at random")


def texts(
    spoken: Spoken, other: Spoken, pool: Sequence[str], draw: random.Random
) -> Iterator[Text]:
    """The clip's own text, and the wrong ones."""
    words = list(spoken.words)
    yield Text("right", words, range(0))
    for kind, planter in zip(ONE[1:], (replaced, inserted, deleted), strict=True):
        change = planter(words, pool, draw, 1)
        suspects = range(change.start, change.start + len(change.new))
        if kind == "one word missing":
            suspects = range(max(change.start - 1, 0), min(change.start + 1, len(words) - 1))
        yield Text(kind, change.of(words), suspects)
    half = len(words) // 2
    yield Text("halves swapped", words[half:] + words[:half], range(0))
    yield Text("another clip's text", list(other.words), range(0))
    yield Text("words at random", list(others(pool, words, draw, len(words))), range(0))


def align_with_texts(clips: Sequence[Spoken], seed: int) -> Iterator[PlantedClip]:
    """Every clip with every text."""
    aligner, pronouncer = NetworkAligner(), Pronouncer()
    pool = [word for spoken in clips for word in spoken.words]
    for number, spoken in enumerate(tqdm(clips, unit="clip", disable=None)):
        # Corpora take turns by fours.
        condition, distort = CONDITIONS[number // 4 % 4]
        samples = distort(spoken.samples, spoken.rate)[0] if distort else spoken.samples
        other = clips[(number + 4) % len(clips)]
        for text in texts(spoken, other, pool, random.Random(f"{seed}-{number}")):
            choices = {word: pronouncer.candidates(word) for word in text.words}
            try:
                result = aligner.align(samples, spoken.rate, text.words, choices, check=False)
            except AlignmentError:
                scores, refused = [0.0] * len(text.words), True
                doubtful = len(scores)
            else:
                scores, refused = [word.score for word in result.spoken], result.score < 0.5
                found = {d for k in range(len(scores)) for d in doubts_beside(result, k, k + 1)}
                doubtful = len(found)
                between = text.suspects.start + 1
                if text.kind == "one word missing" and any(
                    not doubt.text for doubt in doubts_beside(result, between, between)
                ):
                    scores[text.suspects.start] = 0.0  # it is named between the two
            yield PlantedClip(
                spoken.clip.name,
                condition,
                text.kind,
                len(scores),
                doubtful,
                min((scores[k] for k in text.suspects), default=1.0),
                refused,
                " ".join(text.words),
            )


PARTS = {"clean": ("clean",), "in noise": ("10 dB", "5 dB"), "all": ("clean", "10 dB", "5 dB")}
COUNTED = (
    ("right", "words doubted"),
    ("right", "refused"),
    *((kind, "found") for kind in ONE[1:]),
    *((kind, "refused") for kind in WHOLE),
)


def detected(rows: Sequence[PlantedClip], kind: str, what: str, part: str) -> tuple[int, int]:
    """The number of texts of a kind under a part's conditions, and how many of them (for doubts: of
    their words) are "words doubted", "found" or "refused"."""
    inside = [row for row in rows if row.kind == kind and row.condition in PARTS[part]]
    if what == "words doubted":
        return sum(row.doubtful for row in inside), sum(row.words for row in inside)
    found = [row.refused or (what == "found" and row.lowest < 0.5) for row in inside]
    return sum(found), len(inside)


def detection_table(rows: Sequence[PlantedClip]) -> str:
    """A Markdown table of what was detected and refused, by condition."""
    lines = []
    for kind, what in COUNTED:
        cells = []
        for part in PARTS:
            hits, of = detected(rows, kind, what, part)
            cells.append(f"{hits} of {of} ({hits / max(of, 1):.1%})")
        lines.append((kind, what, *cells))
    return markdown_table(["text", "", *PARTS], lines)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add_counts(parser, clips=TESTED_CLIPS, seed=TESTED_SEED)
    parser.add_argument("--out", type=Path, metavar="FILE.tsv", help="write one row per text")


def run(options: argparse.Namespace) -> None:
    """Print the table."""
    clips = held_out_clips(options.clips, options.seed)
    rows = list(align_with_texts(clips, options.seed))
    print(detection_table(rows))
    if options.out:
        write_named_tuples(options.out, rows)
