"""The material for a voice: stretches of a person's recordings with their phones on the grid.

T frames, L phones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from a3t.audio.analysis.mel import mel_window
from a3t.audio.reading.recording import Recording
from a3t.grid import HOP, SAMPLE_RATE, frames_of, seconds_of
from a3t.plan.edit_sites import GridPhone, on_grid
from a3t.spans import Span
from a3t.text.phones import phone_ids
from alignment import Alignment

LONGEST = frames_of(12.0)  # frames of a piece
SHORTEST = frames_of(0.8)
PAUSE = frames_of(0.15)  # the shortest pause in which a piece may begin or end
SURE = 0.5  # the confidence below which a word is doubtful
MOST_DOUBTFUL = 0.2  # share of a piece's words


@dataclass(frozen=True)
class VoicePiece:
    """A stretch of speech and its phones.

    mel: (T, 80) log10. phones, durations, words: (L,) ids, frames (their sum is T), and the index
    of each phone's word, -1 for a pause. pitch: (T,) log2 F0, 0 unvoiced; None where the package
    pyworld, which finds it, is not installed. score: the words' mean confidence. source, start:
    the recording, and where in it the stretch begins, in seconds.
    """

    name: str
    mel: np.ndarray
    phones: np.ndarray
    durations: np.ndarray
    words: np.ndarray
    pitch: np.ndarray | None
    score: float
    source: Path = Path()
    start: float = 0.0  # seconds

    @property
    def seconds(self) -> float:
        return seconds_of(len(self.mel))

    @property
    def spoken(self) -> Tensor:
        """The mel (n, 80) without pauses."""
        return torch.from_numpy(self.mel[np.repeat(self.words >= 0, self.durations)])


@dataclass(frozen=True)
class UnusedSpeech:
    """A recording, or a stretch of one, that can't be used, and why."""

    path: Path
    reason: str
    start: float = 0.0  # seconds

    def __str__(self) -> str:
        place = f" from {self.start:.1f} s" if self.start else ""
        return f"{self.path.name}{place}: {self.reason}"


def pieces_of(recording: Recording, alignment: Alignment) -> Iterator[VoicePiece | UnusedSpeech]:
    """A recording's speech, cut at pauses into pieces of at most 12 s."""
    frames = recording.frames
    grid = on_grid(alignment, frames)
    scores = [word.score for word in alignment.spoken]
    for number, part in enumerate(_cut(grid)):
        first, last = part[0].first, part[-1].last
        spoken = sorted({phone.word for phone in part if phone.word >= 0})
        doubtful = sum(scores[word] < SURE for word in spoken)
        if doubtful > MOST_DOUBTFUL * len(spoken):
            reason = f"{doubtful} of {len(spoken)} words don't sound like the text."
            yield UnusedSpeech(recording.path, reason, seconds_of(first))
            continue
        score = float(np.mean([scores[word] for word in spoken]))
        # Not by the file's name: several days' folders may each have a 01.wav.
        name = f"{recording.sha256[:16]}-{number}"
        yield _piece(recording, part, name, first, last, score)


def _piece(
    recording: Recording, part: Sequence[GridPhone], name: str, first: int, last: int, score: float
) -> VoicePiece:
    wave = recording.resampled(first * HOP, last * HOP, SAMPLE_RATE)
    return VoicePiece(
        name,
        mel_window(recording, first, last).numpy(),
        np.array(phone_ids(phone.symbol for phone in part)),
        np.array([phone.frames for phone in part]),
        np.array([phone.word for phone in part]),
        log_pitch_of(wave, last - first),
        score,
        recording.path,
        seconds_of(first),
    )


def _cut(grid: Sequence[GridPhone]) -> Iterator[Sequence[GridPhone]]:
    """Stretches with words in them, from one pause to another unless they are too long for that.

    Short pauses inside a stretch belong to it; long ones teach nothing about the voice.
    """
    runs: list[Span] = []  # places [first, last) in the grid
    for place, phone in enumerate(grid):
        if phone.word < 0 and phone.frames >= PAUSE:
            continue
        if runs and runs[-1][1] == place and phone.last - grid[runs[-1][0]].first <= LONGEST:
            runs[-1] = (runs[-1][0], place + 1)
        else:
            runs.append((place, place + 1))
    joined: list[Span] = []
    for first, last in runs:
        near = joined and grid[first].first - grid[joined[-1][1] - 1].last <= 4 * PAUSE
        if near and grid[last - 1].last - grid[joined[-1][0]].first <= LONGEST:
            joined[-1] = (joined[-1][0], last)
        else:
            joined.append((first, last))
    for first, last in joined:
        part = grid[first:last]
        if part[-1].last - part[0].first >= SHORTEST and any(phone.word >= 0 for phone in part):
            yield part


def log_pitch_of(wave: np.ndarray, frames: int) -> np.ndarray | None:
    """log2 of F0 in Hz, 0 unvoiced, (frames,), of a sound (n,) at 24 kHz; None without pyworld."""
    try:
        from a3t.audio.analysis.world_pitch import log_pitch

        return log_pitch(wave, frames)
    except ImportError:  # pyworld
        return None
