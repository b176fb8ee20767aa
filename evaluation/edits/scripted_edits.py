"""Make random edits of held-out clips: all should succeed and leave the rest unchanged.

Each clip is written at one of four rates, mono or stereo, in one of five formats, and gets one to
four changes of one to eight words anywhere. One thread. New words are confirmed by the aligner.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import soundfile
import soxr
import torch

from a3t.rendering.edited import EditedRecording
from a3t.text.transcript import Transcript
from evaluation.harness.declared_tables import Column, Row, Table, count, middle, total
from evaluation.harness.measurement import Measurement, Setting
from training.corpora import Clip, corpora_root, read_corpora, split_of
from training.programs import counts

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
    """Make one to four insertions, replacements and deletions."""
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


class ScriptedEdit(NamedTuple):
    """A clip, its words, and those after the edit."""

    name: str
    number: int
    clip: Clip
    words: list[str]
    new: list[str]


def scripted_edits(count: int, seed: int) -> Iterator[ScriptedEdit]:
    """Draw a number of edits of test clips of 2 to 12 s."""
    draw = random.Random(seed)
    clips = read_corpora(corpora_root())
    usable = [clip for clip in clips if split_of(clip) == "test" and 2 < clip.seconds < 12]
    for number in range(count):
        clip = draw.choice(usable)
        words = list(Transcript.from_text(clip.text).spoken)
        yield ScriptedEdit(clip.name, number, clip, words, changed(words, draw))


def write_list(folder: Path, edits: int, seed: int) -> Path:
    """Write a list of such edits and its recordings."""
    rows = [
        {
            "wav": write_clip(edit.clip, folder, edit.number).name,
            "text": " ".join(edit.words),
            "new_text": " ".join(edit.new),
        }
        for edit in scripted_edits(edits, seed)
    ]
    path = folder / "clips.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def untouched(source: Path, out: Path, result: EditedRecording) -> bool:
    """Return whether every sample outside the spans of edit.json equals the source's."""
    dtype = "float32" if soundfile.info(str(source)).subtype == "FLOAT" else "int32"
    old, new = (soundfile.read(str(p), dtype=dtype, always_2d=True)[0] for p in (source, out))
    here = there = 0
    for edit in [*result.record["edits"], {"source": (len(old), 0), "output": (len(new), 0)}]:
        if not np.array_equal(old[here : edit["source"][0]], new[there : edit["output"][0]]):
            return False
        here, there = edit["source"][1], edit["output"][1]
    return True


def edit_file(edit: ScriptedEdit, setting: Setting) -> Iterator[Row]:
    """Write a clip, edit it, and compare; seconds of the processor."""
    torch.set_num_threads(1)
    source = write_clip(edit.clip, setting.folder, edit.number)
    started = time.process_time()
    result = setting.editor.edit(source, new_text=" ".join(edit.new), text=" ".join(edit.words))
    out = result.save(setting.folder / f"{edit.number}.edited{source.suffix}")
    seconds = time.process_time() - started
    heard = [word.score >= 0.5 for edit in result.scores or () for word in edit]
    yield {
        "clip": edit.name,
        "edits": len(result.plan.edits),
        "equal": int(untouched(source, out, result)),
        "new words": len(heard),
        "heard": sum(heard),
        "seconds": seconds,
    }


MEASUREMENT = Measurement(
    lambda setting: scripted_edits(setting.options.edits, setting.options.seed),
    edit_file,
    [
        Table(
            (
                count("files"),
                total("edits", "edits"),
                total("equal outside the edits", "equal"),
                total("new words", "new words"),
                total("heard", "heard"),
                middle("processor, s", "seconds"),
                Column(
                    "of 95 %",
                    lambda rows: float(np.percentile([row["seconds"] for row in rows], 95)),
                    ".2f",
                ),
            )
        )
    ],
    counts(edits=50, seed=7),
    unit="file",
)
