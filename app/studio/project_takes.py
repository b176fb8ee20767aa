"""The takes of a project's changes: their first ones, further ones, and those that are recorded
elsewhere."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from a3t.errors import InputError
from a3t.projects.document import Change
from app import texts
from app.processes.lanes import MAKING
from app.processes.progress import Watch
from app.processes.worker import WorkerProcess
from app.service import without_folder
from app.studio.open_project import OpenProject
from app.studio.storage.heard_tokens import HeardPart
from app.studio.storage.project_pronunciations import (
    MAX_SAID_CHARACTERS,
    own_pronunciations,
    remember_pronunciation,
    said_as,
    word_of,
)
from app.studio.take_settings import settings_of
from app.studio.work import worker_tasks as tasks
from app.studio.work.take_orders import (
    NEAR,
    TakeJob,
    job_of,
    moved_reach,
    recorded_reach,
    take_options,
)

LATER = 1000  # an urgency


class TakeMaking:
    """Makes the takes of a project's changes in the background.

    failures: of changes that could not be made, a sentence each, by their keys.
    """

    def __init__(self, project: OpenProject) -> None:
        self.project = project
        self.failures: dict[str, str] = {}

    def make_missing(self) -> None:
        """Make a take of every change that has none."""
        missing = [
            change
            for key, change in self._made().items()
            if not self.project.folder.takes(key) and key not in self.failures
        ]
        heard = self.project.heard() if missing else None  # once: an hour's words take a while
        for change in missing:
            self.make(change, heard)

    def make(
        self,
        change: Change,
        heard: HeardPart | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """Make a take of a change in the background; its first one, or another with these fields
        of a `TakeJob`."""
        project, folder = self.project, self.project.folder
        if options is not None:
            self.failures.pop(change.key, None)
        models = settings_of(project.document.settings)[1]
        folder.next_take(change.key)  # InputError: there are too many
        try:
            heard = heard or project.heard()
            moved = None if options is not None else moved_reach(change, heard)
            job = self._job(change, heard, moved or (NEAR, NEAR), **options or {})
            if moved is not None and not job.request.fit:  # else it takes the time that it took
                job = replace(job, request=replace(job.request, moves=True))
        except InputError as error:
            if project.is_all_heard:  # otherwise its words may still come
                self._failed(change.key, str(error))
            return

        def run(editor: WorkerProcess) -> None:
            number, takes = folder.next_take(change.key), folder.takes(change.key)
            if takes and options is None:
                return
            level = next((take.level for take in takes if take.words), None)
            into = folder.take_folder(change.key, number)
            with without_folder(folder.path):
                made = editor.ask(tasks.make_take, replace(job, number=number, level=level), into)
            self._tell(change.key)
            if number == 0 and made.spans:
                self._make_recorded(change)

        # The first take once; of others one for each request.
        name = f"take {change.key} {'' if options is None else secrets.token_hex(4)}"
        project.add_job(
            project.quick,
            MAKING,
            name,
            run,
            lambda sentence: self._failed(change.key, sentence),
            models=models,
            watch=Watch(step=lambda step: project.events.tell(kind="making", key=change.key)),
        )

    def _job(
        self,
        change: Change,
        heard: HeardPart,
        reach: tuple[int, int] = (NEAR, NEAR),
        **options: Any,
    ) -> TakeJob:
        project, document = self.project, self.project.document
        settings = settings_of(document.settings)[0]
        request = replace(
            settings,
            pronunciations=own_pronunciations(project.folder),
            fit=settings.fit or project.about.get("film") is not None,  # or it can't be shown
        )
        recording = project.recording()
        others = [each for key, each in self._made().items() if key != change.key]
        return job_of(change, others, heard, reach, recording=recording, request=request, **options)

    def _make_recorded(self, change: Change) -> None:
        """Further takes of a few words that are recorded elsewhere, when nothing else is to do."""
        project, folder = self.project, self.project.folder

        def run(editor: WorkerProcess) -> None:
            heard = project.heard()
            reach = recorded_reach(change, heard)
            if reach is None:
                return
            job = self._job(change, heard, reach)
            if job.request.fit:  # they take the time that they took
                return
            job = replace(job, number=folder.next_take(change.key))
            into = folder.take_folder(change.key, 0).parent
            if editor.ask(tasks.make_recorded, job, into):
                self._tell(change.key)

        # Of a long recording where nobody's change waits for it: it takes as long as several takes.
        models = settings_of(project.document.settings)[1]
        more = {"models": models, "is_awaited": project.events.is_shown}
        name = f"recorded {change.key}"
        project.add_job(project.lane, LATER, name, run, lambda sentence: None, **more)

    def _tell(self, key: str) -> None:
        self.project.events.tell(kind="takes", key=key, takes=self.shown(key))

    def _failed(self, key: str, sentence: str) -> None:
        if self.project.folder.takes(key):  # another take than those that it has
            self.project.events.tell(kind="refused", key=key, sentence=sentence)
            return
        self.failures[key] = sentence
        self.project.events.tell(kind="failed", key=key, sentence=sentence)

    def again(self, key: str, data: Any) -> None:
        """Another take of a change that is in the list, perhaps longer or shorter."""
        given = data if isinstance(data, dict) else {}
        change = self._change(key)
        self.make(change, None, take_options(given, self.project.folder.takes(key)))

    def _change(self, key: str) -> Change:
        """The change that has this key, alone or made of several; InputError if there is none."""
        return self._made().get(key) or self.project.document.change(key)

    def _made(self) -> dict[str, Change]:
        """The changes of which takes are made, by their keys."""
        return {change.key: change for change in self.project.made_as_one().values()}

    def pronounce(self, data: Any) -> None:
        """A word is said otherwise in this project from now on; changes that have it get another
        take. InputError for what is no word."""
        project, folder = self.project, self.project.folder
        word = word_of(data)
        said = str(data.get("said", ""))[:MAX_SAID_CHARACTERS]

        def run(editor: WorkerProcess) -> None:
            phones = editor.ask(tasks.phones_said, said)
            with project.lock:
                remember_pronunciation(folder, word, said, phones)
                project.events.tell(kind="pronounced", pronunciations=said_as(folder))
                for key, change in self._made().items():
                    takes = folder.takes(key)
                    if any(word == each.text for take in takes for each in take.words):
                        self.make(change, None, {})

        project.add_job(project.quick, MAKING, f"pronounce {word}", run)

    def being_made(self) -> list[str]:
        """The keys of the changes of which takes are being made."""
        pending = self.project.quick.pending(self.project.folder.id)
        names = (name.split() for name in pending)
        return sorted({words[1] for words in names if words[0] == "take"})

    def shown(self, key: str) -> list[dict[str, Any]]:
        """A change's takes, without what only the worker needs."""
        return [take.shown() for take in self.project.folder.takes(key)]

    def chosen(self) -> list[Path]:
        """The folders of the takes that are heard; InputError while one is missing."""
        made, wanted = self.project.made_as_one(), dict[str, int | None]()
        for change in self.project.changes:
            key = made.get(change.key, change).key
            own = change.take if (change.take_of or change.key) == key else None
            wanted[key] = own if wanted.get(key) is None else wanted[key]
        return [self._folder(key, number) for key, number in wanted.items()]

    def _folder(self, key: str, wanted: int | None) -> Path:
        numbers = [take.number for take in self.project.folder.takes(key)]
        if not numbers:
            raise InputError(texts.NOT_MADE_YET)
        number = wanted if wanted in numbers else numbers[0]
        return self.project.folder.take_folder(key, number)
