"""Writing sound into a container, together with the recording's picture, other tracks and texts.

Packets of what is not edited are copied, not decoded: a picture is bit for bit what it was. MOV and
Matroska hold the samples as they are; MP4, M4A and WebM hold them encoded (AAC, Opus), which
changes them all a little.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import numpy as np

from a3t.audio.output.chapters import Chapter, for_container
from a3t.audio.output.metadata import as_unicode, decoded_texts
from a3t.audio.reading.containers import (
    FFMPEG_NAMES,
    audio_stream,
    decoded_track,
    is_moving,
    opened_container,
)
from a3t.audio.reading.formats import Native, SampleFormat, to_float
from a3t.audio.reading.recording import Recording
from a3t.errors import InputError

if TYPE_CHECKING:
    from av.audio.stream import AudioStream
    from av.container import InputContainer, OutputContainer
    from av.stream import Stream

FORMATS = {
    ".mp4": "mp4",
    ".m4v": "mp4",
    ".m4a": "ipod",
    ".mov": "mov",
    ".mkv": "matroska",
    ".mka": "matroska",
    ".webm": "webm",
}
# Codecs of other tracks that players of MP4 and MOV know; FFmpeg writes a few more, or fails.
KNOWN_BESIDE = {
    "mov": ("aac", "alac", "mp3", "ac3", "eac3"),
    "mp4": ("aac", "alac", "mp3", "ac3", "eac3", "flac", "opus"),
}
SOUND_ONLY = (".m4a", ".mka")
CONTAINER_ENCODERS = {"mp4": "aac", "ipod": "aac", "webm": "libopus"}
FRAME_FORMATS = {"int16": "s16", "int32": "s32", "float32": "flt", "float64": "dbl"}  # interleaved
CHANNEL_LAYOUTS = ("mono", "stereo", "2.1", "4.0", "5.0", "5.1", "6.1", "7.1")
BITS_PER_S = 128_000  # of each channel, of the encoders


def muxed_format(out: Path) -> str | None:
    """Return FFmpeg's name of the container that ``out`` is; None for a plain sound file."""
    return FORMATS.get(out.suffix.lower())


def codec_in(recording: Recording, out: Path) -> str:
    """Return FFmpeg's name of the codec that holds the samples there; InputError if none can."""
    codec = CONTAINER_ENCODERS.get(FORMATS[out.suffix.lower()])
    if codec is None:
        return _plain_codec(recording.format)
    import av

    if recording.sample_rate not in (av.codec.Codec(codec, "w").audio_rates or ()):
        raise InputError(
            f"{out} can't hold sound at {recording.sample_rate} Hz: use a name that ends in .mov "
            "or .mkv."
        )
    return codec


def encoded_again(out: Path) -> str | None:
    """Return the codec that encodes a file of this name; None if it keeps every sample."""
    return CONTAINER_ENCODERS.get(muxed_format(out) or "")


def is_exact(codec: str) -> bool:
    """Return whether a codec keeps every sample."""
    return codec.startswith("pcm_")


def pictures_a_second(recording: Recording) -> Fraction | None:
    """Return the pictures a second of the film that a recording is the sound of, or None."""
    if recording.track is None:
        return None
    decoded = decoded_track(recording.path, recording.track)
    return decoded.pictures if decoded else None


def picture_size(recording: Recording) -> tuple[int, int] | None:
    """Return the width and height in pixels in which a recording's film is shown.

    A film that was taken upright lies on its side in the file, with a matrix that turns it.
    """
    decoded = decoded_track(recording.path, recording.track) if recording.track else None
    if decoded is None or decoded.size is None:
        return None
    return decoded.size[::-1] if _is_turned(recording.path) else decoded.size


