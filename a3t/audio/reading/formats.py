"""Sample formats, and what headers say of them that the sound contradicts."""

from __future__ import annotations

import contextlib
import io
import mmap
import shutil
import struct
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import soundfile as sf

Native = np.ndarray[Any, np.dtype[Any]]
"""(samples, channels) in a file's own dtype: int16, int32, float32 or float64."""


@dataclass(frozen=True)
class SampleFormat:
    """The samples that a subtype decodes to.

    dtype: the numpy type that holds every decoded value; bits: significant bits of an integer
    sample, None for floats; subtypes: the plain subtypes that keep the decoded values exactly,
    in order of preference.
    """

    dtype: str
    bits: int | None
    subtypes: tuple[str, ...]

    @property
    def is_float(self) -> bool:
        return self.bits is None

    @property
    def width(self) -> int:
        """Bytes of one sample in a file."""
        return self.bits // 8 if self.bits else np.dtype(self.dtype).itemsize

    def __str__(self) -> str:
        return f"{self.bits}-bit" if self.bits else f"{self.dtype[-2:]}-bit float"


_EIGHT = SampleFormat("int16", 8, ("PCM_U8", "PCM_S8"))
_SIXTEEN = SampleFormat("int16", 16, ("PCM_16",))
_TWENTY_FOUR = SampleFormat("int32", 24, ("PCM_24",))
_THIRTY_TWO = SampleFormat("int32", 32, ("PCM_32",))
_FLOAT = SampleFormat("float32", None, ("FLOAT",))
_DOUBLE = SampleFormat("float64", None, ("DOUBLE",))

# Companded and ADPCM speech decodes to 16-bit integers; those values are kept.
_SPEECH_CODECS = (
    "ULAW ALAW IMA_ADPCM MS_ADPCM GSM610 DPCM_8 DPCM_16 NMS_ADPCM_16 NMS_ADPCM_24 NMS_ADPCM_32 "
    "G721_32 G723_24 G723_40"
)
_BY_SUBTYPE = {
    subtype: kind
    for kind, subtypes in (
        (_EIGHT, "PCM_S8 PCM_U8"),
        (_SIXTEEN, f"PCM_16 ALAC_16 {_SPEECH_CODECS}"),
        (_TWENTY_FOUR, "PCM_24 ALAC_20 ALAC_24"),
        (_THIRTY_TWO, "PCM_32 ALAC_32"),
        (_FLOAT, "FLOAT"),
        (_DOUBLE, "DOUBLE"),
    )
    for subtype in subtypes.split()
}


def sample_format(subtype: str) -> SampleFormat:
    """The format of a libsndfile subtype; lossy codecs (MP3, Vorbis, Opus) decode to float32."""
    return _BY_SUBTYPE.get(subtype, _FLOAT)


def speech_codec(subtype: str) -> str:
    """The name of a speech codec whose samples are kept, but not its coding: a second one would
    change them all. "" for other subtypes."""
    if subtype not in _SPEECH_CODECS.split():
        return ""
    return {"ULAW": "µ-law", "ALAW": "A-law"}.get(subtype, subtype)


def is_lossy(subtype: str) -> bool:
    """True for a codec whose re-encoding changes the samples that were decoded from it."""
    return subtype in {"VORBIS", "OPUS"} or subtype.startswith("MPEG_LAYER")


def to_float(samples: Native) -> np.ndarray:
    """Native samples as float64, full scale at 1; exact for every format."""
    if np.issubdtype(samples.dtype, np.integer):
        return samples / float(2 ** (8 * samples.dtype.itemsize - 1))
    return samples.astype(np.float64)


def quantise(samples: np.ndarray, target: SampleFormat) -> Native:
    """Float64 samples in `target`'s native dtype: rounded to its bits, clipped at full scale.

    There is no dither. Speech carries noise far above one step of 16 bits, dither would put
    noise into a channel that is digitally silent, and a patch that repeats the recording would
    no longer be the recording.
    """
    if target.bits is None:
        return samples.astype(target.dtype)
    full = 2.0 ** (target.bits - 1)
    levels = np.clip(np.rint(samples * full), -full, full - 1)
    shift = 8 * np.dtype(target.dtype).itemsize - target.bits
    return levels.astype(target.dtype) << shift


def can_hold(container: str, subtype: str, sample_rate: int, channels: int) -> bool:
    """True if libsndfile writes this combination; tried by opening such a file in memory."""
    if container == "AIFF" and subtype in ("PCM_U8", "PCM_S8"):
        return False  # libsndfile takes the byte that pads an odd number of them for a sample
    try:
        with sf.SoundFile(io.BytesIO(), "w", sample_rate, channels, subtype, format=container):
            return True
    except (sf.LibsndfileError, ValueError, TypeError):
        return False


