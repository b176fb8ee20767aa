"""All projects of all visitors, and the queues that work on them."""

from __future__ import annotations

import secrets
import shutil
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from a3t.audio.output.files import safe_name, safe_stem
from a3t.errors import InputError
from a3t.example import NEW_TEXT, RECORDING, TEXT
from a3t.projects.document import Document
from a3t.projects.store.folder import NO_PROJECT, ProjectFolder
from a3t.projects.store.packed_project import PROJECT_SUFFIX, manifest_of, pack, unpack
from a3t.projects.store.project_state import ProjectState
from a3t.projects.store.projects import Projects
from a3t.projects.store.recordings import FurtherRecording
from app import limits, texts
from app.processes.worker import run_in_sandbox
from app.service import Service, without_folder
from app.studio.live_sessions import LiveSessions
from app.studio.project import Project
from app.studio.project_listening import transcript_in, transcript_lines
from app.studio.recogniser_fetch import RecogniserFetch
from app.studio.sent import Sent
from app.studio.speaker_tracks import first_track, with_track
from app.studio.work.take_orders import settings_of

MAX_TRACKS = 8  # that come with a recording
MAX_OPEN = 64  # open projects in memory; one holds little


class ThereAlreadyError(Exception):
    """The visitor has this project already."""

    def __init__(self, folder: ProjectFolder) -> None:
        super().__init__(folder.id)
        edits = len(folder.document.changes)
        self.told = {"name": folder.state.name, "edits": edits}


