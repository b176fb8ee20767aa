"""A new recording, opened and checked in the worker's process: what the page plays and draws of it.

The server itself never decodes what a visitor sent: it reads the samples and peaks written here.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from a3t.audio.output.muxing import picture_lead
from a3t.audio.reading.formats import to_float
from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.source.recognised_transcript import parts_of
from app import limits, texts
from app.studio.storage.pcm_sound import LEVELS, PEAKS, PcmSound, played
from app.studio.work.listening import FIRST_PART, editor_step

if TYPE_CHECKING:
    from a3t.editor import Editor


def ingest(
    editor: Editor, original: Path, folder: Path, most: float = limits.MAX_SECONDS
) -> dict[str, Any]:
    """Writes sound.pcm (16 bits, at most two channels, the recording's own rate) and peaks.bin.

    Returns the recording's description, and its parts. Raises InputError as `Recording.open`, and
    for a recording of more than `most` seconds, before anything of it is written.
    """
    editor_step(editor, "read")
    recording = Recording.open(original)
    if recording.seconds > most:
        raise InputError(texts.too_long(most))
    channels = recording.channels if recording.channels <= 2 else 1
    path = folder / "sound.pcm"
    meter = Meter(recording.sample_rate)
    with path.open("wb") as file:
        for block in recording.blocks():
            samples = to_float(block)
            meter.add(samples.mean(axis=1))
            file.write(played(samples))
    (folder / "peaks.bin").write_bytes(meter.levels())
    sound = PcmSound(path, recording.sample_rate, channels, recording.samples)
    return {
        **recording.to_json(),
        "path": original.name,
        "file_channels": recording.channels,
        "subtype": recording.subtype,
        "container": recording.container,
        "track": recording.track,
        "film": picture_lead(recording),
        "channels": channels,
        "seconds": recording.seconds,
        "parts": [list(part) for part in parts_of(sound, FIRST_PART)],
    }


class Meter:
    """The lowest and highest sample of each 1/PEAKS s, -127..127, and of four such, and so on."""

    def __init__(self, rate: int) -> None:
        self.rate = rate
        self.rest = np.zeros(0)
        self.slices = 0
        self.pairs: list[np.ndarray] = []

    def add(self, mono: np.ndarray) -> None:
        """The next samples (n,)."""
        mono = np.concatenate([self.rest, mono])
        start = self._edge(self.slices)
        count = 0
        while self._edge(self.slices + count + 1) - start <= len(mono):
            count += 1
        if count:
            edges = [self._edge(self.slices + k) - start for k in range(count)]
            end = self._edge(self.slices + count) - start
            self._keep(mono[:end], edges)
            mono = mono[end:]
            self.slices += count
        self.rest = mono

    def _edge(self, number: int) -> int:
        return number * self.rate // PEAKS

    def _keep(self, samples: np.ndarray, edges: list[int]) -> None:
        low, high = np.minimum.reduceat(samples, edges), np.maximum.reduceat(samples, edges)
        pairs = np.round(np.stack([low, high], axis=1) * 127)
        self.pairs.append(np.clip(pairs, -127, 127).astype(np.int8))

    def levels(self) -> bytes:
        """All levels, the finest first; each has ceil(n / 4) pairs of the one before."""
        if len(self.rest):
            self._keep(self.rest, [0])
        pairs = np.concatenate([np.zeros((0, 2), np.int8), *self.pairs])
        result = [pairs.tobytes()]
        for _ in range(LEVELS - 1):
            padded = np.pad(pairs, ((0, -len(pairs) % 4), (0, 0)), mode="edge")
            grouped = padded.reshape(-1, 4, 2)
            pairs = np.stack([grouped[:, :, 0].min(1), grouped[:, :, 1].max(1)], axis=1)
            result.append(pairs.tobytes())
        return b"".join(result)
