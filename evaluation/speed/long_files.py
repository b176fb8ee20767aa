"""Time and peak memory of one edit in an hour of speech, compared with the same edit in 20 s.

    python -m evaluation.speed.long_files [--minutes 60] [--runs 3] [--whole]

Joins LibriSpeech clips from A3T_CORPORA into one WAV file, with subtitles of one cue per clip; the
short recording is the part around the edited word. Each edit is a process of its own, on one
thread. On a busy machine, compare processor time; the cost of reading the file (hashing it once and
copying it) is reported beside it. With --whole the long recording is also edited without subtitles:
aligned as a whole once, then from the cache.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import soundfile

from evaluation.harness.processes import Cost, cost_of
from evaluation.harness.programs import program_parser
from training.corpora import Clip, corpora_root, read_corpora

SHORT = 20.0  # seconds
RATE = 16_000
NEW_WORDS = "seven people"  # replaces the edited word


@dataclass(frozen=True)
class SubtitledRecording:
    """A recording with its subtitles, and the new text in a file."""

    name: str
    wav: Path
    new_text: Path
    seconds: float


def write_joined_clips(
    clips: Sequence[Clip], changed: int, folder: Path, name: str
) -> SubtitledRecording:
    """Join the clips; the new text has other words in the middle of clip ``changed``."""
    cues, new, seconds = [], [], 0.0
    wav = folder / f"{name}.wav"
    with soundfile.SoundFile(wav, "w", RATE, 1, "PCM_16") as file:
        for k, clip in enumerate(clips):
            samples, _ = soundfile.read(str(clip.path), dtype="int16")
            file.write(samples)
            words = clip.text.lower().split()
            end = seconds + len(samples) / RATE
            cues.append(f"{k + 1}\n{stamp(seconds)} --> {stamp(end)}\n{' '.join(words)}\n")
            if k == changed:
                words[len(words) // 2] = NEW_WORDS
            new += words
            seconds = end
    wav.with_suffix(".srt").write_text("\n".join(cues), encoding="utf-8")
    text = folder / f"{name}.new.txt"
    text.write_text(" ".join(new), encoding="utf-8")
    return SubtitledRecording(name, wav, text, seconds)


def stamp(seconds: float) -> str:
    whole, thousandths = divmod(round(seconds * 1000), 1000)
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02},{thousandths:03}"


def edited(case: SubtitledRecording, cache: Path) -> tuple[Cost, dict[str, float]]:
    """The cost of one edit from the command line, and of its steps in seconds."""
    out = case.wav.with_name(f"{case.name}.out.wav")
    command = ["-m", "a3t.edit", "--wav", str(case.wav), "--out", str(out)]
    command += ["--adapt", "never"]  # measured by python -m evaluation voices
    cost = cost_of([*command, "--new-text", f"@{case.new_text}"], A3T_CACHE=str(cache))
    record = out.with_suffix(".edit.json")
    steps: dict[str, float] = json.loads(record.read_text(encoding="utf-8"))["seconds"]
    for path in (out, record):
        path.unlink()
    return cost, steps


def reading(case: SubtitledRecording) -> float:
    """Processor seconds to hash and copy the file: the unavoidable cost of its length."""
    before = resource.getrusage(resource.RUSAGE_SELF)
    with case.wav.open("rb") as file:
        hashlib.file_digest(file, "sha256")
    with case.wav.open("rb") as file, case.wav.with_suffix(".copy").open("wb") as copy:
        shutil.copyfileobj(file, copy)
    case.wav.with_suffix(".copy").unlink()
    after = resource.getrusage(resource.RUSAGE_SELF)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


Costs = list[tuple[Cost, dict[str, float]]]


def cost_line(name: str, case: SubtitledRecording, costs: Costs) -> str:
    def middle(field: str) -> float:
        return median(getattr(cost, field) for cost, _ in costs)

    return (
        f"| {name} | {case.seconds:,.0f} s | {middle('processor'):.2f} | "
        f"{middle('wall'):.2f} | {middle('mebibytes'):.0f} | {reading(case):.2f} |"
    )


def report(folder: Path, options: argparse.Namespace) -> None:
    clips = [c for c in read_corpora(corpora_root()) if c.corpus.lower().startswith("libri")]
    clips.sort(key=lambda clip: clip.name)
    chosen: list[Clip] = []
    seconds = 0.0
    while seconds < 60 * options.minutes and len(chosen) < len(clips):
        chosen.append(clips[len(chosen)])
        seconds += chosen[-1].seconds
    middle = stop = len(chosen) // 2
    near = 0.0
    while stop == middle or (stop < len(chosen) and near + chosen[stop].seconds <= SHORT):
        near += chosen[stop].seconds
        stop += 1
    short = write_joined_clips(chosen[middle:stop], 0, folder, "short")
    long = write_joined_clips(chosen, middle, folder, "long")
    cache = folder / "cache"
    costs: dict[str, Costs] = {"short": [], "long": []}
    edited(short, cache)  # fills the disk cache
    for _ in range(options.runs):
        costs["short"].append(edited(short, cache))
        costs["long"].append(edited(long, cache))
    print("| | length | processor, s | clock, s | peak, MiB | of this, reading, s |")
    print("|---|---|---|---|---|---|")
    print(cost_line("short, aligned whole", short, costs["short"]))
    print(cost_line("long, with subtitles", long, costs["long"]))
    if options.whole:
        text = long.wav.with_suffix(".srt").read_text().split("\n")[2::4]
        long.wav.with_suffix(".srt").unlink()
        long.wav.with_suffix(".txt").write_text(" ".join(text), encoding="utf-8")
        print(cost_line("long, aligned as a whole", long, [edited(long, cache)]))
        again = [edited(long, cache) for _ in range(options.runs)]
        print(cost_line("long, alignment cached", long, again))
    one, other = (median(cost.processor for cost, _ in costs[name]) for name in ("short", "long"))
    print(f"\nThe long recording's edit takes {other / one:.2f} times the processor time; steps:")
    steps: dict[str, Any] = {
        name: {step: round(value, 2) for step, value in costs[name][-1][1].items()}
        for name in costs
    }
    print(json.dumps(steps, indent=1))


def main() -> None:
    parser = program_parser("speed.long_files", __doc__, runs=3)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--whole", action="store_true", help="also without subtitles")
    parser.add_argument("--folder", type=Path, help="for the recordings (default: a temporary one)")
    options = parser.parse_args()
    if options.folder:
        options.folder.mkdir(parents=True, exist_ok=True)
        report(options.folder, options)
        return
    with tempfile.TemporaryDirectory() as folder:
        report(Path(folder), options)


if __name__ == "__main__":
    main()
