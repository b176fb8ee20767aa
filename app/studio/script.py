"""The list of edits, and the steps by which pages change it, checked before anything is made."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, Field, StrictInt, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from a3t.audio.matching.match_options import ALL_TRAITS, MatchedTraits
from a3t.errors import InputError
from a3t.plan.cleaning.cuts import Cut
from a3t.plan.request import EditRequest
from app import texts
from app.page_request import Models, check_offered

MOST_EDITS = 2000
MOST_PAGES = 32  # whose last step is remembered
LONGEST_TEXT = 2000  # characters of one edit
NAMES = ("model", "vocoder", "aligner", "voice")

Whole = Annotated[StrictInt, Field(ge=-1, lt=2**40)]
Text = Annotated[str, Field(max_length=LONGEST_TEXT)]
Words = Annotated[Text, AfterValidator(lambda text: " ".join(text.split()))]


@dataclass(frozen=True)
class ScriptEdit:
    """One changed place: the tokens of these ids give way to a text.

    after: the id of the token before it, -1 at the beginning. take: the number of the chosen take,
    None for the first. accepted: whether the visitor has said that it is good. cut: sound between
    words that goes as well, or alone.
    """

    after: Whole
    tokens: Annotated[tuple[Whole, ...], Field(max_length=20_000)]
    text: Words
    take: Whole | None = None
    accepted: bool = False
    cut: Cut | None = None

    def __post_init__(self) -> None:
        if not self.text and not self.tokens and self.cut is None:
            raise ValueError("nothing is changed")

    @property
    def key(self) -> str:
        """The key of its takes: the same change has the same takes."""
        cut = [] if self.cut is None else [self.cut.to_json()]
        what = json.dumps([self.after, self.tokens, self.text, *cut])
        return hashlib.sha256(what.encode()).hexdigest()[:16]

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"key": self.key}

    def place_in(self, ids: Mapping[int, int], count: int) -> tuple[int, int]:
        """The tokens [first, last) that it replaces; InputError if they are no longer there."""
        first = 0 if self.after == -1 else ids.get(self.after, count) + 1
        last = first + len(self.tokens)
        if last > count or [ids.get(token) for token in self.tokens] != [*range(first, last)]:
            raise InputError(texts.WORDS_CORRECTED)
        return first, last

    def touches(self, other: ScriptEdit) -> bool:
        """True if both change one place: a token, the gap of an insertion, or sound in a pause."""
        if self.tokens and other.tokens:
            return not set(self.tokens).isdisjoint(other.tokens)
        if self.tokens or other.tokens:
            inserted, replaced = (other, self) if self.tokens else (self, other)
            return inserted.after in replaced.tokens[:-1]
        if self.cut is not None and other.cut is not None:
            return self.cut.start < other.cut.end and other.cut.start < self.cut.end
        return self.after == other.after


Edits = Annotated[tuple[ScriptEdit, ...], Field(max_length=MOST_EDITS)]


class CorrectedWords(BaseModel):
    """Other words for what the recording says: instead of `tokens`, or, if these are None, of all
    between the tokens `after` and `right`."""

    after: Whole
    tokens: list[Whole] | None
    right: Whole | None
    text: Words


class ScriptStep(BaseModel):
    """A page's change to the list: the edits removed and the edits added.

    n: its number, counted by its page. An edit that went and came is the same one with another
    take, or accepted. gentle: whether it takes another step back, and gives way to what has come
    since. correct: a correction of the transcript instead.
    """

    n: Whole
    gone: Edits = ()
    come: Edits = ()
    gentle: bool = False
    correct: CorrectedWords | None = None

    def applied(self, edits: Iterable[ScriptEdit]) -> tuple[ScriptEdit, ...]:
        """The list after the step, whatever other pages have done to it meanwhile.

        Of two changes of one place the later one stays, but for a gentle step."""
        now = {edit.key: edit for edit in edits}
        was = {edit.key: edit for edit in self.gone}
        for key in was.keys() - {edit.key for edit in self.come}:
            now.pop(key, None)
        for edit in self.come:
            if edit.key in was and edit.key in now:
                before, kept = was[edit.key], now[edit.key]
                take = kept.take if before.take == edit.take else edit.take
                same = before.accepted == edit.accepted
                accepted = kept.accepted if same else edit.accepted
                now[edit.key] = replace(kept, take=take, accepted=accepted)
            elif edit.key not in was and edit.key not in now:
                others = [key for key, other in now.items() if edit.touches(other)]
                if others and self.gentle:
                    continue
                for key in others:
                    del now[key]
                now[edit.key] = edit
        return tuple(now.values())


class Draft(BaseModel):
    """The text in a page's field, not yet a change: instead of tokens `first` to `last`."""

    first: Whole
    last: Whole
    text: Text
    mode: Literal["edit", "insert", "correct"]


Read = TypeVar("Read")


def _read(kind: TypeAdapter[Read], data: Any) -> Read:
    try:
        return kind.validate_python(data)
    except ValidationError:  # nothing that the page would send
        raise InputError(texts.NO_SCRIPT) from None


_EDITS = TypeAdapter(Edits)
_STEPS = TypeAdapter(Annotated[list[ScriptStep], Field(max_length=MOST_EDITS)])


def edits_of(data: Any) -> tuple[ScriptEdit, ...]:
    """The whole list; InputError if it is none."""
    return _read(_EDITS, data)


def steps_of(data: Any) -> list[ScriptStep]:
    """The steps that a page sends; InputError if they are none."""
    return _read(_STEPS, data)


def draft_of(data: Any) -> dict[str, Any] | None:
    """The `Draft`, None for anything else."""
    try:
        return Draft.model_validate(data).model_dump()
    except ValidationError:
        return None


def settings_of(data: Any) -> tuple[EditRequest, Models]:
    """The settings of new words, each value in its range, and the models; InputError."""
    given = data if isinstance(data, Mapping) else {}
    models = Models(**{name: str(given[name]) for name in NAMES if given.get(name)})
    check_offered(models)
    match = given.get("match")
    try:
        traits = MatchedTraits.of(map(str, match[:9])) if isinstance(match, list) else ALL_TRAITS
    except ValueError as error:
        raise InputError(f"{error}.") from None
    request = EditRequest(
        new_text="",
        speed=number(given.get("speed"), 1.0, 0.5, 2.0),
        fit=given.get("fit") is True,
        margin=number(given.get("margin"), 25.0, 0.0, 100.0) / 1000,
        match=traits,
        moves=False,
        seed=int(number(given.get("seed"), 0.0, 0.0, 2**31 - 1)),
    )
    return request, models


def number(value: Any, usual: float, least: float, most: float) -> float:
    """A number from a request within its limits; the usual one for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return usual
    return min(max(float(value), least), most)
