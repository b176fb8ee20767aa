"""The sound decides where recording and expected text differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pytest

from alignment.recognition import recognise
from alignment.recognition.lattice import END, Arc
from alignment.recognition.ngrams import NGrams, load_ngrams
from alignment.recognition.settling import Settling

Lookup = Callable[[Sequence[str]], Mapping[str, Sequence[Sequence[str]]]]
TEXT = "he went home".split()


@pytest.fixture(scope="module")
def ngrams() -> NGrams:
    return load_ngrams()


def chosen(
    ngrams: NGrams, other: str, gain: float, free: Sequence[str] = (), sure: float = 0.9
) -> tuple[str, str]:
    """The first word that is chosen, and the rival's, if `other` sounds `gain` nats better."""
    number = {word: k for k, word in enumerate(ngrams.words)}
    text = [number[word] for word in TEXT]
    lattice = [
        Arc(0, -1, text[0], 0.0),
        Arc(1, -1, number[other], gain),
        *(Arc(2, before, text[1], 0.0) for before in (0, 1)),
        Arc(3, 2, text[2], 0.0),
        Arc(4, 3, END, 0.0),
    ]
    ways = {
        number[word]: {
            way
            for k, way in zip(ngrams.pronounced.tolist(), ngrams.pronunciations, strict=True)
            if k == number[word]
        }
        for word in (*TEXT, other)
    }
    settling = Settling(text, [(number[word], sure) for word in free], ngrams, ways)
    records = settling(lattice)
    assert records[1:] == [2, 3]
    rival = ngrams.words[settling.rival[0]] if settling.rival else ""
    return (other if records[0] == 1 else TEXT[0]), rival


def test_the_sound_decides_and_the_loser_is_named(ngrams: NGrams) -> None:
    assert chosen(ngrams, "she", 15.0) == ("she", "")
    assert chosen(ngrams, "she", -5.0) == ("he", "she")


def test_what_is_heard_freely_counts_by_its_confidence(ngrams: NGrams) -> None:
    near = 12.0
    assert chosen(ngrams, "she", near, ["she", "went", "home"])[0] == "she"
    assert chosen(ngrams, "she", near, TEXT) == ("he", "she")
    assert chosen(ngrams, "she", near, TEXT, sure=0.1)[0] == "she"


@pytest.mark.parametrize(("old", "near"), [("you", "we"), ("want", "wanted"), ("see", "hear")])
def test_a_near_word_of_the_new_text_is_not_heard(
    old: str, near: str, speech: tuple[np.ndarray, int], lookup: Lookup
) -> None:
    said = "and you always want to see it in the superlative degree".split()
    new = [near if word == old else word for word in said]
    assert recognise(*speech, new, lookup(new)).text.split() == said
