"""Writing what is new altogether: synthesised speech, and the records beside sound files."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from a3t.audio.files import atomic_path, check_target
from a3t.audio.metadata import room_for_comment
from a3t.audio.writing import CONTAINERS
from a3t.errors import InputError

LARGEST_RECORD = 200_000_000  # bytes; an hour's alignment takes some 10 MB
LOSSY_SUBTYPES = {"OGG": "VORBIS", "MP3": "MPEG_LAYER_III"}


def write_speech(
    out: Path | str,
    samples: np.ndarray,
    sample_rate: int,
    source: Path | None = None,
    comment: str = "",
) -> None:
    """Mono float samples (n,) as a 16-bit file of the kind ``out`` ends in, whole or not at all.

    The ``comment`` goes into the file if it has room for one.

    Raises InputError if ``out`` is ``source``, has no sound's ending, or can't be written.
    """
    out = check_target(out, source)
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


def record_path(out: Path) -> Path:
    """Where the edit.json of a sound file is."""
    return out.with_name(f"{out.stem}.edit.json")


def check_record(path: Path, entry: str) -> None:
    """InputError if a record can't be written to `path`: another program's file is there, which is
    one without this entry."""
    check_target(path)
    if not path.exists():
        return
    try:
        if path.stat().st_size <= LARGEST_RECORD and entry in dict(json.loads(path.read_bytes())):
            return
    except (OSError, ValueError, TypeError, RecursionError):
        pass
    raise InputError(
        f"{path} would be replaced, and it is not a record that this program wrote: move it, or "
        "choose another name for the output."
    )


def write_json(path: Path | str, record: Mapping[str, Any]) -> None:
    """A record as readable JSON, whole or not at all."""
    text = json.dumps(record, indent=1, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # a file's name of bytes that are no UTF-8
        text = json.dumps(record, indent=1)
    with atomic_path(path) as temporary:
        temporary.write_text(text + "\n", "utf-8")
