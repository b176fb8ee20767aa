"""Alignments are put together of words that move."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alignment import Phone, Word, pause
from alignment.formats.tables import require_whole
from alignment.result import SNAP_S, covering, retimed


def word(start: float, end: float) -> Word:
    return Word("a", start, end, 0.9, (Phone("AH0", start, end, 0.9),))


def test_a_word_that_is_retimed_loses_nothing() -> None:
    um = pause(1.0, 2.0, 0.2, "<um>")
    moved = retimed(um, 1.5, 2.0)
    assert (moved.unwritten, moved.score, moved.text) == ("<um>", 0.2, "")
    assert (moved.phones[0].start, moved.phones[0].end) == (1.5, 2.0)


@pytest.mark.parametrize(
    ("end_of_first", "start_of_second", "expected"),
    [
        (1.0, 2.0, [(1.0, 1.4, ""), (1.4, 1.7, "<um>"), (1.7, 2.0, "")]),  # as it was
        (0.8, 2.0, [(0.8, 1.4, ""), (1.4, 1.7, "<um>"), (1.7, 2.0, "")]),  # longer
        (1.5, 2.2, [(1.5, 1.7, "<um>"), (1.7, 2.2, "")]),  # cut off
        (1.0, 1.5, [(1.0, 1.4, ""), (1.4, 1.5, "<um>")]),
        (2.0, 2.5, [(2.0, 2.5, "")]),  # none of them is left
    ],
)
def test_pauses_between_words_that_move(
    end_of_first: float, start_of_second: float, expected: list[tuple[float, float, str]]
) -> None:
    known = [pause(1.0, 1.4, 0.7), pause(1.4, 1.7, 0.1, "<um>"), pause(1.7, 2.0, 0.8)]
    made = covering([word(0.0, end_of_first), word(start_of_second, 3.0)], 3.0, 1.0, known)
    assert [(w.start, w.end, w.unwritten) for w in made.words if w.is_pause] == expected
    require_whole(made, Path("made"))


TIMES = st.lists(st.integers(0, 300), min_size=2, max_size=12, unique=True).map(sorted)


@given(words=TIMES, pauses=TIMES, names=st.lists(st.sampled_from(["", "<um>"]), min_size=12))
def test_no_gap_and_no_overlap_whatever_was_known(
    words: list[int], pauses: list[int], names: list[str]
) -> None:
    spoken = [word(a / 100, b / 100) for a, b in zip(words[::2], words[1::2], strict=False)]
    known = [
        pause(a / 100, b / 100, 0.5, name)
        for a, b, name in zip(pauses, pauses[1:], names, strict=False)
    ]
    made = covering(spoken, 3.0 + SNAP_S, 1.0, known)
    assert made.words[0].start == 0
    assert made.words[-1].end == made.duration
    for left, right in zip(made.words, made.words[1:], strict=False):
        assert left.end == right.start
        assert left.start < left.end
    assert len(made.spoken) == len(spoken)
