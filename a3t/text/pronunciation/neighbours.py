"""The words beside a word: what stands there, adverbs passed over, and where sentences end."""

from __future__ import annotations

from collections.abc import Sequence

from a3t.text.pronunciation.homograph_words import ADVERBS

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
