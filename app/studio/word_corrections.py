"""A project's words put right: misheard ones, times, restored marks, and who says them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from a3t.errors import InputError
from a3t.plan.request import Pronunciations
from a3t.projects import document
from a3t.projects.store.pcm_sound import PcmSound
from a3t.projects.store.project_state import ProjectState
from a3t.projects.store.words import (
    HeardWords,
    Token,
    places_of,
    speakers_of,
    with_fields,
    with_speakers,
)
from a3t.source.diarisation import require_packages
from app import texts
from app.processes.worker import WorkerProcess
from app.service import without_folder
from app.studio.open_project import OPENING, OpenProject
from app.studio.sent import Sent
from app.studio.work import worker_tasks as tasks

SERVER_CLIENT = "a3t"  # whose steps are the server's
CORRECTION_REACH_S = 2.0  # seconds of a pause beside the words that may hold some of them


@dataclass(frozen=True)
class Correction:
    """Some tokens that give way to others, all of these in the part that the first one was in.

    before: the tokens that are aligned anew, with the neighbours, whose times what was misheard had
    moved; the first `left` and the last `right` keep their texts and names. start, stop: seconds
    between which they are spoken. last: the id of the last token that goes, which the last of the
    new ones keeps where a change stands after it; None without such a change.
    """

    part: int
    text: str
    before: tuple[Token, ...]
    left: int
    right: int
    start: float
    stop: float
    last: int | None = None

    @classmethod
    def of(
        cls,
        wanted: document.Correction,
        tokens: Sequence[Token],
        changes: Iterable[document.Change],
        owners: Mapping[int, int],
    ) -> Correction:
        """Find a correction's tokens; owners: the part of each, by its id.

        Raises InputError if they are gone, or a change replaces them or stands between them.
        """
        text, changes = wanted.text, tuple(changes)
        edited = {token for change in changes for token in change.used}
        before = {change.after for change in changes}
        first, last = _place(wanted, places_of(tokens), len(tokens))
        own = [token.id for token in tokens[first:last]]
        kept = own[-1] if own and own[-1] in before else None
        if not edited.isdisjoint(own) or not before.isdisjoint(own if not text else own[:-1]):
            raise InputError(texts.CHANGED_HERE)
        if not tokens:
            raise InputError(texts.NO_WORD)
        part = owners[tokens[min(first, len(tokens) - 1)].id]

        def free(k: int) -> bool:
            inside = 0 <= k < len(tokens)
            return inside and owners[tokens[k].id] == part and tokens[k].id not in edited

        begin, end = first - free(first - 1), last + free(last)
        start = tokens[begin - 1].end if begin else 0.0
        stop = tokens[end].start if end < len(tokens) else float("inf")
        if begin < end:
            start = max(start, tokens[begin].start - CORRECTION_REACH_S)
            stop = min(stop, tokens[end - 1].end + CORRECTION_REACH_S)
        beside = [token.said for token in (*tokens[begin:first], *tokens[last:end])]
        text = " ".join(filter(None, (*beside[: first - begin], text, *beside[first - begin :])))
        own_tokens = tuple(tokens[begin:end])
        return cls(part, text, own_tokens, first - begin, end - last, start, stop, kept)

    def heard(self, editor: WorkerProcess, sound: PcmSound, own: Pronunciations = ()) -> HeardWords:
        """Align the new tokens; there are none for a text without words."""
        if not self.text:
            return HeardWords()
        rate = sound.sample_rate
        first, last = (
            round(self.start * rate),
            min(sound.samples, round(min(self.stop, 1e6) * rate)),
        )
        found: HeardWords = editor.ask(tasks.correct_tokens, sound, first, last, self.text, own)
        return found

    def among(self, own: HeardWords, heard: HeardWords, fresh: int) -> HeardWords:
        """Return the part with the new tokens in their place, whose ids begin at ``fresh``.

        Neighbours that stay keep their ids, so that edits beside them stay where they are.
        """
        count, made = len(heard.tokens), []
        gone = self.before[self.left : len(self.before) - self.right] or self.before[:1]
        for k, token in enumerate(heard.tokens):
            is_left, is_right = k < self.left, k >= count - self.right
            beside = self.before[k - count if is_right else k :][:1]
            who = (beside if is_left or is_right else gone[:1]) or (token,)
            kept = self.before[k if is_left else k - count].id if is_left or is_right else fresh + k
            if self.last is not None and self.left <= k == count - self.right - 1:
                kept = self.last
            made.append(replace(token, id=kept, speaker=token.speaker or who[0].speaker))
        rest = self.without(own).tokens
        at = sum(token.start < self.start + 1e-6 for token in rest)
        part = replace(own, tokens=(*rest[:at], *made, *rest[at:]))
        return part.with_pauses(heard.pauses, self.start, self.stop) if made else part

    def without(self, part: HeardWords) -> HeardWords:
        """Return a part without the tokens that are aligned anew."""
        ids = {token.id for token in self.before}
        return replace(part, tokens=tuple(each for each in part.tokens if each.id not in ids))


def _place(wanted: document.Correction, ids: Mapping[int, int], count: int) -> tuple[int, int]:
    """Return the tokens [first, last) that a correction is of.

    Where its own have been corrected meanwhile, these are all between its neighbours. Raises
    InputError if these are no longer there either.
    """
    own = [ids.get(token, -1) for token in wanted.tokens or ()]
    if own and -1 not in own and own == [*range(own[0], own[0] + len(own))]:
        return own[0], own[-1] + 1
    first = 0 if wanted.after == -1 else ids.get(wanted.after, count) + 1
    last = count if wanted.right is None else ids.get(wanted.right, -1)
    last = first if wanted.tokens == () else last
    if not first <= last <= count:
        raise document.MissingWordsError
    return first, last


class WordCorrections:
    """Corrects a project's transcript; nothing is made."""

    def __init__(self, project: OpenProject) -> None:
        self.project = project

    def correct_all(self) -> None:
        """Align the corrections that wait, in their order.

        They wait in the document until that is done, so that a killed server does it again, and
        until their words have times.
        """
        waiting = self.project.document.corrections
        is_all, ids = self.project.is_all_heard, places_of(self.project.tokens() if waiting else ())
        for wanted in waiting:
            with suppress(document.MissingWordsError):
                if not is_all:
                    _place(wanted, ids, len(ids))
                self._correct(wanted)

    def _correct(self, wanted: document.Correction) -> None:
        project = self.project

        def found() -> Correction:
            return Correction.of(wanted, project.tokens(), project.changes, project.owners())

        def run(editor: WorkerProcess) -> None:
            while True:
                with project.lock:
                    correction = found()
                own = project.folder.pronunciations
                made = correction.heard(editor, project.folder.sound(), own)
                with project.lock:
                    if found() != correction:
                        continue  # something was changed here meanwhile
                    fresh = 1 + max(row[0] for row in project.shown())
                    words = correction.among(project.folder.heard(correction.part), made, fresh)
                    owners = project.owners()
                    parts = {owners[token.id] for token in correction.before}
                    for part in sorted(parts - {correction.part}):
                        project.rewrite(part, correction.without(project.folder.heard(part)))
                    project.rewrite(correction.part, words)
                    if any(token.speaker for token in words.tokens):  # a turn begins with its name
                        project.rewrite_all(with_speakers(project.tokens(), {}))
                    return self._corrected(wanted)

        def refused(sentence: str) -> None:
            self._corrected(wanted, is_refused=True)
            project.events.refuse(f"“{wanted.text}”: {sentence}")

        project.add_job(project.quick, OPENING, f"correct {wanted.name}", run, refused)

    def _corrected(self, wanted: document.Correction, is_refused: bool = False) -> None:
        after = self.project.folder.update(
            document.Document, lambda each: each.without(wanted, is_refused)
        )
        waiting = [each.to_json() for each in after.corrections]
        self.project.events.tell(kind="corrections", corrections=waiting)

    def marks(self) -> bool | None:
        """Return whether the restored punctuation is shown; None if none was restored."""
        tokens = self.project.tokens()
        restored = any(token.marked or token.unmarked for token in tokens)
        return not self.project.state.plain if restored else None

    def set_words(self, step: document.Step) -> bool:
        """Set the words as a step has them, and return whether that is possible.

        If it isn't, the pages are told why, and how the words are.
        """
        project, fields = self.project, step.now
        if fields is None:
            return True
        sound = project.state.sound
        try:
            if (fields.speakers or fields.capitals is not None) and not project.is_all_heard:
                raise InputError(texts.NOT_HEARD_YET)
            after = with_fields(project.tokens(), fields, sound.seconds if sound else 0.0)
        except InputError as error:
            project.events.refuse(str(error))
            owners = project.owners()
            for part in {owners[each] for each, _, _ in fields.times if each in owners}:
                project.rewrite(part, project.folder.heard(part))
            return False
        if (marked := fields.marks) is not None:
            project.folder.update(ProjectState, lambda state: replace(state, plain=not marked))
        project.rewrite_all(after)
        if marked is not None:
            project.events.tell(kind="marks", marks=self.marks())
        return True

    def speakers(self, data: Sent) -> None:
        """Tell by the sound who says what, in the background; InputError if it can't be told."""
        require_packages()
        project = self.project
        if not project.is_all_heard:
            raise InputError(texts.NOT_HEARD_YET)
        recording = project.folder.recording()
        count = data.whole("count")
        label = (data.text("label") or "speakers")[: document.MAX_CHARACTERS]

        def run(editor: WorkerProcess) -> None:
            with without_folder(project.folder.path):
                names = editor.ask(tasks.tell_speakers, recording, project.heard(), count)
            with project.lock:
                before, known = project.tokens(), project.document
                after = with_speakers(before, names)
                n = 1 + max((step.n for step in (*known.done, *known.undone)), default=0)
                was, now = speakers_of(before), speakers_of(after)
                step = document.Step(was=was, now=now, label=label, n=n, client=SERVER_CLIENT)
                project.rewrite_all(after)
                project.folder.write(known.taken(step, SERVER_CLIENT))
            project.events.tell(kind="speakers", step=step.shown())

        shown = project.events.is_shown
        project.add_job(project.lane, OPENING, "speakers", run, is_awaited=shown)
