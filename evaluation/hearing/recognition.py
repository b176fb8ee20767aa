"""Is the old text recognised correctly, given only the new one? One planted edit per clip.

Reads the corpora that A3T_CORPORA names: of the clips in aligner_held_out.txt the half that nothing
was chosen on (`planting.is_reported`; --chosen takes the other half), or with --at-home as many of
another release of Common Voice. The clip says the old words; the new text is the old one with one
to three words replaced, inserted or left out. Counted are the recognised words that differ from the
old ones: all of them, and those that the edit does not touch. What is only spelt otherwise
doesn't differ. Intervals: 95 %, voices drawn anew, or clips where a corpus has few voices.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from a3t.source.recognised_transcript import heard_parts, recognised_part, settled_parts
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.respelling import respelled
from a3t.text.transcript import Transcript
from alignment import AlignmentError
from alignment.aligner import InMemory
from alignment.recognition import whisper_model
from alignment.recognition.whisper import load_whisper
from evaluation.harness.programs import add_counts, markdown_table, write_named_tuples
from evaluation.hearing.planting import (
    PlantedChange,
    Spoken,
    aligner_held_out,
    chosen,
    edit_of,
    heard,
    recorded_at_home,
    vocabulary,
)


class Counts(NamedTuple):
    """Spoken words, wrong ones among them, words that the edit keeps, wrong ones among these."""

    words: int
    wrong: int
    kept: int
    kept_wrong: int


def counted(said: Sequence[str], found: Sequence[str], change: PlantedChange) -> Counts:
    """Edit distance from ``said`` to ``found``, in total and outside the change.

    An additional word counts as outside unless it is at the change.
    """
    rows, columns = len(said) + 1, len(found) + 1
    cost = [[0] * columns for _ in range(rows)]
    for i in range(rows):
        for j in range(columns):
            if i == 0 or j == 0:
                cost[i][j] = i + j
                continue
            step = cost[i - 1][j - 1] + (said[i - 1] != found[j - 1])
            cost[i][j] = min(step, cost[i - 1][j] + 1, cost[i][j - 1] + 1)
    i, j, kept_wrong = rows - 1, columns - 1, 0
    while i or j:
        inside = change.start <= i - 1 < change.stop
        if i and j and cost[i][j] == cost[i - 1][j - 1] + (said[i - 1] != found[j - 1]):
            kept_wrong += said[i - 1] != found[j - 1] and not inside
            i, j = i - 1, j - 1
        elif i and cost[i][j] == cost[i - 1][j] + 1:
            kept_wrong += not inside
            i -= 1
        else:
            kept_wrong += not change.start <= i <= change.stop
            j -= 1
    kept = len(said) - (change.stop - change.start)
    return Counts(len(said), cost[-1][-1], kept, kept_wrong)


class RecognisedClip(NamedTuple):
    """A clip, its counts, and its three texts."""

    recogniser: str
    prior: str
    corpus: str
    voice: str
    clip: str
    words: int
    wrong: int
    kept: int
    kept_wrong: int
    said: str
    new: str
    found: str


def recognise_clips(
    clips: Sequence[Spoken], seed: int, prior: str, recogniser: str = "network"
) -> tuple[list[RecognisedClip], float]:
    """Recognise all clips with one prior; also returns processor seconds per second of speech."""
    pronouncer, pool, model = Pronouncer(), vocabulary(clips), whisper_model(recogniser)
    rows: list[RecognisedClip] = []
    spent = speech = 0.0
    for number, spoken in enumerate(clips):
        change = edit_of(spoken.words, pool, number, seed)
        new = change.of(spoken.words)
        said, expected = (
            Transcript.from_text(" ".join(words), max_words=None) for words in (spoken.words, new)
        )
        started = time.process_time()
        try:
            text = words_heard(spoken, expected if prior == "new" else None, pronouncer, model)
            found = list(respelled(said, text).spoken)
        except AlignmentError:
            found = []
        spent += time.process_time() - started
        speech += len(spoken.samples) / spoken.rate
        counts = counted(spoken.words, found, change)
        clip, texts = spoken.clip, (" ".join(words) for words in (spoken.words, new, found))
        names = (recogniser, prior, clip.corpus, clip.speaker, clip.name)
        rows.append(RecognisedClip(*names, *counts, *texts))
    return rows, spent / speech


def words_heard(
    spoken: Spoken, expected: Transcript | None, pronouncer: Pronouncer, model: Path | None
) -> Transcript:
    """The words recognised in a clip; AlignmentError if there are none."""
    if model is None:
        return recognised_part(spoken.samples, spoken.rate, pronouncer, None, expected).transcript
    sound = InMemory(spoken.samples, spoken.rate)
    parts = heard_parts(sound, pronouncer, model)
    if expected is not None:
        whisper = load_whisper(model)
        return settled_parts(sound, parts, expected, pronouncer, whisper).transcript
    return Transcript.from_text(" ".join(part.transcript.text for *_, part in parts), None)


HEAD = "by,prior,clips of,clips,words,wrong,not touched,wrong,× real time".split(",")


def error_lines(rows: Sequence[RecognisedClip], speed: float) -> list[list[object]]:
    """Lines of the table: all corpora together, then one by one."""
    lines = []
    for part in ("all", *sorted({row.corpus for row in rows})):
        inside = [row for row in rows if part in ("all", row.corpus)]
        words, kept = sum(row.words for row in inside), sum(row.kept for row in inside)
        low, high = interval(inside)
        wrong = f"{sum(row.wrong for row in inside) / words:.1%} [{low:.0%}–{high:.0%}]"
        untouched = f"{sum(row.kept_wrong for row in inside) / kept:.1%}"
        prior = "the new text" if rows[0].prior == "new" else "none"
        counts = (len(inside), words, wrong, kept, untouched)
        lines.append([rows[0].recogniser, prior, part, *counts, f"{speed:.2f}"])
    return lines


def interval(rows: Sequence[RecognisedClip]) -> tuple[float, float]:
    """Within which 95 % of the shares of wrong words are, voices drawn anew; clips of few."""
    few = len({row.voice for row in rows}) < FEW
    groups: dict[str, list[int]] = {}
    for row in rows:
        counts = groups.setdefault(row.clip if few else row.voice, [0, 0])
        counts[0] += row.wrong
        counts[1] += row.words
    each = np.array(list(groups.values()))
    draws = np.random.default_rng(0).integers(0, len(each), (2000, len(each)))
    wrong, words = each[draws].sum(axis=1).T
    low, high = np.quantile(wrong / words, (0.025, 0.975))
    return float(low), float(high)


FEW = 5  # voices


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add_counts(parser, clips=100, seed=3)
    parser.add_argument("--prior", action="append", choices=("new", "none"))
    parser.add_argument(
        "--recogniser",
        action="append",
        metavar="NAME",
        help="as for a3t transcribe (default: network)",
    )
    parser.add_argument("--at-home", type=Path, metavar="FOLDER")
    parser.add_argument("--chosen", action="store_true", help="measure the clips used for choices")
    parser.add_argument("--out", type=Path, metavar="FILE.tsv", help="write one row per clip")


def run(options: argparse.Namespace) -> None:
    """Print the table."""
    usable = (
        recorded_at_home(options.at_home, not options.chosen)
        if options.at_home
        else aligner_held_out(not options.chosen)
    )
    clips = [heard(clip) for clip in chosen(usable, options.clips, options.seed)]
    rows: list[RecognisedClip] = []
    lines: list[list[object]] = []
    for name in options.recogniser or ("network",):
        for prior in options.prior or ("new", "none"):
            found, speed = recognise_clips(clips, options.seed, prior, name)
            lines += error_lines(found, speed)
            rows += found
    print(markdown_table(HEAD, lines))
    if options.out:
        write_named_tuples(options.out, rows)
