"""Parts of a transcript that are not spoken, and text that only looks like them."""

import pytest

from a3t.text.normaliser.normalise import normalise, skipped
from a3t.text.normaliser.unspoken import names_a_sound, unspoken
from a3t.text.transcript import Transcript

SUBTITLES = """WEBVTT - a talk

1
00:00:01.000 --> 00:00:03.500 align:start position:0%
<v Anna>Welcome back. [Music]

2
00:00:04.000 --> 00:00:05.000
{\\an8}<i>Thank you</i> (laughs).
"""
SPEAKERS = """ANNA: Good morning.
BOB SMITH: Good morning to you.
Speaker 3: And a good day.
>> Hello. Host: hi."""


def said(text: str) -> str:
    return " ".join(word for token in normalise(text) for word in token.words)


def test_a_subtitle_file() -> None:
    assert said(SUBTITLES) == "welcome back thank you"


def test_who_speaks() -> None:
    assert said(SPEAKERS) == "good morning good morning to you and a good day hello hi"


def test_sounds(subtests: pytest.Subtests) -> None:
    for sound in [
        "[Music]", "[MUSIC PLAYING]", "[upbeat music]", "[inaudible 00:12:03]", "(laughs softly)",
        "(audience applauds)", "[door slams]", "[speaking Spanish]", "(clears throat)",
        "[BLANK_AUDIO]", "(phone ringing)", "[♪ music ♪]",
    ]:  # fmt: skip
        with subtests.test(sound=sound):
            assert names_a_sound(sound[1:-1], square=sound[0] == "[")
            assert said(f"So {sound} here we are.") == "so here we are"
            assert skipped(f"So {sound} here we are.") == [sound]


def test_text_entirely_in_brackets_is_spoken(subtests: pytest.Subtests) -> None:
    for spoken in [
        "(I think)", "[the president]", "(as usual)", "(laughing matters a lot here)", "[US]",
        "(see page two)", "(the end)", "[he]", "x < b > c", "(sighing she left)",
    ]:  # fmt: skip
        text = f"We know {spoken} that."
        with subtests.test(spoken=spoken):
            assert not skipped(text) and not unspoken(text)


def test_a_heading_is_not_a_speaker() -> None:
    assert said("WARNING: keep out") == "warning keep out"
    assert said("There are two speakers: Ann and Bob") == "there are two speakers ann and bob"


def test_it_stays_in_the_text() -> None:
    text = "[Music] Welcome (laughs), Bob. <i>So</i> [applause]"
    transcript = Transcript.from_text(text)
    assert transcript.spoken == ("welcome", "bob", "so")
    whole = transcript.written(0, len(transcript.words))
    assert "".join(whole.split()) == "".join(text.split())
    assert transcript.words[0].pause_after
