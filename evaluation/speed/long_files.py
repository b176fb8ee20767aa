"""Time and peak memory of one edit in an hour of speech, compared with the same edit in 20 s.

LibriSpeech clips are joined into one WAV file, with subtitles of one cue per clip; the short
recording is the part around the edited word. Each edit is a process of its own, on one thread. On a
busy machine, compare processor time. With --whole the long recording is also edited without
subtitles: aligned as a whole once, then from the cache.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import soundfile

from a3t.errors import InputError
from evaluation.harness.processes import Cost, cost_of
from evaluation.harness.programs import add_counts, markdown_table
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


def edit_cost(case: SubtitledRecording, cache: Path) -> Cost:
    """The cost of one edit from the command line."""
    out = case.wav.with_name(f"{case.name}.out.wav")
    command = ["-m", "a3t.edit", "--wav", str(case.wav), "--out", str(out), "--adapt", "never"]
    cost = cost_of([*command, "--new-text", f"@{case.new_text}"], A3T_CACHE=str(cache))
    for path in (out, out.with_suffix(".edit.json")):
        path.unlink()
    return cost


@dataclass(frozen=True)
class LongCost:
    """Medians of an edit's cost in a recording of so many seconds."""

    name: str
    seconds: float
    processor: float
    wall: float
    mebibytes: float


def measure_lengths(
    folder: Path, minutes: float, runs: int, whole: bool = False
) -> Iterator[LongCost]:
    """The edit in the short recording, in the long one, and ``whole`` without subtitles."""
    clips = [c for c in read_corpora(corpora_root()) if c.corpus.lower().startswith("libri")]
    clips.sort(key=lambda clip: clip.name)
    if not clips:
        raise InputError("This wants LibriSpeech among the corpora.")
    chosen: list[Clip] = []
    while sum(clip.seconds for clip in chosen) < 60 * minutes and len(chosen) < len(clips):
        chosen.append(clips[len(chosen)])
    middle = stop = len(chosen) // 2
    near = 0.0
    while stop == middle or (stop < len(chosen) and near + chosen[stop].seconds <= SHORT):
        near += chosen[stop].seconds
        stop += 1
    short = write_joined_clips(chosen[middle:stop], 0, folder, "short")
    long = write_joined_clips(chosen, middle, folder, "long")
    cache = folder / "cache"
    edit_cost(short, cache)  # fills the disk cache
    turns = [(edit_cost(short, cache), edit_cost(long, cache)) for _ in range(runs)]
    yield _cost("short, aligned whole", short, [turn[0] for turn in turns])
    yield _cost("long, with subtitles", long, [turn[1] for turn in turns])
    if whole:
        text = long.wav.with_suffix(".srt").read_text(encoding="utf-8").split("\n")[2::4]
        long.wav.with_suffix(".srt").unlink()
        long.wav.with_suffix(".txt").write_text(" ".join(text), encoding="utf-8")
        yield _cost("long, without times: the first edit", long, [edit_cost(long, cache)])
        again = [edit_cost(long, cache) for _ in range(runs)]
        yield _cost("long, without times: the next", long, again)


def _cost(name: str, case: SubtitledRecording, costs: Sequence[Cost]) -> LongCost:
    names = ("processor", "wall", "mebibytes")
    middles = (median(getattr(cost, each) for cost in costs) for each in names)
    return LongCost(name, case.seconds, *middles)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add_counts(parser, runs=3)
    parser.add_argument("--minutes", type=float, default=60.0, help="default: 60")
    parser.add_argument("--whole", action="store_true", help="measure without subtitles too")


def run(options: argparse.Namespace) -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        rows = list(measure_lengths(Path(folder), options.minutes, options.runs, options.whole))
    lines = [
        (each.name, f"{each.seconds:,.0f} s", f"{each.processor:.2f}", f"{each.wall:.2f}",
         f"{each.mebibytes:.0f}")
        for each in rows
    ]  # fmt: skip
    print(markdown_table(["", "length", "processor, s", "clock, s", "peak, MiB"], lines))
