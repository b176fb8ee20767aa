"""A project's own state (project.json): its recording, and how far that has been listened to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from a3t.projects.store.record_files import StoredRecord
from a3t.spans import Span
from alignment.serialisation import OMITTED, Record


@dataclass(frozen=True)
class OpenedSound(Record):
    """A recording that has been opened: the file's sound, and what the page plays of it.

    channels: of what is played. seconds: its length. file_channels, subtype, container, track: of
    the file, as in `Recording`. film: seconds of pictures before the sound, None without pictures.
    """

    sample_rate: int
    channels: int
    samples: int
    seconds: float
    file_channels: int
    subtype: str
    container: str
    track: int | None = None
    film: float | None = None


@dataclass(frozen=True)
class PackedSound(Record):
    """What a project's file said of its sound, until that is opened, and the parts of its words."""

    sample_rate: int
    file_channels: int
    samples: int
    parts: tuple[Span, ...]


@dataclass(frozen=True)
class SpeakerTrack(Record):
    """A speaker's track: some of the recording's channels.

    name: the speaker's, as a transcript has it. file: in which it came, in the project's folder, ""
    once it is joined to the others, which gives it its channels. level: the power of its speech.
    sha256: of that file.
    """

    name: str
    file: str = field(default="", metadata=OMITTED)
    channels: int = 0
    level: float = 1.0
    sha256: str = field(default="", metadata=OMITTED)


@dataclass(frozen=True)
class ProjectState(StoredRecord):
    """What a project is.

    file: the recording's, in the folder. made: the time. text: the transcript that was given.
    offered: a new text that the page offers, or makes at once if it is `handed` over. origin: the
    project whose file it came from. plain: whether restored marks are left out. places: whether the
    pieces of the text have been found. parts: the samples of each part that is listened to. sound:
    None until it is opened. tracks: of which the recording consists, if of several. first_id: of
    its tokens; those of the transcripts that it had before had lower ones. voice: the one that was
    learnt from the recording. voice_declined: whether none is to be offered.
    """

    stored_in = "project.json"

    file: str = ""
    name: str = ""
    made: float = 0.0
    text: str = ""
    offered: str | None = None
    origin: str | None = None
    plain: bool = False
    places: bool = False
    parts: tuple[Span, ...] = ()
    sound: OpenedSound | None = None
    packed: PackedSound | None = None
    handed: bool = field(default=False, metadata=OMITTED)
    tracks: tuple[SpeakerTrack, ...] = field(default=(), metadata=OMITTED)
    first_id: int = field(default=0, metadata=OMITTED)
    voice: str = field(default="", metadata=OMITTED)
    voice_declined: bool = field(default=False, metadata=OMITTED)


def _from_1(data: Mapping[str, Any]) -> dict[str, Any]:
    """Format 1 had no number, and the sound's fields beside the others."""
    known = {each.name: data.get(each.name) for each in fields(OpenedSound)}
    return {**data, "sound": known if "samples" in data else None}


ProjectState.migrations = (_from_1,)
