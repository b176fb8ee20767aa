"""A project in use: its document, the takes of its changes, and what could be cleaned.

Everything that a visitor does is written down before it is answered, so a page that is loaded
again, or a server that was killed, goes on where it was.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from a3t.audio.analysis.loudness import LEVELS_LUFS
from a3t.audio.output.files import safe_stem
from a3t.audio.reading.formats import sample_format
from a3t.errors import InputError
from a3t.projects.document import (
    Change,
    Document,
    Step,
    draft_of,
    steps_of,
)
from a3t.projects.store.folder import SAID_FOLDER, ProjectFolder
from a3t.projects.store.project_state import ProjectState
from a3t.projects.store.pronunciations import (
    Names,
)
from a3t.source.diarisation import tells_speakers
from app import limits, texts
from app.processes.lanes import EditorLane
from app.processes.worker import WorkerProcess
from app.service import without_folder
from app.studio.cleaning_offers import Offered, cleaning_of, find_changes
from app.studio.further_recordings import FurtherRecordings
from app.studio.open_project import OpenProject
from app.studio.project_listening import Listening
from app.studio.project_takes import TakeMaking
from app.studio.sent import Sent
from app.studio.shown_project import (
    SavedScript,
    ShownProject,
    ShownScript,
    SoundShape,
    kind_of,
)
from app.studio.voice_learning import VoiceLearning
from app.studio.word_corrections import WordCorrections
from app.studio.work import worker_tasks as tasks
from app.studio.work.take_orders import (
    settings_of,
)

EXPORTING = 2  # urgency
AUDIO = (".wav", ".flac", ".mp3", ".m4a")  # what the sound may become


class Project:
    """One project: requests call its methods, and jobs change it from their threads.

    exported: the name of the zip that is ready.
    """

    def __init__(
        self,
        folder: ProjectFolder,
        quick: EditorLane,
        long: EditorLane,
        learning: EditorLane | None = None,
    ) -> None:
        self.open = OpenProject(folder, quick, long)
        self.folder, self.events = folder, self.open.events
        self.takes = TakeMaking(self.open)
        self.listening = Listening(self.open, self._words_came)
        self.words = WordCorrections(self.open)
        self.further = FurtherRecordings(self.open)
        self.voice = VoiceLearning(self.open, learning)
        self.exported: str | None = None
        if (folder.path / SAID_FOLDER).is_dir():
            self.open.forget_said()
        self.listening.resume()
        self.further.resume()

    def _words_came(self) -> None:
        """Make the text that was handed over, once every word is known, and the missing takes."""
        state = self.folder.state
        known = (*self.open.document.done, *self.open.document.undone)
        is_new = all(step.label != texts.HANDED_OVER for step in known)
        if state.handed and self.open.is_all_heard and is_new:
            step = Step(come=self.takes.handed(), label=texts.HANDED_OVER)
            after = self.open.document.taken(step)
            self.folder.write(replace(after, revision=after.revision + 1))
            self.events.tell(kind="saved", revision=after.revision + 1)
        self.takes.make_missing()
        self.words.correct_all()

    @property
    def is_idle(self) -> bool:
        """Whether no page shows it and no job works on it: their events would reach nobody."""
        busy = self.open.has_jobs or self.voice.is_under_way
        return not (busy or self.events.is_shown())

    def state(self) -> ShownProject:
        """Return the project as a page shows it when it is opened."""
        with self.open.lock:
            state, document = self.open.state, self.open.document
            sound = state.sound
            shape = None
            if sound is not None:
                shape = SoundShape(
                    sound.sample_rate,
                    sound.channels,
                    sound.samples,
                    sound.seconds,
                    kind=kind_of(state.file),
                    file_channels=sound.file_channels,
                    sample_bytes=sample_format(sound.subtype).width,
                )
            return ShownProject(
                **vars(self.script()),
                id=self.folder.id,
                name=state.name,
                version=self.events.version,
                sound=shape,
                listening=self.listening.progress(),
                tokens=self.open.shown(),
                film=None if sound is None else sound.film,
                offered=state.offered,
                pronunciations=self.takes.said_as(),
                names=self.folder.read(Names).text,
                marks=self.words.marks(),
                tells_speakers=tells_speakers(),
                recordings=self.further.shown(),
                tracks=state.tracks,
                voice=self.voice.offer(),
                done=[step.shown() for step in document.done],
                undone=[step.shown() for step in document.undone],
                first_id=state.first_id,
            )

    def script(self) -> ShownScript:
        """Return the changes, as a page shows them that another one has changed."""
        with self.open.lock:
            document, failures = self.open.document, self.takes.failures
            made = self.open.made_as_one()
            own = [change.key for change in document.changes]
            keys = [*dict.fromkeys([*own, *(change.key for change in made.values())])]
            return ShownScript(
                **vars(self._saved(document, made)),
                draft=document.draft,
                takes={key: self.takes.shown(key) for key in keys},
                failures={key: failures[key] for key in keys if key in failures},
                making=self.open.quick.being_made(self.folder.id),
            )

    def save(self, sent: Sent) -> SavedScript:
        """Take a page's steps, begin to make what is missing, and return the changes as they are.

        A step is taken once, however often it is sent.
        """
        now, page = time.time(), sent.text("page")[:32]
        steps = [step.typed_by(now) for step in steps_of(sent.fields.get("steps", []))]
        given = sent.get("settings")
        settings = given if isinstance(given, dict) else {}
        settings_of(settings)
        with self.open.lock:
            before, refused = self.open.document, list[int]()

            def set_words(document: Document, step: Step) -> Step | None:
                rows = self.open.shown() if step.now else []
                if self.words.set_words(step):
                    return self.takes.rewritten(document.changes, rows, step)
                refused.append(step.n)
                return None

            after = replace(
                before.merged(steps, page, set_words),
                revision=before.revision + 1,
                settings=settings,
                draft=draft_of(sent.get("draft")) if "draft" in sent else before.draft,
            )
            self.folder.write(after)
            self.exported = None
            self.takes.make_missing()
            self.words.correct_all()
        self.events.tell(kind="saved", revision=after.revision)
        return self._saved(after, self.open.made_as_one(), refused)

    def _saved(
        self, document: Document, made: Mapping[str, Change], refused: Sequence[int] = ()
    ) -> SavedScript:
        edits = tuple(
            change.to_json() | {"key": key, "made": made.get(key, change).key}
            for change in document.changes
            for key in [change.key]
        )
        return SavedScript(
            revision=document.revision,
            edits=edits,
            corrections=document.corrections,
            now=time.time(),
            refused=tuple(refused),
        )

    def rename(self, given: str) -> None:
        """Give it another name; InputError for none."""
        name = limits.required(given, texts.THE_NAME, texts.NAMELESS)
        name = " ".join(name.split())[:120]
        self.folder.update(ProjectState, lambda state: replace(state, name=name))
        self.events.tell(kind="name", name=name)

    def offered(self, sent: Sent) -> Offered:
        """Find what can be taken out of what has been listened to; nothing is changed."""
        heard = self.open.heard()
        recording = self.folder.recording()
        tracks = [activity for _, _, activity in self.open.tracks()]
        with without_folder(self.folder.path):
            return find_changes(recording, heard, cleaning_of(sent), *tracks)

    def export(self, sent: Sent) -> None:
        """Begin to write the zip of everything, or of what a `part` needs.

        Its sound is of a `kind`, at a `loudness` (LUFS), with the `film` if that is wanted, its mix
        without the `muted` tracks. `exported` is its name when it is there.
        """
        kind, film = sent.text("kind"), sent.is_true("film")
        is_levelled = sent.get("loudness") is not None
        loudness = sent.number("loudness", -16.0, *LEVELS_LUFS) if is_levelled else None
        chosen = self.takes.chosen()
        is_sound = sent.text("part") in ("audio", "film")
        if not (is_sound or self.open.is_all_heard):
            raise InputError(texts.NOT_HEARD_YET)
        file = self.open.state.file
        name = f"{safe_stem(file)}.edited"
        suffix = kind if kind in AUDIO else kind_of(file)
        recording = self.folder.recording()
        heard = self.open.heard()
        out = self.folder.path / "export" / name
        tracks = [(called, track) for called, track, _ in self.open.tracks()]
        muted = sent.get("muted")
        joined = self.open.state.tracks, tuple(muted) if isinstance(muted, list) else ()
        how = suffix, film, loudness, () if is_sound else None, tracks, *joined

        def run(editor: WorkerProcess) -> None:
            with without_folder(self.folder.path):
                made = editor.ask(tasks.mix_down, recording, heard, chosen, out, *how)
            self.exported = made.name
            self.events.tell(kind="exported", name=made.name)

        shown = self.events.is_shown
        self.open.add_job(self.open.lane, EXPORTING, "export", run, is_awaited=shown)
