"""The choice of prompts for measuring speech from a prompt."""

from __future__ import annotations

from pathlib import Path

import pytest

from a3t.errors import InputError
from evaluation.edits.spoken_prompts import prompts
from training.corpora import Clip

UNSEEN = "3947"  # of LibriSpeech, among the voices that are reported


def test_a_prompt_and_its_text_are_of_one_unseen_voice() -> None:
    clips = [Clip("librispeech", UNSEEN, Path(f"{k}.flac"), "x", 5.0) for k in range(6)]
    ((name, one, other),) = prompts(clips, "report", 1)
    assert (
        name == other.name
        and one != other
        and {one.voice, other.voice} == {f"librispeech-{UNSEEN}"}
    )
    assert prompts(clips[::-1], "report", 1) == [(name, one, other)]
    with pytest.raises(InputError, match="choose fewer"):
        prompts(clips, "report", 2)
    with pytest.raises(InputError, match="choose fewer"):
        prompts(clips, "choose", 1)
