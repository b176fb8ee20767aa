"""Doubts about an edit: its words, its neighbours, and sound between them."""

from collections.abc import Sequence

import pytest

from alignment import Alignment, Phone, Word, pause
from alignment.aligners.network_aligner import NetworkAligner
from alignment.confidence.doubts import Doubt, doubts, doubts_beside, with_confidences
from tests.alignment.conftest import Lookup, Speech


def alignment(*parts: tuple[str, float, float]) -> Alignment:
    """Words (text, seconds, score), one after the other; "" is a pause."""
    words: list[Word] = []
    clock = 0.0
    for text, seconds, score in parts:
        end = round(clock + seconds, 4)
        phones = (Phone("AH0", clock, end, score),)
        words.append(Word(text, clock, end, score, phones) if text else pause(clock, end, score))
        clock = end
    return Alignment(tuple(words), clock)


SPEECH = alignment(
    ("", 0.5, 0.99),
    ("we", 0.2, 0.9),
    ("met", 0.3, 0.2),
    ("", 0.4, 0.1),
    ("on", 0.2, 0.8),
    ("a", 0.1, 0.95),
    ("", 0.3, 0.98),
    ("monday", 0.5, 0.9),
    ("", 0.6, 0.3),
)


def named(found: list[Doubt]) -> list[tuple[str, float]]:
    return [(doubt.text, doubt.start) for doubt in found]


def test_doubts_are_sought_at_an_edit_and_beside_it(subtests: pytest.Subtests) -> None:
    for first, end, expected in [
        (0, 1, [("met", 0.7)]),  # the neighbour after it
        (1, 2, [("met", 0.7), ("", 1.0)]),
        (2, 3, [("met", 0.7), ("", 1.0)]),  # the neighbour and the sound before it
        (3, 4, []),  # a pause without speech
        (4, 5, [("", 2.5)]),  # what follows the last word
        (2, 2, [("met", 0.7), ("", 1.0)]),  # an insertion looks at both its neighbours
        (0, 0, []),
        (5, 5, [("", 2.5)]),
        (0, 5, [("met", 0.7), ("", 1.0), ("", 2.5)]),
    ]:
        with subtests.test(first=first, end=end, expected=expected):
            assert named(doubts_beside(SPEECH, first, end)) == expected


def test_a_whole_recording_has_all_of_them_but_short_sounds() -> None:
    assert named(doubts(SPEECH)) == [("met", 0.7), ("", 1.0), ("", 2.5)]
    short = alignment(("we", 0.2, 0.9), ("", 0.3, 0.1), ("met", 0.3, 0.9))
    assert not doubts(short)
    assert named(doubts_beside(short, 0, 1)) == [("", 0.2)]


def test_other_positions_are_errors(subtests: pytest.Subtests) -> None:
    for first, end in [(-1, 0), (2, 1), (0, 6), (6, 6)]:
        with subtests.test(first=first, end=end), pytest.raises(IndexError):
            doubts_beside(SPEECH, first, end)


def test_unwritten_words_are_found_only_beside_the_edit(
    speech: Speech, words: Sequence[str], lookup: Lookup
) -> None:
    """The recording says more than the text: "always want to see" is left out."""
    text = [*words[:2], *words[6:]]
    found = NetworkAligner().align(*speech, text, lookup(text), check=False)
    assert doubts_beside(found, 2, 3)
    assert not doubts_beside(found, 6, 7)
    whole = NetworkAligner().align(*speech, words, lookup(words))
    for place in range(len(words)):
        assert not doubts_beside(whole, place, place + 1)


def test_a_recognised_word_is_no_surer_than_its_recogniser() -> None:
    count = len(SPEECH.spoken)
    assert with_confidences(SPEECH, ()) == SPEECH
    assert with_confidences(SPEECH, [1.0] * count) == SPEECH
    doubted = with_confidences(SPEECH, [0.3, *[1.0] * (count - 1)])
    assert doubted.spoken[0].score == min(0.3, SPEECH.spoken[0].score)
    assert doubted.spoken[1:] == SPEECH.spoken[1:]
    assert doubts_beside(doubted, 0, 1)[0].text == SPEECH.spoken[0].text


def test_what_is_not_in_the_text_is_not_called_speech() -> None:
    """Noise isn't silent either."""
    assert str(Doubt("", 1.0, 2.5, 0.1)) == "Sound from 1.00 to 2.50 s is not in the text."
