"""Rules that choose among a word's pronunciations by the words beside it.

Three kinds of words have several: function words, whose form depends on what follows ("the" before
a vowel); nouns and adjectives that are verbs when said differently ("a record", "to record"); and
words that merely share a spelling ("the wind", "wind it up"). Forms of function words are those
that readers used most in the project's corpora, by the aligner's choice. g2p-en tells homographs
apart with NLTK's tagger, whose data no package brings along; its own table has "read" and "object"
the wrong way round, so the pairs are found in CMUdict's pronunciations instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from a3t.text.phones import is_vowel
from a3t.text.pronunciation.homographs.homograph_words import (
    ARTICLES,
    AUXILIARIES,
    BE,
    BY_CLUE,
    CAUSATIVES,
    FULL,
    FUNCTION_WORDS,
    NOMINAL,
    NOT_SUBJECTS,
    NOUN_AFTERWARDS,
    OBJECT_PRONOUNS,
    OBJECT_STARTS,
    PAST_SIGNS,
    PERFECT,
    RARELY_VERBS,
    SHIFTED,
    TO_NOUN,
    USUALLY_VERBS,
    VERBAL,
    VOICED,
    previous,
    word_at,
)
from a3t.text.pronunciation.lexicon import Pronunciation, lookup

_SENTENCE = 60  # words on either side whose tense may be the word's


def choose_by_rule(
    index: int, words: Sequence[str], candidates: Sequence[Pronunciation]
) -> Pronunciation:
    """The candidate that the rules choose; the first one where none applies."""
    word = words[index]
    if word in FUNCTION_WORDS:
        return _named(_function_word(index, words), candidates)
    if word == "a":
        return _named("EY1" if _is_letter(index, words) else "AH0", candidates)
    if word == "read":
        return _named("R EH1 D" if _read_is_past(index, words) else "R IY1 D", candidates)
    if word in BY_CLUE:
        return _named(_by_clue(index, words), candidates)
    forms = noun_and_verb(word, candidates)
    if forms is None:
        return candidates[0]
    return forms[_is_verb(index, words)]


def _function_word(index: int, words: Sequence[str]) -> str:
    word, after = words[index], word_at(words, index + 1)
    if word in FULL and (not after or word_at(words, index - 1) in ARTICLES):
        return FULL[word]  # "going to", "a can"
    return FUNCTION_WORDS[word][bool(after) and _begins_with_vowel(after)]


def noun_and_verb(
    word: str, candidates: Sequence[Pronunciation]
) -> tuple[Pronunciation, Pronunciation] | None:
    """(as a noun or adjective, as a verb), if the word is said differently as one and the other."""
    tests: list[Callable[[Pronunciation], bool]] = []
    if word in SHIFTED or word.removesuffix("s") in SHIFTED:
        tests.append(_stressed_late)
    if word in VOICED:
        tests.append(lambda phones: "Z" in phones[-3:-2] + phones[-1:] and "S" not in phones[-3:])
    if word.endswith(("ate", "ates")):
        tests.append(lambda phones: any(phone.startswith("EY") for phone in phones[-3:]))
    for says_verb in tests:
        nouns = [phones for phones in candidates if not says_verb(phones)]
        verbs = [phones for phones in candidates if says_verb(phones)]
        if nouns and verbs:
            return nouns[0], verbs[0]
    return None


def _stressed_late(phones: Pronunciation) -> bool:
    return next((phone for phone in phones if is_vowel(phone)), "1")[-1] != "1"


def _named(wanted: str, candidates: Sequence[Pronunciation]) -> Pronunciation:
    phones = tuple(wanted.split())
    return phones if phones in candidates else candidates[0]


def _begins_with_vowel(word: str) -> bool:
    known = lookup(word)
    return is_vowel(known[0][0]) if known else word[:1] in "aeiou"


def _is_letter(index: int, words: Sequence[str]) -> bool:
    """True if "a" is the letter's name: beside another letter ("a b c"), or at "grade a"."""
    before, after = word_at(words, index - 1), word_at(words, index + 1)
    letter_before = len(before) == 1 and before not in "ai"
    letter_after = len(after) == 1 and after != "a"
    named = before in ("grade", "plan", "vitamin", "letter", "class", "type", "section")
    return letter_before or letter_after or (named and after in ("", "is", "and", "or", "was"))


