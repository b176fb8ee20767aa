"""The table of options: one row each, from which every door is made.

A row is a field of `SpeechOptions`, `EditOptions` or `CleaningOptions`. The command line, the forms
of /v1, the page's settings and the table in docs/editing.md are made from these rows: a new option
is its row here, and what uses it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

from a3t.audio.matching.traits import ALL_TRAITS, TRAITS, MatchedTraits
from a3t.errors import InputError
from a3t.plan.edit_limits import MAX_SEED, Number
from alignment.serialisation import OMITTED, Record

SHELL, HTTP, PAGE = "shell", "HTTP", "page"
EVERYWHERE = (SHELL, HTTP, PAGE)
MS_PER_S = 1000

T = TypeVar("T")

ACTIONS = ("cut", "mute")  # what becomes of what is found in a recording


@dataclass(frozen=True, kw_only=True)
class Option:
    """One option, as a person gives it.

    kind: the type of its value; of `MatchedTraits` and `str` a person names one or some of
    ``choices``. default, least, most: in ``unit``, of which ``per_unit`` make one of the record's.
    sentence: what it is, or for a switch what it does. turned_off_by: for a switch that is on by
    default, the flag that turns it off. advanced: for experts.
    """

    name: str
    kind: type
    default: Any
    sentence: str
    doors: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    unit: str = ""
    per_unit: int = 1
    choices: tuple[str, ...] = ()
    turned_off_by: str = ""
    advanced: bool = False

    @property
    def range(self) -> str:
        """The bounds in words, such as “0 to 500 ms”; "" for none."""
        if self.least is None or self.most is None:
            return ""
        return f"{_number(self.least)} to {_number(self.most)}{self.unit and ' '}{self.unit}"

    @property
    def flag(self) -> str:
        """The option on the command line."""
        return self.turned_off_by or f"--{self.name.replace('_', '-')}"

    @property
    def help(self) -> str:
        """What its flag does."""
        return f"don't {self.sentence}" if self.turned_off_by else self.sentence

    @property
    def usual(self) -> str:
        """The default as people write it; "" for none."""
        if self.kind is MatchedTraits:
            return "all"
        if self.default is None or self.kind is bool:
            return ""
        if self.kind is str:
            return str(self.default)
        return _number(self.default)

    def check(self, value: Any) -> None:
        """Raise InputError if a record's value is out of bounds."""
        if self.kind is str and value not in self.choices:
            raise InputError(f"“{value}” is not one of {', '.join(self.choices)}.")
        if value is None or self.least is None or self.most is None:
            return
        amount = value * self.per_unit
        if not self.least <= amount <= self.most:
            unit = f" {self.unit}" if self.unit else ""
            raise InputError(
                f"{_number(amount)}{unit} is out of range for “{self.name}”: use {self.range}."
            )

    def read(self, value: object) -> Any:
        """Return the record's value for one from a command line, a form or JSON.

        Raises InputError for a value of another type or out of bounds.
        """
        if value is None:
            return self.stored(self.default)
        if self.kind is MatchedTraits:
            return traits_named(value)
        if self.kind is float and isinstance(value, int) and type(value) is not bool:
            value = float(value)
        if self.kind is int and isinstance(value, float) and value.is_integer():
            value = int(value)
        if type(value) is not self.kind or (self.kind is float and not math.isfinite(value)):  # type: ignore[arg-type]
            raise InputError(f"“{self.name}” has a value of the wrong type: {self._expected}.")
        result = self.stored(value)
        self.check(result)
        return result

    def clipped(self, value: Any) -> Any:
        """Return the nearest value of a record within the bounds."""
        assert self.least is not None and self.most is not None
        return min(max(value, self.least / self.per_unit), self.most / self.per_unit)

    def stored(self, value: Any) -> Any:
        """Return a value in the record's unit."""
        return value if value is None or self.per_unit == 1 else value / self.per_unit

    @property
    def _expected(self) -> str:
        if self.kind is bool:
            return "send true or false"
        return f"use {self.range}" if self.range else "send one of the documented values"


def traits_named(value: object) -> MatchedTraits:
    """Return the traits that a list names, in JSON or with commas; “none” for no trait.

    Raises InputError for another name.
    """
    names = value.split(",") if isinstance(value, str) else value
    if not isinstance(names, Iterable) or isinstance(names, Mapping):
        raise InputError(
            f"“match” has a value of the wrong type: send some of {', '.join(TRAITS)}."
        )
    named = [str(name).strip().lower() for name in names]
    try:
        return MatchedTraits.of(() if named == ["none"] else filter(None, named))
    except ValueError as error:
        raise InputError(f"{error}.") from None


