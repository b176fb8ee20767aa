"""One visitor's work: the recording, every accepted version of it, and the latest takes."""

from __future__ import annotations

import filecmp
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from a3t.errors import InputError
from alignment import Alignment
from app import texts

if TYPE_CHECKING:  # what these need is loaded with the models
    from a3t.plan.edit_plan import EditPlan
    from a3t.projects.history import History
    from a3t.rendering.edited import EditedRecording

MOST_VERSIONS = 50  # of a history, the original included


@dataclass(frozen=True)
class EditMark:
    """An edit's place in one recording, seconds; `words` is what to write there."""

    op: str
    start: float
    end: float
    words: str = ""


@dataclass(frozen=True)
class Take:
    """One of the results to choose from, written to files; an edit of the original.

    result: with the original's edits of all versions before. record: its edit.json. source_marks
    and output_marks: where it differs from the current version, in the seconds of either.
    """

    name: str
    audio: Path
    files: tuple[Path, ...]
    alignment: Alignment
    result: EditedRecording
    record: Mapping[str, Any]
    source_marks: tuple[EditMark, ...]
    output_marks: tuple[EditMark, ...]


@dataclass(frozen=True)
class Version:
    """A state of the recording to go back to: the original, or an edit of it.

    text: as it was typed, "" until it is known. result and record: None for the original.
    """

    audio: Path
    label: str
    text: str = ""
    alignment: Alignment | None = None
    files: tuple[Path, ...] = ()
    result: EditedRecording | None = None
    record: Mapping[str, Any] | None = None


@dataclass
class Session:
    """Everything that one visitor's page works on; its files are in `folder`, a secret path."""

    folder: Path
    stem: str
    versions: list[Version]
    position: int = 0
    plan: EditPlan | None = None
    takes: tuple[Take, ...] = ()
    chosen: int = 0
    start: float = 0.0  # seconds: where the shown part of the recording begins
    made: int = 0  # folders of results so far
    upload: str | None = None  # the page's name for the recording that it began with

    @property
    def original(self) -> Version:
        """The recording as it came; every version is an edit of it."""
        return self.versions[0]

    @property
    def current(self) -> Version:
        return self.versions[self.position]

    @property
    def take(self) -> Take | None:
        return self.takes[self.chosen] if self.takes else None

    @property
    def history(self) -> History | None:
        """The accepted edits up to the current one; None if that is the original."""
        from a3t.projects.history import History

        accepted = self.versions[1 : self.position + 1]
        records = tuple(version.record for version in accepted if version.record is not None)
        return History(records, len(records) - 1) if records else None

    @property
    def result_name(self) -> str:
        """What results are called."""
        return f"{self.stem}.edited"

    def began_with(self, upload: Path) -> bool:
        """Whether this is the recording that the session began with, under whatever name."""
        original = self.folder / f"{self.stem}{upload.suffix.lower()}"
        return original.is_file() and filecmp.cmp(upload, original, shallow=False)

    def touch(self) -> None:
        """Mark it as used; raises InputError if its files are gone (`limits.forget_old`)."""
        if not self.current.audio.is_file():
            raise InputError(texts.EXPIRED)
        os.utime(self.folder)

    def learn(self, text: str, alignment: Alignment | None) -> None:
        """Remember what the original says and where; a different text makes plans, takes and undone
        edits void."""
        if text != self.original.text:
            self.versions, self.position = self.versions[:1], 0
        self.versions[0] = replace(self.original, text=text, alignment=alignment)
        self.forget_takes()

    def forget_takes(self) -> None:
        self.plan, self.takes, self.chosen = None, (), 0

    def new_folder(self) -> Path:
        """An empty folder for the files of one Make."""
        self.made += 1
        folder = self.folder / str(self.made)
        folder.mkdir()
        return folder

    def accept(self, label: str) -> None:
        """The chosen take becomes the current version; what was undone before is forgotten."""
        if self.take is None or self.plan is None:
            raise InputError(texts.NOTHING_MADE)
        if self.position + 1 >= MOST_VERSIONS:
            raise InputError(texts.TOO_MANY_VERSIONS)
        take = self.take
        version = Version(
            take.audio,
            label,
            self.plan.request.new_text,
            take.alignment,
            take.files,
            take.result,
            take.record,
        )
        self.versions = [*self.versions[: self.position + 1], version]
        self.position = len(self.versions) - 1
        self.forget_takes()

    def step(self, by: int) -> None:
        """Undo (-1) or redo (+1); at either end nothing happens."""
        position = min(max(self.position + by, 0), len(self.versions) - 1)
        if position != self.position:
            self.position = position
            self.forget_takes()

    def downloads(self) -> list[Path]:
        """The files to download: of the chosen take, else of the current version."""
        return list(self.take.files if self.take is not None else self.current.files)

    def close(self) -> None:
        """Deletes the files."""
        shutil.rmtree(self.folder, ignore_errors=True)


def close_session(session: Session | None) -> None:
    if session is not None:
        session.close()
