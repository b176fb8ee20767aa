"""Writing synthesised speech, as a file or a stream."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import soundfile

from a3t.audio.output.files import atomic_path, check_target
from a3t.audio.output.metadata import room_for_comment
from a3t.audio.output.writing import CONTAINERS
from a3t.errors import InputError

LOSSY_SUBTYPES = {"OGG": "VORBIS", "MP3": "MPEG_LAYER_III"}


def write_speech(
    out: Path | str,
    samples: np.ndarray,
    sample_rate: int,
    comment: str = "",
) -> None:
    """Mono float samples (n,) as a 16-bit file of the kind ``out`` ends in, whole or not at all.

    The ``comment`` goes into the file if it has room for one.

    Raises InputError if ``out`` has no sound's ending, or can't be written.
    """
    out = check_target(out, None)
    container = CONTAINERS.get(out.suffix.lower())
    if container is None:
        raise InputError(
            f"{out} has no extension that says which file to write: use .wav or .flac."
        )
    # Limited, not clipped: one loud sample must not be a click.
    samples = samples * min(1.0, 0.99 / max(float(np.abs(samples).max(initial=0.0)), 1e-9))
    subtype = LOSSY_SUBTYPES.get(container, "PCM_16")
    with atomic_path(out) as temporary:
        try:
            layout = (sample_rate, 1, subtype)
            with soundfile.SoundFile(temporary, "w", *layout, format=container) as file:
                if comment and len(comment.encode()) <= room_for_comment(container):
                    file.comment = comment
                file.write(samples)
        except soundfile.LibsndfileError as error:
            raise InputError(f"{out} could not be written: {error.error_string}") from None


def stream_header(sample_rate: int) -> bytes:
    """The head of a mono WAV of 16 bits whose length isn't known yet; its samples follow.

    The sizes are the largest that the format can hold, which players take as "until the end".
    """
    unknown = 0xFFFFFFFF
    layout = struct.pack("<HHIIHH", 1, 1, sample_rate, 2 * sample_rate, 2, 16)
    return b"".join(
        [
            b"RIFF" + struct.pack("<I", unknown) + b"WAVE",
            b"fmt " + struct.pack("<I", len(layout)) + layout,
            b"data" + struct.pack("<I", unknown - 36),
        ]
    )


def pcm16(samples: np.ndarray) -> bytes:
    """Mono float samples (n,) as little-endian 16-bit integers; what is louder than full scale is
    clipped, since what follows isn't known."""
    return bytes((np.clip(samples, -1.0, 1.0) * 32767).round().astype("<i2").tobytes())
