"""Words that the text has and nobody says: leaving them out of the new text cuts no sound."""

from pathlib import Path
from typing import NoReturn

import pytest

from a3t import Editor
from a3t.plan import unheard_words
from alignment import AlignmentError
from tests.conftest import ARCTIC, NEVER


def plan_of(editor: Editor, wav: Path, text: str, new_text: str) -> tuple[list[str], list[str]]:
    plan = editor.plan(wav, text=text, new_text=new_text)
    return [edit.old_words for edit in plan.edits], list(plan.unheard)


@pytest.mark.parametrize(
    ("text", "unheard"),
    [
        (f"Chapter 3. {ARCTIC}", "Chapter 3."),
        (f"1. {ARCTIC}", "1."),
        (f"Part two: the sea. {ARCTIC}", "Part two: the sea."),
        (ARCTIC.replace("want to", "want (see below) to"), "(see below)"),
        (ARCTIC.replace(" always", " always Mister Smith"), "Mister Smith"),
        (f"{ARCTIC} Page 12", "Page 12"),
        (f"{ARCTIC} The end.", "The end."),
    ],
)
def test_what_nobody_says_is_left_alone(
    text: str, unheard: str, editor: Editor, arctic: Path
) -> None:
    own = plan_of(editor, arctic, ARCTIC, NEVER)
    assert own == (["always"], [])
    assert plan_of(editor, arctic, text, NEVER) == (["always"], [unheard])
    alone = editor.plan(arctic, text=text, new_text=ARCTIC)
    assert not alone.edits and alone.unheard == (unheard,)
    assert alone.describe() == f"“{unheard}” was not heard in the recording: left alone"
    assert alone.text.spoken == alone.new_text.spoken


@pytest.mark.parametrize("word", ["always", "see", "it", "superlative"])
def test_what_is_said_is_cut(word: str, editor: Editor, arctic: Path) -> None:
    edits, unheard = plan_of(editor, arctic, ARCTIC, ARCTIC.replace(f" {word}", ""))
    assert (edits, unheard) == ([word], [])


@pytest.mark.parametrize("wrong", ["very often", "frequently", "never ever"])
def test_other_words_than_the_text_has_are_cut(wrong: str, editor: Editor, arctic: Path) -> None:
    text = ARCTIC.replace("always", wrong)
    edits, unheard = plan_of(editor, arctic, text, ARCTIC.replace(" always", ""))
    assert edits == [wrong] and not unheard


def test_a_rest_that_does_not_match_shows_that_the_words_are_said(
    editor: Editor, arctic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Doubted words may be said by somebody whom the aligner hardly understands at all."""

    def mismatch(*of: object) -> NoReturn:
        raise AlignmentError("The recording doesn't match its text.")

    monkeypatch.setattr(unheard_words, "_without", mismatch)
    text = ARCTIC.replace("always", "very often")
    edits, unheard = plan_of(editor, arctic, text, ARCTIC.replace(" always", ""))
    assert edits == ["very often"] and not unheard


def test_it_is_recorded(editor: Editor, arctic: Path) -> None:
    result = editor.edit(arctic, text=f"Chapter 3. {ARCTIC}", new_text=NEVER, verify=False)
    record = result.record
    assert record["unheard"] == ["Chapter 3."] and record["text"] == ARCTIC
    assert [edit["old_words"] for edit in record["edits"]] == ["always"]
