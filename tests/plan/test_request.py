"""Edit requests on the command line and in an edit.json."""

from __future__ import annotations

import json
from argparse import ArgumentTypeError
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from a3t.audio.matching.match_options import ALL_TRAITS, MatchedTraits
from a3t.commands.editing.edit_options import matching
from a3t.editor import Editor
from a3t.plan.request import EditRequest, pronunciations_of
from tests.conftest import ARCTIC


def test_names_on_the_command_line(subtests: pytest.Subtests) -> None:
    for named, match in [
        ("none", MatchedTraits(False, False, False, False)),
        ("bandwidth,spectrum,room,coding", ALL_TRAITS),
        (" Room , bandwidth,", MatchedTraits(True, spectrum=False, room_tone=True, coding=False)),
    ]:
        with subtests.test(named=named, match=match):
            assert matching(named) == match


def test_another_name_is_refused() -> None:
    with pytest.raises(ArgumentTypeError, match="“rooms” is none of bandwidth"):
        matching("bandwidth,rooms")


def test_a_request_survives_json() -> None:
    request = EditRequest(
        new_text="never",
        text="always",
        speed=1.5,
        margin=0.1,
        lengths=((0.5, 0.25), (1.0,)),
        pronunciations=pronunciations_of({"never": [["N", "EH1", "V", "ER0"]]}),
        match=matching("spectrum"),
        seed=7,
    )
    record = json.loads(json.dumps(request.to_json()))
    kept = {"bandwidth": False, "spectrum": True, "room_tone": False, "coding": False}
    assert record["asked"]["match"] == kept
    assert EditRequest.from_json(record) == request
    del record["asked"]["match"]
    assert EditRequest.from_json(record).match == ALL_TRAITS


def test_non_numbers_in_a_record_are_refused(subtests: pytest.Subtests) -> None:
    for asked in ["speed", "margin", "duration", "reach"]:
        for value in ["fast", float("nan"), float("inf"), 10**400, [1], {}]:
            with subtests.test(asked=asked, value=value):
                record = EditRequest(new_text="never", text="always").to_json()
                record["asked"] |= {asked: value}
                with pytest.raises((ValueError, TypeError, OverflowError)):
                    EditRequest.from_json(record)


def test_it_changes_the_patch_and_can_be_left_away(editor: Editor, arctic: Path) -> None:
    new = ARCTIC.replace("always", "never")
    plan = editor.plan(arctic, new_text=new, text=ARCTIC)
    alignment = plan.alignment
    samples = []
    for match in (ALL_TRAITS, ALL_TRAITS, matching("none")):
        result = editor.edit(
            arctic, new_text=new, text=ARCTIC, alignment=alignment, verify=False, match=match
        )
        assert result.record["asked"]["match"] == asdict(match)
        samples.append(result.patches[0].samples)
    assert np.array_equal(samples[0], samples[1])
    assert not np.array_equal(samples[0], samples[2])
