"""What starting costs: processor time from the command to its result, and what of it is importing.

    python -m evaluation.speed.start_time [--runs 5] [--before FOLDER]

Each is a process of its own, with one thread: importing torch alone, importing the editor, loading
it, one edit of a recording of 5 s that was aligned before, and a voice's speech up to its first
sound. FOLDER is another checkout; both take turns, and the last column says what this one takes of
the other's time.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from statistics import median

from evaluation.harness.programs import program_parser
from evaluation.speed.edit_speed import NEW_TEXT, ROOT, TEXT, make_recording

SPOKEN = "The ferry left an hour late that morning, and nobody seemed to mind. Who would?"
HEADER = 44  # bytes of a WAV before its first sample
STEPS = {
    "importing torch": ["-c", "import torch"],
    "importing the editor": ["-c", "import a3t.editor"],
    "loading it": ["-c", "from a3t.editor import Editor; Editor.load()"],
}
SOUND = "first sound of a voice"
# A voice that changes nothing takes as long as any other.
MAKE_VOICE = """
import copy, sys
from a3t.editor import Editor
from a3t.model.low_rank import add_low_rank, take_low_rank
from a3t.model.saved_voices import save_voice
editor = Editor.load()
prompt = editor.plan_speech(sys.argv[1], "Hello.", prompt_text=sys.argv[2]).prompt.to_tensors()
network = copy.deepcopy(editor.model)
add_low_rank(network, 8)
model = {"name": editor.name, "sha256": editor.sha256}
save_voice("benchmark", model, {}, take_low_rank(network), prompt)
"""


def spent(checkout: Path, arguments: list[str], voices: Path, until: int | None = None) -> float:
    """Seconds of a processor, of a process that has to succeed, or has to write so many bytes."""
    environment = {**os.environ, "PYTHONPATH": str(checkout), "OMP_NUM_THREADS": "1"}
    environment["A3T_VOICES"] = str(voices)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(
        [sys.executable, *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=checkout,
    )
    with process:
        assert process.stdout is not None
        written = process.stdout.read() if until is None else process.stdout.read(until)
        if until is not None:
            process.kill()
    if len(written) < (until or 0) or (until is None and process.returncode):
        raise SystemExit(f"{arguments} failed in {checkout}.")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def median_seconds(checkouts: list[Path], runs: int, folder: Path) -> dict[tuple[str, Path], float]:
    """The median of `runs` of every step in every checkout, after one run that isn't counted."""
    recording = make_recording(folder)
    for number, checkout in enumerate(checkouts):  # its weights may be others
        spent(checkout, ["-c", MAKE_VOICE, str(recording), TEXT], folder / f"voices-{number}")
    found: dict[tuple[str, Path], list[float]] = defaultdict(list)
    for run in range(runs + 1):
        for number, checkout in enumerate(checkouts):
            out = folder / f"{number}-{run}.wav"
            edit = ["-m", "a3t.edit", "--wav", str(recording), "--text", TEXT]
            edit += ["--new-text", NEW_TEXT, "--out", str(out)]
            speak = ["-m", "a3t.tts", "--voice", "benchmark", "--text", SPOKEN, "--out", "-"]
            for step, arguments in {**STEPS, "an edit": edit, SOUND: speak}.items():
                until = HEADER + 2 if step == SOUND else None
                seconds = spent(checkout, arguments, folder / f"voices-{number}", until)
                if run:
                    found[step, checkout].append(seconds)
    return {key: median(values) for key, values in found.items()}


def main() -> None:
    parser = program_parser("speed.start_time", __doc__, runs=5)
    parser.add_argument("--before", type=Path, metavar="FOLDER", help="another checkout")
    options = parser.parse_args()
    checkouts = [ROOT, *([options.before.resolve()] if options.before else [])]
    with tempfile.TemporaryDirectory() as folder:
        found = median_seconds(checkouts, options.runs, Path(folder))
    print("| | seconds |" + (" before | of that |" if options.before else ""))
    print("|---|---|" + ("---|---|" if options.before else ""))
    for step in [*STEPS, "an edit", SOUND]:
        each = [found[step, checkout] for checkout in checkouts]
        cells = [f"{seconds:.2f}" for seconds in each]
        if options.before:
            cells.append(f"{each[0] / each[1]:.2f}")
        print(f"| {step} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
