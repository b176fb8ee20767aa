"""Time and memory of one edit of a 5 s recording, cold and warm, on two threads.

    python -m evaluation.speed.edit_speed [--runs 5] [--out RESULTS.md]

Cold: `python -m a3t.edit` in a process of its own, start to finish. Warm: one process that has
loaded the editor and made one edit, with a recording that it hasn't aligned yet each time; its
steps are the `seconds` of edit.json. "Again" is a second edit of such a recording. Absolute times
depend on the machine; compare the ratios, which all come from one run.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import soundfile

from a3t.example import RECORDING
from evaluation.harness.programs import program_parser

ROOT = Path(__file__).resolve().parents[2]
TEXT = "And you always want to see it in the superlative degree."
NEW_TEXT = "And you never want to see it in the superlative degree."
SECONDS = 5.0
THREADS = "2"


@dataclass(frozen=True)
class Cold:
    """One process: wall-clock seconds and peak resident memory in MiB."""

    seconds: float
    mebibytes: float
    record: dict[str, Any]


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


def environment() -> dict[str, str]:
    return {
        **os.environ,
        "OMP_NUM_THREADS": THREADS,
        "MKL_NUM_THREADS": THREADS,
        "PYTHONPATH": str(ROOT),
    }


def run_cold(recording: Path, out: Path, options: Sequence[str]) -> Cold:
    """One edit from the command line; raises CalledProcessError if it fails."""
    command = [sys.executable, "-m", "a3t.edit", "--wav", str(recording), "--text", TEXT]
    out.with_name(f"{out.stem}.edit.json").unlink(missing_ok=True)  # else it is a next version
    command += ["--new-text", NEW_TEXT, "--out", str(out), "--json", *options]
    begun = time.perf_counter()
    process = subprocess.Popen(command, env=environment(), stdout=subprocess.DEVNULL)
    # wait4, because getrusage(RUSAGE_CHILDREN) would give the maximum over all children.
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    record = json.loads(out.with_name(f"{out.stem}.edit.json").read_text())
    return Cold(seconds, mebibytes(usage), record)


def mebibytes(usage: resource.struct_rusage) -> float:
    """Peak resident memory; macOS counts it in bytes, Linux in KiB."""
    return usage.ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


def run_warm(folder: Path, runs: int, options: argparse.Namespace) -> dict[str, Any]:
    """Load once and edit ``runs`` + 1 recordings, of which the first doesn't count; meant to run in
    a process of its own."""
    import torch

    from a3t.editor import MODEL, Editor

    torch.set_num_threads(int(THREADS))
    begun = time.perf_counter()
    editor = Editor.load(options.model or MODEL, options.vocoder or "builtin")
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
    return {
        "loading": loading,
        "total": totals,
        "again": again,
        "steps": steps,
        "mebibytes": mebibytes(resource.getrusage(resource.RUSAGE_SELF)),
    }


def chosen(options: argparse.Namespace) -> list[str]:
    """The requested model and vocoder, as command-line flags."""
    pairs = (("--model", options.model), ("--vocoder", options.vocoder))
    return [part for flag, value in pairs if value for part in (flag, value)]


def report(cold: Sequence[Cold], warm: dict[str, Any], spans: float) -> str:
    """The figures as Markdown: medians over the runs, and the ratios between them."""
    steps = {name: median(s[name] for s in warm["steps"]) for name in warm["steps"][0]}
    first = [run.record["seconds"] for run in cold]
    cold_steps = {name: median(seconds[name] for seconds in first) for name in first[0]}
    total = median(warm["total"])
    aligning = sum(value for name, value in steps.items() if name.startswith("align"))
    rendering = total - aligning
    whole = median(run.seconds for run in cold)
    lines = [
        f"One edit of a {SECONDS:g} s recording ({spans:.2f} s of it synthetic), {THREADS} "
        f"threads, Python {platform.python_version()}, {os.cpu_count()} cores. Medians of "
        f"{len(cold)} cold and {len(warm['total'])} warm runs, in seconds.\n",
        "| step | warm | share of the warm edit | cold |",
        "|---|---|---|---|",
    ]
    for name in dict.fromkeys([*cold_steps, *steps]):
        hot, chill = steps.get(name), cold_steps.get(name)
        lines.append(
            f"| {name} | {_figure(hot)} | {'–' if hot is None else f'{hot / total:.0%}'}"
            f" | {_figure(chill)} |"
        )
    lines += [
        f"| total | {total:.3f} | 100% | {whole:.2f} (process) |",
        "",
        f"- without alignment, warm: {rendering:.3f} s; again, with cached alignment: "
        f"{median(warm['again']):.3f} s",
        f"- alignment: {aligning / SECONDS:.3f} × real time",
        f"- cold process over warm edit: {whole / total:.1f} ×; loading the editor took "
        f"{warm['loading']:.2f} s",
        f"- peak memory: {median(run.mebibytes for run in cold):.0f} MiB cold, "
        f"{warm['mebibytes']:.0f} MiB warm",
    ]
    return "\n".join(lines) + "\n"


def _figure(seconds: float | None) -> str:
    return "–" if seconds is None else f"{seconds:.3f}"


def main() -> int:
    parser = program_parser("speed.edit_speed", __doc__)
    parser.add_argument("--runs", type=int, default=5, help="for each of cold and warm")
    parser.add_argument("--model", help="a shipped model's name or a folder")
    parser.add_argument("--vocoder", help="a vocoder's name or a folder")
    parser.add_argument("--out", type=Path, help="also write the report to this Markdown file")
    parser.add_argument("--warm-process", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.warm_process:
        print(json.dumps(run_warm(options.warm_process, options.runs, options)))
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        recording = make_recording(folder)
        flags = chosen(options)
        run_cold(recording, folder / "cold.wav", flags)  # fills the disk cache
        cold = [run_cold(recording, folder / "cold.wav", flags) for _ in range(options.runs)]
        command = [sys.executable, __file__, "--warm-process", str(folder), *flags]
        done = subprocess.run(
            [*command, "--runs", str(options.runs)],
            env=environment(),
            check=True,
            stdout=subprocess.PIPE,
        )
        warm = json.loads(done.stdout)
        record = cold[0].record
        samples = sum(edit["output"][1] - edit["output"][0] for edit in record["edits"])
        page = report(cold, warm, samples / record["source"]["sample_rate"])
    print(page)
    if options.out:
        options.out.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