def _is_turned(path: Path) -> bool:
    """Return whether a film's first picture is shown a quarter turned; False if none is decoded."""
    import av

    with path.open("rb") as raw, opened_container(raw) as container:
        film = next(filter(is_moving, container.streams.video))
        try:
            picture = next(container.decode(film), None)
        except av.FFmpegError:
            return False
    return picture is not None and round(picture.rotation / 90) % 2 == 1


def picture_lead(recording: Recording) -> float | None:
    """Return how many seconds of a film precede its sound; None if the recording is of no film."""
    if recording.track is None:
        return None
    decoded = decoded_track(recording.path, recording.track)
    return decoded.start if decoded and decoded.pictures else None


def keeps_picture(recording: Recording, out: Path) -> bool:
    """Return whether ``out`` will hold the recording's picture."""
    kept = muxed_format(out) is not None and out.suffix.lower() not in SOUND_ONLY
    return kept and pictures_a_second(recording) is not None


def check_in_sync(recording: Recording, samples: int, out: Path) -> None:
    """Raise InputError if an edit changes the length of a sound whose picture is kept."""
    if samples != recording.samples and keeps_picture(recording, out):
        by = (samples - recording.samples) / recording.sample_rate
        change = "longer" if by > 0 else "shorter"
        raise InputError(
            f"The edit makes the sound {abs(by):.2f} s {change}, and the picture "
            "would no longer match it: give the new words the time of the old ones (fit), or "
            "write the sound alone, as .wav, and its cut list for a video editor."
        )


def write_muxed(
    recording: Recording,
    blocks: Iterable[Native],
    path: Path,
    out: Path,
    texts: Mapping[str, bytes],
    chapters: Sequence[Chapter] = (),
) -> None:
    """Write the sound of `blocks` to `path`, as a container of the kind that `out` names.

    Of the recording's own container everything else is copied packet by packet: the picture, other
    tracks, subtitles, chapters and texts, as far as the new one can hold them. Raises InputError if
    it can't hold the picture, OSError if there is no room.
    """
    import av

    try:
        with ExitStack() as stack:
            file = stack.enter_context(path.open("wb+"))
            _mux(recording, blocks, file, out, texts, chapters, stack)
    except av.error.FFmpegError as error:
        if isinstance(error, OSError):
            raise
        raise InputError(
            f"{out} could not be written ({error.strerror}): use a name that ends in .mkv or .wav."
        ) from error


def _mux(
    recording: Recording,
    blocks: Iterable[Native],
    file: BinaryIO,
    out: Path,
    texts: Mapping[str, bytes],
    chapters: Sequence[Chapter],
    stack: ExitStack,
) -> None:
    import av

    options = {"fflags": "+bitexact"}
    target = av.open(file, "w", format=FORMATS[out.suffix.lower()], options=options)
    stack.enter_context(target)
    source: InputContainer | None = None
    start = 0.0
    if recording.track is not None:
        raw = stack.enter_context(recording.path.open("rb"))
        source = stack.enter_context(opened_container(raw))
        decoded = decoded_track(recording.path, recording.track)
        start = decoded.start if decoded else 0.0
        target.metadata.update(as_unicode(source.metadata))
    target.metadata.update(
        {FFMPEG_NAMES.get(name, name): text for name, text in decoded_texts(texts).items()}
    )
    sound: _SoundStream | None = None
    copied: dict[Any, Any] = {}
    if source is not None:
        recorded = audio_stream(source, recording.path, recording.track)[0]
        for stream in source.streams:  # each keeps its number
            if stream.index == recorded.index:
                sound = _SoundStream(target, recording, codec_in(recording, out), start)
                sound.stream.metadata.update(as_unicode(recorded.metadata))
            elif copy := _copied(stream, target, recording.path, out):
                copied[stream] = copy
    if chapters:
        target.set_chapters(for_container(chapters, recording.sample_rate, start))
    sound = sound or _SoundStream(target, recording, codec_in(recording, out), start)
    try:
        target.start_encoding()
    except av.error.FFmpegError:  # a picture's codec that this container knows by no name
        raise _cannot_hold(out, recording.path) from None
    frames = sound.packets(blocks)
    for packet in _timed_packets(source, list(copied)) if source and copied else ():
        while sound.seconds < packet.dts * packet.time_base and (made := next(frames, None)):
            target.mux(made)
        packet.stream = copied[packet.stream]
        target.mux(packet)
    for made in frames:
        target.mux(made)


