"""Candidates differ, the best comes first, and the ranking can be checked."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from a3t.commands import edit
from a3t.editor import Editor
from a3t.plan.options import EditOptions, option_of
from a3t.plan.request import EditRequest
from a3t.rendering.candidates import (
    MAX_RENDERINGS,
    VARIATIONS,
    Manner,
    Merits,
    joint_jump,
    median_pitch,
    merits,
    varied,
)
from a3t.rendering.edited import EditedRecording, WordScore
from a3t.rendering.verification import verify
from tests.conftest import ARCTIC, NEVER


@pytest.fixture(scope="module")
def results(editor: Editor, arctic: Path) -> list[EditedRecording]:
    return editor.make(editor.plan(arctic, new_text=NEVER, text=ARCTIC, candidates=3))


def test_candidates_differ_and_the_best_comes_first(results: list[EditedRecording]) -> None:
    lengths = [len(result.patches[0].samples) for result in results]
    assert len({(length, result.patches[0].samples.tobytes()) for length, result in
                zip(lengths, results, strict=True)}) == 3  # fmt: skip
    notes = [result.record["candidate"] for result in results]
    assert [note["rank"] for note in notes] == [1, 2, 3]
    scores = [note["score"] for note in notes]
    assert scores == sorted(scores, reverse=True)
    for note in notes:
        names = ("heard", "joint", "pace", "remade", "manner")
        merit = Merits(*(note[name] for name in names))
        assert merit.score == pytest.approx(note["score"], abs=2e-3)


def test_the_plain_edit_is_among_them(
    editor: Editor, arctic: Path, results: list[EditedRecording]
) -> None:
    plain = editor.edit(arctic, new_text=NEVER, text=ARCTIC).patches[0].samples
    assert any(np.array_equal(plain, result.patches[0].samples) for result in results)


def test_no_two_variations_are_the_same_in_a_given_time() -> None:
    fitted = {varied(EditRequest(new_text=NEVER, fit=True), each) for each in VARIATIONS}
    assert len(fitted) == len(VARIATIONS) == option_of(EditOptions, "candidates").most
    assert {request.speed for request in fitted} == {1.0}


def without_hearing(editor: Editor, monkeypatch: pytest.MonkeyPatch, results: int) -> list[int]:
    """The first so many results are said not to be heard; returns what counts the checks."""
    checks: list[int] = []

    def doubting(result: EditedRecording) -> EditedRecording:
        checks.append(len(checks))
        checked = verify(result)
        if len(checks) > results:
            return checked
        return replace(checked, scores=((WordScore("never", 0.1),),))

    monkeypatch.setattr("a3t.rendering.renderer.verify", doubting)
    return checks


def test_a_word_that_is_not_heard_is_made_again(
    editor: Editor, arctic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checks = without_hearing(editor, monkeypatch, 1)
    result = editor.edit(arctic, new_text=NEVER, text=ARCTIC)
    assert len(checks) == 2 and not result.doubtful
    assert (result.plan.request.margin, result.plan.request.reach) == VARIATIONS[1][1:]
    note = result.record["candidate"]
    assert note["of"] == 2 and note["heard_first"] == 0.1 < note["heard"]


def test_inaudible_words_are_reported(
    editor: Editor, arctic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checks = without_hearing(editor, monkeypatch, 9)
    result = editor.edit(arctic, new_text=NEVER, text=ARCTIC)
    assert len(checks) == MAX_RENDERINGS and result.doubtful == ("never",)


def test_the_usual_edit_is_made_once(
    editor: Editor, arctic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checks = without_hearing(editor, monkeypatch, 0)
    assert editor.edit(arctic, new_text=NEVER, text=ARCTIC).candidate is None and len(checks) == 1


def test_pitch_against_the_neighbours() -> None:
    time = np.arange(16_000) / 16_000
    low, high = (
        sum(np.sin(2 * np.pi * hertz * k * time) / k for k in range(1, 9)) for hertz in (110, 165)
    )
    assert median_pitch(low, 16_000) == pytest.approx(np.log2(110), abs=0.03)
    assert median_pitch(high, 16_000) - median_pitch(low, 16_000) == pytest.approx(0.585, abs=0.05)
    noise = np.random.default_rng(0).standard_normal(16_000)
    assert np.isnan(median_pitch(noise, 16_000)) and np.isnan(median_pitch(noise[:9], 16_000))
    assert Merits(1, 1, 1, remade=0.2).score < Merits(1, 1, 1, remade=0.05).score


def test_a_click_at_the_joint_is_found(results: list[EditedRecording]) -> None:
    (patch,) = results[0].patches
    first = patch.source[0]
    clicked = patch.samples.copy()
    clicked[:8] += np.array([0.9, -0.9] * 4)[:, None]
    spoilt = replace(results[0], patches=(replace(patch, samples=clicked),))
    assert joint_jump(spoilt, first) > joint_jump(results[0], first) + 0.5
    assert merits(spoilt, 1.0).score < merits(results[0], 1.0).score


def test_the_command_writes_each(arctic: Path, tmp_path: Path) -> None:
    out = tmp_path / "x.wav"
    command = ["--wav", str(arctic), "--text", ARCTIC, "--new-text", NEVER, "--out", str(out)]
    assert edit.main([*command, "--candidates", "2", "--fit"]) == 0
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["x.2.edit.json", "x.2.wav", "x.edit.json", "x.wav"]
    record = json.loads((tmp_path / "x.edit.json").read_text())
    span = record["edits"][0]
    assert record["candidate"]["of"] == 2 and span["scale"] != 1.0
    # Fitted: the output is as long as the source, to the frame that the speech is counted in.
    longer = (span["output"][1] - span["output"][0]) - (span["source"][1] - span["source"][0])
    assert abs(longer) <= 200


WANTED = Manner(pitch=7.0, level=-25.0, seconds=0.4, before="N", after="sp")


def test_nothing_costs_as_little_as_the_manner_that_is_wanted() -> None:
    assert WANTED.cost(WANTED) == 0
    near = {"pitch": 7.1, "level": -28.0, "seconds": 0.5, "before": "M", "after": "P"}
    far = {"pitch": 7.4, "level": -35.0, "seconds": 0.9, "before": "AH0", "after": "P"}
    for name, value in near.items():
        cost = replace(WANTED, **{name: value}).cost(WANTED)
        assert 0 < cost <= replace(WANTED, **{name: far[name]}).cost(WANTED), name
    assert 0 < replace(WANTED, pitch=math.nan).cost(WANTED) < math.inf


def test_stress_beside_the_words_makes_no_difference() -> None:
    assert replace(WANTED, before="AH0").cost(replace(WANTED, before="AH1")) == 0
