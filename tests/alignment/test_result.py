"""Alignment records survive JSON and cover the recording."""

from __future__ import annotations

import dataclasses
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alignment import PAUSE, Alignment, Phone, Word, pause


@st.composite
def alignments(draw: st.DrawFn) -> Alignment:
    """Words and pauses of 1 to 3 phones, end to end."""
    clock = draw(st.sampled_from([0.0, 0.1]))
    words = [pause(0.0, clock)] if clock else []
    for text in draw(st.lists(st.sampled_from(["a", "ice", "naïve", "", "it's"]), max_size=6)):
        score = draw(st.floats(0, 1))
        if not text:
            words.append(pause(clock, clock + 0.25, score))
        else:
            edges = [clock]
            for _ in range(draw(st.integers(1, 3))):
                edges.append(edges[-1] + draw(st.floats(0.01, 0.5)))
            phones = tuple(
                Phone("AH0", a, b, score) for a, b in zip(edges, edges[1:], strict=False)
            )
            words.append(Word(text, edges[0], edges[-1], score, phones))
        clock = words[-1].end
    return Alignment(tuple(words), clock, draw(st.floats(0, 1)))


@settings(derandomize=True, max_examples=50)
@given(alignments())
def test_json_gives_the_same_back(alignment: Alignment) -> None:
    assert Alignment.from_json(json.loads(json.dumps(alignment.to_json()))) == alignment


@settings(derandomize=True, max_examples=50)
@given(alignments())
def test_spoken_excludes_only_pauses(alignment: Alignment) -> None:
    assert [word.text for word in alignment.spoken] == [w.text for w in alignment.words if w.text]
    assert len(alignment.phones) == sum(len(word.phones) for word in alignment.words)


def test_a_pause_has_no_text_and_one_phone() -> None:
    quiet = pause(1.0, 1.5, 0.5)
    assert quiet.is_pause
    assert [phone.symbol for phone in quiet.phones] == [PAUSE]
    assert quiet.duration == quiet.phones[0].duration == 0.5


def test_records_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        pause(0.0, 1.0).start = 0.5  # type: ignore[misc]


@pytest.mark.parametrize("missing", ["words", "duration"])
def test_a_record_that_lacks_something_is_an_error(missing: str) -> None:
    data = Alignment((pause(0.0, 1.0),), 1.0).to_json()
    del data[missing]
    with pytest.raises(KeyError):
        Alignment.from_json(data)
