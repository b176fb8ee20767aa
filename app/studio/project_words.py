"""A transcript put right: misheard words, times, restored marks, and who says them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from a3t.errors import InputError
from a3t.projects import document
from a3t.source.diarisation import require_packages
from a3t.text.normaliser.unspoken import is_name
from alignment import Word
from alignment.retiming import retimed
from app import texts
from app.processes.worker import WorkerProcess
from app.service import without_folder
from app.studio.open_project import OpenProject
from app.studio.project_listening import OPENING
from app.studio.storage.heard_tokens import (
    IDS,
    HeardPart,
    Token,
    end_of,
    places_of,
    start_of,
    with_marks,
    with_speakers,
    without_name,
)
from app.studio.storage.pcm_sound import PcmSound
from app.studio.work import worker_tasks as tasks

SHORTEST_PHONE = 0.0125  # seconds
REACH = 2.0  # seconds of a pause beside the words that may hold some of them


@dataclass(frozen=True)
class Correction:
    """Some tokens of one part that give way to others, with their neighbours, which were dragged
    by what was misheard and are aligned anew with them.

    before: the tokens that are aligned anew; the first `left` and the last `right` keep their
    texts and names. start, stop: seconds between which they are spoken.
    """

    part: int
    text: str
    before: tuple[Token, ...]
    left: int
    right: int
    start: float
    stop: float

    @classmethod
    def of(
        cls, wanted: document.Correction, tokens: Sequence[Token], edited: Collection[int]
    ) -> Correction:
        """InputError if the tokens are no longer there, or an edit replaces them."""
        text = wanted.text
        first, last = _place(wanted, places_of(tokens), len(tokens))
        if any(token["id"] in edited for token in tokens[first:last]):
            raise InputError(texts.CHANGED_HERE)
        if not tokens:
            raise InputError(texts.NO_WORD)
        part = tokens[min(first, len(tokens) - 1)]["id"] // IDS

        def free(k: int) -> bool:
            inside = 0 <= k < len(tokens)
            return inside and tokens[k]["id"] // IDS == part and tokens[k]["id"] not in edited

        begin, end = first - free(first - 1), last + free(last)
        start = end_of(tokens[begin - 1]) if begin else 0.0
        stop = start_of(tokens[end]) if end < len(tokens) else float("inf")
        if begin < end:
            start = max(start, start_of(tokens[begin]) - REACH)
            stop = min(stop, end_of(tokens[end - 1]) + REACH)
        parts = [*tokens[begin:first], {"text": text}, *tokens[last:end]]
        text = " ".join(filter(None, map(without_name, parts)))
        return cls(part, text, tuple(tokens[begin:end]), first - begin, end - last, start, stop)

    def heard(self, editor: WorkerProcess, sound: PcmSound) -> HeardPart:
        """The new tokens, aligned; none for a text without words."""
        if not self.text:
            return HeardPart()
        rate = sound.sample_rate
        first, last = (
            round(self.start * rate),
            min(sound.samples, round(min(self.stop, 1e6) * rate)),
        )
        found: HeardPart = editor.ask(tasks.correct_tokens, sound, first, last, self.text)
        return found

    def among(self, own: HeardPart, heard: HeardPart) -> HeardPart:
        """The part with the new tokens in their place; kept neighbours keep their ids, so edits
        beside them stay where they are."""
        made = heard.tokens
        gone = self.before[self.left : len(self.before) - self.right] or self.before[:1]
        for k, token in enumerate(made):
            beside = k - len(made) if k >= len(made) - self.right else k
            who = gone[:1] if self.left <= k < len(made) - self.right else self.before[beside:][:1]
            if who and who[0].get("speaker"):
                token.setdefault("speaker", who[0]["speaker"])
        fresh = max([self.part * IDS, *(token["id"] for token in own.tokens)]) + 1
        for k, token in enumerate(made):
            token["id"] = fresh + k
        for k in range(min(self.left, len(made))):
            made[k]["id"] = self.before[k]["id"]
        for k in range(1, min(self.right, len(made) - self.left) + 1):
            made[-k]["id"] = self.before[-k]["id"]
        ids = {token["id"] for token in self.before}
        rest = [token for token in own.tokens if token["id"] not in ids]
        at = sum(start_of(token) < self.start + 1e-6 for token in rest)
        part = HeardPart([*rest[:at], *made, *rest[at:]], own.pauses)
        return part.with_pauses(heard.pauses, self.start, self.stop) if made else part


def _place(wanted: document.Correction, ids: Mapping[int, int], count: int) -> tuple[int, int]:
    """The tokens [first, last) that a correction is of: its own, or where these have been corrected
    meanwhile, all between its neighbours. InputError if these are no longer there either."""
    own = [ids.get(token, -1) for token in wanted.tokens or ()]
    if own and -1 not in own and own == [*range(own[0], own[0] + len(own))]:
        return own[0], own[-1] + 1
    first = 0 if wanted.after == -1 else ids.get(wanted.after, count) + 1
    last = count if wanted.right is None else ids.get(wanted.right, -1)
    last = first if wanted.tokens == () else last
    if not first <= last <= count:
        raise document.MissingWordsError
    return first, last


def moved_token(
    data: Any, tokens: Sequence[Token], seconds: float
) -> tuple[int, Token, dict[str, float]]:
    """A token at the times that a request gives, not past its neighbours: its part, it, and the
    times that it had. InputError if there is no such token, or no time for its phones."""
    try:
        identity, start, end = int(data["id"]), float(data["start"]), float(data["end"])
    except (KeyError, TypeError, ValueError, OverflowError):
        raise InputError(texts.NO_TIMES) from None
    place = next((k for k, token in enumerate(tokens) if token["id"] == identity), None)
    if place is None:
        raise InputError(texts.NO_WORD)
    words = [Word.from_json(word) for word in tokens[place]["words"]]
    was, until = words[0].start, words[-1].end
    start = max(start, end_of(tokens[place - 1]) if place else 0.0)
    last = place + 1 == len(tokens)
    end = min(end, seconds if last else start_of(tokens[place + 1]))
    least = SHORTEST_PHONE * sum(len(word.phones) for word in words)
    if not end - start >= least:
        raise InputError(texts.too_short(tokens[place]["text"], least, end - start))
    factor = (end - start) / (until - was)
    moved = [
        retimed(w, start + (w.start - was) * factor, start + (w.end - was) * factor) for w in words
    ]
    token = {**tokens[place], "words": [word.to_json() for word in moved]}
    return identity // IDS, token, {"start": was, "end": until}


class WordCorrections:
    """Corrects a project's transcript; nothing is made."""

    def __init__(self, project: OpenProject) -> None:
        self.project = project

    def correct_all(self) -> None:
        """Align the corrections that wait, in their order. They wait in the document until that is
        done, so that a server that was killed does it again."""
        for wanted in self.project.document.corrections:
            self._correct(wanted)

    def _correct(self, wanted: document.Correction) -> None:
        project = self.project

        def run(editor: WorkerProcess) -> None:
            with project.lock:
                edited = {token for change in project.changes for token in change.tokens}
                correction = Correction.of(wanted, project.tokens(), edited)
            made = correction.heard(editor, project.sound())
            with project.lock:
                words = correction.among(project.folder.heard(correction.part), made)
                project.rewrite(correction.part, words, corrected=True)
                if any("speaker" in token for token in words.tokens):
                    self._name({})  # a turn begins with its name
                self._corrected(wanted)

        def refused(sentence: str) -> None:
            self._corrected(wanted)
            project.events.refuse(f"“{wanted.text}”: {sentence}")

        project.add_job(project.quick, OPENING, f"correct {wanted.name}", run, refused)

    def _corrected(self, wanted: document.Correction) -> None:
        with self.project.lock:
            after = self.project.document.without(wanted)
            self.project.folder.keep(after)
        waiting = [each.to_json() for each in after.corrections]
        self.project.events.tell(kind="corrections", corrections=waiting)

    def marks(self) -> bool | None:
        """True if the transcript has the punctuation that was restored; None if none was."""
        tokens = self.project.tokens()
        restored = any("marked" in token or "unmarked" in token for token in tokens)
        return not self.project.about.get("plain") if restored else None

    def mark(self, data: Any) -> None:
        """The transcript has the punctuation that was restored, or hasn't."""
        project, marked = self.project, data.get("marks") is not False
        with project.lock:
            project.folder.write("project.json", project.about | {"plain": not marked})
            for part in range(len(project.parts)):
                if project.is_heard(part):
                    project.rewrite(part, with_marks(project.folder.heard(part), marked))
            project.events.tell(kind="marks", marks=self.marks())

    def move(self, data: Any) -> dict[str, float]:
        """A word's own times, between its neighbours'; returns the times that it had."""
        project, sound = self.project, self.project.sound()
        with project.lock:
            seconds = sound.samples / sound.sample_rate
            part, moved, was = moved_token(data, project.tokens(), seconds)
            own = project.folder.heard(part)
            rewritten = [moved if t["id"] == moved["id"] else t for t in own.tokens]
            project.rewrite(part, HeardPart(rewritten, own.pauses))
        return was

    def speakers(self, data: Any) -> None:
        """Tokens are said by others, or by nobody that is named; without names, tell by the sound
        who says what, in the background. InputError for what is no name, or can't be told."""
        if "names" not in data:
            self._tell_speakers(data.get("count"))
            return
        try:
            named = {int(token): str(name) for name, tokens in data["names"] for token in tokens}
        except (KeyError, TypeError, ValueError, OverflowError):
            raise InputError(texts.WRONG_FIELDS) from None
        if not all(not name or is_name(name) for name in named.values()):
            raise InputError(texts.NO_NAME)
        self._name(named)

    def _tell_speakers(self, wanted: Any) -> None:
        require_packages()
        project = self.project
        if not project.is_all_heard:
            raise InputError(texts.NOT_HEARD_YET)
        recording = project.recording()
        count = wanted if type(wanted) is int else None

        def run(editor: WorkerProcess) -> None:
            with without_folder(project.folder.path):
                names = editor.ask(tasks.tell_speakers, recording, project.heard(), count)
            self._name(names)
            project.events.tell(kind="speakers")

        shown = project.events.is_shown
        project.add_job(project.lane, OPENING, "speakers", run, is_awaited=shown)

    def _name(self, names: Mapping[int, str]) -> None:
        project = self.project
        with project.lock:
            after = with_speakers(project.tokens(), names)
            for part in range(len(project.parts)):
                own = [token for token in after if token["id"] // IDS == part]
                heard = project.folder.heard(part)
                if own != heard.tokens:
                    project.rewrite(part, HeardPart(own, heard.pauses))
