"""Measures of hearing: planted edits, labels by hand, edges of sound, live words."""

import random
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from a3t.source.records import Comparison, FoundTranscript, Judgement, Place
from a3t.text.transcript import Transcript
from alignment import Phone, Word
from alignment.recognition.live import LiveWords
from alignment.recognition.network_recogniser import RecognisedWord
from evaluation.harness.estimates import Interval
from evaluation.hearing.hand_labels import Segment, boundaries, labelled_words, read_labels
from evaluation.hearing.live_words import TABLE, SpokenStream, listened, lost
from evaluation.hearing.near_texts import joined, near, near_words, small
from evaluation.hearing.near_words import MEASUREMENT as NEAR_WORDS
from evaluation.hearing.near_words import outcome
from evaluation.hearing.planting import PLANTERS, PlantedChange, Spoken, edit_of
from evaluation.hearing.recognition import Counts, counted
from evaluation.hearing.several_changes import _holders, judged, several
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
        for asked in (False, True):
            text = Transcript.from_text(" ".join(found))
            judged = (Judgement("open" if asked else "change", 0.5, ticked=True),)
            places = (Place((0, 1), (0, 1)),)
            comparison = Comparison(text, (), text, (), places, judged)
            heard = FoundTranscript(text, comparison=comparison)
            row = outcome("near", spoken, change, heard)
            assert (row["planned"], row["touched"], row["nothing"]) == (planned, touched, nothing)
            assert row["right_unasked"] == (planned and not touched and not asked)
            assert row["touched_unasked"] == (touched and not asked)


def test_joined_clips_last_as_long_as_asked_and_say_what_each_says() -> None:
    clip = Clip("librispeech", "1", Path("x"), " ".join(SAID), 25.0)
    clips = [Spoken(clip, tuple(SAID), np.ones(25 * 8_000, np.float32), 8_000)] * 7
    found = list(joined(clips, 1))
    assert [len(each.words) for each in found] == [3 * len(SAID)] * 2  # one is left over
    assert all(len(each.samples) >= 60 * each.rate for each in found)


@pytest.mark.parametrize("number", range(4))
def test_a_small_word_goes_or_comes(number: int) -> None:
    change = small("he put it in the box".split(), number, 1)
    assert change is not None and (change.stop - change.start) + len(change.new) == 1
    assert small("nobody ever knew".split(), 0, 1) is None


ROWS = """0.000	0.100	sil	-
0.100	0.130	q	an
0.130	0.200	AE	an	creak
0.200	0.250	N	an
0.250	0.300	sil	-
0.300	0.400	OW	owl
0.400	0.500	L	owl
"""


def test_a_glottal_stop_belongs_to_its_word_and_other_phones_are_not_compared(
    tmp_path: Path,
) -> None:
    (tmp_path / "1.tsv").write_text(ROWS)
    an, owl = labelled_words(read_labels(tmp_path / "1.tsv"))
    assert (an.start, an.before, an.after) == (pytest.approx(0.1), True, True)
    assert (owl.start, owl.end, owl.before, owl.after) == (0.3, 0.5, True, False)

    found = Word("an", 0.11, 0.26, 1.0, (Phone("AE1", 0.11, 0.21), Phone("N", 0.21, 0.26)))
    assert [row[1:] for row in boundaries(found, an)] == [
        (True, 0.11, an.start),
        (False, 0.21, 0.2),
        (True, 0.26, 0.25),
    ]
    other = Word("owl", 0.3, 0.5, 1.0, (Phone("AW1", 0.3, 0.42), Phone("L", 0.42, 0.5)))
    # The vowels differ, and the recording ends within the last word.
    assert [row[1] for row in boundaries(other, owl)] == [True]


def test_a_recording_that_begins_within_a_word_has_no_boundary_there() -> None:
    (word,) = labelled_words([Segment(0.0, 0.1, "AY", "i")])
    assert not word.before
    assert not list(boundaries(Word("i", 0.02, 0.1, 1.0, (Phone("AY1", 0.02, 0.1),)), word))


