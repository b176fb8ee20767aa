"""Every visitor's projects."""

from __future__ import annotations

import re
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from a3t.errors import InputError
from a3t.projects.store.folder import DISK_FULL, MIN_FREE_BYTES, ProjectFolder
from a3t.projects.store.project_state import ProjectState

ID = re.compile(r"[0-9a-f]{24}")
MAX_PROJECTS = 100  # of one visitor

TOO_MANY_PROJECTS = "There is no room for more projects: delete one that you no longer need."


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
        """Yield a visitor's projects, or those of the bin."""
        folder = self.root / visitor
        for entry in folder.iterdir() if folder.is_dir() else ():
            if found := self.find(visitor, entry.name, binned):
                yield found

    def find(self, visitor: str, name: str, binned: bool = False) -> ProjectFolder | None:
        """Return a visitor's project, or one of the bin; None for anything else."""
        if not ID.fullmatch(name):
            return None
        folder = ProjectFolder(self.root / visitor / name)
        there = (folder.path / ProjectState.stored_in).is_file()
        return folder if there and folder.is_binned == binned else None

    def empty_bin(self, visitor: str) -> None:
        """Delete for good what has been in the bin for long enough."""
        for folder in list(self.of(visitor, binned=True)):
            with suppress(InputError):  # what can't be read says nothing of its age
                if folder.is_outdated:
                    folder.delete()

    def create(
        self, visitor: str, source: Path, fill: Callable[[Path], ProjectState]
    ) -> ProjectFolder:
        """Return a new project made of ``source``.

        ``fill`` writes its files into a folder and returns its project.json. Raises InputError if
        there is no room; then, or if ``fill`` fails, nothing is left.
        """
        if sum(1 for _ in self.of(visitor)) >= MAX_PROJECTS:
            raise InputError(TOO_MANY_PROJECTS)
        self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        if shutil.disk_usage(self.root).free < MIN_FREE_BYTES + 6 * source.stat().st_size:
            raise InputError(DISK_FULL)
        folder = ProjectFolder(self.root / visitor / secrets.token_hex(12))
        folder.path.mkdir(parents=True, mode=0o700)
        try:
            state = fill(folder.path)
            folder.touch()
            # It is a project from now on: a folder without this file is none.
            folder.write(replace(state, made=time.time()))
        except BaseException:
            folder.delete()
            raise
        return folder

    def copies(self, visitor: str, origin: str) -> list[ProjectFolder]:
        """Return a visitor's projects that are ``origin``, or came from a file of it."""
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
            found.append(
                RecentProject(
                    folder.id, state.name, seconds, folder.opened, edits, folder.is_binned
                )
            )
        return sorted(found, key=lambda each: -each.opened)
