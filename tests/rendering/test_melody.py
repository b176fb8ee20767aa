"""Drawn melodies are the same for a seed, at rest at their ends, and as wide as was measured;
questions that ask for yes or no rise where their last word is made."""

import numpy as np
import pytest

from a3t.plan.edit_plan import PlannedPhone
from a3t.plan.edit_windows import WindowFrames
from a3t.plan.revision import Revision
from a3t.plan.word_grid import GridPhone
from a3t.rendering.renderer import (
    DEVIATION_SHARE,
    FRAME_OCTAVES,
    MELODY_END_FRAMES,
    RISE_OCTAVES,
    RUN_OCTAVES,
    drawn_melody,
    melody,
    rises,
)
from a3t.text.transcript import Transcript, question_ends

MASKED = np.zeros(200, bool)
MASKED[20:80] = MASKED[120:180] = True


def test_a_seed_draws_one_melody_and_the_first_none() -> None:
    assert drawn_melody(MASKED, 0) is None
    one, again, other = (drawn_melody(MASKED, seed) for seed in (1, 1, 2))
    assert one is not None and other is not None
    assert np.array_equal(one, again) and not np.array_equal(one, other)
    assert not np.array_equal(one[20:80], one[120:180])
    assert not one[~MASKED].any()


def test_it_begins_and_ends_at_the_predicted_one() -> None:
    drawn = np.stack([drawn_melody(MASKED, seed) for seed in range(1, 400)])
    spread = drawn.std(axis=0)[20:80]
    assert spread[[0, -1]].max() < 0.3 * spread[MELODY_END_FRAMES:-MELODY_END_FRAMES].min()
    expected = DEVIATION_SHARE * np.hypot(RUN_OCTAVES, FRAME_OCTAVES)
    assert np.allclose(spread[MELODY_END_FRAMES:-MELODY_END_FRAMES], expected, rtol=0.15)
    assert np.abs(np.diff(drawn[:, 25:75], axis=1)).std() < 0.25 * expected  # and is slow


def test_nothing_masked_draws_nothing() -> None:
    drawn = drawn_melody(np.zeros(9, bool), 5)
    assert drawn is not None and not drawn.any()


WINDOW = WindowFrames.of(
    [
        GridPhone("IH1", 10, 15, 0),
        PlannedPhone("T", 4, 1),
        PlannedPhone("EY1", 8, 1),
        PlannedPhone("B", 3, 1),
        PlannedPhone("AH0", 6, 1),
        PlannedPhone("PAUSE", 9, -1),
    ]
)


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("Is it a dog?", ["dog"]),
        ("It is a dog.", []),
        ("It is a dog?!", ["dog"]),
        ("What is it?", []),
        ("Who's there? Is he?", ["he"]),
        ("And in which house is it?", []),
        ("Tea or coffee? More tea?", ["tea"]),
        ("He said “is it?” and left.", ["it"]),
        ("is it", []),
    ],
)
def test_which_words_rise(text: str, ends: list[str]) -> None:
    transcript = Transcript.from_text(text)
    assert [transcript.spoken[k] for k in sorted(question_ends(transcript))] == ends


def test_a_word_rises_from_its_stressed_vowel_to_its_end() -> None:
    rise = rises(Transcript.from_text("Is table?"), WINDOW)
    assert rise is not None and len(rise) == len(WINDOW.masked)
    assert not rise[:9].any() and not rise[26:].any()  # what is kept, the onset, the pause
    assert (np.diff(rise[8:26]) > 0).all() and rise[25] == pytest.approx(RISE_OCTAVES)


@pytest.mark.parametrize("text", ["Is table.", "Why table?", "Table?"])  # the last: word 0 is kept
def test_nothing_else_rises(text: str) -> None:
    assert rises(Transcript.from_text(text), WINDOW) is None


@pytest.mark.parametrize(
    ("old", "new", "made"),
    [
        ("You like it. He does.", "You like it? He does.", ["it"]),
        ("You like it? He does.", "You like it. He does.", ["it"]),
        ("You like it. He does.", "You like dogs? He does.", ["dogs"]),
        ("What is it.", "What is it?", []),
        ("You like it, he does.", "You like it? He does.", []),
        ("you like it", "You like it?", []),
        ("You like it!", "You like it.", []),
    ],
)
def test_a_statement_made_a_question_has_its_last_word_made_anew(
    old: str, new: str, made: list[str]
) -> None:
    revision = Revision.of(*map(Transcript.from_text, (old, new)))
    words = revision.new_text.spoken
    assert [word for edit in revision.edits for word in words[slice(*edit.new)]] == made


def test_a_drawn_question_has_both() -> None:
    asked, said = map(Transcript.from_text, ("Is table?", "Is table."))
    rise, drawn, both = (
        rises(asked, WINDOW),
        drawn_melody(WINDOW.masked, 3),
        melody(asked, WINDOW, 3),
    )
    assert rise is not None and drawn is not None and both is not None
    assert np.array_equal(both, rise + drawn)
    assert melody(said, WINDOW, 0) is None
    assert np.array_equal(melody(said, WINDOW, 3), drawn)  # type: ignore[arg-type]