_RATES = ((44_100, 48_000, 32_000), (22_050, 24_000, 16_000), (11_025, 12_000, 8_000))
_KILOBITS = {
    (1, 1): (32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448),
    (1, 2): (32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384),
    (1, 3): (32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    (2, 1): (32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256),
    (2, 2): (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
PADDING = 4096  # bytes that may be behind the last chunk
PADDING_FRAMES = 4  # that an encoder puts before and behind the sound, and a decoder takes off
FRAMES_PROBED = 3  # that must follow each other for the first of them to be one
MOST_SKIPPED = 1_000_000  # bytes between two frames: a picture in a tag


@dataclass(frozen=True)
class Mp3Frames:
    """The frames of an MP3. spans: where they stand, the first header included. count: of those
    with sound; samples: of one. stated: the place in the file of the first header's count, None
    without one. whole: whether the file ends with a frame or a tag, not within a frame."""

    spans: tuple[tuple[int, int], ...]
    count: int
    samples: int
    stated: int | None
    whole: bool

    @property
    def sound(self) -> int:
        """Samples, an encoder's padding included."""
        return self.count * self.samples


def mp3_frames(path: Path) -> Mp3Frames | None:
    """The frames of an MP3, found one by one; None if there are none."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        count, samples, stated, place, last = 0, 0, None, 0, 0
        whole, spans = True, list[tuple[int, int]]()
        while place < len(data):
            if data[place : place + 3] == b"ID3" and place + 10 <= len(data):
                place += 10 + _synchsafe(data[place + 6 : place + 10])
                continue
            length, own = _frame(data, place)
            if not length or (place != last and not _followed(data, place + length)):
                found = data.find(b"\xff", place + 1, place + MOST_SKIPPED)
                if found < 0:
                    break
                place = found
                continue
            if place + length > len(data):
                whole = False
                break
            header = _count_place(data, place, length)
            first = not count and stated is None
            if header is None:
                count += 1
            elif first:
                stated = header
            if header is None or first:
                if spans and spans[-1][1] == place:
                    spans[-1] = (spans[-1][0], place + length)
                else:
                    spans.append((place, place + length))
            samples = samples or own
            place = last = place + length
        return Mp3Frames(tuple(spans), count, samples, stated, whole) if count else None


def _frame(data: mmap.mmap, place: int) -> tuple[int, int]:
    """The bytes and samples of the frame at a place; 0 and 0 if there is none."""
    head = data[place : place + 4]
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xE0 != 0xE0:
        return 0, 0
    version, layer = (head[1] >> 3) & 3, 4 - ((head[1] >> 1) & 3)
    bits, rate = head[2] >> 4, (head[2] >> 2) & 3
    if version == 1 or layer == 4 or not 0 < bits < 15 or rate == 3:
        return 0, 0
    half = version != 3
    hertz = _RATES[{3: 0, 2: 1, 0: 2}[version]][rate]
    kilobits = _KILOBITS[(2, min(layer, 2)) if half else (1, layer)][bits - 1]
    padding = (head[2] >> 1) & 1
    if layer == 1:
        return (12 * kilobits * 1000 // hertz + padding) * 4, 384
    samples = 576 if layer == 3 and half else 1152
    return samples // 8 * kilobits * 1000 // hertz + padding, samples


def _followed(data: mmap.mmap, place: int) -> bool:
    """True if frames follow at a place, or the file ends there."""
    for _ in range(FRAMES_PROBED - 1):
        if place >= len(data):
            return True
        length, _ = _frame(data, place)
        if not length:
            return data[place : place + 3] in (b"TAG", b"ID3", b"APE")
        place += length
    return True


def _count_place(data: mmap.mmap, place: int, length: int) -> int | None:
    """Position of the count of frames in a frame that holds a header; None for one of sound."""
    found = data[place : place + min(length, 64)]
    for name in (b"Xing", b"Info"):
        at = found.find(name)
        if at > 0:
            return place + at + 8
    return place + 36 + 14 if found[36:40] == b"VBRI" else None


def _synchsafe(four: bytes) -> int:
    a, b, c, d = four
    return (a & 127) << 21 | (b & 127) << 14 | (c & 127) << 7 | d & 127


def goes_on(path: Path, container: str, frames: int) -> bool:
    """True if a file has other sound than the ``frames`` samples that libsndfile finds in it, which
    calls its container so; or less, and isn't cut off."""
    if container != "MP3":
        return container in ("WAV", "WAVEX") and _unstated_length(path) is not None
    found = mp3_frames(path)
    if found is None:
        return False
    missing = found.sound - frames
    too_many = missing < -2 * found.samples and found.whole
    return too_many or missing > PADDING_FRAMES * found.samples


@contextlib.contextmanager
def corrected(path: Path) -> Iterator[BinaryIO]:
    """A file, open for reading; a copy with its header put right if that disagrees with the sound:
    of an MP3 the frames alone, without tags and headers between them."""
    with path.open("rb") as raw, tempfile.TemporaryFile() as copy:
        head = raw.read(4)
        raw.seek(0)
        place = _unstated_length(path) if head == b"RIFF" else None
        frames = mp3_frames(path) if head[:3] == b"ID3" or head[:1] == b"\xff" else None
        if place is None and frames is None:
            yield raw
            return
        if frames is None:
            shutil.copyfileobj(raw, copy)
        for first, last in frames.spans if frames else ():
            raw.seek(first)
            copy.write(raw.read(last - first))
        if place is not None:
            copy.seek(place)
            copy.write(bytes(4))
        elif frames and frames.stated is not None:
            copy.seek(frames.stated - frames.spans[0][0])
            copy.write(struct.pack(">I", frames.count))
        copy.seek(0)
        yield copy


def _unstated_length(path: Path) -> int | None:
    """The place of a WAV's length, 0 for one that is unknown, if samples go on behind what it
    states; None if they don't."""
    with path.open("rb") as file:
        length = file.seek(0, 2)
        file.seek(0)
        if file.read(4) != b"RIFF":
            return None
        place = 12
        while place + 8 <= length:
            file.seek(place)
            name, size = struct.unpack("<4sI", file.read(8))
            end = place + 8 + size + size % 2
            if name == b"data":
                file.seek(end)
                following = file.read(8)
                if end >= length or len(following) < 8 or _is_chunk(following, length - end):
                    return None
                return place + 4
            place = end
    return None


def _is_chunk(head: bytes, room: int) -> bool:
    """True if eight bytes begin a chunk that ends in its file."""
    name, size = struct.unpack("<4sI", head)
    printable = all(32 <= letter < 127 for letter in name)
    return (printable and size + 8 <= room + 1) or (room <= PADDING and not any(head))
