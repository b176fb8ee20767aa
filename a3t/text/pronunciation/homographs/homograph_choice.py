"""The choice among a word's pronunciations by the words beside it.

What settles the sense comes first (`settled_homographs`), then weights that were learnt
(`learnt_homographs`), then the rules (`homograph_rules`).
"""

from __future__ import annotations

from collections.abc import Sequence

from a3t.text.pronunciation.homographs.homograph_rules import choose_by_rule, noun_and_verb
from a3t.text.pronunciation.homographs.homograph_words import (
    BY_CLUE,
    FUNCTION_WORDS,
    senses,
)
from a3t.text.pronunciation.homographs.learnt_homographs import features, shipped
from a3t.text.pronunciation.homographs.settled_homographs import settled
from a3t.text.pronunciation.lexicon import Pronunciation


def choose(
    index: int,
    words: Sequence[str],
    candidates: Sequence[Pronunciation],
    written: Sequence[str] | None = None,
) -> Pronunciation:
    """The candidate for words[index] in its context.

    `written` are the tokens behind the words, whose capitals and punctuation tell senses apart as
    well. Weights that were learnt decide where there are any, and the rules elsewhere.
    """
    word, by_rule = words[index], choose_by_rule(index, words, candidates)
    said = senses(word)
    if sense := settled(index, words, written):
        return said[sense] if said[sense] in candidates else by_rule
    forms = noun_and_verb(word, candidates) if word not in BY_CLUE else None
    if not said and forms is None:
        return by_rule
    learnt, found = shipped(), [*features(index, words, written)]
    if word in learnt.words:
        rule = next((sense for sense, phones in said.items() if phones == by_rule), "")
        chosen = said[learnt.sense(word, [*found, f"rule={rule}"])]
        return chosen if chosen in candidates else by_rule
    return forms[learnt.is_verb(found, by_rule == forms[1])] if forms else by_rule


def is_homograph(word: str, candidates: Sequence[Pronunciation]) -> bool:
    """True if the word's pronunciations differ in what they mean, not only in who says them."""
    if word in FUNCTION_WORDS or word == "a":
        return False
    several = bool(senses(word)) or word in BY_CLUE or word == "read"
    return several or noun_and_verb(word, candidates) is not None
