"""A project in use: its document, the takes of its changes, and what could be cleaned.

Everything that a visitor does is written down before it is answered, so a page that is loaded
again, or a server that was killed, goes on where it was.
"""

from __future__ import annotations

import secrets
import time
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from a3t.audio.analysis.loudness import LEVELS_LUFS
from a3t.audio.output.files import safe_stem
from a3t.audio.reading.formats import sample_format
from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.plan.cleaning import Cleaning, Finding, listed
from a3t.plan.findings import Findings
from a3t.plan.options import PAGE, CleaningOptions, EditOptions, option_of, read_options
from a3t.plan.request import KINDS
from a3t.plan.track_activity import TrackActivity
from a3t.projects.close_changes import made_as_one
from a3t.projects.document import (
    MAX_CHANGES,
    MAX_CHARACTERS,
    Change,
    Correction,
    Document,
    Draft,
    MissingWordsError,
    Step,
    changes_to,
    draft_of,
    steps_of,
)
from a3t.projects.store.folder import SAID_FOLDER, ProjectFolder
from a3t.projects.store.project_state import ProjectState, SpeakerTrack
from a3t.projects.store.pronunciations import (
    MAX_SAID_CHARACTERS,
    WORD_PATTERN,
    Names,
    SaidWord,
    SaidWords,
)
from a3t.projects.store.words import HeardWords, Token
from a3t.projects.take_record import ShownTake, TakeRecord
from a3t.source.diarisation import tells_speakers
from a3t.source.records import LONG
from a3t.text.transcript import parsed
from alignment.result import DOUBTFUL_BELOW
from app import limits, texts
from app.processes.lanes import MAKING, EditorLane
from app.processes.request_jobs import Watch
from app.processes.worker import WorkerProcess, run_in_sandbox
from app.service import without_folder
from app.studio.further_recordings import FurtherRecordings
from app.studio.open_project import OpenProject
from app.studio.project_words import Listening, Progress, WordCorrections
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

SOUND_KINDS = {"breath", "click"}  # which are found in the sound, not in the words
LATER = 1000  # an urgency
MAX_LENGTHS = 8  # of one change's takes that are kept, which undo brings back
EXPORTING = 2  # urgency
AUDIO = (".wav", ".flac", ".mp3", ".m4a")  # what the sound may become


def cleaning_of(sent: Sent) -> Cleaning:
    """Return the cleaning that a request asks for; InputError for what can't be looked for."""
    kinds = sent.get("kinds")
    named = tuple(str(kind) for kind in kinds[:9]) if isinstance(kinds, list) else KINDS
    return Cleaning(
        kinds=named,
        **vars(read_options(CleaningOptions, PAGE, sent.fields)),
        hidden=listed(sent.text("hidden")[:MAX_CHARACTERS]),
        bleep=sent.is_true("bleep"),
    )


@dataclass(frozen=True)
class Offered:
    """What can be taken out.

    found: of each finding its kind, what it is, its seconds in the recording, those of the take
    that stays (`again`), and the change (`edit`) that takes it out. unnamed: the words to hide that
    the transcript lacks.
    """

    found: tuple[Mapping[str, object], ...]
    unnamed: tuple[str, ...]


def find_changes(
    recording: Recording, heard: HeardWords, want: Cleaning, *tracks: TrackActivity
) -> Offered:
    """Find what can be taken out, reading the recording in a process of its own if need be."""
    if SOUND_KINDS & set(want.kinds):
        return run_in_sandbox(offered_changes, recording, heard, want, *tracks)
    return offered_changes(recording, heard, want, *tracks)


def offered_changes(
    recording: Recording, heard: HeardWords, want: Cleaning, *tracks: TrackActivity
) -> Offered:
    """Find what is wanted among the words; InputError while none is known."""
    tokens = heard.tokens
    if not tokens:
        raise InputError(texts.NOT_HEARD_YET)
    source = heard.aligned(recording)
    findings = Findings(source, source.text, want, activity=tracks)
    owners = [k for k, token in enumerate(tokens) for _ in token.words]
    starts = [token.start for token in tokens]
    found = tuple(
        {**each.shown(), "edit": _change(each, want, tokens, owners, starts)}
        for each in findings.found
    )
    return Offered(found, tuple(findings.unnamed))


