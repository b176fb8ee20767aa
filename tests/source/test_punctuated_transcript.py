"""Transcripts without punctuation: restored for a plan and for people, shown, and left alone."""

import json
from pathlib import Path

import pytest

from a3t.commands import edit, transcribe
from a3t.editor import Editor
from a3t.plan.revision import Revision
from a3t.source.alignments import pauses_after_words, punctuated
from a3t.text.transcript import Transcript
from alignment import Alignment, Phone, Word, pause
from tests.conftest import ARCTIC, NEVER

BARE = ARCTIC.lower().rstrip(".")


def said(*words: str | float) -> Alignment:
    """Words of half a second, and pauses of the numbers' length."""
    result, now = [], 0.0
    for word in words:
        length = word if isinstance(word, float) else 0.5
        if isinstance(word, float):
            result.append(pause(now, now + length))
        else:
            result.append(Word(word, now, now + length, 1.0, (Phone("AH1", now, now + length),)))
        now += length
    return Alignment(tuple(result), now)


def test_pauses_are_those_between_aligned_words() -> None:
    text = Transcript.from_text("one two three four five six")
    whole = (said("one", "two", 0.25, "three", "four", "five", 0.75, "six"), ((0, 6),))
    expected = [0.0, 0.25, 0.0, 0.0, 0.75, None]
    assert pauses_after_words(text, *whole) == pytest.approx(expected)
    part = (said("two", 0.25, "three", "five", "six"), ((1, 3), (4, 6)))
    assert pauses_after_words(text, *part) == pytest.approx([None, 0.25, None, None, 0.0, None])


def test_what_is_punctuated_or_short_stays_itself() -> None:
    for text in (ARCTIC, "we came, and then left", "so it is", "Ann"):
        transcript = Transcript.from_text(text)
        assert punctuated(transcript, None) is transcript


def test_a_plan_restores_and_says_so(editor: Editor, arctic: Path) -> None:
    new = NEVER
    plan = editor.plan(arctic, new_text=new, text=BARE)
    assert plan.source.restored and plan.text.is_punctuated
    assert plan.text.spoken == Transcript.from_text(BARE).spoken
    assert plan.source.text.text == plan.text.text != BARE
    as_it_is = editor.plan(arctic, new_text=new, text=BARE, punctuate=False)
    assert not as_it_is.source.restored and as_it_is.source.text.text == BARE
    assert not editor.plan(arctic, new_text=new, text=ARCTIC).source.restored


def test_the_command_line_shows_it_and_can_be_told_not_to(
    arctic: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["--wav", str(arctic), "--text", BARE, "--new-text", BARE.replace("see", "hear")]
    assert edit.main([*command, "--plan"]) == 0
    shown = capsys.readouterr().err
    assert "--no-punctuation" in shown and "And you always want to see it" in shown
    assert edit.main([*command, "--plan", "--json", "--no-punctuation"]) == 0
    told = capsys.readouterr()
    assert "--no-punctuation" not in told.err
    plan = json.loads(told.out)
    assert plan["text"] == BARE and plan["asked"]["punctuate"] is False


def test_transcribing(tmp_path: Path, arctic: Path, capsys: pytest.CaptureFixture[str]) -> None:
    talk = tmp_path / "talk.wav"
    talk.write_bytes(arctic.read_bytes())
    talk.with_suffix(".txt").write_text(BARE)
    assert transcribe.main([str(talk)]) == 0
    printed = capsys.readouterr().out.strip()
    assert printed != BARE and printed.lower().replace(",", "").rstrip(".?") == BARE
    assert transcribe.main([str(talk), "--no-punctuation"]) == 0
    assert capsys.readouterr().out.strip() == BARE
    assert transcribe.main([str(tmp_path / "none.wav")]) == 1
    editor = Editor.load()
    assert editor.transcribe(talk).text == printed == editor.transcribe(talk, text=BARE).text
    assert editor.transcribe(talk, punctuate=False).text == BARE


@pytest.mark.parametrize(
    "new", ["Do you like it? He goes home today.", "Do you like it. He goes home today?"]
)
def test_where_the_new_text_has_questions_is_not_guessed_otherwise(new: str) -> None:
    """Else a record, which has the restored text, would be replayed with another edit."""
    text, new_text = (
        Transcript.from_text("do you like it he goes home now"),
        Transcript.from_text(new),
    )
    revision = Revision.of(text, new_text)
    found = punctuated(text, None, revision.revised)
    assert found.is_punctuated and found.spoken == text.spoken
    assert Revision.of(found, new_text).edits == revision.edits
