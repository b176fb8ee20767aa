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

import re
import secrets
import shutil
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from a3t.audio.output.files import atomic_path
from a3t.errors import InputError
from a3t.plan.request import FORMAT, Pronunciations
from a3t.projects.document import Document
from a3t.projects.store.folder_lock import lock_of
from a3t.projects.store.project_state import ProjectState
from a3t.projects.store.pronunciations import Names, SaidWords, spoken_as
from a3t.projects.store.record_files import UnreadableError, read_file, write_json
from a3t.projects.store.recordings import (
    ENDING,
    FurtherRecording,
    HeardRecording,
    Place,
    Places,
    Recordings,
)
from a3t.projects.store.words import HeardWords
from a3t.projects.take_record import MAX_TAKES, TakeRecord
from app import texts

T = TypeVar("T")

ID = re.compile(r"[0-9a-f]{24}")
TAKE = re.compile(r"([0-9a-f]{16})-(\d{1,3})")
SCRIPT = "script.json"
TAKE_FILE, REQUEST = "take.json", "request.json"  # in a take's folder
SAID = "said"
STATE, FURTHER, PLACES = "project.json", "recordings.json", "places.json"
PRONUNCIATIONS, NAMES = "pronunciations.json", "names.json"
LOUD = ".loud"  # in the name of an exported sound that was brought to a loudness
OPENED = "opened.json"  # whose time is that of the last opening
BIN, BIN_SECONDS = "bin.json", 7 * 24 * 3600.0  # the time of what was thrown away is kept for
OWN_BIN = "bin"  # in a project's folder: what was taken out of it, for as long
MAX_PROJECTS = 100  # of one visitor
MIN_FREE_BYTES = 1_000_000_000  # bytes that stay free on the disk


