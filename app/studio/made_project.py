"""A project whose changes are made: their first takes, further ones, and those that are recorded
elsewhere."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import Any

from a3t.errors import InputError
from a3t.plan.request import EditRequest
from app import texts
from app.page_request import Models
from app.processes.lanes import MAKING
from app.processes.progress import Watch
from app.processes.worker import WorkerProcess
from app.service import without_folder
from app.studio.listened_project import ListenedProject
from app.studio.offered_changes import cleaning_of, find_changes
from app.studio.script import ScriptEdit, settings_of
from app.studio.storage.heard_tokens import HeardPart
from app.studio.storage.project_pronunciations import (
    MOST_SAID,
    own_pronunciations,
    remember_pronunciation,
    said_as,
    word_of,
)
from app.studio.work import worker_tasks as tasks
from app.studio.work.take_orders import (
    NEAR,
    TakeOrder,
    TakeWish,
    order_of,
    recorded_reach,
    recording_of,
)

LATER = 1000  # an urgency


class MadeProject(ListenedProject):
    """A project that makes the takes of its changes."""

    @property
    def _settings(self) -> tuple[EditRequest, Models]:
        return settings_of(self.folder.read("script.json", {}).get("settings"))

    def words_came(self) -> None:
        self._make_missing()

    def _make_missing(self) -> None:
        missing = [
            edit
            for edit in self.edits()
            if not self.folder.takes(edit.key) and edit.key not in self.failures
        ]
        heard = self.heard() if missing else None  # once: an hour's words take a while to read
        for edit in missing:
            self.make(edit, heard)

    def make(
        self,
        edit: ScriptEdit,
        heard: HeardPart | None = None,
        wish: TakeWish | None = None,
    ) -> None:
        """Make a take of an edit in the background; its first one, or another."""
        if wish is not None:
            self.failures.pop(edit.key, None)
        models = self._settings[1]
        self.folder.next_take(edit.key)  # InputError: there are too many
        try:
            order = self._order(edit, heard or self.heard(), wish or TakeWish())
        except InputError as error:
            if self.progress()["done"]:  # otherwise its words may still come
                self._fail_to_make(edit.key, str(error))
            return

        def run(editor: WorkerProcess) -> None:
            number, takes = self.folder.next_take(edit.key), self.folder.takes(edit.key)
            if takes and wish is None:
                return
            level = takes[0].get("level") if takes else None
            folder = self.folder.take_folder(edit.key, number)
            with without_folder(self.folder.path):
                made = editor.ask(
                    tasks.make_take, replace(order, number=number, level=level), folder
                )
            self.tell(kind="takes", key=edit.key, takes=self.takes(edit.key))
            if number == 0 and made["spans"]:
                self._make_recorded(edit)

        # The first take once; of others one for each wish.
        name = f"take {edit.key} {'' if wish is None else secrets.token_hex(4)}"
        self.add_job(
            self.quick,
            MAKING,
            name,
            run,
            lambda sentence: self._fail_to_make(edit.key, sentence),
            models=models,
            watch=Watch(step=lambda step: self.tell(kind="making", key=edit.key)),
        )

    def _order(
        self,
        edit: ScriptEdit,
        heard: HeardPart,
        wish: TakeWish,
        reach: tuple[int, int] = (NEAR, NEAR),
    ) -> TakeOrder:
        settings = self._settings[0]
        request = replace(
            settings,
            pronunciations=own_pronunciations(self.folder),
            fit=settings.fit or self.about.get("film") is not None,  # or it can't be shown
        )
        recording, others = recording_of(self.folder.path, self.about), self.edits()
        return order_of(edit, others, heard, reach, recording=recording, request=request, wish=wish)

    def _make_recorded(self, edit: ScriptEdit) -> None:
        """Further takes of a few words that are recorded elsewhere, when nothing else is to do."""

        def run(editor: WorkerProcess) -> None:
            heard = self.heard()
            reach = recorded_reach(edit, heard)
            if reach is None:
                return
            order = self._order(edit, heard, TakeWish(), reach)
            if order.request.fit:  # they take the time that they took
                return
            order = replace(order, number=self.folder.next_take(edit.key))
            folder = self.folder.take_folder(edit.key, 0).parent
            if editor.ask(tasks.make_recorded, order, folder):
                self.tell(kind="takes", key=edit.key, takes=self.takes(edit.key))

        # Of a long recording where nobody's change waits for it: it takes as long as several takes.
        more = {"models": self._settings[1], "is_awaited": self.awaited}
        self.add_job(self.lane, LATER, f"recorded {edit.key}", run, lambda sentence: None, **more)

    def _fail_to_make(self, key: str, sentence: str) -> None:
        if self.folder.takes(key):  # another take than those that it has
            self.tell(kind="refused", key=key, sentence=sentence)
            return
        self.failures[key] = sentence
        self.tell(kind="failed", key=key, sentence=sentence)

    def again(self, key: str, data: Any) -> None:
        """Another take of an edit that is in the list, perhaps longer or shorter."""
        given = data if isinstance(data, dict) else {}
        edit = self._edit(key)
        self.make(edit, None, TakeWish.of(given, self.folder.takes(key)))

    def pronounce(self, data: Any) -> None:
        """A word is said otherwise in this project from now on; changes that have it get another
        take. InputError for what is no word."""
        word = word_of(data)
        said = str(data.get("said", ""))[:MOST_SAID]

        def run(editor: WorkerProcess) -> None:
            phones = editor.ask(tasks.phones_said, said)
            with self.lock:
                remember_pronunciation(self.folder, word, said, phones)
                self.tell(kind="pronounced", pronunciations=said_as(self.folder))
                for edit in self.edits():
                    takes = self.folder.takes(edit.key)
                    if any(word == each["text"] for take in takes for each in take["words"]):
                        self.make(edit, None, TakeWish())

        self.add_job(self.quick, MAKING, f"pronounce {word}", run)

    def _edit(self, key: str) -> ScriptEdit:
        for edit in self.edits():
            if edit.key == key:
                return edit
        raise InputError(texts.NO_SUCH_EDIT)

    def offered(self, data: Any) -> list[dict[str, Any]]:
        """Find what can be taken out of what has been listened to; nothing is changed."""
        heard = self.heard()
        recording = recording_of(self.folder.path, self.about)
        with without_folder(self.folder.path):
            return find_changes(recording, heard, cleaning_of(data))
