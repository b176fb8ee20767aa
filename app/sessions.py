"""One person's work: the recording, every accepted state of it, and what was made last."""

from __future__ import annotations

import filecmp
import os
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

from a3t.errors import InputError
from a3t.plan.edit_plan import EditPlan
from alignment import Alignment
from app import texts
from app.changes import plain

MOST_VERSIONS = 50  # of a history; the oldest are forgotten


@dataclass(frozen=True)
class EditMark:
    """An edit's place in one recording, seconds; `words` is what to write there."""

    op: str
    start: float
    end: float
    words: str = ""


@dataclass(frozen=True)
class Take:
    """One of the results to choose from, written to files."""

    name: str
    audio: Path
    files: tuple[Path, ...]
    alignment: Alignment
    source_marks: tuple[EditMark, ...]
    output_marks: tuple[EditMark, ...]
    doubtful: tuple[str, ...] = ()  # new words that are hardly heard in it
    made: tuple[tuple[float, float], ...] = ()  # seconds of the new words
    doubts: tuple[str, ...] = ()  # sentences: what was doubtful in the recording at the edits


@dataclass(frozen=True)
class Version:
    """A state of the recording that one can go back to."""

    audio: Path
    label: str
    text: str = ""  # "" until it is known
    alignment: Alignment | None = None
    files: tuple[Path, ...] = ()
    records: tuple[Path, ...] = ()  # the edit.json of every edit that led here


@dataclass
class Session:
    """All that one visitor's page works on; its files lie in `folder`, which nobody else knows."""

    folder: Path
    stem: str
    versions: list[Version]
    position: int = 0
    plan: EditPlan | None = None
    takes: tuple[Take, ...] = ()
    chosen: int = 0
    start: float = 0.0  # seconds: where the shown part of the recording begins
    made: int = 0  # folders of results so far
    upload: str | None = None  # what the page calls the recording that it began with

    @property
    def current(self) -> Version:
        return self.versions[self.position]

    @property
    def take(self) -> Take | None:
        return self.takes[self.chosen] if self.takes else None

    @property
    def result_name(self) -> str:
        """What the next result is called: talk.edited, then talk.edited-2."""
        number = len(self.current.records) + 1
        return f"{self.stem}.edited" + (f"-{number}" if number > 1 else "")

    def began_with(self, upload: Path) -> bool:
        """Whether this is the recording that the session began with, under whatever name."""
        original = self.folder / f"{self.stem}{upload.suffix.lower()}"
        return original.is_file() and filecmp.cmp(upload, original, shallow=False)

    def touch(self) -> None:
        """Counts as used; raises InputError if its files are gone (limits.forget_old)."""
        if not self.current.audio.is_file():
            raise InputError(texts.EXPIRED)
        os.utime(self.folder)

    def learn(self, text: str, alignment: Alignment | None) -> None:
        """What the current recording says and where; another text makes plans and takes void."""
        self.versions[self.position] = replace(self.current, text=text, alignment=alignment)
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
        """The chosen take becomes the recording; what was undone before is forgotten."""
        if self.take is None or self.plan is None:
            raise InputError(texts.NOTHING_MADE)
        take = self.take
        records = tuple(path for path in take.files if path.name.endswith(".edit.json"))
        version = Version(
            take.audio,
            label,
            plain(self.plan.new_text.text),
            take.alignment,
            take.files,
            (*self.current.records, *records),
        )
        self.versions = [*self.versions[: self.position + 1], version][-MOST_VERSIONS:]
        self.position = len(self.versions) - 1
        self.forget_takes()

    def step(self, by: int) -> None:
        """Undo (-1) or redo (+1); at either end nothing happens."""
        position = min(max(self.position + by, 0), len(self.versions) - 1)
        if position != self.position:
            self.position = position
            self.forget_takes()

    def downloads(self) -> list[Path]:
        """What there is to take home: of the take that is heard, else of the accepted version."""
        own = self.take.files if self.take is not None else self.current.files
        return [*own, *(path for path in self.current.records if path not in own)]

    def close(self) -> None:
        """Deletes the files."""
        shutil.rmtree(self.folder, ignore_errors=True)


def close_session(session: Session | None) -> None:
    if session is not None:
        session.close()
