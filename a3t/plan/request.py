"""The request for an edit, with every default and every limit in one place.

A command line, a line of a manifest, the page's form, an edit.json and a plan file all become an
`EditRequest`, and only that is passed on to the editor.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from a3t.audio.matching.match_options import ALL_TRAITS, MatchedTraits
from a3t.errors import InputError
from a3t.plan.cleaning.cuts import Cut, check_cuts
from a3t.plan.edit_limits import check_characters, check_seed, check_speed
from a3t.plan.json_values import Number
from a3t.plan.migrations import FORMAT, brought_up
from a3t.plan.reuse.recorded_speech import OtherRecording, RecordedWords
from a3t.text.transcript import Transcript
from alignment.serialisation import OMITTED, Record, from_json, to_json

MOST_OTHERS = 20
Pronunciations = tuple[tuple[str, tuple[tuple[str, ...], ...]], ...]

MARGIN, REACH = 0.025, 0.075  # seconds
MOST_CANDIDATES = 8


@dataclass(frozen=True, kw_only=True)
class EditRequest(Record):
    """A requested edit; raises InputError for a value that is out of range. The new text is checked
    when it is first used (`new_transcript`).

    The texts and the alignment:

    new_text: what the recording should say. text: what it says now; None to take it from a file
    beside the recording, or to recognise it with ``recogniser`` (see `alignment.recognition`).
    alignment: a file with the alignment of its words; None to align them. punctuate:
    whether a text without any punctuation gets its marks and capitals back, so that the speaker's
    pauses can be told from its commas and full stops.

    How the new words are spoken:

    speed: their rate relative to the speaker's own. fit: they take the time of the words that they
    replace. duration: their total duration in seconds. lengths: for each edit, the seconds of each
    new word and pause, as in a plan file. At most one of fit, duration and lengths may be given.
    pronunciations: words (lower case) with their pronunciations in ARPAbet with stress, which take
    precedence over the dictionary's.

    How they are joined:

    margin: seconds of the neighbouring speech on each side that are regenerated with them. reach:
    seconds beyond the margin within which the joint may lie. match: the traits of the recording's
    sound that they take on.

    cuts: sound between words that is taken out or muted, in order (`a3t.plan.cleaning.cuts`).

    moves: whether longer stretches of new words that are recorded elsewhere are taken from there
    (`a3t.plan.reuse.text_reuse`) instead of being made. recorded: the same for some words of the
    aligned ones, few as they may be, as a candidate has it. others: further recordings that they
    may be taken from.

    candidates: how many results to make, the best first. seed: for the random noise and the melody;
    with 0 the melody is the predicted one, others draw it. verify: whether to align the result
    again, to find new words that are inaudible in it.
    """

    new_text: str
    text: str | None = None
    alignment: Path | None = field(default=None, metadata=OMITTED)
    recogniser: str = field(default="auto", metadata=OMITTED)
    punctuate: bool = True
    speed: Number = 1.0
    fit: bool = False
    duration: Number | None = None
    lengths: tuple[tuple[Number, ...], ...] | None = None
    pronunciations: Pronunciations = ()
    margin: Number = MARGIN
    reach: Number = REACH
    match: MatchedTraits = ALL_TRAITS
    cuts: tuple[Cut, ...] = field(default=(), metadata=OMITTED)
    moves: bool = True
    recorded: tuple[RecordedWords, ...] = field(default=(), metadata=OMITTED)
    others: tuple[OtherRecording, ...] = field(default=(), metadata=OMITTED)
    candidates: int = field(default=1, metadata=OMITTED)
    seed: int = 0
    verify: bool = field(default=True, metadata=OMITTED)

    def __post_init__(self) -> None:
        check_characters(self.new_text)
        check_characters(self.text or "")
        check_speed(self.speed)
        if not 0.0 <= self.margin <= 0.5:
            raise InputError(
                f"A margin of {1000 * self.margin:g} ms is out of range: use 0 to 500 ms."
            )
        if not 0.025 <= self.reach <= 0.25:
            raise InputError(f"A reach of {self.reach:g} s is out of range: use 0.025 to 0.25.")
        if self.duration is not None and not 0.05 <= self.duration <= 60:
            raise InputError(
                f"A duration of {self.duration:g} s is out of range: use 0.05 to 60 seconds."
            )
        if sum((self.fit, self.duration is not None, self.lengths is not None)) > 1:
            raise InputError(
                "The new words' time is given twice: use only one of fit, duration and a plan file."
            )
        check_cuts(self.cuts)
        if len(self.others) > MOST_OTHERS:
            raise InputError(f"At most {MOST_OTHERS} other recordings can be used: omit some.")
        if not 1 <= self.candidates <= MOST_CANDIDATES:
            raise InputError(
                f"{self.candidates} candidates can't be made: ask for 1 to {MOST_CANDIDATES}."
            )
        check_seed(self.seed)

    @cached_property
    def new_transcript(self) -> Transcript:
        """The new text's words; InputError if there are none."""
        return Transcript.from_text(self.new_text)

    @property
    def times_are_free(self) -> bool:
        """True if the duration of the new words is left to the planner."""
        return not self.fit and self.duration is None and self.lengths is None

    def for_words(self, text: str, new_text: str) -> EditRequest:
        """A request for other words, to be spoken and joined like these."""
        return EditRequest(
            text=text,
            new_text=new_text,
            punctuate=self.punctuate,
            speed=self.speed,
            fit=self.fit,
            pronunciations=self.pronunciations,
            margin=self.margin,
            reach=self.reach,
            match=self.match,
            moves=False,
            seed=self.seed,
            verify=self.verify,
        )

    def with_pronunciations_of(self, words: Iterable[str]) -> EditRequest:
        """The same request with only the pronunciations of these words."""
        spoken = set(words)
        kept = tuple(each for each in self.pronunciations if each[0] in spoken)
        return self if kept == self.pronunciations else replace(self, pronunciations=kept)

    def to_json(self) -> dict[str, Any]:
        """Its entries in an edit.json: the texts, the seed, and all else in ``asked``."""
        asked = to_json(self)
        texts = {name: asked.pop(name) for name in ("text", "new_text")}
        seed = asked.pop("seed")
        asked["pronunciations"] = {
            word: [" ".join(way) for way in ways] for word, ways in self.pronunciations
        }
        return {"format": FORMAT, **texts, "asked": asked, "seed": seed}

    @classmethod
    def from_json(cls, data: object) -> EditRequest:
        """The request in an edit.json of any format; ValueError if it isn't one."""
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
class SpeechRequest:
    """A text to be spoken in the voice of its prompts; InputError for a value that is out of range.

    prompt_text: what the prompt says, or each of several; None to find out. The others are those of
    an `EditRequest`.
    """

    text: str
    prompt_text: str | Sequence[str] | None = None
    speed: float = 1.0
    pronunciations: Pronunciations = ()
    seed: int = 0

    def __post_init__(self) -> None:
        check_characters(self.text)
        check_speed(self.speed)
        check_seed(self.seed)


def pronunciations_of(words: Mapping[str, Iterable[Sequence[str]]]) -> Pronunciations:
    """Words with their pronunciations, in the form that a request holds."""
    return tuple((word, tuple(tuple(way) for way in ways)) for word, ways in words.items())