class Studio:
    """All visitors' projects below `folder`, opened as they are asked for.

    What is uploaded is found by a visitor's name for it alone: no path comes from a request, and
    none is told.
    """

    def __init__(self, service: Service, folder: Path) -> None:
        self.service = service
        self.projects = Projects(folder)
        self.lanes = service.quick, service.long, service.learning
        self.makes_voices = False  # whether visitors may make some: all may use them
        self.recogniser, self.live = RecogniserFetch(), LiveSessions()
        self._open: dict[str, Project] = {}
        self._uploads: dict[tuple[str, str], tuple[Path, str]] = {}
        self._lock = threading.Lock()

    def place_for_upload(self, name: str) -> Path:
        """Return the path at which a new upload is to be written."""
        return self.service.request_folder() / safe_name(name)

    def keep_upload(self, visitor: str, path: Path, name: str) -> str:
        """Remember a visitor's upload for an hour, with its name there; return its name here."""
        upload = secrets.token_hex(12)
        with self._lock:
            here = self._uploads.items()
            self._uploads = {key: each for key, each in here if each[0].is_file()}
            self._uploads[visitor, upload] = path, Path(name).name or path.name
        return upload

    def uploaded(self, visitor: str, data: Sent, most: int | None = None) -> tuple[Path, str]:
        """Return the file that a request means, and what it was called.

        most: megabytes. Raises InputError for a larger file, or none.
        """
        most = limits.MAX_MEGABYTES if most is None else most
        path, name = self._uploads.get((visitor, data.text("upload")), (None, ""))
        if path is None or not path.is_file():
            raise InputError(texts.NOT_UPLOADED)
        if path.stat().st_size > most * 1_000_000:
            raise InputError(texts.too_large(most))
        return path, name

    def create(self, visitor: str, data: Sent) -> Project:
        """Make a project of an uploaded recording, with its text if one is given; InputError."""
        source, name = self.uploaded(visitor, data)
        if source.suffix.lower() == ".zip":
            return self._unpacked(visitor, source, data.get("onto"))
        text, told = transcript_lines(data.text("text")), data.get("tracks")
        others = told[:MAX_TRACKS] if isinstance(told, list) else ()
        beside = [self.uploaded(visitor, Sent({"upload": each})) for each in others]
        for path, _ in beside:
            limits.check_upload(str(path), self.service.folder)
        return self._create(visitor, source, name, ProjectState(text=text), beside=beside)

    def example(self, visitor: str) -> Project:
        """Make a project of the sentence in `a3t.example`."""
        state = ProjectState(text=TEXT, offered=NEW_TEXT)
        return self._create(visitor, RECORDING, f"example{RECORDING.suffix}", state)

    def project_of(
        self,
        visitor: str,
        recording: str | None,
        text: str,
        new_text: str | None = None,
        settings: dict[str, Any] | None = None,
    ) -> str:
        """Return the name of a new project of an upload and its text.

        A new text is made in it with these settings as soon as the words are known. InputError.
        """
        source = limits.check_upload(recording, self.service.folder)
        state = ProjectState(
            text=transcript_lines(text), offered=new_text, handed=new_text is not None
        )
        return self._create(visitor, source, source.name, state, settings).folder.id

    def _create(
        self,
        visitor: str,
        source: Path,
        name: str,
        state: ProjectState,
        settings: dict[str, Any] | None = None,
        beside: Sequence[tuple[Path, str]] = (),
    ) -> Project:
        file = safe_name(name)

        def fill(folder: Path) -> ProjectState:
            shutil.copyfile(source, folder / file)
            tracks = first_track(source, name) if beside else ()
            for path, called in beside:
                tracks = with_track(tracks, folder, path, called)
            if settings:
                ProjectFolder(folder).write(Document(settings=settings))
            title = ", ".join([name, *(called for _, called in beside)])[:120]
            return replace(state, name=title, file=file, tracks=tracks)

        return self._opened(self.projects.create(visitor, source, fill))

    def _unpacked(self, visitor: str, source: Path, onto: object) -> Project:
        """Make a project from its file.

        onto: what becomes of the project that the visitor has already: "replace", or "both" to keep
        it; else ThereAlreadyError is raised.
        """
        most = 3 * limits.MAX_MEGABYTES * 1_000_000
        told = run_in_sandbox(manifest_of, source)
        earlier = self.projects.copies(visitor, told.id)
        if earlier and onto not in ("replace", "both"):
            raise ThereAlreadyError(earlier[0])

        def fill(stage: Path) -> ProjectState:
            state, new = run_in_sandbox(unpack, source, stage, most), ProjectFolder(stage)
            try:
                settings_of(new.document.settings)
            except InputError:  # a voice or a model that isn't here
                new.update(Document, lambda document: replace(document, settings={}))
            return state

        with without_folder(source.parent):
            folder = self.projects.create(visitor, source, fill)
        if onto == "replace":
            for each in earlier:
                self.delete(visitor, each.id)
        return self._opened(folder)

    def packed(self, project: Project) -> Path:
        """Pack the project into one file, which is kept for an hour."""
        name = f"{safe_stem(project.folder.state.file)}{PROJECT_SUFFIX}"
        target = self.service.request_folder() / name
        pack(project.folder, target)
        return target

    def find(self, visitor: str, name: str) -> Project | None:
        """Return a visitor's project; None if there is none of that name."""
        folder = self.projects.find(visitor, name)
        return None if folder is None else self._opened(folder)

    def _opened(self, folder: ProjectFolder) -> Project:
        with self._lock:
            project = self._open.pop(folder.id, None)
            if project is None:
                folder.touch()
                quick, long, learning = self.lanes
                project = Project(folder, quick, long, learning if self.makes_voices else None)
            self._open[folder.id] = project  # the last used comes last
            idle = [name for name, each in self._open.items() if each.is_idle]
            idle = [name for name in idle if name != folder.id]
            for name in idle[: max(0, len(self._open) - MAX_OPEN)]:
                del self._open[name]
        return project

    def why_not(self, name: str) -> str:
        """Return why a project is missing: its recording can't be edited, or it is unknown."""
        project = self._open.get(name)
        return (project and project.listening.problem) or NO_PROJECT

    def delete(self, visitor: str, name: str) -> bool:
        """Put a project into the bin, or delete it from there; return whether there is one."""
        if binned := self.projects.find(visitor, name, binned=True):
            binned.delete()
        elif folder := self.projects.find(visitor, name):
            with self._lock:
                project = self._open.pop(name, None)
            for lane in self.lanes:
                lane.cancel(name)
            folder.bin()
            if project is not None:
                project.events.tell(kind="gone", sentence=texts.GONE_ELSEWHERE, binned=True)
        else:
            return False
        return True

    def restore(self, visitor: str, name: str) -> bool:
        """Bring a project back from the bin, and return whether it was there."""
        folder = self.projects.find(visitor, name, binned=True)
        if folder is None:
            return False
        for lane in self.lanes:
            lane.unblock(name)
        folder.restore()
        return True

    def say(self, visitor: str, project: Project, data: Sent) -> None:
        """Make a take of a change, of its words as they are said in an uploaded recording."""
        source, _ = self.uploaded(visitor, data)
        limits.check_upload(str(source), self.service.folder)
        project.takes.say(data.text("key"), source)

    def add(self, visitor: str, project: Project, data: Sent) -> None:
        """Add an uploaded recording beside the project's own.

        Or as a track.
        """
        source, name = self.uploaded(visitor, data)
        limits.check_upload(str(source), self.service.folder)
        seconds = run_in_sandbox(limits.stated_length, source)
        kind: Literal["source", "track"] = "track" if data.get("kind") == "track" else "source"
        if kind == "track" and project.listening.add_track(source, name):
            return
        text = transcript_lines(data.text("text"))
        wanted = FurtherRecording(kind, "", name[:120], seconds, text)
        project.further.add(source, wanted, data.text("request"))

    def text_from(self, visitor: str, data: Sent) -> str:
        """Read the words of an uploaded transcript in a bounded process; InputError."""
        path, _ = self.uploaded(visitor, data, limits.MAX_TEXT_MEGABYTES)
        with without_folder(path.parent):
            return run_in_sandbox(transcript_in, path)
