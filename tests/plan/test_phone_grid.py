"""Alignments on the frame grid have no gaps, and every phone has a frame; pauses at punctuation
have this speaker's usual length, or none if the speaker makes none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from a3t.errors import InputError
from a3t.plan.edit_plan import EditPlan
from a3t.plan.usual_pauses import usual_pauses
from a3t.plan.word_grid import GridPhone, frame_edges, on_grid
from a3t.text.transcript import Transcript
from alignment import Alignment, Phone, Word, pause
from tests.plan.test_plan import aligned, plan_of


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


COMMAS = "ban, dot, feel, good, kit, lock, moon, pen"


def pauses_of(plan: EditPlan) -> list[int]:
    return [p.frames for edit in plan.edits for p in edit.phones if p.symbol == "sp"]


def test_a_pause_is_as_long_as_the_speakers_own() -> None:
    """0.2 s after a comma; at twice the rate the predictor says 12 × 8/6 / 2 = 8 frames."""
    everywhere = aligned(Transcript.from_text(COMMAS).spoken, often=1.0)
    plan = plan_of(COMMAS, COMMAS.replace("good", "good, rose"), everywhere, speed=2.0)
    assert pauses_of(plan) == [16]
    nothing_to_go_by = plan_of("ban dot", "ban dot, kit", aligned(["ban", "dot"], often=0), speed=2)
    assert pauses_of(nothing_to_go_by) == [8]


def test_no_pause_that_the_speaker_does_not_make() -> None:
    """Commas are read over here, but for one; a [pause] is made nevertheless."""
    rarely = aligned(Transcript.from_text(COMMAS).spoken, seed=3, often=0.2)
    assert 1 <= sum(word.is_pause for word in rarely.words) - 2 < 4
    assert pauses_of(plan_of(COMMAS, COMMAS.replace("good", "good, rose"), rarely)) == []
    assert pauses_of(plan_of(COMMAS, COMMAS.replace("good", "good [pause] rose"), rarely)) == [16]
    never = aligned(Transcript.from_text(COMMAS).spoken, often=0)
    assert pauses_of(plan_of(COMMAS, COMMAS.replace("good,", "rose,"), never)) == []


def test_an_unpunctuated_text_has_its_speakers_pauses_too() -> None:
    """Those that were found, wherever they are: 16 frames, where the predictor says 12."""
    plain = COMMAS.replace(",", "")
    everywhere = aligned(Transcript.from_text(plain).spoken, often=0.6)
    for mark in ",.?:":
        new = plain.replace("pen", f"pen{mark} rose")
        assert pauses_of(plan_of(plain, new, everywhere, speed=2.0)) == [16]


def test_kinds_of_pauses() -> None:
    text = Transcript.from_text("ban, dot. feel, good. kit, lock. moon, pen.")
    grid, now = [], 0
    for k in range(8):
        grid.append(GridPhone("AE1", now, now + 5, k))
        now += 5
        length = 10 if k % 2 == 0 else 40
        grid.append(GridPhone("sp", now, now + length, -1))
        now += length
    usual = usual_pauses(text, grid)
    assert usual[","] == 10 and usual["."] == 40 and usual["?"] == 40
    assert usual[":"] == usual["—"] == 10
    assert usual_pauses(text, grid[::2]) == {}
