"""Homographs that an accent, a capital or a phrase settles, whatever else stands beside them.

Some senses are too rare in the sentences that weights are learnt from ("polish" as a verb three
times in ninety), and encyclopaedias have no podcasts in them ("we're live on", "hit record").
"""

from __future__ import annotations

from collections.abc import Sequence

from a3t.text.pronunciation.homographs.homograph_words import (
    ACCENTED,
    AUXILIARIES,
    BE,
    BESIDE,
    OBJECT_STARTS,
    PERFECT,
    ends_sentence,
    previous,
    senses,
    word_at,
)

# What stands between these and another word is that word's verb, in each of 138 sentences that
# weights are learnt from.
_SUBJECTS = frozenset("we they he she who".split())
_GOING = frozenset("go goes going went gone came come stay stayed it's we're i'm they're".split())


def settled(index: int, words: Sequence[str], written: Sequence[str] | None) -> str:
    """The name of the sense of words[index]; "" where nothing settles it."""
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
    """The verb's sense, "" where there is none or several."""
    verbs = [sense for sense in senses(word) if sense.endswith("_vrb")]
    return verbs[0] if len(verbs) == 1 else ""


def _read(index: int, words: Sequence[str]) -> str:
    """Past after "have" and "was", present after "to" and "can", whatever adverbs stand between."""
    before = word_at(words, previous(index, words))
    if before in PERFECT or before.endswith("'ve"):
        return "read_past"
    return "read_present" if before == "to" or before in AUXILIARIES else ""


def _polish(index: int, before: str, after: str, written: Sequence[str] | None) -> str:
    """Poland's by its capital; where that tells nothing, what follows decides."""
    verb = after in OBJECT_STARTS or after in ("up", "off") or before in ("to", "nail", "shoe")
    if written is not None:
        if _is_small(index, written):
            return "polish"
        if written[index][:1].isupper() and index and not ends_sentence(written[index - 1]):
            return "polish_geo"
    return "polish" if verb else "polish_geo"


def _is_small(index: int, written: Sequence[str]) -> bool:
    """True if the word has no capital though the text has some."""
    letters = [letter for letter in written[index] if letter.isalpha()]
    return bool(letters) and letters[0].islower() and any(map(_has_capital, written))


def _has_capital(token: str) -> bool:
    return any(map(str.isupper, token))