def words(text: str) -> tuple[RecognisedWord, ...]:
    return tuple(RecognisedWord(word, 0.0, 0.0) for word in text.split())


def test_words_are_as_late_as_they_stay() -> None:
    said = ("one", "two", "three", "four")
    stream = SpokenStream("corpus", np.zeros(16_000), said, (0.5, 1.0, 1.5, 2.0))
    shown = [
        (1.0, LiveWords((), words("won"))),
        (2.0, LiveWords((), words("one to"))),
        (3.0, LiveWords(words("one"), words("two"))),
        (4.0, LiveWords(words("two"), words("tree for"))),
        (5.0, LiveWords(words("three for"))),
    ]
    found = listened(lambda stream: iter(shown), stream)
    assert (found["words"], found["wrong"], found["found"]) == (4, 1, "one two three for")
    assert found["changed"] == 3  # won, to, tree
    assert found["shown"] == [1.5, 2.0, 3.5]
    assert found["final"] == [2.5, 3.0, 3.5]
    table = TABLE.markdown([{"system": "a", **found}])
    assert "| a | all | 4 | 25.0 | 2.33 | 3.20 | 3.00 | 3.40 | 75 |" in table


def test_words_that_change_and_errors_are_counted() -> None:
    assert lost("a b c".split(), "a c d".split()) == 1
    assert lost("a b".split(), "x a b y".split()) == 0


def test_several_changes_are_planted_apart_and_the_same_each_time() -> None:
    said = tuple("and you always want to see it in the superlative degree as he said then".split())
    pool = ["house", "river", "seven"]
    text = several(said, pool, 3, 7)
    assert text == several(said, pool, 3, 7) != several(said, pool, 4, 7)
    assert 2 <= len(text.changes) <= 5
    for before, after in pairwise(text.changes):
        assert before.stop + 2 <= after.start
    for change, (first, last) in zip(text.changes, text.places(), strict=True):
        assert tuple(text.new[first:last]) == change.new


def test_who_left_a_word_out_does_not_tick_the_misheard_one_beside_it() -> None:
    beside, left_out = Place((2, 3), (2, 3)), Place((3, 4), (3, 3))
    assert _holders([beside, left_out], (3, 3)) == [1]
    assert _holders([Place((2, 4), (2, 3))], (3, 3)) == [0]


@pytest.mark.parametrize(
    ("nats", "right", "ticked", "false"),
    [
        ([45, 45], True, True, 0),
        ([45, -45], False, False, 0),  # one is left unasked
        ([45, 13], True, False, 0),  # the list is shown, and answered
        ([45, 45, 45], False, False, 1),
    ],
)
def test_a_list_is_scored_by_the_changes_that_it_names(
    nats: list[float], right: bool, ticked: bool, false: int
) -> None:
    heard, spelt = "we met at nine on monday".split(), "we met at ten on tuesday".split()
    places = [((3, 4), (3, 4)), ((5, 6), (5, 6))]
    if len(nats) > 2:  # one that is no change
        heard, places = ["he", *heard[1:]], [((0, 1), (0, 1)), *places]
    row = {
        "heard": heard, "spelt": spelt, "confidences": [1.0] * 6, "kept": None, "seconds": 60,
        "places": places, "evidence": [(each, 0, 0, 0, 0, 0, 0) for each in nats],
        "weights": "whisper", "changes": [(3, 4), (5, 6)],
        "kind": "several", "recogniser": "network",
    }  # fmt: skip
    found = judged(row)
    assert (found["named"], found["changed"]) == (2, 2)
    figures = (found["right"], found["right_ticked"], found["false"])
    assert figures == (right, ticked, false)
    summed = NEAR_WORDS.figures([row])
    assert isinstance(named := summed["network.several.named"], Interval)
    assert (named.value, summed["network.several.false"]) == (100, false)
