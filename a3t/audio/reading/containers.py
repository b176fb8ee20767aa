"""Sound in the containers that libsndfile doesn't read: MP4, MOV, Matroska, WebM, AVI and so on.

FFmpeg's libraries, which PyAV brings along, decode a track once from its start, whole, into a
temporary file without a name; from then on it is read like any other recording. What is decoded is
what a player plays from the start: an encoder's padding is left out, and where the time stamps say
that sound is missing there is silence, so that sound and picture stay together.

Write decoded sound, frame by frame, to a file of plain samples.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from a3t.audio.reading.formats import Native, corrected, sample_format
from a3t.errors import InputError

if TYPE_CHECKING:
    from av.audio.codeccontext import AudioCodecContext
    from av.audio.frame import AudioFrame
    from av.audio.stream import AudioStream
    from av.container import InputContainer
    from av.stream import Stream
    from av.video.stream import VideoStream


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


# Demuxers that read nothing but the file they are given (a playlist would open others).
DEMUXERS = (
    "aac,ac3,aiff,amr,ape,asf,avi,caf,eac3,flac,flv,matroska,mov,mp3,mpeg,mpegts,mxf,ogg,tta,wav,wv"
)
TIMED = ("mov", "matroska")  # containers whose stated length is exact
PROTECTED = ("drms", "drmi", "enca", "encv", "p608")  # names of encrypted tracks in an MP4
USUAL_PICTURES, MOST_PICTURES = Fraction(30), 1000  # a second
SHORT = 1.0  # seconds, and share, that may be missing at the end
SHORT_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class Track:
    """One of a file's tracks of sound. number: from 1; language and title may be empty."""

    number: int
    codec: str
    channels: int
    language: str
    title: str

    def __str__(self) -> str:
        about = [self.title, self.language, self.codec, f"{self.channels} ch"]
        return f"{self.number} ({', '.join(filter(None, about))})"


@dataclass(frozen=True)
class DecodedTrack:
    """A track's sound: (n, channels) samples in the native dtype of `subtype`.

    subtype: libsndfile's name for what holds the samples, the codec's for a lossy one; container:
    the demuxer's name. start: when the samples begin in the file's own time, in seconds: where a
    film's sound begins late, there is silence before it. tracks:
    all of the file's. texts: the file's own, by libsndfile's names. pictures: how many a second a
    film has, on average; None without a video stream.
    """

    samples: Native
    sample_rate: int
    subtype: str
    container: str
    start: float
    number: int
    tracks: tuple[Track, ...]
    texts: dict[str, str]
    pictures: Fraction | None


@dataclass
class TrackReader:
    """A decoded track in the form of a `SoundFile` that is open for reading."""

    track: DecodedTrack
    can_seek: bool = True
    place: int = field(default=0, init=False)

    @property
    def samplerate(self) -> int:
        return self.track.sample_rate

    @property
    def channels(self) -> int:
        return int(self.track.samples.shape[1])

    @property
    def frames(self) -> int:
        return len(self.track.samples)

    @property
    def subtype(self) -> str:
        return self.track.subtype

    @property
    def format(self) -> str:
        return self.track.container

    def seek(self, place: int) -> int:
        self.place = place
        return place

    def read(self, length: int, dtype: str, always_2d: bool = True) -> Native:
        """Up to ``length`` samples (n, channels), which must be asked for in their own dtype."""
        found = np.array(self.track.samples[self.place : self.place + length])
        if found.dtype != dtype:
            raise ValueError(f"{dtype} is not the track's own {found.dtype}")
        self.place += len(found)
        return found

    def text(self, name: str) -> bytes:
        """A text of the file, by libsndfile's name for it; empty if there is none."""
        return self.track.texts.get(name, "").encode("utf-8", "surrogateescape")


def decoded_track(path: Path, number: int | None = None) -> DecodedTrack | None:
    """Track ``number`` of a file (from 1; by default the one that its maker marked, else the
    first), decoded; None if the file is no container of sound or pictures.

    Kept for as long as no two other tracks were asked for. Raises InputError, in one sentence, for
    a file without sound, without this track, cut off, protected or broken.
    """
    import av

    with path.open("rb") as raw:
        try:
            with opened_container(raw) as container:
                number = audio_stream(container, path, number)[1]
        except av.error.InvalidDataError:
            if is_mp4(path):
                raise InputError(
                    f"{path} is cut off or broken (its index can't be read): copy or download it "
                    "again."
                ) from None
            return None
        except (av.error.FFmpegError, EOFError):
            return None
    stat = path.stat()
    return _decoded(path, (stat.st_ino, stat.st_size, stat.st_mtime_ns), number)


@lru_cache(maxsize=2)
def _decoded(path: Path, identity: tuple[int, ...], number: int) -> DecodedTrack:
    with corrected(path) as raw, opened_container(raw) as container:
        return _decode(container, path, number)


def stated_seconds(path: Path) -> float | None:
    """The seconds that a container states; None for what is no container of sound, infinity where
    it doesn't say."""
    import av

    with path.open("rb") as raw:
        try:
            with opened_container(raw) as container:
                sound = bool(container.streams.audio)
                return (container.duration or float("inf")) / 1e6 if sound else None
        except (av.error.FFmpegError, EOFError):
            return None


