"""An edited recording as a timeline for other editors: what plays when, from which file.

Unedited passages come from the recording itself, synthetic ones from the
edited file, so that every joint can be moved there. A film's picture goes with its sound.
OpenTimelineIO (`pip install 'a3t[exports]'`) writes its own format and Final Cut 7's; Final Cut
Pro's and Reaper's are plain text. All times of FCPXML (1.8; Apple, "FCPXML Reference") are
fractions of a second: clips begin and end with a picture of the timeline, as Final Cut Pro wants
it, show films from a picture of theirs, and play from the very sample of their files. Later
versions of it and DaVinci Resolve read it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

ADAPTERS = {"otio": "otio_json", "xml": "fcp_xml"}
PICTURES = Fraction(30)  # a second, of formats that count pictures where there are none
STANDARD_RATES = (
    *(Fraction(each * 1000, 1001) for each in (24, 30, 48, 60)),
    *map(Fraction, (24, 25, 30, 48, 50, 60)),
)
"""Pictures a second of which programs know the names."""
RATE_TOLERANCE = Fraction(1, 1000)  # of a file's own rate, which is often only measured
LONGEST_JOINT = 0.1  # seconds, of nothing but a cross-fade
RATES = {32_000: "32k", 44_100: "44.1k", 48_000: "48k", 88_200: "88.2k", 96_000: "96k"}
LAYOUTS = {1: "mono", 2: "stereo"}


@dataclass(frozen=True, slots=True)
class Played:
    """Seconds [start, end) of the result, which are those from ``begin`` on of a file.

    name, about: the synthetic words, shortly and as a sentence; empty for recorded sound. joint:
    recorded sound meets recorded sound there. picture: the second of a film from which on its
    picture is seen.
    """

    start: float
    end: float
    file: Path
    begin: float
    name: str = ""
    about: str = ""
    joint: bool = False
    picture: float | None = None


@dataclass(frozen=True, slots=True)
class Sound:
    """A file that a timeline plays from: its path, seconds, rate in Hz and channels.

    Of a film also how many pictures a second it has, and their width and height in pixels.
    """

    path: Path
    seconds: float
    sample_rate: int
    channels: int
    pictures: Fraction | None = None
    size: tuple[int, int] | None = None

    @property
    def length(self) -> Fraction:
        """Its seconds, a whole number of samples."""
        return self.nearest(self.seconds)

    def nearest(self, second: float | Fraction) -> Fraction:
        """Return the time of the nearest sample."""
        return Fraction(round(second * self.sample_rate), self.sample_rate)


@dataclass(frozen=True, slots=True)
class Clip:
    """Pictures (or samples) [first, last) of a timeline.

    They play ``sound`` from its second ``begin`` on; a film is seen from its second ``seen`` on.
    """

    part: Played
    sound: Sound
    first: int
    last: int
    begin: Fraction
    seen: Fraction | None = None


def pictures_of(sounds: Iterable[Sound]) -> Fraction:
    """Return the pictures a second that a timeline counts: a film's own, or the standard nearby."""
    rate = next((sound.pictures for sound in sounds if sound.pictures), PICTURES)
    nearest = min(STANDARD_RATES, key=lambda each: abs(each - rate))
    return nearest if abs(nearest - rate) <= RATE_TOLERANCE * rate else rate


def timecode_rate(rate: Fraction) -> Fraction:
    """Return a standard rate for timecode: a multiple or a part of ``rate``, else the usual one."""
    factors = (Fraction(1), *map(Fraction, (2, 3, 4, 5)), *(Fraction(1, k) for k in (2, 3, 4, 5)))
    return next((rate * each for each in factors if rate * each in STANDARD_RATES), PICTURES)


