"""A project's recording is opened and listened to, part by part, in the background."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Sequence
from functools import partial
from typing import Any

from a3t.errors import InputError
from app import limits, texts
from app.processes.lanes import EditorLane
from app.processes.worker import WorkerProcess
from app.service import without_folder
from app.studio.open_project import OpenProject
from app.studio.script import number
from app.studio.storage.heard_tokens import Token, with_marks
from app.studio.work import worker_tasks as tasks

OPENING, LISTENING = 0, 10  # urgencies; of two projects' parts the earlier one comes first


class ListenedProject(OpenProject, ABC):
    """A project that is listened to."""

    @abstractmethod
    def words_came(self) -> None:
        """Called whenever there are more words than before."""

    def resume(self) -> None:
        """Take up whatever was still to be done."""
        about = self.about
        if "samples" not in about:
            self._add(self.quick, OPENING, "open", self._open)
        elif about.get("text") and "places" not in about:
            self._add(self.lane, OPENING, "places", self._find_places)
        else:
            self._listen()
        with self.lock:
            self.words_came()

    def _listen(self) -> None:
        """Recognise the missing parts; early parts before others' later ones."""
        for part in range(len(self.about.get("parts", []))):
            if not self.is_done(part):
                run = partial(self._listen_to, part=part)
                # The first words soon, whatever else is being listened to.
                lane = self.quick if part == 0 and "places" not in self.about else self.lane
                self._add(lane, LISTENING + part, f"part {part}", run)

    def look(self, data: Any) -> None:
        """Somebody looks at, or plays, this second of the recording: what is nearest to it is
        listened to next."""
        at = number(data.get("seconds"), 0.0, 0.0, 1e6)
        about = self.about
        if "samples" not in about:
            return
        parts, rate = about.get("parts", []), about["sample_rate"]
        near = max(bisect_right([first for first, _ in parts], at * rate) - 1, 0)
        urgencies = {f"part {part}": LISTENING + abs(part - near) for part in range(len(parts))}
        for lane in (self.quick, self.long):
            lane.reorder(self.folder.id, urgencies)

    def awaited(self) -> bool:
        """True if a page shows it."""
        return self.is_shown

    def _add(self, lane: EditorLane, urgency: int, name: str, run: Any) -> None:
        self.add_job(lane, urgency, name, run, self._fail_to_open, is_awaited=self.awaited)

    def _fail_to_open(self, sentence: str) -> None:
        self.problem = sentence.replace(f"{self.folder.path}/", "")
        if "samples" in self.about or sentence in (texts.FAILED, texts.OUTGROWN):
            self.tell(kind="listening", **self.progress())
        else:  # what can't be edited is no project; what failed for another reason may yet be one
            self.folder.delete()
            self.tell(kind="gone", sentence=self.problem)

    def _open(self, editor: WorkerProcess) -> None:
        with without_folder(self.folder.path):
            most = limits.MAX_SECONDS
            found = editor.ask(tasks.ingest, self.folder.original, self.folder.path, most)
        about = self.about
        packed = about.pop("packed", None)
        if packed is not None:
            parts = packed.pop("parts")
            if any(found[name] != value for name, value in packed.items()):
                raise InputError(texts.OTHER_SOUND)
            found["parts"] = parts
        elif about.get("text"):
            found["parts"] = []
        self.folder.write("project.json", about | found)
        self.tell(kind="reload")
        self.resume()

    def _find_places(self, editor: WorkerProcess) -> None:
        about = self.about
        places = editor.ask(tasks.find_places, self.sound(), about["text"])
        self.folder.write("places.json", places)
        parts = [[place["first"], place["last"]] for place in places]
        self.folder.write("project.json", about | {"parts": parts, "places": True})
        self._listen()

    def _listen_to(self, editor: WorkerProcess, part: int) -> None:
        if self.is_done(part):
            return
        sound, about = self.sound(), self.about
        if about.get("places"):
            place = self.folder.read("places.json")[part]
            heard = editor.ask(tasks.align_place, sound, part, place)
            self._refuse_other_text(heard.tokens, len(about["parts"]))
        else:
            first, last = about["parts"][part]
            heard = editor.ask(tasks.recognise_part, sound, part, first, last)
        with self.lock:
            self.rewrite(part, with_marks(heard, not about.get("plain")))
            self.tell(kind="listening", **self.progress())
            self.words_came()

    def _refuse_other_text(self, tokens: Sequence[Token], parts: int) -> None:
        heard = [word["score"] for token in tokens for word in token["words"]]
        if parts == 1 and heard and not any(heard):
            self.problem = texts.TEXT_DOES_NOT_MATCH
            self.tell(kind="listening", **self.progress())
