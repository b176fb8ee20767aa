"""The request for an edit, with every default and every limit in one place.

A command line, a line of a manifest, the page's form, an edit.json and a plan file all become an
`EditRequest`, and only that is passed on to the editor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec

from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.plan.edit_limits import (
    MAX_RECORDING_SECONDS,
    Count,
    Number,
    check_alignment,
    check_characters,
    check_edits,
)
from a3t.plan.options import ACTIONS, EditOptions, SpeechOptions, options_of
from a3t.source.differences import Changes, Difference
from a3t.source.records import AlignedRecording
from a3t.spans import Span
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript, parsed
from alignment import Alignment
from alignment.serialisation import OMITTED, Record, from_json, to_json

MAX_OTHERS = 20
T = TypeVar("T", "OtherRecording", "Track")
Pronunciations = tuple[tuple[str, tuple[tuple[str, ...], ...]], ...]

KINDS = ("filler", "repeat", "noise", "pause")
RETAKE = "retake"
ALL_KINDS = (*KINDS, RETAKE, "breath", "click")  # those that are looked for on request as well
NAMED = "word"  # the kind of a word that is to be hidden
BLEEP = "bleep"  # what else may become of a word
MAX_TRACKS = 20
MAX_GAIN_DB = 20.0  # dB


@dataclass(frozen=True, slots=True)
class Cut(Record):
    """A stretch of a recording between two words, and what becomes of it.

    kind: one of ALL_KINDS, or NAMED for words. action: one of ACTIONS; BLEEP covers words with a
    tone. start, end: seconds. Raises InputError for anything else.
    """

    kind: str
    action: str
    start: float
    end: float

    def __post_init__(self) -> None:
        """Raise InputError for an action, a kind or a stretch that can't be."""
        hides = self.kind == NAMED and self.action in ("mute", BLEEP)
        known = hides or (self.kind in ALL_KINDS and self.action in ACTIONS)
        if not known or not 0 <= self.start < self.end <= MAX_RECORDING_SECONDS:
            raise InputError(
                f"“{self.action} {self.kind} {self.start:g}–{self.end:g} s” is no cut: give one of "
                f"{', '.join(ACTIONS)}, one of {', '.join(ALL_KINDS)}, and a start before its end."
            )

    @property
    def label(self) -> str:
        """The text that stands for it where an edit's words are shown."""
        if self.kind == "pause":
            return f"[{self.end - self.start:.2f} s of a pause]"
        return f"[{self.kind}]"


def check_cuts(cuts: Sequence[Cut]) -> None:
    """Raise InputError unless cuts are in order, apart, and not too many."""
    check_edits(len(cuts))
    if any(one.end > other.start for one, other in zip(cuts, cuts[1:], strict=False)):
        raise InputError("The cuts overlap or are out of order: sort them by time.")


@dataclass(frozen=True)
class Track(Record):
    """A file in step with the recording; sha256: of its bytes, once it was used."""

    path: Path
    sha256: str | None = None

    def open(self) -> Recording:
        """Open the recording; InputError if it is unusable or has changed since it was used."""
        recording = Recording.open(self.path)
        if self.sha256 not in (None, recording.sha256):
            raise InputError(
                f"{self.path} is not the recording that was kept in step (the sha256 differs): put "
                "the right one there."
            )
        return recording


def tracks_of(files: Iterable[Path | str | Track]) -> tuple[Track, ...]:
    """Return tracks by file name, each file once."""
    tracks = [each if isinstance(each, Track) else Track(Path(each)) for each in files]
    return tuple({track.path.resolve(): track for track in tracks}.values())


def identified(tracks: Sequence[Track], recording: Recording) -> tuple[Track, ...]:
    """Open the tracks once, and return them with their sha256.

    Raises InputError if one can't be used, or is the recording itself.
    """
    found = []
    for track in tracks:
        opened = track.open()
        if opened.sha256 == recording.sha256:
            raise InputError(f"{track.path} is the recording itself: name another track.")
        found.append(Track(track.path, opened.sha256))
    return tuple(found)


Decibels = Annotated[float, msgspec.Meta(ge=-MAX_GAIN_DB, le=MAX_GAIN_DB)]


@dataclass(frozen=True, slots=True)
class ReusedWords(Record):
    """New words that are recorded, but for some, as words ``old`` of text number ``text``.

    decibels: by which they are made louder; None for as much as all speech of their recording.
    punch_in: whether that was made for them, so that they take on the sound of their new place.
    """

    new: Span
    old: Span
    text: Count
    decibels: Decibels | None = None
    punch_in: bool = field(default=False, metadata=OMITTED)

    def __post_init__(self) -> None:
        """Raise ValueError for words that nobody recorded."""
        if not (0 <= self.new[0] < self.new[1] and 0 <= self.old[0] < self.old[1]):
            raise ValueError("Expected words that are recorded")


