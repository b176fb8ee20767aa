"""ID3v2 tags, as an MP3 and some WAV files have them: read as frames and written again.

"ID3 tag version 2.3.0" (1999), "ID3 tag version 2.4.0" (2000), "ID3v2 Chapter Frame Addendum"
(2005). libsndfile's MP3 encoder writes UTF-8 and declares it as Latin-1, so a3t writes the tag.
"""

from __future__ import annotations

import shutil
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryFile

MAX_TAG_BYTES = 16_000_000  # a tag may hold a picture
HEADER_BYTES = 10  # of a tag and of a frame
MAX_MS = 0xFFFF_FFFE  # a chapter's times have 32 bits
NO_PLACE = b"\xff" * 8  # a chapter's place in the bytes, where times count
UNSYNCHRONISED, EXTENDED = 0x80, 0x40  # a tag's flags
FRAME_UNSYNCHRONISED, FRAME_LENGTH = 2, 1  # the flags of a 2.4 frame
CODECS = ("latin-1", "utf-16", "utf-16-be", "utf-8")  # of a text, by its first byte
UNDETERMINED_LANGUAGE = b"und"  # undetermined, by ISO 639-2

# The frames of the texts that libsndfile knows, by its names; the first of each is written.
TEXT_FRAMES = {
    "title": (b"TIT2",),
    "copyright": (b"TCOP",),
    "software": (b"TSSE", b"TENC"),
    "artist": (b"TPE1",),
    "date": (b"TDRC", b"TYER"),
    "album": (b"TALB",),
    "tracknumber": (b"TRCK",),
    "genre": (b"TCON",),
}
# Frames whose times or lengths an edit makes wrong.
TIMED_IDS = (
    b"ASPI",
    b"CHAP",
    b"CTOC",
    b"ETCO",
    b"MLLT",
    b"POSS",
    b"SEEK",
    b"SYLT",
    b"SYTC",
    b"TLEN",
)


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame of a tag: its name of four letters, its contents and its two bytes of flags."""

    name: bytes
    data: bytes
    flags: bytes = bytes(2)


@dataclass(frozen=True, slots=True)
class Comment:
    """A parsed comment: three letters of a language, a description (mostly empty) and a text."""

    language: bytes
    description: str
    text: str


@dataclass(frozen=True, slots=True)
class Tag:
    """An ID3v2 tag.

    Attributes
    ----------
    version
        3 or 4, of ID3v2.3 and 2.4.
    frames
        The frames in order, without padding.
    unsynchronised
        Whether all frames are unsynchronised, which only version 4 leaves so.
    """

    version: int = 4
    frames: tuple[Frame, ...] = ()
    unsynchronised: bool = False

    @classmethod
    def parse(cls, data: bytes) -> Tag | None:
        """Return the tag that begins some bytes; None if there is none of these versions."""
        if len(data) < HEADER_BYTES or data[:3] != b"ID3" or data[3] not in (3, 4):
            return None
        version, flags = data[3], data[5]
        body = data[HEADER_BYTES : HEADER_BYTES + _number(data[6:10], 7)]
        unsynchronised = bool(flags & UNSYNCHRONISED)
        if version == 3 and unsynchronised:
            body, unsynchronised = body.replace(b"\xff\0", b"\xff"), False
        if flags & EXTENDED:
            body = body[_number(body[:4], 7) if version == 4 else 4 + _number(body[:4], 8) :]
        # Some programs write the sizes of 2.4 as those of 2.3.
        readings = [tuple(_frames(body, bits)) for bits in ((7, 8) if version == 4 else (8,))]
        return cls(version, max(readings, key=len), unsynchronised)

    def to_bytes(self) -> bytes:
        """Return the tag as it stands in a file."""
        body = b"".join(map(self._frame_bytes, self.frames))
        flags = UNSYNCHRONISED if self.unsynchronised else 0
        return b"ID3" + bytes([self.version, 0, flags]) + _digits(len(body), 7) + body

    def text(self, name: bytes, text: str) -> Frame:
        """Return a frame with a text, in this version's encoding."""
        encoding, encoded, _ = self._encoded(text)
        return Frame(name, encoding + encoded)

    def chapter(self, name: bytes, start_ms: int, end_ms: int, title: str) -> Frame:
        """Return a frame with a chapter; ``name`` is its own, and ends with a zero byte."""
        times = struct.pack(">2I", min(start_ms, MAX_MS), min(end_ms, MAX_MS))
        inner = self._frame_bytes(self.text(b"TIT2", title))
        return Frame(b"CHAP", name + times + NO_PLACE + inner)

    def moved(self, move: Callable[[int], int]) -> Tag:
        """Return the tag with its chapters' times, in ms, where ``move`` puts them."""
        return replace(self, frames=tuple(_moved(frame, move) for frame in self.frames))

    def without_times(self) -> Tag:
        """Return the tag without the frames that an edit makes wrong."""
        kept = tuple(frame for frame in self.frames if frame.name not in TIMED_IDS)
        return replace(self, frames=kept)

    def with_texts(self, texts: Mapping[str, str]) -> Tag:
        """Return the tag with the texts that it lacks, by libsndfile's names, and the comment."""
        names = {frame.name for frame in self.frames}
        added = [
            self.text(frames[0], texts[name])
            for name, frames in TEXT_FRAMES.items()
            if texts.get(name) and names.isdisjoint(frames)
        ]
        tag = replace(self, frames=(*self.frames, *added))
        comment = texts.get("comment")
        return tag._with_comment(comment) if comment else tag

    def _with_comment(self, text: str) -> Tag:
        """Return the tag with a comment in the place of the last one without a description."""
        comments = {place: self._comment(frame) for place, frame in enumerate(self.frames)}
        if any(comment and comment.text == text for comment in comments.values()):
            return self
        plain = [place for place, each in comments.items() if each and not each.description]
        language = UNDETERMINED_LANGUAGE
        frames = list(self.frames)
        if plain and (before := comments[plain[-1]]):
            language = before.language
            del frames[plain[-1]]
        encoding, encoded, end = self._encoded(text)
        frames.append(Frame(b"COMM", encoding + language + end + encoded))
        return replace(self, frames=tuple(frames))

    def _comment(self, frame: Frame) -> Comment | None:
        """Return the comment in a frame; None if it holds none, or packs or encrypts it."""
        data, flags = frame.data, frame.flags[1]
        if frame.name != b"COMM" or len(data) < 5:
            return None
        if self.version == 4:
            unsynchronised = self.unsynchronised or flags & FRAME_UNSYNCHRONISED
            data = data[4:] if flags & FRAME_LENGTH else data
            data = data.replace(b"\xff\0", b"\xff") if unsynchronised else data
            flags &= ~(FRAME_UNSYNCHRONISED | FRAME_LENGTH)
        if flags or data[0] >= len(CODECS):
            return None
        codec, rest = CODECS[data[0]], data[4:]
        width = 2 if codec.startswith("utf-16") else 1
        ends = (
            place for place in range(0, len(rest), width) if not any(rest[place : place + width])
        )
        end = next(ends, len(rest))
        description, text = (
            part.decode(codec, "replace").rstrip("\0") for part in (rest[:end], rest[end + width :])
        )
        return Comment(data[1:4], description, text)

    def _encoded(self, text: str) -> tuple[bytes, bytes, bytes]:
        """Return an encoding's byte, a text in it, and what ends an empty text."""
        if self.version == 4:
            return b"\3", text.encode("utf-8", "replace"), b"\0"
        bom, text_bytes = b"\xff\xfe", text.encode("utf-16-le", "replace")
        return b"\1", bom + text_bytes, bom + b"\0\0"

    def _frame_bytes(self, frame: Frame) -> bytes:
        size = _digits(len(frame.data), 7 if self.version == 4 else 8)
        return frame.name + size + frame.flags + frame.data


