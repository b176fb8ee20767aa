"""Opens a project's recording and listens to it part by part, in the background."""

from __future__ import annotations

import secrets
from bisect import bisect_right
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from a3t.audio.output.files import safe_name, sha256_of
from a3t.errors import InputError
from a3t.projects import document
from a3t.projects.store.project_state import ProjectState
from a3t.projects.store.pronunciations import Names
from a3t.projects.store.recordings import Places
from a3t.projects.store.words import (
    IDS,
    with_speakers,
)
from a3t.source.transcripts import text_of
from a3t.text.transcript import spoken_text
from app import limits, texts
from app.processes.lanes import EditorLane
from app.processes.worker import WorkerProcess
from app.service import without_folder
from app.studio.open_project import LISTENING, OPENING, SCORE, OpenProject
from app.studio.sent import Sent
from app.studio.speaker_tracks import first_track, said_on_tracks, with_track
from app.studio.work import worker_tasks as tasks


def transcript_in(path: Path) -> str:
    """Read the words of a transcript of any kind (docs/formats.md); InputError for anything else.

    Its lines are kept: a name may begin one.
    """
    return transcript_lines(text_of(path))


def transcript_lines(text: str) -> str:
    """Return a transcript as it is kept; InputError if it is too long."""
    text = spoken_text(limits.check_text(text, texts.THE_TRANSCRIPT))
    return "\n".join(filter(None, (" ".join(line.split()) for line in text.splitlines())))


@dataclass(frozen=True)
class Progress:
    """How far a recording has been listened to.

    share: 0 to 1. other_text: the transcript that was given, if it is of something else. missing:
    seconds between which nothing has been listened to. text: the transcript while it is being read.
    """

    share: float
    done: bool
    problem: str
    other_text: str | None
    missing: tuple[tuple[float, float], ...]
    text: str


