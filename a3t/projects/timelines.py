"""An edited recording as a timeline for other editors: what plays when, from which file.

Stretches that are the recording's own come from the recording itself, what was made from the
edited file, so that every joint can be moved there. OpenTimelineIO (`pip install 'a3t[exports]'`)
writes its own format and Final Cut's; Reaper's project is plain text.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from a3t.errors import InputError

ADAPTERS = {"otio": "otio_json", "xml": "fcp_xml"}
FRAMES = 30  # a second, of formats that count pictures


@dataclass(frozen=True, slots=True)
class Played:
    """Seconds [start, end) of the result, which are those from ``begin`` on of a file; name: what
    was made there, empty for what was recorded."""

    start: float
    end: float
    file: Path
    begin: float
    name: str = ""


@dataclass(frozen=True, slots=True)
class Sound:
    """A file that a timeline plays from: its path, seconds, rate in Hz and channels."""

    path: Path
    seconds: float
    sample_rate: int
    channels: int


def timeline_text(kind: str, title: str, played: Iterable[Played], sounds: Iterable[Sound]) -> str:
    """The timeline in a format of ADAPTERS; InputError without OpenTimelineIO."""
    try:
        import opentimelineio as otio
    except ModuleNotFoundError:
        raise InputError("This export needs OpenTimelineIO: pip install 'a3t[exports]'.") from None
    # OTIO's own format counts samples; Final Cut's count pictures.
    files = {sound.path: sound for sound in sounds}
    rate = FRAMES if kind != "otio" else next(iter(files.values())).sample_rate
    timeline = otio.schema.Timeline(title)
    track = otio.schema.Track("speech", kind=otio.schema.TrackKind.Audio)
    timeline.tracks.append(track)
    edge = 0
    for part in played:
        last = round(part.end * rate)
        if last <= edge:
            continue
        clip = otio.schema.Clip(part.name or part.file.stem)
        clip.media_reference = _media(otio, files[part.file], rate)
        begin = round((part.begin + edge / rate - part.start) * rate)
        clip.source_range = _range(otio, max(begin, 0), last - edge, rate)
        if part.name:
            clip.metadata["a3t"] = {"made": part.name}
        track.append(clip)
        edge = last
    text: str = otio.adapters.write_to_string(timeline, ADAPTERS[kind])
    return text


def _media(otio: Any, sound: Sound, rate: int) -> Any:
    length = _range(otio, 0, round(sound.seconds * rate), rate)
    reference = otio.schema.ExternalReference(sound.path.resolve().as_uri(), length)
    reference.name = sound.path.name
    return reference


def _range(otio: Any, first: int, count: int, rate: int) -> Any:
    time = otio.opentime.RationalTime
    return otio.opentime.TimeRange(time(first, rate), time(count, rate))


def reaper_project(
    title: str, played: Iterable[Played], sounds: Iterable[Sound], folder: Path
) -> str:
    """The timeline as a Reaper project (.rpp) of one track with an item for each stretch.

    ``folder``: where the project will be; the files are named as seen from there, so that all of
    them can be moved together.
    """
    rate = next(iter(sounds)).sample_rate
    lines = ['<REAPER_PROJECT 0.1 "6.0" 0', f"  SAMPLERATE {rate} 1 0", "  <TRACK"]
    lines += [f"    NAME {_quoted(title)}"]
    for part in played:
        if part.end <= part.start:
            continue
        lines += [
            "    <ITEM",
            f"      POSITION {part.start:.9f}",
            f"      LENGTH {part.end - part.start:.9f}",
            "      LOOP 0",
            "      FADEIN 0 0 0",
            "      FADEOUT 0 0 0",
            f"      NAME {_quoted(part.name or part.file.stem)}",
            f"      SOFFS {part.begin:.9f}",
            f"      <SOURCE {_source_kind(part.file)}",
            f"        FILE {_quoted(_from(folder, part.file))}",
            "      >",
            "    >",
        ]
    return "\n".join([*lines, "  >", ">", ""])


def _from(folder: Path, file: Path) -> str:
    """The path of a file as seen from a folder; whole where the two have no way between them."""
    try:
        return os.path.relpath(file.resolve(), folder.resolve())
    except ValueError:  # another drive
        return str(file.resolve())


def _source_kind(file: Path) -> str:
    kinds = {".flac": "FLAC", ".mp3": "MP3", ".ogg": "VORBIS", ".opus": "VORBIS"}
    video = file.suffix.lower() in (".mp4", ".m4v", ".m4a", ".mov", ".mkv", ".mka", ".webm")
    return "VIDEO" if video else kinds.get(file.suffix.lower(), "WAVE")


def _quoted(text: str) -> str:
    """As Reaper quotes: by the first of three marks that the text doesn't hold."""
    text = " ".join(text.split())
    mark = next((mark for mark in "\"'`" if mark not in text), "`")
    return f"{mark}{text.replace('`', chr(39)) if mark == '`' else text}{mark}"
