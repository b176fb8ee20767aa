"""An open project's files, words and jobs, which listening, takes and corrections share."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from typing import Any, TypeVar

from a3t.errors import InputError
from a3t.plan.request import OtherRecording, Track
from a3t.plan.track_activity import TrackActivity
from a3t.projects.close_changes import SCORE, made_as_one, reachable_keys
from a3t.projects.document import Change, Document
from a3t.projects.store.folder import NOT_OPENED_YET, SAID_FOLDER, ProjectFolder, words_name
from a3t.projects.store.project_state import ProjectState
from a3t.projects.store.recordings import Places
from a3t.projects.store.words import HeardWords, Token, waiting_tokens
from a3t.source.records import LONG
from a3t.spans import Span
from app.processes.lanes import EditorLane, LaneJob
from app.processes.worker import WorkerProcess
from app.studio.project_events import ProjectEvents
from app.studio.sent import Sent

T = TypeVar("T")
MAX_REQUESTS = 200  # whose names are remembered
OPENING = 0  # an urgency
LISTENING = 10  # that of a first part; of two projects' parts the earlier one comes first


class OpenProject:
    """The project in a folder. Everything is read from there, so nothing is lost with a process.

    quick, long: the lanes of its jobs. events: for the pages that show it.
    """

    def __init__(self, folder: ProjectFolder, quick: EditorLane, long: EditorLane) -> None:
        self.folder = folder
        self.quick, self.long = quick, long
        self.events = ProjectEvents()
        self._requests: deque[str] = deque(maxlen=MAX_REQUESTS)
        self._shown: dict[int, tuple[int, list[list[Any]]]] = {}  # with the time of its file
        self._waits: tuple[object, list[list[list[Any]]]] = None, []  # and of what
        self._made: tuple[object, dict[str, Change]] = None, {}  # and of what

    def once(self, sent: Sent, do: Callable[[], T]) -> T | None:
        """Do what a page asks, unless that was done: a page without an answer sends it again."""
        name = sent.text("request")[:32]
        if name and name in self._requests:
            return None
        told = do()
        self._requests.append(name)
        return told

    @property
    def lane(self) -> EditorLane:
        """The line in which a recording of this length belongs."""
        sound = self.state.sound
        return self.long if sound is not None and sound.seconds > LONG else self.quick

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
        lane.add(LaneJob(run, urgency, self.folder.id, name, failed or self.events.refuse, **more))

    @property
    def lock(self) -> AbstractContextManager[None]:
        """The folder's lock."""
        return self.folder.lock

    @property
    def has_jobs(self) -> bool:
        """Whether a job of the project waits or runs."""
        return any(lane.pending(self.folder.id) for lane in (self.quick, self.long))

    @property
    def state(self) -> ProjectState:
        """The project's state, as it was last kept."""
        return self.folder.state

    @property
    def document(self) -> Document:
        """The changes, as they were last kept."""
        return self.folder.document

    @property
    def changes(self) -> tuple[Change, ...]:
        """The changes that are made, in order."""
        return self.document.changes

    @property
    def parts(self) -> tuple[Span, ...]:
        """The samples [first, last) of each part that is listened to; none while it is opened."""
        return self.state.parts

    def heard(self) -> HeardWords:
        """Return every token and pause that is known, in order."""
        parts = [self.folder.heard(part) for part in range(len(self.parts))]
        tokens = tuple(token for part in parts for token in part.tokens)
        return HeardWords(tokens, tuple(pause for part in parts for pause in part.pauses))

    def tokens(self) -> tuple[Token, ...]:
        """Return every token that is known, in order."""
        return self.heard().tokens

    def shown(self) -> list[list[Any]]:
        """Return every token that is known, as the page shows it, in order.

        Those of a given text that haven't been found in the sound yet have no score.
        """
        return [row for rows in self.shown_parts() for row in rows]

    def shown_parts(self) -> list[list[list[Any]]]:
        """Return the tokens of each part as the page shows them."""
        waits = self._waiting()
        found = []
        for part in range(max(len(self.parts), len(waits))):
            if not self.is_heard(part):
                found.append(waits[part] if part < len(waits) else [])
                continue
            time = (self.folder.path / words_name(part)).stat().st_mtime_ns
            if self._shown.get(part, (0,))[0] != time:
                rows = [self._row(token) for token in self.folder.heard(part).tokens]
                self._shown[part] = time, rows
            found.append(self._shown[part][1])
        return found

    def _waiting(self) -> list[list[list[Any]]]:
        """Return the tokens of a given text as the page shows them before they are aligned."""
        path, state = self.folder.path / Places.stored_in, self.state
        if not state.text or not path.is_file():
            return []
        known = path.stat().st_mtime_ns, state.sound
        if self._waits[0] != known:
            rate = state.sound.sample_rate if state.sound else 1
            samples = state.sound.samples if state.sound else 0
            places, found = self.folder.read(Places), list[list[list[Any]]]()
            for first_id, place in zip(places.first_ids, places.places, strict=True):
                span = place.first / rate, (place.last or samples) / rate
                tokens = waiting_tokens(place.transcript, *span, state.first_id + first_id)
                rows = [token.shown() for token in tokens]
                found.append([[*row[:SCORE], None, *row[SCORE + 1 :]] for row in rows])
            self._waits = known, found
        return self._waits[1]

    def _row(self, token: Token) -> list[Any]:
        """Return a token as the page shows it.

        What the built-in recogniser heard is never doubted: of 12 words that its scores marked 5
        were wrong, and most wrong ones were not marked.
        """
        row = token.shown()
        if token.sure is None and not self.state.text:
            row[SCORE] = 1.0
        return row

    def made_as_one(self) -> dict[str, Change]:
        """Return the change that is made for each, by its key: close changes are made as one."""
        known = self.changes, self.shown()
        if self._made[0] != known:
            self._made = known, made_as_one(*known)
        return self._made[1]

    def is_heard(self, part: int) -> bool:
        """Return whether a part has been listened to."""
        return (self.folder.path / words_name(part)).is_file()

    @property
    def is_all_heard(self) -> bool:
        """True if every part has been listened to."""
        parts = range(len(self.parts))
        return bool(parts) and all(map(self.is_heard, parts))

    def sources(self) -> Iterator[OtherRecording]:
        """Yield the recordings whose words can be pasted, as far as they have been listened to."""
        for each in self.folder.further:
            if each.kind == "source" and (said := self.folder.heard_in(each).source):
                yield replace(said, path=self.folder.path / SAID_FOLDER / each.file)

    def tracks(self) -> list[tuple[str, Track, TrackActivity]]:
        """Return the tracks in step with the recording, with their names.

        Raises InputError while one is being opened.
        """
        found = []
        for each in self.folder.further:
            if each.kind == "track" and not each.problem:
                sound = self.folder.heard_in(each).track
                if sound is None:
                    raise InputError(NOT_OPENED_YET)
                track = Track(self.folder.path / SAID_FOLDER / each.file, sound.sha256)
                found.append((each.name, track, TrackActivity.read(sound.loud)))
        return found

    def forget_said(self) -> None:
        """Discard the recordings that nothing needs, unless a take may be made of one just now.

        Nothing is discarded while a file that may name one can't be read.
        """
        with self.lock, suppress(InputError):
            if not self.quick.pending(self.folder.id):
                self.folder.forget_said(reachable_keys(self.document, self.shown()))

    def rewrite(self, part: int, heard: HeardWords) -> None:
        """Keep other words of a part."""
        gone = [row[0] for row in self.shown_parts()[part]]
        self.folder.write(heard, words_name(part))
        self.events.tell(kind="part", gone=gone, tokens=[self._row(each) for each in heard.tokens])

    def rewrite_all(self, after: Sequence[Token]) -> None:
        """Keep other tokens, of the same ids, of the whole recording."""
        found = {token.id: token for token in after}
        for part in range(len(self.parts)):
            heard = self.folder.heard(part)
            tokens = tuple(found[token.id] for token in heard.tokens)
            if tokens != heard.tokens:
                self.rewrite(part, replace(heard, tokens=tokens))

    def owners(self) -> dict[int, int]:
        """Return the part of each token that has been listened to, by its id."""
        shown = enumerate(self.shown_parts())
        return {row[0]: part for part, rows in shown if self.is_heard(part) for row in rows}
