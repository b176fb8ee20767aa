"""Random edits of held-out clips: do all succeed, is all else untouched, are the new words heard?

    python -m benchmarks.scripted_edits [--edits 50] [--seed 7]

Reads the corpora that A3T_CORPORA names. Each clip is written at one of four rates, mono or stereo,
in one of five formats; one to three changes of one to eight words, anywhere. One thread.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path

import numpy as np
import soundfile
import soxr
import torch

from a3t.editor import Editor
from a3t.records import EditedRecording
from a3t.text.transcript import Transcript
from a3t.training.corpora import Clip, corpora_root, read_corpora, split_of

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
    """The clip in the format whose turn it is; a second channel is quieter."""
    rate, channels, suffix, subtype = FORMATS[number % len(FORMATS)]
    samples, own = soundfile.read(str(clip.path), always_2d=True)
    mono = np.clip(0.8 * soxr.resample(samples.mean(axis=1), own, rate), -1, 1)
    path = folder / f"{number}.{suffix}"
    soundfile.write(path, mono[:, None] * np.array([1.0, 0.6])[:channels], rate, subtype)
    return path


def changed(words: list[str], draw: random.Random) -> list[str]:
    """One to three insertions, replacements and deletions."""
    words = list(words)
    for _ in range(draw.choice([1, 1, 2, 3])):
        op, count = draw.choice("ird"), draw.randint(1, min(8, max(1, len(words) // 3)))
        place = draw.choice([0, len(words), draw.randint(0, len(words))])
        new = [draw.choice(WORDS) for _ in range(draw.randint(1, 6))]
        if op == "i":
            words[place:place] = new
            continue
        place = min(place, len(words) - count)
        if op == "r":
            words[place : place + count] = new
        elif len(words) - count > 1:
            del words[place : place + count]
    return words


def untouched(source: Path, out: Path, result: EditedRecording) -> bool:
    """Whether every sample outside the spans of edit.json is the source's own."""
    dtype = "float32" if soundfile.info(str(source)).subtype == "FLOAT" else "int32"
    old, new = (soundfile.read(str(p), dtype=dtype, always_2d=True)[0] for p in (source, out))
    here = there = 0
    for edit in [*result.record["edits"], {"source": (len(old), 0), "output": (len(new), 0)}]:
        if not np.array_equal(old[here : edit["source"][0]], new[there : edit["output"][0]]):
            return False
        here, there = edit["source"][1], edit["output"][1]
    return True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--edits", type=int, default=50)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    torch.set_num_threads(1)
    editor, draw = Editor.load(), random.Random(options.seed)
    clips = [
        c for c in read_corpora(corpora_root()) if split_of(c) == "test" and 2 < c.seconds < 12
    ]
    seconds, heard, spoilt = [], [], 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for number in range(options.edits):
            clip = draw.choice(clips)
            source = write_clip(clip, folder, number)
            words = list(Transcript.from_text(clip.text).spoken)
            new = changed(words, draw)
            begun = time.perf_counter()
            result = editor.edit(source, " ".join(new), " ".join(words))
            out = result.save(folder / f"{number}.edited{source.suffix}")
            seconds.append(time.perf_counter() - begun)
            spoilt += not untouched(source, out, result)
            heard += [word.score >= 0.5 for edit in result.heard or () for word in edit]
    print(
        f"{options.edits} edits succeeded; {spoilt} with a sample changed outside the spans; "
        f"{sum(heard)} of {len(heard)} new words heard; {np.median(seconds):.2f} s in the middle, "
        f"{np.percentile(seconds, 95):.2f} s at the 95th percentile"
    )


if __name__ == "__main__":
    main()
