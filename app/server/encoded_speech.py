"""Speech as the bytes of a sound file, piece by piece, in the formats that OpenAI's clients ask
for."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import soundfile

from a3t.audio.output.speech import pcm16, stream_header

MEDIA_TYPES = {
    "mp3": "audio/mpeg",
    "opus": "audio/ogg",
    "aac": "audio/aac",
    "flac": "audio/flac",
    "wav": "audio/wav",
    "pcm": "audio/pcm",
}
# FFmpeg's names of the container and the codec.
ENCODED = {
    "mp3": ("mp3", "libmp3lame"),
    "opus": ("ogg", "libopus"),
    "aac": ("adts", "aac"),
}


class SpeechEncoder:
    """Mono float samples, full scale at 1, as a file of one of MEDIA_TYPES.

    pcm: 16-bit little-endian samples without a header. What is louder than full scale is clipped,
    since what follows isn't known when a piece is sent. flac: sent at the end, since it begins with
    its length, without which many programs don't read it.
    """

    def __init__(self, kind: str, sample_rate: int) -> None:
        import av

        self._sink = _Sink()
        self._target = None
        if kind in ENCODED:
            container, codec = ENCODED[kind]
            self._target = av.open(self._sink, "w", container, options={"flush_packets": "1"})
            stream: Any = self._target.add_stream(codec, rate=sample_rate, layout="mono")
            self._stream = stream
        elif kind == "wav":
            self._sink.write(stream_header(sample_rate))
        self._kind, self._rate, self._written = kind, sample_rate, 0
        self._pieces: list[np.ndarray] = []

    def add(self, samples: np.ndarray) -> bytes:
        """The bytes that can be sent once these samples (n,) follow."""
        from av import AudioFrame

        if self._kind == "flac":
            self._pieces.append(samples)
            return b""
        if self._target is None:
            return self._sink.taken() + pcm16(samples)
        sound = np.clip(samples, -1.0, 1.0).astype(np.float32)[None]
        frame = AudioFrame.from_ndarray(sound, "flt", "mono")
        frame.sample_rate, frame.pts = self._rate, self._written
        self._written += len(samples)
        self._target.mux(self._stream.encode(frame))
        return self._sink.taken()

    def end(self) -> bytes:
        """The bytes that end the file."""
        if self._kind == "flac":
            file = io.BytesIO()
            sound = np.clip(np.concatenate(self._pieces), -1.0, 1.0)
            soundfile.write(file, sound, self._rate, "PCM_16", format="FLAC")
            return file.getvalue()
        if self._target is not None:
            self._target.mux(self._stream.encode(None))
            self._target.close()
        return self._sink.taken()


class _Sink(io.BytesIO):
    """The file being written; what was sent can't be changed any more."""

    def seekable(self) -> bool:
        return False

    def taken(self) -> bytes:
        """The bytes written since the last call."""
        found = self.getvalue()
        self.seek(0)
        self.truncate()
        return found
