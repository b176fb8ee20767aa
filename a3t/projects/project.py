"""An edited output as a project: its original and its versions, found through its edit.json."""

from __future__ import annotations

import errno
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from a3t.audio.output.provenance import Weights
from a3t.audio.output.records import NEXT, RECORD_ENTRY, damaged, load_record, record_path
from a3t.audio.output.writing import default_output
from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.plan.edit_limits import check_alignment
from a3t.plan.edit_plan import PlannedEdit
from a3t.plan.request import Cut, EditRequest, LaterFormatError, Pronunciations, pronunciations_of
from a3t.projects.document import MAX_STEPS, Change, Changes, Document
from a3t.rendering.edited import EditedRecording
from a3t.spans import Span
from alignment import Alignment
from alignment.serialisation import Record, from_json

Version = Mapping[str, Any]  # the contents of a version's edit.json

LIST, PLACE, TAKES = "versions", "version", "takes"  # in an edit.json
MAX_VERSIONS = 10_000
STEPS_EACH_SIDE = MAX_STEPS // 2  # versions on either side of the current one that are steps
# What reading an entry that somebody else wrote may raise, and the check of each entry.
_WRONG = (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)


@dataclass(frozen=True)
class History:
    """All versions of an output, oldest first, and the document that says which one counts.

    Each version is a step of the document, `Step.n` its number, from 1 on; before the first one
    stands the original. A change is placed by the samples that it replaces; its take is the number
    of the version that made it.
    """

    versions: tuple[Version, ...]
    document: Document

    @classmethod
    def at(cls, versions: Sequence[Version], place: int) -> History:
        """Build from versions, of which the one at ``place`` counts, or, for -1, the original."""
        first = max(place + 1 - STEPS_EACH_SIDE, 0)
        known: dict[int, Changes] = {}
        document = Document(changes=_changes(versions[first - 1], first, ()) if first else ())
        for k, version in enumerate(versions[first : first + 2 * STEPS_EACH_SIDE], first):
            known[k] = _changes(version, k + 1, known.get(version.get("continues", -1), ()))
            document = document.became(known[k], _label(version), k + 1)
        while document.done and document.done[-1].n > place + 1:
            document = document.undo()
        return cls(tuple(versions), document)

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> History:
        """Read the history in an edit.json; raise KeyError, TypeError or ValueError if none."""
        versions, place = _versions(record)
        return cls.at(versions, place)

    @property
    def place(self) -> int:
        """The index of the current version, -1 for the original."""
        return self.document.done[-1].n - 1 if self.document.done else -1

    @property
    def current(self) -> Version:
        """The version that the output is now, or the original."""
        return _original(self.versions[0]) if self.place < 0 else self.versions[self.place]

    def undo(self) -> History:
        """Go one version back, at last to the original; raise InputError if there is none."""
        return History(self.versions, self.document.undo())

    def redo(self) -> History:
        """Go one version forward; raise InputError if there is none."""
        return History(self.versions, self.document.redo())

    def base(self, new_text: str, cuts: Sequence[Cut] = ()) -> int | None:
        """Return the version that a next one continues from; None for the original.

        It is the current one, unless that has the same text and cuts: then the change is made
        again, from the version that it continued from.
        """
        place = self.place if self.place >= 0 else None
        wanted = (new_text, [cut.to_json() for cut in cuts])
        while place is not None and _said(self.versions[place]) == wanted:
            place = self.versions[place].get("continues")
        return place

    def chain(self, place: int | None = None) -> tuple[Version, ...]:
        """Return the versions on which one (default: the current) builds, oldest first, and it.

        It is the original alone if that is the current one.
        """
        chain: list[Version] = []
        if place is None and self.place < 0:
            return (self.current,)
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
        """Add a version after the current one; undone versions are dropped."""
        return History.at((*self.versions[: self.place + 1], version), self.place + 1)

    def to_json(self, current: Version | None = None) -> dict[str, Any]:
        """Return the entries of an edit.json whose others are those of the ``current`` version."""
        current = current or self.current
        differing = [
            {name: version.get(name) for name in {**version, **current}
             if version.get(name) != current.get(name) or name not in current}
            for version in self.versions
        ]  # fmt: skip
        if self.place < 0:
            return {PLACE: None, LIST: differing}
        differing[self.place] = {}
        return {PLACE: self.place, LIST: differing}

    def describe(self) -> str:
        """Describe the original and each version, and its changes to that, in a line."""
        lines = []
        for k, label in enumerate(["the original", *map(_label, self.versions)], -1):
            sign = "*" if k == self.place else " "
            lines.append(f"{sign}{k + 1:3}  {label}{'  (undone)' if k > self.place else ''}")
        return "\n".join(lines)


def _said(version: Version) -> tuple[object, object]:
    return version["new_text"], version.get("asked", {}).get("cuts", [])


