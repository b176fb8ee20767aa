"""Do two checkouts make the same bytes? Some sixty edits by each one's own commands.

BEFORE and AFTER are checkouts of the repository, such as two git worktrees. Each command runs in a
process with PYTHONPATH set to the checkout, on one thread, in a folder that has the same path for
both. Then AFTER replays BEFORE's edit.json files. The recordings are the CMU ARCTIC sentence that
comes with pysptk, in many formats, and, if A3T_CORPORA is set, clips with scripted edits.

The bytes of every file, the exit codes and the output of --json are compared: edit.json without
the seconds that the steps took and the digest of a manifest's line, and OGG files by their samples,
because they contain a random serial number. Nothing is stored between runs, since processors differ
in rounding. Messages may differ; they are listed but don't count. The exit code is 0 if everything
is the same, 1 if not.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from a3t.errors import InputError
from evaluation.compare_checkouts.command_lines import Command, wanted
from evaluation.compare_checkouts.differences import OLD, differences
from evaluation.compare_checkouts.inputs import write_inputs
from training.programs import Program, counts, option

RATE = re.compile(r" \([\d.]+ (?:a|per) minute\)")  # of a list's edits


def run(checkout: Path, chosen: Iterable[Command], folder: Path) -> None:
    """Run the commands of a checkout, and write their output and exit codes to files."""
    codes = {}
    for command in chosen:
        begun = time.monotonic()
        command.prepare(folder)
        done = start(checkout, command.program, *command.arguments, folder=folder)
        (folder / command.printed).write_text(done.stdout, encoding="utf-8")
        (folder / f"{command.name}.stderr.txt").write_text(
            RATE.sub("", done.stderr), encoding="utf-8"
        )
        codes[command.name] = done.returncode
        if "Traceback" in done.stderr:
            print(f"{command.name}: {done.stderr.strip()}", file=sys.stderr)
        print(f"  {command.name}: {time.monotonic() - begun:.1f} s", file=sys.stderr)
    (folder / "exit-codes.json").write_text(json.dumps(codes), encoding="utf-8")
    shutil.rmtree(folder / "cache", ignore_errors=True)


def start(
    checkout: Path, program: str, *arguments: str, folder: Path
) -> subprocess.CompletedProcess[str]:
    """Run `python -m PROGRAM ARGUMENTS` from a checkout in the folder."""
    surroundings = {
        "PYTHONPATH": str(checkout),
        "OMP_NUM_THREADS": "1",
        "A3T_CACHE": str(folder / "cache"),
    }
    return subprocess.run(
        [sys.executable, "-m", program, *arguments],
        cwd=folder,
        env=os.environ | surroundings,
        capture_output=True,
        text=True,
        check=False,
    )


def replay(checkout: Path, before: Path, folder: Path, only: str | None) -> None:
    """Replay the records in OLD, which ``before`` holds, into folder/old/NAME.wav."""
    (folder / "old").mkdir()
    for name in OLD:
        record = before / f"{name}.edit.json"
        if not record.is_file() or (only is not None and only not in name):
            continue
        out = folder / "old" / f"{record.name.removesuffix('.edit.json')}.wav"
        copy = folder / "old" / "record.json"
        shutil.copyfile(record, copy)
        done = start(checkout, "a3t.edit", "--replay", str(copy), "--out", str(out), folder=folder)
        if done.returncode:
            print(f"{name} can't be replayed: {done.stderr.strip()}", file=sys.stderr)


def compare(options: argparse.Namespace) -> None:
    """Print the differences; exit code 1 if there are any. InputError if nothing can be run."""
    chosen = wanted(options.only)
    if not chosen:
        raise InputError(f"There is no command or edit named {options.only}.")
    for checkout in (options.before, options.after):
        if not (checkout / "a3t").is_dir():
            raise InputError(f"{checkout} is no checkout of this repository.")
    if options.keep and options.keep.exists() and any(options.keep.iterdir()):
        raise InputError(f"{options.keep} holds other files: choose a new folder for --keep.")
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as temporary:
        place = (options.keep or Path(temporary)).resolve()
        inputs, folder = place / "inputs", place / "work"
        inputs.mkdir(parents=True)
        write_inputs(inputs, options.only, options.clips)
        for name in ("before", "after"):
            checkout = getattr(options, name).resolve()
            print(f"{name}: {checkout}", file=sys.stderr)
            shutil.copytree(inputs, folder)
            run(checkout, chosen, folder)
            if name == "after":
                replay(checkout, place / "before", folder, options.only)
            folder.rename(place / name)
        found = list(differences(place / "before", place / "after"))
        files = sum(path.is_file() for path in (place / "after").rglob("*"))
        edited = len(list((place / "after").rglob("*.edit.json")))
    printed = [name for name, _ in found if name.endswith(".txt")]
    differ = [(name, how) for name, how in found if name not in printed]
    for name, how in differ:
        print(f"DIFFERENT  {name}: {how}")
    if printed:
        print(f"Messages differ for {', '.join(name[:-4] for name in printed)}.")
    minutes = (time.monotonic() - begun) / 60
    print(
        f"{len(differ)} of {files} files differ; {edited} edits, {len(chosen)} commands, "
        f"{minutes:.1f} minutes."
    )
    if differ:
        sys.exit(1)


main = Program(
    compare,
    option("before", type=Path),
    option("after", type=Path),
    option("--only", metavar="NAME", help="only commands and edits with NAME in their names"),
    *counts(clips=8),
    option("--keep", type=Path, metavar="FOLDER", help="keep all files in a new folder"),
    name="evaluation compare-checkouts",
)
