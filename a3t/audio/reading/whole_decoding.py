"""Recordings that can't be read from the middle: decoded once from their start, whole.

Some codecs can't seek (GSM 6.10, G.721, DPCM …). Others can, but what they then give differs from
what plays from the start: the decoders of MP3, Vorbis and Opus carry a state from frame to frame.
"""

from __future__ import annotations

import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from a3t.audio.reading.checks import BLOCK, Reader, SoundReader, open_audio, read_block
from a3t.audio.reading.formats import Native, is_lossy, sample_format
from a3t.errors import InputError


def decodes_from_start(file: Reader) -> bool:
    """True if a file's samples depend on where decoding began."""
    if not isinstance(file, SoundReader):  # it was decoded already
        return False
    # libsndfile says of DWVW that it can seek, and then refuses to.
    return not file.can_seek or is_lossy(file.subtype) or file.subtype.startswith("DWVW")


def decode_whole(path: Path, samples: int) -> Native:
    """(samples, channels) in the file's own dtype, in a temporary file that has no name.

    Kept for as long as no two other recordings were asked for. Raises InputError if the recording
    ends early or there is no room for it.
    """
    stat = path.stat()
    return _decoded(path.resolve(), (stat.st_ino, stat.st_size, stat.st_mtime_ns), samples)


@lru_cache(maxsize=2)
def _decoded(path: Path, identity: tuple[int, ...], samples: int) -> Native:
    with open_audio(path) as file, tempfile.TemporaryFile() as room:
        dtype: np.dtype[Any] = np.dtype(sample_format(file.subtype).dtype)
        count = 0
        try:
            while count < samples and len(block := read_block(file, BLOCK, dtype.name)):
                room.write(block[: samples - count].tobytes())
                count += len(block)
            room.flush()
        except OSError as error:
            raise InputError(
                f"{path} could not be decoded because {error.strerror} in {tempfile.gettempdir()}: "
                "make room there or convert the recording to WAV first."
            ) from error
        if count < samples:
            raise InputError(f"{path} changed while it was being read: start again.")
        return np.memmap(room, dtype, "r", shape=(samples, file.channels))
