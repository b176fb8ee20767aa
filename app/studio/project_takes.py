"""Makes the takes of a project's changes in the background."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from a3t.errors import InputError
from a3t.plan.options import EditOptions, option_of
from a3t.projects.close_changes import made_as_one
from a3t.projects.document import (
    Change,
    MissingWordsError,
    Step,
    changes_to,
)
from a3t.projects.rewriting import rewritten
from a3t.projects.store.project_state import ProjectState
from a3t.projects.store.pronunciations import (
    MAX_SAID_CHARACTERS,
    WORD_PATTERN,
    SaidWord,
    SaidWords,
)
from a3t.projects.store.words import HeardWords
from a3t.projects.take_record import ShownTake, TakeRecord
from a3t.source.records import LONG
from a3t.text.transcript import parsed
from app import texts
from app.processes.lanes import MAKING
from app.processes.request_jobs import Watch
from app.processes.worker import WorkerProcess
from app.service import without_folder
from app.studio.open_project import OpenProject
from app.studio.sent import Sent
from app.studio.work import worker_tasks as tasks
from app.studio.work.take_orders import (
    NEAR,
    TakeJob,
    TakeWish,
    job_of,
    moved_reach,
    placed_sources,
    recorded_reach,
    settings_of,
    sources_for,
)

LATER = 1000  # an urgency
MAX_LENGTHS = 8  # of one change's takes that are kept, which undo brings back


class TakeMaking:
    """Makes the takes of a project's changes in the background.

    failures: of changes that could not be made, a sentence each, by their keys.
    """

    def __init__(self, project: OpenProject) -> None:
        self.project = project
        self.failures: dict[str, str] = {}

    def make_missing(self) -> None:
        """Make a take of every change that has none, those of a text that was handed over first."""
        if self.project.state.handed and self.project.is_all_heard:
            self._make_handed()
            return
        if self.project.is_all_heard:
            self._refuse_gone()
        missing = [
            change
            for key, change in self._made().items()
            if not self._takes(key) and key not in self.failures
        ]
        heard = self.project.heard() if missing else None  # once: an hour's words take a while
        for change in missing:
            self.make(change, heard)

    def _refuse_gone(self) -> None:
        """Say of every change whose words are gone that it fails, until they are there again."""
        made, gone = self.project.made_as_one(), str(MissingWordsError())
        for key in {change.key for change in self.project.changes} - made.keys():
            if self.failures.get(key) != gone and not self._takes(key):
                self._failed(key, gone)
        for key in [key for key in made if self.failures.get(key) == gone]:
            del self.failures[key]

    def handed(self) -> tuple[Change, ...]:
        """Return the changes that make the text that was handed over."""
        wanted = parsed(self.project.state.offered or "")
        return changes_to(self.project.tokens(), wanted)

    def _make_handed(self) -> None:
        """Make the text that was handed over as Quick edit made it: as a whole.

        Each change has its share of it. A recording of several passages is left to `make_missing`:
        there the whole is not looked at.
        """
        project, folder = self.project, self.project.folder
        heard = project.heard()
        made = made_as_one(self.handed(), project.shown()).values()
        changes = {change.key: change for change in made}

        def end(sentence: str = "") -> None:
            folder.update(ProjectState, lambda state: replace(state, handed=False))
            for key in changes:
                self._tell(key)
            self.make_missing()

        recording, given = folder.recording(), project.document.settings
        if not changes or recording.seconds > LONG:
            end()
            return
        everything = len(heard.tokens), len(heard.tokens)
        candidates = option_of(EditOptions, "candidates").read(given.get("candidates"))
        jobs = [
            (replace(job, request=asked), folder.take_folder(key, 0))
            for key, change in changes.items()
            for job in [self._job(change, heard, everything)]
            for asked in [replace(job.request, moves=True, candidates=candidates)]
        ]

        def run(editor: WorkerProcess) -> None:
            with without_folder(folder.path):
                editor.ask(tasks.make_whole_text, jobs, project.state.offered)
            end()

        models = settings_of(given)[1]
        project.add_job(project.quick, MAKING, "whole text", run, end, models=models)

    def make(
        self,
        change: Change,
        heard: HeardWords | None = None,
        wish: TakeWish | None = None,
    ) -> None:
        """Make a take of a change in the background; its first one, or another that is wished."""
        project, folder = self.project, self.project.folder
        said, is_first = wish.said if wish else None, wish is None

        def failed(sentence: str) -> None:
            if said is not None:
                folder.discard(said)
            self._failed(change.key, sentence)

        if not is_first:
            self.failures.pop(change.key, None)
        models = settings_of(project.document.settings)[1]
        folder.next_take(change.key)  # InputError: there are too many
        try:
            heard = heard or project.heard()
            searched = is_first and change.recorded is None
            moved = moved_reach(change, heard) if searched else None
            job = self._job(change, heard, moved or (NEAR, NEAR), wish or TakeWish())
            if searched and not job.request.fit:  # else it takes the time that it took
                others = () if moved else sources_for(change, heard, project.sources())
                moves = bool(moved or others)
                job = replace(job, request=replace(job.request, moves=moves), others=others)
        except InputError as error:
            if project.is_all_heard:  # otherwise its words may still come
                failed(str(error))
            return

        def run(editor: WorkerProcess) -> None:
            number, takes = folder.next_take(change.key), folder.takes(change.key)
            if takes and is_first:
                return
            level = next((t.level for t in takes if t.words), None) if said is None else None
            into = folder.take_folder(change.key, number)
            with without_folder(folder.path):
                made = editor.ask(tasks.make_take, replace(job, number=number, level=level), into)
            self._tell(change.key)
            if number == 0 and made.spans:
                self._make_recorded(change)

        # The first take once; of others one for each request.
        name = f"take {change.key} {'' if is_first else secrets.token_hex(4)}"
        project.add_job(
            project.quick,
            MAKING,
            name,
            run,
            failed,
            models=models,
            makes=change.key,
            watch=Watch(step=lambda step: project.events.tell(kind="making", key=change.key)),
        )

    def _job(
        self,
        change: Change,
        heard: HeardWords,
        reach: tuple[int, int] = (NEAR, NEAR),
        wish: TakeWish = TakeWish(),  # noqa: B008  (frozen)
    ) -> TakeJob:
        project, document = self.project, self.project.document
        settings, sound = settings_of(document.settings)[0], project.state.sound
        is_film = sound is not None and sound.film is not None
        request = replace(
            settings,
            pronunciations=project.folder.pronunciations,
            fit=settings.fit or is_film,  # or it can't be shown
        )
        recording = project.folder.recording()
        beside = [each for key, each in self._made().items() if key != change.key]
        is_whole = wish.said is None and (not wish.varied or change.is_typed)
        others, taken = placed_sources(change, project.sources()) if is_whole else ((), ())
        channels = recording.channels if sound is None else sound.channels
        more = {"recording": recording, "channels": channels, "request": request}
        more |= {"others": others, "taken": taken, "tracks": project.state.tracks}
        return job_of(change, beside, heard, reach, is_whole, **more, **vars(wish))

    def _make_recorded(self, change: Change) -> None:
        """Make takes of a few words that are recorded elsewhere, when nothing else waits."""
        project, folder = self.project, self.project.folder

        def run(editor: WorkerProcess) -> None:
            heard = project.heard()
            reach = recorded_reach(change, heard) if change.recorded is None else None
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
        if self._takes(key):  # another take than those that it has
            self.project.events.tell(kind="refused", key=key, sentence=sentence)
            return
        self.failures[key] = sentence
        self.project.events.tell(kind="failed", key=key, sentence=sentence)

    def again(self, key: str, sent: Sent) -> None:
        """Make another take of a change that is in the list, perhaps longer or shorter."""
        change, takes = self._change(key), self.project.folder.takes(key)
        wish = TakeWish.of(sent, takes)
        made = self.project.made_as_one()
        chosen = {own.take for own in self.project.changes if made.get(own.key) == change}
        lengths = [take.number for take in takes if take.base is not None]
        for number in lengths[: 1 - MAX_LENGTHS] if wish.base is not None else ():
            if number not in chosen:
                self.project.folder.discard(self.project.folder.take_folder(key, number))
        self.make(change, None, wish)

    def say(self, key: str, source: Path) -> None:
        """Make another take of a change, of its words as somebody has said them in a recording."""
        change, folder = self._change(key), self.project.folder
        folder.next_take(change.key)  # InputError: there are too many
        path = folder.said_path(source)
        with self.project.lock:  # or it is forgotten before it is used
            folder.keep_said(source, path)
            self.make(change, None, TakeWish(said=path))

    def rewritten(self, changes: Sequence[Change], rows: Sequence[Any], step: Step) -> Step:
        """Return a step after which the changes are written as the words are now, with their takes.

        rows: the tokens as they were `shown` before it.
        """
        fields = step.now
        if not fields or step.undo or step.redo or fields.marks is fields.capitals is None:
            return step
        now = rewritten(changes, rows, self.project.shown(), fields.capitals is False)
        for old, new in now.same.items():
            written = dict(zip(old.text.split(), new.text.split(), strict=False))
            self.project.folder.copy_takes(self._takes(old.key), old.key, new.key, written)
            self._tell(new.key)
        between = Step.between(changes, now.changes, step.label)
        return replace(step, gone=between.gone, come=between.come)

    def _change(self, key: str) -> Change:
        """Return the change that has this key, alone or made of several; InputError for none."""
        return self._made().get(key) or self.project.document.change(key)

    def _made(self) -> dict[str, Change]:
        """Return the changes whose takes are made, by their keys."""
        return {change.key: change for change in self.project.made_as_one().values()}

    def pronounce(self, sent: Sent) -> None:
        """Pronounce a word otherwise from now on; changes that have it get another take.

        Raises InputError for what is no word.
        """
        project, folder = self.project, self.project.folder
        word = sent.text("word").lower()
        if not WORD_PATTERN.fullmatch(word):
            raise InputError(texts.NO_WORD)
        said = sent.text("said")[:MAX_SAID_CHARACTERS]

        def run(editor: WorkerProcess) -> None:
            phones = editor.ask(tasks.phones_said, said)
            with project.lock:
                known = folder.read(SaidWords).words
                folder.write(SaidWords(known | {word: SaidWord(said, phones)}))
                project.events.tell(kind="pronounced", pronunciations=self.said_as())
                for key, change in self._made().items():
                    takes = self._takes(key)
                    if any(word == each.text for take in takes for each in take.words):
                        self.make(change, None, TakeWish())

        project.add_job(project.quick, MAKING, f"pronounce {word}", run)

    def said_as(self) -> dict[str, str]:
        """Return each word's pronunciation as the user wrote it."""
        said = self.project.folder.read(SaidWords).words
        return {word: each.said for word, each in said.items()}

    def shown(self, key: str) -> list[ShownTake]:
        """Return a change's takes, without what only the worker needs."""
        return [take.shown() for take in self._takes(key)]

    def _takes(self, key: str) -> list[TakeRecord]:
        """Return a change's takes; none, and a failure, if one can't be read."""
        try:
            return self.project.folder.takes(key)
        except InputError as error:
            self.failures[key] = str(error)
            return []

    def chosen(self) -> list[Path]:
        """Return the folders of the takes that are heard.

        Raises InputError while one is missing, or if one can't be made.
        """
        made, wanted = self.project.made_as_one(), dict[str, int | None]()
        for change in self.project.changes:
            key = made.get(change.key, change).key
            if key in self.failures and not self.project.folder.takes(key):
                what = change.text or texts.A_DELETION
                raise InputError(texts.NOT_MADE.format(what=what, why=self.failures[key]))
            own = change.take if (change.take_of or change.key) == key else None
            wanted[key] = own if wanted.get(key) is None else wanted[key]
        return [self._folder(key, number) for key, number in wanted.items()]

    def _folder(self, key: str, wanted: int | None) -> Path:
        numbers = [take.number for take in self.project.folder.takes(key)]
        if not numbers:
            raise InputError(texts.NOT_MADE_YET)
        number = wanted if wanted in numbers else numbers[0]
        return self.project.folder.take_folder(key, number)