def _versions(record: Mapping[str, Any]) -> tuple[tuple[Version, ...], int]:
    """Return the versions in an edit.json, whole, and the place of the one that counts.

    Raises KeyError, TypeError or ValueError if they aren't any. Linear in the record, whatever
    versions share.
    """
    current = {name: value for name, value in record.items() if name not in (LIST, PLACE)}
    listed = record.get(LIST, [{}])
    if len(listed) > MAX_VERSIONS:
        raise ValueError(len(listed))
    versions = tuple({**current, **differing} for differing in listed)
    place = record.get(PLACE, 0)
    place = -1 if place is None else place
    if not isinstance(place, int) or not -1 <= place < len(versions):
        raise ValueError(place)
    checked: set[int] = set()  # what versions have in common is one object
    for k, version in enumerate(versions):
        _check(version, k, checked)
    return versions, place


@dataclass(frozen=True)
class _EditEntry(Record):
    """The part of an edit.json that continuing it needs."""

    op: str
    old_words: str
    new_words: str
    source: Span


@dataclass(frozen=True)
class _SourceEntry(Record):
    path: Path
    sha256: str | None
    track: int | None = None


def _check(version: Version, place: int, checked: set[int]) -> None:
    """Raise KeyError, TypeError or ValueError if a version lacks a field."""
    earlier = version.get("continues")
    if earlier is not None and not (isinstance(earlier, int) and 0 <= earlier < place):
        raise ValueError(earlier)
    from_json(str, version["new_text"])
    if id(version["edits"]) not in checked:
        checked.add(id(version["edits"]))
        from_json(tuple[_EditEntry, ...], version["edits"])


def _original(version: Version) -> Version:
    """Return the original of a version, like one: the same text, and nothing changed."""
    known = ("source", "model", "vocoder", "alignment", "aligned_words")
    tracks = EditRequest.from_json(version).tracks  # which go back with it
    request = EditRequest(text=version["text"], new_text=version["text"], tracks=tracks)
    return {**{name: version.get(name) for name in known}, **request.to_json(), "edits": []}


def _changes(version: Version, number: int, earlier: Changes) -> Changes:
    """Return a version's changes; those that it has of an ``earlier`` one keep their take."""
    same = {(change.after, change.tokens, change.text): change for change in earlier}
    made = [
        Change(edit["source"][0], (edit["source"][1],), edit["new_words"], number)
        for edit in version["edits"]
    ]
    return tuple(same.get((each.after, each.tokens, each.text), each) for each in made)


def _label(version: Version) -> str:
    return ", ".join(map(_change, version["edits"])) or "nothing changed"


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
    """Return the result with the previous version's sound for every edit that both have.

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
            edits[k] = before.plan.edits[place].counted(edit.old, edit.new)
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


def _identity(edit: PlannedEdit) -> tuple[object, ...]:
    words = tuple((word.text, word.emphasis) for word in edit.words)
    taken = tuple(each.frames for each in edit.taken)
    return edit.op, edit.source, edit.old_words, edit.new_words, words, taken


def voice_name(record: Mapping[str, Any]) -> str | None:
    """Return the voice that an edit was made with, None for none."""
    voice = record.get("voice")
    return None if voice is None else str(voice["name"])


def read_record(path: Path) -> Mapping[str, Any]:
    """Read an edit.json; raise InputError if it can't be read or lacks what a replay needs."""
    data = load_record(path)
    if RECORD_ENTRY not in data:
        raise InputError(f"{path} is not an edit.json: give the one beside an edited recording.")
    broken = "source"
    try:
        _CHECKS["source"](data)
        broken = "edits”, “new_text” or “versions"
        checked: set[tuple[str, int]] = set()  # versions share most of what they hold
        for version in _versions(data)[0]:
            for broken, check in _CHECKS.items():
                part = broken, id(version.get(broken))
                if part not in checked:
                    check(version)
                    checked.add(part)
    except LaterFormatError as error:
        raise LaterFormatError(f"{path} can't be read. {error}") from None
    except _WRONG:
        raise damaged(path, f"“{broken}” is missing or invalid") from None
    return data


def alignment_in(version: Version) -> Alignment | None:
    """Return a version's alignment; raise ValueError or TypeError if it is none or has no text."""
    if version.get("alignment") is None:
        return None
    from_json(str, version["text"])
    return check_alignment(Alignment.from_json(version["alignment"]))


def passages_in(version: Version) -> tuple[Span, ...]:
    """Return the ranges of words that a version has aligned; raise ValueError for others."""
    passages = from_json(tuple[Span, ...], version.get("aligned_words") or [])
    if not all(0 <= first < last for first, last in passages):
        raise ValueError("aligned_words")
    return passages


def _typed(entry: str, kind: Any) -> Callable[[Version], object]:
    """Make a check of one entry's type."""
    return lambda version: from_json(kind, version.get(entry))


