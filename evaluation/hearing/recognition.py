"""Is the old text recognised correctly, given only the new one? One planted edit per clip.

    python -m evaluation.hearing.recognition [--clips 100] [--seed 3] [--prior new] [--out FILE.tsv]

Reads the corpora that A3T_CORPORA names: of the clips in aligner_held_out.txt the half that nothing
was chosen on (`planting.is_reported`; --chosen takes the other half). The clip says the old words;
the new text is the old one with one to three words replaced, inserted or left out. Counted are the
recognised words that differ from the old ones: all of them, and those that the edit does not touch.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from a3t.text.pronunciation.pronouncer import Pronouncer
from alignment import AlignmentError
from alignment.recognition import recognise
from evaluation.harness.programs import program_parser, write_named_tuples
from evaluation.hearing.planting import (
    PlantedChange,
    Spoken,
    aligner_held_out,
    chosen,
    edit_of,
    heard,
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


def main() -> None:
    parser = program_parser("hearing.recognition", __doc__, clips=100, seed=3)
    parser.add_argument("--prior", action="append", choices=("new", "none"))
    parser.add_argument("--chosen", action="store_true", help="the clips that choices were made on")
    parser.add_argument("--out", type=Path, metavar="FILE.tsv", help="write one row per clip")
    options = parser.parse_args()
    usable = aligner_held_out(not options.chosen)
    clips = [heard(clip) for clip in chosen(usable, options.clips, options.seed)]
    rows: list[RecognisedClip] = []
    print(HEAD)
    for prior in options.prior or ("new", "none"):
        found, speed = recognise_clips(clips, options.seed, prior)
        print(error_lines(prior, found, speed), flush=True)
        rows += found
    if options.out:
        write_named_tuples(options.out, rows)


class RecognisedClip(NamedTuple):
    """A clip, its counts, and its three texts."""

    prior: str
    corpus: str
    clip: str
    words: int
    wrong: int
    kept: int
    kept_wrong: int
    said: str
    new: str
    found: str


def recognise_clips(
    clips: Sequence[Spoken], seed: int, prior: str
) -> tuple[list[RecognisedClip], float]:
    """Recognise all clips with one prior; also returns processor seconds per second of speech."""
    pronouncer, pool = Pronouncer(), vocabulary(clips)
    rows: list[RecognisedClip] = []
    spent = speech = 0.0
    for number, spoken in enumerate(clips):
        change = edit_of(spoken.words, pool, number, seed)
        new = change.of(spoken.words)
        choices = {word: pronouncer.candidates(word) for word in new}
        started = time.process_time()
        try:
            expected = new if prior == "new" else None
            found = recognise(spoken.samples, spoken.rate, expected, choices)
        except AlignmentError:
            found = []
        spent += time.process_time() - started
        speech += len(spoken.samples) / spoken.rate
        texts = (" ".join(words) for words in (spoken.words, new, found))
        counts = counted(spoken.words, found, change)
        rows.append(RecognisedClip(prior, spoken.clip.corpus, spoken.clip.name, *counts, *texts))
    return rows, spent / speech


HEAD = """| prior | clips of | clips | words | wrong | not touched | wrong | x real time |
|---|---|---|---|---|---|---|---|"""


def error_lines(prior: str, rows: Sequence[RecognisedClip], speed: float) -> str:
    """Lines of the table: all corpora together, then one by one."""
    lines = []
    for part in ("all", *sorted({row.corpus for row in rows})):
        inside = [row for row in rows if part in ("all", row.corpus)]
        words, wrong, kept, kept_wrong = (
            sum(getattr(row, name) for row in inside) for name in Counts._fields
        )
        lines.append(
            f"| {'the new text' if prior == 'new' else 'none'} | {part} | {len(inside)} | {words} "
            f"| {wrong / words:.1%} | {kept} | {kept_wrong / kept:.1%} "
            f"| {f'{speed:.2f}' if part == 'all' else ''} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
