"""The recordings, texts and lists of edits, the same for both checkouts."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import soundfile
import soxr

from a3t.example import RECORDING
from evaluation.edits.scripted_edits import write_list
from evaluation.harness.report_files import cue

SAYS = "And you always want to see it in the superlative degree."
NEVER = "And you never want to see it in the superlative degree."
SEVERAL = "You never want to see it again in the superlative degree."
LESS = "And you want to see it in the degree."

# By name: file, sampling rate, channels, container, sample format.
FORMATS = {
    "talk": ("talk.wav", 16_000, 1, "WAV", "PCM_16"),
    "flac-24": ("flac-24.flac", 24_000, 1, "FLAC", "PCM_24"),
    "flac-stereo": ("flac-stereo.flac", 48_000, 2, "FLAC", "PCM_16"),
    "stereo": ("stereo.wav", 44_100, 2, "WAV", "PCM_24"),
    "float": ("float.wav", 48_000, 1, "WAV", "FLOAT"),
    "high": ("high.wav", 96_000, 1, "WAV", "PCM_32"),
    "six": ("six.wav", 22_050, 6, "RF64", "PCM_16"),
    "vorbis": ("vorbis.ogg", 44_100, 1, "OGG", "VORBIS"),
    "mp3": ("mp3.mp3", 44_100, 1, "MP3", "MPEG_LAYER_III"),
    "sidecar": ("sidecar.wav", 16_000, 1, "WAV", "PCM_16"),
    "commented": ("commented.wav", 16_000, 1, "WAV", "PCM_16"),
}
REPEATS = 14  # of the sentence in long.wav, which is edited by passages
TABLE = ("replace", "several", "stereo")  # these lines once more: as a .tsv, by two processes

Line = Mapping[str, str | int | float]


def list_of_edits() -> dict[str, Line]:
    """The edits of one list, by name; most of them edit talk.wav."""
    rows: dict[str, dict[str, str | int | float]] = {
        "replace": {},
        "several": {"new_text": SEVERAL},
        "delete": {"new_text": LESS},
        "insert": {"new_text": SAYS.replace("see it", "see the old river")},
        "ends": {"new_text": f"Well, {SAYS[:-1]} here today."},
        "same": {"new_text": SAYS},
        "figures": {"new_text": SAYS.replace("always", "in 1984 and on the 3rd of May")},
        "moved": {"new_text": f"You always want to see it. {SAYS}"},
        "pause": {"new_text": SAYS.replace("always", "[pause 0.4] never, [pause] never")},
        "emphasis": {"new_text": SAYS.replace("always", "*never*")},
        "fast": {"speed": 1.3},
        "slow": {"speed": 0.8},
        "fit": {"new_text": SAYS.replace("always", "hardly ever"), "fit": "yes"},
        "duration": {"duration": 0.9},
        "margin": {"margin": 80},
        "no-match": {"match": "none"},
        "some-match": {"match": "bandwidth,room"},
        "seed": {"new_text": SEVERAL, "seed": 5},
        "name": {"new_text": SAYS.replace("always", "Nguyen"), "pronounce": "Nguyen=W IH1 N"},
        "candidates": {"candidates": 3},
        "unmarked": {"no_provenance": "yes"},
        "exports": {"new_text": SEVERAL, "export": "textgrid,labels,srt,vtt,csv,edl,png"},
        "sidecar": {"wav": "sidecar.wav", "text": ""},
        "long": {"wav": "long.wav", "text": "", "new_text": "@long.new.txt"},
        "wrong": {"text": "The weather will be sunny on Thursday.", "new_text": "No."},
        "gone": {"wav": "gone.wav"},
    }
    for name, (file, *_) in FORMATS.items():
        own = rows.setdefault(name, {"new_text": SEVERAL})
        own["wav"] = file
        own["out"] = f"{name}.{'wav' if name == 'mp3' else file.rpartition('.')[2]}"
    usual: Line = {"wav": "talk.wav", "text": SAYS, "new_text": NEVER}
    return {name: {**usual, "out": f"{name}.wav", **row} for name, row in rows.items()}


def write_inputs(folder: Path, only: str | None, clips: int) -> None:
    """Write the recordings, texts and lists, the same for both checkouts."""
    samples, rate = soundfile.read(RECORDING, always_2d=True)
    for file, own, channels, container, subtype in FORMATS.values():
        sound = soxr.resample(samples, rate, own) * (0.9 ** np.arange(channels))
        settings = (folder / file, "w", own, channels, subtype, None, container)
        with soundfile.SoundFile(*settings) as opened:
            if file.startswith("commented"):
                opened.title, opened.comment = "A sentence", "Read by awb."
            opened.write(sound)
    seconds, pause = len(samples) / rate, np.zeros((rate // 2, 1))
    soundfile.write(folder / "long.wav", np.vstack([samples, pause] * REPEATS), rate)
    starts = [k * (seconds + 0.5) for k in range(REPEATS)]
    cues = [cue(k, start, start + seconds, SAYS) for k, start in enumerate(starts, 1)]
    (folder / "long.srt").write_text("".join(cues), encoding="utf-8")
    (folder / "words.txt").write_text(" ".join([SAYS] * REPEATS), encoding="utf-8")
    later = [SAYS if k != REPEATS // 2 else SEVERAL for k in range(REPEATS)]
    (folder / "long.new.txt").write_text(" ".join(later), encoding="utf-8")
    (folder / "sidecar.txt").write_text(SAYS, encoding="utf-8")
    rows = list_of_edits()
    lines = [row for name, row in rows.items() if only is None or only in name or only in "list"]
    (folder / "list.jsonl").write_text("".join(json.dumps(row) + "\n" for row in lines))
    table = [[str(rows[name][cell]) for cell in ("wav", "text", "new_text")] for name in TABLE]
    cells = [["wav", "text", "new_text", "out"]] + [
        [*row, f"{k}.wav"] for k, row in enumerate(table)
    ]
    (folder / "table.tsv").write_text("".join("\t".join(row) + "\n" for row in cells))
    if os.environ.get("A3T_CORPORA"):
        write_list(folder, clips, seed=12)
