"""A project as a page is told of it: when it is opened, changed by another page, or saved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from a3t.projects.document import (
    MAX_CHANGES,
    MAX_CHARACTERS,
    Correction,
    Draft,
)
from a3t.projects.store.project_state import SpeakerTrack
from a3t.projects.take_record import ShownTake
from alignment.result import DOUBTFUL_BELOW
from app.studio.project_listening import Progress
from app.studio.voice_learning import VoiceOffer


@dataclass(frozen=True, kw_only=True)
class SavedScript:
    """A project's changes as a page needs them when it has saved.

    edits: with their keys and those of their takes. corrections: those that wait. now: the server's
    time. refused: the numbers of the steps that were refused just now.
    """

    revision: int
    edits: tuple[Mapping[str, object], ...]
    corrections: tuple[Correction, ...]
    now: float
    refused: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ShownScript(SavedScript):
    """A project's changes as a page needs them when another page has changed them.

    draft: the text in its field. takes, failures: by the changes' keys. making: the keys of the
    changes that are being made.
    """

    draft: Draft | None
    takes: Mapping[str, Sequence[ShownTake]]
    failures: Mapping[str, str]
    making: Sequence[str]


@dataclass(frozen=True)
class DocumentLimits:
    """The most changes, and characters of one; the confidence below which a word is doubtful."""

    changes: int = MAX_CHANGES
    characters: int = MAX_CHARACTERS
    doubtful_below: float = DOUBTFUL_BELOW


def kind_of(file: str) -> str:
    """Return the ending with which a recording is exported as it was recorded."""
    return ".flac" if file.endswith(".flac") else ".wav"


@dataclass(frozen=True)
class SoundShape:
    """The sound that a page plays, seconds long.

    kind, file_channels, sample_bytes: of the file that is exported as it was recorded.
    """

    sample_rate: int
    channels: int
    samples: int
    seconds: float
    kind: str
    file_channels: int
    sample_bytes: int


@dataclass(frozen=True, kw_only=True)
class ShownProject(ShownScript):
    """A project as a page shows it when it is opened.

    version: of its last event. film: seconds of pictures before the sound, None without pictures.
    pronunciations: of words, as the user wrote them. names: the list of names. marks: whether the
    punctuation that was restored is shown, None if none was. tells_speakers: whether speakers can
    be told apart here.
    """

    id: str
    name: str
    version: int
    limits: DocumentLimits = field(default_factory=DocumentLimits)
    sound: SoundShape | None
    listening: Progress
    tokens: Sequence[Sequence[object]]
    film: float | None
    offered: str | None
    pronunciations: Mapping[str, str]
    names: str
    marks: bool | None
    tells_speakers: bool
    recordings: Sequence[Mapping[str, object]]
    tracks: tuple[SpeakerTrack, ...]
    voice: VoiceOffer
    done: Sequence[Mapping[str, object]]
    undone: Sequence[Mapping[str, object]]
    first_id: int
