"""A recording on the disk: checked once, then read by windows in its own format."""

from __future__ import annotations

import hashlib
import math
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import soxr

from a3t.audio.reading.checks import (
    BLOCK_SAMPLES,
    Reader,
    SoundReader,
    check_header,
    check_samples,
    open_audio,
    read_block,
)
from a3t.audio.reading.containers import TrackReader, decoded_track, several_tracks
from a3t.audio.reading.formats import Native, SampleFormat, is_lossy, sample_format, to_float
from a3t.errors import InputError
from a3t.grid import grid_frames, samples_of
from a3t.spans import Span
from alignment.atomic import recover

PIECE_S = 120  # of a long recording that are resampled at once
RESAMPLING_CONTEXT_S = 0.05  # seconds read on either side of a window; soxr's filter is far shorter


@dataclass(frozen=True)
class Recording:
    """An audio file that can be edited; nothing of it is held in memory.

    sample_rate: Hz; channels: 1..8; samples: per channel; subtype and container: libsndfile's
    names, e.g. "PCM_24" and "WAV". Positions are samples of this file, counted from 0.

    track: of a container that FFmpeg's libraries read (`a3t.audio.reading.containers`, whose names
    subtype and container then are), the number of the track, from 1; None for all other files.
    channel: the only one that is read (`one_channel`), from 0; None for all of them.
    """

    path: Path
    sample_rate: int
    channels: int
    samples: int
    subtype: str
    container: str
    track: int | None = None
    channel: int | None = None

    @classmethod
    def open(cls, path: Path | str, track: int | None = None) -> Recording:
        """Check a file, or a track of it, and describe it, once a killed edit of it is finished.

        Integer PCM is read up to its first sound; anything that can be broken inside (a codec)
        or hold NaN (floats) is read to its end, by blocks. Raises InputError: missing, a folder,
        not audio, cut off, broken, empty, silent, shorter than 0.1 s, NaN or infinite samples,
        a sample rate outside 8..192 kHz, more than 8 channels.
        """
        recover()
        path = Path(path)
        with open_audio(path, track) as file:
            check_header(path, file)
            samples = check_samples(path, file)
            kind = (file.subtype, file.format)
            number = file.track.number if isinstance(file, TrackReader) else None
            return cls(path, file.samplerate, file.channels, samples, *kind, number)

    def one_channel(self, channel: int) -> Recording:
        """Return one of its channels, as a recording of one channel."""
        return replace(self, channels=1, channel=channel)

    @property
    def format(self) -> SampleFormat:
        """The format of its samples."""
        return sample_format(self.subtype)

    @property
    def seconds(self) -> float:
        """Seconds that it lasts."""
        return self.samples / self.sample_rate

    @property
    def frames(self) -> int:
        """The number of its frames (`a3t.grid`)."""
        return grid_frames(self.samples, self.sample_rate)

    def samples_in(self, frames: Span) -> Span:
        """Return the samples [first, last) of frames of `a3t.grid`, whose last may be cut short."""
        first, last = (min(samples_of(frame, self.sample_rate), self.samples) for frame in frames)
        return first, last

    def samples_between(self, start: float, end: float) -> Span:
        """Return the samples [first, last) of seconds [start, end), as far as there are any."""
        first, last = (min(round(t * self.sample_rate), self.samples) for t in (start, end))
        return first, max(first, last)

    @cached_property
    def sha256(self) -> str:
        """The sha256 of the file's bytes; read on first use."""
        with self.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    @property
    def identity(self) -> str:
        """A name of this sound alone: the file's sha256, and its track if it has tracks."""
        return self.sha256 if self.track is None else f"{self.sha256} track {self.track}"

    @property
    def about_track(self) -> str | None:
        """A sentence that names this track among the file's; None if it is the only one."""
        decoded = decoded_track(self.path, self.track) if self.track else None
        return several_tracks(decoded, self.path) if decoded else None

    def to_json(self) -> dict[str, str | int]:
        """Return the ``source`` of an edit.json."""
        track = {} if self.track is None else {"track": self.track}
        return {
            "path": str(self.path),
            "sha256": self.sha256,
            "sample_rate": self.sample_rate,
            "channels": self.channels,
            "samples": self.samples,
            **track,
        }

    def blocks(self, start: int = 0, stop: int | None = None) -> Iterator[Native]:
        """Yield the samples [start, stop) in their native dtype, (≤ BLOCK, channels) at a time."""
        for block in self._blocks(start, self.samples if stop is None else stop):
            yield block if self.channel is None else block[:, [self.channel]]

    def _blocks(self, start: int, stop: int) -> Iterator[Native]:
        """Yield blocks as `blocks` does, of all channels."""
        if not 0 <= start <= stop <= self.samples:
            raise ValueError(f"[{start}, {stop}) is not within [0, {self.samples})")
        with open_audio(self.path, self.track) as file:
            if decodes_from_start(file):
                whole = decode_whole(self.path, self.samples)
                for first in range(start, stop, BLOCK_SAMPLES):
                    yield np.array(whole[first : min(first + BLOCK_SAMPLES, stop)])
                return
            if start:
                file.seek(start)
            while start < stop:
                block = read_block(file, min(BLOCK_SAMPLES, stop - start), self.format.dtype)
                if not len(block):
                    raise InputError(f"{self.path} changed while it was being read: start again.")
                start += len(block)
                yield block

    def read(self, start: int = 0, stop: int | None = None) -> Native:
        """(stop - start, channels) in the file's own dtype; writing it back loses nothing.

        int16 for 8 and 16 bits, int32 for 24 and 32 bits (both left-justified, as libsndfile
        gives them), float32 and float64 for floats; lossy codecs decode to float32.
        """
        empty = np.empty((0, self.channels), self.format.dtype)
        return np.concatenate([empty, *self.blocks(start, stop)])

    def mono(
        self, start: int = 0, stop: int | None = None, sample_rate: int | None = None
    ) -> np.ndarray:
        """Return the mean of the channels, float32 with full scale at 1.

        With a ``sample_rate`` the window is brought to it: start and stop stay samples of this
        file, the result has round(stop · r) - round(start · r) samples, r the ratio of the rates,
        so adjoining windows adjoin.
        """
        stop = self.samples if stop is None else stop
        if sample_rate is None or sample_rate == self.sample_rate:
            result, place = np.empty(stop - start, np.float32), 0
            for block in self.blocks(start, stop):
                result[place : place + len(block)] = to_float(block).mean(axis=1)
                place += len(block)
            return result
        first, last = (
            _rounded(position * sample_rate, self.sample_rate) for position in (start, stop)
        )
        result = np.empty(last - first, np.float32)
        for place in range(first, last, PIECE_S * sample_rate):
            end = min(last, place + PIECE_S * sample_rate)
            result[place - first : end - first] = self.resampled(place, end, sample_rate)
        return result

    def resampled(self, first: int, last: int, sample_rate: int) -> np.ndarray:
        """Return samples [first, last) of the mono mix at ``sample_rate``, float32.

        Sample n lies at n / sample_rate seconds of the recording exactly, whatever the rates; past
        the recording's end there is silence. Windows agree with each other and with the whole.
        """
        if not 0 <= first <= last:
            raise ValueError(f"[{first}, {last}) is not a window")
        # The two clocks meet every `here` samples of the file = `there` of the new rate; a window
        # that begins on such a point is resampled in phase.
        meetings = math.gcd(self.sample_rate, sample_rate)
        here, there = self.sample_rate // meetings, sample_rate // meetings
        begin = max(0, first // there - math.ceil(RESAMPLING_CONTEXT_S * meetings))
        end = math.ceil((last / sample_rate + RESAMPLING_CONTEXT_S) * self.sample_rate)
        window = self.mono(min(begin * here, self.samples), min(end, self.samples))
        if sample_rate != self.sample_rate:
            window = soxr.resample(window, self.sample_rate, sample_rate)
        window = window[first - begin * there : last - begin * there]
        return np.pad(window, (0, last - first - len(window)))


def opened(recording: str | Path | Recording) -> Recording:
    """Open and check a recording if a path is given; raise InputError if it can't be edited."""
    return recording if isinstance(recording, Recording) else Recording.open(recording)


def _rounded(numerator: int, denominator: int) -> int:
    """Divide, rounded to the nearest integer, halves up; exact for any length."""
    return (2 * numerator + denominator) // (2 * denominator)


def decodes_from_start(file: Reader) -> bool:
    """Return whether a file's samples depend on where decoding began.

    Some codecs can't seek (GSM 6.10, G.721, DPCM …). Others can, but what they then give differs
    from what plays from the start: the decoders of MP3, Vorbis and Opus carry a state from frame to
    frame.
    """
    if not isinstance(file, SoundReader):  # it was decoded already
        return False
    # libsndfile says of DWVW that it can seek, and then refuses to.
    return not file.can_seek or is_lossy(file.subtype) or file.subtype.startswith("DWVW")


def decode_whole(path: Path, samples: int) -> Native:
    """Decode (samples, channels) in the file's own dtype, to a temporary file that has no name.

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
            while count < samples and len(block := read_block(file, BLOCK_SAMPLES, dtype.name)):
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
