"""The recordings beside a project's own (recordings.json), and where a text is looked for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate
from typing import Annotated, Any, Literal

from msgspec import Meta

from a3t.plan.request import OtherRecording
from a3t.projects.store.record_files import StoredRecord
from a3t.projects.take_record import Text
from a3t.text.transcript import Transcript
from alignment.serialisation import Record

MAX_TRANSCRIPT_CHARACTERS = 200_000  # two hours of fast speech
ENDING = re.compile(r"\.[a-z0-9]{1,8}")  # of a file in the folder `said`
SAID_NAME = re.compile(rf"said-[0-9a-f]{{12}}({ENDING.pattern})?")


@dataclass(frozen=True)
class FurtherRecording(Record):
    """A recording beside the project's own: a source of words, or another speaker's track.

    A source's words can be pasted; a track stays in step with the recording. file: in the folder
    `said`. name: what it was called. seconds: its length. text: its transcript, "" to recognise it.
    problem: why it can't be used, if it can't.
    """

    kind: Literal["source", "track"]
    file: Annotated[str, Meta(pattern=rf"^{SAID_NAME.pattern}\Z")]
    name: Annotated[str, Meta(max_length=120)]
    seconds: Annotated[float, Meta(ge=0)]
    text: Annotated[str, Meta(max_length=MAX_TRANSCRIPT_CHARACTERS)] = ""
    problem: Text = ""

    @property
    def heard_name(self) -> str:
        """The file of what is heard in it.

        Of a source an `OtherRecording`, of a track its sha256 and where it is `loud`
        (`TrackActivity`).
        """
        return f"recordings/{self.file}.json"


@dataclass(frozen=True)
class Recordings(StoredRecord):
    """The recordings beside a project's own, in the order in which they came."""

    stored_in = "recordings.json"

    recordings: tuple[FurtherRecording, ...] = ()


@dataclass(frozen=True)
class Place(Record):
    """Samples [first, last) of a recording in which a piece of its transcript is looked for."""

    first: int
    last: int
    transcript: Transcript


@dataclass(frozen=True)
class Places(StoredRecord):
    """Where the pieces of a given transcript are looked for, in order (places.json)."""

    stored_in = "places.json"

    places: tuple[Place, ...] = ()

    @property
    def first_ids(self) -> list[int]:
        """The id of each piece's first token: its place in the text."""
        counts = (len({word.token for word in place.transcript.words}) for place in self.places)
        return [*accumulate(counts, initial=0)][:-1]


def _recordings_from_1(data: Any) -> dict[str, Any]:
    """Format 1 was a list."""
    return {"recordings": data}


def _places_from_1(data: Any) -> dict[str, Any]:
    """Format 1 was a list."""
    return {"places": data}


Recordings.migrations = (_recordings_from_1,)
Places.migrations = (_places_from_1,)


@dataclass(frozen=True)
class TrackSound(Record):
    """What is known of a track: its digest, and whether somebody is heard on it.

    loud: for each frame, 0 or 1 (`TrackActivity.written`).
    """

    sha256: str
    loud: str


@dataclass(frozen=True)
class HeardRecording(StoredRecord):
    """What is heard in a recording beside a project's own: a source, or a track."""

    source: OtherRecording | None = None
    track: TrackSound | None = None


def _heard_from_1(data: Any) -> dict[str, Any]:
    """Format 1 was a source's `OtherRecording`, or a track's sound."""
    return {"track" if "loud" in data else "source": data}


HeardRecording.migrations = (_heard_from_1,)
