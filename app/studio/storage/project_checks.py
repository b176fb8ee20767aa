"""The files of a project that came from outside, read back as this program would have written them.

Whatever isn't is refused with KeyError, TypeError or ValueError, of which pydantic's errors are;
what is written afterwards is made anew of the values that were checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Annotated, Any

import numpy as np
from pydantic import AfterValidator, BaseModel, Field, FiniteFloat, StrictInt

from a3t.plan.cleaning.cuts import Cut
from a3t.plan.edit_plan import PlannedEdit
from a3t.plan.json_values import string
from a3t.text.phones import ARPABET, PAUSE
from a3t.text.transcript import Transcript, TranscriptWord
from alignment import Word
from app.studio.storage.folders import MOST_TAKES
from app.studio.storage.heard_tokens import IDS, HeardPart

LONGEST_WORD = 2000  # characters
MOST_WORDS = 20_000  # of a part
LOUDEST = 8.0  # of full scale
KNOWN = {*ARPABET, PAUSE}


def _known(way: str) -> str:
    if not KNOWN.issuperset(way.split()):
        raise ValueError(way)
    return way


Count = Annotated[StrictInt, Field(ge=0, lt=2**31)]
Sample = Annotated[StrictInt, Field(ge=0, lt=2**40)]
Text = Annotated[str, Field(max_length=LONGEST_WORD)]
Phones = Annotated[Text, AfterValidator(_known)]  # symbols with spaces between them


# ---- words ------------------------------------------------------------------------------------


class CheckedMarks(BaseModel):
    """A token's text with its marks, or without."""

    text: Text
    pause: bool


class CheckedToken(BaseModel):
    """A token; what it lacks is not set. words: as `alignment.Word`."""

    id: StrictInt
    text: Text
    words: Annotated[list[dict[str, Any]], Field(min_length=1)]
    pause: bool
    speaker: Text = ""
    marked: CheckedMarks | None = None
    unmarked: CheckedMarks | None = None


