"""The cost of an edit of a 5 s recording, and of starting.

    python -m evaluation.speed.edit_speed [--runs 5]
    python -m evaluation.speed.edit_speed --start [--runs 5] [--before FOLDER]

Cold: `python -m a3t.edit` in a process of its own, start to finish. Warm: one process that has
loaded the editor and made one edit, with a recording that it hasn't aligned yet each time; its
steps are the `seconds` of edit.json. "Again" is a second edit of such a recording. Both on two
threads. Absolute times depend on the machine; compare the ratios, which all come from one run.

--start: processor time, on one thread, of importing torch alone, importing the editor, loading it,
an edit of a recording that was aligned before, and a voice's speech up to its first sound. FOLDER
is another checkout; both take turns, and the last column says what this one takes of its time.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import soundfile

from a3t.example import RECORDING
from evaluation.harness.processes import ROOT, Cost, cost_of, mebibytes
from evaluation.harness.programs import program_parser

TEXT = "And you always want to see it in the superlative degree."
NEW_TEXT = "And you never want to see it in the superlative degree."
SECONDS = 5.0
THREADS = 2

SPOKEN = "The ferry left an hour late that morning, and nobody seemed to mind. Who would?"
HEADER = 44  # bytes of a WAV before its first sample
STARTS = {
    "importing torch": ["-c", "import torch"],
    "importing the editor": ["-c", "import a3t.editor"],
    "loading it": ["-c", "from a3t.editor import Editor; Editor.load()"],
}
EDIT, SOUND = "an edit", "first sound of a voice"
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


def make_recording(folder: Path, number: int = 0) -> Path:
    """The example sentence, its final silence extended to 5 s.

    The last sample is ``number``, so that the editor's cache treats each recording as a new one.
    """
    samples, rate = soundfile.read(RECORDING, dtype="int16")
    missing = round(SECONDS * rate) - len(samples)
    tail = samples[-rate // 4 :]
    silence = np.resize(np.concatenate([tail[::-1], tail]), missing)  # mirrored: no step
    silence[-1] = number
    path = folder / f"recording{number}.wav"
    soundfile.write(path, np.concatenate([samples, silence]), rate)
    return path


def edit_command(recording: Path, out: Path) -> list[str]:
    """Python's arguments for one edit from the command line, over what was made before."""
    record_of(out).unlink(missing_ok=True)  # else it is a next version
    command = ["-m", "a3t.edit", "--wav", str(recording), "--text", TEXT, "--new-text", NEW_TEXT]
    return [*command, "--adapt", "never", "--out", str(out)]


def record_of(out: Path) -> Path:
    return out.with_name(f"{out.stem}.edit.json")


def run_warm(folder: Path, runs: int) -> dict[str, Any]:
    """Load once and edit ``runs`` + 1 recordings, of which the first doesn't count; meant to run in
    a process of its own."""
    import torch

    from a3t.editor import Editor

    torch.set_num_threads(THREADS)
    begun = time.perf_counter()
    editor = Editor.load()
    loading = time.perf_counter() - begun
    totals, again, steps = [], [], []
    for run in range(runs + 1):
        recording, out = make_recording(folder, run), folder / "warm.wav"
        begun = time.perf_counter()
        result = editor.edit(recording, new_text=NEW_TEXT, text=TEXT)
        edited = time.perf_counter()
        result.save(out)
        saved = time.perf_counter()
        editor.edit(recording, new_text=NEW_TEXT, text=TEXT).save(out)
        if run:
            totals.append(saved - begun)
            again.append(time.perf_counter() - saved)
            steps.append({**result.record["seconds"], "write": saved - edited})
            del steps[-1]["load"]
    memory = mebibytes(resource.getrusage(resource.RUSAGE_SELF))
    return {
        "loading": loading,
        "total": totals,
        "again": again,
        "steps": steps,
        "mebibytes": memory,
    }


def print_steps(folder: Path, runs: int) -> None:
    """Print the steps of an edit as Markdown: medians over the runs, and their ratios."""
    out = folder / "cold.wav"
    cold: list[tuple[Cost, dict[str, Any]]] = []
    for _ in range(runs + 1):  # the first fills the disk cache
        cost = cost_of(edit_command(make_recording(folder), out), THREADS)
        cold.append((cost, json.loads(record_of(out).read_text(encoding="utf-8"))))
    warm_process = [__file__, "--warm-process", str(folder), "--runs", str(runs)]
    warm = json.loads(cost_of(warm_process, THREADS).output)
    print(step_table(cold[1:], warm))


