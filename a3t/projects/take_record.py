"""A take as it is kept: what was made of one change, and how it is put beside others (take.json).

Read by the page's server, which has no models, and checked when it comes in a project's file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from itertools import chain
from typing import Annotated, Any

import numpy as np
from msgspec import Meta

from a3t.audio.output.provenance import Weights
from a3t.grid import frames_of
from a3t.plan.edit_limits import Count, Number
from a3t.plan.edit_plan import PlannedEdit
from a3t.plan.request import Cut
from a3t.projects.store.record_files import StoredRecord
from a3t.text.phones import ARPABET, PAUSE
from a3t.text.transcript import TranscriptWord
from alignment.serialisation import OMITTED, Record

MAX_TAKES = 40  # of one change
MAX_LEVEL = 8.0  # of full scale
MAX_TEXT_CHARACTERS = 2000

Text = Annotated[str, Meta(max_length=MAX_TEXT_CHARACTERS)]
Sample = Annotated[int, Meta(ge=0, lt=2**40)]
Anchor = tuple[Annotated[int, Meta(ge=-1, lt=2**40)], Count]
KNOWN = {*ARPABET, PAUSE}


@dataclass(frozen=True)
class PatchSpan(Record):
    """The recording's samples that a patch replaces, and the patch's length."""

    source: tuple[Sample, Sample]
    length: Sample


@dataclass(frozen=True)
class NewWord(Record):
    """A new word: its span, its number in the new text, and seconds from the span's beginning.

    length: which of the take's lengths is its own (edit, unit), None in old files.
    """

    span: Count
    word: Count
    text: Text
    start: Number
    end: Number
    length: tuple[Count, Count] | None = None


@dataclass(frozen=True)
class Pronunciation(Record):
    """A way to say a word, for people and in phones."""

    said: Text
    phones: Text


@dataclass(frozen=True)
class TakeEdit(Record):
    """An edit of a take, on the whole recording's clock; its words are counted as in the take.

    anchor: the token and the word within it at which it begins.
    old: the number of words that it replaces. new, phones: its words, and how each is said.
    excerpts: samples recorded elsewhere: first, last, where they begin in the patch, exact or not.
    within: for each of these, the edits that were made where it was recorded, and that it has.
    span: of such an edit, where it was made.
    """

    plan: PlannedEdit
    anchor: Anchor
    old: Count
    new: tuple[TranscriptWord, ...]
    phones: tuple[tuple[Text, ...], ...]
    excerpts: tuple[tuple[Sample, Sample, Count, bool], ...] = ()
    within: tuple[tuple[TakeEdit, ...], ...] = field(default=(), metadata=OMITTED)
    span: PatchSpan | None = field(default=None, metadata=OMITTED)

    def __post_init__(self) -> None:
        """Raise ValueError for words without phones of their own."""
        if len(self.new) != len(self.phones):
            raise ValueError("a take's words")
        if not KNOWN.issuperset(symbol for way in self.phones for symbol in way):
            raise ValueError("phones")


@dataclass(frozen=True)
class Mix(Record):
    """A take's edits, the rate of its speech, its cut, and how its words were to be said."""

    edits: tuple[TakeEdit, ...]
    rate: Number
    cut: Cut | None = None
    said: dict[str, tuple[Text, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class ShownTake(Record):
    """What a page needs of a take. Defaults are what once was not written.

    number: among the change's. pace, duration: as they were asked for. spans: none if the sound
    stays as it is. words: the new ones. lengths: seconds of each edit's words and pauses. seconds:
    of all patches. doubts: about the place. guessed: words in no dictionary, and how they are said.
    offered: other ways to say these. Then, where something was made: its level in dB, the words
    that can hardly be heard, the second at which it is recorded elsewhere, whether it was recorded
    for the change (a punch-in), and the file of the other recording that it is from. base: the
    take of which it is another length.
    """

    number: Annotated[int, Meta(ge=0, lt=MAX_TAKES)]
    pace: Number
    duration: Number | None
    spans: tuple[PatchSpan, ...]
    words: tuple[NewWord, ...]
    seconds: Number
    doubts: tuple[Text, ...]
    guessed: dict[str, Text]
    lengths: tuple[tuple[Number, ...], ...] = ()
    offered: dict[str, tuple[Pronunciation, ...]] = field(default_factory=dict)
    level: Number | None = field(default=None, metadata=OMITTED)
    doubtful: tuple[Text, ...] = ()
    recorded: Number | None = None
    punch_in: bool = field(default=False, metadata=OMITTED)
    other: Text = field(default="", metadata=OMITTED)
    base: Count | None = field(default=None, metadata=OMITTED)


@dataclass(frozen=True)
class TakeRecord(ShownTake, StoredRecord):
    """One take of a change.

    Where something was made it has the weights, each edit's words with the aligner's confidence,
    and what puts it beside other takes.
    """

    model: Weights | None = field(default=None, metadata=OMITTED)
    vocoder: Weights | None = field(default=None, metadata=OMITTED)
    voice: Weights | None = None
    scores: tuple[tuple[tuple[Text, Number], ...], ...] = ()
    mix: Mix | None = field(default=None, metadata=OMITTED)

    def __post_init__(self) -> None:
        """Raise ValueError unless mix, weights and words belong to the spans."""
        if self.spans and (self.mix is None or len(self.mix.edits) != len(self.spans)):
            raise ValueError("a take's edits")
        if self.spans and (self.level is None or self.model is None or self.vocoder is None):
            raise ValueError("a take's weights")
        if any(word.span >= len(self.spans) for word in self.words):
            raise ValueError("a take's word")

    def shown(self) -> ShownTake:
        """Return what a page needs of it."""
        return ShownTake(**{each.name: getattr(self, each.name) for each in fields(ShownTake)})

    def written(self, words: Mapping[str, str]) -> TakeRecord:
        """Return the take with other ways to write its new words."""
        if self.mix is None:
            return self
        edits = tuple(
            replace(
                edit,
                new=tuple(
                    replace(word, written=word.written.removesuffix(bare) + words.get(bare, bare))
                    for word in edit.new
                    for bare in [word.without_name]
                ),
            )
            for edit in self.mix.edits
        )
        return replace(self, mix=replace(self.mix, edits=edits))

    def check(self, patch: np.ndarray, samples: int, channels: int) -> None:
        """Check that it belongs to its samples (n, channels) and to a recording of so many.

        Raises ValueError if it doesn't.
        """
        total = sum(span.length for span in self.spans)
        if patch.dtype not in (np.float32, np.float64) or patch.shape != (total, channels):
            raise ValueError("a take's samples")
        if total and not np.abs(patch).max() <= MAX_LEVEL:  # not even NaN is
            raise ValueError("a take's samples")
        if any(not first <= last <= samples for first, last in (s.source for s in self.spans)):
            raise ValueError("a take's span")
        for edit, span in zip(self.mix.edits if self.mix else (), self.spans, strict=False):
            if len(edit.excerpts) != len(edit.plan.taken):
                raise ValueError("an excerpt")
            if edit.within and len(edit.within) != len(edit.excerpts):
                raise ValueError("an excerpt's edits")
            for k, (first, last, begin, _) in enumerate(edit.excerpts):
                own = [inner.span for inner in chain(*edit.within[k : k + 1])]
                if any(each is None or each.source[1] < each.source[0] for each in own):
                    raise ValueError("an excerpt's edits")
                most = samples + sum(each.length for each in own if each)
                inside = edit.plan.taken[k].origin > 0 or last <= most
                if not (first <= last and inside and begin <= span.length):
                    raise ValueError("an excerpt")


def _from_1(data: Any) -> Any:
    """Format 1 had no number, and its edits' plans as people are shown them."""
    mix = data.get("mix")
    if mix is None:
        return data
    try:
        edits = [{**edit, "plan": _plan_from_1(edit["plan"])} for edit in mix["edits"]]
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError):
        raise ValueError("a take's edits") from None
    return {**data, "mix": {**mix, "edits": edits}}


def _plan_from_1(plan: dict[str, Any]) -> dict[str, Any]:
    frames = {name: plan[f"{name}_frames"] for name in ("source", "margin", "overlap")}
    phones = [dict(zip(("symbol", "frames", "word"), each, strict=True)) for each in plan["phones"]]
    words = [
        {**word, "text": word["word"].replace("[pause]", ""), "frames": frames_of(word["seconds"])}
        for word in plan["words"]
    ]
    return {**plan, **frames, "phones": phones, "words": words}


TakeRecord.migrations = (_from_1,)
