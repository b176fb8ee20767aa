"""Speech as the bytes of a sound file, in the formats that OpenAI's clients ask for."""

from __future__ import annotations

import io

import numpy as np
import soundfile

MEDIA_TYPES = {
    "mp3": "audio/mpeg",
    "opus": "audio/ogg",
    "aac": "audio/aac",
    "flac": "audio/flac",
    "wav": "audio/wav",
    "pcm": "audio/pcm",
}
FORMATS = {
    "mp3": ("MP3", "MPEG_LAYER_III"),
    "opus": ("OGG", "OPUS"),
    "flac": ("FLAC", "PCM_16"),
    "wav": ("WAV", "PCM_16"),
}


def encoded(samples: np.ndarray, sample_rate: int, kind: str) -> bytes:
    """Mono float samples (n,), full scale at 1, as a file of one of MEDIA_TYPES.

    pcm: 16-bit little-endian samples without a header. Limited, not clipped.
    """
    loudest = float(np.abs(samples).max(initial=0.0))
    samples = np.asarray(samples * min(1.0, 0.99 / max(loudest, 1e-9)), np.float32)
    if kind == "pcm":
        return (samples * 32767).round().astype("<i2").tobytes()
    file = io.BytesIO()
    if kind == "aac":
        _write_aac(file, samples, sample_rate)
    else:
        container, subtype = FORMATS[kind]
        soundfile.write(file, samples, sample_rate, subtype=subtype, format=container)
    return file.getvalue()


def _write_aac(file: io.BytesIO, samples: np.ndarray, sample_rate: int) -> None:
    import av

    with av.open(file, "w", format="adts") as target:
        stream = target.add_stream("aac", rate=sample_rate, layout="mono")
        frame = av.AudioFrame.from_ndarray(samples.reshape(1, -1), "flt", "mono")
        frame.sample_rate, frame.pts = sample_rate, 0
        target.mux(stream.encode(frame))  # type: ignore[union-attr, arg-type]
        target.mux(stream.encode(None))  # type: ignore[union-attr]
