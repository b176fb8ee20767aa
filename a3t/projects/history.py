"""The versions of an edited recording: each is an edit of the original, not a copy of a copy.

The edit.json beside the output records the current version. Its "versions" lists all versions,
oldest first, each by its differences from the current one; "version" is the current one's index.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from a3t.errors import InputError
from a3t.plan.cleaning.cuts import Cut
from a3t.plan.edit_plan import PlannedEdit
from a3t.plan.request import Pronunciations, pronunciations_of
from a3t.projects.undo_stack import UndoStack
from a3t.rendering.edited import EditedRecording

Version = Mapping[str, Any]  # the contents of a version's edit.json

LIST, PLACE = "versions", "version"  # in an edit.json
MOST_VERSIONS = 10_000


@dataclass(frozen=True)
class History:
    """All versions of an output; the last of those that count is the current one."""

    stack: UndoStack[Version]

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> History:
        """The history in an edit.json; KeyError, TypeError or ValueError if it isn't one."""
        current = {name: value for name, value in record.items() if name not in (LIST, PLACE)}
        listed = record.get(LIST, [{}])
        if len(listed) > MOST_VERSIONS:
            raise ValueError(len(listed))
        versions = tuple({**current, **differing} for differing in listed)
        place = record.get(PLACE, 0)
        if not isinstance(place, int) or not 0 <= place < len(versions):
            raise ValueError(place)
        checked: set[int] = set()  # what versions have in common is one object
        for k, version in enumerate(versions):
            _check(version, k, checked)
        return cls(UndoStack.at(versions, place))

    @property
    def versions(self) -> tuple[Version, ...]:
        """Oldest first, those that were taken back included."""
        return self.stack.items

    @property
    def place(self) -> int:
        """The index of the current version."""
        return len(self.stack.done) - 1

    @property
    def current(self) -> Version:
        return self.stack.done[-1]

    def undo(self) -> History:
        """One version back; InputError if there is none."""
        if len(self.stack.done) == 1:
            raise InputError("This is the first version: only the original comes before it.")
        return History(self.stack.undo())

    def redo(self) -> History:
        """One version forward; InputError if there is none."""
        return History(self.stack.redo())

    def base(self, new_text: str, cuts: Sequence[Cut] = ()) -> int | None:
        """The version that a next one continues from; None for the original.

        It is the current one, unless that has the same text and cuts: then the change is made
        again, from the version that it continued from.
        """
        place: int | None = self.place
        wanted = (new_text, [cut.to_json() for cut in cuts])
        while place is not None and _said(self.versions[place]) == wanted:
            place = self.versions[place].get("continues")
        return place

    def chain(self, place: int | None = None) -> tuple[Version, ...]:
        """The versions on which one (default: the current) builds, oldest first, and itself."""
        chain: list[Version] = []
        following: int | None = self.place if place is None else place
        while following is not None:
            chain.append(self.versions[following])
            earlier = self.versions[following].get("continues")
            if earlier is not None and not 0 <= earlier < following:
                raise InputError("The versions in the edit.json contradict each other.")
            following = earlier
        return tuple(chain[::-1])

    @property
    def pronunciations(self) -> Pronunciations:
        """The pronunciations given for this version and earlier ones; the latest count.

        KeyError, TypeError or ValueError if they aren't pronunciations.
        """
        given: dict[str, tuple[tuple[str, ...], ...]] = {}
        for version in self.versions[: self.place + 1]:
            words = dict(version.get("asked", {}).get("pronunciations", {}))
            given |= {w: tuple(tuple(way.split()) for way in ways) for w, ways in words.items()}
        return pronunciations_of(given)

    def with_next(self, version: Version) -> History:
        """The history with a new version after the current one; undone versions are dropped."""
        return History(self.stack.with_next(version))

    def to_json(self) -> dict[str, Any]:
        """The entries of the current version's edit.json."""
        current = self.current
        differing = [
            {name: version.get(name) for name in {**version, **current}
             if version.get(name) != current.get(name) or name not in current}
            for version in self.versions
        ]  # fmt: skip
        differing[self.place] = {}
        return {PLACE: self.place, LIST: differing}

    def describe(self) -> str:
        """One line per version: its changes to the original."""
        lines = []
        for k, version in enumerate(self.versions):
            sign = "*" if k == self.place else " "
            undone = "  (undone)" if k > self.place else ""
            changes = ", ".join(map(_change, version["edits"])) or "nothing changed"
            lines.append(f"{sign}{k + 1:3}  {changes}{undone}")
        return "\n".join(lines)


def _said(version: Version) -> tuple[object, object]:
    return version["new_text"], version.get("asked", {}).get("cuts", [])


def _check(version: Version, place: int, checked: set[int]) -> None:
    """KeyError, TypeError or ValueError if a version lacks a field."""
    earlier = version.get("continues")
    if earlier is not None and not (isinstance(earlier, int) and 0 <= earlier < place):
        raise ValueError(earlier)
    if not isinstance(version["new_text"], str) or not isinstance(version["edits"], list):
        raise TypeError("new_text or edits")
    if id(version["edits"]) in checked:
        return
    checked.add(id(version["edits"]))
    for edit in version["edits"]:
        if not all(isinstance(edit[key], str) for key in ("op", "old_words", "new_words")):
            raise TypeError("an edit's words")


def _change(edit: Mapping[str, Any]) -> str:
    old, new = (f"“{edit[key]}”" if edit[key] else "" for key in ("old_words", "new_words"))
    match edit["op"]:
        case "delete":
            return f"without {old}"
        case "insert":
            return f"with {new or 'a pause'}"
        case _:
            return f"{old} → {new}"


def with_earlier_sound(before: EditedRecording, result: EditedRecording) -> EditedRecording:
    """The result, with the previous version's sound for every edit that both have.

    An edit is not kept if a new one is so close that both change the same samples.
    """
    places = {_identity(edit): k for k, edit in enumerate(before.plan.edits)}
    patches, edits = list(result.patches), list(result.plan.edits)
    scores, raised = list(result.scores or ()), list(result.raised)
    for k, edit in enumerate(result.plan.edits):
        place = places.get(_identity(edit))
        if place is None or edit.taken:  # which is the recording's own, and made again as it was
            continue
        patch = before.patches[place]
        free = (
            patches[k - 1].source[1] if k else 0,
            patches[k + 1].source[0] if k + 1 < len(patches) else result.recording.samples,
        )
        if free[0] <= patch.source[0] and patch.source[1] <= free[1]:
            patches[k] = patch
            edits[k] = _counted_anew(before.plan.edits[place], edit)
            if scores and before.scores:
                scores[k] = before.scores[place]
            if raised and before.raised:
                raised[k] = before.raised[place]
    return replace(
        result,
        patches=tuple(patches),
        plan=replace(result.plan, edits=tuple(edits)),
        scores=tuple(scores) if result.scores is not None else None,
        raised=tuple(raised),
    )


def _counted_anew(kept: PlannedEdit, edit: PlannedEdit) -> PlannedEdit:
    """The previous version's edit, with its words renumbered as in the new version's."""
    by = edit.new[0] - kept.new[0]
    phones = tuple(replace(p, word=p.word + by) if p.word >= 0 else p for p in kept.phones)
    return replace(kept, old=edit.old, new=edit.new, phones=phones)


def _identity(edit: PlannedEdit) -> tuple[object, ...]:
    words = tuple((word.text, word.emphasis) for word in edit.words)
    taken = tuple(each.frames for each in edit.taken)
    return edit.op, edit.source, edit.old_words, edit.new_words, words, taken
