"""Words with several pronunciations, told apart by the words beside them; `choose` is the way in.

What settles the sense comes first (`settled`), then weights that were learnt
(`LearntHomographs`), then rules (`choose_by_rule`). Three kinds of words have several: function
words, whose form depends on what follows ("the" before a vowel); nouns and adjectives that are
verbs when said differently ("a record", "to record"); and words that merely share a spelling ("the
wind", "wind it up"). Forms of function words are those that readers used most in the project's
corpora, by the aligner's choice. g2p-en tells homographs apart with NLTK's tagger, whose data no
package brings along; its own table has "read" and "object" the wrong way round, so the pairs are
found in CMUdict's pronunciations instead.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from a3t.text.phones import is_vowel
from a3t.text.pronunciation.lexicon import Pronunciation, lookup
from a3t.user_folders import SHIPPED_MODELS

_TABLES = tomllib.loads(Path(__file__).with_name("homographs.toml").read_text(encoding="utf-8"))
FUNCTION_WORDS: dict[str, list[str]] = _TABLES["function_words"]
FULL: dict[str, str] = _TABLES["full"]
ACCENTED: dict[str, str] = _TABLES["accented"]
_NO_ADVERBS = ("family", "reply")
_SENTENCE = 60  # words on either side whose tense may be the word's
# What stands between these and another word is that word's verb, in each of 138 sentences that
# weights are learnt from.
_SUBJECTS = frozenset("we they he she who".split())
_GOING = frozenset("go goes going went gone came come stay stayed it's we're i'm they're".split())
FOLDER = SHIPPED_MODELS / "homographs"
SHARED = "verb by the shared model"
_ENDINGS = (
    ("ly", "adverb"), ("ing", "ing"), ("ed", "ed"), ("tion", "noun"), ("ment", "noun"),
    ("ness", "noun"), ("ity", "noun"), ("'s", "genitive"), ("al", "adjective"),
    ("ous", "adjective"), ("ive", "adjective"), ("ful", "adjective"), ("ic", "adjective"),
    ("able", "adjective"), ("ss", "word"), ("s", "plural"),
)  # fmt: skip
_NEAR = 5  # words to either side that are looked at in any order


def _words(name: str) -> frozenset[str]:
    return frozenset(_TABLES["words"][name].split())


class Clue(NamedTuple):
    """A sense, by its phones or its name, and words before, after or near that tell it."""

    sense: str
    before: frozenset[str]
    after: frozenset[str]
    near: frozenset[str]

    @classmethod
    def of(cls, entry: Mapping[str, str]) -> Clue:
        """Read a clue of the table."""
        words = (frozenset(entry.get(place, "").split()) for place in ("before", "after", "near"))
        return cls(entry["sense"], *words)


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
BESIDE = {word: Clue.of(entry) for word, entry in _TABLES["beside"].items()}


def word_at(words: Sequence[str], index: int) -> str:
    """Return words[index], or "" beyond either end."""
    return words[index] if 0 <= index < len(words) else ""


def previous(index: int, words: Sequence[str]) -> int:
    """Return the place of the last word before ``index`` that is not an adverb; -1 for none."""
    index -= 1
    while index >= 0 and (is_adverb(words[index])):
        index -= 1
    return index


def is_adverb(word: str) -> bool:
    """Return whether a word is or seems to be an adverb: never, only, quickly."""
    if word in ADVERBS or word == "only":
        return True
    return len(word) > 4 and word.endswith("ly") and word not in _NO_ADVERBS


def ends_sentence(token: str) -> bool:
    """Return whether what follows a written token has a capital for that alone."""
    return token.rstrip("\"'”’)]").endswith((".", "!", "?", ":"))


@cache
def _senses() -> dict[str, dict[str, Pronunciation]]:
    """Read the table of homographs beside this file: word -> sense -> how it is said."""
    table: dict[str, dict[str, Pronunciation]] = {}
    text = Path(__file__).with_name("senses.tsv").read_text(encoding="utf-8")
    for line in text.splitlines()[1:]:
        word, sense, phones = line.split("\t")
        table.setdefault(word, {})[sense] = tuple(phones.split())
    return table


def senses(word: str) -> dict[str, Pronunciation]:
    """Return a homograph's senses, named as in the Wikipedia Homograph Data, and their phones."""
    return _senses().get(word, {})


