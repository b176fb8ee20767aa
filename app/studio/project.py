"""A project in use: its document, and what listens to it, makes its takes and corrects its words.

Everything that a visitor does is written down before it is answered, so a page that is loaded
again, or a server that was killed, goes on where it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from a3t.audio.analysis.loudness import LEVELS
from a3t.errors import InputError
from a3t.projects.document import MAX_CHANGES, MAX_CHARACTERS, Change, Document, draft_of, steps_of
from app import limits, texts
from app.processes.lanes import EditorLane
from app.processes.worker import WorkerProcess
from app.service import without_folder
from app.studio.offered_changes import cleaning_of, find_changes
from app.studio.open_project import OpenProject
from app.studio.project_listening import Listening
from app.studio.project_takes import TakeMaking
from app.studio.project_words import WordCorrections
from app.studio.storage.folders import ProjectFolder
from app.studio.storage.project_pronunciations import said_as
from app.studio.take_settings import number, settings_of
from app.studio.work import worker_tasks as tasks

EXPORTING = 2  # urgency
AUDIO = (".wav", ".flac", ".mp3", ".m4a")  # what the sound may become
SHAPE = ("sample_rate", "channels", "samples", "seconds")


class Project:
    """One project: requests call its methods, and jobs change it from their threads.

    exported: the name of the zip that is ready.
    """

    def __init__(self, folder: ProjectFolder, quick: EditorLane, long: EditorLane) -> None:
        self.open = OpenProject(folder, quick, long)
        self.folder, self.events = folder, self.open.events
        self.takes = TakeMaking(self.open)
        self.listening = Listening(self.open, self.takes.make_missing)
        self.words = WordCorrections(self.open)
        self.exported: str | None = None
        self.listening.resume()
        self.words.correct_all()

    def state(self) -> dict[str, Any]:
        """The project as a page shows it when it is opened."""
        with self.open.lock:
            about = self.open.about
            return {
                "id": self.folder.id,
                "name": about.get("name", ""),
                "version": self.events.version,
                "limits": {"changes": MAX_CHANGES, "characters": MAX_CHARACTERS},
                "sound": {name: about[name] for name in SHAPE} if "samples" in about else None,
                "listening": self.listening.progress(),
                "tokens": self.open.shown(),
                "film": about.get("film"),
                "offered": about.get("offered"),
                "pronunciations": said_as(self.folder),
                "marks": self.words.marks(),
                "history": [step.to_json() for step in self.open.document.done],
                **self.script(),
            }

    def script(self) -> dict[str, Any]:
        """The changes, as a page shows them that another one has changed."""
        with self.open.lock:
            document, failures = self.open.document, self.takes.failures
            made = self.open.made_as_one()
            own = [change.key for change in document.changes]
            keys = [*dict.fromkeys([*own, *(change.key for change in made.values())])]
            return {
                **self._shown(document, made),
                "draft": document.draft and document.draft.to_json(),
                "takes": {key: self.takes.shown(key) for key in keys},
                "failures": {key: failures[key] for key in keys if key in failures},
                "making": self.takes.being_made(),
            }

    def save(self, data: Any, settings: Any) -> dict[str, Any]:
        """Take a page's steps, each once however often it is sent, and begin to make what is not
        made; the list as it is now."""
        steps, page = steps_of(data.get("steps", [])), str(data.get("page", ""))[:32]
        settings_of(settings)
        with self.open.lock:
            before = self.open.document
            after = replace(
                before.merged(steps, page),
                revision=before.revision + 1,
                settings=settings if isinstance(settings, dict) else {},
                draft=draft_of(data["draft"]) if "draft" in data else before.draft,
            )
            self.folder.keep(after)
            self.exported = None
            self.takes.make_missing()
            self.words.correct_all()
        self.events.tell(kind="saved", revision=after.revision)
        return self._shown(after, self.open.made_as_one())

    def _shown(self, document: Document, made: Mapping[str, Change]) -> dict[str, Any]:
        """The changes as a page needs them, with their keys and those of their takes, and the
        corrections that wait."""
        return {
            "revision": document.revision,
            "edits": [
                change.to_json() | {"key": key, "made": made.get(key, change).key}
                for change in document.changes
                for key in [change.key]
            ],
            "corrections": [each.to_json() for each in document.corrections],
        }

    def rename(self, data: Any) -> None:
        """Another name; InputError for none."""
        name = limits.required(str(data.get("name") or ""), texts.THE_NAME, texts.NAMELESS)
        with self.open.lock:
            self.folder.write(
                "project.json", self.open.about | {"name": " ".join(name.split())[:120]}
            )
        self.events.tell(kind="name", name=self.open.about["name"])

    def offered(self, data: Any) -> list[dict[str, Any]]:
        """Find what can be taken out of what has been listened to; nothing is changed."""
        heard = self.open.heard()
        recording = self.open.recording()
        with without_folder(self.folder.path):
            return find_changes(recording, heard, cleaning_of(data))

    def export(self, data: Any) -> None:
        """Begin to write the zip of everything: its sound of a `kind`, at a `loudness` (LUFS), with
        the `film` if that is wanted; `exported` is its name when it is there."""
        kind, film = str(data.get("kind") or ""), data.get("film") is True
        wanted = data.get("loudness")
        loudness = None if wanted is None else number(wanted, -16.0, *LEVELS)
        chosen = self.takes.chosen()
        if not self.open.is_all_heard:
            raise InputError(texts.NOT_HEARD_YET)
        about = self.open.about
        name = f"{limits.safe_stem(about['file'])}.edited"
        own = ".flac" if about["file"].endswith(".flac") else ".wav"
        suffix = kind if kind in AUDIO else own
        recording = self.open.recording()
        heard = self.open.heard()
        out = self.folder.path / "export"

        def run(editor: WorkerProcess) -> None:
            with without_folder(self.folder.path):
                made = editor.ask(
                    tasks.mix_down, recording, heard, chosen, out / name, suffix, film, loudness
                )
            self.exported = made.name
            self.events.tell(kind="exported", name=made.name)

        shown = self.events.is_shown
        self.open.add_job(self.open.lane, EXPORTING, "export", run, is_awaited=shown)
