"""The chapters of a recording, read from any container and written where they have gone.

ID3: CHAP and CTOC frames ("ID3v2 Chapter Frame Addendum", 2005). WAV and RF64: cue points with
labels. MP4, Matroska and their like: whatever FFmpeg's libraries write there.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from a3t.audio.output import chunks
from a3t.audio.reading.containers import decoded_track, opened_container
from a3t.audio.reading.recording import Recording
from a3t.spans import SpanMap

MAX_CHAPTERS = 250  # a table of contents in ID3 counts them in a byte
MAX_TITLE = 1000  # characters
EDGES = ("start", "end")
LARGEST_TAG = 2**28 - 1  # bytes, in four times seven bits


@dataclass(frozen=True, slots=True)
class Chapter:
    """Samples [start, end) of a recording, and their title."""

    start: int
    end: int
    title: str


def chapters_after(recording: Recording, spans: SpanMap) -> tuple[Chapter, ...]:
    """A recording's chapters where an edit has moved them, without those that it has cut out."""
    found = []
    for each in _cue_chapters(recording) or _chapters(recording):
        # A chapter that begins or ends within a change does so where the change begins.
        start, end = spans.output_of(each.start), spans.output_of(each.end)
        if start < end:
            found.append(Chapter(start, end, each.title))
    return tuple(found[:MAX_CHAPTERS])


def for_container(chapters: Sequence[Chapter], rate: int, start: float) -> list[Any]:
    """Chapters as PyAV sets them; ``start``: the seconds at which the sound begins there."""
    first, base = round(start * rate), Fraction(1, rate)
    return [
        {"id": number, "start": first + each.start, "end": first + each.end, "time_base": base,
         "metadata": {"title": each.title}}
        for number, each in enumerate(chapters, 1)
    ]  # fmt: skip


def as_cues(chapters: Sequence[Chapter]) -> list[tuple[bytes, bytes]]:
    """Chapters as the chunks of a WAV: cue points, and their labels."""
    if not chapters:
        return []
    points = [
        chunks.MARKER.pack(number, min(each.start, chunks.ENDLESS), b"data", 0, 0,
                           min(each.start, chunks.ENDLESS))
        for number, each in enumerate(chapters, 1)
    ]  # fmt: skip
    cue = struct.pack("<I", len(points)) + b"".join(points)
    labels = b"adtl"
    for number, each in enumerate(chapters, 1):
        text = struct.pack("<I", number) + each.title.encode() + b"\0"
        labels += struct.pack("<4sI", b"labl", len(text)) + text + bytes(len(text) % 2)
    return [(b"cue ", cue), (b"LIST", labels)]


def add_to_mp3(path: Path, chapters: Sequence[Chapter], rate: int) -> None:
    """Put chapters into an MP3's ID3 tag, or one before its sound if it has none."""
    if not chapters:
        return
    data = path.read_bytes()
    has = len(data) >= 10 and data[:3] == b"ID3" and data[3] in (3, 4) and not data[5] & 0x50
    version, size = (data[3], _from_syncsafe(data[6:10])) if has else (4, 0)
    own, rest = (_whole_frames(data[10 : 10 + size], version), data[10 + size :])
    own, rest = (own, rest) if has else (b"", data)
    names = [f"chp{number}".encode() for number in range(1, len(chapters) + 1)]
    table = b"toc\0" + bytes([3, len(names)]) + b"".join(name + b"\0" for name in names)
    frames = _frame(b"CTOC", table, version)
    for name, each in zip(names, chapters, strict=True):
        times = [min(round(1000 * place / rate), 0xFFFFFFFE) for place in (each.start, each.end)]
        title = _frame(b"TIT2", b"\1" + each.title.encode("utf-16"), version)
        head = name + b"\0" + struct.pack(">4I", *times, 0xFFFFFFFF, 0xFFFFFFFF)
        frames += _frame(b"CHAP", head + title, version)
    tag = own + frames
    if len(tag) <= LARGEST_TAG:
        head = b"ID3" + bytes([version, 0, 0]) + _syncsafe(len(tag))
        path.write_bytes(head + tag + rest)


def _whole_frames(tag: bytes, version: int) -> bytes:
    """A tag's frames, the padding left out."""
    place = 0
    while place + 10 <= len(tag) and tag[place] != 0:
        size = tag[place + 4 : place + 8]
        place += 10 + (_from_syncsafe(size) if version == 4 else int.from_bytes(size, "big"))
    return tag[: min(place, len(tag))]


def _frame(name: bytes, data: bytes, version: int) -> bytes:
    size = _syncsafe(len(data)) if version == 4 else len(data).to_bytes(4, "big")
    return name + size + bytes(2) + data


def _syncsafe(number: int) -> bytes:
    return bytes(number >> shift & 0x7F for shift in (21, 14, 7, 0))


def _from_syncsafe(data: bytes) -> int:
    return sum((byte & 0x7F) << shift for byte, shift in zip(data, (21, 14, 7, 0), strict=False))


def _chapters(recording: Recording) -> list[Chapter]:
    """Those that FFmpeg's libraries find in the file; none if they can't read it."""
    import av

    start = 0.0
    if recording.track is not None and (decoded := decoded_track(recording.path, recording.track)):
        start = decoded.start
    try:
        with recording.path.open("rb") as raw, opened_container(raw) as container:
            listed: Sequence[Mapping[str, Any]] = container.chapters()[:MAX_CHAPTERS]
    except (av.error.FFmpegError, EOFError):
        return []
    rate, found = recording.sample_rate, []
    for each in listed:
        first, last = (round((float(each[e] * each["time_base"]) - start) * rate) for e in EDGES)
        found.append(_chapter(recording, first, last, each["metadata"].get("title", "")))
    return found


def _cue_chapters(recording: Recording) -> list[Chapter]:
    """A WAV's labelled cue points, each to the next one."""
    labels: dict[int, str] = {}
    places: dict[int, int] = {}
    for chunk in chunks.chunks_of(recording.path):
        data = chunk.data or b""
        if chunk.name == b"cue ":
            for place in range(4, len(data) - chunks.MARKER.size + 1, chunks.MARKER.size):
                name, *_, sample = chunks.MARKER.unpack_from(data, place)
                places[name] = sample
        elif chunk.name == b"LIST" and data[:4] == b"adtl":
            place = 4
            while place + 12 <= len(data):
                name, size, number = struct.unpack_from("<4sII", data, place)
                if name == b"labl":
                    text = data[place + 12 : place + 8 + size].split(b"\0")[0]
                    labels[number] = text.decode("utf-8", "replace")
                place += 8 + size + size % 2
    ordered = sorted((sample, labels[name]) for name, sample in places.items() if name in labels)
    ends = [*(sample for sample, _ in ordered[1:]), recording.samples]
    return [_chapter(recording, s, e, t) for (s, t), e in zip(ordered, ends, strict=False)]


def _chapter(recording: Recording, start: int, end: int, title: str) -> Chapter:
    first, last = (min(max(place, 0), recording.samples) for place in (start, end))
    return Chapter(first, last, title[:MAX_TITLE])
