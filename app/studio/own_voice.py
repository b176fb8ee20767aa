"""A project whose recording teaches its own voice, in the background.

Where its words name who says them, each of the named people has a voice. They are learnt in a
process of their own, which gives way to everything else on this machine, stands still while
anything is made for anybody, and ends when no page shows the project any more. What is typed
meanwhile is made at once without the voice, and offered again when the voice is there.
"""

from __future__ import annotations

import threading
import time
from abc import ABC
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from a3t.plan.request import EditRequest
from app.page_request import Models
from app.processes.progress import LEARN, CancelledError, Watch
from app.processes.worker import WorkerProcess
from app.service import without_folder
from app.studio.listened_project import ListenedProject
from app.studio.script import settings_of
from app.studio.storage.folders import MOST_SPEAKERS, VOICE, VOICES, ProjectFolder
from app.studio.storage.heard_tokens import HeardPart, Token, start_of
from app.studio.work import worker_tasks as tasks
from app.studio.work.take_orders import recording_of

EACH = 80.0  # seconds after which more words may be enough (`a3t.voice.adaptation_data.WINDOW`)
STILL = 0.05  # seconds between looks whether something is being made


@dataclass(frozen=True)
class VoiceLesson:
    """The material of a speaker's voice: all that is ``heard`` in the first ``known`` seconds.
    speaker: as the words name them, "" where nobody is named."""

    speaker: str
    heard: HeardPart
    known: float

    @property
    def own_words(self) -> tuple[object, ...]:
        """The words that may teach this speaker's voice, and whether they are all there is."""
        own = [t["words"] for t in self.heard.tokens if t.get("speaker", "") == self.speaker]
        return own, self.known == float("inf")


def speakers_of(tokens: Sequence[Token]) -> list[str]:
    """The named speakers, in the order in which they first speak; "" alone where nobody is."""
    names = dict.fromkeys(str(token["speaker"]) for token in tokens if token.get("speaker"))
    return list(names)[:MOST_SPEAKERS] or [""]


class VoicedProject(ListenedProject, ABC):
    """A project that learns its recording's voices while a page shows it."""

    def __init__(self, folder: ProjectFolder, *lanes: Any) -> None:
        super().__init__(folder, *lanes)
        self.learnt: float | None = None  # the share that is, while one is being learnt
        self.learner = ""  # whose voice that is
        self._too_few: dict[str, object] = {}  # the words of each speaker that teach no voice

    @property
    def _settings(self) -> tuple[EditRequest, Models]:
        return settings_of(self.folder.read("script.json", {}).get("settings"))

    @property
    def wants_voice(self) -> bool:
        """True if new words are to be made in the recording's own voice, once that is learnt."""
        request, models = self._settings
        return self.learning is not None and request.adapt != "never" and not models.voice

    def voice_of(self, speaker: str) -> Path | None:
        """The file of the voice that this speaker's new words are made in, if it has been learnt;
        "" is whoever speaks where nobody is named."""
        name = self.folder.voices.get(speaker)
        path = self.folder.path / VOICES / f"{name}.safetensors"
        return path if name and path.is_file() and self.wants_voice else None

    def voice_state(self) -> dict[str, Any]:
        """The voices as a page shows them: the share learnt of whose, and the names of those that
        have been, by who speaks."""
        learnt = {speaker: self.voice_of(speaker) for speaker in self.folder.voices}
        names = {speaker: voice.stem for speaker, voice in learnt.items() if voice}
        return {"share": self.learnt, "speaker": self.learner, "names": names}

    def forget_voice(self) -> None:
        """Drop what was learnt: it is of no use with other weights."""
        (self.folder.path / VOICE).unlink(missing_ok=True)
        self.learn()

    def learn(self) -> None:
        """Begin to learn the voices that are not known, if there is enough to learn them from and
        somebody waits."""
        with self.lock:
            if self._lesson() is None:
                return
        stop = threading.Event()

        def run(editor: WorkerProcess) -> None:
            try:
                while (lesson := self._lesson()) is not None:
                    self.learner = lesson.speaker
                    self._take(lesson, editor)
            finally:
                self.learnt = None

        def failed(sentence: str) -> None:  # the recording is edited as it was
            if (lesson := self._lesson()) is not None:
                self._too_few[lesson.speaker] = lesson.own_words
            self.tell(kind="voice", **self.voice_state())
            self.learn()

        def step(name: str) -> None:
            if name.startswith(LEARN):
                done, steps = map(int, name.split()[1:])
                self.learnt = done / steps
                self.tell(kind="voice", **self.voice_state())
            self._stand_still(stop)

        assert self.learning is not None
        models = replace(self._settings[1], voice="")
        watch = Watch(step=step, cancelled=stop)
        self.add_job(self.learning, 0, "learn", run, failed, models=models, watch=watch)

    def _lesson(self) -> VoiceLesson | None:
        """The next lesson, if somebody waits for one."""
        if not (self.is_shown and self.wants_voice):
            return None
        heard, known = self._beginning()
        for speaker in speakers_of(heard.tokens) if known else ():
            lesson = VoiceLesson(speaker, heard, known)
            tried = self._too_few.get(speaker) == lesson.own_words
            if not tried and self.voice_of(speaker) is None:
                return lesson
        return None

    def _take(self, lesson: VoiceLesson, editor: WorkerProcess) -> None:
        """Learn a voice, and keep it, or that these words teach none."""
        recording = recording_of(self.folder.path, self.about)
        with without_folder(self.folder.path):
            folder = self.folder.path / VOICES
            name = editor.ask(
                tasks.learn_voice, recording, lesson.heard, lesson.known, lesson.speaker, folder
            )
        with self.lock:
            self.learnt = None
            if name is None:
                self._too_few[lesson.speaker] = lesson.own_words
            else:
                self.folder.keep_voice(lesson.speaker, name)
        self.tell(kind="voice", **self.voice_state())

    def _stand_still(self, stop: threading.Event) -> None:
        """Wait while something is made; CancelledError if nobody wants the voice any more."""
        while True:
            if stop.is_set() or not (self.is_shown and self.wants_voice):
                self.learnt = None
                self.tell(kind="voice", **self.voice_state())
                stop.set()  # so that another one can be asked for before this has ended
                raise CancelledError
            if not self.quick.is_busy:
                return
            time.sleep(STILL)

    def _beginning(self) -> tuple[HeardPart, float]:
        """The words of the recording's beginning, and up to how many seconds they are all known:
        a multiple of `EACH`, or all of them."""
        about = self.about
        rate, end = about.get("sample_rate", 1), 0
        taken: list[HeardPart] = []
        for part, (_, last) in enumerate(about.get("parts", ())):
            if not self.is_done(part):
                break
            taken.append(self.folder.heard(part))
            end = last
        known = float("inf") if self.progress()["done"] else end / rate // EACH * EACH
        tokens = [token for part in taken for token in part.tokens if start_of(token) < known]
        return HeardPart(tokens), known