def _change(
    finding: Finding,
    want: Cleaning,
    tokens: Sequence[Token],
    owners: Sequence[int],
    starts: Sequence[float],
) -> Change:
    text = ""
    if finding.words is None:
        first = last = bisect_left(starts, (finding.start + finding.end) / 2)
    else:
        first, last = owners[finding.words[0]], owners[finding.words[1] - 1] + 1
        if seconds := want.silence(finding):
            text = f"[pause {seconds:g}]"
    ids = tuple(token.id for token in tokens[first:last])
    after = tokens[first - 1].id if first else -1
    return Change(after, ids, text, cut=finding.cut)


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


@dataclass(frozen=True, kw_only=True)
class SavedScript:
    """A project's changes as a page needs them when it has saved.

    edits: with their keys and those of their takes. corrections: those that wait. now: the server's
    time. refused: the numbers of the steps that were refused just now.
    """

    revision: int
    edits: tuple[Mapping[str, object], ...]
    corrections: tuple[Correction, ...]
    now: float
    refused: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ShownScript(SavedScript):
    """A project's changes as a page needs them when another page has changed them.

    draft: the text in its field. takes, failures: by the changes' keys. making: the keys of the
    changes that are being made.
    """

    draft: Draft | None
    takes: Mapping[str, Sequence[ShownTake]]
    failures: Mapping[str, str]
    making: Sequence[str]


@dataclass(frozen=True)
class DocumentLimits:
    """The most changes, and characters of one; the confidence below which a word is doubtful."""

    changes: int = MAX_CHANGES
    characters: int = MAX_CHARACTERS
    doubtful_below: float = DOUBTFUL_BELOW


def kind_of(file: str) -> str:
    """Return the ending with which a recording is exported as it was recorded."""
    return ".flac" if file.endswith(".flac") else ".wav"


@dataclass(frozen=True)
class SoundShape:
    """The sound that a page plays, seconds long.

    kind, file_channels, sample_bytes: of the file that is exported as it was recorded.
    """

    sample_rate: int
    channels: int
    samples: int
    seconds: float
    kind: str
    file_channels: int
    sample_bytes: int


@dataclass(frozen=True, kw_only=True)
class ShownProject(ShownScript):
    """A project as a page shows it when it is opened.

    version: of its last event. film: seconds of pictures before the sound, None without pictures.
    pronunciations: of words, as the user wrote them. names: the list of names. marks: whether the
    punctuation that was restored is shown, None if none was. tells_speakers: whether speakers can
    be told apart here.
    """

    id: str
    name: str
    version: int
    limits: DocumentLimits = field(default_factory=DocumentLimits)
    sound: SoundShape | None
    listening: Progress
    tokens: Sequence[Sequence[object]]
    film: float | None
    offered: str | None
    pronunciations: Mapping[str, str]
    names: str
    marks: bool | None
    tells_speakers: bool
    recordings: Sequence[Mapping[str, object]]
    tracks: tuple[SpeakerTrack, ...]
    done: Sequence[Mapping[str, object]]
    undone: Sequence[Mapping[str, object]]
    first_id: int


class Project:
    """One project: requests call its methods, and jobs change it from their threads.

    exported: the name of the zip that is ready.
    """

    def __init__(self, folder: ProjectFolder, quick: EditorLane, long: EditorLane) -> None:
        self.open = OpenProject(folder, quick, long)
        self.folder, self.events = folder, self.open.events
        self.takes = TakeMaking(self.open)
        self.listening = Listening(self.open, self._words_came)
        self.words = WordCorrections(self.open)
        self.further = FurtherRecordings(self.open)
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
        return not (self.events.is_shown() or self.open.has_jobs)

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

            def set_words(step: Step) -> bool:
                if not self.words.set_words(step):
                    refused.append(step.n)
                return step.n not in refused

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
