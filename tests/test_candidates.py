"""Candidates: they differ, the best stands first, and the reasons can be checked."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from a3t import edit
from a3t.audio.recording import Recording
from a3t.candidates import VARIATIONS, Merits, joint_jump, make_candidates, merits
from a3t.editor import Editor
from a3t.errors import InputError
from a3t.records import EditedRecording
from tests.conftest import ARCTIC

NEW = ARCTIC.replace("always", "never")


@pytest.fixture(scope="module")
def results(editor: Editor, arctic: Path) -> list[EditedRecording]:
    recording = Recording.open(arctic)
    return make_candidates(editor, recording, editor.plan(recording, NEW, ARCTIC), 4)


def test_candidates_differ_and_the_best_stands_first(results: list[EditedRecording]) -> None:
    lengths = [len(result.patches[0].samples) for result in results]
    assert len({(length, result.patches[0].samples.tobytes()) for length, result in
                zip(lengths, results, strict=True)}) == 4  # fmt: skip
    notes = [result.record["candidate"] for result in results]
    assert [note["rank"] for note in notes] == [1, 2, 3, 4]
    scores = [note["score"] for note in notes]
    assert scores == sorted(scores, reverse=True)
    for note in notes:
        merit = Merits(note["heard"], note["joint"], note["pace"])
        assert merit.score == pytest.approx(note["score"], abs=2e-3)


def test_the_plain_edit_is_among_them(
    editor: Editor, arctic: Path, results: list[EditedRecording]
) -> None:
    plain = editor.edit(arctic, NEW, ARCTIC).patches[0].samples
    assert any(np.array_equal(plain, result.patches[0].samples) for result in results)


def test_a_click_at_the_joint_is_found(results: list[EditedRecording]) -> None:
    (patch,) = results[0].patches
    first = patch.source[0]
    clicked = patch.samples.copy()
    clicked[:8] += np.array([0.9, -0.9] * 4)[:, None]
    spoilt = replace(results[0], patches=(replace(patch, samples=clicked),))
    assert joint_jump(spoilt, first) > joint_jump(results[0], first) + 0.5
    assert merits(spoilt, 1.0).score < merits(results[0], 1.0).score


@pytest.mark.parametrize("count", [0, len(VARIATIONS) + 1])
def test_impossible_counts(count: int, editor: Editor, arctic: Path) -> None:
    recording = Recording.open(arctic)
    with pytest.raises(InputError, match="ask for 1 to"):
        make_candidates(editor, recording, editor.plan(recording, ARCTIC, ARCTIC), count)


def test_the_command_writes_each(arctic: Path, tmp_path: Path) -> None:
    out = tmp_path / "x.wav"
    command = ["--wav", str(arctic), "--text", ARCTIC, "--new-text", NEW, "--out", str(out)]
    assert edit.main([*command, "--candidates", "2", "--fit", "--margin", "50"]) == 0
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["x.2.edit.json", "x.2.wav", "x.edit.json", "x.wav"]
    record = json.loads((tmp_path / "x.edit.json").read_text())
    span = record["edits"][0]
    assert record["candidate"]["of"] == 2 and span["scale"] != 1.0
    # Fitted: the output is as long as the source, to the frame that the speech is counted in.
    longer = (span["output"][1] - span["output"][0]) - (span["source"][1] - span["source"][0])
    assert abs(longer) <= 200
