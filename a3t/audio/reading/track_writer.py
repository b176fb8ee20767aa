"""Writing decoded sound, frame by frame, to a file of plain samples."""

from __future__ import annotations

import shlex
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from a3t.audio.reading.formats import Native, sample_format
from a3t.audio.reading.parts import recordings_in
from a3t.errors import InputError

if TYPE_CHECKING:
    from av.audio.frame import AudioFrame

MAX_DECODED_S = 12 * 3600  # that are decoded: a megabyte of silence may hold hours
# Seconds; what the time stamps leave out beyond this is silence, less is rounding.
MAX_ROUNDING_S = 0.1


class UnsupportedError(InputError):
    """Sound has a form that a3t doesn't edit."""


class ChangingError(UnsupportedError):
    """Sound changes its sample rate, its channels or its samples' format on the way."""


@dataclass(frozen=True)
class _Layout:
    """The form of decoded sound; ``samples`` is FFmpeg's name of their format."""

    rate: int
    channels: int
    samples: str

    def __str__(self) -> str:
        channels = f"{self.channels} channel{'s' * (self.channels > 1)}"
        return f"{self.rate} Hz and {channels}"


def part_command(path: Path, number: int) -> str:
    """Return what cuts a file before one of the recordings in it, counted from 0; for messages."""
    first, name = recordings_in(path)[number][0], shlex.quote(str(path))
    return (
        f"cut it in two by `head -c {first} {name} > first{path.suffix}` and "
        f"`tail -c +{first + 1} {name} > rest{path.suffix}`"
    )


class TrackWriter:
    """Decoded frames, put behind one another in a file as they follow each other in time."""

    def __init__(self, path: Path, room: BinaryIO) -> None:
        self.path, self.room = path, room
        self.layout = _Layout(0, 0, "")
        self.count = 0  # samples
        self.start = 0.0  # seconds of the file's own time
        self.low_bits = 0
        self._part = self._first = self._silent = 0
        self._begin, self._time = 0.0, 0.0

    @property
    def seconds(self) -> float:
        """The seconds written so far."""
        return self.count / self.layout.rate if self.count else 0.0

    def begin(self, part: int, seconds: float) -> None:
        """Begin a recording of those that follow one another, whose own time starts there."""
        self._part, self._begin = part, seconds
        self._first, self._silent = self.count, 0

    def end(self, stated: int | None) -> None:
        """End a recording, which is no longer than the stated number of samples."""
        self.room.flush()
        if stated is not None and self.count > self._first + self._silent + stated:
            self.count = self._first + self._silent + stated
            self.room.seek(self.count * self.layout.channels * self._dtype.itemsize)
            self.room.truncate()

    def add(self, frame: AudioFrame) -> None:
        """Write another frame, after silence where its time says that some is missing."""
        time: float | None = None
        if frame.pts is not None and frame.time_base is not None:
            time = float(frame.pts * frame.time_base)
        samples = frame.format.name.removesuffix("p")
        layout = _Layout(frame.sample_rate, frame.layout.nb_channels, samples)
        if not self.count:
            self.layout = layout
        elif layout != self.layout:
            forms = f"from {self.layout} to {layout}"
            if layout.samples != self.layout.samples and layout.rate == self.layout.rate:
                forms = f"from {self.layout.samples} to {layout.samples} samples"
            raise ChangingError(
                f"{self.path} changes {forms} {self.seconds:.1f} s from its start: "
                f"{self._mending_command()}."
            )
        block, gap = self._native(frame), 0.0
        if self.count == self._first:
            self._time = time or 0.0
            if self._time - self._begin > MAX_ROUNDING_S:  # a film's sound that begins late
                gap, self._time = self._time - self._begin, self._begin
                self._silent = round(gap * layout.rate)
            if not self.count:
                self.start = self._time
        elif time is not None:
            gap = time - self._time - (self.count - self._first) / layout.rate
        if gap > MAX_ROUNDING_S:
            self._silence(round(gap * layout.rate), block.dtype)
        self._put(block)

    def samples(self) -> Native:
        """Return the whole track, (n, channels)."""
        self.room.flush()
        return np.memmap(self.room, self._dtype, "r", shape=(self.count, self.layout.channels))

    def subtype(self, codec: str) -> str:
        """Return libsndfile's name for the samples; the codec's in capitals for its floats."""
        match self.layout.samples:
            case "u8":
                return "PCM_U8"
            case "s16":
                return "PCM_16"
            case "s32":
                return "PCM_32" if self.low_bits & 0xFF else "PCM_24"
            case "dbl":
                return "DOUBLE"
        return "FLOAT" if codec.startswith("pcm_") else codec.upper() or "FLOAT"

    @property
    def _dtype(self) -> np.dtype[Any]:
        return np.dtype(sample_format(self.subtype("")).dtype)

    def _mending_command(self) -> str:
        """Return what makes one recording of the file, or two files of it; for a message."""
        with self.path.open("rb") as file:
            is_ogg = file.read(4) == b"OggS"  # FFmpeg reads what is chained
        if self._part and not is_ogg:
            return part_command(self.path, self._part)
        name = shlex.quote(str(self.path))
        return (
            f"make one recording of it by `ffmpeg -i {name} -ar {self.layout.rate} "
            f"-ac {self.layout.channels} whole.wav`"
        )

    def _native(self, frame: AudioFrame) -> Native:
        if self.layout.samples not in ("u8", "s16", "s32", "flt", "dbl"):
            raise UnsupportedError(
                f"{self.path} has samples in a format that a3t can't edit ({self.layout.samples}): "
                f"make a copy with `ffmpeg -i {shlex.quote(str(self.path))} -c:a pcm_s32le "
                "copy.wav`."
            )
        planes = frame.to_ndarray()
        samples = planes.T if frame.format.is_planar else planes.reshape(-1, self.layout.channels)
        if self.layout.samples == "u8":
            return (samples.astype(np.int16) - 128) << 8
        if self.layout.samples == "s32":
            self.low_bits |= int(np.bitwise_or.reduce(samples, axis=None))
        return np.ascontiguousarray(samples)

    def _silence(self, count: int, dtype: Any) -> None:
        while count > 0:
            block = min(count, self.layout.rate)
            self._put(np.zeros((block, self.layout.channels), dtype))
            count -= block

    def _put(self, samples: Native) -> None:
        if self.count + len(samples) > MAX_DECODED_S * self.layout.rate:
            raise InputError(
                f"{self.path} has more than {MAX_DECODED_S // 3600} hours of sound: cut it into "
                "parts."
            )
        try:
            self.room.write(samples.tobytes())
        except OSError as error:
            raise InputError(
                f"{self.path} could not be decoded because {error.strerror} in "
                f"{tempfile.gettempdir()}: make room there or convert it to WAV first."
            ) from error
        self.count += len(samples)
