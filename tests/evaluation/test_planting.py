"""The benchmarks' planted edits, and how recognition errors are counted against them."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.hearing.near_words import near, near_words, outcome
from evaluation.hearing.planting import PLANTERS, PlantedChange, Spoken, edit_of
from evaluation.hearing.recognition import Counts, counted
from training.corpora import Clip

SAID = "we meet on monday at noon".split()
POOL = ["river", "house", "monday", "at", "seven"]


@given(st.integers(0, 200), st.integers(0, 5))
def test_an_edit_changes_one_to_three_words(number: int, seed: int) -> None:
    change = edit_of(SAID, POOL, number, seed)
    assert change == edit_of(SAID, POOL, number, seed)
    assert 1 <= max(change.stop - change.start, len(change.new)) <= 3
    assert not set(change.new) & set(SAID)
    new = change.of(SAID)
    assert new[: change.start] == SAID[: change.start]
    assert new[change.start + len(change.new) :] == SAID[change.stop :]


@pytest.mark.parametrize("planter", PLANTERS)
def test_every_kind_does_something(planter) -> None:  # type: ignore[no-untyped-def]
    assert planter(SAID, POOL, random.Random(1), 1).of(SAID) != SAID


@pytest.mark.parametrize(
    ("found", "change", "counts"),
    [
        ("we meet on monday at noon", PlantedChange(3, 4, ("friday",)), Counts(6, 0, 5, 0)),
        ("we meet on friday at noon", PlantedChange(3, 4, ("friday",)), Counts(6, 1, 5, 0)),
        ("we meet on at noon", PlantedChange(3, 4, ("friday",)), Counts(6, 1, 5, 0)),
        ("we meat on monday at noon", PlantedChange(3, 4, ("friday",)), Counts(6, 1, 5, 1)),
        ("we meet on a sunny day at noon", PlantedChange(3, 4, ("friday",)), Counts(6, 3, 5, 0)),
        ("we meet on monday at twelve noon", PlantedChange(2, 2, ("just",)), Counts(6, 1, 6, 1)),
        ("we meet just on monday at noon", PlantedChange(2, 2, ("just",)), Counts(6, 1, 6, 0)),
        ("", PlantedChange(0, 1, ()), Counts(6, 6, 5, 5)),
    ],
)
def test_errors_inside_and_outside_the_edit_are_counted_apart(
    found: str, change: PlantedChange, counts: Counts
) -> None:
    assert counted(SAID, found.split(), change) == counts


@pytest.mark.parametrize("number", [0, 1])
def test_a_near_word_is_another_that_sounds_otherwise(number: int) -> None:
    said = "he passed their house today".split()
    change = near(said, number, 1)
    assert change is not None and change.stop == change.start + 1
    assert change.new[0] in near_words(said[change.start])[number]
    assert change.new[0] not in (said[change.start], "there", "past")


def test_an_outcome_says_what_is_planned_and_what_else_is_touched() -> None:
    clip = Clip("librispeech", "1", Path("x"), " ".join(SAID), 3.0)
    spoken = Spoken(clip, tuple(SAID), np.zeros(1), 16_000)
    change = PlantedChange(3, 4, ("friday",))
    for found, planned, touched, nothing in (
        (SAID, True, False, False),
        (change.of(SAID), False, False, True),
        ("we greet on monday at noon".split(), True, True, False),
    ):
        row = outcome("near", spoken, change, found)
        assert (row["planned"], row["touched"], row["nothing"]) == (planned, touched, nothing)
