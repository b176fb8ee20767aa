"""An open project: its state, and the events sent to the pages that show it."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from a3t.errors import InputError
from app import texts
from app.processes.lanes import EditorLane, LaneJob
from app.processes.worker import WorkerProcess
from app.service import LONG
from app.studio.script import ScriptEdit, edits_of
from app.studio.storage.folders import ProjectFolder, words_name
from app.studio.storage.heard_tokens import HeardPart, Token, shown
from app.studio.storage.pcm_sound import PcmSound
from app.studio.storage.project_pronunciations import said_as

KEPT_EVENTS = 1000
LEAVING = 20.0  # seconds that a page may be gone, as when it is loaded again


class OpenProject:
    """The project in a folder. Everything is read from there, so nothing is lost with a process.

    quick, long: the lanes of its jobs. problem: why it can't be listened to. failures: of edits
    that could not be made, a sentence each, by their keys. exported: the zip that is ready.
    """

    def __init__(
        self,
        folder: ProjectFolder,
        quick: EditorLane,
        long: EditorLane,
    ) -> None:
        self.folder = folder
        self.quick, self.long = quick, long
        self.lock = threading.RLock()
        self.events: deque[tuple[int, dict[str, Any]]] = deque(maxlen=KEPT_EVENTS)
        self.version = 0
        self.problem = ""
        self.failures: dict[str, str] = {}
        self.exported: str | None = None
        self._wakers: list[Callable[[], object]] = []  # of the pages that show it
        self._left = float("-inf")  # when the last of them went

    @property
    def lane(self) -> EditorLane:
        """The line in which a recording of this length belongs."""
        return self.quick if self.about.get("seconds", 0.0) <= LONG else self.long

    def add_job(
        self,
        lane: EditorLane,
        urgency: int,
        name: str,
        run: Callable[[WorkerProcess], Any],
        failed: Callable[[str], None] | None = None,
        **more: Any,
    ) -> None:
        """Put a job in a line; more: of a `LaneJob`."""
        lane.add(LaneJob(run, urgency, self.folder.id, name, failed or self.refuse, **more))

    def refuse(self, sentence: str) -> None:
        """Tell the pages that something can't be done."""
        self.tell(kind="refused", sentence=sentence)

    @contextmanager
    def shown(self, wake: Callable[[], object] = lambda: None) -> Iterator[None]:
        """While a page shows the project; `wake` is called whenever there are events."""
        with self.lock:
            self._wakers.append(wake)
        try:
            yield
        finally:
            with self.lock:
                self._wakers.remove(wake)
                self._left = time.monotonic()

    @property
    def is_shown(self) -> bool:
        """True if a page shows it, or has until just now."""
        return bool(self._wakers) or time.monotonic() - self._left < LEAVING

    @property
    def about(self) -> dict[str, Any]:
        return self.folder.about

    def sound(self) -> PcmSound:
        """Its samples; InputError while it is being opened."""
        about = self.about
        if "samples" not in about:
            raise InputError(texts.NOT_OPENED_YET)
        path = self.folder.path / "sound.pcm"
        return PcmSound(path, about["sample_rate"], about["channels"], about["samples"])

    def heard(self) -> HeardPart:
        """Every token and pause that is known, in order."""
        parts = [self.folder.heard(part) for part in range(len(self.about.get("parts", ())))]
        tokens = [token for part in parts for token in part.tokens]
        return HeardPart(tokens, [pause for part in parts for pause in part.pauses])

    def tokens(self) -> list[Token]:
        """Every token that is known, in order."""
        return self.heard().tokens

    def edits(self) -> tuple[ScriptEdit, ...]:
        return edits_of(self.folder.read("script.json", {}).get("edits", []))

    def script(self) -> dict[str, Any]:
        """The changes, as a page shows them that another one has changed."""
        with self.lock:
            script = self.folder.read("script.json", {})
            edits = self.edits()
            return {
                "edits": [edit.to_json() for edit in edits],
                "revision": script.get("revision", 0),
                "draft": script.get("draft"),
                "takes": {edit.key: self.takes(edit.key) for edit in edits},
                "failures": {e.key: self.failures[e.key] for e in edits if e.key in self.failures},
                "making": self.being_made(),
            }

    def state(self) -> dict[str, Any]:
        """The project as a page shows it when it is opened."""
        with self.lock:
            about = self.about
            shape = ("sample_rate", "channels", "samples", "seconds")
            return {
                "id": self.folder.id,
                "name": about.get("name", ""),
                "version": self.version,
                "sound": {name: about[name] for name in shape} if "samples" in about else None,
                "listening": self.progress(),
                "tokens": [shown(token) for token in self.tokens()],
                "film": about.get("film"),
                "offered": about.get("offered"),
                "pronunciations": said_as(self.folder),
                "marks": self.marks(),
                **self.script(),
            }

    def marks(self) -> bool | None:
        """True if the transcript has the punctuation that was restored; None if none was."""
        tokens = self.tokens()
        restored = any("marked" in token or "unmarked" in token for token in tokens)
        return not self.about.get("plain") if restored else None

    def being_made(self) -> list[str]:
        """The keys of the edits of which takes are being made."""
        names = (name.split() for name in self.quick.pending(self.folder.id))
        return sorted({words[1] for words in names if words[0] == "take"})

    def takes(self, key: str) -> list[dict[str, Any]]:
        """An edit's takes, without what only the worker needs."""
        hidden = ("mix", "model", "vocoder", "voice", "scores")
        return [
            {k: v for k, v in take.items() if k not in hidden} for take in self.folder.takes(key)
        ]

    def progress(self) -> dict[str, Any]:
        """The progress of listening to the recording: parts done of all, or what is wrong."""
        parts = self.about.get("parts", [])
        done = [part for part in range(len(parts)) if self.is_done(part)]
        total = sum(last - first for first, last in parts)
        heard = sum(parts[part][1] - parts[part][0] for part in done)
        return {
            "share": heard / total if total else 0.0,
            "done": bool(parts) and len(done) == len(parts),
            "problem": self.problem,
            "missing": self._missing(),
        }

    def _missing(self) -> list[list[float]]:
        """Seconds between which nothing has been listened to yet."""
        about = self.about
        found: list[list[float]] = []
        for part, (first, last) in enumerate(about.get("parts", [])):
            if self.is_done(part) or "sample_rate" not in about:
                continue
            start, end = first / about["sample_rate"], last / about["sample_rate"]
            if found and start - found[-1][1] < 1e-3:
                found[-1][1] = end
            else:
                found.append([start, end])
        return [[round(start, 2), round(end, 2)] for start, end in found]

    def is_done(self, part: int) -> bool:
        """True if a part has been listened to."""
        return (self.folder.path / words_name(part)).is_file()

    def tell(self, **event: Any) -> None:
        """Let every page that shows the project know of something."""
        with self.lock:
            self.version += 1
            self.events.append((self.version, event))
            for wake in self._wakers:
                wake()

    def since(self, version: int) -> list[tuple[int, dict[str, Any]]]:
        """The events after a version; one that says "reload" if they are no longer known."""
        with self.lock:
            if version > self.version or (self.events and version < self.events[0][0] - 1):
                return [(self.version, {"kind": "reload"})]
            return [each for each in self.events if each[0] > version]

    def rewrite(self, part: int, heard: HeardPart, **more: Any) -> None:
        """Keep other words of a part."""
        self.folder.write(words_name(part), heard.to_json())
        self.tell(kind="part", part=part, tokens=[shown(token) for token in heard.tokens], **more)
