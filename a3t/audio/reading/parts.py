"""What a file holds beside the sound that its first header states.

Several recordings may follow one another in it, as `cat a.wav b.wav` and internet radio make them;
samples may go on behind a length that is too short; an MP3's frames may be more than it counts.
"""

from __future__ import annotations

import contextlib
import io
import mmap
import os
import re
import shutil
import struct
import tempfile
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from a3t.audio.reading.chunk_layouts import (
    RIFF_LAYOUT,
    ChunkLayout,
    chunk_heads,
    has_too_many_chunks,
    layout_of,
)
from a3t.audio.reading.mp3_frames import Mp3Frames, mp3_frames
from a3t.errors import InputError
from a3t.spans import Span

Identity = tuple[int, int, int]
"""A file's inode, size and time of change: what is cached of it is good for this one."""

MAX_RECORDINGS = 1000  # in one file: a day of a radio station's songs
MAX_PADDING = 4096  # bytes of zeros that may be behind the last chunk
OGG_HEAD = 27  # bytes of a page's head before the lengths of its segments
RIFFS = (b"RIFF", b"RF64", b"RIFX")
# What begins a file of each kind and can't stand in the middle of one by chance.
BEGINNINGS = [
    re.compile(pattern, re.DOTALL)
    for pattern in (
        rb"OggS\0\x02\0{8}",
        rb"fLaC[\0\x80]\0\0\x22",
        rb"TTA1\x01\0[\x01-\x08]\0[\x08\x10\x18\x20]\0",
        rb"\.snd\0\0......\0\0\0[\x01-\x1b]",
        rb"\x1aE\xdf\xa3.{1,60}?B\x82.{1,8}?(?:webm|matroska)",
        rb"FLV\x01[\x01\x04\x05]\0\0\0\x09\0{4}",
        rb"\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c",  # ASF
        rb"#!AMR(?:-WB)?\n",
    )
]


def identity_of(path: Path) -> Identity:
    """Return the identity of a file as it is now."""
    stat = path.stat()
    return stat.st_ino, stat.st_size, stat.st_mtime_ns


def recordings_in(path: Path) -> tuple[Span, ...]:
    """Return the bytes [first, last) of each of the recordings that follow one another in a file.

    Frames of MP3, AAC and AC-3, and MPEG's streams, count as one recording however they change.
    Raises InputError for a file of too many chunks.
    """
    return _recordings_in(path.resolve(), identity_of(path))


@lru_cache(maxsize=16)
def _recordings_in(path: Path, identity: Identity) -> tuple[Span, ...]:
    with path.open("rb") as file:
        if has_too_many_chunks(file):
            raise InputError(
                f"{path} has more chunks than any recording needs: export it again with the "
                "program that made it."
            )
        file.seek(0)
        magic = file.read(12)
        layout = layout_of(magic[:8])
        if layout:
            starts = list[int]()
            while (
                start := _next_beginning(file, layout, starts[-1] if starts else 0, magic)
            ) is not None:
                starts.append(start)
        else:
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                starts = _further_beginnings(data)
    ends = [*starts, identity[1]]
    return tuple(zip([0, *starts], ends, strict=True))


def _next_beginning(file: BinaryIO, layout: ChunkLayout, start: int, magic: bytes) -> int | None:
    """Return the byte at which a file of the same kind begins behind one that begins at a byte."""
    for head in chunk_heads(file, layout, start):
        place = head.place - struct.calcsize(layout.head)
        file.seek(place)
        if place > start and _begins_like(file.read(12), magic):
            return place
    return None


def _begins_like(found: bytes, magic: bytes) -> bool:
    """Return whether a chunk's first twelve bytes are those of a file of the same kind."""
    if magic[4:8] == b"ftyp":
        return found[4:8] == b"ftyp"
    kind = slice(4, 8) if magic[:4] in (b"caff", b"riff") else slice(8, 11)  # AIFF, AIFC
    alike = RIFFS if magic[:4] in RIFFS else (magic[:4],)
    return found[:4] in alike and found[kind] == magic[kind]


def _further_beginnings(data: mmap.mmap) -> list[int]:
    for beginning in BEGINNINGS:
        if beginning.match(data):
            places = [match.start() for match in beginning.finditer(data)][1:]
            return _links(data, places) if data[:4] == b"OggS" else places
    return []


def _links(data: mmap.mmap, pages: list[int]) -> list[int]:
    """Return those of an Ogg file's first pages that don't begin a stream beside another one."""
    links, end = [], _page_end(data, 0)
    for page in pages:
        if page != end:
            links.append(page)
        end = _page_end(data, page)
    return links


