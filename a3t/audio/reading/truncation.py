"""Detects a sound file that lacks its end, by its own structure.

libsndfile's log says so too, but a file's texts stand in that log as well, and may say anything.
"""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

ENDLESS = 0x7FFF_0000  # sizes from here up are what programs write that stream to a pipe
TOLERANCE = 1024  # bytes that may be missing, as when a program forgets to count its header
MOST_CHUNKS = 10_000  # that are looked at
OGG_PAGE = 65_307  # bytes of the largest
OGG_LAST = 4  # the flag of a stream's last page


@dataclass(frozen=True)
class ChunkLayout:
    """The layout of a container's chunks: where the first stands, what a chunk's head is
    (name, size), the name of that with the samples, how much of the size is the head's, and of
    what its length is a multiple."""

    first: int
    head: str
    samples: bytes
    counted: int = 0
    multiple: int = 2


LAYOUTS = {
    b"RIFF": ChunkLayout(12, "<4sI", b"data"),
    b"RF64": ChunkLayout(12, "<4sI", b"data"),
    b"RIFX": ChunkLayout(12, ">4sI", b"data"),
    b"FORM": ChunkLayout(12, ">4sI", b"SSND"),
    b"riff": ChunkLayout(40, "<4s12xQ", b"data", counted=24, multiple=8),  # Sony's W64
    b"caff": ChunkLayout(8, ">4sQ", b"data", multiple=1),
}


def is_truncated(path: Path) -> bool:
    """True if a chunk of samples is longer than its file, or an Ogg stream has no last page.

    False for a container that this doesn't know.
    """
    with path.open("rb") as file:
        length = os.fstat(file.fileno()).st_size
        magic = file.read(4)
        if magic == b"OggS":
            return _lacks_last_page(file, length)
        layout = LAYOUTS.get(magic)
        return layout is not None and _ends_early(file, layout, length)


def _ends_early(file: BinaryIO, layout: ChunkLayout, length: int) -> bool:
    head, place = struct.Struct(layout.head), layout.first
    long_size = 0  # RF64 has it in a chunk that comes first
    for _ in range(MOST_CHUNKS):
        file.seek(place)
        found = file.read(head.size)
        if len(found) < head.size:
            return False
        name, size = head.unpack(found)
        if name == b"ds64":
            long_size = struct.unpack("<8xQ", file.read(16).ljust(16, b"\0"))[0]
        elif name == layout.samples:
            if size == 0xFFFF_FFFF:
                size = long_size
            present = length - place - head.size
            # A W64 or CAF may be as long as it says, and some programs put all ones there.
            is_endless = ENDLESS <= size <= 0xFFFF_FFFF or size >= 2**62
            return not is_endless and size - layout.counted > present + TOLERANCE
        place += max(head.size, head.size - layout.counted + size)
        place += -place % layout.multiple
        if place >= length:
            return False
    return False


def _lacks_last_page(file: BinaryIO, length: int) -> bool:
    file.seek(max(0, length - 2 * OGG_PAGE))
    end = file.read()
    page = end.rfind(b"OggS\0")
    return page < 0 or page + 5 >= len(end) or not end[page + 5] & OGG_LAST
