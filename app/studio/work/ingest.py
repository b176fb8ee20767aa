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
from app.studio.storage.pcm_sound import LEVELS, PEAKS, PcmSound, level_sizes, played
from app.studio.work.listening import FIRST_PART, editor_step

if TYPE_CHECKING:
    from a3t.editor import Editor

AT_ONCE = 50_000  # pairs of peaks: 100 s


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
    with path.open("wb") as file:
        for block in recording.blocks():
            file.write(played(to_float(block)))
    sound = PcmSound(path, recording.sample_rate, channels, recording.samples)
    (folder / "peaks.bin").write_bytes(peaks_of(sound))
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


def peaks_of(sound: PcmSound) -> bytes:
    """The lowest and highest sample of each 1/PEAKS s, -127..127, the same of four such, and so on:
    all levels, the finest first; each has ceil(n / 4) pairs of the one before."""
    rate, count = sound.sample_rate, level_sizes(sound.samples, sound.sample_rate)[0]
    found = [np.zeros((0, 2), np.int8)]
    for first in range(0, count, AT_ONCE):
        edges = np.arange(first, min(first + AT_ONCE, count)) * rate // PEAKS
        samples = sound.mono(int(edges[0]), min((first + AT_ONCE) * rate // PEAKS, sound.samples))
        low, high = (each.reduceat(samples, edges - edges[0]) for each in (np.minimum, np.maximum))
        pairs = np.round(np.stack([low, high], axis=1) * 127)
        found.append(np.clip(pairs, -127, 127).astype(np.int8))
    levels = [np.concatenate(found)]
    while len(levels) < LEVELS:
        padded = np.pad(levels[-1], ((0, -len(levels[-1]) % 4), (0, 0)), mode="edge")
        grouped = padded.reshape(-1, 4, 2)
        levels.append(np.stack([grouped[:, :, 0].min(1), grouped[:, :, 1].max(1)], axis=1))
    return b"".join(level.tobytes() for level in levels)
