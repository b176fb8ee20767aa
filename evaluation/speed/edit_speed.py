"""The cost of an edit of a 5 s recording, and of starting.

Cold: `python -m a3t.edit` in a process of its own, start to finish. Warm: one process that has
loaded the editor and made one edit, with a recording that it hasn't aligned yet each time; its
steps are the `seconds` of edit.json. "Again" is a second edit of such a recording. Both on two
threads. Absolute times depend on the machine; compare the ratios, which all come from one run.

--start: processor time, on one thread, of importing torch alone, importing the editor, loading it,
an edit of a recording that was aligned before, and a voice's speech up to its first sound.
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
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import soundfile

from a3t.example import RECORDING
from evaluation.harness.processes import cost_of, mebibytes
from evaluation.harness.programs import add_counts, markdown_table

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
WARM = "from evaluation.speed.edit_speed import print_warm; print_warm(*__import__('sys').argv[1:])"
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


def print_warm(folder: str, runs: str) -> None:
    """Load once, edit ``runs`` + 1 recordings, of which the first doesn't count, and print what it
    took as JSON; for a process of its own."""
    import torch

    from a3t.editor import Editor

    torch.set_num_threads(THREADS)
    begun = time.perf_counter()
    editor = Editor.load()
    loading = time.perf_counter() - begun
    totals, again, steps = [], [], []
    for run in range(int(runs) + 1):
        recording, out = make_recording(Path(folder), run), Path(folder) / "warm.wav"
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
    found = {
        "loading": loading,
        "total": median(totals),
        "again": median(again),
        "steps": {name: median(step[name] for step in steps) for name in steps[0]},
        "mebibytes": mebibytes(resource.getrusage(resource.RUSAGE_SELF)),
    }
    print(json.dumps(found))


def measure_edit(folder: Path, runs: int) -> dict[str, Any]:
    """Medians over the runs: of the cold process wall, processor and mebibytes; of the warm one
    loading, total, again, steps and mebibytes; seconds."""
    out = folder / "cold.wav"
    costs, steps = [], []
    for run in range(runs + 1):  # the first fills the disk cache
        cost = cost_of(edit_command(make_recording(folder), out), THREADS)
        if run:
            costs.append(cost)
            steps.append(json.loads(record_of(out).read_text(encoding="utf-8"))["seconds"])
    names = ("wall", "processor", "mebibytes")
    cold: dict[str, Any] = {name: median(getattr(c, name) for c in costs) for name in names}
    cold["steps"] = {name: median(step[name] for step in steps) for name in steps[0]}
    warm = json.loads(cost_of(["-c", WARM, str(folder), str(runs)], THREADS).output)
    return {"cold": cold, "warm": warm}


def step_table(cold: Mapping[str, Any], warm: Mapping[str, Any]) -> str:
    """The steps of an edit as Markdown, and their ratios."""

    def shown(seconds: float | None) -> str:
        return "–" if seconds is None else f"{seconds:.3f}"

    total = warm["total"]
    lines = []
    for name in dict.fromkeys([*cold["steps"], *warm["steps"]]):
        hot = warm["steps"].get(name)
        share = "–" if hot is None else f"{hot / total:.0%}"
        lines.append((name, shown(hot), share, shown(cold["steps"].get(name))))
    lines.append(("total", f"{total:.3f}", "100%", f"{cold['wall']:.2f} (process)"))
    table = markdown_table(["step", "warm, s", "share", "cold, s"], lines)
    return (
        f"One edit of a {SECONDS:g} s recording, {THREADS} threads, Python "
        f"{platform.python_version()}, {os.cpu_count()} cores.\n\n{table}\n"
        f"- again, with cached alignment: {warm['again']:.3f} s\n"
        f"- cold process: {cold['wall'] / total:.1f} × the warm edit, {cold['processor']:.2f} s of "
        f"the processor; loading the editor took {warm['loading']:.2f} s\n"
        f"- peak memory: {cold['mebibytes']:.0f} MiB cold, {warm['mebibytes']:.0f} MiB warm"
    )


def measure_starts(folder: Path, runs: int) -> dict[str, float]:
    """The cost of starting: median processor seconds, after one run that isn't counted."""
    recording, voices = make_recording(folder), str(folder / "voices")
    speak = ["-m", "a3t.tts", "--voice", "benchmark", "--text", SPOKEN, "--out", "-"]
    cost_of(["-c", MAKE_VOICE, str(recording), TEXT], A3T_VOICES=voices)
    found: dict[str, list[float]] = defaultdict(list)
    for run in range(runs + 1):
        edit = edit_command(recording, folder / "started.wav")
        for step, arguments in {**STARTS, EDIT: edit, SOUND: speak}.items():
            until = HEADER + 2 if step == SOUND else None
            cost = cost_of(arguments, until=until, A3T_VOICES=voices)
            if run:
                found[step].append(cost.processor)
    return {step: median(costs) for step, costs in found.items()}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add_counts(parser, runs=5)
    parser.add_argument("--start", action="store_true", help="measure only the cost of starting")


def run(options: argparse.Namespace) -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        if options.start:
            rows = measure_starts(Path(folder), options.runs)
            print(markdown_table(["", "s"], [(name, f"{s:.2f}") for name, s in rows.items()]))
        else:
            print(step_table(**measure_edit(Path(folder), options.runs)))
