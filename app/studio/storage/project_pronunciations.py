"""A project's pronunciations. pronunciations.json: word -> as it was written, and phones.
names.json: the list of names and words that are said in it, as it was written, and their phones."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from a3t.errors import InputError
from a3t.plan.request import Pronunciations, pronunciations_of
from a3t.text.phones import ARPABET
from a3t.text.pronunciation.letter_to_sound import as_it_sounds
from alignment.formats.dictionary import MAX_NAMES, Dictionary
from alignment.serialisation import Record, to_json
from app import limits, texts
from app.studio.storage.folders import ProjectFolder

FILE, NAMES = "pronunciations.json", "names.json"
WORD = re.compile(r"[a-z']{1,60}")
MAX_SAID_CHARACTERS = 200  # characters of a pronunciation
MOST = 1000  # words


@dataclass(frozen=True)
class SaidWord(Record):
    """How a word is said: as the user wrote it, and its phones."""

    said: str
    phones: tuple[str, ...]


@dataclass(frozen=True)
class Names(Record):
    """A list of names as the user wrote it, and the ways to say each."""

    text: str = ""
    words: dict[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)


def phones_said(said: str) -> tuple[str, ...]:
    """The phones of a pronunciation: given as such, or as it sounds. InputError for neither."""
    phones = tuple(said.upper().split())
    return phones if phones and set(phones) <= set(ARPABET) else as_it_sounds(said)


def checked_word(given: str) -> str:
    """Return a spoken word that a request names; InputError if it is none."""
    word = given.lower()
    if not WORD.fullmatch(word):
        raise InputError(texts.NO_WORD)
    return word


def checked(data: Any) -> dict[str, dict[str, Any]]:
    """The file as it came from outside, without what isn't a pronunciation."""
    entries = data.items() if isinstance(data, dict) else ()
    return {
        word: {"said": entry["said"][:MAX_SAID_CHARACTERS], "phones": list(entry["phones"])}
        for word, entry in list(entries)[:MOST]
        if WORD.fullmatch(word)
        and isinstance(entry, dict)
        and isinstance(entry.get("said"), str)
        and isinstance(entry.get("phones"), list)
        and all(phone in ARPABET for phone in entry["phones"])
    }


def checked_names(data: Any) -> dict[str, Any]:
    """The list of names as it came from outside, without what isn't one."""
    given = data if isinstance(data, dict) else {}
    text, words = given.get("text"), given.get("words")
    kept = {
        word: ways
        for word, ways in (words.items() if isinstance(words, dict) else ())
        if isinstance(ways, list)
        and all(isinstance(way, list) and way and {*map(str, way)} <= {*ARPABET} for way in ways)
    }
    if not isinstance(text, str) or len(text) > limits.MAX_CHARACTERS or len(kept) > MAX_NAMES:
        return {"text": "", "words": {}}
    return {"text": text, "words": kept}


def remember_names(folder: ProjectFolder, text: str, words: Dictionary) -> None:
    folder.write(
        NAMES, {"text": text, "words": {word: [*map(list, words[word])] for word in words}}
    )


def names_in(folder: ProjectFolder) -> str:
    """The list of names as the user wrote it."""
    return folder.read(NAMES, Names, Names()).text


def remember_pronunciation(
    folder: ProjectFolder, word: str, said: str, phones: tuple[str, ...]
) -> None:
    known = said_words(folder) | {word: SaidWord(said, phones)}
    folder.write(FILE, to_json(known))


def said_words(folder: ProjectFolder) -> dict[str, SaidWord]:
    """Return the words that are said otherwise; InputError as `read_file`."""
    return folder.read(FILE, dict[str, SaidWord], {})


def said_as(folder: ProjectFolder) -> dict[str, str]:
    """Each word's pronunciation as the user wrote it, for the page."""
    return {word: entry.said for word, entry in said_words(folder).items()}


def own_pronunciations(folder: ProjectFolder) -> Pronunciations:
    """The pronunciations for a request: those of the names, and those that were given singly."""
    listed = folder.read(NAMES, Names, Names()).words
    single = {word: (entry.phones,) for word, entry in said_words(folder).items()}
    return pronunciations_of({**listed, **single})
