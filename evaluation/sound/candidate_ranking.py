"""Does the ranking of candidates pick better than chance? Tested on recorded words.

    python -m evaluation.sound.candidate_ranking [--edits 48] [--of 5] [--out FOLDER]

Reads the corpora in A3T_CORPORA. In held-out clips one word is masked and resynthesised as several
candidates; each is compared with the recording, over the word and 150 ms on each side. Distance:
mel-cepstral, in dB, time-warped. FOLDER/candidates.tsv gets one row per candidate; an interrupted
run continues from there.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import soxr
import torch
from scipy.stats import spearmanr

from a3t.audio.analysis.mel import log_mel
from a3t.audio.output.patches import read_patched
from a3t.audio.reading.recording import Recording
from a3t.editor import Editor
from a3t.grid import SAMPLE_RATE
from a3t.rendering.candidates import VARIATIONS, Candidate, Merits, variant
from a3t.text.transcript import Transcript
from alignment import Alignment, AlignmentError
from evaluation.harness.programs import program_parser
from evaluation.hearing.planting import chosen
from evaluation.metrics import mel_cepstral_distance
from training.corpora import corpora_root, read_corpora, split_of

UNKNOWN = "blank"  # replaces, in the old text, the word that is resynthesised
BESIDE = 0.15  # seconds
SPOKEN = (0.2, 1.0)  # seconds; the durations of words that are used


@dataclass(frozen=True)
class RankedCandidate:
    """A candidate of an edit: its merits, and its distance to the recording in dB."""

    clip: str
    word: str
    variation: int
    heard: float
    pace: float
    joint: float
    distance: float

    @property
    def merits(self) -> Merits:
        return Merits(self.heard, self.joint, self.pace, 2 * VARIATIONS[self.variation].margin)


def rows_of(
    editor: Editor, path: Path, text: str, count: int, draw: random.Random
) -> list[RankedCandidate]:
    """Resynthesise one word of a clip in ``count`` ways; empty if it has no suitable word."""
    recording = Recording.open(path)
    aligned = editor.plan(recording, new_text=text, text=text).alignment
    words = [
        k
        for k, word in enumerate(aligned.spoken[1:-1], 1)
        if SPOKEN[0] <= word.duration <= SPOKEN[1] and word.score > 0.8
    ]
    if not words:
        return []
    place = draw.choice(words)
    word = aligned.spoken[place]
    old = list(Transcript.from_text(text).spoken)
    new_text = " ".join(old)
    old[place] = UNKNOWN
    renamed = tuple(replace(w, text=UNKNOWN) if w is word else w for w in aligned.words)
    alignment = Alignment(renamed, aligned.duration, aligned.score)
    plan = editor.plan(recording, new_text=new_text, text=" ".join(old), alignment=alignment)
    variants = [variant(plan, k, editor.render, editor.durations) for k in range(count)]
    return [
        RankedCandidate(
            path.stem,
            word.text,
            k,
            round(each.merits.heard, 4),
            round(each.merits.pace, 4),
            round(each.merits.joint, 4),
            round(distance(each, word.start, word.end), 4),
        )
        for k, each in enumerate(variants)
    ]


def distance(made: Candidate, start: float, end: float) -> float:
    """Mel-cepstral distance in dB between a candidate and the recording, from ``start`` to ``end``
    seconds and beside it."""
    recording, patches = made.result.recording, made.result.patches
    rate, growth = recording.sample_rate, sum(patch.growth for patch in patches)
    first = max(0, round((start - BESIDE) * rate))
    last = min(recording.samples, round((end + BESIDE) * rate))
    old = recording.mono(first, last)
    new = read_patched(recording, patches, first, last + growth).mean(axis=1)
    mels = [log_mel(soxr.resample(x, rate, SAMPLE_RATE).astype(np.float32)) for x in (old, new)]
    return mel_cepstral_distance(mels[0].numpy(), mels[1].numpy(), dtw=True)


def read_rows(path: Path) -> list[RankedCandidate]:
    if not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        kinds = {"clip": str, "word": str, "variation": int}
        return [
            RankedCandidate(**{name: kinds.get(name, float)(value) for name, value in row.items()})  # type: ignore[arg-type]
            for row in csv.DictReader(file, delimiter="\t")
        ]


def groups(rows: Sequence[RankedCandidate]) -> list[list[RankedCandidate]]:
    """Group the candidates by edit."""
    by_clip: dict[str, list[RankedCandidate]] = {}
    for row in rows:
        by_clip.setdefault(row.clip, []).append(row)
    return list(by_clip.values())


def ranking_line(
    edits: Sequence[Sequence[RankedCandidate]], score: Callable[[Merits], float], name: str
) -> str:
    """A line of the table: the result of choosing by a score."""
    distances = np.array([[row.distance for row in rows] for rows in edits])
    scores = np.array([[score(row.merits) for row in rows] for rows in edits])
    picked = distances[np.arange(len(edits)), scores.argmax(axis=1)]
    mean = distances.mean(axis=1)
    gain = mean - picked
    error = gain.std(ddof=1) / np.sqrt(len(gain))
    order = [
        spearmanr(score, -far).statistic
        for score, far in zip(scores, distances, strict=True)
        if np.ptp(score) > 0 and np.ptp(far) > 0
    ]
    best = (picked == distances.min(axis=1)).mean()
    return (
        f"| {name} | {len(edits)} | {picked.mean():.2f} | {mean.mean():.2f} | "
        f"{distances.min(axis=1).mean():.2f} | {distances[:, 0].mean():.2f} | "
        f"{gain.mean():+.3f} ± {error:.3f} | {np.mean(order):+.2f} | {best:.0%} |"
    )


def main() -> None:
    parser = program_parser("sound.candidate_ranking", __doc__, edits=48, seed=7)
    parser.add_argument("--of", type=int, default=5, help="candidates per edit")
    parser.add_argument("--out", type=Path, default=Path("evaluation/results"))
    options = parser.parse_args()
    torch.set_num_threads(1)
    path = options.out / "candidates.tsv"
    rows = read_rows(path)
    done = {row.clip for row in rows}
    clips = [c for c in read_corpora(corpora_root()) if split_of(c) == "test"]
    editor = Editor.load()
    for number, clip in enumerate(chosen(clips, len(clips), options.seed)):
        if len(done) >= options.edits:
            break
        if clip.path.stem in done:
            continue
        try:
            draw = random.Random(options.seed + number)
            new = rows_of(editor, clip.path, clip.text, options.of, draw)
        except AlignmentError:
            continue
        if not new:
            continue
        done.add(clip.path.stem)
        rows += new
        with path.open("a", newline="", encoding="utf-8") as file:
            table = csv.DictWriter(file, list(asdict(new[0])), delimiter="\t")
            if file.tell() == 0:
                table.writeheader()
            table.writerows(map(asdict, new))
    edits = groups(rows)
    print(
        "| ranked by | edits | chosen, dB | mean of all | best | the default | gain over chance, "
        "dB | rank correlation | chosen is the best |\n|---|---|---|---|---|---|---|---|---|"
    )
    print(ranking_line(edits, lambda merits: merits.score, "the score"))
    print(
        ranking_line(
            edits,
            lambda merits: replace(merits, remade=0.0).score,
            "the score but for what is made anew beside the words",
        )
    )
    print(
        ranking_line(
            edits,
            lambda merits: replace(merits, pace=1.0, joint=1.0).score,
            "the score but for the joints and the pace",
        )
    )


if __name__ == "__main__":
    main()
