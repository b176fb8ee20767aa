"""Do two checkouts make the same bytes? Some sixty edits by each one's own commands.

BEFORE and AFTER are checkouts of the repository, such as two git worktrees. Each of commands.txt
runs in a process with PYTHONPATH set to the checkout, on one thread, in a folder that has the same
path for both. Then AFTER replays BEFORE's edit.json files. The recordings are the example sentence
in many formats, edited as edits.jsonl says, and, if A3T_CORPORA is set, clips with scripted edits.

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
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
import soxr

from a3t.errors import InputError
from a3t.example import RECORDING
from evaluation.edits.scripted_edits import write_list
from evaluation.harness.report_files import cue
from training.programs import Program, counts, option

HERE = Path(__file__).parent
SAYS = "And you always want to see it in the superlative degree."
NEVER = SAYS.replace("always", "never")
SEVERAL = "You never want to see it again in the superlative degree."
PARTS = {
    "edited": "--wav talk.edited.wav",
    "long": "long.wav --text @words.txt",
    "says": f'--text "{SAYS}"',
    "never": f'--new-text "{NEVER}"',
    "number": f'--new-text "{NEVER.replace("degree", "number")}"',
    "several": f'--new-text "{SEVERAL}"',
    "found": f'--text "{SEVERAL}" --new-text "And you want to see it in the degree."',
    "prompt": f'--prompt-wav talk.wav --prompt-text "{SAYS}"',
}
# File, sampling rate, channels, container, sample format.
FORMATS = (
    ("talk.wav", 16_000, 1, "WAV", "PCM_16"),
    ("flac-24.flac", 24_000, 1, "FLAC", "PCM_24"),
    ("flac-stereo.flac", 48_000, 2, "FLAC", "PCM_16"),
    ("stereo.wav", 44_100, 2, "WAV", "PCM_24"),
    ("float.wav", 48_000, 1, "WAV", "FLOAT"),
    ("high.wav", 96_000, 1, "WAV", "PCM_32"),
    ("six.wav", 22_050, 6, "RF64", "PCM_16"),
    ("vorbis.ogg", 44_100, 1, "OGG", "VORBIS"),
    ("mp3.mp3", 44_100, 1, "MP3", "MPEG_LAYER_III"),
    ("sidecar.wav", 16_000, 1, "WAV", "PCM_16"),
    ("commented.wav", 16_000, 1, "WAV", "PCM_16"),
)
REPEATS = 14  # of the sentence in long.wav, which is edited by passages
TABLE = ("replace", "several", "stereo")  # these lines once more: as a .tsv, by two processes
# BEFORE's records that AFTER replays.
OLD = (
    *(f"list/{name}" for name in ("several", "moved", "pause", "stereo", "float", "long", "fit")),
    "talk.edited", "planned",
)  # fmt: skip
RATE = re.compile(r" \([\d.]+ (?:a|per) minute\)")  # of a list's edits


def write_inputs(folder: Path, only: str, clips: int) -> None:
    """Write the recordings, texts and lists, the same for both checkouts."""
    samples, rate = soundfile.read(RECORDING, always_2d=True)
    for file, own, channels, container, subtype in FORMATS:
        sound = soxr.resample(samples, rate, own) * (0.9 ** np.arange(channels))
        with soundfile.SoundFile(
            folder / file, "w", own, channels, subtype, None, container
        ) as opened:
            if file.startswith("commented"):
                opened.title, opened.comment = "A sentence", "Read by awb."
            opened.write(sound)
    seconds, pause = len(samples) / rate, np.zeros((rate // 2, 1))
    soundfile.write(folder / "long.wav", np.vstack([samples, pause] * REPEATS), rate)
    starts = [k * (seconds + 0.5) for k in range(REPEATS)]
    cues = [cue(k, start, start + seconds, SAYS) for k, start in enumerate(starts, 1)]
    later = [SAYS if k != REPEATS // 2 else SEVERAL for k in range(REPEATS)]
    usual = {"wav": "talk.wav", "text": SAYS, "new_text": NEVER}
    lines = (HERE / "edits.jsonl").read_text(encoding="utf-8").splitlines()
    rows = {row["out"].rpartition(".")[0]: usual | row for row in map(json.loads, lines)}
    table = [["wav", "text", "new_text", "out"]]
    table += [[*(rows[name][k] for k in table[0][:3]), f"{name}.wav"] for name in TABLE]
    texts = {
        "long.srt": "".join(cues),
        "words.txt": " ".join([SAYS] * REPEATS),
        "long.new.txt": " ".join(later),
        "sidecar.txt": SAYS,
        "list.jsonl": "".join(json.dumps(r) + "\n" for name, r in rows.items() if only in name),
        "table.tsv": "".join("\t".join(row) + "\n" for row in table),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    if os.environ.get("A3T_CORPORA"):
        write_list(folder, clips, seed=12)


def run(checkout: Path, folder: Path, lists_alone: bool) -> None:
    """Run the commands of a checkout, and write their output and exit codes to files."""
    codes = {}
    for line in (HERE / "commands.txt").read_text(encoding="utf-8").splitlines():
        name, _, command = line.partition(": ")
        if lists_alone and name != "list":
            continue
        if name == "clips" and not (folder / "clips.jsonl").exists():
            continue
        program, *arguments = shlex.split(command.format(**PARTS))
        if name == "copy":  # of what a later command replaces, or without its record
            if (folder / program).exists():
                shutil.copyfile(folder / program, folder / arguments[0])
            continue
        done = start(checkout, program, *arguments, folder=folder)
        printed = f"{name}.json" if "--json" in arguments else f"{name}.txt"
        (folder / printed).write_text(done.stdout, encoding="utf-8")
        (folder / f"{name}.stderr.txt").write_text(RATE.sub("", done.stderr), encoding="utf-8")
        codes[name] = done.returncode
        print(f"  {name}", "FAILED" if "Traceback" in done.stderr else "", file=sys.stderr)
    (folder / "exit-codes.json").write_text(json.dumps(codes), encoding="utf-8")
    shutil.rmtree(folder / "cache", ignore_errors=True)


def start(
    checkout: Path, program: str, *arguments: str, folder: Path
) -> subprocess.CompletedProcess[str]:
    """Run `python -m PROGRAM ARGUMENTS` from a checkout in the folder."""
    around = {"PYTHONPATH": f"{checkout}", "OMP_NUM_THREADS": "1"}
    around["A3T_CACHE"] = str(folder / "cache")
    command = [sys.executable, "-m", program, *arguments]
    return subprocess.run(
        command, cwd=folder, env=os.environ | around, capture_output=True, text=True, check=False
    )


def replay(checkout: Path, before: Path, folder: Path) -> None:
    """Replay the records in OLD, which ``before`` holds, into folder/old/NAME.wav."""
    (folder / "old").mkdir()
    for record in (before / f"{name}.edit.json" for name in OLD):
        if record.is_file():
            copy = folder / "old" / "record.json"
            shutil.copyfile(record, copy)
            out = folder / "old" / record.name.replace(".edit.json", ".wav")
            start(checkout, "a3t.edit", "--replay", f"{copy}", "--out", f"{out}", folder=folder)


def differences(before: Path, after: Path) -> Iterator[tuple[str, str]]:
    """Yield the names of files that differ, and how they differ."""
    files = (p.relative_to(f) for f in (before, after) for p in f.rglob("*") if p.is_file())
    for name in sorted({str(file) for file in files if file.parts[0] != "old"}):
        if how := difference(before / name, after / name):
            yield name, how
    for path in sorted((after / "old").glob("*.wav")):
        made = next(before / f"{name}.wav" for name in OLD if Path(name).name == path.stem)
        if how := difference(made, path):
            yield f"{path.name} of the old edit.json", how


def difference(one: Path, other: Path) -> str:
    """Return the difference of two files in words; "" if there is none."""
    for path, which in ((one, "before"), (other, "after")):
        if not path.is_file():
            return f"missing {which}"
    if one.read_bytes() == other.read_bytes():
        return ""
    if one.suffix == ".json":
        pair = (json.loads(path.read_text(encoding="utf-8") or "null") for path in (one, other))
        left, right = (flat(comparable(record)) for record in pair)
        keys = [key for key in {**left, **right} if left.get(key) != right.get(key)]
        return "; ".join(f"{k}: {left.get(k)!s:.80} → {right.get(k)!s:.80}" for k in keys[:5])
    if one.name == "report.tsv":  # whose further columns are times
        tables = [path.read_text(encoding="utf-8").splitlines() for path in (one, other)]
        rows = [[line.split("\t")[:4] for line in table] for table in tables]
        return "" if rows[0] == rows[1] else "other lines"
    try:
        (samples, rate), (others, other_rate) = (
            soundfile.read(path, always_2d=True) for path in (one, other)
        )
    except soundfile.LibsndfileError:
        return "other bytes"
    if samples.shape != others.shape or rate != other_rate:
        return f"{samples.shape} at {rate} Hz, then {others.shape} at {other_rate} Hz"
    unequal = np.flatnonzero((samples != others).any(axis=1)) / rate
    if len(unequal):
        most = np.abs(samples - others).max()
        return f"samples from {unequal[0]:.3f} to {unequal[-1]:.3f} s, by at most {most:.2g}"
    return "" if one.suffix == ".ogg" else "the same samples, other bytes around them"


def comparable(record: Any) -> Any:
    """Return a record without the seconds that steps took and what depends on a serial number."""
    if isinstance(record, list):
        return [comparable(each) for each in record]
    if not isinstance(record, dict):
        return record
    left = {key: comparable(value) for key, value in record.items() if key != "job"}
    if isinstance(left.get("seconds"), dict):
        del left["seconds"]  # those of the steps; a word's are a number
    source = record.get("source")
    if isinstance(source, dict) and str(source.get("path")).endswith(".ogg"):
        left.pop("output", None)  # its sha256
    return left


def flat(value: Any, at: str = "") -> dict[str, Any]:
    """Return the values of a JSON value by their places."""
    if isinstance(value, list):
        value = dict(enumerate(value))
    if not isinstance(value, dict):
        return {at: value}
    return {k: v for key, each in value.items() for k, v in flat(each, f"{at}.{key}").items()}


def compare(options: argparse.Namespace) -> None:
    """Print the differences; exit code 1 if there are any. InputError if nothing can be run."""
    for checkout in (options.before, options.after):
        if not (checkout / "a3t").is_dir():
            raise InputError(f"{checkout} is no checkout of this repository.")
    if options.keep and options.keep.exists() and any(options.keep.iterdir()):
        raise InputError(f"{options.keep} holds other files: choose a new folder for --keep.")
    with tempfile.TemporaryDirectory() as temporary:
        place = (options.keep or Path(temporary)).resolve()
        inputs, folder = place / "inputs", place / "work"
        inputs.mkdir(parents=True)
        write_inputs(inputs, options.only or "", options.clips)
        for name in ("before", "after"):
            checkout = getattr(options, name).resolve()
            print(f"{name}: {checkout}", file=sys.stderr)
            shutil.copytree(inputs, folder)
            run(checkout, folder, options.only is not None)
            if name == "after":
                replay(checkout, place / "before", folder)
            folder.rename(place / name)
        found = list(differences(place / "before", place / "after"))
        files = sum(path.is_file() for path in (place / "after").rglob("*"))
    printed = [name for name, _ in found if name.endswith(".txt")]
    differ = [(name, how) for name, how in found if name not in printed]
    for name, how in differ:
        print(f"DIFFERENT  {name}: {how}")
    if printed:
        print(f"Messages differ for {', '.join(name[:-4] for name in printed)}.")
    print(f"{len(differ)} of {files} files differ.")
    if differ:
        sys.exit(1)


main = Program(
    compare,
    option("before", type=Path),
    option("after", type=Path),
    option("--only", metavar="NAME", help="only the edits of the list with NAME in their names"),
    *counts(clips=8),
    option("--keep", type=Path, metavar="FOLDER", help="keep all files in a new folder"),
    name="evaluation compare-checkouts",
)
