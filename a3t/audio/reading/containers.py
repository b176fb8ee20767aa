"""Sound in the containers that libsndfile doesn't read: MP4, MOV, Matroska, WebM, AVI and so on.

FFmpeg's libraries, which PyAV brings along, decode a track once from its start, whole, into a
temporary file without a name; from then on it is read like any other recording. What is decoded is
what a player plays from the start: an encoder's padding is left out, and where the time stamps say
that sound is missing there is silence, so that sound and picture stay together.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from a3t.audio.reading.formats import Native
from a3t.audio.reading.parts import (
    MAX_RECORDINGS,
    ByteRange,
    Identity,
    identity_of,
    opened_recordings,
    recordings_in,
)
from a3t.audio.reading.track_writer import TrackWriter, part_command
from a3t.errors import InputError

if TYPE_CHECKING:
    from av.audio.codeccontext import AudioCodecContext
    from av.audio.stream import AudioStream
    from av.container import InputContainer
    from av.stream import Stream
    from av.video.stream import VideoStream


# Demuxers that read nothing but the file they are given (a playlist would open others).
DEMUXERS = (
    "aac,ac3,aiff,amr,ape,asf,au,avi,caf,eac3,flac,flv,matroska,mov,mp3,mpeg,mpegts,mxf,ogg,tta,"
    "w64,wav,wv"
)
EXACT_LENGTH = ("mov", "matroska")  # containers whose stated length is exact
PROTECTED = ("drms", "drmi", "enca", "encv", "p608")  # names of encrypted tracks in an MP4
USUAL_PICTURES, MOST_PICTURES = Fraction(30), 1000  # a second
FFMPEG_NAMES = {"tracknumber": "track", "software": "encoder"}  # by libsndfile's
MAX_SHORT_S = 1.0  # seconds, and share, that may be missing at the end
MAX_SHORT_SHARE = 0.01


# Languages of films by the codes of ISO 639, of two letters and of three (some have two of these).
LANGUAGES = {
    code: name
    for name, *codes in map(
        str.split,
        "English en eng|German de deu ger|French fr fra fre|Spanish es spa|Italian it ita|"
        "Portuguese pt por|Dutch nl nld dut|Danish da dan|Swedish sv swe|Norwegian no nor nob|"
        "Finnish fi fin|Polish pl pol|Czech cs ces cze|Slovak sk slk slo|Hungarian hu hun|"
        "Romanian ro ron rum|Greek el ell gre|Russian ru rus|Ukrainian uk ukr|Turkish tr tur|"
        "Arabic ar ara|Hebrew he heb|Persian fa fas per|Hindi hi hin|Bengali bn ben|"
        "Tamil ta tam|Chinese zh zho chi|Japanese ja jpn|Korean ko kor|Vietnamese vi vie|"
        "Thai th tha|Indonesian id ind|Welsh cy cym wel|Irish ga gle|Catalan ca cat".split("|"),
    )
    for code in codes
}


@dataclass(frozen=True, slots=True)
class Track:
    """One of a file's tracks of sound. number: from 1; language and title may be empty."""

    number: int
    codec: str
    channels: int
    language: str
    title: str

    def __str__(self) -> str:
        """Return its number, and what tells it from other tracks."""
        language = LANGUAGES.get(self.language.lower().partition("-")[0], self.language)
        about = [self.title, language, self.codec, f"{self.channels} ch"]
        return f"{self.number} ({', '.join(filter(None, about))})"


