"""Write decoded sound, frame by frame, to a file of plain samples."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from a3t.audio.reading.formats import Native, sample_format
from a3t.errors import InputError

if TYPE_CHECKING:
    from av.audio.frame import AudioFrame

LONGEST = 12 * 3600  # seconds that are decoded: a megabyte of silence may hold hours
GAP = 0.1  # seconds; what the time stamps leave out beyond this is silence, less is rounding


class TrackWriter:
    """Puts decoded frames behind each other in a file, as they follow each other in time from
    ``begin``, the seconds at which the file's own time starts."""

    def __init__(self, path: Path, room: Any, begin: float = 0.0) -> None:
        self.path, self.room, self.begin = path, room, begin
        self.silent = 0  # samples before the first frame
        self.rate = self.channels = self.count = 0
        self.start = 0.0
        self.layout = ""  # FFmpeg's name of the samples' format
        self.low_bits = 0

    @property
    def seconds(self) -> float:
        return self.count / self.rate if self.rate else 0.0

    def add(self, frame: AudioFrame) -> None:
        """Another frame; silence before it where its time says that some is missing."""
        time: float | None = None
        if frame.pts is not None and frame.time_base is not None:
            time = float(frame.pts * frame.time_base)
        layout = (frame.sample_rate, frame.layout.nb_channels, frame.format.name.removesuffix("p"))
        if not self.count:
            self.rate, self.channels, self.layout = layout
            self.start = time or 0.0
            if self.start - self.begin > GAP:  # a film's sound that begins late
                self.silent = round((self.start - self.begin) * self.rate)
                self.start = self.begin
        elif layout != (self.rate, self.channels, self.layout):
            raise InputError(
                f"{self.path} changes its sample rate or its channels {self.seconds:.1f} s from "
                "its start: convert it to WAV first."
            )
        samples = self._native(frame)
        gap = 0.0 if time is None else time - self.start - self.seconds
        if self.silent and not self.count:
            gap = self.silent / self.rate
        if gap > GAP:
            self._silence(round(gap * self.rate), samples.dtype)
        self._put(samples)

    def samples(self, stated: int | None) -> Native:
        """The whole track, (n, channels), up to the stated length."""
        self.room.flush()
        dtype = sample_format(self.subtype("")).dtype
        whole = np.memmap(self.room, dtype, "r", shape=(self.count, self.channels))
        return whole if stated is None else whole[: self.silent + stated]

    def subtype(self, codec: str) -> str:
        """libsndfile's name for the samples; the codec's in capitals if they are its floats."""
        match self.layout:
            case "u8":
                return "PCM_U8"
            case "s16":
                return "PCM_16"
            case "s32":
                return "PCM_32" if self.low_bits & 0xFF else "PCM_24"
            case "dbl":
                return "DOUBLE"
        return "FLOAT" if codec.startswith("pcm_") else codec.upper() or "FLOAT"

    def _native(self, frame: AudioFrame) -> Native:
        planes = frame.to_ndarray()
        samples = planes.T if frame.format.is_planar else planes.reshape(-1, self.channels)
        if self.layout == "u8":
            return (samples.astype(np.int16) - 128) << 8
        if self.layout not in ("s16", "s32", "flt", "dbl"):
            raise InputError(f"{self.path} has {self.layout} samples: convert it to WAV first.")
        if self.layout == "s32":
            self.low_bits |= int(np.bitwise_or.reduce(samples, axis=None))
        return np.ascontiguousarray(samples)

    def _silence(self, count: int, dtype: Any) -> None:
        while count > 0:
            block = min(count, self.rate)
            self._put(np.zeros((block, self.channels), dtype))
            count -= block

    def _put(self, samples: Native) -> None:
        if self.count + len(samples) > LONGEST * self.rate:
            raise InputError(
                f"{self.path} has more than {LONGEST // 3600} hours of sound: cut it into parts."
            )
        try:
            self.room.write(samples.tobytes())
        except OSError as error:
            raise InputError(
                f"{self.path} could not be decoded because {error.strerror} in "
                f"{tempfile.gettempdir()}: make room there or convert it to WAV first."
            ) from error
        self.count += len(samples)