def choose_by_rule(
    index: int, words: Sequence[str], candidates: Sequence[Pronunciation]
) -> Pronunciation:
    """Return the candidate that the rules choose; the first one where none applies."""
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
    """Return (as a noun or adjective, as a verb), if the word is said differently as each."""
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
    """Return whether "a" is the letter's name: beside another ("a b c"), or at "grade a"."""
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
    """Take the first sense of a spelling whose clues stand beside it, else the usual one."""
    usual, as_verb, clues = BY_CLUE[words[index]]
    before, after = word_at(words, index - 1), word_at(words, index + 1)
    for clue in clues:
        far = word_at(words, index - 2) if before in ("a", "the", "his", "her") else before
        if before in clue.before or far in clue.before or after in clue.after:
            return clue.sense
    if words[index] == "lives" and before.endswith(("ful", "ous", "'s", "s'", "ive")):
        return "L AY1 V Z"
    return as_verb if as_verb and _is_verb(index, words) else usual


def settled(index: int, words: Sequence[str], written: Sequence[str] | None) -> str:
    """Return the sense that an accent, a capital or a phrase settles; "" where none does.

    Some senses are too rare in the sentences that weights are learnt from ("polish" as a verb three
    times in ninety), and encyclopaedias have no podcasts in them ("we're live on", "hit record").
    """
    word = words[index]
    before, after = word_at(words, index - 1), word_at(words, index + 1)
    token = written[index] if written is not None else ""
    if word in ACCENTED and ("é" in token or "è" in token):
        return ACCENTED[word]
    if word == "polish":
        return _polish(index, before, after, written)
    if word == "reading" and written is not None and _is_small(index, written):
        return "reading_en"
    if word == "live" and after != "in":
        going = before in _GOING or before in BE or before.endswith(("'re", "'m", "'s"))
        return "live_adj" if going else ""
    if word == "content":
        pleased = (before in BE or before.endswith(("'re", "'m"))) and after in ("", "with", "to")
        return "content_adj-nou-vrb" if pleased or after == "oneself" else "content_nou"
    if word == "read":
        return _read(index, words)
    if word in BESIDE:
        clue = BESIDE[word]
        around = words[max(0, index - 6) : index + 7]
        if before in clue.before or after in clue.after or not clue.near.isdisjoint(around):
            return clue.sense
    if before in _SUBJECTS:
        return _verb(word)
    starts = not index or (written is not None and ends_sentence(written[index - 1]))
    if starts and after in OBJECT_STARTS:  # an order: "close the door"
        return _verb(word)
    return ""


def _verb(word: str) -> str:
    """Return the verb's sense, "" where there is none or several."""
    verbs = [sense for sense in senses(word) if sense.endswith("_vrb")]
    return verbs[0] if len(verbs) == 1 else ""


def _read(index: int, words: Sequence[str]) -> str:
    """Take the past after "have" and "was", the present after "to" and "can", past any adverbs."""
    before = word_at(words, previous(index, words))
    if before in PERFECT or before.endswith("'ve"):
        return "read_past"
    return "read_present" if before == "to" or before in AUXILIARIES else ""


def _polish(index: int, before: str, after: str, written: Sequence[str] | None) -> str:
    """Tell Poland's by its capital; where that tells nothing, what follows decides."""
    verb = after in OBJECT_STARTS or after in ("up", "off") or before in ("to", "nail", "shoe")
    if written is not None:
        if _is_small(index, written):
            return "polish"
        if written[index][:1].isupper() and index and not ends_sentence(written[index - 1]):
            return "polish_geo"
    return "polish" if verb else "polish_geo"


def _is_small(index: int, written: Sequence[str]) -> bool:
    """Return whether the word has no capital though the text has some."""
    letters = [letter for letter in written[index] if letter.isalpha()]
    return bool(letters) and letters[0].islower() and any(map(_has_capital, written))


def _has_capital(token: str) -> bool:
    return any(map(str.isupper, token))


Weights = Mapping[str, float]

_CLASSES: dict[str, str] = {
    **dict.fromkeys("the a an".split(), "article"),
    **dict.fromkeys("this that these those each every some any no".split(), "determiner"),
    **dict.fromkeys("my your his her its our their whose".split(), "possessive"),
    **dict.fromkeys("i you he she it we they who which".split(), "subject"),
    **dict.fromkeys(OBJECT_PRONOUNS - {"it", "you", "her"}, "object"),
    **dict.fromkeys(AUXILIARIES, "modal"),
    "to": "to",
    **dict.fromkeys("is are was were be been being am isn't aren't wasn't weren't".split(), "be"),
    **dict.fromkeys("have has had having haven't hasn't hadn't".split(), "have"),
    **dict.fromkeys(
        "of in on at for from by with into onto over under about without after before between "
        "against during through like as upon near within across behind per than".split(),
        "preposition",
    ),
    **dict.fromkeys("and or but nor".split(), "conjunction"),
    **dict.fromkeys("if when while because although since until where how what why".split(), "wh"),
    **dict.fromkeys(ADVERBS, "adverb"),
    **dict.fromkeys("one two three four five six seven eight nine ten".split(), "number"),
}
_COMMON = frozenset(_CLASSES)


