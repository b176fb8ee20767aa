"""Tables of homographs: their senses, the words that tell these apart, and a word's neighbours."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from a3t.text.pronunciation.lexicon import Pronunciation

_TABLES = tomllib.loads(Path(__file__).with_name("homographs.toml").read_text(encoding="utf-8"))


def _words(name: str) -> frozenset[str]:
    return frozenset(_TABLES["words"][name].split())


class Clue(NamedTuple):
    """A sense, by its phones or its name, and the words just before, just after or near by, any of
    which tells it."""

    sense: str
    before: frozenset[str]
    after: frozenset[str]
    near: frozenset[str]

    @classmethod
    def of(cls, entry: Mapping[str, str]) -> Clue:
        words = (frozenset(entry.get(place, "").split()) for place in ("before", "after", "near"))
        return cls(entry["sense"], *words)


FUNCTION_WORDS: dict[str, list[str]] = _TABLES["function_words"]
FULL: dict[str, str] = _TABLES["full"]
ARTICLES = _words("articles")
SHIFTED = _words("shifted")
USUALLY_VERBS = _words("usually_verbs")
VOICED = _words("voiced")
RARELY_VERBS = _words("rarely_verbs")
VERBAL = _words("verbal")
AUXILIARIES = _words("auxiliaries")
CAUSATIVES = _words("causatives")
OBJECT_PRONOUNS = _words("object_pronouns")
PERFECT = _words("perfect")
BE = _words("be")
NOMINAL = _words("nominal")
ADVERBS = _words("adverbs")
TO_NOUN = _words("to_noun")
OBJECT_STARTS = _words("object_starts")
NOUN_AFTERWARDS = _words("noun_afterwards")
NOT_SUBJECTS = _words("not_subjects") | {""}
PAST_SIGNS = _words("past_signs")
# word: (usually, as a verb or "" for no difference, clues for other senses)
BY_CLUE: dict[str, tuple[str, str, list[Clue]]] = {
    word: (entry["usual"], entry.get("verb", ""), [*map(Clue.of, entry.get("senses", ()))])
    for word, entry in _TABLES["by_clue"].items()
}
ACCENTED: dict[str, str] = _TABLES["accented"]
BESIDE = {word: Clue.of(entry) for word, entry in _TABLES["beside"].items()}

_NO_ADVERBS = ("family", "reply")


def word_at(words: Sequence[str], index: int) -> str:
    """words[index], or "" beyond either end."""
    return words[index] if 0 <= index < len(words) else ""


def previous(index: int, words: Sequence[str]) -> int:
    """The place of the last word before `index` that is not an adverb; -1 for none."""
    index -= 1
    while index >= 0 and (is_adverb(words[index])):
        index -= 1
    return index


def is_adverb(word: str) -> bool:
    """True if a word is or seems to be an adverb: never, only, quickly."""
    if word in ADVERBS or word == "only":
        return True
    return len(word) > 4 and word.endswith("ly") and word not in _NO_ADVERBS


def ends_sentence(token: str) -> bool:
    """True if what follows a written token begins with a capital for that alone."""
    return token.rstrip("\"'”’)]").endswith((".", "!", "?", ":"))


@cache
def _senses() -> dict[str, dict[str, Pronunciation]]:
    """The table of homographs beside this file: word -> sense -> how it is said."""
    table: dict[str, dict[str, Pronunciation]] = {}
    text = Path(__file__).with_name("senses.tsv").read_text(encoding="utf-8")
    for line in text.splitlines()[1:]:
        word, sense, phones = line.split("\t")
        table.setdefault(word, {})[sense] = tuple(phones.split())
    return table


def senses(word: str) -> dict[str, Pronunciation]:
    """The senses of a homograph, named as in the Wikipedia Homograph Data, and how each is said."""
    return _senses().get(word, {})