def step_table(cold: Sequence[tuple[Cost, dict[str, Any]]], warm: dict[str, Any]) -> str:
    steps = {name: median(s[name] for s in warm["steps"]) for name in warm["steps"][0]}
    first = [record["seconds"] for _, record in cold]
    cold_steps = {name: median(seconds[name] for seconds in first) for name in first[0]}
    total, whole = median(warm["total"]), median(cost.wall for cost, _ in cold)
    aligning = sum(value for name, value in steps.items() if name.startswith("align"))
    record = cold[0][1]
    samples = sum(edit["output"][1] - edit["output"][0] for edit in record["edits"])
    spans = samples / record["source"]["sample_rate"]

    def shown(seconds: float | None) -> str:
        return "–" if seconds is None else f"{seconds:.3f}"

    lines = [
        f"One edit of a {SECONDS:g} s recording ({spans:.2f} s of it synthetic), {THREADS} "
        f"threads, Python {platform.python_version()}, {os.cpu_count()} cores. Medians of "
        f"{len(cold)} cold and {len(warm['total'])} warm runs, in seconds.\n",
        "| step | warm | share of the warm edit | cold |",
        "|---|---|---|---|",
    ]
    for name in dict.fromkeys([*cold_steps, *steps]):
        hot = steps.get(name)
        share = "–" if hot is None else f"{hot / total:.0%}"
        lines.append(f"| {name} | {shown(hot)} | {share} | {shown(cold_steps.get(name))} |")
    memory = median(cost.mebibytes for cost, _ in cold)
    lines += [
        f"| total | {total:.3f} | 100% | {whole:.2f} (process) |",
        "",
        f"- without alignment, warm: {total - aligning:.3f} s; again, with cached alignment: "
        f"{median(warm['again']):.3f} s",
        f"- alignment: {aligning / SECONDS:.3f} × real time",
        f"- cold process over warm edit: {whole / total:.1f} ×; loading the editor took "
        f"{warm['loading']:.2f} s",
        f"- peak memory: {memory:.0f} MiB cold, {warm['mebibytes']:.0f} MiB warm",
    ]
    return "\n".join(lines)


def print_starts(folder: Path, runs: int, before: Path | None) -> None:
    """Print what starting costs in this checkout, and in another: medians after one run that isn't
    counted."""
    checkouts = [ROOT, *([before.resolve()] if before else [])]
    recording = make_recording(folder)
    speak = ["-m", "a3t.tts", "--voice", "benchmark", "--text", SPOKEN, "--out", "-"]
    found: dict[tuple[str, Path], list[float]] = defaultdict(list)
    for run in range(runs + 1):
        for number, checkout in enumerate(checkouts):
            voices = str(folder / f"voices-{number}")  # its weights may be others
            if not run:
                make = ["-c", MAKE_VOICE, str(recording), TEXT]
                cost_of(make, checkout=checkout, A3T_VOICES=voices)
            edit = edit_command(recording, folder / f"{number}.wav")
            for step, arguments in {**STARTS, EDIT: edit, SOUND: speak}.items():
                until = HEADER + 2 if step == SOUND else None
                cost = cost_of(arguments, checkout=checkout, until=until, A3T_VOICES=voices)
                if run:
                    found[step, checkout].append(cost.processor)
    print("| | seconds |" + (" before | of that |" if before else ""))
    print("|---|---|" + ("---|---|" if before else ""))
    for step in [*STARTS, EDIT, SOUND]:
        each = [median(found[step, checkout]) for checkout in checkouts]
        cells = [f"{seconds:.2f}" for seconds in each]
        if before:
            cells.append(f"{each[0] / each[1]:.2f}")
        print(f"| {step} | {' | '.join(cells)} |")


def main() -> None:
    parser = program_parser("speed.edit_speed", __doc__, runs=5)
    parser.add_argument("--start", action="store_true", help="what starting costs, instead")
    parser.add_argument("--before", type=Path, metavar="FOLDER", help="another checkout")
    parser.add_argument("--warm-process", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.warm_process:
        print(json.dumps(run_warm(options.warm_process, options.runs)))
        return
    with tempfile.TemporaryDirectory() as folder:
        if options.start:
            print_starts(Path(folder), options.runs, options.before)
        else:
            print_steps(Path(folder), options.runs)


if __name__ == "__main__":
    main()
