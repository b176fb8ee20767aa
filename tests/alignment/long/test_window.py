"""Aligning a few words of a longer recording from approximate times."""

from dataclasses import dataclass

import numpy as np
import pytest

from alignment import Alignment, AlignmentError, Word
from alignment.aligners.network_aligner import NetworkAligner
from alignment.long.whole import align_window
from tests.alignment.conftest import Lookup, Speech

REPEATS = 5


@dataclass
class Sounding:
    """Samples that count what is read of them."""

    data: np.ndarray
    sample_rate: int
    read: int = 0

    @property
    def samples(self) -> int:
        return len(self.data)

    def mono(self, start: int = 0, stop: int | None = None) -> np.ndarray:
        part = self.data[start:stop]
        self.read += len(part)
        return part


@pytest.fixture
def long(speech: Speech) -> Sounding:
    samples, rate = speech
    return Sounding(np.tile(samples, REPEATS), rate)


@pytest.fixture
def rough(aligned: Alignment) -> list[Word]:
    """The words of the repeated sentence, each up to 0.3 s from where it is."""
    shifts = np.random.default_rng(0).uniform(-0.3, 0.3, REPEATS * len(aligned.spoken))
    exact = [
        (word, repeat * aligned.duration) for repeat in range(REPEATS) for word in aligned.spoken
    ]
    return [
        Word(word.text, word.start + at + by, word.end + at + by, 1.0, word.phones)
        for (word, at), by in zip(exact, shifts, strict=True)
    ]


@pytest.mark.parametrize(("first", "last"), [(24, 25), (0, 0), (49, 49), (9, 11)])
def test_a_window_has_the_times_of_the_whole(
    first: int, last: int, long: Sounding, rough: list[Word], aligned: Alignment, lookup: Lookup
) -> None:
    said = lookup([word.text for word in aligned.spoken])
    window = align_window(NetworkAligner(), long, rough, said, first, last, 1.5)
    found = window.alignment
    assert found.words[0].start == 0.0
    assert found.words[-1].end == found.duration == (window.stop - window.start) / long.sample_rate
    edges = [word.start for word in found.words[1:]]
    assert edges == [word.end for word in found.words[:-1]]
    assert all(phone.duration > 0 for phone in found.phones)
    texts = [word.text for word in rough[window.first : window.first + len(found.spoken)]]
    assert [word.text for word in found.spoken] == texts
    assert window.first <= first <= last < window.first + len(texts)
    for position in range(first, last + 1):
        repeat, place = divmod(position, len(aligned.spoken))
        start = found.spoken[position - window.first].start + window.start / long.sample_rate
        exact = aligned.spoken[place].start + repeat * aligned.duration
        assert start == pytest.approx(exact, abs=0.05)
    assert long.read < 0.6 * long.samples


def test_missing_words_are_refused(long: Sounding, rough: list[Word], lookup: Lookup) -> None:
    other = [Word("mountains", word.start, word.end, 1.0, ()) for word in rough]
    with pytest.raises(AlignmentError):
        align_window(NetworkAligner(), long, other, lookup(["mountains"]), 24, 25, 1.0)


def test_times_out_of_order_are_refused(long: Sounding, rough: list[Word]) -> None:
    swapped = [*rough[:20], *rough[40:], *rough[20:40]]
    with pytest.raises(AlignmentError, match="out of order"):
        align_window(NetworkAligner(), long, swapped, {}, 28, 30, 0.5)
