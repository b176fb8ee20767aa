"""A project's recording is opened and listened to, part by part, in the background."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from a3t.errors import InputError
from a3t.source.transcripts import text_of
from app import limits, texts
from app.processes.lanes import EditorLane
from app.processes.worker import WorkerProcess
from app.service import without_folder
from app.studio.open_project import OpenProject
from app.studio.storage.heard_tokens import with_marks
from app.studio.take_settings import number
from app.studio.work import worker_tasks as tasks

OPENING, LISTENING = 0, 10  # urgencies; of two projects' parts the earlier one comes first


def transcript_in(path: Path) -> str:
    """The words of a transcript of any kind (docs/formats.md), its lines kept: a name may begin
    one. InputError for anything else."""
    return transcript_lines(text_of(path))


def transcript_lines(text: str) -> str:
    """A transcript as it is kept; InputError if it is too long."""
    text = limits.check_text(text, texts.THE_TRANSCRIPT)
    return "\n".join(filter(None, (" ".join(line.split()) for line in text.splitlines())))


class Listening:
    """Opens a project's recording and listens to it.

    words_came: called whenever there are more words than before. problem: why it can't be done.
    """

    def __init__(self, project: OpenProject, words_came: Callable[[], None]) -> None:
        self.project, self.words_came = project, words_came
        self.problem = ""

    def resume(self) -> None:
        """Take up whatever was still to be done."""
        project, about = self.project, self.project.about
        if "samples" not in about:
            self._add(project.quick, OPENING, "open", self._open)
        elif about.get("text") and "places" not in about:
            self._add(project.lane, OPENING, "places", self._find_places)
        else:
            self._listen()
        with project.lock:
            self.words_came()

    def _listen(self) -> None:
        """Recognise the missing parts; early parts before others' later ones."""
        project, about = self.project, self.project.about
        for part in range(len(project.parts)):
            if not project.is_heard(part):
                run = partial(self._listen_to, part=part)
                # The first words soon, whatever else is being listened to.
                lane = project.quick if part == 0 and "places" not in about else project.lane
                self._add(lane, LISTENING + part, f"part {part}", run)

    def look(self, data: Any) -> None:
        """Somebody looks at, or plays, this second of the recording: what is nearest to it is
        listened to next."""
        project, about = self.project, self.project.about
        at = number(data.get("seconds"), 0.0, 0.0, 1e6)
        if "samples" not in about:
            return
        parts, rate = project.parts, about["sample_rate"]
        near = max(bisect_right([first for first, _ in parts], at * rate) - 1, 0)
        urgencies = {f"part {part}": LISTENING + abs(part - near) for part in range(len(parts))}
        for lane in (project.quick, project.long):
            lane.reorder(project.folder.id, urgencies)

    def progress(self) -> dict[str, Any]:
        """The progress of listening to the recording: parts done of all, or what is wrong."""
        parts = self.project.parts
        done = [part for part in range(len(parts)) if self.project.is_heard(part)]
        total = sum(last - first for first, last in parts)
        heard = sum(parts[part][1] - parts[part][0] for part in done)
        return {
            "share": heard / total if total else 0.0,
            "done": bool(parts) and len(done) == len(parts),
            "problem": self.problem or (texts.TEXT_DOES_NOT_MATCH if self.is_other_text else ""),
            "other_text": self.project.about["text"] if self.is_other_text else None,
            "missing": self._missing(),
            "text": "" if "places" in self.project.about else self.project.about.get("text", ""),
        }

    def _missing(self) -> list[tuple[float, float, str]]:
        """Seconds between which nothing has been listened to yet, and what is said there by the
        transcript that was given."""
        about = self.project.about
        places = self.project.folder.read("places.json", []) if about.get("places") else []
        said = [str(place["transcript"]["text"]) for place in places]
        found: list[tuple[float, float, str]] = []
        for part, (first, last) in enumerate(self.project.parts):
            if self.project.is_heard(part) or "sample_rate" not in about:
                continue
            start, end = first / about["sample_rate"], last / about["sample_rate"]
            if found and start - found[-1][1] < 1e-3 and not said:
                start = found.pop()[0]
            found.append((start, end, said[part] if said else ""))
        return [(round(start, 2), round(end, 2), text) for start, end, text in found]

    def _tell(self) -> None:
        self.project.events.tell(kind="listening", **self.progress())

    def _add(self, lane: EditorLane, urgency: int, name: str, run: Any) -> None:
        shown = self.project.events.is_shown
        self.project.add_job(lane, urgency, name, run, self._failed, is_awaited=shown)

    def _failed(self, sentence: str) -> None:
        folder = self.project.folder
        self.problem = sentence.replace(f"{folder.path}/", "")
        if "samples" in folder.about or sentence in (texts.FAILED, texts.MEMORY_EXCEEDED):
            self._tell()
        else:  # what can't be edited is no project; what failed for another reason may yet be one
            folder.delete()
            self.project.events.tell(kind="gone", sentence=self.problem)

    def _open(self, editor: WorkerProcess) -> None:
        folder = self.project.folder
        with without_folder(folder.path):
            found = editor.ask(tasks.ingest, folder.original, folder.path, limits.MAX_SECONDS)
        about = folder.about
        packed = about.pop("packed", None)
        if packed is not None:
            parts = packed.pop("parts")
            if any(found[name] != value for name, value in packed.items()):
                raise InputError(texts.OTHER_SOUND)
            found["parts"] = parts
        elif about.get("text"):
            found["parts"] = []
        folder.write("project.json", about | found)
        self.project.events.tell(kind="reload")
        self.resume()

    def _find_places(self, editor: WorkerProcess) -> None:
        folder, about = self.project.folder, self.project.about
        places = editor.ask(tasks.find_places, self.project.sound(), about["text"])
        folder.write("places.json", places)
        parts = [[place["first"], place["last"]] for place in places]
        folder.write("project.json", about | {"parts": parts, "places": True})
        self._listen()

    def _listen_to(self, editor: WorkerProcess, part: int) -> None:
        project = self.project
        if project.is_heard(part):
            return
        sound, about = project.sound(), project.about
        if about.get("places"):
            place = project.folder.read("places.json")[part]
            heard = editor.ask(tasks.align_place, sound, part, place)
        else:
            first, last = about["parts"][part]
            heard = editor.ask(tasks.recognise_part, sound, part, first, last)
        with project.lock:
            project.rewrite(part, with_marks(heard, not about.get("plain")))
            self._tell()
            self.words_came()

    @property
    def is_other_text(self) -> bool:
        """True if nothing of the given text is heard in the recording."""
        rows = self.project.shown()
        one = len(self.project.parts) == 1 and self.project.about.get("places")
        return bool(one and rows) and not any(row[4] for row in rows)

    def retext(self, data: Any) -> None:
        """Listen again, with another transcript or, for none, by recognising; InputError once
        there are changes."""
        project, folder = self.project, self.project.folder
        text = transcript_lines(str(data.get("text") or ""))
        with project.lock:
            if project.changes or project.document.corrections:
                raise InputError(texts.CHANGED_ALREADY)
            for lane in (project.quick, project.long):
                for name in lane.pending(folder.id):
                    lane.cancel(folder.id, name)
            about = {k: v for k, v in project.about.items() if k not in ("text", "places", "plain")}
            folder.write("project.json", about | {"parts": []} | ({"text": text} if text else {}))
            for path in [*folder.path.glob("words/*.json"), folder.path / "places.json"]:
                path.unlink(missing_ok=True)
            self.problem = ""
        project.events.tell(kind="reload")
        self._add(project.quick, OPENING, "open again", self._open)
