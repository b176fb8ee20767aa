"""Word times corrected by the user, and word times after an edit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from a3t.editor import Editor
from a3t.errors import InputError
from a3t.rendering.edited_alignment import edited_alignment
from alignment import Alignment, Phone, Word, pause
from alignment.formats.assembly import require_whole
from app.word_times import move_word
from tests.conftest import ARCTIC


def word(text: str, start: float, end: float, phones: int = 2) -> Word:
    edges = np.linspace(start, end, phones + 1)
    return Word(
        text,
        start,
        end,
        0.9,
        tuple(Phone("AH0", float(a), float(b)) for a, b in zip(edges, edges[1:], strict=False)),
    )


ALIGNED = Alignment(
    (pause(0, 0.2), word("one", 0.2, 0.5), word("two", 0.5, 0.9), word("three", 1.0, 1.5)), 1.5
)
ALIGNED = Alignment(
    (*ALIGNED.words[:3], pause(0.9, 1.0), ALIGNED.words[3]), ALIGNED.duration, ALIGNED.score
)


def spans(alignment: Alignment) -> list[tuple[float, float]]:
    return [(round(w.start, 3), round(w.end, 3)) for w in alignment.spoken]


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (0.5, 0.9, [(0.2, 0.5), (0.5, 0.9), (1.0, 1.5)]),
        (0.55, 0.85, [(0.2, 0.5), (0.55, 0.85), (1.0, 1.5)]),  # gaps become pauses
        (0.4, 1.1, [(0.2, 0.4), (0.4, 1.1), (1.1, 1.5)]),  # neighbours give way
    ],
)
def test_a_moved_word(start: float, end: float, expected: list[tuple[float, float]]) -> None:
    moved = move_word(ALIGNED, 1, start, end)
    assert spans(moved) == expected
    assert [w.text for w in moved.spoken] == ["one", "two", "three"]
    require_whole(moved, Path("moved"))
    assert moved.duration == ALIGNED.duration


@pytest.mark.parametrize(
    ("number", "start", "end"),
    [
        (3, 0.1, 0.2),
        (-1, 0.1, 0.2),
        (1, 0.9, 0.5),
        (1, 0.6, 0.61),
        (1, 0.21, 0.9),
        (1, float("nan"), 0.9),
        (1, 0.5, float("inf")),
        (2, 1.6, 9.0),
    ],
)
def test_a_word_that_can_not_be_there(number: int, start: float, end: float) -> None:
    with pytest.raises(InputError):
        move_word(ALIGNED, number, start, end)


@pytest.mark.parametrize(
    "new_text",
    [
        "And you never want to see it in the superlative degree.",
        "You never want to see it again in the superlative degree.",
        "And you always want to see it.",
        "Well and you always want to see it in the superlative degree, my friend.",
        ARCTIC,
    ],
)
def test_words_after_an_edit(editor: Editor, arctic: Path, new_text: str, tmp_path: Path) -> None:
    result = editor.edit(arctic, new_text=new_text, text=ARCTIC)
    out = result.save(tmp_path / "out.wav")
    moved = edited_alignment(result, result.plan.alignment)
    require_whole(moved, Path("after"))
    assert [w.text for w in moved.spoken] == list(result.plan.new_text.spoken)
    samples = soundfile.read(out)[0]
    assert moved.duration == pytest.approx(len(samples) / 16000, abs=1e-6)
    # The edited recording can be edited again with these times …
    again = editor.plan(out, new_text=f"{new_text} Yes.", text=new_text, alignment=moved)
    assert [edit.op for edit in again.edits] == ["insert"]
    # … and a kept word is where its samples are.
    if moved.spoken[-1].text == "degree":
        source = soundfile.read(arctic)[0]
        first, second = (
            round(aligned.spoken[-1].start * 16000 + 2000)
            for aligned in (result.plan.alignment, moved)
        )
        kept = source[first : first + 800]
        assert any(
            np.array_equal(samples[k : k + 800], kept) for k in range(second - 1, second + 2)
        )
