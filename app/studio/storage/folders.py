"""A project as a folder: the original, what it says, the list of edits, and their takes.

    project.json        what the recording is, and how far it has been listened to
    script.json         the changes (`a3t.projects.document`), as the visitor left them
    words/0007.json     the words and pauses of the recording's eighth part, with their times
    takes/KEY/2/        the third take of an edit: take.json, patch.npy, sound.pcm, and
                        request.json, by which it can be made again
    said/               what was recorded for takes, and other recordings
    recordings.json, recordings/    what these are, and what is heard in them
    sound.pcm, peaks.bin    what the page plays and draws
    bin.json            when it was thrown away, if it was

Every file is written beside and renamed, so whatever kills the server leaves the last state whole.
"""

from __future__ import annotations

import json
import re
import secrets
import shutil
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta

from a3t.audio.output.files import atomic_path
from a3t.errors import InputError
from a3t.projects.document import Document
from a3t.projects.take_record import MAX_TAKES, TakeRecord, Text
from alignment.serialisation import Record, from_json
from app import limits, texts
from app.studio.storage.heard_tokens import HeardPart

ID = re.compile(r"[0-9a-f]{24}")
TAKE = re.compile(r"([0-9a-f]{16})-(\d{1,3})")
SCRIPT = "script.json"
TAKE_FILE, REQUEST = "take.json", "request.json"  # in a take's folder
SAID = "said"
ENDING = re.compile(r"\.[a-z0-9]{1,8}")  # of what is in it
SAID_NAME = re.compile(rf"said-[0-9a-f]{{12}}({ENDING.pattern})?")
FURTHER = "recordings.json"
LOUD = ".loud"  # in the name of an exported sound that was brought to a loudness
BIN, BIN_SECONDS = "bin.json", 7 * 24 * 3600.0  # the time of what was thrown away is kept for
MAX_PROJECTS = 100  # of one visitor
MIN_FREE_BYTES = 1_000_000_000  # bytes that stay free on the disk


@dataclass(frozen=True)
class FurtherRecording(Record):
    """A recording beside the project's own: one whose words can be pasted (a source), or another
    speaker's track, which stays in step with it.

    file: in SAID. name: what it was called. seconds: its length. text: its transcript, "" to
    recognise it. problem: why it can't be used, if it can't.
    """

    kind: Literal["source", "track"]
    file: Annotated[str, Meta(pattern=rf"^{SAID_NAME.pattern}\Z")]
    name: Annotated[str, Meta(max_length=120)]
    seconds: Annotated[float, Meta(ge=0)]
    text: Annotated[str, Meta(max_length=limits.MAX_CHARACTERS)] = ""
    problem: Text = ""

    @property
    def heard_name(self) -> str:
        """The file of what is heard in it: of a source an `OtherRecording`, of a track its sha256
        and where it is `loud` (`TrackActivity`)."""
        return f"recordings/{self.file}.json"


