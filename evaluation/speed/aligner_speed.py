"""What aligning costs, alone and as a part of an edit with its check, in one run.

    python -m evaluation.speed.aligner_speed [--runs 5]

Processor time of one process, medians, on the recording of evaluation.speed.edit_speed (4 s of
speech in 5 s): PocketSphinx's two passes, the aligner, and an edit that has to align, warm. They
take turns, so that a busy machine is as busy for all.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

import soundfile

from a3t.editor import Editor
from a3t.text.pronunciation.pronouncer import Pronouncer
from alignment.waveform import model_waveform
from evaluation.hearing.pocketsphinx import force_align
from evaluation.speed.edit_speed import NEW_TEXT, SECONDS, TEXT, make_recording


def measured(runs: int, folder: Path) -> dict[str, float]:
    """Seconds of a processor of each thing that is done, the median of `runs` after a first."""
    os.environ["A3T_CACHE"] = ""  # every edit aligns
    editor = Editor.load()
    words = [word.strip(".").lower() for word in TEXT.split()]
    ways = Pronouncer().choices(words)
    plain = [[tuple(p.rstrip("012") for p in way) for way in ways[word]] for word in words]
    spent: dict[str, list[float]] = defaultdict(list)

    def timed(name: str, work: Callable[[], object]) -> None:
        started = time.process_time()
        work()
        spent[name].append(time.process_time() - started)

    for run in range(runs + 1):
        samples, rate = soundfile.read(make_recording(folder, 2 * run), dtype="float32")
        timed(
            "PocketSphinx's two passes", partial(force_align, model_waveform(samples, rate), plain)
        )
        timed("aligned", partial(editor.alignments.aligner.align, samples, rate, words, ways))
        recording = make_recording(folder, 2 * run + 1)
        timed("edited", partial(editor.edit, recording, new_text=NEW_TEXT, text=TEXT))
    return {name: median(seconds[1:]) for name, seconds in spent.items()}


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m evaluation.speed.aligner_speed", description=__doc__
    )
    parser.add_argument("--runs", type=int, default=5, metavar="N")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measured(options.runs, Path(folder))
    print("| | seconds of a processor | × real time |\n|---|---|---|")
    for name, seconds in found.items():
        print(f"| {name} | {seconds:.3f} | {seconds / SECONDS:.4f} |")
    ratio = found["aligned"] / found["PocketSphinx's two passes"]
    print(f"\naligned, against the two passes: {ratio:.2f}")


if __name__ == "__main__":
    main()
