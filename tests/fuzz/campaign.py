"""Thousands of hostile cases, counted: python -m tests.fuzz.campaign --cases 2400

Files are given to every parser, options and neighbouring files to `a3t edit` in a folder with
somebody's work in it, and requests to a page that is started for it, a flood of 200 at the end.
What must not be: a traceback, more than 10 s of processor time, or anything lost.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import random
import sys
import tempfile
import time
import traceback
from functools import cache
from pathlib import Path
from typing import Any

import a3t.editor
from a3t import edit
from a3t.example import RECORDING
from tests.conftest import ARCTIC
from tests.fuzz.corpus import inputs
from tests.fuzz.outcomes import Count
from tests.fuzz.page_requests import flood, page, requests
from tests.fuzz.test_parsers import READERS


def files(seed: int, cases: int, folder: Path) -> Count:
    """Every parser, on files made from a seed."""
    count = Count()
    for kind, name, data in inputs(seed, cases):
        path = folder / name
        path.write_bytes(data)
        begun = time.process_time()
        try:
            READERS[kind](path)
            outcome = "read or refused"
        except Exception:
            outcome = "traceback"
        about = f"{kind} {name} of seed {seed}: {traceback.format_exc(limit=-1)}"
        count.add(outcome, about, time.process_time() - begun)
        for left in folder.iterdir():
            left.unlink()
    return count


# ---- commands ------------------------------------------------------------------------------------


def commands(seed: int, cases: int, folder: Path, talk: Path) -> Count:
    """`a3t edit` with hostile files beside the recording, and hostile values of its options."""
    count, draw = Count(), random.Random(seed)
    for name in ("load_networks", "load_vocoder"):
        setattr(a3t.editor, name, cache(getattr(a3t.editor, name)))
    recording = talk.read_bytes()
    sources = (
        case
        for case in inputs(seed, 100 * cases)
        if case[0] != "project" and (case[0] != "sound" or draw.random() < 0.3)
    )
    for kind, name, data in [case for case, _ in zip(sources, range(cases), strict=False)]:
        work = folder / f"case {name}"
        work.mkdir()
        wav = work / "talk.wav"
        wav.write_bytes(data if kind == "sound" else recording)
        given = ["--wav", str(wav), "--yes", "--plan"]
        text, new = ARCTIC, ARCTIC.replace("always", "never")
        match kind:
            case "sound":
                given += ["--text", text, "--new-text", new]
            case "record":
                (work / "talk.edited.wav").write_bytes(recording)
                (work / "talk.edited.edit.json").write_bytes(data)
                given += ["--text", text, "--new-text", new]
            case "alignment":
                (work / name).write_bytes(data)
                given += ["--alignment", str(work / name), "--new-text", "you"]
            case "plan":
                (work / name).write_bytes(data)
                given += ["--plan-file", str(work / name)]
            case "list":
                (work / name).write_bytes(data)
                given = ["--manifest", str(work / name), "--out-dir", str(work / "out")]
            case _:
                beside = wav.with_suffix(Path(name).suffix)
                beside.write_bytes(data)
                option = draw.choice(["sidecar", "--new-text", "--dict"])
                if option == "sidecar":
                    given += ["--new-text", new]
                else:
                    at = "@" if option == "--new-text" else ""
                    given += [option, f"{at}{beside}", "--text", text]
                    given += [] if at else ["--new-text", new]
        if draw.random() < 0.2:
            name = draw.choice(["--seed", "--speed", "--margin", "--duration", "--candidates"])
            given.append(f"{name}={draw.choice(['nan', '-1', '1e999', '9' * 400, '0', 'x'])}")
        before = _contents(work)
        begun = time.process_time()
        outcome, said = _run(given)
        seconds = time.process_time() - begun
        if any(_contents(work).get(path) != content for path, content in before.items()):
            outcome = "lost"
        count.add(outcome, f"{kind} {work.name}, {given}: {said}", seconds)
    return count


def _contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _run(given: list[str]) -> tuple[str, str]:
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        try:
            code: Any = edit.main(given)
        except SystemExit as stopped:
            code = stopped.code
        except BaseException:
            return "traceback", traceback.format_exc(limit=-3)
    sentences = [line for line in said.getvalue().splitlines() if line.startswith("a3t: ")]
    if "Traceback" in said.getvalue() or (code == 1 and len(sentences) != 1):
        return "traceback", said.getvalue()
    return {0: "done", 1: "refused in a sentence", 2: "wrong usage"}[code], said.getvalue()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.campaign", description=__doc__)
    parser.add_argument("--cases", type=int, default=2400, help="how many (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    talk = RECORDING
    counts: dict[str, Count] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["A3T_CACHE"] = str(folder / "cache")
        for part in ("files", "commands"):
            (folder / part).mkdir()
        counts["files"] = files(options.seed, options.cases * 2 // 3, folder / "files")
        print(counts["files"].line("files"), flush=True)
        cases = options.cases // 6
        counts["commands"] = commands(options.seed + 1, cases, folder / "commands", talk)
        print(counts["commands"].line("commands"), flush=True)
        with page(folder) as (url, log):
            counts["requests"] = requests(options.seed + 2, cases, url, log, talk)
            print(counts["requests"].line("requests"), flush=True)
            counts["flood"] = flood(url, talk)
            print(counts["flood"].line("flood"), flush=True)
    faults = [fault for count in counts.values() for fault in count.faults]
    print(*faults, sep="\n", file=sys.stderr)
    total = sum(count.outcomes.total() for count in counts.values())
    print(f"{total} cases, {len(faults)} faults")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
