"""The recordings beside a project's own: other sources of words, and tracks in step with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from a3t.errors import InputError
from a3t.plan.request import MAX_OTHERS
from a3t.projects.store.folder import SAID_FOLDER
from a3t.projects.store.recordings import FurtherRecording, HeardRecording, Recordings
from a3t.source.records import LONG
from app import limits, texts
from app.processes.worker import WorkerProcess
from app.service import without_folder
from app.studio.open_project import LISTENING, OpenProject
from app.studio.sent import Sent
from app.studio.work import worker_tasks as tasks


class FurtherRecordings:
    """The recordings beside a project's own: added, listened to in the background, removed."""

    def __init__(self, project: OpenProject) -> None:
        self.project = project

    def resume(self) -> None:
        """Listen to those that haven't been."""
        for each in self.project.folder.further:
            if not each.problem and self.project.folder.heard_in(each) == HeardRecording():
                self._hear(each)

    def shown(self) -> list[Mapping[str, object]]:
        """Return the recordings as a page lists them.

        `said`: what is heard in one, None until then.
        """
        found: list[Mapping[str, object]] = []
        for each in self.project.folder.further:
            heard = self.project.folder.heard_in(each)
            said = heard.source.text if heard.source else "" if heard.track else None
            found.append({**each.to_json(), "said": said})
        return found

    def add(self, source: Path, wanted: FurtherRecording, request: str = "") -> None:
        """Keep an uploaded recording, under another file name than `wanted` has.

        A request that is sent again adds nothing. Raises InputError if there are too many of its
        kind, or too long ones.
        """
        project, folder = self.project, self.project.folder
        with project.lock:
            path = folder.said_path(source, request)
            if any(each.file == path.name for each in folder.further):
                return
            alike = [each for each in folder.further if each.kind == wanted.kind]
            if len(alike) >= MAX_OTHERS:
                raise InputError(texts.TOO_MANY_RECORDINGS)
            limits.check_together(each.seconds for each in (*alike, wanted))
            folder.keep_said(source, path)
            added = replace(wanted, file=path.name)
            folder.write(Recordings((*folder.further, added)))
            self._tell()
            self._hear(added)

    def remove(self, data: Sent) -> None:
        """Remove a recording; takes with its words keep it."""
        project, folder = self.project, self.project.folder
        with project.lock:
            gone = [each for each in folder.further if each.file == data.get("file")]
            folder.write(Recordings(tuple(e for e in folder.further if e not in gone)))
            for each in gone:
                for lane in (project.quick, project.long):
                    lane.cancel(folder.id, self._job_name(each))
                folder.discard(folder.path / each.heard_name)
            project.forget_said()
            self._tell()

    def _hear(self, recording: FurtherRecording) -> None:
        project, folder = self.project, self.project.folder
        path = folder.path / SAID_FOLDER / recording.file

        def run(editor: WorkerProcess) -> None:
            with without_folder(path.parent):
                if recording.kind == "track":
                    heard = editor.ask(tasks.measure_track, path)
                else:
                    own = folder.pronunciations
                    heard = editor.ask(tasks.hear_source, path, recording.text, own)
            with project.lock:
                if recording in folder.further:
                    folder.write(heard, recording.heard_name)
                self._tell()

        def failed(sentence: str) -> None:
            problem = sentence.replace(path.name, recording.name)
            with project.lock:
                refused = replace(recording, problem=problem)
                told = (refused if each == recording else each for each in folder.further)
                folder.write(Recordings(tuple(told)))
                self._tell()

        lane = project.quick if recording.seconds <= LONG else project.long
        name, shown = self._job_name(recording), project.events.is_shown
        project.add_job(lane, LISTENING, name, run, failed, is_awaited=shown)

    def _job_name(self, recording: FurtherRecording) -> str:
        return f"hear {recording.file}"

    def _tell(self) -> None:
        self.project.events.tell(kind="recordings")  # what they say is long, and events are kept