def _page_end(data: mmap.mmap, page: int) -> int:
    lengths = data[page + OGG_HEAD : page + OGG_HEAD + data[page + OGG_HEAD - 1]]
    return page + OGG_HEAD + len(lengths) + sum(lengths)


def holds_more(path: Path, container: str, samples: int) -> bool:
    """Return whether a file's sound is other than the samples that libsndfile finds in it.

    ``container`` is libsndfile's name for the kind of file. It may hold fewer as well, if it isn't
    cut off.

    Raises
    ------
    InputError
        If some of an MP3's frames are damaged: whoever decodes it leaves them out without a word.
    """
    if len(recordings_in(path)) > 1:
        return True
    if container == "MP3":
        frames = _mp3_frames(path.resolve(), identity_of(path))
        if frames is not None and frames.gap_s is not None:
            raise InputError(
                f"{path} is damaged {frames.gap_s:.1f} s from its start, where sound is missing: "
                "copy or download it again."
            )
        return frames is not None and frames.contradict(samples)
    return container in ("WAV", "WAVEX") and _understated(path) is not None


@lru_cache(maxsize=4)
def _mp3_frames(path: Path, identity: Identity) -> Mp3Frames | None:
    return mp3_frames(path)


@contextlib.contextmanager
def opened_recordings(path: Path) -> Iterator[list[ByteRange]]:
    """Open each of the recordings that follow one another in a file, for reading.

    A header that disagrees with the sound is put right in a copy: of an MP3 that is the frames
    alone, without tags and headers between them.
    """
    places = recordings_in(path)
    if len(places) > MAX_RECORDINGS:
        raise InputError(
            f"{path} holds {len(places)} recordings that follow one another (the limit is "
            f"{MAX_RECORDINGS}): cut it into parts."
        )
    with path.open("rb") as raw, tempfile.TemporaryFile() as copy:
        if len(places) > 1:
            yield [ByteRange(raw, *place) for place in places]
            return
        head, frames = raw.read(4), None
        if head[:3] == b"ID3" or head[:1] == b"\xff":
            frames = _mp3_frames(path.resolve(), identity_of(path))
        understated = _understated(path) if head == b"RIFF" else None
        if frames is not None:
            _copy_frames(raw, frames, copy)
        elif understated is not None:
            raw.seek(0)
            shutil.copyfileobj(raw, copy)
            copy.seek(understated)
            copy.write(bytes(4))  # unknown: to the end
        else:
            yield [ByteRange(raw)]
            return
        copy.flush()
        yield [ByteRange(copy)]


def _copy_frames(raw: BinaryIO, frames: Mp3Frames, copy: BinaryIO) -> None:
    for first, last in frames.spans:
        raw.seek(first)
        copy.write(raw.read(last - first))
    if frames.stated is not None:
        copy.seek(frames.stated - frames.spans[0][0])
        copy.write(struct.pack(">I", frames.count))


class ByteRange:
    """The bytes [first, last) of an open file, as a file; no place that is sought is an error."""

    def __init__(self, file: BinaryIO, first: int = 0, last: int | None = None) -> None:
        last = os.fstat(file.fileno()).st_size if last is None else last
        self._file, self._first, self._length, self._place = file, first, last - first, 0

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes, as a file does."""
        left = self._length - self._place
        self._file.seek(self._first + self._place)
        content = self._file.read(left if size < 0 else min(size, left))
        self._place += len(content)
        return content

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a place, or to the end that is next to it."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._length}[whence]
        self._place = min(max(0, base + offset), self._length)
        return self._place

    def tell(self) -> int:
        """Return the place of the next byte."""
        return self._place


def _understated(path: Path) -> int | None:
    """Return the byte at which a WAV states a length that its samples go beyond, else None."""
    with path.open("rb") as file:
        length = file.seek(0, io.SEEK_END)
        file.seek(0)
        if file.read(4) != b"RIFF":
            return None
        for head in chunk_heads(file, RIFF_LAYOUT):
            if head.name == RIFF_LAYOUT.samples:
                end = head.place + head.length + head.length % 2
                file.seek(end)
                following = file.read(8)
                if end >= length or len(following) < 8 or _is_chunk(following, length - end):
                    return None
                return head.place - 4
    return None


def _is_chunk(head: bytes, room: int) -> bool:
    """Return whether eight bytes begin a chunk that ends in its file."""
    name, size = struct.unpack("<4sI", head)
    printable = all(32 <= letter < 127 for letter in name)
    return (printable and size + 8 <= room + 1) or (room <= MAX_PADDING and not any(head))
