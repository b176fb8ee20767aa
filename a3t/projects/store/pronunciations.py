"""How words are said in a project (pronunciations.json), and the names that it listens for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Self

from msgspec import Meta

from a3t.plan.request import Pronunciations, pronunciations_of
from a3t.projects.store.record_files import StoredRecord
from a3t.projects.store.recordings import MAX_TRANSCRIPT_CHARACTERS
from a3t.text.phones import ARPABET
from alignment.formats.dictionary import MAX_NAMES
from alignment.serialisation import Record, from_json

WORD_PATTERN = re.compile(r"[a-z']{1,60}")
MAX_SAID_CHARACTERS = 200  # of a pronunciation
MAX_SAID_WORDS = 1000

Phones = tuple[str, ...]


@dataclass(frozen=True)
class SaidWord(Record):
    """How a word is said: as the user wrote it, and its phones."""

    said: Annotated[str, Meta(max_length=MAX_SAID_CHARACTERS)]
    phones: Phones


@dataclass(frozen=True)
class SaidWords(StoredRecord):
    """The words that are said otherwise in a project (pronunciations.json)."""

    stored_in = "pronunciations.json"

    words: dict[str, SaidWord] = field(default_factory=dict)

    @classmethod
    def from_json(cls, data: object) -> Self:
        """Return the record of any format so far; ValueError if it is none."""
        if isinstance(data, dict) and type(data.get("format")) is not int:
            return from_json(cls, _said_from_1(data))
        return super().from_json(data)

    def checked(self) -> Self:
        """Return those that are words, said in phones: these may have come from outside."""
        known = {
            word: said
            for word, said in self.words.items()
            if WORD_PATTERN.fullmatch(word) and {*said.phones} <= {*ARPABET}
        }
        return replace(self, words=dict([*known.items()][:MAX_SAID_WORDS]))


@dataclass(frozen=True)
class Names(StoredRecord):
    """A list of names as the user wrote it, and the ways to say each (names.json)."""

    stored_in = "names.json"

    text: str = ""
    words: dict[str, tuple[Phones, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, text: str, words: Mapping[str, Sequence[Sequence[str]]]) -> Self:
        """Return a list with the ways to say each of its words."""
        return cls(text, {word: tuple(map(tuple, words[word])) for word in words})

    def checked(self) -> Self:
        """Return the list without what can't be said, none if it is too long.

        It may have come from outside.
        """
        known = {
            word: ways
            for word, ways in self.words.items()
            if all(way and {*way} <= {*ARPABET} for way in ways)
        }
        is_long = len(self.text) > MAX_TRANSCRIPT_CHARACTERS or len(known) > MAX_NAMES
        return type(self)() if is_long else replace(self, words=known)


def spoken_as(names: Names, said: SaidWords) -> Pronunciations:
    """Return pronunciations for a request: those of the names, and those that were given singly."""
    single = {word: (entry.phones,) for word, entry in said.words.items()}
    return pronunciations_of({**names.words, **single})


def _said_from_1(data: Any) -> dict[str, Any]:
    """Format 1 had the words alone."""
    return {"words": data}


def _names_from_1(data: Any) -> dict[str, Any]:
    """Format 1 had no number."""
    return {**data}


SaidWords.migrations = (_said_from_1,)
Names.migrations = (_names_from_1,)
