"""The attention of the network as it fills an edit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from a3t.audio.recording import Recording
from a3t.editor import Editor
from a3t.errors import InputError
from a3t.evaluation.attention import SHOWN, Attention, attention_of_edit
from tests.conftest import ARCTIC


def test_the_new_words_of_an_edit_and_their_neighbours(editor: Editor, arctic: Path) -> None:
    recording = Recording.open(arctic)
    plan = editor.plan(recording, new_text=ARCTIC.replace("always", "never"), text=ARCTIC)
    shown = attention_of_edit(editor, plan)
    new = tuple(phone.symbol for phone in plan.edits[0].phones)
    assert "".join(new) in "".join(shown.phones) and len(shown.phones) == SHOWN
    assert shown.weights.shape == (shown.edges[-1] - shown.edges[0], SHOWN)
    assert (shown.weights >= 0).all() and (shown.weights.sum(1) <= 1 + 1e-5).all()
    deletion = editor.plan(recording, new_text=ARCTIC.replace("always ", ""), text=ARCTIC)
    with pytest.raises(InputError, match="no new words"):
        attention_of_edit(editor, deletion)


def test_the_shown_part_stays_within_the_clip() -> None:
    whole = Attention(np.ones((40, 20)), tuple("abcdefghijklmnopqrst"), np.arange(0, 41, 2))
    for first, last in ((0, 1), (19, 20), (5, 18)):
        part = whole.around(first, last)
        assert set(whole.phones[first:last]) <= set(part.phones)
        assert part.weights.shape == (part.edges[-1] - part.edges[0], len(part.phones))