@dataclass(frozen=True, slots=True)
class PlacedWords(Record):
    """Recorded words that a new text has: spoken words ``old`` of text number ``text``.

    new: where they are written, counted between the new text's blanks. stays: whether they are
    outside the edit: they stay where they are, whatever of them is recorded for it again.
    """

    new: tuple[Count, Count]
    old: tuple[Count, Count]
    text: Count = 0
    stays: bool = field(default=False, metadata=OMITTED)


@dataclass(frozen=True)
class OtherRecording(Record):
    """A further recording of the same speaker, whose speech an edit may take.

    text: what it says; None to take it from a file beside it, or to recognise it. alignment: of
    all its words, None to align them. sha256: of its file, once it was used. punch_in: whether it
    was made for the new words, alone or in their sentence: these are then taken from it however few
    they are, and take on the sound of their new place.
    """

    path: Path
    text: str | None = None
    alignment: Alignment | None = None
    sha256: str | None = None
    punch_in: bool = field(default=False, metadata=OMITTED)

    def __post_init__(self) -> None:
        """Raise ValueError for an alignment that isn't in order."""
        check_alignment(self.alignment)

    @cached_property
    def transcript(self) -> Transcript | None:
        """The words of its text, if that is known."""
        return parsed(self.text)

    @classmethod
    def of(cls, heard: AlignedRecording, punch_in: bool = False) -> OtherRecording:
        """Return a recording whose words are known."""
        own = heard.recording
        return cls(own.path, heard.text.text, heard.alignment, own.sha256, punch_in)


@dataclass(frozen=True, kw_only=True)
class EditRequest(EditOptions):
    """An edit as it is asked for: the user's words and options, and nothing found.

    Raises
    ------
    InputError
        For a value that is out of range. The texts are read when `transcript` and
        `new_transcript` are first used.

    Examples
    --------
    >>> request = EditRequest(new_text="We met at ten.", speed=0.9)
    >>> EditRequest.from_json(request.to_json()) == request
    True
    """

    new_text: str
    """The text that the recording should have."""
    text: str | None = None
    """The text that it has now; None to take it from a file beside it, or to recognise it."""
    alignment: Path | None = field(default=None, metadata=OMITTED)
    """A file with the alignment of its words; None to align them."""
    recogniser: str = field(default="auto", metadata=OMITTED)
    """See `alignment.recognition`."""
    changes: Changes = field(default=None, metadata=OMITTED)
    """Of the differences from a recognised text those to make: their numbers, "ticked" or "all"."""
    left: tuple[Difference, ...] = field(default=(), metadata=OMITTED)
    """Differences of an earlier version of the text that weren't made."""
    lengths: tuple[tuple[Number, ...], ...] | None = None
    """For each edit the seconds of each new word and pause, as in a plan file."""
    pronunciations: Pronunciations = ()
    """Words (lower case) with their pronunciations, before the dictionary's."""
    names: tuple[str, ...] | None = field(default=None, metadata=OMITTED)
    """Those of them that a recogniser listens for; None for all."""

    cuts: tuple[Cut, ...] = field(default=(), metadata=OMITTED)
    """Sound between words that is taken out or muted, in order."""

    placed: tuple[PlacedWords, ...] | None = field(default=None, metadata=OMITTED)
    """Where every recorded word goes, all others being made; None to compare the texts."""
    recorded: tuple[ReusedWords, ...] = field(default=(), metadata=OMITTED)
    """Words that are taken from there however few they are, as a candidate has it."""
    others: tuple[OtherRecording, ...] = field(default=(), metadata=OMITTED)
    """Further recordings that they may be taken from."""
    tracks: tuple[Track, ...] = field(default=(), metadata=OMITTED)
    """Recordings of other speakers, made at the same time, that stay in step with this one."""
    channels: tuple[Count, ...] = field(default=(), metadata=OMITTED)
    """The speaker's, if each has some of their own; () to find them by the levels."""

    def __post_init__(self) -> None:
        """Raise InputError for a text, or for options that contradict one another."""
        check_characters(self.new_text)
        check_characters(self.text or "")
        super().__post_init__()
        if sum((self.fit, self.duration is not None, self.lengths is not None)) > 1:
            raise InputError(
                "The new words' time is given twice: use only one of fit, duration and a plan file."
            )
        check_cuts(self.cuts)
        if len(self.tracks) > MAX_TRACKS:
            raise InputError(f"At most {MAX_TRACKS} tracks can be kept in step: omit some.")
        if len(self.others) > MAX_OTHERS:
            raise InputError(f"At most {MAX_OTHERS} other recordings can be used: omit some.")

    @cached_property
    def transcript(self) -> Transcript | None:
        """The text that it has now, with its words; None if that isn't given."""
        return parsed(self.text)

    @cached_property
    def new_transcript(self) -> Transcript:
        """The new text's words; InputError if there are none."""
        return parsed(self.new_text)

    @cached_property
    def pronouncer(self) -> Pronouncer:
        """Says its words, the user's own as they are given."""
        return Pronouncer(dict(self.pronunciations), names=self.names)

    @property
    def times_are_free(self) -> bool:
        """True if the duration of the new words is left to the planner."""
        return not self.fit and self.duration is None and self.lengths is None

    def asking(self, **fields: Any) -> EditRequest:
        """Return the request with other fields; a text that stays isn't read again."""
        other, texts = replace(self, **fields), {"text": "transcript", "new_text": "new_transcript"}
        read = {texts[name] for name in texts.keys() - fields.keys()} & vars(self).keys()
        vars(other).update({name: vars(self)[name] for name in read})
        return other

    def for_words(self, text: str, new_text: str) -> EditRequest:
        """Return a request for other words, spoken and joined like these."""
        options = {each.name: getattr(self, each.name) for each in options_of(EditOptions)}
        # These concern the words that were asked for, all together.
        options |= {"duration": None, "moves": False, "candidates": 1}
        return EditRequest(
            text=text, new_text=new_text, pronunciations=self.pronunciations, **options
        )

    def beside(self, folder: Path) -> EditRequest:
        """Return the request with bare file names looked up in a folder.

        An edit.json from a server names no folders.
        """

        def found(each: T) -> T:
            path = folder / each.path
            return replace(each, path=path) if path.parent == folder and path.is_file() else each

        return replace(
            self, others=tuple(map(found, self.others)), tracks=tuple(map(found, self.tracks))
        )

    def with_pronunciations_of(self, words: Iterable[str]) -> EditRequest:
        """Return the request with only the pronunciations of these words."""
        spoken = set(words)
        kept = tuple(each for each in self.pronunciations if each[0] in spoken)
        same = kept == self.pronunciations and self.names is None
        return self if same else replace(self, pronunciations=kept, names=None)

    def to_json(self) -> dict[str, Any]:
        """Return its entries in an edit.json: the texts, the seed, and all else in ``asked``."""
        asked = to_json(self)
        texts = {name: asked.pop(name) for name in ("text", "new_text")}
        seed = asked.pop("seed")
        asked["pronunciations"] = {
            word: [" ".join(way) for way in ways] for word, ways in self.pronunciations
        }
        return {"format": FORMAT, **texts, "asked": asked, "seed": seed}

    @classmethod
    def from_json(cls, data: object) -> EditRequest:
        """Read the request from an edit.json of any format; ValueError if there is none."""
        entry = from_json(RequestEntry, brought_up(data))
        words = from_json(dict[str, tuple[str, ...]], entry.asked.get("pronunciations", {}))
        ways = pronunciations_of({word: map(str.split, own) for word, own in words.items()})
        texts = {"text": entry.text, "new_text": entry.new_text, "seed": entry.seed}
        return from_json(cls, entry.asked | texts | {"pronunciations": ways})


