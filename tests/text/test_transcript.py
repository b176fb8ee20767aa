"""A text, its spoken words, and the written tokens behind them."""

from __future__ import annotations

import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from a3t.errors import InputError
from a3t.text.transcript import Transcript

TEXT = "“Well,” said Dr. Smith — it cost $5.20 on May 6th, 2020!"


@pytest.fixture(scope="module")
def transcript() -> Transcript:
    return Transcript.from_text(TEXT)


def test_words_and_the_tokens_behind_them(transcript: Transcript) -> None:
    expected = (
        "well said doctor smith it cost five dollars and twenty cents on may sixth twenty twenty"
    )
    assert transcript.spoken == tuple(expected.split())
    assert transcript.text == TEXT
    assert [word.written for word in transcript.words][6:11] == ["$5.20"] * 5
    tokens = [word.token for word in transcript.words]
    assert tokens == sorted(tokens) and set(tokens) == set(range(tokens[-1] + 1))


def test_pauses_stand_after_the_last_word_of_a_token(transcript: Transcript) -> None:
    paused = [word.text for word in transcript.words if word.pause_after]
    assert paused == ["well", "smith", "sixth", "twenty"]
    five = transcript.words[6:11]
    assert not any(word.pause_after for word in five)


def test_marks() -> None:
    text = "Well, (who?) said “no!” — so… he: went; home." + " Why?!"
    words = Transcript.from_text(text).words
    assert [(word.text, word.mark) for word in words if word.mark] == [
        ("well", ","), ("who", "?"), ("no", "—"), ("so", "."), ("he", ":"), ("went", ":"),
        ("home", "."), ("why", "?"),
    ]  # fmt: skip
    assert Transcript.from_text("so it is").words[2].mark == ""


def test_written_ranges(transcript: Transcript) -> None:
    count = len(transcript.words)
    assert transcript.written(0, count).split() == TEXT.split()
    assert transcript.written(2, 4) == "Dr. Smith —"
    assert transcript.written(7, 8) == "$5.20"  # a part of a token shows the whole of it
    assert transcript.written(5, 7) == "cost $5.20"
    assert transcript.written(3, 3) == "" and transcript.written(count, count) == ""


def test_to_json_and_back(transcript: Transcript) -> None:
    record = json.loads(json.dumps(transcript.to_json()))
    assert Transcript.from_json(record) == transcript
    assert set(record) == {"text", "words", "pauses", "emphasis"}
    assert record["words"][0] == {
        "text": "well", "written": "“Well,”", "pause_after": True, "token": 0,
    }  # fmt: skip


def test_another_record_is_refused(transcript: Transcript) -> None:
    with pytest.raises(KeyError):
        Transcript.from_json({"text": "a"})
    with pytest.raises(TypeError):
        Transcript.from_json({"text": "a", "words": [{"text": "a"}]})


def test_records_are_immutable(transcript: Transcript) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        transcript.text = "other"  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        transcript.words[0].text = "other"  # type: ignore[misc]


def test_the_limit_is_handed_on() -> None:
    with pytest.raises(InputError, match="4 words, and the limit is 3"):
        Transcript.from_text("one two three four", max_words=3)
    assert len(Transcript.from_text("yes " * 3000, max_words=None).words) == 3000


@given(st.lists(st.sampled_from(["Mr.", "3.5", "cat,", "–", "5pm", "U.S.", "“no”", "😀", "etc."])))
def test_json_keeps_any_transcript(pieces: list[str]) -> None:
    try:
        transcript = Transcript.from_text(" ".join(pieces))
    except InputError:
        return
    assert Transcript.from_json(json.loads(json.dumps(transcript.to_json()))) == transcript
    assert transcript.written(0, len(transcript.words)).split() == pieces
