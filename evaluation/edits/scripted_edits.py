"""Random edits of held-out clips: do all succeed, is the rest unchanged, are new words audible?

Each clip is written at one of four rates, mono or stereo, in one of five formats, and gets one to
four changes of one to eight words anywhere. One thread. New words are confirmed by the aligner.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile
import soxr
import torch
from tqdm import tqdm

from a3t.editor import Editor
from a3t.rendering.edited import EditedRecording
from a3t.text.transcript import Transcript
from evaluation.harness.processes import mebibytes
from evaluation.harness.programs import add_counts, rows_to_tsv, write_text
from training.corpora import Clip, corpora_root, read_corpora, split_of

WORDS = (
    "morning river seven people quickly under beautiful house never again question because strange "
    "little music yesterday"
).split()
FORMATS = (
    (16_000, 1, "wav", "PCM_16"),
    (24_000, 1, "flac", "PCM_24"),
    (44_100, 2, "wav", "PCM_24"),
    (48_000, 2, "flac", "PCM_16"),
    (48_000, 1, "wav", "FLOAT"),
)


def write_clip(clip: Clip, folder: Path, number: int) -> Path:
    """Write the clip in one of the formats, in turn; a second channel is quieter."""
    rate, channels, suffix, subtype = FORMATS[number % len(FORMATS)]
    samples, own = soundfile.read(str(clip.path), always_2d=True)
    mono = np.clip(0.8 * soxr.resample(samples.mean(axis=1), own, rate), -1, 1)
    path = folder / f"{number}.{suffix}"
    soundfile.write(path, mono[:, None] * np.array([1.0, 0.6])[:channels], rate, subtype)
    return path


def changed(words: list[str], draw: random.Random) -> list[str]:
    """One to four insertions, replacements and deletions."""
    words = list(words)
    for _ in range(draw.choice([1, 1, 2, 3, 4])):
        op, count = draw.choice("ird"), draw.randint(1, min(8, max(1, len(words) // 3)))
        place = draw.choice([0, len(words), draw.randint(0, len(words))])
        new = [draw.choice(WORDS) for _ in range(draw.randint(1, 8))]
        if op == "i":
            words[place:place] = new
            continue
        place = min(place, len(words) - count)
        if op == "r":
            words[place : place + count] = new
        elif len(words) - count > 1:
            del words[place : place + count]
    return words


def write_list(folder: Path, edits: int, seed: int) -> Path:
    """Write a list of such edits and its recordings."""
    draw, rows = random.Random(seed), []
    clips = usable_clips()
    for number in range(edits):
        clip = draw.choice(clips)
        source = write_clip(clip, folder, number)
        words = list(Transcript.from_text(clip.text).spoken)
        new = " ".join(changed(words, draw))
        rows.append({"wav": source.name, "text": " ".join(words), "new_text": new})
    path = folder / "clips.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def usable_clips() -> list[Clip]:
    """The test clips of 2 to 12 s."""
    clips = read_corpora(corpora_root())
    return [clip for clip in clips if split_of(clip) == "test" and 2 < clip.seconds < 12]


def untouched(source: Path, out: Path, result: EditedRecording) -> bool:
    """True if every sample outside the spans of edit.json equals the source's."""
    dtype = "float32" if soundfile.info(str(source)).subtype == "FLOAT" else "int32"
    old, new = (soundfile.read(str(p), dtype=dtype, always_2d=True)[0] for p in (source, out))
    here = there = 0
    for edit in [*result.record["edits"], {"source": (len(old), 0), "output": (len(new), 0)}]:
        if not np.array_equal(old[here : edit["source"][0]], new[there : edit["output"][0]]):
            return False
        here, there = edit["source"][1], edit["output"][1]
    return True


@dataclass(frozen=True)
class EditedFile:
    """The outcome of one file's edits; seconds of the processor."""

    number: int
    clip: str
    edits: int
    untouched: bool
    new_words: int
    heard: int
    seconds: float


def edit_file(
    editor: Editor, clip: Clip, number: int, draw: random.Random, folder: Path
) -> EditedFile:
    """Write a clip, edit it, and compare."""
    source = write_clip(clip, folder, number)
    words = list(Transcript.from_text(clip.text).spoken)
    new = changed(words, draw)
    started = time.process_time()
    result = editor.edit(source, new_text=" ".join(new), text=" ".join(words))
    out = result.save(folder / f"{number}.edited{source.suffix}")
    seconds = time.process_time() - started
    heard = [word.score >= 0.5 for edit in result.scores or () for word in edit]
    same = untouched(source, out, result)
    edits = len(result.plan.edits)
    return EditedFile(
        number, clip.path.stem, edits, same, len(heard), sum(heard), round(seconds, 3)
    )


def edit_files(editor: Editor, count: int, seed: int) -> list[EditedFile]:
    """The outcomes of so many files."""
    draw, clips = random.Random(seed), usable_clips()
    with tempfile.TemporaryDirectory() as folder:
        return [
            edit_file(editor, draw.choice(clips), number, draw, Path(folder))
            for number in tqdm(range(count), unit="file", disable=None)
        ]


def report(rows: Sequence[EditedFile]) -> str:
    """The outcome, in a sentence."""
    seconds = [row.seconds for row in rows]
    memory = mebibytes(resource.getrusage(resource.RUSAGE_SELF))
    return (
        f"{len(rows)} files with {sum(row.edits for row in rows)} edits succeeded; "
        f"{sum(not row.untouched for row in rows)} with a sample changed outside the spans; "
        f"{sum(row.heard for row in rows)} of {sum(row.new_words for row in rows)} new words "
        f"confirmed by the aligner; processor time per file: median {np.median(seconds):.2f} s, "
        f"95th percentile {np.percentile(seconds, 95):.2f} s; peak memory {memory:.0f} MiB"
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add_counts(parser, edits=50, seed=7)
    parser.add_argument("--out", type=Path, metavar="FILE.tsv", help="write one row per file")


def run(options: argparse.Namespace) -> None:
    """Edit the files and print what came of it."""
    torch.set_num_threads(1)
    rows = edit_files(Editor.load(), options.edits, options.seed)
    if options.out:
        write_text(options.out, rows_to_tsv(rows))
    print(report(rows))