@dataclass(frozen=True)
class ProjectFolder:
    """The files of one project; the names that they are asked for by are never a request's."""

    path: Path

    @property
    def id(self) -> str:
        return self.path.name

    def read(self, name: str, kind: type[T], otherwise: T, newest: int = 1) -> T:
        """Return a file of JSON, ``otherwise`` if it isn't there; InputError as `read_file`."""
        return read_file(self.path / name, kind, otherwise, newest)

    def write(self, name: str, value: Any) -> None:
        """A file of JSON; InputError if the project has been deleted."""
        if not self.path.is_dir():
            raise InputError(texts.NO_PROJECT)
        write_json(self.path / name, value)

    @property
    def state(self) -> ProjectState:
        """project.json."""
        return ProjectState.read(self.path / STATE)

    def update(self, function: Callable[[ProjectState], ProjectState]) -> None:
        """Change project.json; nobody else changes it meanwhile."""
        with lock_of(self.path)():
            self.write(STATE, function(self.state).to_json())

    @property
    def original(self) -> Path:
        """The recording as it came."""
        return self.path / self.state.file

    def heard(self, part: int) -> HeardWords:
        """The words of a part; none if it hasn't been listened to."""
        return HeardWords.read(self.path / words_name(part))

    @property
    def further(self) -> tuple[FurtherRecording, ...]:
        """The recordings beside its own, in the order in which they came."""
        return Recordings.read(self.path / FURTHER).recordings

    def heard_in(self, recording: FurtherRecording) -> HeardRecording:
        """Return what is heard in a recording beside its own, nothing until then."""
        return HeardRecording.read(self.path / recording.heard_name)

    @property
    def names(self) -> Names:
        """The names that are listened for."""
        return Names.read(self.path / NAMES)

    @property
    def said_words(self) -> SaidWords:
        """The words that are said otherwise."""
        return SaidWords.read(self.path / PRONUNCIATIONS)

    @property
    def pronunciations(self) -> Pronunciations:
        """The pronunciations for a request."""
        return spoken_as(self.names, self.said_words)

    @property
    def places(self) -> tuple[Place, ...]:
        """Where the pieces of the transcript that was given are looked for."""
        return Places.read(self.path / PLACES).places

    def keep_places(self, places: Iterable[Place]) -> None:
        """Write places.json."""
        self.write(PLACES, Places(tuple(places)).to_json())

    def keep_further(self, recordings: Iterable[FurtherRecording]) -> None:
        """Write recordings.json."""
        self.write(FURTHER, Recordings(tuple(recordings)).to_json())

    def keep_said(self, source: Path) -> Path:
        """A copy of another recording, as for a take; InputError if there is no room."""
        if shutil.disk_usage(self.path).free < MIN_FREE_BYTES + source.stat().st_size:
            raise InputError(texts.DISK_FULL)
        ending = ENDING.fullmatch(source.suffix.lower())
        path = self.path / SAID / f"said-{secrets.token_hex(6)}{ending[0] if ending else ''}"
        path.parent.mkdir(exist_ok=True)
        with atomic_path(path) as temporary:
            shutil.copyfile(source, temporary)
        return path

    def forget_said(self, keys: Collection[str]) -> None:
        """Discard the recordings for takes of other changes than those with these keys, and what
        belongs to no take and isn't listed. Everything is read before anything is moved."""
        named = {f"{SAID}/{each.file}" for each in self.further}
        gone: list[Path] = []
        for path in self.path.glob(f"takes/*/*/{REQUEST}"):
            said = list(said_for(self.order(path)))
            if path.parts[-3] in keys:
                named.update(said)
            elif said:
                gone.append(path.parent)
        said_files = self.path.glob(f"{SAID}/*")
        gone += [path for path in said_files if f"{SAID}/{path.name}" not in named]
        for path in gone:
            self.discard(path)
        self._empty_bin()

    def order(self, path: Path) -> dict[str, Any]:
        """Return the order of a take (request.json), as JSON; InputError as `read_file`."""
        return read_file(path, dict[str, Any], {}, FORMAT)

    def discard(self, path: Path) -> None:
        """Move a file or folder of the project to its own bin, if it is there."""
        target = self.path / OWN_BIN / f"{time.time():.6f}" / path.relative_to(self.path)
        if path.exists():
            target.parent.mkdir(parents=True)
            path.rename(target)

    def _empty_bin(self) -> None:
        """Delete for good what has been in the project's own bin for BIN_SECONDS."""
        for entry in self.path.glob(f"{OWN_BIN}/*"):
            if float(entry.name) + BIN_SECONDS < time.time():
                shutil.rmtree(entry)

    def take_folder(self, key: str, number: int) -> Path:
        return self.path / "takes" / key / str(number)

    def takes(self, key: str) -> list[TakeRecord]:
        """Return the records of a change's takes, the first made first; InputError for one that
        can't be read."""
        found = []
        folder = self.path / "takes" / key
        for entry in folder.iterdir() if folder.is_dir() else ():
            name = f"takes/{key}/{entry.name}/{TAKE_FILE}"
            if entry.name.isdecimal() and (kept := self.read(name, Any, None, 2)) is not None:
                found.append(self.as_record(name, TakeRecord.from_json, kept))
        return sorted(found, key=lambda take: take.number)

    def as_record(self, name: str, made: Callable[[Any], T], data: Any) -> T:
        """Return a file's JSON as a record; UnreadableError if it is none."""
        try:
            return made(data)
        except (InputError, ValueError, KeyError, TypeError):
            raise UnreadableError(self.path / name, "it is damaged") from None

    def next_take(self, key: str) -> int:
        """The number of the next take; InputError if there are too many."""
        number = 1 + max((take.number for take in self.takes(key)), default=-1)
        if number >= MAX_TAKES:
            raise InputError(texts.TOO_MANY_TAKES)
        return number

    @property
    def document(self) -> Document:
        """script.json, of this format or an earlier one; InputError if it can't be read."""
        return Document.read(self.path / SCRIPT)

    def keep(self, document: Document) -> None:
        """Write script.json."""
        self.write(SCRIPT, document.to_json())

    @property
    def opened(self) -> float:
        """The time of its last opening."""
        path = self.path / OPENED
        return (path if path.is_file() else self.path).stat().st_mtime

    def touch(self) -> None:
        self.write(OPENED, time.time())

    def bin(self) -> None:
        """Put the project into the bin, from which it comes back for BIN_SECONDS."""
        self.write(BIN, time.time())

    def delete(self) -> None:
        """Delete it for good."""
        shutil.rmtree(self.path, ignore_errors=True)


