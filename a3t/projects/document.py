"""A project as one document: the changes to a recording's transcript, and the steps that made them.

Whatever is done is a `Step`: the changes that go and those that come, what words were and are, what
is corrected. The page sends steps, those of several windows are merged by `Step.applied`, and the
steps that were made are the history; each version of `a3t edit` is a step as well
(`a3t.projects.project`). Its words have ids that stay when
others are corrected (*tokens*, `a3t.projects.store.words`); what was made of a change is a
take (`a3t.projects.takes`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain, groupby
from operator import attrgetter
from typing import Annotated, Any, Literal

from msgspec import Meta

from a3t.errors import InputError
from a3t.plan.request import Cut
from a3t.projects.store.record_files import StoredRecord
from a3t.projects.store.words import Token, WordFields
from a3t.text.comparison.edit_script import WordEdit, edit_script, minimal_script
from a3t.text.transcript import Transcript
from alignment.serialisation import OMITTED, Record, from_json

MAX_CHANGES = 2000
MAX_CHARACTERS = 2000  # of one change
MAX_CLIENTS = 32  # whose last step is remembered
MAX_STEPS = 100  # of the history
MAX_RIVALS = 8  # of one change
EDGE_MARKS = ".,;:!?…—–\"'“”‘’()[]"  # beside a word, without which it is the same one

Whole = Annotated[int, Meta(ge=-1, lt=2**40)]
Text = Annotated[str, Meta(max_length=MAX_CHARACTERS)]


class DocumentError(InputError):
    """JSON that should be a document, or steps, is none."""

    def __init__(self) -> None:
        super().__init__("This list of changes can't be read: load the page again.")


class MissingWordsError(InputError):
    """The words of a change are no longer there."""

    def __init__(self) -> None:
        super().__init__("The words of this change were corrected: make the change again.")


@dataclass(frozen=True)
class RecordedWords(Record):
    """Words of a change's text, from number ``at`` on, that are recorded: one for each token.

    tokens: their ids; with a ``file``, that of a recording beside the project's own, the numbers of
    its words.
    """

    at: Whole
    tokens: Annotated[tuple[Whole, ...], Meta(min_length=1, max_length=20_000)]
    file: Text = field(default="", metadata=OMITTED)


@dataclass(frozen=True)
class Change(Record):
    """One changed place: the tokens of these ids give way to a text.

    after: the id of the token before it, -1 at the beginning. tokens: none for an insertion. text:
    "" for a deletion. take: the number of the chosen take, None for the first. accepted: whether
    the user has said that it is good. cut: sound between words that goes as well, or alone.
    take_of: the key of what the take and the acceptance are of, "" for the change alone: changes
    that are close to each other are made as one. recorded: which words of the text are recorded,
    and where; all others are made. None if that isn't said: then the tokens' own words that are in
    the text are, in their order. at: when it was typed, seconds since 1970 by the server's clock.
    rivals: changes of its place that were typed earlier elsewhere, unseen.
    """

    after: Whole
    tokens: Annotated[tuple[Whole, ...], Meta(max_length=20_000)]
    text: Text
    take: Whole | None = None
    accepted: bool = False
    cut: Cut | None = None
    take_of: Text = field(default="", metadata=OMITTED)
    recorded: Annotated[tuple[RecordedWords, ...], Meta(max_length=MAX_CHARACTERS)] | None = field(
        default=None, metadata=OMITTED
    )
    at: float | None = field(default=None, metadata=OMITTED)
    rivals: Annotated[tuple[Change, ...], Meta(max_length=MAX_RIVALS)] = field(
        default=(), metadata=OMITTED
    )

    def __post_init__(self) -> None:
        """Put the text's blanks in order; raise ValueError if nothing is changed."""
        object.__setattr__(self, "text", " ".join(self.text.split()))
        if not self.text and not self.tokens and self.cut is None:
            raise ValueError("nothing is changed")

    @property
    def key(self) -> str:
        """The key of its takes: the same change has the same takes."""
        more = [] if self.cut is None else [self.cut.to_json()]
        if self.recorded is not None:
            more.append({"recorded": [each.to_json() for each in self.recorded]})
        what = json.dumps([self.after, self.tokens, self.text, *more])
        return hashlib.sha256(what.encode()).hexdigest()[:16]

    def place_in(self, ids: Mapping[int, int], count: int) -> tuple[int, int]:
        """Return the tokens [first, last) that it replaces; raise MissingWordsError if gone."""
        first = 0 if self.after == -1 else ids.get(self.after, count) + 1
        last = first + len(self.tokens)
        if last > count or [ids.get(token) for token in self.tokens] != [*range(first, last)]:
            raise MissingWordsError
        return first, last

    def recorded_words(self, said: Mapping[int, str]) -> tuple[RecordedWords, ...]:
        """Return which words of the text are recorded; ``said``: the text of each token, by id."""
        if self.recorded is not None:
            return self.recorded
        kept = []
        for start, old, count in _same(
            [said.get(token, "") for token in self.tokens], self.text.split()
        ):
            kept.append(RecordedWords(start, self.tokens[old : old + count]))
        return tuple(kept)

    @property
    def is_typed(self) -> bool:
        """Whether some words of its text are not recorded, as far as it says that."""
        recorded = sum(len(each.tokens) for each in self.recorded or ())
        return len(self.text.split()) > recorded

    @property
    def used(self) -> frozenset[int]:
        """The ids of all tokens whose sound it replaces or moves."""
        moved = [each.tokens for each in self.recorded or () if not each.file]
        return frozenset(chain(self.tokens, *moved))

    def over(self, others: Iterable[Change]) -> Change:
        """Return the change that is made of its place instead of others, which stay its rivals."""
        rivals = {each.key: replace(each, rivals=()) for each in self.rivals}
        for other in others:
            rivals |= {each.key: each for each in other.rivals}
            rivals[other.key] = replace(other, rivals=())
        rivals.pop(self.key, None)
        return replace(self, rivals=tuple(rivals.values())[-MAX_RIVALS:])

    def touches(self, other: Change) -> bool:
        """Return whether both change one place: a token, an insertion's gap, or a pause's sound."""
        if self.tokens and other.tokens:
            return not set(self.tokens).isdisjoint(other.tokens)
        if self.tokens or other.tokens:
            inserted, replaced = (other, self) if self.tokens else (self, other)
            return inserted.after in replaced.tokens[:-1]
        if self.cut is not None and other.cut is not None:
            return self.cut.start < other.cut.end and other.cut.start < self.cut.end
        return self.after == other.after