def _check_takes(version: Version) -> None:
    """Raise KeyError, TypeError or ValueError if a version has takes that aren't such."""
    from a3t.projects.takes import MAX_RECORD_TAKES, PLACES_ENTRY, Take  # which import torch

    takes = version.get(TAKES) or []
    if len(takes) > MAX_RECORD_TAKES or (takes and version.get("alignment") is None):
        raise ValueError(TAKES)
    count = len(version["alignment"]["words"]) if takes else 0
    place = 0
    for entry in takes:
        Take.from_json(entry), voice_name(entry)
        from_json(Weights, entry["model"]), from_json(Weights, entry["vocoder"])
        for word in entry[PLACES_ENTRY]:
            if type(word) is not int or not place <= word <= count:
                raise ValueError(PLACES_ENTRY)
            place = word


def _request_check(entry: str) -> Callable[[Version], object]:
    """Make a check of one entry of a request that says nothing else."""
    blank = EditRequest(new_text="").to_json()
    del blank[entry]
    return lambda version: EditRequest.from_json(
        blank | {name: value for name, value in version.items() if name == entry}
    )


_CHECKS: dict[str, Callable[[Version], object]] = {
    "source": _typed("source", _SourceEntry),
    "model": _typed("model", Weights),
    "vocoder": _typed("vocoder", Weights),
    "output": _typed("output", dict[str, Any] | None),
    "voice": voice_name,
    **{entry: _request_check(entry) for entry in EditRequest(new_text="").to_json()},
    "alignment": alignment_in,
    "aligned_words": passages_in,
    TAKES: _check_takes,
}


def source_of(record: Path, data: Mapping[str, Any]) -> Path:
    """Return the source as an edit.json names it, else the file of that name beside it."""
    named = Path(data["source"]["path"])
    try:
        return named if named.is_file() else record.parent / named.name
    except OSError:  # a name that is too long for this system
        return record.parent / named.name


# Inode, time and size of an edit.json; None: no file. Where it may be unknown as well, it stands in
# a tuple of one.
RecordState = tuple[int, int, int] | None


def record_state(out: Path) -> RecordState:
    """Return the state of an output's edit.json, to detect if another edit replaces it."""
    try:
        stat = record_path(out).stat()
    except (OSError, ValueError):
        return None
    return stat.st_ino, stat.st_mtime_ns, stat.st_size


@dataclass(frozen=True)
class Project:
    """An output, the recording that it was made from, its history, and its edit.json's state."""

    out: Path
    source: Recording
    history: History
    seen: RecordState

    @property
    def text(self) -> str:
        """The original's text, as it was given or found."""
        return str(self.history.current["text"])


def find_project(recording: Recording, out: Path | None = None) -> Project | None:
    """Return the project that a new edit of a recording continues, if any.

    If this program made the recording, it is that of the recording's source; else it is the one of
    ``out`` (default: {stem}.edited.wav), provided that was made from the recording. Raises
    InputError for a damaged edit.json, and if the default is an edit of another recording.
    """
    wav = recording.path
    seen, record = record_state(wav), _record(wav)
    if record is not None and recording.sha256 in (
        (record.get("output") or {}).get("sha256"),
        record.get(NEXT),
    ):
        original = source_of(record_path(wav), record)
        if _is_file(original):
            source = Recording.open(original, record["source"].get("track"))
            if source.sha256 == record["source"]["sha256"]:
                seen = seen if out is None else record_state(out)
                return Project(out or wav, source, History.of(record), seen)
    usual = default_output(wav)
    target = out or usual
    seen, record = record_state(target), _record(target)
    if record is None or not target.is_file():
        return None
    if _is_of(record, recording):
        return Project(target, recording, History.of(record), seen)
    of = record["source"]
    if out is None and (Path(of["path"]).name, of.get("track")) != (wav.name, recording.track):
        track = f", track {of['track']}" if of.get("track") is not None else ""
        raise InputError(
            f"{target} is an edit of {of['path']}{track} and would be replaced: name another "
            "output with --out."
        )
    return None


def open_project(recording: Recording, out: Path | None = None) -> Project:
    """Find the project as `find_project` does; raise InputError if there is none."""
    wav, project = recording.path, find_project(recording, out)
    if project is None:
        raise InputError(
            f"There is no edit of {wav.name}: it is not an edit with its edit.json and original "
            f"beside it, and {(out or default_output(wav)).name} was not made from it."
        )
    return project


def _is_of(record: Mapping[str, Any], recording: Recording) -> bool:
    """Return whether a record's edit was made from this recording and this track of it."""
    source = record["source"]
    return (source["sha256"], source.get("track")) == (recording.sha256, recording.track)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            return False
        raise InputError(f"{path} can't be read: {error.strerror}.") from None


def _record(out: Path) -> Mapping[str, Any] | None:
    """Read the edit.json beside a file, if a3t wrote one; raise InputError if it is damaged."""
    path = record_path(out)
    return read_record(path) if _is_file(path) and RECORD_ENTRY in load_record(path) else None
