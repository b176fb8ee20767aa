"""OpenAI's formats: chat text, transcriptions, and speech as sound files."""

from __future__ import annotations

import io
import json
import math
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import soundfile

from a3t.audio.output.writing import pcm16, stream_header
from a3t.text.transcript import Transcript
from alignment import Alignment
from alignment.formats.subtitles import cues_of, subtitles
from alignment.serialisation import to_json

EVENTS = "text/event-stream"
UNTIMED = ("json", "text")  # formats of a transcription
MEDIA_TYPES = {
    "mp3": "audio/mpeg",
    "opus": "audio/ogg",
    "aac": "audio/aac",
    "flac": "audio/flac",
    "wav": "audio/wav",
    "pcm": "audio/pcm",
}
# FFmpeg's names of the container and the codec.
ENCODED = {"mp3": ("mp3", "libmp3lame"), "opus": ("ogg", "libopus"), "aac": ("adts", "aac")}


def answer(said: Transcript, aligned: Alignment | None, kind: str, words: bool) -> Any:
    """Return an answer's body in one of OpenAI's formats: text, or what becomes JSON.

    words: whether verbose_json lists the words' times too.
    """
    if kind == "json":
        return {"text": said.text.strip()}
    if kind == "text" or aligned is None:
        return f"{said.text.strip()}\n"
    if kind != "verbose_json":
        return subtitles(aligned, said.shown, vtt=kind == "vtt")
    segments = [
        to_json(_segment(number, start, end, text, aligned))
        for number, (start, end, text) in enumerate(cues_of(aligned.spoken, said.shown))
    ]
    timed = [{"word": word.text, "start": word.start, "end": word.end} for word in aligned.spoken]
    return {
        "task": "transcribe",
        "language": "english",
        "duration": aligned.duration,
        "text": said.text.strip(),
        "segments": segments,
        **({"words": timed} if words else {}),
    }


def transcript_events(said: Transcript) -> str:
    """Return the server-sent events of a streamed transcription: a delta a line, then the text."""
    text = said.text.strip()
    events = [
        {"type": "transcript.text.delta", "delta": line} for line in text.splitlines(keepends=True)
    ]
    events.append({"type": "transcript.text.done", "text": text})
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events)


@dataclass(frozen=True)
class Segment:
    """A segment with the fields that OpenAI's clients expect; there are no tokens here."""

    id: int
    start: float
    end: float
    text: str
    avg_logprob: float
    compression_ratio: float
    seek: int = 0
    tokens: tuple[int, ...] = ()
    temperature: float = 0.0
    no_speech_prob: float = 0.0  # a3t keeps no words where nothing is heard


def _segment(number: int, start: float, end: float, text: str, aligned: Alignment) -> Segment:
    scores = [word.score for word in aligned.spoken if start <= word.start < end]
    sure = sum(scores) / len(scores) if scores else 1.0
    data = text.encode()
    ratio = round(len(data) / len(zlib.compress(data)), 4)
    return Segment(number, start, end, text, round(math.log(max(sure, 1e-6)), 4), ratio)


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
        """Return the bytes that can be sent once these samples (n,) follow."""
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
        """Return the bytes that end the file."""
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
        """Return the bytes written since the last call."""
        found = self.getvalue()
        self.seek(0)
        self.truncate()
        return found