def _is_verb(index: int, words: Sequence[str]) -> bool:
    word, after = words[index], word_at(words, index + 1)
    third_person = word.endswith("s") and not word.endswith("ss")
    at = previous(index, words)
    before, earlier = word_at(words, at), word_at(words, at - 1)
    object_follows = after in OBJECT_STARTS
    if before == "" or before in ("and", "or", "but", "then", "so"):
        if before in ("and", "or", "but") and word_at(words, at - 2) == "to":
            return True  # "to stop and record"
        return (object_follows and not third_person) or (
            word in USUALLY_VERBS and after not in NOUN_AFTERWARDS | {""}
        )
    if before == "to":
        return earlier not in TO_NOUN
    if before in OBJECT_PRONOUNS and earlier in CAUSATIVES:
        return not third_person
    if third_person:
        if before in ("he", "she", "it", "who", "which") or (before == "that" and object_follows):
            return earlier not in NOMINAL
        return object_follows and before not in NOMINAL and not before.endswith("s")
    if before in VERBAL or before.endswith(("'ll", "'d")):
        return True
    if before in ("who", "which", "that") and object_follows:
        return earlier not in NOMINAL  # "upon that subject his …"
    if before in ("he", "she", "it") or before not in NOMINAL:
        asked = {word_at(words, at - back) for back in (1, 2, 3)}
        if asked & AUXILIARIES and not (asked & NOMINAL - {"the", "a", "my", "your", "his"}):
            return True
    if before in NOMINAL or before in BE or before.endswith(("'s", "'re", "'m", "ous", "ful")):
        return False
    if object_follows:
        return word not in RARELY_VERBS
    if after in NOUN_AFTERWARDS:
        return False
    follows = after not in ("", "in", "for", "and", "by", "on", "at")
    return _is_plural(before) or (word in USUALLY_VERBS and follows)


def _is_plural(word: str) -> bool:
    if word in ("people", "men", "women", "children"):
        return True
    return word.endswith("s") and not word.endswith(("ss", "us", "is"))


def _read_is_past(index: int, words: Sequence[str]) -> bool:
    at = previous(index, words)
    before, earlier = word_at(words, at), word_at(words, at - 1)
    if before in PERFECT or before.endswith("'ve"):
        return True
    if before in ("well", "widely"):
        return True
    if before in ("i", "you", "he", "she", "we", "they", "it") and earlier in PERFECT:
        return True  # "have you read"
    if before == "to" or before in AUXILIARIES or before.endswith("'ll"):
        return False
    asked = {word_at(words, at - back) for back in (1, 2, 3)}
    if asked & AUXILIARIES:
        return False  # "did he read", "can the boy read"
    if before in NOT_SUBJECTS:
        return False
    if before in ("i", "you", "we", "they", "who", "that", "and", "or") or _is_plural(before):
        return _tells_the_past(index, words)
    return True  # a singular subject: the present would be "reads"


def _tells_the_past(index: int, words: Sequence[str]) -> bool:
    others = (*words[max(0, index - _SENTENCE) : index], *words[index + 1 : index + 1 + _SENTENCE])
    return any(word in PAST_SIGNS or (len(word) > 4 and word.endswith("ed")) for word in others)


def _by_clue(index: int, words: Sequence[str]) -> str:
    """Words that share a spelling: the first sense whose clues stand beside it, else the usual."""
    usual, as_verb, clues = BY_CLUE[words[index]]
    before, after = word_at(words, index - 1), word_at(words, index + 1)
    for clue in clues:
        far = word_at(words, index - 2) if before in ("a", "the", "his", "her") else before
        if before in clue.before or far in clue.before or after in clue.after:
            return clue.sense
    if words[index] == "lives" and before.endswith(("ful", "ous", "'s", "s'", "ive")):
        return "L AY1 V Z"
    return as_verb if as_verb and _is_verb(index, words) else usual
