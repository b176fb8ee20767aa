"""Small films and sound files in containers, made on the spot by FFmpeg's own encoders."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import soundfile as sf

from a3t.audio.output.patches import Patch
from a3t.audio.output.writing import write_edited
from a3t.audio.reading.recording import Recording

FPS = 25
Packet = tuple[bytes, float, bool]


def film(
    path: Path,
    speech: Path,
    codec: str = "aac",
    picture: str | None = "mpeg4",
    *,
    tracks: int = 1,
    later: float = 0.0,
    silent: bool = False,
    steady: bool = True,
    missing: tuple[float, float] | None = None,
    rate: int = 48_000,
    container: str | None = None,
    turned: int = 0,
) -> Path:
    """A file whose sound is that of a mono recording, its picture a few grey frames.

    later: seconds by which the sound begins after the picture; steady: whether frames come at even
    times; missing: seconds [from, to) of the sound that the time stamps leave out. Each further
    track is half as loud as the one before. turned: degrees by which players turn the picture.
    """
    samples, own = sf.read(speech, dtype="float32")
    seconds = len(samples) / own
    with av.open(str(path), "w", format=container) as file:
        if picture:
            stream = file.add_stream(picture, rate=FPS, width=64, height=48, pix_fmt="yuv420p")
            if turned:
                stream.set_display_rotation(turned)
        sounds = []
        for number in range(0 if silent else tracks):
            sound = file.add_stream(codec, rate=rate, layout="mono")
            if number:
                sound.metadata["title"] = f"Microphone {number + 1}"
            sounds.append(sound)
        if picture:
            ticks = 0
            for number in range(int((seconds + later) * FPS)):
                ticks += 1 if steady else (1, 2, 5, 1)[number % 4]
                grey = np.full((48, 64, 3), (number * 40) % 255, np.uint8)
                frame = av.VideoFrame.from_ndarray(grey, format="rgb24")
                frame.pts, frame.time_base = ticks, Fraction(1, FPS)
                file.mux(stream.encode(frame))
            file.mux(stream.encode(None))
        for number, sound in enumerate(sounds):
            put(file, sound, samples * 0.5**number, own, later, missing)
    return path


def put(
    file: Any,
    sound: Any,
    samples: np.ndarray,
    rate: int,
    later: float,
    missing: tuple[float, float] | None,
) -> None:
    context = sound.codec_context
    resampler = av.AudioResampler(context.format.name, "mono", context.sample_rate)
    for first in range(0, len(samples), rate // 50):
        if missing and missing[0] <= first / rate < missing[1]:
            continue
        piece = samples[first : first + rate // 50].reshape(1, -1)
        frame = av.AudioFrame.from_ndarray(piece, format="flt", layout="mono")
        frame.sample_rate, frame.time_base = rate, Fraction(1, rate)
        frame.pts = first + round(later * rate)
        for made in [frame] if missing else resampler.resample(frame):
            file.mux(sound.encode(made))
    file.mux(sound.encode(None))


def packets(path: Path, kind: str = "video") -> list[Packet]:
    """The packets of a file's first stream of a kind: bytes, times in seconds, key frame or not."""
    with av.open(str(path)) as file:
        stream = next(stream for stream in file.streams if stream.type == kind)
        return [
            (bytes(p), float(p.pts * p.time_base), p.is_keyframe)
            for p in file.demux(stream)
            if p.size
        ]


def assert_read_and_kept(recording: Recording, whole: np.ndarray, out: Path) -> None:
    """From whatever sample a recording is read as a whole, and outside an edit it stays so."""
    np.testing.assert_array_equal(recording.read(), whole)
    for start in range(0, recording.samples, recording.samples // 7):
        stop = min(start + 3000, recording.samples)
        np.testing.assert_array_equal(recording.read(start, stop), whole[start:stop])
    write_edited(recording, [Patch((10_000, 11_000), np.zeros((500, 1)))], out)
    edited = Recording.open(out).read()
    np.testing.assert_array_equal(edited[:10_000], whole[:10_000])
    np.testing.assert_array_equal(edited[10_500:], whole[11_000:])


def straight(path: Path, track: int = 0) -> np.ndarray:
    """(n, 1): what FFmpeg decodes of a track, frame by frame from the start."""
    with av.open(str(path)) as file:
        frames = [
            (frame.format.is_planar, frame.to_ndarray()) for frame in file.decode(audio=track)
        ]
    return np.concatenate([x.T if planar else x.reshape(-1, 1) for planar, x in frames])
