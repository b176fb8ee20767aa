"""Live transcription: sound from a pipe or a microphone, and its words on a terminal."""

from __future__ import annotations

import io
import struct
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from queue import Queue, SimpleQueue
from threading import Event, Thread
from typing import Any, BinaryIO, TextIO

import numpy as np
import soundfile

from a3t.errors import InputError
from alignment.recognition.live import LiveWords

RAW = "PCM_16"  # of what is no WAV: little-endian, one channel
AT_ONCE, WAITING = 1 << 16, 64  # bytes at most, and so many times as many that wait
MAX_CHUNK_BYTES = 1 << 20  # bytes of a chunk before the samples

# WAV's formats, by tag and bits, as soundfile calls them.
SUBTYPES = {
    (1, 8): "PCM_U8", (1, 16): RAW, (1, 24): "PCM_24", (1, 32): "PCM_32",
    (3, 32): "FLOAT", (3, 64): "DOUBLE", (6, 8): "ALAW", (7, 8): "ULAW",
}  # fmt: skip
EXTENSIBLE = 0xFFFE
PACKED = (b"OggS", b"fLaC", b"ID3", b"\x1aE\xdf\xa3", b"FORM", b"caff", b"RF64")
TO_WAV = "give it raw 16-bit samples of one channel, or a WAV: ffmpeg -i IN -f wav - | …"

WIDTH = 80  # columns where there is no terminal
CLEAR, DIM, PLAIN = "\r\033[K", "\033[2m", "\033[m"


@dataclass(frozen=True)
class LiveSound:
    """Blocks of samples as they come, mono, float32, (n,) each, at ``sample_rate`` Hz.

    After ``stop`` no more follow. behind: seconds of sound that have come and were not taken yet.
    """

    sample_rate: int
    blocks: Iterator[np.ndarray]
    stop: Callable[[], None]
    behind: Callable[[], float]


