"""Scores: which of the sounds that were named between words are there."""

from dataclasses import replace

import numpy as np
import pytest

from alignment import Alignment, Phone, Word
from alignment.confidence.rival_scores import advantages_between
from alignment.confidence.scores import sounds_borne_out
from alignment.network.phone_network import INDEX, SYMBOLS
from alignment.result import pause

WORDS = (Word("see", 0.2, 0.4, 1.0, (Phone("S", 0.2, 0.3), Phone("IY1", 0.3, 0.4))),)
SILENCE = pause(0.0, 0.2)


def named(start: float, end: float, nothing: float) -> Word:
    """A noise that is so likely nothing."""
    return pause(start, end, nothing, "<noise>")


@pytest.mark.parametrize(("nothing", "there"), [(0.1, True), (0.9, False)])
def test_a_sound_that_touches_a_word_is_there_if_the_rivals_say_so(
    nothing: float, there: bool
) -> None:
    after = Alignment((SILENCE, *WORDS, named(0.4, 0.6, nothing), pause(0.6, 0.8)), 0.8)
    before = Alignment((named(0.0, 0.2, nothing), *WORDS), 0.4)
    assert sounds_borne_out(after) == {1: there}
    assert sounds_borne_out(before) == {0: there}


def test_a_sound_that_touches_a_word_hardly_heard_is_a_piece_of_it() -> None:
    doubted = replace(WORDS[0], score=0.02)
    alone = pause(0.4, 0.5), named(0.5, 0.6, 0.1), pause(0.6, 0.8)
    assert sounds_borne_out(Alignment((SILENCE, doubted, named(0.4, 0.6, 0.1)), 0.6)) == {1: False}
    assert sounds_borne_out(Alignment((SILENCE, doubted, *alone), 0.8)) == {1: True}
    # No piece of a word lasts for seconds, and a filled pause is heard as one.
    assert sounds_borne_out(Alignment((SILENCE, doubted, named(0.4, 2.0, 0.1)), 2.0)) == {1: True}
    um = pause(0.4, 0.6, 0.1, "<um>")
    assert sounds_borne_out(Alignment((SILENCE, doubted, um), 0.6)) == {1: True}


def test_a_sound_alone_in_a_pause_stays() -> None:
    words = (SILENCE, *WORDS, pause(0.4, 0.5), named(0.5, 0.6, 0.9), pause(0.6, 0.8))
    assert sounds_borne_out(Alignment(words, 0.8)) == {1: True}


@pytest.mark.parametrize("left", [-1, 0])
def test_the_ends_of_a_text_are_weighed_though_nothing_is_named_there(left: int) -> None:
    alignment = Alignment((SILENCE, *WORDS, pause(0.4, 0.6)), 0.6)
    assert advantages_between(alignment, [left], np.zeros((60, len(SYMBOLS)))).shape == (1,)


@pytest.mark.parametrize("left", [-1, 0])
@pytest.mark.parametrize("spoken", [False, True])
def test_sound_beyond_the_text_is_weighed_like_sound_between_words(left: int, spoken: bool) -> None:
    """Nothing is likelier where the scores have the text and silence; where they have another
    vowel and consonant beyond it, something is."""
    heard = ["AA", "M"] if spoken else ["S", "S"] if left < 0 else ["IY", "IY"]
    path = ["S"] * 10 + ["IY"] * 10
    path = (
        [heard[0]] * 10 + [heard[1]] * 10 + path
        if left < 0
        else path + [phone for phone in heard for _ in range(10)]
    )
    path = [SYMBOLS[0]] * 10 + path + [SYMBOLS[0]] * 10
    scores = np.full((len(path), len(SYMBOLS)), -8.0)
    scores[np.arange(len(path)), [INDEX[symbol] for symbol in path]] = 0.0
    start = 0.3 if left < 0 else 0.1
    word = Word("see", start, start + 0.2, 1.0, (
        Phone("S", start, start + 0.1), Phone("IY1", start + 0.1, start + 0.2),
    ))  # fmt: skip
    noise = named(0.1, 0.3, 1.0) if left < 0 else named(0.3, 0.5, 1.0)
    parts = (noise, word) if left < 0 else (word, noise)
    alignment = Alignment((pause(0.0, 0.1), *parts, pause(0.5, 0.6)), 0.6)
    (better,) = advantages_between(alignment, [left], scores)
    assert (better > 5.3) == spoken
