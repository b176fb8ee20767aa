"""The files of a project that came from outside, read back as this program would have written them.

Whatever isn't is refused with KeyError, TypeError or ValueError; what is written afterwards is made
anew of the values that were checked.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Annotated, Any

import numpy as np
from msgspec import Meta

from a3t.plan.json_values import string
from a3t.text.phones import ARPABET, PAUSE
from a3t.text.transcript import Transcript
from alignment import Word
from alignment.serialisation import OMITTED, Record
from app.studio.storage.heard_tokens import IDS, HeardPart

MAX_WORD_CHARACTERS = 2000  # characters
MAX_WORDS = 20_000  # of a part
KNOWN = {*ARPABET, PAUSE}

Text = Annotated[str, Meta(max_length=MAX_WORD_CHARACTERS)]


@dataclass(frozen=True)
class CheckedMarks(Record):
    """A token's text with its marks, or without."""

    text: Text
    pause: bool


@dataclass(frozen=True)
class CheckedToken(Record):
    """A token; what it lacks is not written. words: as `alignment.Word`."""

    id: int
    text: Text
    words: Annotated[tuple[Word, ...], Meta(min_length=1)]
    pause: bool
    speaker: Text = field(default="", metadata=OMITTED)
    marked: CheckedMarks | None = field(default=None, metadata=OMITTED)
    unmarked: CheckedMarks | None = field(default=None, metadata=OMITTED)


def checked_part(data: Any, part: int, seconds: float) -> HeardPart:
    """A checked part: its tokens' ids its own, and nothing after the recording's end."""
    heard = HeardPart.from_json(data)
    if len(heard.tokens) > MAX_WORDS or len(heard.pauses) > MAX_WORDS:
        raise ValueError("a part")
    tokens = []
    for token in map(CheckedToken.from_json, heard.tokens):
        _check_words(token.words, seconds, spoken=True)
        tokens.append(token.to_json())
    ids = {token["id"] for token in tokens}
    if len(ids) < len(tokens) or any(each // IDS != part for each in ids):
        raise ValueError("tokens")
    _in_order([word for token in tokens for word in token["words"]])
    pauses = tuple(map(Word.from_json, heard.pauses))
    _check_words(pauses, seconds, spoken=False)
    written = [word.to_json() for word in pauses]
    _in_order(written)
    return HeardPart(tokens, written)


def _check_words(words: Iterable[Word], seconds: float, spoken: bool) -> None:
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
        if max(len(word.text), len(word.unwritten)) > MAX_WORD_CHARACTERS:
            raise ValueError("a word's text")


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