class Backlog:
    """A count of the samples that came and of those that were taken, at ``sample_rate`` Hz.

    Sound that comes faster than it can be made, by more than AHEAD seconds, is a file's: nobody
    waits for its words.
    """

    AHEAD = 3.0

    def __init__(self, sample_rate: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._clock, self._begun = sample_rate, clock, clock()
        self._came = self._taken = 0
        self._is_file = False

    def came(self, samples: int) -> None:
        """Count samples that came."""
        self._came += samples
        elapsed = self._clock() - self._begun
        self._is_file |= self._came / self._rate > elapsed + self.AHEAD

    def taken(self, samples: int) -> None:
        """Count samples that were taken."""
        self._taken += samples

    def seconds(self) -> float:
        """Return the seconds of sound that wait; 0 of a file."""
        return 0.0 if self._is_file else (self._came - self._taken) / self._rate


def piped(stream: BinaryIO, raw_rate: int) -> LiveSound:
    """Read a WAV, which may be endless, or else raw samples at ``raw_rate``, from a pipe.

    Raises InputError for anything else.
    """
    head = stream.read(12)
    if not head:
        raise InputError(f"Nothing came on standard input: {TO_WAV}")
    if head.startswith(PACKED):
        raise InputError(f"Standard input is not a WAV: {TO_WAV}")
    if not head.startswith(b"RIFF"):
        return _decoded(stream, head, None, raw_rate, RAW, 1)
    format_ = b""
    while True:
        name, size = struct.unpack("<4sI", _exactly(stream, 8))
        if name == b"data":
            break
        if size > MAX_CHUNK_BYTES:
            raise InputError(f"Standard input is a broken WAV: {TO_WAV}")
        chunk = _exactly(stream, size + size % 2)
        format_ = chunk if name == b"fmt " else format_
    if len(format_) < 16:
        raise InputError(f"Standard input is a broken WAV: {TO_WAV}")
    tag, channels, rate, _, _, bits = struct.unpack("<HHIIHH", format_[:16])
    if tag == EXTENSIBLE and len(format_) >= 26:
        tag = int.from_bytes(format_[24:26], "little")
    subtype = SUBTYPES.get((tag, bits))
    if subtype is None or not 1 <= channels <= 64 or not 0 < rate <= 768_000:
        raise InputError(f"Standard input is a WAV of a kind that can't be read: {TO_WAV}")
    size = size if 0 < size < 0x7FFFF000 else None  # what programs write who don't know it yet
    return _decoded(stream, b"", size, rate, subtype, channels)


def _exactly(stream: BinaryIO, count: int) -> bytes:
    data = stream.read(count)
    if len(data) < count:
        raise InputError(f"Standard input ended in a WAV's head: {TO_WAV}")
    return data


def _decoded(
    stream: BinaryIO, head: bytes, size: int | None, rate: int, subtype: str, channels: int
) -> LiveSound:
    """Decode the samples of ``head`` and of the stream, up to ``size`` bytes, as they come."""
    width = channels * {"PCM_24": 3, "PCM_32": 4, "FLOAT": 4, "DOUBLE": 8, RAW: 2}.get(subtype, 1)
    read = getattr(stream, "read1", stream.read)
    stopped, backlog = Event(), Backlog(rate)
    came: Queue[bytes | Exception] = Queue(WAITING)

    def collect() -> None:
        """Empty the pipe at once: how long sound waits in it can't be seen."""
        left = size
        try:
            while not stopped.is_set():
                data = read(AT_ONCE if left is None else min(AT_ONCE, left))
                backlog.came(len(data) // width)
                came.put(data)
                if not data:
                    return
                left = left and left - len(data)
        except (OSError, ValueError) as error:
            came.put(error)

    def blocks() -> Iterator[np.ndarray]:
        Thread(target=collect, name="live sound", daemon=True).start()
        waiting = head
        while not stopped.is_set():
            whole = len(waiting) - len(waiting) % width
            if whole:
                samples, _ = soundfile.read(
                    io.BytesIO(waiting[:whole]), dtype="float32", always_2d=True,
                    samplerate=rate, channels=channels, format="RAW", subtype=subtype,
                    endian="LITTLE",
                )  # fmt: skip
                yield samples.mean(axis=1)
            data = came.get()
            if isinstance(data, Exception):
                raise data
            if not data:
                return
            backlog.taken(len(data) // width)
            waiting = waiting[whole:] + data

    return LiveSound(rate, blocks(), stopped.set, backlog.seconds)


class Microphone:
    """The computer's microphone, while it is open: `with Microphone() as sound` is a LiveSound.

    Raises InputError if sounddevice is not installed or no microphone can be used.
    """

    def __enter__(self) -> LiveSound:
        """Open the microphone; raise InputError if there is none."""
        try:
            import sounddevice
        except ModuleNotFoundError:
            raise InputError(
                "A microphone needs sounddevice: pip install 'a3t[microphone]'."
            ) from None
        except OSError as error:  # PortAudio itself is missing
            raise InputError(f"A microphone can't be used here: {error}.") from None
        came: SimpleQueue[np.ndarray | None] = SimpleQueue()

        def callback(block: np.ndarray, frames: int, time: Any, status: Any) -> None:
            backlog.came(len(block))
            came.put(block[:, 0].copy())

        def stop() -> None:
            came.put(None)

        def blocks() -> Iterator[np.ndarray]:
            while (block := came.get()) is not None:
                backlog.taken(len(block))
                yield block

        try:
            rate = round(sounddevice.query_devices(kind="input")["default_samplerate"])
            backlog = Backlog(rate)
            self._stream = sounddevice.InputStream(
                samplerate=rate, channels=1, dtype="float32", callback=callback,
                finished_callback=stop,
            )  # fmt: skip
            self._stream.start()
        except (sounddevice.PortAudioError, ValueError) as error:
            why = " ".join(str(error).split())
            raise InputError(f"No microphone can be used: {why}.") from None
        return LiveSound(rate, blocks(), stop, backlog.seconds)

    def __exit__(self, *_: object) -> None:
        """Close the microphone."""
        self._stream.stop()
        self._stream.close()


class LiveLines:
    """A writer of words to ``out`` as they are said, those that may still change greyer.

    width: a terminal's columns, or 0 for a file or a pipe, which gets the final words alone. A line
    grows until a pause, or until it is full.
    """

    def __init__(self, out: TextIO, width: int) -> None:
        self._out, self._terminal, self._width = out, width > 0, (width or WIDTH + 1) - 1
        self._line = ""

    def show(self, words: LiveWords) -> None:
        """Add final words, and show the provisional ones after them."""
        text = CLEAR if self._terminal else ""
        for word in words.final:
            if self._line and len(self._line) + 1 + len(word.text) > self._width:
                text += self._ended()
            if not self._terminal:
                text += f" {word.text}" if self._line else word.text
            self._line = f"{self._line} {word.text}".strip()
        if words.pause and self._line:
            text += self._ended()
        if self._terminal:
            room = self._width - len(self._line) - 1
            rest = " ".join(word.text for word in words.provisional)
            text += f"{self._line} {DIM}{rest[-room:] if room > 0 else ''}{PLAIN}"
        self._out.write(text)
        self._out.flush()

    def _ended(self) -> str:
        ended, self._line = f"{self._line}\n" if self._terminal else "\n", ""
        return ended