class Listening:
    """Opens a project's recording and listens to it.

    words_came: called whenever there are more words than before. problem: why it can't be done.
    """

    def __init__(self, project: OpenProject, words_came: Callable[[], None]) -> None:
        self.project, self.words_came = project, words_came
        self.problem = ""

    def resume(self) -> None:
        """Take up whatever was still to be done."""
        project, state = self.project, self.project.state
        is_cut_short = state.sound is None or bool(state.text and not state.parts)
        if is_cut_short or any(track.file for track in state.tracks):
            self._add(project.quick, OPENING, "open", self._open)
        elif state.text and not (state.places and project.folder.read(Places).places):
            self._add(project.lane, OPENING, "places", self._find_places)
        else:
            self._listen()
        with project.lock:
            self.words_came()

    def _listen(self) -> None:
        """Recognise the missing parts; early parts before others' later ones."""
        project, state = self.project, self.project.state
        for part in range(len(project.parts)):
            if not project.is_heard(part):
                run = partial(self._listen_to, part=part)
                # The first words soon, whatever else is being listened to.
                lane = project.quick if part == 0 and not state.places else project.lane
                self._add(lane, LISTENING + part, f"part {part}", run)

    def look(self, data: Sent) -> None:
        """Listen next to what is nearest to the second that somebody looks at or plays."""
        project, sound = self.project, self.project.state.sound
        at = data.number("seconds", 0.0, 0.0, 1e6)
        if sound is None:
            return
        parts, rate = project.parts, sound.sample_rate
        near = max(bisect_right([first for first, _ in parts], at * rate) - 1, 0)
        urgencies = {f"part {part}": LISTENING + abs(part - near) for part in range(len(parts))}
        for lane in (project.quick, project.long):
            lane.reorder(project.folder.id, urgencies)

    def progress(self) -> Progress:
        """Return how far it has been listened to, or what is wrong."""
        parts = self.project.parts
        done = [part for part in range(len(parts)) if self.project.is_heard(part)]
        total = sum(last - first for first, last in parts)
        heard = sum(parts[part][1] - parts[part][0] for part in done)
        text, is_other = self.project.state.text, self.is_other_text
        return Progress(
            share=heard / total if total else 0.0,
            done=bool(parts) and len(done) == len(parts),
            problem=self.problem or (texts.TEXT_DOES_NOT_MATCH if is_other else ""),
            other_text=text if is_other else None,
            missing=tuple(self._missing()),
            text="" if self.project.shown() else text,
        )

    def _missing(self) -> list[tuple[float, float]]:
        """Return the times between which nothing has been listened to yet, in seconds."""
        state = self.project.state
        found: list[tuple[float, float]] = []
        for part, (first, last) in enumerate(self.project.parts):
            if self.project.is_heard(part) or state.sound is None:
                continue
            start, end = first / state.sound.sample_rate, last / state.sound.sample_rate
            if found and start - found[-1][1] < 1e-3:
                start = found.pop()[0]
            found.append((start, end))
        return [(round(start, 2), round(end, 2)) for start, end in found]

    def _tell(self) -> None:
        self.project.events.tell(kind="listening", **vars(self.progress()))

    def _add(self, lane: EditorLane, urgency: int, name: str, run: Any) -> None:
        shown = self.project.events.is_shown
        self.project.add_job(lane, urgency, name, run, self._failed, is_awaited=shown)

    def _failed(self, sentence: str) -> None:
        folder = self.project.folder
        self.problem = sentence.replace(f"{folder.path}/", "")
        if folder.state.sound is not None or sentence in (texts.FAILED, texts.MEMORY_EXCEEDED):
            self._tell()
        else:  # what can't be edited is no project; what failed for another reason may yet be one
            folder.bin()
            self.project.events.tell(kind="gone", sentence=self.problem)

    def _open(self, editor: WorkerProcess) -> None:
        folder = self.project.folder
        with without_folder(folder.path):
            with suppress(InputError):  # of a text that can't be read, once the sound is there
                self._read_text(editor)
            self._join(editor)
            channels = tuple(track.channels for track in folder.state.tracks if track.channels)
            how = folder.original, folder.path, limits.MAX_SECONDS, channels
            sound, parts = editor.ask(tasks.ingest, *how)

        def opened(state: ProjectState) -> ProjectState:
            known = ((0, sound.samples),) if state.text else parts
            if packed := state.packed:
                told = (packed.sample_rate, packed.file_channels, packed.samples)
                if told != (sound.sample_rate, sound.file_channels, sound.samples):
                    raise InputError(texts.OTHER_SOUND)
                known = packed.parts
            return replace(state, sound=sound, parts=known, packed=None)

        folder.update(ProjectState, opened)
        self.project.events.tell(kind="reload")
        self.resume()

    def _join(self, editor: WorkerProcess) -> None:
        """Make one recording of the tracks that wait for it.

        What can't be joined to a recording that was opened before is left out.
        """
        folder, state = self.project.folder, self.project.folder.state
        waiting = [track for track in state.tracks if track.file]
        if not waiting:
            return
        known = state.tracks[: -len(waiting)]
        came = [folder.original, *(folder.path / track.file for track in waiting)]
        file = safe_name(f"{came[0].stem}-{'-'.join(each.name.lower() for each in waiting)}.wav")
        try:
            made = editor.ask(tasks.join_tracks, came, folder.path / f"joined-{file}")
        except InputError as error:
            if state.sound is None:
                raise
            self.project.events.refuse(str(error))
            kept = known if len(known) > 1 else ()
            folder.update(ProjectState, lambda now: replace(now, tracks=kept))
            return
        if len(known) == 1:
            known = (replace(known[0], channels=made[0].channels, level=made[0].level),)
        shapes = zip(waiting, made[1:], strict=True)
        joined = [replace(each, file="", channels=c, level=level) for each, (c, level) in shapes]

        def told(now: ProjectState) -> ProjectState:
            later = now.tracks[len(state.tracks) :]
            return replace(now, file=file, tracks=(*known, *joined, *later))

        with self.project.lock:
            (folder.path / f"joined-{file}").replace(folder.path / file)
            folder.update(ProjectState, told)
        for path in came:
            if path != folder.path / file:
                path.unlink()

    def add_track(self, source: Path, name: str) -> bool:
        """Join another speaker's track to the recording, and listen to both anew.

        Returns False, and does nothing, once there are changes, which are of other words, and for a
        film, whose picture would be lost; True, and does nothing, if it is there already, as after
        a kill. Raises InputError for the recording itself, and if the disk is full.
        """
        project, folder = self.project, self.project.folder
        with project.lock:
            state = project.state
            tracks = state.tracks or first_track(folder.original, state.name)
            added = sha256_of(source)
            if added == tracks[0].sha256:
                raise InputError(texts.OWN_TRACK)
            if added in {track.sha256 for track in tracks}:
                return True
            is_changed = project.changes or project.document.corrections
            if is_changed or state.sound is None or state.sound.film is not None:
                return False
            folder.require_room(source)
            tracks = with_track(tracks, folder.path, source, name)
            folder.update(ProjectState, lambda now: replace(now, tracks=tracks))
        self.retext(state.text)
        return True

    def _read_text(self, editor: WorkerProcess) -> None:
        """Keep the words of the given text, which the page shows before they have times."""
        folder, text = self.project.folder, self.project.state.text
        if not text or folder.read(Places).places:
            return
        places = editor.ask(tasks.read_text, text)
        with self.project.lock:
            if self.project.state.text != text:  # it has another one by now
                return
            folder.write(places)
        self.project.events.tell(kind="reload")

    def _find_places(self, editor: WorkerProcess) -> None:
        folder, text = self.project.folder, self.project.state.text
        self._read_text(editor)
        places, own = folder.read(Places), folder.pronunciations
        if len(places.places) == 1:  # else a server that was killed has found them
            whole = places.places[0].transcript
            places = editor.ask(tasks.find_places, folder.sound(), whole, own)
        parts = tuple((place.first, place.last) for place in places.places)
        with self.project.lock:
            if self.project.state.text != text:  # it has another one by now
                return
            folder.write(places)
            folder.update(ProjectState, lambda state: replace(state, parts=parts, places=True))
        self.project.events.tell(kind="reload")
        self._listen()

    def _listen_to(self, editor: WorkerProcess, part: int) -> None:
        project = self.project
        if project.is_heard(part):
            return
        sound, state, own = project.folder.sound(), project.state, project.folder.pronunciations
        if state.places:
            places = project.folder.read(Places)
            first_id, place = state.first_id + places.first_ids[part], places.places[part]
            heard = editor.ask(tasks.align_place, sound, first_id, place, own)
        else:
            first, last = state.parts[part]
            first_id = state.first_id + part * IDS
            heard = editor.ask(tasks.recognise_part, sound, first_id, first, last, own)
        with project.lock:
            now = project.state
            again = (now.text, now.places, now.parts) != (state.text, state.places, state.parts)
            if project.is_heard(part) or again:
                return  # it is listened to anew
            if now.tracks:
                said = said_on_tracks(sound, now.tracks, heard.tokens)
                heard = replace(heard, tokens=said)
            project.rewrite(part, heard.with_marks(not now.plain))
            if now.tracks and project.is_all_heard:  # a turn begins with its name
                project.rewrite_all(with_speakers(project.tokens(), {}))
            self._tell()
            self.words_came()

    @property
    def is_other_text(self) -> bool:
        """True if nothing of the given text is heard in the recording."""
        project = self.project
        if len(project.parts) != 1 or not (project.state.places and project.is_heard(0)):
            return False
        rows = project.shown()
        return bool(rows) and not any(row[SCORE] for row in rows)

    def retext(self, given: str) -> None:
        """Listen again, with another transcript or, for none, by recognising.

        Raises InputError once there are changes.
        """
        project, folder = self.project, self.project.folder
        text = transcript_lines(given)
        with project.lock:
            if project.changes or project.document.corrections:
                raise InputError(texts.CHANGED_ALREADY)
            for lane in (project.quick, project.long):
                for name in lane.pending(folder.id):
                    lane.cancel(folder.id, name)
            # No step of the former words, here or in another window, may find one of the new ones.
            last = max((row[0] for row in project.shown()), default=-1)
            first_id = max(project.state.first_id, (last // IDS + 1) * IDS)
            folder.update(ProjectState, lambda state: replace(state, first_id=first_id))
            folder.update(document.Document, document.Document.with_other_words)
            for path in [*folder.path.glob("words/*.json"), folder.path / Places.stored_in]:
                folder.discard(path)
            folder.update(
                ProjectState,
                lambda state: replace(state, text=text, places=False, plain=False, parts=()),
            )
            self.problem = ""
        project.events.tell(kind="reload")
        self._add(project.quick, OPENING, "open again", self._open)

    def know(self, given: str) -> None:
        """Keep names and words that are said in the recording, as `a3t … --words` has them.

        What was recognised is listened to again, unless something was changed. The pages are told
        if the list can't be used.
        """
        project, folder = self.project, self.project.folder
        text = limits.check_text(given, texts.THE_LIST)

        def run(editor: WorkerProcess) -> None:
            words = editor.ask(tasks.listed_words, text)
            with project.lock:
                folder.write(Names.of(text, words))
                project.events.tell(kind="names", names=text)
                free = not (project.changes or project.document.corrections)
            begun = any(map(project.is_heard, range(len(project.parts))))
            if free and begun and not project.state.text:
                self.retext("")

        project.add_job(project.quick, OPENING, f"names {secrets.token_hex(4)}", run)