@dataclass(frozen=True)
class DecodedTrack:
    """A track's sound: (n, channels) samples in the native dtype of `subtype`.

    subtype: libsndfile's name for what holds the samples, the codec's for a lossy one; container:
    the demuxer's name. start: when the samples begin in the file's own time, in seconds: where a
    film's sound begins late, there is silence before it. tracks:
    all of the file's. texts: the file's own, by libsndfile's names. pictures: how many a second a
    film has, on average; None without a video stream. size: its width and height in pixels.
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
    size: tuple[int, int] | None = None


@dataclass
class TrackReader:
    """A decoded track in the form of a `SoundFile` that is open for reading."""

    track: DecodedTrack
    can_seek: bool = True
    place: int = field(default=0, init=False)

    @property
    def samplerate(self) -> int:
        """Samples per second."""
        return self.track.sample_rate

    @property
    def channels(self) -> int:
        """Number of channels."""
        return int(self.track.samples.shape[1])

    @property
    def frames(self) -> int:
        """Samples of each channel."""
        return len(self.track.samples)

    @property
    def subtype(self) -> str:
        """The codec, by libsndfile's name for it where it has one."""
        return self.track.subtype

    @property
    def format(self) -> str:
        """The container."""
        return self.track.container

    def seek(self, place: int) -> int:
        """Go to a sample and return its place."""
        self.place = place
        return place

    def read(self, length: int, dtype: str, always_2d: bool = True) -> Native:
        """Read up to ``length`` samples (n, channels); ``dtype`` must be the track's own."""
        block = np.array(self.track.samples[self.place : self.place + length])
        if block.dtype != dtype:
            raise ValueError(f"{dtype} is not the track's own {block.dtype}")
        self.place += len(block)
        return block

    def text(self, name: str) -> bytes:
        """Return a text of the file, by libsndfile's name for it; empty if there is none."""
        return self.track.texts.get(FFMPEG_NAMES.get(name, name), "").encode(
            "utf-8", "surrogateescape"
        )


def decoded_track(path: Path, number: int | None = None) -> DecodedTrack | None:
    """Decode track ``number`` of a file; None if it is no container of sound or pictures.

    Tracks count from 1; by default it is the one that its maker marked, else the first. It is kept
    for as long as no two other tracks were asked for. Raises InputError, in one sentence, for a
    file without sound, without this track, cut off, protected or broken.
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
        except (InputError, MemoryError):
            raise
        except Exception:
            return None
    return _decoded(path, identity_of(path), number)


@lru_cache(maxsize=2)
def _decoded(path: Path, identity: Identity, number: int) -> DecodedTrack:
    with opened_recordings(path) as parts, tempfile.TemporaryFile() as room:
        writer = TrackWriter(path, room)
        about: _About | None = None
        for part, raw in enumerate(parts):
            with _readable(raw, path) as container:
                track_facts = _about(container, path, number)
                if len(parts) > 1 and track_facts.pictures:
                    raise InputError(
                        f"{path} holds {len(parts)} films that follow one another: "
                        f"{part_command(path, 1)}."
                    )
                _decode(container, writer, part, number)
                about = about or track_facts
        if about is None or not writer.count:
            raise InputError(f"{path} is empty (it has no samples): record it again.")
        return DecodedTrack(
            writer.samples(),
            writer.layout.rate,
            writer.subtype(about.codec),
            about.container,
            writer.start,
            number,
            about.tracks,
            about.texts,
            about.pictures,
            about.size,
        )


def stated_seconds(path: Path) -> float | None:
    """Return the seconds that a container states; None if it isn't one of sound.

    Infinity where it doesn't say.
    """
    seconds = 0.0
    with path.open("rb") as raw:
        try:
            for place in recordings_in(path)[:MAX_RECORDINGS]:
                with opened_container(ByteRange(raw, *place)) as container:
                    if not container.streams.audio:
                        return None
                    seconds += (container.duration or float("inf")) / 1e6
        except (InputError, MemoryError):
            raise
        except Exception:
            return None
    return seconds


def opened_container(raw: BinaryIO | ByteRange) -> InputContainer:
    """Return PyAV's container of an open file, judged by its content, not by its name."""
    import av

    source = raw if isinstance(raw, ByteRange) else ByteRange(raw)
    options = {"format_whitelist": DEMUXERS, "protocol_whitelist": ""}
    return av.open(source, "r", options=options, metadata_errors="surrogateescape")


@contextlib.contextmanager
def _readable(raw: ByteRange, path: Path) -> Iterator[InputContainer]:
    """Open a container; whatever PyAV raises of it becomes an InputError."""
    try:
        with opened_container(raw) as container:
            yield container
    except (InputError, MemoryError):
        raise
    except Exception as error:
        raise InputError(
            f"{path} is broken ({type(error).__name__}): copy or download it again."
        ) from error


