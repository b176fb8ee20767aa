"""Pauses at punctuation have this speaker's usual length, or none if the speaker makes none."""

from __future__ import annotations

from a3t.plan.edit_plan import EditPlan
from a3t.plan.phone_grid import GridPhone
from a3t.plan.speaker.speaker_pauses import usual_pauses
from a3t.text.transcript import Transcript
from tests.plan.test_plan import aligned, plan_of

COMMAS = "ban, dot, feel, good, kit, lock, moon, pen"


def pauses_of(plan: EditPlan) -> list[int]:
    return [p.frames for edit in plan.edits for p in edit.phones if p.symbol == "sp"]


def test_a_pause_is_as_long_as_the_speakers_own() -> None:
    """0.2 s after a comma; at twice the rate the predictor says 12 × 8/6 / 2 = 8 frames."""
    everywhere = aligned(Transcript.from_text(COMMAS).spoken, often=1.0)
    plan = plan_of(COMMAS, COMMAS.replace("good", "good, rose"), everywhere, speed=2.0)
    assert pauses_of(plan) == [16]
    nothing_to_go_by = plan_of("ban dot", "ban dot, kit", aligned(["ban", "dot"], often=0), speed=2)
    assert pauses_of(nothing_to_go_by) == [8]


def test_no_pause_that_the_speaker_does_not_make() -> None:
    """Commas are read over here, but for one; a [pause] is made nevertheless."""
    rarely = aligned(Transcript.from_text(COMMAS).spoken, seed=3, often=0.2)
    assert 1 <= sum(word.is_pause for word in rarely.words) - 2 < 4
    assert pauses_of(plan_of(COMMAS, COMMAS.replace("good", "good, rose"), rarely)) == []
    assert pauses_of(plan_of(COMMAS, COMMAS.replace("good", "good [pause] rose"), rarely)) == [16]
    never = aligned(Transcript.from_text(COMMAS).spoken, often=0)
    assert pauses_of(plan_of(COMMAS, COMMAS.replace("good,", "rose,"), never)) == []


def test_an_unpunctuated_text_has_its_speakers_pauses_too() -> None:
    """Those that were found, wherever they are: 16 frames, where the predictor says 12."""
    plain = COMMAS.replace(",", "")
    everywhere = aligned(Transcript.from_text(plain).spoken, often=0.6)
    for mark in ",.?:":
        new = plain.replace("pen", f"pen{mark} rose")
        assert pauses_of(plan_of(plain, new, everywhere, speed=2.0)) == [16]


def test_kinds_of_pauses() -> None:
    text = Transcript.from_text("ban, dot. feel, good. kit, lock. moon, pen.")
    grid, now = [], 0
    for k in range(8):
        grid.append(GridPhone("AE1", now, now + 5, k))
        now += 5
        length = 10 if k % 2 == 0 else 40
        grid.append(GridPhone("sp", now, now + length, -1))
        now += length
    usual = usual_pauses(text, grid)
    assert usual[","] == 10 and usual["."] == 40 and usual["?"] == 40
    assert usual[":"] == usual["—"] == 10
    assert usual_pauses(text, grid[::2]) == {}
