"""The coding of a lossy recording (MP3, AAC, Opus), given to a patch.

A codec of few bits leaves its own holes and roughness in a spectrum. A patch without them stands
out, so it is coded once like the recording: by the same codec, at the same bit rate, between the
recording's own sound.
"""

from __future__ import annotations

import io
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, cast

import numpy as np
import soundfile

from a3t.audio.output.patches import Patch
from a3t.audio.reading.containers import audio_stream
from a3t.audio.reading.formats import to_float
from a3t.audio.reading.recording import Recording
from a3t.audio.splicing.crossfades import FADE_MS

if TYPE_CHECKING:
    from av.audio.stream import AudioStream

ENCODERS = {"mp3": "libmp3lame", "aac": "aac", "opus": "libopus"}
CELT = 24_000  # bits a second of a channel from which Opus needs no SILK, which dims the top
HIGHEST = 160_000  # bits a second of a channel: above, coding leaves nothing to be heard
CONTEXT = 0.5  # seconds of the recording on either side, which set the encoder going
MOST_DELAY = 0.2  # seconds that a codec may delay the sound
ALIKE = 0.7  # the least correlation of a patch with its coded self


def coded_like(recording: Recording, patch: Patch) -> Patch:
    """The patch as the recording's own codec leaves it; as it was if that codec is lossless,
    of high bit rate, or none that FFmpeg's libraries encode. Its ends stay the recording's."""
    found = lossy_coding(recording)
    if found is None or not len(patch.samples):
        return patch
    rate, context = recording.sample_rate, round(CONTEXT * recording.sample_rate)
    first, last = patch.source
    before = to_float(recording.read(max(0, first - context), first))
    after = to_float(recording.read(last, min(recording.samples, last + context)))
    whole = np.concatenate([before, patch.samples, after])
    coded = _in_step(_coded(whole, rate, *found), whole, round(MOST_DELAY * rate))
    if coded is None:
        return patch
    here = slice(len(before), len(before) + len(patch.samples))
    fade = max(1, min(round(FADE_MS * rate / 1000), len(patch.samples) // 2))
    place = np.arange(len(patch.samples)) + 0.5
    share = np.clip(np.minimum(place, place[::-1]) / fade, 0.0, 1.0)[:, None]
    return replace(patch, samples=patch.samples * (1 - share) + coded[here] * share)


def lossy_coding(recording: Recording) -> tuple[str, int] | None:
    """FFmpeg's name of the encoder for a recording, and its bits a second; None if there is no
    need of one."""
    import av

    if not recording.format.is_float:  # what is decoded from a lossy codec are floats
        return None
    try:
        with av.open(str(recording.path)) as container:
            stream, _ = audio_stream(container, recording.path, recording.track)
            encoder = ENCODERS.get(stream.codec_context.codec.canonical_name)
            bits = stream.bit_rate or container.bit_rate or 0
    except (av.error.FFmpegError, OSError):
        return None
    if encoder is None or not 0 < bits < HIGHEST * recording.channels:
        return None
    rates = av.codec.Codec(encoder, "w").audio_rates
    return (encoder, bits) if rates is None or recording.sample_rate in rates else None


def _coded(samples: np.ndarray, rate: int, encoder: str, bits: int) -> np.ndarray:
    """The samples (n, channels), encoded and decoded: (m, channels), with the codec's delay."""
    import av

    layout = {1: "mono", 2: "stereo"}.get(samples.shape[1], f"{samples.shape[1]} channels")
    file, opus = io.BytesIO(), encoder == ENCODERS["opus"]
    with av.open(file, "w", format="ogg" if opus else "matroska") as target:
        celt = opus and bits >= CELT * samples.shape[1]
        options = {"application": "lowdelay"} if celt else {}
        stream = cast(
            "AudioStream", target.add_stream(encoder, rate=rate, layout=layout, options=options)
        )
        stream.bit_rate = bits
        packed = np.ascontiguousarray(samples, np.float32).reshape(1, -1)
        frame = av.AudioFrame.from_ndarray(packed, "flt", layout)
        frame.sample_rate, frame.time_base, frame.pts = rate, Fraction(1, rate), 0
        target.mux(stream.encode(frame))
        target.mux(stream.encode(None))
    file.seek(0)
    if opus:  # FFmpeg decodes it at 48 kHz alone, and resampling has a slope
        return np.asarray(soundfile.read(file, always_2d=True)[0])
    with av.open(file, "r") as source:
        resampler = av.AudioResampler("flt", layout, rate)
        frames = [out for each in source.decode(audio=0) for out in resampler.resample(each)]
        frames += resampler.resample(None)
    pieces = [frame.to_ndarray().reshape(-1, samples.shape[1]) for frame in frames]
    return np.concatenate(pieces).astype(np.float64) if pieces else np.empty((0, samples.shape[1]))


def _in_step(coded: np.ndarray, samples: np.ndarray, most: int) -> np.ndarray | None:
    """The coded samples moved by at most ``most`` to where they are most like the others, and as
    many; None if they are not alike anywhere."""
    mono, other = samples.mean(axis=1), coded.mean(axis=1)
    size = 1 << (len(mono) + len(other) + 2 * most).bit_length()
    spectrum = np.fft.rfft(other, size) * np.conj(np.fft.rfft(mono, size))
    agreement = np.fft.irfft(spectrum, size)
    lags = np.r_[np.arange(most + 1), np.arange(-most, 0)]
    lag = int(lags[np.argmax(agreement[lags])])
    moved = np.zeros_like(samples)
    start, stop = max(0, -lag), min(len(samples), len(coded) - lag)
    if start >= stop:
        return None
    moved[start:stop] = coded[start + lag : stop + lag]
    power = float(np.sqrt(np.square(mono).sum() * np.square(moved.mean(axis=1)).sum()))
    return moved if power > 0 and float(agreement[lag]) > ALIKE * power else None