def opened_container(raw: BinaryIO) -> InputContainer:
    """PyAV's container of an open file, which is judged by its content, not by its name."""
    import av

    class Nameless:
        read, seek, tell = raw.read, raw.seek, raw.tell

    options = {"format_whitelist": DEMUXERS, "protocol_whitelist": ""}
    return av.open(Nameless(), "r", options=options, metadata_errors="surrogateescape")


def is_mp4(path: Path) -> bool:
    """True if a file begins as MP4 and MOV files do."""
    with path.open("rb") as raw:
        return raw.read(12)[4:8] in (b"ftyp", b"moov", b"mdat", b"wide", b"free")


def audio_stream(
    container: InputContainer, path: Path, number: int | None = None
) -> tuple[AudioStream, int]:
    """A container's stream of sound with this number (see `decoded_track`), and the number."""
    streams = container.streams.audio
    if not streams:
        raise InputError(f"{path} has no sound: use a file with a track of speech.")
    if number is None:
        marked = [k for k, stream in enumerate(streams) if "default" in str(stream.disposition)]
        number = (marked or [0])[0] + 1
    if not 1 <= number <= len(streams):
        raise InputError(
            f"{path} has no track {number}: it has {_listed(_tracks(container))}; name one of them."
        )
    return streams[number - 1], number


def _tracks(container: InputContainer) -> tuple[Track, ...]:
    return tuple(
        Track(
            number,
            stream.codec_context.name if stream.codec_context else "unknown",
            stream.codec_context.channels if stream.codec_context else 0,
            "" if stream.language in (None, "und") else str(stream.language),
            stream.metadata.get("title", "")[:60],
        )
        for number, stream in enumerate(container.streams.audio, 1)
    )


def _listed(tracks: tuple[Track, ...]) -> str:
    several = f"{len(tracks)} tracks of sound" if len(tracks) > 1 else "one track of sound"
    return f"{several}, {', '.join(map(str, tracks))}"


def several_tracks(track: DecodedTrack, path: Path) -> str | None:
    """A sentence that names the track in use; None if the file has only one."""
    if len(track.tracks) < 2:
        return None
    return f"{path} has {_listed(track.tracks)}. Track {track.number} is used (--track N)."


def _decode(container: InputContainer, path: Path, number: int) -> DecodedTrack:
    import av

    stream, _ = audio_stream(container, path, number)
    context = stream.codec_context
    if context is None:
        raise InputError(f"{path} has audio that a3t can't read: convert it to WAV.")
    if _tag(context) in PROTECTED:
        raise InputError(
            f"{path} is protected against copying (DRM): use a recording without protection."
        )
    tracks = _tracks(container)
    with tempfile.TemporaryFile() as room:
        writer = TrackWriter(path, room, (container.start_time or 0) / 1e6)
        latest = 0.0
        try:
            for packet in container.demux():
                if packet.pts is not None and packet.time_base is not None:
                    stop = packet.pts + (packet.duration or 0)
                    latest = max(latest, float(stop * packet.time_base))
                if packet.stream.index == stream.index:
                    for frame in packet.decode():
                        writer.add(frame)  # type: ignore[arg-type]
        except (av.error.FFmpegError, EOFError):
            raise InputError(
                f"{path} is broken or protected {writer.seconds:.1f} s from its start: copy or "
                "download it again."
            ) from None
        if not writer.count:
            raise InputError(f"{path} is empty (it has no samples): record it again.")
        _check_length(container, path, latest)
        samples = writer.samples(_stated_samples(container, stream, writer.rate))
    return DecodedTrack(
        samples,
        writer.rate,
        writer.subtype(context.name),
        container.format.name.split(",")[0].upper(),
        writer.start,
        number,
        tracks,
        {name.lower(): text for name, text in container.metadata.items()},
        next(map(_pictures, filter(is_moving, container.streams.video)), None),
    )


def _tag(context: AudioCodecContext) -> str:
    """A codec's four letters; in a WAV they are a number, and may be no text."""
    try:
        return context.codec_tag.lower()
    except UnicodeDecodeError:
        return ""


def _pictures(stream: VideoStream) -> Fraction:
    """The pictures a second; 30 where a file states none, or an impossible number."""
    stated = stream.average_rate or stream.guessed_rate or USUAL_PICTURES
    return stated if 1 <= stated <= MOST_PICTURES else USUAL_PICTURES


def is_moving(stream: Stream) -> bool:
    """True if a stream of pictures is a film, not a cover."""
    from av.stream import Disposition

    return not stream.disposition & Disposition.attached_pic


def _check_length(container: InputContainer, path: Path, latest: float) -> None:
    """InputError if the last packet ends long before what a container says of its length."""
    if container.format.name.split(",")[0] not in TIMED or not container.duration:
        return
    stated = container.duration / 1e6
    if latest < stated - max(SHORT, SHORT_SHARE * stated):
        raise InputError(
            f"{path} is cut off {latest:.1f} s from its start, of {stated:.1f} s: copy or download "
            "it again."
        )


def _stated_samples(container: InputContainer, stream: AudioStream, rate: int) -> int | None:
    """The length that an MP4 states of its track, which leaves out the encoder's padding."""
    if container.format.name.split(",")[0] != "mov" or not stream.duration:
        return None
    return round(stream.duration * stream.time_base * rate) if stream.time_base else None
