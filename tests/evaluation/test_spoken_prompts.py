"""Which recordings are prompts when speech by a prompt is measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from a3t.errors import InputError
from evaluation.edits import spoken_prompts
from training.corpora import Clip

UNSEEN = "3947"  # of LibriSpeech, among the voices that are reported


def test_further_prompts_leave_the_first_and_the_text_as_they_are() -> None:
    clips = [Clip("librispeech", UNSEEN, Path(f"{k}.flac"), "x", 5.0) for k in range(6)]
    ((one, other),) = spoken_prompts.prompts(clips, "report", 1)
    ((several, same),) = spoken_prompts.prompts(clips, "report", 1, seconds=11.0)
    assert same == other and other not in several
    assert len(one) == 1 and several[0] == one[0]
    assert len(several) == len(set(several)) == 3  # 15 s, and two have too few
    ((every, _),) = spoken_prompts.prompts(clips, "report", 1, seconds=100.0)
    assert len(every) == 5
    with pytest.raises(InputError, match="choose fewer"):
        spoken_prompts.prompts(clips, "report", 2)
