"""A batch of scripted edits of held-out clips by the command line: how many edits a minute?

    python -m evaluation.speed.batch_speed [--edits 40] [--jobs 1 2]

Reads the corpora in A3T_CORPORA. The clips and changes are those of
`evaluation.sound.scripted_edits`.
Elapsed time means little on a busy machine, so processor time and edits per minute of it are
reported as well.
"""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from a3t.text.transcript import Transcript
from evaluation.harness.programs import program_parser
from evaluation.sound.scripted_edits import changed, write_clip
from training.corpora import corpora_root, read_corpora, split_of


def write_list(folder: Path, edits: int, seed: int) -> tuple[Path, float]:
    """Write the list and its recordings; returns its path and their total length in seconds."""
    draw = random.Random(seed)
    clips = [
        c for c in read_corpora(corpora_root()) if split_of(c) == "test" and 2 < c.seconds < 12
    ]
    rows, seconds = [], 0.0
    for number in range(edits):
        clip = draw.choice(clips)
        source = write_clip(clip, folder, number)
        words = list(Transcript.from_text(clip.text).spoken)
        new = " ".join(changed(words, draw))
        rows.append({"wav": source.name, "text": " ".join(words), "new_text": new})
        seconds += clip.seconds
    path = folder / "edits.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path, seconds


def run(manifest: Path, jobs: int) -> str:
    """Run the batch with ``jobs`` processes; returns a line of the table."""
    command = [sys.executable, "-m", "a3t.edit", "--manifest", str(manifest), "--adapt", "never"]
    command += ["--out-dir", str(manifest.parent / f"out{jobs}"), "--jobs", str(jobs), "--json"]
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(
        command, stdout=subprocess.PIPE, check=True, env=os.environ | {"OMP_NUM_THREADS": "1"}
    )
    lasted, after = time.monotonic() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    made = json.loads(done.stdout)["made"]
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return (
        f"| {jobs} | {made} | {lasted:.0f} | {made / lasted * 60:.1f} | {spent:.0f} | "
        f"{made / spent * 60:.1f} | {after.ru_maxrss / 1024:.0f} |"
    )


def main() -> None:
    parser = program_parser("speed.batch_speed", __doc__, edits=40, seed=7)
    parser.add_argument("--jobs", type=int, nargs="+", default=[1, 2])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        manifest, seconds = write_list(Path(folder), options.edits, options.seed)
        print(f"{options.edits} edits of {seconds / options.edits:.1f} s clips on average\n")
        print(
            "| processes | edits | s | edits/min | processor s | edits per processor min "
            "| MiB of the largest process |\n|---|---|---|---|---|---|---|"
        )
        for jobs in options.jobs:
            print(run(manifest, jobs), flush=True)


if __name__ == "__main__":
    main()
