"""What of the recording's own sound is wanted: said on the command line, told in edit.json."""

from __future__ import annotations

from argparse import ArgumentTypeError
from pathlib import Path

import numpy as np
import pytest

from a3t.asked import Asked
from a3t.audio.match import EVERYTHING, Matching
from a3t.commands import matching
from a3t.editor import Editor
from tests.conftest import ARCTIC


@pytest.mark.parametrize(
    ("named", "match"),
    [
        ("none", Matching(False, False, False)),
        ("bandwidth,spectrum,room", EVERYTHING),
        (" Room , bandwidth,", Matching(bandwidth=True, spectrum=False, room_tone=True)),
    ],
)
def test_names_on_the_command_line(named: str, match: Matching) -> None:
    assert matching(named) == match


def test_another_name_is_refused() -> None:
    with pytest.raises(ArgumentTypeError, match="“rooms” is none of bandwidth, spectrum, room"):
        matching("bandwidth,rooms")


def test_what_was_asked_is_told_and_read_again() -> None:
    asked = Asked(match=matching("spectrum"))
    told = asked.to_json()
    assert told["match"] == {"bandwidth": False, "spectrum": True, "room_tone": False}
    assert Asked.from_json(told) == asked
    del told["match"]
    assert Asked.from_json(told).match == EVERYTHING


def test_it_changes_the_patch_and_can_be_left_away(editor: Editor, arctic: Path) -> None:
    new = ARCTIC.replace("always", "never")
    plan = editor.plan(arctic, new, ARCTIC)
    alignment = plan.alignment
    samples = []
    for match in (EVERYTHING, EVERYTHING, matching("none")):
        asked = Asked(match=match)
        result = editor.edit(arctic, new, ARCTIC, alignment, check=False, asked=asked)
        assert result.record["asked"]["match"] == Asked(match=match).to_json()["match"]
        samples.append(result.patches[0].samples)
    assert np.array_equal(samples[0], samples[1])
    assert not np.array_equal(samples[0], samples[2])
