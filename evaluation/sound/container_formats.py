"""Each kind of recording edited and written in its own kind.

    python -m evaluation.sound.container_formats

One word of CMU ARCTIC's sentence is replaced (with --fit in films) in each container and codec that
can be written here. What is written is read back (by libsndfile, or by FFmpeg what only that reads)
and compared with what the recording decodes to: outside the edit's spans, sample for sample. Of
films also the picture's packets.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import av
import numpy as np
import soundfile

from a3t.audio.reading.formats import to_float
from a3t.audio.reading.recording import Recording
from a3t.editor import Editor
from a3t.errors import InputError
from a3t.example import RECORDING

OLD = "And you always want to see it in the superlative degree."
NEW = OLD.replace("always", "never")
RATE, FPS = 48_000, 25
# Name, what it is written as, then: soundfile's format and subtype, or FFmpeg's codecs of sound and
# picture.
PLAIN = [
    ("wav", "WAV", "PCM_16"), ("wav", "WAV", "PCM_24"), ("wav", "WAV", "PCM_32"),
    ("wav", "WAV", "FLOAT"), ("w64", "W64", "PCM_24"), ("aiff", "AIFF", "PCM_24"),
    ("flac", "FLAC", "PCM_16"), ("flac", "FLAC", "PCM_24"), ("ogg", "OGG", "VORBIS"),
    ("opus", "OGG", "OPUS"), ("mp3", "MP3", "MPEG_LAYER_III"),
]  # fmt: skip
MUXED = [
    ("m4a", "aac", None), ("m4a", "alac", None), ("mka", "flac", None), ("mp4", "aac", "mpeg4"),
    ("mov", "pcm_s16le", "mpeg4"), ("mov", "aac", "mpeg4"), ("mkv", "flac", "mpeg4"),
    ("mkv", "libopus", "mpeg4"), ("webm", "libopus", "libvpx"), ("webm", "libvorbis", "libvpx"),
]  # fmt: skip


def film(path: Path, sound: np.ndarray, codec: str, picture: str | None) -> None:
    """Sound (n,) at RATE and a grey picture, by FFmpeg's encoders."""
    with av.open(str(path), "w") as file:
        audio = file.add_stream(codec, rate=RATE, layout="mono")
        assert isinstance(audio, av.AudioStream)
        if picture:
            video = file.add_stream(picture, rate=FPS, width=64, height=48, pix_fmt="yuv420p")
            assert isinstance(video, av.VideoStream)
            for number in range(round(len(sound) / RATE * FPS)):
                grey = np.full((48, 64, 3), (number * 40) % 255, np.uint8)
                file.mux(video.encode(av.VideoFrame.from_ndarray(grey, format="rgb24")))
            file.mux(video.encode(None))
        assert audio.codec_context.format
        turned = av.AudioResampler(audio.codec_context.format.name, "mono", RATE)
        for first in range(0, len(sound), RATE // 50):
            piece = sound[first : first + RATE // 50].astype(np.float32).reshape(1, -1)
            frame = av.AudioFrame.from_ndarray(piece, format="flt", layout="mono")
            frame.sample_rate, frame.pts = RATE, first
            for made in turned.resample(frame):
                file.mux(audio.encode(made))
        file.mux(audio.encode(None))


def packets(path: Path) -> list[bytes]:
    """The picture's."""
    with av.open(str(path)) as file:
        pictures = file.streams.video
        return [bytes(p) for p in file.demux(pictures[0]) if p.size] if pictures else []


def checked(editor: Editor, source: Path, out: Path, alignment: object) -> str:
    """What is equal between a recording and its edit, in words."""
    recording = Recording.open(source)
    fit = bool(packets(source))
    result = editor.edit(
        recording, text=OLD, new_text=NEW, alignment=alignment, fit=fit, verify=False
    )
    result.save(out)
    before, after = to_float(recording.read()), to_float(Recording.open(out).read())
    place, worst = 0, 0.0
    equal = result.map.samples.output_length == len(after)
    for kept in result.map.samples.kept():
        one, other = before[slice(*kept.source)], after[slice(*kept.output)]
        equal &= one.shape == other.shape and np.array_equal(one, other)
        if one.shape == other.shape and len(one):
            worst = max(worst, float(np.sqrt(np.mean(np.square(one - other)))))
        place = kept.output[1]
    level = 20 * np.log10(max(worst, 1e-9) / np.sqrt(np.mean(np.square(before))))
    assert place == result.map.samples.output_length
    said = "equal" if equal else f"encoded again, {-level:.0f} dB below the speech"
    if pictures := packets(source):
        written = packets(out)
        same = "identical" if pictures == written else "NOT identical" if written else "left out"
        said += f" | {len(pictures)} packets, {same}"
    else:
        said += " | "
    return said


def main() -> int:
    sound, rate = soundfile.read(RECORDING)
    import soxr

    sound = soxr.resample(sound, rate, RATE)
    editor = Editor.load()
    print("| in | written as | outside the edit | picture |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        soundfile.write(folder / "plain.wav", sound, RATE)
        alignment = editor.align(folder / "plain.wav", OLD)
        for ending, kind, codec in [*PLAIN, *MUXED]:
            source = folder / f"in.{ending}"
            try:
                if (ending, kind, codec) in PLAIN:
                    soundfile.write(source, sound, RATE, format=kind, subtype=codec)
                    label = f"{ending.upper()}, {codec}"
                else:
                    film(source, sound, kind, codec)
                    label = f"{ending.upper()}, {kind}"
            except (av.FFmpegError, soundfile.LibsndfileError, ValueError) as error:
                print(f"| {ending}, {kind} | can't be made here: {error} | | |")
                continue
            for target in dict.fromkeys((ending, "wav", *(["mov"] if packets(source) else []))):
                out = folder / f"out.{target}"
                try:
                    print(f"| {label} | {target} | {checked(editor, source, out, alignment)} |")
                except InputError as error:
                    print(f"| {label} | {target} | refused: {error} | |")
                for file in folder.glob("out*"):
                    file.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
