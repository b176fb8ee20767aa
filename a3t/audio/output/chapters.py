"""The chapters of a recording, read from any container and written where they have gone.

ID3: CHAP and CTOC frames ("ID3v2 Chapter Frame Addendum", 2005). WAV and RF64: cue points with
labels. MP4, Matroska and their like: whatever FFmpeg's libraries write there.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from a3t.audio.output import chunks
from a3t.audio.output.id3 import Frame, Tag
from a3t.audio.reading.containers import decoded_track, opened_container
from a3t.audio.reading.recording import Recording
from a3t.spans import SpanMap

MAX_CHAPTERS = 250  # a table of contents in ID3 counts them in a byte
MAX_TITLE_CHARACTERS = 1000  # characters
EDGES = ("start", "end")


@dataclass(frozen=True, slots=True)
class Chapter:
    """Samples [start, end) of a recording, and their title."""

    start: int
    end: int
    title: str


def chapters_after(recording: Recording, spans: SpanMap) -> tuple[Chapter, ...]:
    """Return a recording's chapters where an edit has moved them, without those cut out."""
    chapters = []
    for each in _chapters(recording):
        # A chapter that begins or ends within a change does so where the change begins.
        start, end = spans.output_of(each.start), spans.output_of(each.end)
        if start < end:
            chapters.append(Chapter(start, end, each.title))
    return tuple(chapters[:MAX_CHAPTERS])


def for_container(chapters: Sequence[Chapter], rate: int, start: float) -> list[Any]:
    """Return the chapters as PyAV sets them, in a container where the sound begins at ``start``."""
    first, base = round(start * rate), Fraction(1, rate)
    return [
        {"id": number, "start": first + each.start, "end": first + each.end, "time_base": base,
         "metadata": {"title": each.title}}
        for number, each in enumerate(chapters, 1)
    ]  # fmt: skip


def as_cues(chapters: Sequence[Chapter]) -> list[tuple[bytes, bytes]]:
    """Return the chapters as the chunks of a WAV: cue points, and their labels."""
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


def with_chapters(tag: Tag, chapters: Sequence[Chapter], rate: int) -> Tag:
    """Return an ID3 tag with chapters and their table of contents."""
    if not chapters:
        return tag
    names = [f"chp{number}".encode() + b"\0" for number in range(1, len(chapters) + 1)]
    contents = Frame(b"CTOC", b"toc\0" + bytes([3, len(names)]) + b"".join(names))
    frames = [
        tag.chapter(
            name, round(1000 * each.start / rate), round(1000 * each.end / rate), each.title
        )
        for name, each in zip(names, chapters, strict=True)
    ]
    return replace(tag, frames=(*tag.frames, contents, *frames))


def _chapters(recording: Recording) -> list[Chapter]:
    """Read a recording's chapters: a WAV's cue points, else what FFmpeg's libraries find.

    None if they can't read it.
    """
    if wav_chunks := chunks.chunks_of(recording.path):
        return _cue_chapters(recording, wav_chunks)
    start = 0.0
    if recording.track is not None and (decoded := decoded_track(recording.path, recording.track)):
        start = decoded.start
    try:
        with recording.path.open("rb") as raw, opened_container(raw) as container:
            listed: Sequence[Mapping[str, Any]] = container.chapters()[:MAX_CHAPTERS]
    except MemoryError:
        raise
    except Exception:  # PyAV's are of many classes: a file whose chapters can't be read has none
        return []
    rate, chapters = recording.sample_rate, []
    for each in listed:
        first, last = (round((float(each[e] * each["time_base"]) - start) * rate) for e in EDGES)
        chapters.append(_chapter(recording, first, last, each["metadata"].get("title", "")))
    return chapters


def _cue_chapters(recording: Recording, found: Sequence[chunks.Chunk]) -> list[Chapter]:
    """Return a WAV's labelled cue points, each up to the next one."""
    labels: dict[int, str] = {}
    places: dict[int, int] = {}
    for chunk in found:
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
    return Chapter(first, last, title[:MAX_TITLE_CHARACTERS])
