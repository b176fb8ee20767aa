"""Opening a sound file, and what makes it unfit for editing, each said in one sentence.

That it lacks its end is told by its own structure. libsndfile's log says so too, but a file's texts
stand in that log as well, and may say anything.
"""

from __future__ import annotations

import contextlib
import os
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
import soundfile as sf

from a3t.audio.reading.chunk_layouts import MP4_LAYOUT, chunk_heads, layout_of
from a3t.audio.reading.containers import DecodedTrack, TrackReader, decoded_track
from a3t.audio.reading.formats import Native, sample_format, to_float
from a3t.audio.reading.parts import holds_more, recordings_in
from a3t.audio.reading.track_writer import UnsupportedError, part_command
from a3t.errors import InputError

OGG_PAGE_BYTES = 65_307  # of the largest
OGG_LAST_PAGE = 4  # a stream's last page has this flag
MAX_MISSING_BYTES = 1024  # as when a program forgets to count its header
MIN_RATE_HZ, MAX_RATE_HZ = 8_000, 192_000  # a telephone's, and the highest of studios
MAX_CHANNELS = 8
MIN_RECORDING_S = 0.1
MAX_AMPLITUDE = 2.0**31  # of floats, full scale at 1; those of 32-bit integers are met in practice
# Samples: encoders count their own delay in or out, and frames that they drop.
MP3_SLACK_SAMPLES = 2 * 1152
CANCELLED_SHARE = 0.02  # of the loudest sample, -34 dB: lossy codecs leave something
BLOCK_SAMPLES = 65_536  # samples per channel held at a time when a whole file is gone through
_STANDARD_ERROR = 2  # its file descriptor


def is_truncated(path: Path) -> bool:
    """Return whether a chunk of samples is longer than its file, or an Ogg lacks its last page.

    False for a container whose structure isn't known here.
    """
    with path.open("rb") as file:
        length = os.fstat(file.fileno()).st_size
        magic = file.read(8)
        if magic[:4] == b"OggS":
            return _lacks_last_page(file, length)
        layout = layout_of(magic)
        if layout is None or layout is MP4_LAYOUT:
            return False
        for head in chunk_heads(file, layout):
            if head.name == layout.samples:
                missing = head.length - (length - head.place)
                return not head.is_endless and missing > MAX_MISSING_BYTES
    return False


def _lacks_last_page(file: BinaryIO, length: int) -> bool:
    file.seek(max(0, length - 2 * OGG_PAGE_BYTES))
    end = file.read()
    page = end.rfind(b"OggS\0")
    return page < 0 or page + 5 >= len(end) or not end[page + 5] & OGG_LAST_PAGE


_silencing = threading.RLock()


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """Keep off the terminal what libsndfile's decoder of MP3 has to say of a file.

    It can't be told to be silent, and takes no other way than the process's standard error.
    """
    with _silencing:
        try:
            kept = os.dup(_STANDARD_ERROR)
        except OSError:  # there is none
            yield
            return
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), _STANDARD_ERROR)
        try:
            yield
        finally:
            os.dup2(kept, _STANDARD_ERROR)
            os.close(kept)


class SoundReader(sf.SoundFile):
    """A SoundFile that seeks only where it is told to.

    soundfile seeks after every read, which some codecs answer with other samples.
    """

    def __init__(self, file: int, closefd: bool) -> None:
        with _silent():
            super().__init__(file, closefd=closefd)

    def read(  # type: ignore[override]
        self, frames: int = -1, dtype: str = "float64", always_2d: bool = False
    ) -> Native:
        """Read samples, (n, channels) or (n,), as soundfile does."""
        with _silent() if self.format == "MP3" else contextlib.nullcontext():
            return super().read(frames, dtype, always_2d)

    def seekable(self) -> bool:
        """Return False, whatever libsndfile can do."""
        return False

    @property
    def can_seek(self) -> bool:
        """True if libsndfile can seek in this file."""
        return bool(super().seekable())

    def text(self, name: str) -> bytes:
        """Return a text of the file, by libsndfile's name for it, in its own encoding, or b"".

        soundfile would decode it as UTF-8 and lose what isn't.
        """
        text = sf._snd.sf_get_string(self._file, sf._str_types[name])
        return bytes(sf._ffi.string(text)) if text else b""


Reader = SoundReader | TrackReader


@contextlib.contextmanager
def open_audio(path: Path, track: int | None = None) -> Iterator[Reader]:
    """Open a sound file by its content, not by its name, while the context lasts.

    libsndfile reads an open descriptor; what it can't read is tried as a container, of which
    ``track`` is read (`a3t.audio.reading.containers`). Raises InputError for what neither can read.
    """
    if re.match(r"(?:https?|ftp):/", str(path)):
        raise InputError(f"{path.name} is on the web: download it, then give the file's name.")
    if not path.exists():
        raise InputError(f"{path} does not exist: check the name of the recording.")
    if path.is_dir():
        raise InputError(f"{path} is a folder: give the name of a recording in it.")
    if not path.is_file():
        raise InputError(f"{path} is not a plain file: give the name of a recording.")
    if not os.access(path, os.R_OK):
        raise InputError(f"{path} may not be read: ask for permission or copy it.")
    if not path.stat().st_size:
        raise InputError(f"{path} is empty (0 bytes): copy or record it again.")
    recordings_in(path)  # before anything decodes it: what has a million chunks is refused
    with path.open("rb") as raw:
        try:
            file = SoundReader(raw.fileno(), closefd=False)
        except sf.LibsndfileError as error:
            if "malformed" in str(error):
                raise InputError(
                    f"{path} is broken or cut off: copy, download or convert it again."
                ) from error
            decoded = decoded_track(path, track)
            if decoded is None:
                raise InputError(
                    f"{path} is not audio that a3t can read: convert it to WAV or FLAC first."
                ) from error
        else:
            with file:
                decoded = _second_reading(path, file)
                if track not in (None, 1):
                    raise InputError(f"{path} has no track {track}: it has only one.")
                if decoded is None:
                    yield file
                    return
    yield TrackReader(decoded)