@dataclass(frozen=True)
class RequestEntry(Record):
    """An `EditRequest` as an edit.json has it."""

    text: str | None
    new_text: str
    asked: dict[str, Any]
    seed: int


@dataclass(frozen=True, kw_only=True)
class SpeechRequest(SpeechOptions):
    """A text to be spoken in the voice of its prompts; InputError for a value that is out of range.

    prompt_text: what the prompt says, or each of several; None to find out. The others are those of
    an `EditRequest`.
    """

    text: str
    prompt_text: str | Sequence[str] | None = None
    pronunciations: Pronunciations = ()

    def __post_init__(self) -> None:
        """Raise InputError for a text that can't be written, or an option's value."""
        check_characters(self.text)
        super().__post_init__()

    @cached_property
    def transcript(self) -> Transcript:
        """The text's words; InputError if there are none."""
        return parsed(self.text)


def pronunciations_of(words: Mapping[str, Iterable[Sequence[str]]]) -> Pronunciations:
    """Return words with their pronunciations as a request holds them."""
    return tuple((word, tuple(tuple(way) for way in ways)) for word, ways in words.items())


# Entries of an edit.json in an earlier format are brought up by one migration a format.


class LaterFormatError(InputError):
    """A later version of a3t wrote a file."""


def _from_1(entry: dict[str, Any]) -> dict[str, Any]:
    """Migrate 0.1.0 to 1.0.0: what an edit.json doesn't name, its version of a3t didn't do."""
    asked = {"punctuate": False, "moves": False} | dict(entry.get("asked") or {})
    return entry | {"asked": asked}


_MIGRATIONS: tuple[Callable[[dict[str, Any]], dict[str, Any]], ...] = (_from_1,)
FORMAT = len(_MIGRATIONS) + 1


def brought_up(data: object) -> dict[str, Any]:
    """Return the entry in today's format. Raises ValueError if it isn't one; LaterFormatError."""
    if not isinstance(data, Mapping):
        raise ValueError("an edit")
    entry = dict(data)
    written = entry.get("format")
    written = 1 if written is None else written
    if type(written) is not int or written < 1:
        raise ValueError("format")
    if written > FORMAT:
        raise LaterFormatError(
            f"It was written by a later version of a3t (format {written}, and this one reads up to "
            f"{FORMAT}): update a3t."
        )
    for migrate in _MIGRATIONS[written - 1 :]:
        entry = migrate(entry)
    return entry | {"format": FORMAT}
