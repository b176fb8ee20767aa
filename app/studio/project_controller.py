"""A project in use: its list of edits, their takes, corrections, and the download.

Everything that a visitor does is written down before it is answered, so a page that is loaded
again, or a server that was killed, goes on where it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from a3t.errors import InputError
from a3t.source.diarisation import require_packages
from a3t.text.normaliser.unspoken import is_name
from app import limits, texts
from app.processes.worker import WorkerProcess
from app.service import without_folder
from app.studio.corrections import Correction, moved_token
from app.studio.listened_project import OPENING
from app.studio.made_project import MadeProject
from app.studio.script import MOST_EDITS, MOST_PAGES, draft_of, edits_of, settings_of, steps_of
from app.studio.storage.folders import ProjectFolder
from app.studio.storage.heard_tokens import IDS, HeardPart, with_marks, with_speakers
from app.studio.work import worker_tasks as tasks
from app.studio.work.take_orders import recording_of

EXPORTING = 2  # urgency


class ProjectController(MadeProject):
    """One project, opened: requests call its methods, and jobs change it from their threads."""

    def __init__(self, folder: ProjectFolder, *lanes: Any) -> None:
        super().__init__(folder, *lanes)
        self.resume()
        self._correct_all()

    def save(self, data: Any, settings: Any) -> dict[str, Any]:
        """Take a page's steps, each once however often it is sent, and begin to make what is not
        made; the list as it is now."""
        steps, page = steps_of(data.get("steps", [])), str(data.get("page", ""))[:32]
        settings_of(settings)
        with self.lock:
            script = self.folder.read("script.json", {})
            pages = script.get("pages", {})
            last = pages.pop(page, 0)
            fresh = [step for step in steps if step.n > last]
            edits = edits_of(script.get("edits", []))
            for step in fresh:
                edits = step.applied(edits)
            if len(edits) > MOST_EDITS:
                raise InputError(texts.NO_SCRIPT)
            pages[page] = max([last, *(step.n for step in fresh)])
            wanted = [
                {**step.correct.model_dump(), "name": f"{page} {step.n}"}
                for step in fresh
                if step.correct
            ]
            script |= {
                "revision": script.get("revision", 0) + 1,
                "edits": [edit.to_json() for edit in edits],
                "pages": dict(list(pages.items())[-MOST_PAGES:]),
                "corrections": script.get("corrections", []) + wanted,
                "settings": settings if isinstance(settings, dict) else {},
            }
            if "draft" in data:
                script["draft"] = draft_of(data["draft"])
            self.folder.write("script.json", script)
            self.exported = None
            self._make_missing()
            self._correct_all()
        self.tell(kind="saved", revision=script["revision"])
        return {"revision": script["revision"], "edits": script["edits"]}

    # ---- what the recording says --------------------------------------------------------------

    def _correct_all(self) -> None:
        """Align the corrections that wait, in their order."""
        for wanted in self.folder.read("script.json", {}).get("corrections", []):
            self._correct(wanted)

    def _correct(self, wanted: dict[str, Any]) -> None:
        """Other words for what was misheard: they are aligned there, and nothing is made. It waits
        in script.json until it is done, so that a server that was killed does it again."""

        def run(editor: WorkerProcess) -> None:
            with self.lock:
                tokens, edited = self.tokens(), {t for e in self.edits() for t in e.tokens}
            correction = Correction.of(wanted, tokens, edited)
            made = correction.heard(editor, self.sound())
            with self.lock:
                words = correction.among(self.folder.heard(correction.part), made)
                self.rewrite(correction.part, words, corrected=True)
                if any("speaker" in token for token in words.tokens):
                    self._name_speakers({})  # a turn begins with its name
                self._corrected(wanted)

        def refused(sentence: str) -> None:
            self._corrected(wanted)
            self.tell(kind="refused", sentence=f"“{wanted['text']}”: {sentence}")

        name = f"correct {wanted['name']}"
        self.add_job(self.quick, OPENING, name, run, refused)

    def _corrected(self, wanted: dict[str, Any]) -> None:
        with self.lock:
            script = self.folder.read("script.json", {})
            waiting = [each for each in script.get("corrections", []) if each != wanted]
            self.folder.write("script.json", script | {"corrections": waiting})

    def mark(self, data: Any) -> None:
        """The transcript has the punctuation that was restored, or hasn't."""
        marked = data.get("marks") is not False
        with self.lock:
            self.folder.write("project.json", self.about | {"plain": not marked})
            for part in range(len(self.about.get("parts", []))):
                if self.is_done(part):
                    self.rewrite(part, with_marks(self.folder.heard(part), marked))
            self.tell(kind="marks", marks=self.marks())

    def move(self, data: Any) -> dict[str, float]:
        """A word's own times, between its neighbours'; returns the times that it had."""
        sound = self.sound()
        with self.lock:
            tokens = self.tokens()
            seconds = sound.samples / sound.sample_rate
            part, moved, was = moved_token(data, tokens, seconds)
            own = self.folder.heard(part)
            rewritten = [moved if t["id"] == moved["id"] else t for t in own.tokens]
            self.rewrite(part, HeardPart(rewritten, own.pauses))
        return was

    def tell_speakers(self, data: Any) -> None:
        """Tell by the sound who says what, in the background; InputError if that can't be done."""
        require_packages()
        if not self.progress()["done"]:
            raise InputError(texts.NOT_HEARD_YET)
        recording, count = recording_of(self.folder.path, self.about), data.get("count")
        count = count if type(count) is int else None

        def run(editor: WorkerProcess) -> None:
            with without_folder(self.folder.path):
                names = editor.ask(tasks.tell_speakers, recording, self.heard(), count)
            self._name_speakers(names)
            self.tell(kind="speakers")

        self.add_job(self.lane, OPENING, "speakers", run, is_awaited=self.awaited)

    def name_speakers(self, data: Any) -> None:
        """Tokens are said by others, or by nobody that is named; InputError for what is no name."""
        try:
            named = {int(token): str(name) for name, tokens in data["names"] for token in tokens}
        except (KeyError, TypeError, ValueError, OverflowError):
            raise InputError(texts.WRONG_FIELDS) from None
        if not all(not name or is_name(name) for name in named.values()):
            raise InputError(texts.NO_NAME)
        self._name_speakers(named)

    def _name_speakers(self, names: Mapping[int, str]) -> None:
        with self.lock:
            after = with_speakers(self.tokens(), names)
            for part in range(len(self.about.get("parts", []))):
                own = [token for token in after if token["id"] // IDS == part]
                heard = self.folder.heard(part)
                if own != heard.tokens:
                    self.rewrite(part, HeardPart(own, heard.pauses))

    # ---- taking home --------------------------------------------------------------------------

    def export(self, kind: str, film: bool) -> None:
        """Begin to write the zip of everything, with the `film` if that is wanted; `exported` is
        its name when it is there."""
        edits = self.edits()
        chosen = []
        for edit in edits:
            takes = self.folder.takes(edit.key)
            if not takes:
                raise InputError(texts.NOT_MADE_YET)
            at = edit.take if edit.take is not None else 0
            numbers = [int(take["number"]) for take in takes]
            chosen.append(self.folder.take_folder(edit.key, at if at in numbers else numbers[0]))
        if not self.progress()["done"]:
            raise InputError(texts.NOT_HEARD_YET)
        about = self.about
        name = f"{limits.safe_stem(about['file'])}.edited"
        own = ".flac" if about["file"].endswith(".flac") else ".wav"
        suffix = kind if kind in (".wav", ".flac") else own
        recording = recording_of(self.folder.path, about)
        heard = self.heard()
        out = self.folder.path / "export"

        def run(editor: WorkerProcess) -> None:
            with without_folder(self.folder.path):
                made = editor.ask(tasks.mix_down, recording, heard, chosen, out, name, suffix, film)
            self.exported = made.name
            self.tell(kind="exported", name=made.name)

        self.add_job(self.lane, EXPORTING, "export", run, is_awaited=self.awaited)

    def close(self) -> None:
        """End its jobs."""
        for lane in (self.quick, self.long):
            lane.cancel(self.folder.id)
