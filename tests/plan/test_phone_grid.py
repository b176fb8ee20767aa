"""Alignments on the frame grid: no gaps, and every phone has a frame."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from a3t.errors import InputError
from a3t.plan.phone_grid import frame_edges, on_grid
from alignment import Alignment, Phone, Word, pause


@given(st.lists(st.floats(0.0, 3.0), min_size=1, max_size=60), st.integers(70, 300))
def test_edges_rise_and_cover(times: list[float], frames: int) -> None:
    edges = frame_edges([0.0, *sorted(times), 3.0], frames)
    assert edges[0] == 0 and edges[-1] == frames
    assert all(b > a for a, b in zip(edges, edges[1:], strict=False))


def test_boundaries_go_to_the_nearest_frame() -> None:
    assert frame_edges([0.0, 0.1, 0.2062, 1.0], 81) == [0, 8, 16, 81]


def test_more_phones_than_frames_is_bad_input() -> None:
    with pytest.raises(InputError, match="check that the text belongs"):
        frame_edges([0.0, 0.01, 0.02, 0.03], 2)


def test_words_are_counted_and_pauses_are_not() -> None:
    words = (
        pause(0.0, 0.2),
        Word("a", 0.2, 0.3, 1.0, (Phone("AH0", 0.2, 0.3),)),
        pause(0.3, 0.5),
        Word("to", 0.5, 0.8, 1.0, (Phone("T", 0.5, 0.6), Phone("UW1", 0.6, 0.8))),
    )
    phones = on_grid(Alignment(words, 0.8), 65)
    assert [(p.symbol, p.first, p.last, p.word) for p in phones] == [
        ("sp", 0, 16, -1),
        ("AH0", 16, 24, 0),
        ("sp", 24, 40, -1),
        ("T", 40, 48, 1),
        ("UW1", 48, 65, 1),
    ]
