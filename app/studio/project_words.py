"""What a project's recording says, put right: words, times, marks, and who says them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from a3t.errors import InputError
from a3t.projects import document
from a3t.source.diarisation import require_packages
from a3t.text.normaliser.unspoken import is_name
from app import texts
from app.processes.worker import WorkerProcess
from app.service import without_folder
from app.studio.corrections import Correction, moved_token
from app.studio.open_project import OpenProject
from app.studio.project_listening import OPENING
from app.studio.storage.heard_tokens import IDS, HeardPart, with_marks, with_speakers
from app.studio.work import worker_tasks as tasks
from app.studio.work.take_orders import recording_of


class WordCorrections:
    """Corrects a project's transcript; nothing is made."""

    def __init__(self, project: OpenProject) -> None:
        self.project = project

    def correct_all(self) -> None:
        """Align the corrections that wait, in their order. They wait in the document until that is
        done, so that a server that was killed does it again."""
        for wanted in self.project.document.corrections:
            self._correct(wanted)

    def _correct(self, wanted: document.Correction) -> None:
        project = self.project

        def run(editor: WorkerProcess) -> None:
            with project.lock:
                edited = {token for change in project.changes for token in change.tokens}
                correction = Correction.of(wanted, project.tokens(), edited)
            made = correction.heard(editor, project.sound())
            with project.lock:
                words = correction.among(project.folder.heard(correction.part), made)
                project.rewrite(correction.part, words, corrected=True)
                if any("speaker" in token for token in words.tokens):
                    self._name({})  # a turn begins with its name
                self._corrected(wanted)

        def refused(sentence: str) -> None:
            self._corrected(wanted)
            project.events.refuse(f"“{wanted.text}”: {sentence}")

        project.add_job(project.quick, OPENING, f"correct {wanted.name}", run, refused)

    def _corrected(self, wanted: document.Correction) -> None:
        with self.project.lock:
            after = self.project.document.without(wanted)
            self.project.folder.keep(after)
        waiting = [each.to_json() for each in after.corrections]
        self.project.events.tell(kind="corrections", corrections=waiting)

    def marks(self) -> bool | None:
        """True if the transcript has the punctuation that was restored; None if none was."""
        tokens = self.project.tokens()
        restored = any("marked" in token or "unmarked" in token for token in tokens)
        return not self.project.about.get("plain") if restored else None

    def mark(self, data: Any) -> None:
        """The transcript has the punctuation that was restored, or hasn't."""
        project, marked = self.project, data.get("marks") is not False
        with project.lock:
            project.folder.write("project.json", project.about | {"plain": not marked})
            for part in range(len(project.about.get("parts", []))):
                if project.is_heard(part):
                    project.rewrite(part, with_marks(project.folder.heard(part), marked))
            project.events.tell(kind="marks", marks=self.marks())

    def move(self, data: Any) -> dict[str, float]:
        """A word's own times, between its neighbours'; returns the times that it had."""
        project, sound = self.project, self.project.sound()
        with project.lock:
            seconds = sound.samples / sound.sample_rate
            part, moved, was = moved_token(data, project.tokens(), seconds)
            own = project.folder.heard(part)
            rewritten = [moved if t["id"] == moved["id"] else t for t in own.tokens]
            project.rewrite(part, HeardPart(rewritten, own.pauses))
        return was

    def speakers(self, data: Any) -> None:
        """Tokens are said by others, or by nobody that is named; without names, tell by the sound
        who says what, in the background. InputError for what is no name, or can't be told."""
        if "names" not in data:
            self._tell_speakers(data.get("count"))
            return
        try:
            named = {int(token): str(name) for name, tokens in data["names"] for token in tokens}
        except (KeyError, TypeError, ValueError, OverflowError):
            raise InputError(texts.WRONG_FIELDS) from None
        if not all(not name or is_name(name) for name in named.values()):
            raise InputError(texts.NO_NAME)
        self._name(named)

    def _tell_speakers(self, wanted: Any) -> None:
        require_packages()
        project = self.project
        if not project.is_all_heard:
            raise InputError(texts.NOT_HEARD_YET)
        recording = recording_of(project.folder.path, project.about)
        count = wanted if type(wanted) is int else None

        def run(editor: WorkerProcess) -> None:
            with without_folder(project.folder.path):
                names = editor.ask(tasks.tell_speakers, recording, project.heard(), count)
            self._name(names)
            project.events.tell(kind="speakers")

        shown = project.events.is_shown
        project.add_job(project.lane, OPENING, "speakers", run, is_awaited=shown)

    def _name(self, names: Mapping[int, str]) -> None:
        project = self.project
        with project.lock:
            after = with_speakers(project.tokens(), names)
            for part in range(len(project.about.get("parts", []))):
                own = [token for token in after if token["id"] // IDS == part]
                heard = project.folder.heard(part)
                if own != heard.tokens:
                    project.rewrite(part, HeardPart(own, heard.pauses))