def checked_part(data: Any, part: int, seconds: float) -> HeardPart:
    """A checked part: its tokens' ids its own, and nothing after the recording's end."""
    heard = HeardPart.from_json(data)
    if len(heard.tokens) > MOST_WORDS or len(heard.pauses) > MOST_WORDS:
        raise ValueError("a part")
    tokens = []
    for token in map(CheckedToken.model_validate, heard.tokens):
        words = _words(token.words, seconds, spoken=True)
        tokens.append(token.model_dump(exclude_unset=True) | {"words": words})
    ids = {token["id"] for token in tokens}
    if len(ids) < len(tokens) or any(each // IDS != part for each in ids):
        raise ValueError("tokens")
    _in_order([word for token in tokens for word in token["words"]])
    pauses = _words(heard.pauses, seconds, spoken=False)
    _in_order(pauses)
    return HeardPart(tokens, pauses)


def _words(data: Any, seconds: float, spoken: bool) -> list[dict[str, Any]]:
    words = [Word.from_json(word) for word in data]
    for word in words:
        times = [time for phone in word.phones for time in (phone.start, phone.end)]
        scores = [word.score, *(phone.score for phone in word.phones)]
        known = bool(word.phones) and {phone.symbol for phone in word.phones} <= KNOWN
        if not known or bool(word.text) != spoken or not np.isfinite([*times, *scores]).all():
            raise ValueError("a word")
        if times != sorted(times) or not 0 <= word.start < word.end <= seconds + 1.0:
            raise ValueError("a word's times")
        if (times[0], times[-1]) != (word.start, word.end):
            raise ValueError("a word's phones")
        if max(len(word.text), len(word.unwritten)) > LONGEST_WORD:
            raise ValueError("a word's text")
    return [word.to_json() for word in words]


def _in_order(words: list[dict[str, Any]]) -> None:
    if any(one["end"] > other["start"] + 1e-3 for one, other in pairwise(words)):
        raise ValueError("words out of order")


def checked_place(data: Any, samples: int) -> dict[str, Any]:
    """A checked place where a piece of the transcript is to be looked for."""
    (place,) = checked_spans([[data["first"], data["last"]]], samples)
    text = Transcript.from_text(string(data["transcript"]["text"]))
    return {"first": place[0], "last": place[1], "transcript": text.to_json()}


def checked_spans(spans: Any, samples: int) -> list[list[int]]:
    """Spans [first, last) of a recording, none of them empty."""
    for first, last in spans:
        if not (type(first) is type(last) is int and 0 <= first < last <= samples):
            raise ValueError("a span")
    return [list(span) for span in spans]


# ---- takes ------------------------------------------------------------------------------------


class CheckedName(BaseModel):
    """The network by which something was made."""

    name: Text
    sha256: Text | None


class CheckedSpan(BaseModel):
    """The recording's samples that a patch replaces, and the patch's length."""

    source: tuple[Sample, Sample]
    length: Count


class CheckedNewWord(BaseModel):
    """A new word of a take; an old take doesn't say which of its lengths is this word's."""

    span: Count
    word: Count
    text: Text
    start: FiniteFloat
    end: FiniteFloat
    length: tuple[Count, Count] | None = None


class CheckedWay(BaseModel):
    """A way to say a word, for people and in phones."""

    said: Text
    phones: Text


class CheckedEdit(BaseModel):
    """An edit of a take, as `work.take_making` writes it for `work.mixdown`."""

    plan: Annotated[Any, AfterValidator(lambda plan: PlannedEdit.from_json(plan).to_json())]
    anchor: tuple[Annotated[StrictInt, Field(ge=-1, lt=2**40)], Count]
    old: Count
    new: list[TranscriptWord]
    phones: list[list[Phones]]
    excerpts: list[tuple[Sample, Sample, Count, bool]] = []


class CheckedMix(BaseModel):
    """A take's edits, and how their words are said."""

    edits: list[CheckedEdit]
    rate: FiniteFloat
    cut: Cut | None = None
    said: dict[Text, list[Phones]] = {}


class CheckedTake(BaseModel):
    """A take's record; defaults are what once was not written. Without spans nothing was made."""

    number: Annotated[StrictInt, Field(ge=0, lt=MOST_TAKES)]
    pace: FiniteFloat
    duration: FiniteFloat | None
    lengths: list[list[FiniteFloat]] = []
    spans: list[CheckedSpan]
    words: list[CheckedNewWord]
    seconds: FiniteFloat
    doubts: list[Text]
    guessed: dict[Text, Text]
    offered: dict[Text, list[CheckedWay]] = {}


class CheckedMadeTake(CheckedTake):
    """The record of a take with new sound."""

    level: FiniteFloat
    doubtful: list[Text]
    model: CheckedName
    vocoder: CheckedName
    voice: CheckedName | None = None
    scores: list[list[tuple[Text, FiniteFloat]]]
    recorded: FiniteFloat | None = None
    mix: CheckedMix


def checked_take(data: Mapping[str, Any], patch: np.ndarray, about: Mapping[str, Any]) -> Any:
    """A take's record, which belongs to its samples and to the recording."""
    kind = CheckedMadeTake if data["spans"] else CheckedTake
    take, samples = kind.model_validate(data), about["samples"]
    total = sum(span.length for span in take.spans)
    if patch.dtype not in (np.float32, np.float64) or patch.shape != (
        total,
        about["file_channels"],
    ):
        raise ValueError("a take's samples")
    if total and not np.abs(patch).max() <= LOUDEST:  # not even NaN is
        raise ValueError("a take's samples")
    if any(not first <= last <= samples for first, last in (span.source for span in take.spans)):
        raise ValueError("a take's span")
    if any(word.span >= len(take.spans) for word in take.words):
        raise ValueError("a take's word")
    if isinstance(take, CheckedMadeTake):
        for edit, span in zip(take.mix.edits, take.spans, strict=True):
            _check_edit(edit, span, samples)
    return take.model_dump()


def _check_edit(edit: CheckedEdit, span: CheckedSpan, samples: int) -> None:
    if len(edit.new) != len(edit.phones):
        raise ValueError("a take's edit")
    for first, last, begin, _ in edit.excerpts:
        if not (first <= last <= samples and begin <= span.length):
            raise ValueError("an excerpt")
