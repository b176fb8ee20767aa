"""What starting costs: processor time from the command to its result, and what of it is importing.

    python -m benchmarks.start_time [--runs 5] [--before FOLDER]

Each is a process of its own, with one thread: importing torch alone, importing the editor, loading
it, and one edit of a recording of 5 s that was aligned before. FOLDER is another checkout; both
take turns, and the last column says what this one takes of the other's time.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from statistics import median

from benchmarks.edit_speed import NEW_TEXT, ROOT, TEXT, make_recording

STEPS = {
    "importing torch": ["-c", "import torch"],
    "importing the editor": ["-c", "import a3t.editor"],
    "loading it": ["-c", "from a3t.editor import Editor; Editor.load()"],
}


def spent(checkout: Path, arguments: list[str]) -> float:
    """Seconds of a processor, of a process that has to succeed."""
    environment = {**os.environ, "PYTHONPATH": str(checkout), "OMP_NUM_THREADS": "1"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, *arguments], env=environment, check=True, capture_output=True, cwd=checkout
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measured(checkouts: list[Path], runs: int, folder: Path) -> dict[tuple[str, Path], float]:
    """The median of `runs` of every step in every checkout, after one run that isn't counted."""
    recording = make_recording(folder)
    found: dict[tuple[str, Path], list[float]] = defaultdict(list)
    for run in range(runs + 1):
        for number, checkout in enumerate(checkouts):
            out = folder / f"{number}-{run}.wav"
            edit = ["-m", "a3t.edit", "--wav", str(recording), "--text", TEXT]
            edit += ["--new-text", NEW_TEXT, "--out", str(out)]
            for step, arguments in {**STEPS, "an edit": edit}.items():
                seconds = spent(checkout, arguments)
                if run:
                    found[step, checkout].append(seconds)
    return {key: median(values) for key, values in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.start_time", description=__doc__)
    parser.add_argument("--runs", type=int, default=5, metavar="N")
    parser.add_argument("--before", type=Path, metavar="FOLDER", help="another checkout")
    options = parser.parse_args()
    checkouts = [ROOT, *([options.before.resolve()] if options.before else [])]
    with tempfile.TemporaryDirectory() as folder:
        found = measured(checkouts, options.runs, Path(folder))
    print("| | seconds |" + (" before | of that |" if options.before else ""))
    print("|---|---|" + ("---|---|" if options.before else ""))
    for step in [*STEPS, "an edit"]:
        each = [found[step, checkout] for checkout in checkouts]
        cells = [f"{seconds:.2f}" for seconds in each]
        if options.before:
            cells.append(f"{each[0] / each[1]:.2f}")
        print(f"| {step} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
