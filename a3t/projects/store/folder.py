"""A project as a folder: the original, what it says, the list of edits, and their takes.

    project.json        what the recording is, and how far it has been listened to
    script.json         the changes (`a3t.projects.document`), as the visitor left them
    words/0007.json     the words and pauses of the recording's eighth part, with their times
    takes/KEY/2/        the third take of an edit: take.json, patch.npy, sound.pcm, and
                        request.json, by which it can be made again
    said/               what was recorded for takes, and other recordings
    recordings.json, recordings/    what these are, and what is heard in them
    pronunciations.json, names.json how words are said, and names that are listened for
    sound.pcm, peaks.bin    what the page plays and draws
    bin.json            when it was thrown away, if it was
    bin/                what was taken out of it, kept for as long

Every file is written beside and renamed, so whatever kills the server leaves the last state whole.
"""

from __future__ import annotations

import secrets
import shutil
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from a3t.audio.output.files import atomic_path
from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.plan.request import FORMAT, Pronunciations
from a3t.projects.document import Document
from a3t.projects.store.folder_lock import lock_of
from a3t.projects.store.pcm_sound import PcmSound
from a3t.projects.store.project_state import OpenedSound, ProjectState
from a3t.projects.store.pronunciations import Names, SaidWords, spoken_as
from a3t.projects.store.record_files import StoredRecord, read_file, write_json
from a3t.projects.store.recordings import (
    ENDING,
    FurtherRecording,
    HeardRecording,
    Recordings,
)
from a3t.projects.store.words import HeardWords
from a3t.projects.take_record import MAX_TAKES, TakeRecord
from alignment.atomic import staging
from alignment.serialisation import Record

TAKE_FILE, REQUEST = "take.json", "request.json"  # in a take's folder
SAID_FOLDER = "said"
LOUD = ".loud"  # in the name of an exported sound that was brought to a loudness
MIX = ".mix"  # in the name of one in which all speakers' tracks are heard together
OPENED_FILE = "opened.json"  # whose time is that of the last opening
BIN, BIN_S = "bin.json", 7 * 24 * 3600.0  # the time of what was thrown away is kept for
OWN_BIN = "bin"  # in a project's folder: what was taken out of it, for as long
MIN_FREE_BYTES = 1_000_000_000  # that stay free on the disk

NO_PROJECT = "There is no such project here: it was deleted, or it belongs to somebody else."
DISK_FULL = "The disk is nearly full: delete projects that you no longer need, or free some space."
NOT_OPENED_YET = "The recording is still being opened: wait a moment."
TOO_MANY_TAKES = "This change can't have more takes: choose one of them."

Stored = TypeVar("Stored", bound=StoredRecord)


@dataclass(frozen=True)
class _OtherFile(Record):
    """Another recording that a take was made of; path: where it lay."""

    path: str


@dataclass(frozen=True)
class _AskedOthers(Record):
    """The other recordings that a take was made of."""

    others: tuple[_OtherFile, ...] = ()


@dataclass(frozen=True)
class TakeOrder(StoredRecord):
    """What a take's order (request.json, `a3t.projects.takes.Take`) needs of its project."""

    asked: _AskedOthers = _AskedOthers()

    @classmethod
    def newest(cls) -> int:
        """Return the format of a request."""
        return FORMAT

    @property
    def said(self) -> tuple[str, ...]:
        """The recordings that the take was made of, by their names in the project's folder."""
        return tuple(f"{SAID_FOLDER}/{Path(other.path).name}" for other in self.asked.others)


