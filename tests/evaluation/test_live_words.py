"""The measures of live words."""

from __future__ import annotations

import numpy as np

from alignment.recognition.live import LiveWords
from alignment.recognition.network_recogniser import RecognisedWord
from evaluation.hearing.live_words import TABLE, SpokenStream, listened, lost
from training.text.edit_distance import edit_distance


def words(text: str) -> tuple[RecognisedWord, ...]:
    return tuple(RecognisedWord(word, 0.0, 0.0) for word in text.split())


def test_words_are_as_late_as_they_stay() -> None:
    said = ("one", "two", "three", "four")
    stream = SpokenStream("corpus", np.zeros(16_000), said, (0.5, 1.0, 1.5, 2.0))
    shown = [
        (1.0, LiveWords((), words("won"))),
        (2.0, LiveWords((), words("one to"))),
        (3.0, LiveWords(words("one"), words("two"))),
        (4.0, LiveWords(words("two"), words("tree for"))),
        (5.0, LiveWords(words("three for"))),
    ]
    found = listened(lambda stream: iter(shown), stream)
    assert (found["words"], found["wrong"], found["found"]) == (4, 1, "one two three for")
    assert found["changed"] == 3  # won, to, tree
    assert found["shown"] == [1.5, 2.0, 3.5]
    assert found["final"] == [2.5, 3.0, 3.5]
    table = TABLE.markdown([{"system": "a", **found}])
    assert "| a | all | 4 | 25.0 | 2.33 | 3.20 | 3.00 | 3.40 | 75 |" in table


def test_words_that_change_and_errors_are_counted() -> None:
    assert lost("a b c".split(), "a c d".split()) == 1
    assert lost("a b".split(), "x a b y".split()) == 0
    assert edit_distance("a b c".split(), "a x c d".split()) == 2
    assert edit_distance([], ["a"]) == edit_distance(["a"], []) == 1
