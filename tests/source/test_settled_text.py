"""Recognised words against the new text: which differences are changes, and the transcript."""

from __future__ import annotations

import pytest

from a3t.source.settled_text import Difference, changes, differences, with_new_words
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript


def text(written: str) -> Transcript:
    return Transcript.from_text(written, max_words=None)


@pytest.mark.parametrize(
    ("heard", "new", "places"),
    [
        ("he paused there", "he passed there", [("paused", "passed")]),
        ("he passed there", "they paused there", [("he", "they"), ("passed", "paused")]),
        ("it is my hour there", "it is there", [("my hour", "")]),
        ("it is there", "it is now and always there", [("", "now and always")]),
        ("here are ten days", "he attended", [("here are", "he"), ("ten days", "attended")]),
    ],
)  # fmt: skip
def test_they_differ_word_by_word(heard: str, new: str, places: list[tuple[str, str]]) -> None:
    a, b = text(heard), text(new)
    found = differences(a, b, Pronouncer())
    pairs = [(" ".join(a.spoken[slice(*p)]), " ".join(b.spoken[slice(*q)])) for p, q in found]
    assert pairs == places


def test_changes_are_plain_or_the_likeliest() -> None:
    assert changes([]) == set()
    assert changes([-3.0, 2.0, 1.0]) == {1}
    assert changes([9.0, -3.0, 12.0]) == {0, 2}


@pytest.mark.parametrize(
    ("heard", "new", "place", "written"),
    [
        ("So he paused, Ann.", "so he passed, ann", ((2, 3), (2, 3)), "So he passed, Ann."),
        ("So he paused.", "he paused", ((0, 1), (0, 0)), "he paused."),
        ("It cost $20 then.", "twelve", ((2, 3), (0, 1)), "It cost twelve dollars then."),
        ("It cost $20 then.", "odd", ((3, 3), (0, 1)), "It cost twenty odd dollars then."),
        ("It is.", "It was then.", ((1, 2), (1, 3)), "It was then."),
    ],
)
def test_the_new_words_stand_as_they_are_written(
    heard: str, new: str, place: tuple[tuple[int, int], tuple[int, int]], written: str
) -> None:
    found, numbers = with_new_words(text(heard), text(new), [Difference(*place)])
    assert found.text == written
    for word, k in zip(found.spoken, numbers, strict=True):
        assert word == (text(heard).spoken[k] if k >= 0 else text(new).spoken[~k])
    assert text(found.text).spoken == found.spoken
