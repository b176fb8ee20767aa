"""The chunks of WAV, RF64, AIFF, W64, CAF and MP4 files: where each stands, and how long it is."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

MAX_CHUNKS = 10_000  # of a file; more than any recording needs
MAX_ATOMS = 300_000  # of an MP4 in parts: ten hours of one part a second
MIN_ENDLESS = 0x7FFF_0000  # bytes
UNKNOWN_SIZE = 0xFFFF_FFFF  # of a chunk: RF64 states it elsewhere, a program that streams nowhere


@dataclass(frozen=True)
class ChunkLayout:
    """How a container lays out its chunks.

    Attributes
    ----------
    first
        The byte at which the first chunk stands.
    head
        The name and the size that begin each chunk, as `struct` reads them.
    samples
        The name of the chunk that holds the samples.
    counted
        How many bytes of the head the size includes.
    multiple
        What each chunk's place is a multiple of.
    reverse
        Whether the size comes before the name.
    parents
        The names of chunks that hold chunks.
    most
        How many chunks are looked at; a file of so many isn't read.
    """

    first: int
    head: str
    samples: bytes
    counted: int = 0
    multiple: int = 2
    reverse: bool = False
    parents: tuple[bytes, ...] = ()
    most: int = MAX_CHUNKS


RIFF_LAYOUT = ChunkLayout(12, "<4sI", b"data")
FORM_LAYOUT = ChunkLayout(12, ">4sI", b"SSND")
PARENTS = (b"moov", b"trak", b"mdia", b"minf", b"stbl", b"udta", b"moof", b"traf")
MP4_LAYOUT = ChunkLayout(0, ">I4s", b"mdat", 8, 1, reverse=True, parents=PARENTS, most=MAX_ATOMS)
MP4_BEGINNINGS = (b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip")
LAYOUTS_BY_MAGIC = {
    b"RIFF": RIFF_LAYOUT,
    b"RF64": RIFF_LAYOUT,
    b"RIFX": ChunkLayout(12, ">4sI", b"data"),
    b"FORM": FORM_LAYOUT,
    b"riff": ChunkLayout(40, "<4s12xQ", b"data", counted=24, multiple=8),  # Sony's W64
    b"caff": ChunkLayout(8, ">4sQ", b"data", multiple=1),
}


@dataclass(frozen=True)
class ChunkHead:
    """A chunk's name, the byte of its contents, and their length as it is stated."""

    name: bytes
    place: int
    length: int

    @property
    def is_endless(self) -> bool:
        """Whether the length is one that programs state that stream to a pipe."""
        return MIN_ENDLESS <= self.length <= UNKNOWN_SIZE or self.length >= 2**62


def layout_of(magic: bytes) -> ChunkLayout | None:
    """Return the layout of a file that begins with these eight bytes; None for another kind."""
    return MP4_LAYOUT if magic[4:] == b"ftyp" else LAYOUTS_BY_MAGIC.get(magic[:4])


def chunk_heads(file: BinaryIO, layout: ChunkLayout, start: int = 0) -> Iterator[ChunkHead]:
    """Yield the heads of the chunks of a container that begins at a byte, `layout.most` at most."""
    end = os.fstat(file.fileno()).st_size
    head, place = struct.Struct(layout.head), start + layout.first
    long_size = 0  # RF64 has it in a chunk that comes first
    for _ in range(layout.most):
        file.seek(place)
        content = file.read(head.size + 16)  # with the beginning of the contents
        if len(content) < head.size:
            return
        name, size = head.unpack(content[: head.size])
        if layout.reverse:
            name, size = size, name
            if size == 1:  # the length comes behind the name
                size = struct.unpack(">Q", content[8:16].ljust(8, b"\0"))[0]
            size = size or end - place  # 0: to the end
        if name == b"ds64":
            long_size = struct.unpack("<8xQ", content[head.size :].ljust(16, b"\0"))[0]
        elif name == layout.samples and size == UNKNOWN_SIZE and long_size:
            size = long_size
        yield ChunkHead(name, place + head.size, size - layout.counted)
        place += max(head.size, head.size - layout.counted + size)
        place += -(place - start) % layout.multiple
        if place >= end:
            return


def has_too_many_chunks(file: BinaryIO) -> bool:
    """Return whether a file has so many chunks that decoders would spend minutes on them."""
    file.seek(0)
    magic = file.read(8)
    layout = MP4_LAYOUT if magic[4:] in MP4_BEGINNINGS else layout_of(magic)
    count, spans = 0, [(0, os.fstat(file.fileno()).st_size)]
    while layout and spans:
        first, last = spans.pop()
        for head in chunk_heads(file, layout, first):
            if head.place > last:
                break
            count += 1
            if count >= layout.most:
                return True
            if head.name in layout.parents:
                spans.append((head.place, head.place + head.length))
    return False