Changes = Annotated[tuple[Change, ...], Meta(max_length=MAX_CHANGES)]


def _typed_at(change: Change) -> float:
    return change.at or 0.0


def _same(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Yield the words that two rows have in common: their place in the new and the old, a count."""
    i = j = 0
    old, new = ([word.strip(EDGE_MARKS).casefold() or word for word in row] for row in (old, new))
    ends = WordEdit("insert", (len(old), len(old)), (len(new), len(new)))
    for edit in [*minimal_script(old, new), ends]:
        if i < edit.old[0]:
            yield j, i, edit.old[0] - i
        i, j = edit.old[1], edit.new[1]


def changes_to(tokens: Sequence[Token], wanted: Transcript) -> tuple[Change, ...]:
    """Return the changes that make another text of the tokens; longer ones than may be are left."""
    said = [" ".join(word.text for word in token.words) for token in tokens]
    groups = [list(words) for _, words in groupby(wanted.words, key=attrgetter("token"))]
    found = []
    for edit in edit_script(said, [" ".join(word.text for word in words) for words in groups]):
        (first, last), new = edit.old, groups[slice(*edit.new)]
        ids = tuple(token.id for token in tokens[first:last])
        text = " ".join(words[0].written for words in new)
        if len(text) <= MAX_CHARACTERS:
            found.append(Change(tokens[first - 1].id if first else -1, ids, text))
    return tuple(found)


@dataclass(frozen=True)
class Correction(Record):
    """Other words for what the recording says.

    They replace ``tokens``, or, if these are None, all between the tokens ``after`` and ``right``.
    name: tells it from others that wait.
    """

    after: Whole
    tokens: tuple[Whole, ...] | None
    right: Whole | None
    text: Text
    name: Text = ""
    was: Text = field(default="", metadata=OMITTED)

    def __post_init__(self) -> None:
        """Put the text's blanks in order."""
        object.__setattr__(self, "text", " ".join(self.text.split()))

    @property
    def back(self) -> Correction:
        """The correction that takes this one back, whatever tokens there are by then."""
        return replace(self, tokens=None, text=self.was, was=self.text)


@dataclass(frozen=True)
class Step(Record):
    """An operation on the list of changes: those removed and those added; or on the words.

    A change that went and came is the same one with another take, or accepted. gentle: whether it
    takes another step back, and gives way to what has come since. was, now: what it sets of words.
    correct: corrections of the transcript. n: its number, counted by its client. label: what the
    history calls it, "" if it is not to be there, as a take that is heard once it is made. undo,
    redo: the `name` of the step that it takes back, or again.
    """

    gone: Changes = ()
    come: Changes = ()
    gentle: bool = False
    correct: Annotated[tuple[Correction, ...], Meta(max_length=MAX_CHANGES)] = field(
        default=(), metadata=OMITTED
    )
    n: Whole = 0
    label: Text = ""
    was: WordFields | None = field(default=None, metadata=OMITTED)
    now: WordFields | None = field(default=None, metadata=OMITTED)
    client: Text = field(default="", metadata=OMITTED)
    undo: Text = field(default="", metadata=OMITTED)
    redo: Text = field(default="", metadata=OMITTED)

    @property
    def name(self) -> str:
        """Its name, which no other step of the document has."""
        return f"{self.client} {self.n}"

    def shown(self) -> dict[str, Any]:
        """Return what a page needs to take it back."""
        return self.to_json() | {"name": self.name}

    def applied(self, changes: Iterable[Change]) -> tuple[Change, ...]:
        """Return the list after the step, whatever other clients have done to it meanwhile.

        Of two changes of one place the one that was typed later stays, and keeps the other as a
        rival; a gentle step gives way. A rival that the client hadn't seen comes back when its
        change goes.
        """
        now = {change.key: change for change in changes}
        was = {change.key: change for change in self.gone}
        came = {change.key for change in self.come}
        unseen: list[Change] = []
        for key in [key for key in was if key not in came]:
            if (gone := now.pop(key, None)) is not None:
                seen = {rival.key for rival in was[key].rivals}
                unseen += [rival for rival in gone.rivals if rival.key not in seen]
            else:
                for other in [each for each in now.values() if each.rivals]:
                    rivals = tuple(each for each in other.rivals if each.key != key)
                    now[other.key] = replace(other, rivals=rivals)
        for change in (*unseen, *self.come):
            if change.key in was and change.key in now:
                before, kept = was[change.key], now[change.key]
                same = (before.take, before.take_of) == (change.take, change.take_of)
                chosen = kept if same else change
                marked = kept if before.accepted == change.accepted else change
                now[change.key] = replace(
                    kept, take=chosen.take, take_of=chosen.take_of, accepted=marked.accepted
                )
            elif change.key not in was and change.key not in now:
                others = [other for other in now.values() if change.touches(other)]
                if others and self.gentle and change not in unseen:
                    continue
                last = max(others, key=_typed_at, default=change)
                if _typed_at(last) > _typed_at(change):
                    now[last.key] = last.over([change])
                    continue
                for other in others:
                    del now[other.key]
                now[change.key] = change.over(others)
        return tuple(now.values())

    def typed_by(self, now: float) -> Step:
        """Return it with its changes typed at that time, unless they say that it was earlier."""
        come = tuple(replace(e, at=now if e.at is None else min(e.at, now)) for e in self.come)
        return replace(self, come=come)

    @classmethod
    def between(
        cls, before: Sequence[Change], after: Sequence[Change], label: str, n: int = 0
    ) -> Step:
        """Return the step from one list to another."""
        was, now = set(before), set(after)
        gone = tuple(change for change in before if change not in now)
        come = tuple(change for change in after if change not in was)
        return cls(gone, come, label=label, n=n)

    @property
    def back(self) -> Step:
        """The step that takes this one back."""
        correct = tuple(each.back for each in self.correct)
        back = replace(self, gone=self.come, come=self.gone, was=self.now, now=self.was)
        return replace(back, gentle=True, correct=correct)


Steps = Annotated[tuple[Step, ...], Meta(max_length=MAX_STEPS)]


def _as_it_is(document: Document, step: Step) -> Step | None:
    return step


@dataclass(frozen=True)
class Draft(Record):
    """The text in a page's field, not yet a change: instead of tokens `first` to `last`."""

    first: Whole
    last: Whole
    text: Text
    mode: Literal["edit", "insert", "correct"]


@dataclass(frozen=True)
class Document(StoredRecord):
    """The changes of a project, and how they came about; each step gives another document.

    revision: counts what was saved. changes: in the order in which they came. done, undone: the
    latest steps, oldest first, and those that were taken back, the last one first to come again.
    clients: the number of each client's last step. corrections: those that wait to be aligned.
    settings: of new words, as the page has them. draft: what stands in the page's field.
    """

    stored_in = "script.json"

    revision: Whole = 0
    changes: Changes = ()
    done: Steps = ()
    undone: Steps = ()
    clients: Annotated[dict[str, Whole], Meta(max_length=MAX_CLIENTS)] = field(default_factory=dict)
    corrections: tuple[Correction, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)
    draft: Draft | None = None

    def without(self, correction: Correction, is_refused: bool = False) -> Document:
        """Drop a correction that was carried out, or refused."""
        waiting = tuple(each for each in self.corrections if each != correction)
        name = correction.name.rpartition(" ")[0] if is_refused else ""
        done = tuple(s for s in self.done if not (s.name == name and len(s.correct) == 1))
        return replace(self, corrections=waiting, done=done)

    def with_other_words(self) -> Document:
        """Forget the steps: the words that they changed are no longer there."""
        return replace(self, done=(), undone=())

    def undo(self) -> Document:
        """Take the last step back; raise InputError if there is none."""
        if not self.done:
            raise InputError("There is nothing to undo.")
        return self.taken(Step(undo=self.done[-1].name))

    def redo(self) -> Document:
        """Repeat the last step that was taken back; raise InputError if there is none."""
        if not self.undone:
            raise InputError("There is nothing to redo.")
        return self.taken(Step(redo=self.undone[-1].name))

    def meant(self, step: Step) -> Step:
        """Return what a step does.

        One that takes another back, or again, does what the history says of that, as long as it
        knows it.
        """
        done, undone = _place(self.done, step.undo), _place(self.undone, step.redo)
        if done is not None:
            known = self.done[done].back
        elif undone is not None:
            known = replace(self.undone[undone], gentle=True)
        else:
            return step
        return replace(known, n=step.n, label="", undo=step.undo, redo=step.redo)

    def taken(self, step: Step, client: str = "") -> Document:
        """Return the document after a step; raise DocumentError for too many changes.

        A gentle step that is the last one's reverse takes it back in the history as well, even if
        other clients have left nothing of it.
        """
        step = replace(self.meant(step), client=client)
        changes = step.applied(self.changes)
        if len(changes) > MAX_CHANGES and not step.gentle:
            raise DocumentError
        new = [replace(each, name=f"{step.name} {k}") for k, each in enumerate(step.correct)]
        waiting = replace(self, corrections=(*self.corrections, *new))
        if (done := _place(self.done, step.undo)) is not None:
            rest = self.done[:done] + self.done[done + 1 :]
            return waiting._with(changes, rest, (*self.undone, self.done[done]))
        if (undone := _place(self.undone, step.redo)) is not None:
            rest = self.undone[:undone] + self.undone[undone + 1 :]
            return waiting._with(changes, (*self.done, self.undone[undone]), rest)
        is_same = changes == self.changes and step.now == step.was and not step.correct
        if is_same or step.gentle or not step.label:
            return waiting._with(changes, self.done, self.undone)
        between = Step.between(self.changes, changes, step.label)
        made = replace(step, gone=between.gone, come=between.come)
        return waiting._with(changes, (*self.done, made))

    def became(self, changes: Changes, label: str, n: int = 0) -> Document:
        """Replace the changes altogether, as one step even if none differs: a version of a file."""
        made = Step.between(self.changes, changes, label, n)
        return self._with(changes, (*self.done, made))

    def _with(self, changes: Changes, done: Steps, undone: Steps = ()) -> Document:
        done, undone = done[-MAX_STEPS:], undone[-MAX_STEPS:]
        return replace(self, changes=changes, done=done, undone=undone)

    def merged(
        self,
        steps: Sequence[Step],
        client: str,
        set_words: Callable[[Document, Step], Step | None] = _as_it_is,
    ) -> Document:
        """Return the document after a client's steps, each once however often it is sent.

        set_words: sets the words as a step has them; returns what it does to the document besides,
        None if it is refused.
        """
        clients = dict(self.clients)
        last = clients.pop(client, 0)
        after = self
        for step in steps:
            if step.n > last:
                last = step.n
                taken = set_words(after, after.meant(step))
                if taken is not None:
                    after = after.taken(taken, client)
        clients[client] = last
        return replace(after, clients=dict(list(clients.items())[-MAX_CLIENTS:]))

    def change(self, key: str) -> Change:
        """Return the change of that key; raise InputError if there is none."""
        for change in self.changes:
            if change.key == key:
                return change
        raise InputError("That change is no longer there.")


def _place(steps: Sequence[Step], name: str) -> int | None:
    """Return the place of the last step of that name, None if there is none."""
    return max((k for k, step in enumerate(steps) if name and step.name == name), default=None)


def _from_1(data: Mapping[str, Any]) -> dict[str, Any]:
    """Format 1 had no number and no history; its changes were edits, and its clients pages."""
    return {
        "revision": data.get("revision", 0),
        "changes": data.get("edits", []),
        "clients": data.get("pages", {}),
        "corrections": data.get("corrections", []),
        "settings": data.get("settings") or {},
        "draft": data.get("draft"),
    }


def _from_2(data: Mapping[str, Any]) -> dict[str, Any]:
    """Format 2 had steps without names, and no corrections among them."""
    done, undone = data.get("done", []), data.get("undone", [])
    named = [
        {**step, "correct": [], "client": "earlier", "n": n}
        for n, step in enumerate((*done, *undone), 1)
    ]
    return {**data, "done": named[: len(done)], "undone": named[len(done) :]}


Document.migrations = (_from_1, _from_2)
_SENT: Any = Annotated[tuple[Step, ...], Meta(max_length=MAX_CHANGES)]


def steps_of(data: object) -> tuple[Step, ...]:
    """Read the steps that a client sends and numbers; raise DocumentError if they are none."""
    try:
        steps: tuple[Step, ...] = from_json(
            _SENT, [*map(_sent, data)] if isinstance(data, list) else data
        )
    except ValueError:
        raise DocumentError from None
    if not all(step.n > 0 for step in steps):
        raise DocumentError
    return steps


def _sent(step: object) -> object:
    if isinstance(step, dict) and isinstance(step.get("correct"), dict):
        return {**step, "correct": [step["correct"]]}
    return step


def draft_of(data: object) -> Draft | None:
    """Read the draft that a client sends, None for anything else."""
    with suppress(ValueError):
        return Draft.from_json(data)
    return None
