"""The list of edits, and the steps by which pages change it, checked before anything is made."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from a3t.audio.matching.match_options import ALL_TRAITS, MatchedTraits
from a3t.errors import InputError
from a3t.plan.cleaning.cuts import Cut
from a3t.plan.request import EditRequest
from app import texts
from app.page_request import Models, models_of

MOST_EDITS = 2000
MOST_PAGES = 32  # whose last step is remembered
LONGEST_TEXT = 2000  # characters of one edit
NAMES = ("model", "vocoder", "aligner", "voice")


@dataclass(frozen=True)
class ScriptEdit:
    """One changed place: the tokens of these ids give way to a text.

    after: the id of the token before it, -1 at the beginning. take: the number of the chosen take,
    None for the first. accepted: whether the visitor has said that it is good. cut: sound between
    words that goes as well, or alone.
    """

    after: int
    tokens: tuple[int, ...]
    text: str
    take: int | None = None
    accepted: bool = False
    cut: Cut | None = None

    @property
    def key(self) -> str:
        """The key of its takes: the same change has the same takes."""
        what = json.dumps([self.after, self.tokens, self.text, *self._cut_json()])
        return hashlib.sha256(what.encode()).hexdigest()[:16]

    @classmethod
    def from_json(cls, data: Any) -> ScriptEdit:
        """InputError for anything that the page wouldn't send."""
        try:
            tokens = tuple(_whole(number) for number in data["tokens"])
            take = data.get("take")
            edit = cls(
                _whole(data["after"]),
                tokens,
                " ".join(str(data["text"]).split()),
                None if take is None else _whole(take),
                data.get("accepted") is True,
                None if data.get("cut") is None else Cut.from_json(data["cut"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            raise InputError(texts.NO_SCRIPT) from None
        if len(edit.text) > LONGEST_TEXT or len(tokens) > 20_000:
            raise InputError(texts.too_many_characters("change", len(edit.text), LONGEST_TEXT))
        if not edit.text and not tokens and edit.cut is None:
            raise InputError(texts.NO_SCRIPT)
        return edit

    def to_json(self) -> dict[str, Any]:
        return {
            "after": self.after,
            "tokens": list(self.tokens),
            "text": self.text,
            "take": self.take,
            "accepted": self.accepted,
            "key": self.key,
            "cut": next(iter(self._cut_json()), None),
        }

    def _cut_json(self) -> list[dict[str, Any]]:
        return [] if self.cut is None else [self.cut.to_json()]

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


@dataclass(frozen=True)
class ScriptStep:
    """A page's change to the list: the edits removed and the edits added.

    number: counted by its page. An edit that went and came is the same one with another take, or
    accepted. gentle: whether it takes another step back, and gives way to what has come since.
    correction: other words for what the recording says, instead: those of `tokens`, or None for all
    between the tokens `after` and `right`.
    """

    number: int
    gone: tuple[ScriptEdit, ...] = ()
    come: tuple[ScriptEdit, ...] = ()
    gentle: bool = False
    correction: dict[str, Any] | None = None

    @classmethod
    def from_json(cls, data: Any) -> ScriptStep:
        """InputError for anything that the page wouldn't send."""
        try:
            number = _whole(data["n"])
            if data.get("correct") is not None:
                return cls(number, correction=_correction_of(data["correct"]))
            gone, come = edits_of(data["gone"]), edits_of(data["come"])
        except (KeyError, TypeError, ValueError, AttributeError):
            raise InputError(texts.NO_SCRIPT) from None
        return cls(number, gone, come, data.get("gentle") is True)

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


def _correction_of(data: Mapping[str, Any]) -> dict[str, Any]:
    tokens, right, text = data["tokens"], data["right"], " ".join(str(data["text"]).split())
    if len(text) > LONGEST_TEXT:
        raise InputError(texts.too_many_characters("change", len(text), LONGEST_TEXT))
    return {
        "after": _whole(data["after"]),
        "tokens": None if tokens is None else [_whole(token) for token in tokens],
        "right": None if right is None else _whole(right),
        "text": text,
    }


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not -1 <= value < 2**40:
        raise ValueError(value)
    return value


def edits_of(data: Any) -> tuple[ScriptEdit, ...]:
    """The whole list; InputError if it is none."""
    if not isinstance(data, Sequence) or isinstance(data, str) or len(data) > MOST_EDITS:
        raise InputError(texts.NO_SCRIPT)
    return tuple(map(ScriptEdit.from_json, data))


def steps_of(data: Any) -> tuple[ScriptStep, ...]:
    """The steps that a page sends; InputError if they are none."""
    if not isinstance(data, Sequence) or isinstance(data, str) or len(data) > MOST_EDITS:
        raise InputError(texts.NO_SCRIPT)
    return tuple(map(ScriptStep.from_json, data))


def draft_of(data: Any) -> dict[str, Any] | None:
    """The draft in the page's field, not yet a change: first and last token, and the text."""
    try:
        first, last, text = _whole(data["first"]), _whole(data["last"]), str(data["text"])
    except (KeyError, TypeError, ValueError):
        return None
    mode = data["mode"] if data.get("mode") in ("insert", "correct") else "edit"
    return {"first": first, "last": last, "text": text[:LONGEST_TEXT], "mode": mode}


def settings_of(data: Any) -> tuple[EditRequest, Models]:
    """The settings of new words, each value in its range, and the models; InputError. ``adapt``
    is that of the background."""
    given = data if isinstance(data, Mapping) else {}
    names = {name: str(given[name]) for name in NAMES if given.get(name)}
    models = Models(**names)
    models_of(models.model, models.vocoder, models.aligner, models.voice)
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
        adapt="never" if given.get("adapt") is False else "auto",
    )
    return request, models


def number(value: Any, usual: float, least: float, most: float) -> float:
    """A number from a request within its limits; the usual one for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return usual
    return min(max(float(value), least), most)
