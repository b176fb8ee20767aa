"""A text, its spoken words, and the written tokens behind them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from a3t.errors import InputError
from a3t.text.normaliser.unspoken import is_name
from a3t.text.transcript import Transcript, Turn, turns_of, with_names

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


@given(st.lists(st.sampled_from(["Mr.", "3.5", "cat,", "–", "5pm", "U.S.", "“no”", "😀", "etc."])))
def test_json_keeps_any_transcript(pieces: list[str]) -> None:
    try:
        transcript = Transcript.from_text(" ".join(pieces))
    except InputError:
        return
    assert Transcript.from_json(json.loads(json.dumps(transcript.to_json()))) == transcript
    assert transcript.written(0, len(transcript.words)).split() == pieces


TALK = "Speaker 1: Hello there. Speaker 2: Hi, how are you?\nSpeaker 1: Fine [laughs]"


def test_names_belong_to_what_follows_and_are_not_spoken() -> None:
    text = Transcript.from_text(TALK)
    assert text.spoken == ("hello", "there", "hi", "how", "are", "you", "fine")
    assert turns_of(text) == (
        Turn("Speaker 1", 0, 2), Turn("Speaker 2", 2, 6), Turn("Speaker 1", 6, 7),
    )  # fmt: skip
    assert [word.mark for word in text.words] == ["", ".", ",", "", "", "?", ""]
    assert [text.said(turn.first, turn.last) for turn in turns_of(text)] == [
        "Hello there.", "Hi, how are you?", "Fine [laughs]",
    ]  # fmt: skip
    assert Transcript.from_json(text.to_json()) == text


@pytest.mark.parametrize(
    "text",
    [
        TALK,
        "ANNA: I know.\nBOB: So do I.\nANNA: Good.",
        "Host: Welcome. Guest: Thank you. Host: Who are you?",
    ],
)
def test_a_transcript_with_names_reads_back(text: str) -> None:
    said = Transcript.from_text(text)
    names = [word.speaker for word in said.words]
    again = Transcript.from_text(with_names(said, names))
    assert again.spoken == said.spoken
    assert [word.speaker for word in again.words] == names


def test_without_names_nobody_is_named() -> None:
    text = Transcript.from_text("The time is: ten. He said: come.")
    assert turns_of(text) == (Turn("", 0, len(text.words)),)
    speakers = ["Speaker 1"] * 4 + ["Speaker 2"] * 3
    assert with_names(text, speakers) == "Speaker 1: The time is: ten.\nSpeaker 2: He said: come."


def test_a_name_at_the_end_says_nothing() -> None:
    text = Transcript.from_text("Host: Good night.\nGuest: ")
    assert text.spoken == ("good", "night") and text.words[0].speaker == "Host"


def test_a_name_beside_a_numbered_speaker_is_one_too() -> None:
    text = Transcript.from_text("ANNA: Good night.\nSpeaker 2: Sleep well.")
    assert text.spoken == ("good", "night", "sleep", "well")
    assert [word.speaker for word in text.words] == ["ANNA"] * 2 + ["Speaker 2"] * 2


def test_what_can_be_a_name() -> None:
    names = ("ANNA", "DR. O'NEIL", "Speaker 12", "Host")
    assert all(map(is_name, names))
    assert not any(map(is_name, ("Anna", "", "A", "ANNA: BOB", "ANNA\nBOB", "ONE TWO THREE FOUR")))
