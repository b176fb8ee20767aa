"""Recognition without a transcript, with the new text as a prior."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pytest

from alignment import AlignmentError
from alignment.recognition import recognise

Lookup = Callable[[Sequence[str]], Mapping[str, Sequence[Sequence[str]]]]
Check = Callable[[BaseException], None]
Speech = tuple[np.ndarray, int]

SAID = "and you always want to see it in the superlative degree".split()


@pytest.mark.parametrize(
    ("new", "kept"),
    [
        ("and you always want to see it in the comparative degree", {*range(8), 10}),
        ("and you want to see it in the superlative degree", {0, 1, *range(3, 11)}),
        ("and you always want to see it in the dark green superlative degree", {*range(11)}),
    ],
)
def test_the_new_text_helps_to_hear_the_old(
    new: str, kept: set[int], speech: Speech, lookup: Lookup
) -> None:
    expected = new.split()
    heard = recognise(*speech, expected, lookup(expected)).text.split()
    assert [word for k, word in enumerate(SAID) if k in kept] == [
        word for word in heard if word in {SAID[k] for k in kept}
    ]
    assert "comparative" not in heard
    assert "green" not in heard


def test_a_word_that_only_the_new_text_knows(speech: Speech, lookup: Lookup) -> None:
    expected = [*SAID[:9], "zuperlatiffe", "degree"]
    said = {**lookup(expected), "zuperlatiffe": lookup(["superlative"])["superlative"]}
    heard = recognise(*speech, expected, said).text.split()
    assert set(SAID) - {"superlative"} <= set(heard)
    assert len(set(heard) & {"superlative", "zuperlatiffe"}) == 1


def test_without_a_prior_words_are_heard_too(speech: Speech) -> None:
    heard = recognise(*speech, (), {}).text.split()
    assert len(set(heard) & set(SAID)) >= 9


def test_words_have_times_in_their_order(speech: Speech) -> None:
    samples, rate = speech
    words = recognise(samples, rate, SAID, {}).words
    assert [word.text for word in words] == SAID
    edges = [edge for word in words for edge in (word.start, word.end)]
    assert edges == sorted(edges)
    assert 0 <= edges[0] < edges[-1] <= len(samples) / rate + 0.02


@pytest.mark.parametrize(
    "samples", [np.zeros(16_000), np.sin(np.arange(32_000) / 20), np.full(16_000, np.nan)]
)
def test_no_speech_is_refused(samples: np.ndarray, one_sentence: Check) -> None:
    with pytest.raises(AlignmentError) as caught:
        recognise(samples, 16_000, SAID, {})
    one_sentence(caught.value)