def with_pictures(played: Iterable[Played], film: Path) -> list[Played]:
    """Return a film's timeline: its picture stays beside its sound, and goes on under new words.

    Where something was cut out, the film itself meets the film in the middle of the cross-fade,
    which is shorter than a picture.
    """
    result: list[Played] = []
    late = 0.0  # by how much the next one begins sooner
    for part in played:
        if part.joint and result and part.end - part.start <= LONGEST_JOINT:
            middle = (part.start + part.end) / 2
            result[-1] = replace(result[-1], end=middle, about=part.about or result[-1].about)
            late = part.end - middle
            continue
        part = replace(part, start=part.start - late, begin=part.begin - late)
        late = 0.0
        shown = part.begin if part.file == film else part.picture
        result.append(replace(part, picture=shown))
    if late:
        result[-1] = replace(result[-1], end=result[-1].end + late)
    return result


def framed(
    played: Iterable[Played], sounds: Sequence[Sound], rate: Fraction, *, exact: bool = False
) -> Iterator[Clip]:
    """Yield the parts of at least one picture (or sample) as clips without gaps.

    They stay inside their files, from pictures on; ``exact``: from samples on.
    """
    files = {sound.path: sound for sound in sounds}
    film = next((sound for sound in sounds if sound.pictures), None)
    edge = 0
    for part in played:
        sound = files[part.file]
        begin = max(sound.nearest(part.begin - part.start) + edge / rate, Fraction(0))
        last = min(round(part.end * rate), edge + floor((sound.length - begin) * rate))
        if last <= edge:
            continue
        grid = Fraction(sound.sample_rate) if exact else rate
        latest = floor((sound.length - (last - edge) / rate) * grid)
        begin = min(round(begin * grid), latest) / grid
        seen = None
        if film is not None and part.picture is not None:
            pictures = round((part.picture - part.start) * rate) + edge
            latest = floor(film.length * rate) - (last - edge)
            seen = max(min(pictures, latest), 0) / rate if latest >= 0 else None
        yield Clip(part, sound, edge, last, begin, seen)
        edge = last


def timeline_text(kind: str, title: str, played: Iterable[Played], sounds: Sequence[Sound]) -> str:
    """Return the timeline in a format of ADAPTERS."""
    import opentimelineio as otio

    # OTIO's own format counts samples; Final Cut's count pictures.
    film = next((sound for sound in sounds if sound.pictures), None)
    pictured = timecode_rate(pictures_of(sounds))
    rate = pictured if kind != "otio" else Fraction(sounds[0].sample_rate)
    timeline = otio.schema.Timeline(title)
    pictures = otio.schema.Track("picture", kind=otio.schema.TrackKind.Video)
    track = otio.schema.Track("speech", kind=otio.schema.TrackKind.Audio)
    for clip in framed(played, sounds, rate):
        name, count = clip.part.name, clip.last - clip.first
        track.append(_clip(otio, name, clip.sound, clip.begin, count, rate))
        if name:
            track[-1].metadata["a3t"] = {"made": name}
        if film is None:
            continue
        if clip.seen is None:
            pictures.append(otio.schema.Gap(source_range=_range(otio, 0, count, rate)))
        else:
            pictures.append(_clip(otio, "", film, clip.seen, count, rate))
    timeline.tracks.extend([pictures, track] if film else [track])
    text: str = otio.adapters.write_to_string(timeline, ADAPTERS[kind])
    return text


def _clip(otio: Any, name: str, sound: Sound, begin: Fraction, count: int, rate: Fraction) -> Any:
    clip = otio.schema.Clip(name or sound.path.stem)
    length = _range(otio, 0, floor(sound.length * rate), rate)
    clip.media_reference = otio.schema.ExternalReference(sound.path.resolve().as_uri(), length)
    clip.media_reference.name = sound.path.name
    clip.source_range = _range(otio, round(begin * rate), count, rate)
    return clip


def _range(otio: Any, first: int, count: int, rate: Fraction) -> Any:
    time = otio.opentime.RationalTime
    return otio.opentime.TimeRange(time(first, float(rate)), time(count, float(rate)))


def reaper_project(
    title: str, played: Iterable[Played], sounds: Iterable[Sound], folder: Path
) -> str:
    """Return the timeline as a Reaper project (.rpp): one track, an item for each stretch.

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
    """Return a file's path as seen from a folder; whole where no way leads between them."""
    try:
        return os.path.relpath(file.resolve(), folder.resolve())
    except ValueError:  # another drive
        return str(file.resolve())


