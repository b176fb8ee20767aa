"""Anybody's outputs: a folder of sound files, one for each clip or edit of the tables' lists.

What was made outside of this project, by any program, is measured like everything else. Each file
is the whole clip at any rate, with the gap filled at whatever length.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from a3t.errors import InputError
from a3t.grid import HOP, seconds_of
from evaluation.systems.interface import Gap, Mel, Output, System
from training.corpora.decoding import decode_floats

ENDINGS = (".wav", ".flac", ".ogg", ".opus", ".mp3")
QUIET = 1e-5  # full scale at 1; a file whose peak is lower is silent
WRITTEN = "wav-folder="  # before the folder, where systems are named


def sound_folder(where: str) -> Path | None:
    """The folder of ``wav-folder=FOLDER``; None of anything else."""
    return Path(where.removeprefix(WRITTEN)) if where.startswith(WRITTEN) else None


def sounds_in(folder: Path) -> set[str]:
    """The names of the sound files there, without their endings."""
    return {path.stem for path in folder.iterdir() if path.suffix in ENDINGS and path.is_file()}


class WavFolder(System):
    """Reads ``FOLDER/CLIP.wav`` (or another ending). A file that is missing, silent, unreadable or
    too short for the clip's surroundings is an InputError, which the tables count and show."""

    def __init__(self, folder: Path, name: str | None = None) -> None:
        if not folder.is_dir():
            raise InputError(f"There is no folder {folder}.")
        self.folder, self.name = folder, name or folder.name

    def fill(self, gap: Gap) -> Mel:
        from a3t.audio.analysis.mel import log_mel

        output = self.output(gap)
        assert output.sound is not None
        mel: Mel = log_mel(output.sound).numpy()[slice(*output.region)]
        return mel

    def output(self, gap: Gap) -> Output:
        found = [p for e in ENDINGS if (p := self.folder / f"{gap.clip}{e}").is_file()]
        if not found:
            raise InputError(f"{self.folder} has no {gap.clip}.wav.")
        try:
            sound, _ = decode_floats(found[0])
        except (OSError, RuntimeError, ValueError):
            raise InputError(f"{found[0]} can't be read as sound.") from None
        if not np.abs(sound).max(initial=0.0) > QUIET:
            raise InputError(f"{found[0].name} is silent.")
        frames = round(len(sound) / HOP)
        first = gap.frame_span[0]
        after = len(gap.sound) - first * HOP  # samples of the clip behind the gap
        last = round((len(sound) - after) / HOP)
        if last <= first:
            raise InputError(
                f"{found[0].name} has {seconds_of(frames):.2f} s: shorter than what surrounds its"
                " gap."
            )
        return Output((first, last), (0, frames), sound=sound)
