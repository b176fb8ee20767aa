"""Time and peak memory of one edit in an hour of speech, compared with the same edit in 20 s.

LibriSpeech clips are joined into one WAV file, with subtitles of one cue per clip; the short
recording is the part around the edited word. Each edit is a process of its own, on one thread. On a
busy machine, compare processor time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import soundfile

from a3t.audio.output.records import record_path
from a3t.errors import InputError
from evaluation.harness.declared_tables import Row, Table, middle
from evaluation.harness.measurement import Measurement, Setting
from evaluation.harness.processes import COST, Cost, cost_of
from evaluation.harness.report_files import cue
from training.corpora import Clip
from training.programs import counts, option

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
            cues.append(cue(k + 1, seconds, end, " ".join(words)))
            if k == changed:
                words[len(words) // 2] = NEW_WORDS
            new += words
            seconds = end
    wav.with_suffix(".srt").write_text("".join(cues), encoding="utf-8")
    text = folder / f"{name}.new.txt"
    text.write_text(" ".join(new), encoding="utf-8")
    return SubtitledRecording(name, wav, text, seconds)


def edit_cost(case: SubtitledRecording, cache: Path) -> Cost:
    """Return the cost of one edit from the command line."""
    out = case.wav.with_name(f"{case.name}.out.wav")
    command = ["-m", "a3t.edit", "--wav", str(case.wav), "--out", str(out)]
    cost = cost_of([*command, "--new-text", f"@{case.new_text}"], A3T_CACHE=str(cache))
    for path in (out, record_path(out)):
        path.unlink()
    return cost


def measure_lengths(runs: int, setting: Setting) -> Iterator[Row]:
    """Measure the edit in the short recording and in the long one."""
    folder, minutes = setting.folder.resolve(), setting.options.minutes
    clips = [clip for clip in setting.clips if clip.corpus.lower().startswith("libri")]
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
    for _ in range(runs):
        yield _row("short, aligned whole", short, cache)
        yield _row("long, with subtitles", long, cache)


def _row(name: str, case: SubtitledRecording, cache: Path) -> Row:
    return {"recording": name, "length": case.seconds, **edit_cost(case, cache).figures}


MEASUREMENT = Measurement(
    lambda setting: [setting.options.runs],
    measure_lengths,
    [Table((middle("length, s", "length", ",.0f"), *COST), ("recording",))],
    (
        *counts(runs=3),
        option("--minutes", type=float, default=60.0, help="default: 60"),
    ),
    unit="comparison",
)
