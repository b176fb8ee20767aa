"""Learning the voice of a project's recording, where the page is for this computer alone."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, replace
from typing import Literal

from a3t.audio.output.files import safe_stem
from a3t.errors import InputError
from a3t.projects.store.project_state import ProjectState
from a3t.user_folders import voice_names
from app import texts
from app.models import Models
from app.processes.lanes import MAKING, EditorLane
from app.processes.request_jobs import Watch
from app.processes.worker import WorkerProcess
from app.service import without_folder
from app.studio.open_project import OpenProject
from app.studio.sent import Sent
from app.studio.work import worker_tasks as tasks
from app.studio.work.take_orders import settings_of

JOB = "voice"  # its name in the lane
LONGEST_NAME = 56  # characters, of 64 that a voice may have, so that a number fits


@dataclass(frozen=True)
class VoiceOffer:
    """What a page may offer of the recording's voice.

    name: the voice that was learnt. share: 0 to 1 of the learning. left_s: the seconds that the
    rest takes, None until that is known. problem: why the last try failed.
    """

    state: Literal["none", "offered", "learning", "learnt"]
    name: str = ""
    share: float = 0.0
    left_s: float | None = None
    problem: str = ""


class VoiceLearning:
    """Learns the voice of a project's recording, as `a3t voice make` does.

    lane: where that is done; None where no voice may be made.
    """

    def __init__(self, project: OpenProject, lane: EditorLane | None) -> None:
        self.project, self.lane = project, lane
        self._problem = ""
        self._begun: tuple[int, float] | None = None  # the first step here, and when that was
        self._share, self._left_s = 0.0, float("inf")

    @property
    def is_under_way(self) -> bool:
        """Whether the voice is being learnt, or waits for that."""
        return self.lane is not None and JOB in self.lane.pending(self.project.folder.id)

    def offer(self) -> VoiceOffer:
        """Return what a page may offer now."""
        state = self.project.state
        if self.lane is None:
            return VoiceOffer("none")
        if state.voice in voice_names():
            return VoiceOffer("none" if state.voice_declined else "learnt", state.voice)
        if self.is_under_way:
            left_s = None if self._left_s == float("inf") else round(self._left_s, 1)
            return VoiceOffer("learning", share=self._share, left_s=left_s)
        return VoiceOffer("none" if state.voice_declined else "offered", problem=self._problem)

    def learn(self, sent: Sent) -> None:
        """Begin to learn the voice, unless that is done or under way.

        What was interrupted goes on. Raises InputError without the speaker's consent, where no
        voice may be made, and before all words are known.
        """
        project, folder = self.project, self.project.folder
        if self.lane is None:
            raise InputError(texts.NO_VOICES_MADE)
        if not sent.is_true("consent"):
            raise InputError(texts.NO_CONSENT)
        if not project.is_all_heard:
            raise InputError(texts.NOT_HEARD_YET)
        if self.is_under_way or project.state.voice in voice_names():
            return
        model = settings_of(project.document.settings)[1].model
        recording, heard = folder.recording(), project.heard()

        def run(editor: WorkerProcess) -> None:
            name = new_name(folder.state.file)
            with without_folder(folder.path):
                editor.ask(tasks.learn_voice, name, recording, heard)
            folder.update(
                ProjectState, lambda state: replace(state, voice=name, voice_declined=False)
            )
            self._tell()

        self._problem, self._begun, self._share, self._left_s = "", None, 0.0, float("inf")
        watch = Watch(self._step)
        project.add_job(
            self.lane, MAKING, JOB, run, self._failed, models=Models(model), watch=watch
        )
        self._tell()

    def stop(self) -> None:
        """Interrupt the learning; `learn` goes on from its last checkpoint."""
        if self.lane is not None:
            self.lane.cancel(self.project.folder.id, JOB)
        self._tell()

    def decline(self) -> None:
        """Offer nothing of the voice any more."""
        self.project.folder.update(ProjectState, lambda state: replace(state, voice_declined=True))
        self._tell()

    def _tell(self) -> None:
        self.project.events.tell(kind="voice", voice=self.offer())

    def _failed(self, sentence: str) -> None:
        self._problem = sentence
        self._tell()

    def _step(self, step: str) -> None:
        """Note a step of the learning, and tell of each whole percent."""
        if not step.startswith(tasks.LEARNT):
            return
        done, steps = map(int, step.removeprefix(tasks.LEARNT).split())
        now, before = time.monotonic(), self._share
        first, began = self._begun = self._begun or (done, now)
        if done > first:
            self._left_s = (now - began) / (done - first) * (steps - done)
        self._share = done / steps
        if int(100 * self._share) > int(100 * before):
            self._tell()


def new_name(file: str) -> str:
    """Return a name for the voice of a recording that no voice has yet."""
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", safe_stem(file)).strip("-._")[:LONGEST_NAME] or "voice"
    taken, number, free = voice_names(), 1, name
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    return free
