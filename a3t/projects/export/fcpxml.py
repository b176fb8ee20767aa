"""A timeline as Final Cut Pro's XML (FCPXML 1.8; Apple, "FCPXML Reference").

All times are fractions of a second: clips begin and end with a picture of the timeline, as Final
Cut Pro wants it, and play from the very sample of their files. Later versions of it and DaVinci
Resolve read this one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from xml.etree import ElementTree

from a3t.projects.export.timelines import Played, Sound, framed, pictures_of

RATES = {32_000: "32k", 44_100: "44.1k", 48_000: "48k", 88_200: "88.2k", 96_000: "96k"}
LAYOUTS = {1: "mono", 2: "stereo"}
WIDTH, HEIGHT = "1280", "720"  # of the timeline; clips keep their own


def fcpxml_text(title: str, played: Iterable[Played], sounds: Sequence[Sound]) -> str:
    """The timeline as one project with a clip for each stretch; ``sounds``: its files."""
    rate = pictures_of(sounds)
    files = {sound.path: (f"r{number}", sound) for number, sound in enumerate(sounds, 2)}
    film = next((each for each in files.values() if each[1].pictures), None)
    root = ElementTree.Element("fcpxml", version="1.8")
    resources = ElementTree.SubElement(root, "resources")
    shape = {"frameDuration": _time(1 / rate), "width": WIDTH, "height": HEIGHT}
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
    for part, first, last in framed(played, rate):
        own, length = files[part.file], (last - first) / rate
        begin = _within(own[1], part.begin - part.start + first / rate)
        if film is None or part.picture is None or own == film:
            clip = _clip(spine, own, first / rate, begin, length)
        else:  # the film's picture, and the synthetic parts below it
            seen = _within(film[1], part.picture - part.start + first / rate)
            shown = _clip(spine, film, first / rate, seen, length)
            shown.set("srcEnable", "video")
            clip = _clip(shown, own, seen, begin, length)
            clip.set("lane", "-1")
        clip.set("audioRole", "dialogue")
        if part.name:
            clip.set("name", part.name)
    sequence.set("duration", _time(last / rate))
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE fcpxml>\n{text}\n'


def _asset(resources: ElementTree.Element, name: str, sound: Sound) -> None:
    length = Fraction(round(sound.seconds * sound.sample_rate), sound.sample_rate)
    asset = ElementTree.SubElement(
        resources, "asset", id=name, name=sound.path.stem, src=sound.path.resolve().as_uri(),
        start="0s", duration=_time(length), hasAudio="1", audioSources="1",
        audioChannels=str(sound.channels), audioRate=str(sound.sample_rate),
    )  # fmt: skip
    if sound.pictures:
        asset.set("hasVideo", "1")
        asset.set("format", "r1")


def _clip(
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


def _within(sound: Sound, second: float | Fraction) -> Fraction:
    """The nearest sample of a file, as a time."""
    sample = round(second * sound.sample_rate)
    return Fraction(max(sample, 0), sound.sample_rate)


def _time(seconds: Fraction) -> str:
    return f"{seconds.numerator}/{seconds.denominator}s" if seconds else "0s"
