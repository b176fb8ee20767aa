"""The same figures in other words are no change; what changes in a figure is made anew whole."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from a3t.text.comparison.respelling import value
from a3t.text.normaliser.numbers import cardinal, year
from a3t.text.transcript import Transcript
from tests.text.comparison.test_respelling import changes

EDITS = Path(__file__).with_name("figures.txt").read_text(encoding="utf-8")


def made_anew(old: str, new: str) -> str:
    return " ; ".join(f"{gone}>{come}" for gone, come in changes(old, new))


def test_edits_within_figures() -> None:
    """All of the half that the rules were written by, and most of the half set aside."""
    fitted, set_aside = EDITS.split("# set aside")
    for part, share in ((fitted, 1.0), (set_aside, 0.92)):
        rows = [line.split(" | ") for line in part.splitlines() if " | " in line]
        wrong = [row for row in rows if made_anew(*row[:2]) not in [way.strip() for way in row[2:]]]
        assert len(wrong) <= (1 - share) * len(rows), wrong


@given(st.integers(1, 10**15 - 1))
def test_a_count_has_its_value(number: int) -> None:
    words = cardinal(number).split()
    assert value(words) == number
    spoken = " ".join(words).replace("hundred ", "hundred and ").split()
    assert value(spoken) == number


@given(st.integers(1010, 2099))
def test_a_year_has_its_value(number: int) -> None:
    assert value(year(number).split()) == number


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("We have one two three.", "We have one, two, three."),  # no hundred
        ("It was May. Fifth was he.", "It was the fifth of May was he."),
        ("She has twenty. Five are here.", "She has 25 are here."),
    ],
)
def test_what_is_no_single_figure(old: str, new: str) -> None:
    before, after = Transcript.from_text(old), Transcript.from_text(new)
    assert (made_anew(old, new) == "") == (before.spoken == after.spoken)


def test_no_number() -> None:
    for words in ("one two three", "twenty twelve three", "hundred", "thousand one", "and", ""):
        assert value(words.split()) is None