def _number(value: float) -> str:
    """Return a number as people write it."""
    if value == MAX_SEED:
        return "2^63 - 1"
    if isinstance(value, int):
        return str(value) if abs(value) < MAX_SEED else "a number of so many digits"
    return f"{value:g}"


def row(default: Any, sentence: str, *, omitted: bool = False, **more: Any) -> Any:
    """Return a record's field for an option.

    omitted: whether an edit.json leaves the default out. more: further fields of `Option`.
    """
    kind = more.pop("kind", type(default))
    option = Option(name="", kind=kind, default=default, sentence=sentence, **more)
    metadata = {"option": option, **(OMITTED if omitted else {})}
    return field(default=option.stored(default), metadata=metadata)


@dataclass(frozen=True, kw_only=True)
class SpeechOptions(Record):
    """The options of speaking, alone or in an edit."""

    speed: Number = row(
        1.0,
        "rate of the new words relative to the speaker's own",
        doors=EVERYWHERE,
        least=0.25,
        most=4.0,
    )
    seed: int = row(
        0,
        "random seed of noise and melody; 0 gives the likeliest melody",
        doors=EVERYWHERE,
        least=0,
        most=MAX_SEED,
        advanced=True,
    )

    def __post_init__(self) -> None:
        """Raise InputError for a value that an option's row doesn't allow."""
        for option in options_of(type(self)):
            option.check(getattr(self, option.name))


@dataclass(frozen=True, kw_only=True)
class EditOptions(SpeechOptions):
    """The options of an edit."""

    fit: bool = row(
        False, "give the new words the duration of those they replace", doors=EVERYWHERE
    )
    duration: Number | None = row(
        None,
        "total duration of the new words",
        kind=float,
        doors=(SHELL, HTTP),
        least=0.05,
        most=60.0,
        unit="s",
    )
    match: MatchedTraits = row(
        ALL_TRAITS,
        "traits of the recording's sound that the new words take on",
        doors=EVERYWHERE,
        choices=tuple(TRAITS),
        advanced=True,
    )
    margin: Number = row(
        25.0,
        "how much of each neighbouring word to synthesise",
        doors=EVERYWHERE,
        least=0.0,
        most=500.0,
        unit="ms",
        per_unit=MS_PER_S,
        advanced=True,
    )
    reach: Number = row(
        0.075,
        "distance beyond the margin within which the joint may lie",
        least=0.025,
        most=0.25,
        unit="s",
    )
    moves: bool = row(
        True,
        "take longer stretches of new words from where they are recorded",
        doors=(SHELL, HTTP),
        turned_off_by="--no-moves",
    )
    punctuate: bool = row(
        True,
        "restore a transcript's punctuation",
        doors=(SHELL, HTTP),
        turned_off_by="--no-punctuation",
    )
    candidates: int = row(
        1,
        "number of different results to make; the best comes first",
        omitted=True,
        doors=(SHELL, HTTP),
        least=1,
        most=8,
    )
    verify: bool = row(True, "check that every new word can be heard", omitted=True)


@dataclass(frozen=True, kw_only=True)
class CleaningOptions:
    """The options of taking out what nobody wants to hear."""

    action: str = row(
        "cut",
        "cut each find, or mute it with room tone, which keeps the timing; pauses are always "
        "shortened",
        doors=EVERYWHERE,
        choices=ACTIONS,
    )
    longest: float = row(
        1.2, "longest pause that stays", doors=EVERYWHERE, least=0.2, most=600.0, unit="s"
    )
    shorten_to: float | None = row(
        None,
        "length of a shortened pause, instead of this speaker's own",
        kind=float,
        doors=(SHELL, HTTP),
        least=0.05,
        most=600.0,
        unit="s",
    )

    def __post_init__(self) -> None:
        """Raise InputError for a value that an option's row doesn't allow."""
        for option in options_of(type(self)):
            option.check(getattr(self, option.name))


def options_of(record: type, door: str | None = None) -> list[Option]:
    """Return the options among a record's fields, in their order; those of one door."""
    options = [
        replace(option, name=each.name)
        for each in fields(record)
        if (option := each.metadata.get("option"))
    ]
    return [option for option in options if door is None or door in option.doors]


def read_options(record: type[T], door: str, values: Mapping[str, object]) -> T:
    """Return a record of options from what a door was given; those that are missing by default.

    Raises InputError for a value of another type or out of bounds.
    """
    return record(**{row.name: row.read(values.get(row.name)) for row in options_of(record, door)})


def option_of(record: type, name: str) -> Option:
    """Return a record's option of this name."""
    return next(option for option in options_of(record) if option.name == name)