def _timed_packets(source: InputContainer, streams: Sequence[Any]) -> Iterator[Any]:
    """Yield the streams' packets, each with a time of decoding.

    Matroska leaves out those of the first few pictures, which come before the others by a picture's
    length each.
    """
    waiting: dict[int, list[Any]] = {stream.index: [] for stream in streams}
    for packet in source.demux(streams):
        if not packet.size:  # the end of a stream
            continue
        early = waiting[packet.stream.index]
        if packet.dts is None:
            early.append(packet)
            continue
        for before, other in enumerate(reversed(early), 1):
            other.dts = packet.dts - before * max(other.duration or 0, 1)
        yield from early
        early.clear()
        yield packet
    for early in waiting.values():  # streams without any such time
        for packet in early:
            packet.dts = packet.pts
            yield packet


def _cannot_hold(out: Path, path: Path) -> InputError:
    return InputError(f"{out} can't hold the picture of {path.name}: use a name that ends in .mkv.")


def _copied(stream: Stream, target: OutputContainer, path: Path, out: Path) -> Stream | None:
    """Return the stream that one of the recording's becomes; None if it is left out."""
    if stream.type not in ("video", "audio", "subtitle"):
        return None
    if out.suffix.lower() in SOUND_ONLY and stream.type != "audio":
        return None
    codec = stream.codec_context.name if stream.codec_context else "unknown"
    known = KNOWN_BESIDE.get(target.format.name)
    if known and stream.type == "audio" and codec not in known and not is_exact(codec):
        return None
    try:
        copy = target.add_stream_from_template(stream)
    except ValueError:
        if stream.type == "video" and is_moving(stream):
            raise _cannot_hold(out, path) from None
        return None
    copy.metadata.update(as_unicode(stream.metadata))
    copy.disposition = stream.disposition
    return copy


class _SoundStream:
    """The edited track of a new container."""

    def __init__(
        self, target: OutputContainer, recording: Recording, codec: str, start: float
    ) -> None:
        self.layout, self.rate = CHANNEL_LAYOUTS[recording.channels - 1], recording.sample_rate
        self.stream = cast(
            "AudioStream", target.add_stream(codec, rate=self.rate, layout=self.layout)
        )
        self.exact = is_exact(codec)
        if not self.exact:
            self.stream.bit_rate = BITS_PER_S * recording.channels
        self.place = round(start * self.rate)

    @property
    def seconds(self) -> float:
        """The seconds written so far, on the container's clock."""
        return self.place / self.rate

    def packets(self, blocks: Iterable[Native]) -> Iterator[Any]:
        """Yield the encoded packets, a list for each block."""
        import av

        for block in blocks:
            samples = block if self.exact else to_float(block).astype(np.float32)
            packed = np.ascontiguousarray(samples).reshape(1, -1)
            frame = av.AudioFrame.from_ndarray(
                packed, FRAME_FORMATS[samples.dtype.name], self.layout
            )
            frame.sample_rate, frame.time_base = self.rate, Fraction(1, self.rate)
            frame.pts = self.place
            self.place += len(block)
            yield self.stream.encode(frame)
        yield self.stream.encode(None)


def _plain_codec(kind: SampleFormat) -> str:
    if kind.is_float:
        return "pcm_f32le" if kind.dtype == "float32" else "pcm_f64le"
    return {8: "pcm_s16le", 16: "pcm_s16le", 24: "pcm_s24le"}.get(kind.bits or 0, "pcm_s32le")
