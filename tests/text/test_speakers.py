"""Who speaks, by the names in a transcript."""

from __future__ import annotations

import pytest

from a3t.text.normaliser.unspoken import is_name
from a3t.text.transcript import Transcript, Turn, turns_of, with_names

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
