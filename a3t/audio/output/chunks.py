"""The chunks of a WAV or RF64 file beside its samples, read and written again.

libsndfile keeps short texts only and drops the rest, so the chunks are carried here: Broadcast Wave
(EBU Tech 3285: bext, iXML, axml, cart), ID3 tags, markers (cue and their labels) and the texts of
LIST INFO.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from a3t.audio.output.id3 import Tag

RIFF_CONTAINERS = ("WAV", "WAVEX", "RF64")  # libsndfile's names for what has chunks
ID3 = (b"id3 ", b"ID3 ")
CARRIED = (b"bext", b"iXML", b"axml", b"cart", *ID3, b"cue ")
COMMENT = b"ICMT"
READ = {*CARRIED, b"LIST", b"PEAK", b"ds64"}
MAX_CHUNK_BYTES = 16_000_000  # bytes of a chunk; an ID3 tag may hold a picture
MAX_ALL_BYTES = 64_000_000  # bytes of all that are read
MAX_CHUNKS_READ = 10_000
MARKER = struct.Struct("<II4sIII")  # a cue point: name, place, chunk, its start, block, sample
ENDLESS = 0xFFFF_FFFF  # a size that RF64 tells elsewhere


@dataclass(frozen=True)
class Chunk:
    """A chunk's name and contents; None for one that is of no use here, or too large."""

    name: bytes
    data: bytes | None
    place: int  # of its contents in the file


def chunks_of(path: Path) -> tuple[Chunk, ...]:
    """Read the file's chunks in order, as far as it can be read; none for another kind of file."""
    with path.open("rb") as file:
        return tuple(_walk(file))


def is_riff(path: Path) -> bool:
    """Return whether a file is a WAV or RF64."""
    return bool(chunks_of(path))


def carried(path: Path, move: Callable[[int], int], rate: int) -> list[tuple[bytes, bytes]]:
    """Return the chunks that a copy of a file keeps; ``move`` says where a sample has gone."""
    kept: list[tuple[bytes, bytes]] = []
    for chunk in chunks_of(path):
        if chunk.data is None:
            continue
        if chunk.name == b"cue ":
            kept.append((chunk.name, _moved(chunk.data, move)))
        elif chunk.name in ID3:
            kept.append((chunk.name, _moved_tag(chunk.data, move, rate)))
        elif chunk.name in CARRIED or (chunk.name == b"LIST" and chunk.data[:4] == b"adtl"):
            kept.append((chunk.name, chunk.data))
    return kept


def texts_of(path: Path) -> dict[bytes, bytes]:
    """Return the texts of LIST INFO by their names (INAM, ICMT …), without the final zero."""
    texts: dict[bytes, bytes] = {}
    for chunk in chunks_of(path):
        if chunk.name == b"LIST" and chunk.data is not None and chunk.data[:4] == b"INFO":
            position, data = 4, chunk.data
            while position + 8 <= len(data):
                name, size = struct.unpack_from("<4sI", data, position)
                texts[name] = data[position + 8 : position + 8 + size].split(b"\0")[0]
                position += 8 + size + size % 2
    return texts


def texts_chunk(texts: Mapping[bytes, bytes]) -> list[tuple[bytes, bytes]]:
    """LIST INFO with these texts; no chunk where there are none."""
    parts = [_chunk(name, text + b"\0") for name, text in texts.items() if text]
    return [(b"LIST", b"INFO" + b"".join(parts))] if parts else []


def append(path: Path, added: Sequence[tuple[bytes, bytes]]) -> None:
    """Put chunks behind the samples, and the time of writing out of the file.

    libsndfile notes that time with a float's PEAK; without it the same edit is the same bytes.
    """
    for chunk in chunks_of(path):
        if chunk.name == b"PEAK":
            with path.open("r+b") as file:
                file.seek(chunk.place + 4)
                file.write(bytes(4))
    with path.open("r+b") as file:
        end = file.seek(0, os.SEEK_END)
        file.write(bytes(end % 2))
        for name, data in added:
            file.write(_chunk(name, data))
        size = file.tell() - 8
        file.seek(0)
        if file.read(4) == b"RF64":
            file.seek(20)  # the ds64 chunk, which comes first
            file.write(struct.pack("<Q", size))
        else:
            file.write(struct.pack("<I", size))


def _walk(file: BinaryIO) -> Iterator[Chunk]:
    form, _, kind = struct.unpack("<4sI4s", file.read(12).ljust(12, b"\0"))
    if form not in (b"RIFF", b"RF64") or kind != b"WAVE":
        return
    end, long, room = os.fstat(file.fileno()).st_size, 0, MAX_ALL_BYTES
    for _ in range(MAX_CHUNKS_READ):
        if len(head := file.read(8)) < 8:
            return
        name, size = struct.unpack("<4sI", head)
        place = file.tell()
        if name == b"data" and size == ENDLESS:
            size = long or end - place
        data = file.read(size) if name in READ and size <= min(MAX_CHUNK_BYTES, room) else None
        room -= len(data or b"")
        if name == b"ds64" and data is not None and len(data) >= 16:
            long = struct.unpack_from("<Q", data, 8)[0]
        if place + size > end:
            return
        yield Chunk(name, data, place)
        file.seek(place + size + size % 2)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack("<4sI", name, len(data)) + data + bytes(len(data) % 2)


def _moved(cue: bytes, move: Callable[[int], int]) -> bytes:
    """Return the markers where their samples have gone."""
    result = bytearray(cue)
    for place in range(4, len(cue) - MARKER.size + 1, MARKER.size):
        name, position, chunk, start, block, sample = MARKER.unpack_from(cue, place)
        moved = min(move(sample), ENDLESS)
        MARKER.pack_into(
            result, place, name, min(move(position), ENDLESS), chunk, start, block, moved
        )
    return bytes(result)


def _moved_tag(data: bytes, move: Callable[[int], int], rate: int) -> bytes:
    """Return an ID3v2 tag whose chapters are where their samples have gone; another as it is."""
    tag = Tag.parse(data)
    if tag is None or not any(frame.name == b"CHAP" for frame in tag.frames):
        return data
    return tag.moved(lambda ms: round(1000 * move(round(ms * rate / 1000)) / rate)).to_bytes()