@dataclass(frozen=True)
class LearntHomographs:
    """`shared` tells verbs; `words` has for each word and each of its senses the weights.

    Logistic regression in two steps (after Gorman, Mazovetskiy & Nikolaev, Improving homograph
    disambiguation with supervised machine learning, 2018): one model tells verbs from nouns and
    adjectives for all words alike; one for each word weighs that, our own rules' choice and the
    word's neighbours. A feature is a short text, "R1=music" or "L1 is a modal"; which of them
    count, and for what, is learnt: `training.text.train_homographs` makes the weights.
    """

    shared: Weights
    words: Mapping[str, Mapping[str, Weights]]

    def sense(self, word: str, found: Sequence[str]) -> str:
        """Return the likeliest sense of a word that ``words`` has, by the features of its place."""
        verb = score(self.shared, found)
        scores = {
            sense: score(weights, found) + weights.get(SHARED, 0.0) * verb
            for sense, weights in self.words[word].items()
        }
        return max(scores, key=lambda sense: scores[sense])

    def is_verb(self, found: Sequence[str], by_rule: bool) -> bool:
        """Return whether any noun that is said differently as a verb is one here."""
        return score(self.shared, found) + (1.0 if by_rule else -1.0) > 0


def score(weights: Weights, found: Iterable[str]) -> float:
    """Sum the weights of the features that were found, and of the constant."""
    return weights.get("", 0.0) + sum(weights.get(feature, 0.0) for feature in found)


@cache
def shipped() -> LearntHomographs:
    """Load the weights that come with the package."""
    table = json.loads((FOLDER / "weights.json").read_text(encoding="utf-8"))
    return LearntHomographs(table["shared"], table["words"])


def word_class(word: str) -> str:
    """Return a word's apparent class: a function word's own, else its ending's."""
    if not word:
        return "end"
    if word in _CLASSES:
        return _CLASSES[word]
    return next((kind for ending, kind in _ENDINGS if word.endswith(ending)), "word")


def features(index: int, words: Sequence[str], written: Sequence[str] | None) -> Iterator[str]:
    """Yield the features of words[index]; ``written``: the tokens behind the words, if known."""

    def at(offset: int) -> str:
        return word_at(words, index + offset)

    names = {-3: "L3", -2: "L2", -1: "L1", 1: "R1", 2: "R2", 3: "R3"}
    classes = {offset: word_class(at(offset)) for offset in names}
    for offset, name in names.items():
        yield f"{name} is {classes[offset]}"
        if abs(offset) < 3:
            yield f"{name}={at(offset)}"
    yield f"L1 is {classes[-1]}, R1 is {classes[1]}"
    yield f"L2 is {classes[-2]}, L1 is {classes[-1]}"
    yield f"R1 is {classes[1]}, R2 is {classes[2]}"
    yield f"L1={at(-1)}, R1 is {classes[1]}"
    yield f"L1 is {classes[-1]}, R1={at(1)}"
    nearby = {*words[max(0, index - _NEAR) : index], *words[index + 1 : index + 1 + _NEAR]}
    for word in sorted(nearby - _COMMON):
        yield f"near {word}"
    if written is not None:
        yield from _as_written(index, words, written)


def _as_written(index: int, words: Sequence[str], written: Sequence[str]) -> Iterator[str]:
    """Decide by capitals, and by punctuation beside the word."""
    token = written[index].strip("\"'“”‘’([{*_")
    before = written[index - 1] if index else ""
    starts = not before or ends_sentence(before)
    in_capitals = not any(any(map(str.islower, near)) for near in written[max(0, index - 3) :][:7])
    if token[:1].isupper() and not in_capitals:
        yield "capital, first" if starts else "capital"
    elif starts:
        yield "small, first"
    if index and written[index - 1][:1].isupper() and not in_capitals:
        yield "L1 has a capital"
    after = written[index + 1] if index + 1 < len(words) else ""
    if after[:1].isupper() and not in_capitals:
        yield "R1 has a capital"
    if token.endswith((",", ".", ";", ":", "?", "!")):
        yield f"before {token[-1]}"
    if before.endswith((",", ";", ":")):
        yield f"after {before[-1]}"


def choose(
    index: int,
    words: Sequence[str],
    candidates: Sequence[Pronunciation],
    written: Sequence[str] | None = None,
) -> Pronunciation:
    """Return the candidate for words[index] in its context.

    ``written``: the tokens behind the words, whose capitals and punctuation tell senses apart as
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
    """Return whether a word's pronunciations differ in meaning, not only in who says them."""
    if word in FUNCTION_WORDS or word == "a":
        return False
    several = bool(senses(word)) or word in BY_CLUE or word == "read"
    return several or noun_and_verb(word, candidates) is not None