def said_for(request: Mapping[str, Any]) -> Iterator[str]:
    """The recordings that a take was made of, by their names in the project's folder."""
    for other in request.get("asked", {}).get("others", ()):
        yield f"{SAID}/{Path(other['path']).name}"


def words_name(part: int) -> str:
    return f"words/{part:04d}.json"


@dataclass(frozen=True)
class RecentProject:
    """A project as the start lists it; opened: the time of its last opening."""

    id: str
    name: str
    seconds: float | None
    opened: float
    edits: int
    binned: bool


@dataclass(frozen=True)
class Projects:
    """Every visitor's projects below one folder; each has a folder that only this program names."""

    root: Path

    def of(self, visitor: str, binned: bool = False) -> Iterator[ProjectFolder]:
        """A visitor's projects, or those of the bin."""
        folder = self.root / visitor
        for entry in folder.iterdir() if folder.is_dir() else ():
            if found := self.find(visitor, entry.name, binned):
                yield found

    def find(self, visitor: str, name: str, binned: bool = False) -> ProjectFolder | None:
        """A visitor's project, or one of the bin; None for anything else, whatever the name."""
        if not ID.fullmatch(name):
            return None
        folder = ProjectFolder(self.root / visitor / name)
        there = (folder.path / STATE).is_file()
        return folder if there and (folder.path / BIN).is_file() == binned else None

    def empty_bin(self, visitor: str) -> None:
        """Delete for good what has been in the bin for long enough."""
        for folder in list(self.of(visitor, binned=True)):
            with suppress(InputError):  # what can't be read says nothing of its age
                if folder.read(BIN, float, time.time()) + BIN_SECONDS < time.time():
                    folder.delete()

    def create(
        self, visitor: str, source: Path, fill: Callable[[Path], ProjectState]
    ) -> ProjectFolder:
        """A new project made of `source`: `fill` writes its files into a folder and returns its
        project.json. InputError if there is no room; then, or if `fill` fails, nothing is left."""
        if sum(1 for _ in self.of(visitor)) >= MAX_PROJECTS:
            raise InputError(texts.TOO_MANY_PROJECTS)
        self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        if shutil.disk_usage(self.root).free < MIN_FREE_BYTES + 6 * source.stat().st_size:
            raise InputError(texts.DISK_FULL)
        folder = ProjectFolder(self.root / visitor / secrets.token_hex(12))
        folder.path.mkdir(parents=True, mode=0o700)
        try:
            state = fill(folder.path)
            folder.touch()
            # It is a project from now on: a folder without this file is none.
            folder.write(STATE, replace(state, made=time.time()).to_json())
        except BaseException:
            folder.delete()
            raise
        return folder

    def copies(self, visitor: str, origin: str) -> list[ProjectFolder]:
        """A visitor's projects that are `origin`, or came from a file of it."""
        return [each for each in self.of(visitor) if origin in (each.id, each.state.origin)]

    def recent(self, visitor: str) -> list[RecentProject]:
        """Return a visitor's projects, the last opened first, and those in the bin."""
        found = []
        self.empty_bin(visitor)
        for folder in (*self.of(visitor), *self.of(visitor, binned=True)):
            state, edits = ProjectState(), 0
            with suppress(InputError):  # its sentence is said when it is opened
                state = folder.state
                edits = len(folder.document.changes)
            seconds = state.sound.seconds if state.sound else None
            is_binned = (folder.path / BIN).is_file()
            found.append(
                RecentProject(folder.id, state.name, seconds, folder.opened, edits, is_binned)
            )
        return sorted(found, key=lambda each: -each.opened)
