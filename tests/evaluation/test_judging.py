"""Figures of a filled gap: checked by hand, and unchanged by what must not matter."""

import math
from dataclasses import replace

import numpy as np
import pytest

from a3t.audio.analysis.mel import log_mel
from a3t.errors import InputError
from a3t.grid import HOP, SAMPLE_RATE
from evaluation.systems.simple import MeanSpectrum
from evaluation.tables.judging import (
    FADE,
    GapJudge,
    Made,
    copy_synthesis,
    joint_share,
    largest_change,
    put_in,
    recorded,
)
from evaluation.tables.tasks import GapTask


@pytest.fixture(scope="module")
def copied(tasks: dict[str, GapTask], vocoder: object) -> Made:
    """The recording's copy by the vocoder."""
    pytest.importorskip("pyworld", reason="the extra `eval` is not installed")
    return copy_synthesis(tasks["given"], vocoder)  # type: ignore[arg-type]


def test_what_is_outside_the_gap_stays_sample_for_sample(
    tasks: dict[str, GapTask], vocoder: object
) -> None:
    for task in tasks.values():
        made = put_in(task, MeanSpectrum().output(task.gap), vocoder)  # type: ignore[arg-type]
        assert largest_change(made, task) == 0
        first, last = made.region
        np.testing.assert_array_equal(made.sound[: first - FADE], task.recording[: first - FADE])
        rest = len(task.recording) - task.resume - FADE
        if rest > 0:
            np.testing.assert_array_equal(made.sound[-rest:], task.recording[-rest:])
        assert last - first == task.gap.length * HOP
        assert len(made.sound) == first + (last - first) + len(task.recording) - task.resume


def test_a_change_outside_is_found(tasks: dict[str, GapTask]) -> None:
    task = tasks["given"]
    sound = task.recording.copy()
    sound[100] += 0.25
    made = replace(recorded(task), sound=sound)
    assert largest_change(made, task) == pytest.approx(0.25)


def test_the_recording_itself_has_the_best_figures(
    tasks: dict[str, GapTask], vocoder: object, copied: Made
) -> None:
    pytest.importorskip("pyworld", reason="the extra `eval` is not installed")
    task = tasks["given"]
    judge = GapJudge(task)
    truth, copy = (judge.against_truth(made) for made in (recorded(task), copied))
    worst = judge.against_truth(put_in(task, MeanSpectrum().output(task.gap), vocoder))  # type: ignore[arg-type]
    for name in ("mcd", "mcd_first", "mel_distance", "mel_l1", "voicing"):
        assert truth[name] == pytest.approx(0, abs=1e-6), name
        assert copy[name] <= worst[name], name
    assert truth["detail"] == pytest.approx(1) and worst["detail"] < 0.9
    if not math.isnan(truth["pesq"]):  # pesq is in the extra `eval` alone
        assert truth["pesq"] > copy["pesq"] > worst["pesq"]


def test_a_recording_is_compared_at_its_own_rate(
    tasks: dict[str, GapTask], vocoder: object
) -> None:
    """A band above 8 kHz that the recording lacks counts at 24 kHz alone."""
    pytest.importorskip("pyworld", reason="the extra `eval` is not installed")
    low, high = tasks["given"], replace(tasks["given"], rate=SAMPLE_RATE)
    made = recorded(low)
    hiss = np.diff(np.random.default_rng(0).normal(0, 0.01, len(made.sound) + 8), 8)
    hissing = replace(made, sound=(made.sound + hiss).astype(np.float32))
    found = {task.rate: GapJudge(task).against_truth(hissing)["mcd"] for task in (low, high)}
    assert found[SAMPLE_RATE] > found[16_000] + 1


@pytest.mark.slow
def test_a_gain_and_a_later_start_say_nothing_of_a_system(
    tasks: dict[str, GapTask], copied: Made
) -> None:
    """Measures of content ignore the level. L1 and the first implementation's MCD include it by
    definition; joints and changes outside are about it."""
    for package in ("pyworld", "speechmos", "resemblyzer", "pesq"):
        pytest.importorskip(package, reason="the extra `eval` is not installed")
    task, made = tasks["given"], copied
    plain = GapJudge(task).figures(made)
    assert "wer" not in plain  # of given durations it is not taken
    quieter = replace(made, sound=made.sound / 2)
    lead = np.zeros(24 * HOP, np.float32)  # 0.3 s before it all
    mel = np.concatenate([log_mel(lead).numpy()[:24], task.gap.mel])
    durations = task.gap.durations.copy()
    durations[0] += 24
    first, last = (n + 24 for n in task.gap.frame_span)
    sound = np.concatenate([lead, task.gap.sound])
    gap = replace(task.gap, mel=mel, durations=durations, frame_span=(first, last), sound=sound)
    assert task.truth is not None
    later = replace(
        task, gap=gap, recording=np.concatenate([lead, task.recording]),
        resume=task.resume + len(lead),
        truth=(np.concatenate([lead, task.truth[0]]), (first, last)),
    )  # fmt: skip
    moved = replace(
        made, sound=np.concatenate([lead, made.sound]), region=(first * HOP, last * HOP)
    )
    content = {"mcd": 0.05, "detail": 0.02, "voicing": 0.06, "stoi": 0.01}
    content |= {"similarity": 0.01, "dnsmos": 0.05, "dnsmos_p808": 0.05, "plcmos": 0.25}
    for changed in (GapJudge(task).figures(quieter), GapJudge(later).figures(moved)):
        for name, tolerance in content.items():
            if not math.isnan(plain[name]):
                assert changed[name] == pytest.approx(plain[name], abs=tolerance), name


def test_a_silent_result_is_refused(tasks: dict[str, GapTask]) -> None:
    task = tasks["given"]
    first, last = (n * HOP for n in task.gap.frame_span)
    silent = task.recording.copy()
    silent[first:last] = 0
    with pytest.raises(InputError, match="silence"):
        GapJudge(task).figures(Made(silent, (first, last), task.gap.mel[:3]))


def test_a_click_is_a_joint_and_a_gain_is_none() -> None:
    noise = np.random.default_rng(0).normal(0, 0.05, 2 * SAMPLE_RATE).astype(np.float32)
    region = (SAMPLE_RATE, SAMPLE_RATE + 6000)
    smooth = joint_share(Made(noise, region, noise), noise)
    clicked = noise.copy()
    clicked[region[0] - 1 : region[0] + 1] += np.array([3, -3])
    assert joint_share(Made(clicked, region, noise), noise) > smooth
    assert joint_share(Made(noise * 0.5, region, noise), noise * 0.5) == pytest.approx(
        smooth, abs=0.2
    )