@dataclass(frozen=True)
class ProjectFolder:
    """The files of one project; the names that they are asked for by are never a request's."""

    path: Path

    @property
    def id(self) -> str:
        """The project's name, which nobody can guess."""
        return self.path.name

    @property
    def lock(self) -> AbstractContextManager[None]:
        """The folder's lock, to be held by whoever reads something and writes it back."""
        return lock_of(self.path)()

    def read(self, kind: type[Stored]) -> Stored:
        """Return the project's record of a kind, an empty one if there is no such file.

        Raises InputError if it can't be read (`StoredRecord.read`).
        """
        return kind.read(self.path / kind.stored_in)

    def write(self, record: StoredRecord, name: str = "") -> None:
        """Write a record into the file of its kind, or of this name.

        Raises InputError if the project has been deleted.
        """
        self._write_json(name or record.stored_in, record.to_json())

    def update(self, kind: type[Stored], function: Callable[[Stored], Stored]) -> Stored:
        """Change the project's record of a kind and return it; nobody else changes it meanwhile."""
        with self.lock:
            record = function(self.read(kind))
            self.write(record)
            return record

    def _write_json(self, name: str, value: object) -> None:
        if not self.path.is_dir():
            raise InputError(NO_PROJECT)
        write_json(self.path / name, value)

    @property
    def state(self) -> ProjectState:
        """project.json."""
        return self.read(ProjectState)

    @property
    def document(self) -> Document:
        """script.json."""
        return self.read(Document)

    @property
    def original(self) -> Path:
        """The recording as it came."""
        return self.path / self.state.file

    @property
    def _opened_sound(self) -> OpenedSound:
        sound = self.state.sound
        if sound is None:
            raise InputError(NOT_OPENED_YET)
        return sound

    def sound(self) -> PcmSound:
        """Return the samples that are played; raise InputError while it is being opened."""
        sound = self._opened_sound
        path = self.path / "sound.pcm"
        return PcmSound(path, sound.sample_rate, sound.channels, sound.samples)

    def recording(self) -> Recording:
        """Return the original, checked when it came; raise InputError while it is being opened."""
        sound = self._opened_sound
        return Recording(
            self.original,
            sound.sample_rate,
            sound.file_channels,
            sound.samples,
            sound.subtype,
            sound.container,
            sound.track,
        )

    def heard(self, part: int) -> HeardWords:
        """Return the words of a part; none if it hasn't been listened to."""
        return HeardWords.read(self.path / words_name(part))

    @property
    def further(self) -> tuple[FurtherRecording, ...]:
        """The recordings beside its own, in the order in which they came."""
        return self.read(Recordings).recordings

    def heard_in(self, recording: FurtherRecording) -> HeardRecording:
        """Return what is heard in a recording beside its own, nothing until then."""
        return HeardRecording.read(self.path / recording.heard_name)

    @property
    def pronunciations(self) -> Pronunciations:
        """The pronunciations for a request."""
        return spoken_as(self.read(Names), self.read(SaidWords))

    def said_path(self, source: Path, request: str = "") -> Path:
        """Return the path at which another recording is kept, for one request always the same."""
        name = sha256(request.encode()).hexdigest()[:12] if request else secrets.token_hex(6)
        ending = ENDING.fullmatch(source.suffix.lower())
        return self.path / SAID_FOLDER / f"said-{name}{ending[0] if ending else ''}"

    def require_room(self, source: Path) -> None:
        """Raise InputError unless the disk has room for a copy of a file."""
        if shutil.disk_usage(self.path).free < MIN_FREE_BYTES + source.stat().st_size:
            raise InputError(DISK_FULL)

    def keep_said(self, source: Path, path: Path) -> None:
        """Copy another recording to such a path; raise InputError if there is no room."""
        self.require_room(source)
        path.parent.mkdir(exist_ok=True)
        with atomic_path(path) as temporary:
            shutil.copyfile(source, temporary)

    def forget_said(self, keys: Collection[str]) -> None:
        """Discard the recordings for takes of other changes than those with these keys.

        So is what belongs to no take and isn't listed. Everything is read before anything is moved.
        """
        named = {f"{SAID_FOLDER}/{each.file}" for each in self.further}
        gone: list[Path] = []
        for path in self.path.glob(f"takes/*/*/{REQUEST}"):
            said = TakeOrder.read(path).said
            if path.parts[-3] in keys:
                named.update(said)
            elif said:
                gone.append(path.parent)
        said_files = self.path.glob(f"{SAID_FOLDER}/*")
        gone += [path for path in said_files if f"{SAID_FOLDER}/{path.name}" not in named]
        for path in gone:
            self.discard(path)
        for entry in self.path.glob(f"{OWN_BIN}/*"):
            if float(entry.name) + BIN_S < time.time():
                shutil.rmtree(entry)

    def discard(self, path: Path) -> None:
        """Move a file or folder of the project to its own bin, if it is there."""
        target = self.path / OWN_BIN / f"{time.time():.6f}" / path.relative_to(self.path)
        if path.exists():
            target.parent.mkdir(parents=True)
            path.rename(target)

    def take_folder(self, key: str, number: int) -> Path:
        """Return the folder of a change's take."""
        return self.path / "takes" / key / str(number)

    def takes(self, key: str) -> list[TakeRecord]:
        """Return the records of a change's takes, the first made first.

        Raises InputError for one that can't be read.
        """
        folder = self.path / "takes" / key
        entries = folder.iterdir() if folder.is_dir() else ()
        files = (entry / TAKE_FILE for entry in entries if entry.name.isdecimal())
        takes = [TakeRecord.read(file) for file in files if file.is_file()]
        return sorted(takes, key=lambda take: take.number)

    def copy_takes(
        self, takes: Sequence[TakeRecord], key: str, other: str, written: Mapping[str, str]
    ) -> None:
        """Give takes of one change to another, unless it has some.

        written: the words of the one as the other writes them.
        """
        target = self.path / "takes" / other
        if target.exists() or not takes:
            return
        with staging(target.parent) as stage:
            for take in takes:
                number = str(take.number)
                shutil.copytree(self.take_folder(key, take.number), stage / other / number)
                write_json(stage / other / number / TAKE_FILE, take.written(written).to_json())
            (stage / other).rename(target)

    def next_take(self, key: str) -> int:
        """Return the number of the next take; raise InputError if there are too many."""
        used = {take.number for take in self.takes(key)}
        number = 1 + max(used, default=-1)
        if number >= MAX_TAKES:  # that of one that is there no longer
            number = min({*range(MAX_TAKES)} - used, default=MAX_TAKES)
        if number == MAX_TAKES:
            raise InputError(TOO_MANY_TAKES)
        return number

    @property
    def opened(self) -> float:
        """The time of its last opening."""
        path = self.path / OPENED_FILE
        return (path if path.is_file() else self.path).stat().st_mtime

    def touch(self) -> None:
        """Note that it is opened now."""
        self._write_json(OPENED_FILE, time.time())

    @property
    def is_binned(self) -> bool:
        """Whether it lies in the bin."""
        return (self.path / BIN).is_file()

    def bin(self) -> None:
        """Put the project into the bin, from which it comes back for BIN_S."""
        self._write_json(BIN, time.time())

    @property
    def is_outdated(self) -> bool:
        """Whether it has been in the bin for long enough; raise InputError if unreadable."""
        return read_file(self.path / BIN, float, time.time()) + BIN_S < time.time()

    def restore(self) -> None:
        """Take the project out of the bin."""
        (self.path / BIN).unlink()

    def delete(self) -> None:
        """Delete it for good."""
        shutil.rmtree(self.path, ignore_errors=True)


def words_name(part: int) -> str:
    """Return the name of the file of a part's words."""
    return f"words/{part:04d}.json"