def is_mp4(path: Path) -> bool:
    """Return whether a file begins as MP4 and MOV files do."""
    with path.open("rb") as raw:
        return raw.read(12)[4:8] in (b"ftyp", b"moov", b"mdat", b"wide", b"free")


def audio_stream(
    container: InputContainer, path: Path, number: int | None = None
) -> tuple[AudioStream, int]:
    """Return a container's stream of sound by its number, see `decoded_track`, and that number."""
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
    """Return a sentence that names the track in use; None if the file has only one."""
    if len(track.tracks) < 2:
        return None
    return f"{path} has {_listed(track.tracks)}. Track {track.number} is used (--track N)."


@dataclass(frozen=True)
class _About:
    """What a container says of itself."""

    codec: str
    container: str
    tracks: tuple[Track, ...]
    texts: dict[str, str]
    pictures: Fraction | None
    size: tuple[int, int] | None


def _about(container: InputContainer, path: Path, number: int) -> _About:
    """Return what a container says of itself and of a track; InputError if that can't be read."""
    context = audio_stream(container, path, number)[0].codec_context
    if context is None:
        raise InputError(
            f"{path} has audio that a3t can't read: convert it to WAV or FLAC with the program "
            "that made it."
        )
    if _tag(context) in PROTECTED:
        raise InputError(
            f"{path} is protected against copying (DRM): use a recording without protection."
        )
    film = next(filter(is_moving, container.streams.video), None)
    return _About(
        context.name,
        container.format.name.split(",")[0].upper(),
        _tracks(container),
        {name.lower(): text for name, text in container.metadata.items()},
        _pictures(film) if film else None,
        (film.width, film.height) if film and film.width and film.height else None,
    )


def _decode(container: InputContainer, writer: TrackWriter, part: int, number: int) -> None:
    """Write the sound of a track of one of the recordings in a file."""
    path, latest = writer.path, 0.0
    stream, _ = audio_stream(container, path, number)
    writer.begin(part, (container.start_time or 0) / 1e6)
    try:
        for packet in container.demux():
            if packet.pts is not None and packet.time_base is not None:
                stop = packet.pts + (packet.duration or 0)
                latest = max(latest, float(stop * packet.time_base))
            if packet.stream.index == stream.index:
                for frame in packet.decode():
                    writer.add(frame)  # type: ignore[arg-type]
    except (InputError, MemoryError):
        raise
    except Exception:  # PyAV's are of many classes, and Python's own come out of it as well
        raise InputError(
            f"{path} is broken or protected {writer.seconds:.1f} s from its start: copy or "
            "download it again."
        ) from None
    if writer.count:
        _check_length(container, path, latest)
        writer.end(_stated_samples(container, stream, writer.layout.rate))


def _tag(context: AudioCodecContext) -> str:
    """Return a codec's four letters; in a WAV they are a number, and may be no text."""
    try:
        return context.codec_tag.lower()
    except UnicodeDecodeError:
        return ""


def _pictures(stream: VideoStream) -> Fraction:
    """Return the pictures a second; 30 where a file states none, or an impossible number."""
    stated = stream.average_rate or stream.guessed_rate or USUAL_PICTURES
    return stated if 1 <= stated <= MOST_PICTURES else USUAL_PICTURES


def is_moving(stream: Stream) -> bool:
    """Return whether a stream of pictures is a film, not a cover."""
    from av.stream import Disposition

    return not stream.disposition & Disposition.attached_pic


def _check_length(container: InputContainer, path: Path, latest: float) -> None:
    """Raise InputError if the last packet ends long before what a container says of its length."""
    if container.format.name.split(",")[0] not in EXACT_LENGTH or not container.duration:
        return
    stated = container.duration / 1e6
    if latest < stated - max(MAX_SHORT_S, MAX_SHORT_SHARE * stated):
        raise InputError(
            f"{path} is cut off {latest:.1f} s from its start, of {stated:.1f} s: copy or download "
            "it again."
        )


def _stated_samples(container: InputContainer, stream: AudioStream, rate: int) -> int | None:
    """Return the length that an MP4 states of its track, which leaves out the encoder's padding."""
    if container.format.name.split(",")[0] != "mov" or not stream.duration:
        return None
    return round(stream.duration * stream.time_base * rate) if stream.time_base else None