def _second_reading(path: Path, file: SoundReader) -> DecodedTrack | None:
    """Decode by FFmpeg's libraries what libsndfile would read wrongly; None for all other files.

    That is a file whose header disagrees with its sound, or that libsndfile reads by its header
    alone.
    """
    stated = 0 < file.frames < 2**62  # a FLAC that was written to a pipe states nothing
    compressed = file.format != "MP3" and file.subtype.startswith("MPEG_")
    if stated and not compressed and not holds_more(path, file.format, file.frames):
        return None
    try:
        track = decoded_track(path)
    except UnsupportedError:
        raise
    except InputError:
        if len(recordings_in(path)) > 1:
            raise
        return None
    if track is None and len(recordings_in(path)) > 1:
        raise InputError(
            f"{path} holds several recordings that follow one another: {part_command(path, 1)}."
        )
    return track


def read_block(file: Reader, length: int, dtype: str) -> Native:
    """Read up to `length` samples; nothing at the end, and nothing where decoding fails."""
    try:
        return file.read(length, dtype, always_2d=True)
    except sf.LibsndfileError:
        return np.empty((0, file.channels), dtype)


def check_header(path: Path, file: Reader) -> None:
    """Check what the header alone tells; raises InputError."""
    rate = file.samplerate
    if file.frames <= 0:
        raise InputError(f"{path} is empty (it has no samples): record it again.")
    if file.frames > 2**62:  # libsndfile's word for a FLAC that was written to a pipe
        raise InputError(f"{path} doesn't state its length: convert it to WAV or FLAC.")
    if rate < MIN_RATE_HZ:
        raise InputError(
            f"{path} is sampled at {rate} Hz, below the {MIN_RATE_HZ} Hz that a3t needs: use the "
            f"original if its rate is higher."
        )
    if rate > MAX_RATE_HZ:
        raise InputError(
            f"{path} is sampled at {rate} Hz (the limit is {MAX_RATE_HZ} Hz): convert it to a "
            "lower rate first."
        )
    if file.channels > MAX_CHANNELS:
        raise InputError(
            f"{path} has {file.channels} channels (the limit is {MAX_CHANNELS}): export the "
            f"speaker's channels to another file."
        )
    if file.frames < MIN_RECORDING_S * rate:
        raise InputError(
            f"{path} is {file.frames / rate:.3f} s long and at least {MIN_RECORDING_S} s is "
            "needed: use a longer recording."
        )
    if is_truncated(path):
        raise InputError(
            f"{path} is cut off before its end: copy or download it again, or convert it to WAV "
            "to edit what is left of it."
        )


def check_samples(path: Path, file: Reader) -> int:
    """Go through the samples as far as they need checking, and count them.

    Integer PCM can't be broken inside, so the first sound is enough, unless the channels cancel
    there; raises InputError.
    """
    kind = sample_format(file.subtype)
    plain = file.subtype.startswith("PCM_") and file.format != "FLAC"
    stated = file.frames
    count, silent, cancelled = 0, True, True
    while len(block := read_block(file, BLOCK_SAMPLES, kind.dtype)):
        if kind.is_float and not np.isfinite(block).all():
            bad = count + int(np.argmin(np.isfinite(block).all(axis=1)))
            raise InputError(
                f"{path} has samples that are not numbers (NaN or infinite), the first at "
                f"{bad / file.samplerate:.3f} s: export it again from its source."
            )
        if kind.is_float and (peak := np.abs(block).max(initial=0.0)) > MAX_AMPLITUDE:
            raise InputError(
                f"{path} has samples of {peak:.1e} times full scale: export it again from its "
                "source."
            )
        count += len(block)
        silent = silent and not block.any()
        cancelled = cancelled and cancel(block)
        if plain and not cancelled:
            return stated
    if count < stated - (MP3_SLACK_SAMPLES if file.format == "MP3" else 0):
        raise InputError(
            f"{path} is broken or cut off {count / file.samplerate:.1f} s from its start: copy or "
            "download it again."
        )
    if silent:
        raise InputError(f"{path} is silent (all its samples are zero): use another recording.")
    if cancelled:
        raise InputError(
            f"The channels of {path} cancel each other, as if one were inverted: invert one of "
            f"them, or export one alone."
        )
    return count


def cancel(block: Native) -> bool:
    """Return whether the channels of samples (n, channels) cancel out; silence does."""
    samples = to_float(block)
    left = float(np.abs(samples.mean(axis=1)).max(initial=0.0))
    return left <= CANCELLED_SHARE * float(np.abs(samples).max(initial=0.0))