def tag_of(path: Path) -> Tag | None:
    """Return the tag that a file begins with; None if it has none that a3t reads."""
    with path.open("rb") as file:
        head = file.read(HEADER_BYTES)
        size = _number(head[6:], 7)
        if head[:3] != b"ID3" or size > MAX_TAG_BYTES:
            return None
        return Tag.parse(head + file.read(size))


def prepend(path: Path, tag: Tag) -> None:
    """Put a tag before the contents of a file; one without frames isn't written."""
    if not tag.frames:
        return
    with path.open("r+b") as file, TemporaryFile(dir=path.parent) as sound:
        shutil.copyfileobj(file, sound)
        file.seek(0)
        sound.seek(0)
        file.write(tag.to_bytes())
        shutil.copyfileobj(sound, file)


def _frames(body: bytes, bits: int) -> Iterator[Frame]:
    """Yield the frames of a tag's body up to its padding, or as far as it can be read."""
    place = 0
    while place + HEADER_BYTES <= len(body):
        name, size, flags = struct.unpack_from(">4s4s2s", body, place)
        end = place + HEADER_BYTES + _number(size, bits)
        if not (name.isalnum() and name.isupper()) or end > len(body):
            return
        yield Frame(name, body[place + HEADER_BYTES : end], flags)
        place = end


def _moved(frame: Frame, move: Callable[[int], int]) -> Frame:
    """Return a frame whose chapter, if it is one, has other times."""
    times = frame.data.find(b"\0") + 1
    if frame.name != b"CHAP" or not times or times + 8 > len(frame.data):
        return frame
    moved = (min(move(ms), MAX_MS) for ms in struct.unpack_from(">2I", frame.data, times))
    data = frame.data[:times] + struct.pack(">2I", *moved) + frame.data[times + 8 :]
    return replace(frame, data=data)


def _number(digits: bytes, bits: int) -> int:
    """Return the number whose bytes have so many bits each, the highest first."""
    number = 0
    for digit in digits:
        number = number << bits | digit & (1 << bits) - 1
    return number


def _digits(number: int, bits: int) -> bytes:
    """Return a number below 2 ** (4 * bits) as four bytes of so many bits each."""
    return bytes(number >> shift * bits & (1 << bits) - 1 for shift in (3, 2, 1, 0))
