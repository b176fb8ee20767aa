"""A change that is written otherwise keeps its place, its take and whether it was accepted."""

import re
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from a3t.projects.close_changes import made_as_one
from a3t.projects.document import Change
from a3t.projects.rewriting import rewritten
from a3t.projects.store.words import sentence_case

WORDS = "AND YOU ALWAYS WANT. TO SEE THE FBI’S ONE IT IS".split()
NEW = st.lists(st.sampled_from("NEVER NASA I, SO. “IT IT’S".split()), min_size=1, max_size=3)
PLACES = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), NEW), max_size=5)


def rows(words: list[str], gaps: list[bool]) -> list[list[Any]]:
    """Tokens that are close to the next one, or far from it."""
    start, found = 0.0, list[list[Any]]()
    for k, (word, far) in enumerate(zip(words, gaps, strict=True)):
        found.append([k, word, start, start + 0.2, 1.0, 0, ""])
        start += 0.9 if far else 0.2
    return found


def letters(change: Change) -> str:
    return re.sub("[.,]", "", change.text.upper())


def heard(change: Change, made: Mapping[str, Change]) -> tuple[str, int | None]:
    """The key of the takes that are heard of a change, and the number of the chosen one."""
    key = made[change.key].key
    return key, change.take if (change.take_of or change.key) == key else None


@pytest.mark.parametrize("sentences", [True, False])
@given(PLACES, st.lists(st.booleans(), min_size=len(WORDS), max_size=len(WORDS)), st.data())
def test_sentences_instead_of_capitals_or_other_marks_keep_every_take(
    sentences: bool, places: list[tuple[int, int, list[str]]], gaps: list[bool], data: st.DataObject
) -> None:
    at, changes = 0, list[Change]()
    for skip, count, new in places:
        first = at + skip
        at = first + count + (not count)
        if at <= len(WORDS):
            tokens = tuple(range(first, first + count))
            changes.append(
                Change(first - 1, tokens, " ".join(new), accepted=data.draw(st.booleans()))
            )
    before = rows(WORDS, gaps)
    small = sentence_case(" ".join(WORDS), True).split()
    words = small if sentences else [word.strip(".") + "," for word in WORDS]
    made = made_as_one(changes, before)
    take = st.sampled_from([None, 0, 2])
    chosen = []
    for each in changes:
        key = data.draw(st.sampled_from(["", each.key, made[each.key].key]))
        chosen.append(Change(**(vars(each) | {"take": data.draw(take), "take_of": key})))
    after = rows(words, gaps)
    now = rewritten(chosen, before, after, in_sentences=sentences)
    keys = {old.key: new.key for old, new in now.same.items()}
    anew = made_as_one(now.changes, after)
    for old, new in zip(chosen, now.changes, strict=True):
        assert (new.after, new.tokens, new.cut) == (old.after, old.tokens, old.cut)
        assert (new.text.upper(), new.take, new.accepted) == (old.text, old.take, old.accepted)
        key, number = heard(old, made)
        assert heard(new, anew) == (keys.get(key, key), number)
    assert all(a.tokens == b.tokens and letters(a) == letters(b) for a, b in now.same.items())