@dataclass(frozen=True)
class ProjectFolder:
    """The files of one project; the names that they are asked for by are never a request's."""

    path: Path

    @property
    def id(self) -> str:
        return self.path.name

    def read(self, name: str, otherwise: Any = None) -> Any:
        """A file of JSON; `otherwise` if it isn't there or was not written by this program."""
        try:
            return json.loads((self.path / name).read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return otherwise

    def write(self, name: str, value: Any) -> None:
        """A file of JSON; InputError if the project has been deleted."""
        if not self.path.is_dir():
            raise InputError(texts.NO_PROJECT)
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_path(path) as temporary:
            temporary.write_text(json.dumps(value, ensure_ascii=True), encoding="utf-8")

    @property
    def about(self) -> dict[str, Any]:
        """project.json."""
        return dict(self.read("project.json", {}))

    @property
    def original(self) -> Path:
        """The recording as it came."""
        return self.path / str(self.about["file"])

    def heard(self, part: int) -> HeardPart:
        """The words of a part; none if it hasn't been listened to."""
        return HeardPart.from_json(self.read(words_name(part), []))

    @property
    def further(self) -> tuple[FurtherRecording, ...]:
        """The recordings beside its own, in the order in which they came."""
        try:
            return from_json(tuple[FurtherRecording, ...], self.read(FURTHER, []))
        except ValueError:
            return ()

    def keep_further(self, recordings: Iterable[FurtherRecording]) -> None:
        """Write recordings.json."""
        self.write(FURTHER, [each.to_json() for each in recordings])

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
        """Delete the recordings for takes of other changes than those with these keys, and what
        belongs to no take and isn't listed."""
        named = {f"{SAID}/{each.file}" for each in self.further}
        for path in self.path.glob(f"takes/*/*/{REQUEST}"):
            said = list(said_for(self.read(str(path.relative_to(self.path)))))
            if path.parts[-3] in keys:
                named.update(said)
            elif said:
                shutil.rmtree(path.parent)
        for path in self.path.glob(f"{SAID}/*"):
            if f"{SAID}/{path.name}" not in named:
                path.unlink()

    def take_folder(self, key: str, number: int) -> Path:
        return self.path / "takes" / key / str(number)

    def takes(self, key: str) -> list[TakeRecord]:
        """The records of a change's takes, the first made first; none that can't be read."""
        found = []
        folder = self.path / "takes" / key
        for entry in folder.iterdir() if folder.is_dir() else ():
            if entry.name.isdecimal():
                with suppress(ValueError):
                    kept = self.read(f"takes/{key}/{entry.name}/{TAKE_FILE}")
                    found.append(TakeRecord.from_json(kept))
        return sorted(found, key=lambda take: take.number)

    def next_take(self, key: str) -> int:
        """The number of the next take; InputError if there are too many."""
        number = 1 + max((take.number for take in self.takes(key)), default=-1)
        if number >= MAX_TAKES:
            raise InputError(texts.TOO_MANY_TAKES)
        return number

    @property
    def document(self) -> Document:
        """script.json, of whatever version; empty if it was not written by this program."""
        try:
            return Document.from_json(self.read(SCRIPT, {}))
        except InputError:
            return Document()

    def keep(self, document: Document) -> None:
        """Write script.json."""
        self.write(SCRIPT, document.to_json())

    def touch(self) -> None:
        self.write("opened.json", time.time())

    def delete(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)


def said_for(request: Any) -> Iterator[str]:
    """The recordings that a take was made of, by their names in the project's folder."""
    for other in (request or {}).get("asked", {}).get("others", ()):
        yield f"{SAID}/{Path(other['path']).name}"


def words_name(part: int) -> str:
    return f"words/{part:04d}.json"


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
        there = (folder.path / "project.json").is_file()
        return folder if there and (folder.path / BIN).is_file() == binned else None

    def empty_bin(self, visitor: str) -> None:
        """Delete for good what has been in the bin for long enough."""
        for folder in list(self.of(visitor, binned=True)):
            if float(folder.read(BIN, 0.0)) + BIN_SECONDS < time.time():
                folder.delete()

    def create(
        self, visitor: str, source: Path, fill: Callable[[Path], Mapping[str, Any]]
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
            about = fill(folder.path)
            folder.touch()
            # It is a project from now on: a folder without this file is none.
            folder.write("project.json", {"id": folder.id, "made": time.time(), **about})
        except BaseException:
            folder.delete()
            raise
        return folder

    def copies(self, visitor: str, origin: str) -> list[ProjectFolder]:
        """A visitor's projects that are `origin`, or came from a file of it."""
        return [each for each in self.of(visitor) if origin in (each.id, each.about.get("origin"))]

    def recent(self, visitor: str) -> list[dict[str, Any]]:
        """A visitor's projects for the start, the last opened first, and those in the bin."""
        found = []
        self.empty_bin(visitor)
        for folder in (*self.of(visitor), *self.of(visitor, binned=True)):
            about = folder.about
            opened = folder.read("opened.json", about.get("made", 0.0))
            found.append(
                {
                    "id": folder.id,
                    "name": about.get("name", ""),
                    "seconds": about.get("seconds"),
                    "opened": opened,
                    "edits": len(folder.document.changes),
                    "binned": folder.read(BIN) is not None,
                }
            )
        return sorted(found, key=lambda each: -float(each["opened"]))