def _source_kind(file: Path) -> str:
    kinds = {".flac": "FLAC", ".mp3": "MP3", ".ogg": "VORBIS", ".opus": "VORBIS"}
    video = file.suffix.lower() in (".mp4", ".m4v", ".m4a", ".mov", ".mkv", ".mka", ".webm")
    return "VIDEO" if video else kinds.get(file.suffix.lower(), "WAVE")


def _quoted(text: str) -> str:
    """Quote as Reaper does: by the first of three marks that the text doesn't hold."""
    text = " ".join(text.split())
    mark = next((mark for mark in "\"'`" if mark not in text), "`")
    return f"{mark}{text.replace('`', chr(39)) if mark == '`' else text}{mark}"


def fcpxml_text(title: str, played: Iterable[Played], sounds: Sequence[Sound]) -> str:
    """Return the timeline as a project with a clip for each stretch; ``sounds``: its files."""
    rate = pictures_of(sounds)
    files = {sound.path: (f"r{number}", sound) for number, sound in enumerate(sounds, 2)}
    film = next((each for each in files.values() if each[1].pictures), None)
    root = ElementTree.Element("fcpxml", version="1.8")
    resources = ElementTree.SubElement(root, "resources")
    shape = {"frameDuration": _time(1 / rate)}
    if film and film[1].size:
        shape |= dict(zip(("width", "height"), map(str, film[1].size), strict=True))
    ElementTree.SubElement(resources, "format", {"id": "r1", **shape})
    for name, sound in files.values():
        _asset(resources, name, sound)
    event = ElementTree.SubElement(ElementTree.SubElement(root, "library"), "event", name=title)
    project = ElementTree.SubElement(event, "project", name=title)
    sequence = ElementTree.SubElement(
        project, "sequence", format="r1", tcStart="0s", tcFormat="NDF",
        audioLayout=LAYOUTS.get(sounds[0].channels, "surround"),
        audioRate=RATES.get(sounds[0].sample_rate, "48k"),
    )  # fmt: skip
    spine = ElementTree.SubElement(sequence, "spine")
    last = 0
    for clip in framed(played, sounds, rate, exact=True):
        offset, last, own = clip.first / rate, clip.last, files[clip.sound.path]
        length = (clip.last - clip.first) / rate
        if film is None or clip.seen is None or (own == film and clip.seen == clip.begin):
            entry = _fcpxml_clip(spine, own, offset, clip.begin, length)
        else:  # the film's picture, and the sound below it
            shown = _fcpxml_clip(spine, film, offset, clip.seen, length)
            shown.set("srcEnable", "video")
            entry = _fcpxml_clip(shown, own, clip.seen, clip.begin, length)
            entry.set("lane", "-1")
            if own == film:
                entry.set("srcEnable", "audio")
        entry.set("audioRole", "dialogue")
        if clip.part.name:
            entry.set("name", clip.part.name)
    sequence.set("duration", _time(last / rate))
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE fcpxml>\n{text}\n'


def _asset(resources: ElementTree.Element, name: str, sound: Sound) -> None:
    asset = ElementTree.SubElement(
        resources, "asset", id=name, name=sound.path.stem, src=sound.path.resolve().as_uri(),
        start="0s", duration=_time(sound.length), hasAudio="1", audioSources="1",
        audioChannels=str(sound.channels), audioRate=str(sound.sample_rate),
    )  # fmt: skip
    if sound.pictures:
        asset.set("hasVideo", "1")
        asset.set("format", "r1")


def _fcpxml_clip(
    parent: ElementTree.Element,
    asset: tuple[str, Sound],
    offset: Fraction,
    start: Fraction,
    length: Fraction,
) -> ElementTree.Element:
    return ElementTree.SubElement(
        parent, "asset-clip", ref=asset[0], name=asset[1].path.stem, offset=_time(offset),
        start=_time(start), duration=_time(length),
    )  # fmt: skip


def _time(seconds: Fraction) -> str:
    return f"{seconds.numerator}/{seconds.denominator}s" if seconds else "0s"
