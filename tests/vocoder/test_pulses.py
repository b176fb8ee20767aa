"""A voice's pulses: where they fall, and what the vocoder makes of them."""

import numpy as np
import torch

from a3t.grid import HOP, SAMPLE_RATE
from a3t.vocoder.pulses import (
    ANCHOR_FRAMES,
    TOP_VOICE_HZ,
    USUAL_MODULATION,
    minimum_phase,
    pulse_gain,
    pulse_train,
    pulses_of,
    with_pulses,
)
from a3t.vocoder.stft import spectrum
from a3t.vocoder.texture import class_pitches, likely_pitch

WINDOW = torch.hann_window(1200)


def contour(frames: int, seed: int = 0) -> torch.Tensor:
    """A pitch of 90 to 250 Hz that wanders, with three breaks."""
    draw = np.random.default_rng(seed)
    hertz = 150 * 2 ** np.clip(np.cumsum(0.03 * draw.standard_normal(frames)), -0.7, 0.7)
    for at in draw.integers(0, frames, 3):
        hertz[at : at + 6] = 0
    return torch.from_numpy(hertz).float()[None]


def test_pulses_are_as_far_apart_as_the_pitch_says() -> None:
    hertz = torch.full((1, 40), 200.0)
    train = pulse_train(pulses_of(hertz))[0, 2 * HOP : -2 * HOP]
    peaks = torch.nonzero((train[1:-1] > train[:-2]) & (train[1:-1] > train[2:])).flatten()
    peaks = peaks[train[peaks + 1] > 0.5 * train.max()]
    assert set(torch.diff(peaks).tolist()) == {SAMPLE_RATE // 200}


def test_a_train_has_no_step_where_frames_meet_and_nothing_above_its_top() -> None:
    hertz = contour(120)
    hertz[hertz == 0] = 150.0
    train = pulse_train(pulses_of(hertz))[0].double().numpy()
    power = np.square(np.abs(np.fft.rfft(train * np.hanning(len(train)))))
    above = np.linspace(0, SAMPLE_RATE / 2, len(power)) > TOP_VOICE_HZ + 500
    assert power[above].sum() < 1e-3 * power.sum()


def test_a_part_has_the_pulses_that_it_has_within_the_whole() -> None:
    hertz = contour(400)
    whole = pulses_of(hertz, 7)
    for first in (30, 100, 181):
        last = first + 150
        part = pulses_of(hertz[:, first:last], 7 + first)
        inside = slice(ANCHOR_FRAMES, 150 - ANCHOR_FRAMES)
        turned = part.cycles[:, inside] - whole.cycles[:, first:last][:, inside]
        assert (turned - turned.round()).abs().max() < 1e-9


def test_the_pitch_gives_way_a_little_only() -> None:
    hertz = contour(400)
    cycles = pulses_of(hertz).cycles[0]
    both = (hertz[0, 1:] > 0) & (hertz[0, :-1] > 0)
    wanted = (hertz[0, 1:] + hertz[0, :-1]) / 2 * HOP / SAMPLE_RATE
    off = (torch.diff(cycles)[both] / wanted[both]).log2().abs() * 12
    assert off.max() < 0.25  # semitones


def test_unvoiced_frames_keep_their_phases() -> None:
    hertz = contour(80)
    hertz[:, 30:50] = 0
    turns = torch.rand(1, 80, 601, generator=torch.Generator().manual_seed(1)) * 2 * torch.pi
    phase = torch.polar(torch.ones_like(turns), turns)
    mixed = with_pulses(phase, torch.ones(1, 80, 601), pulses_of(hertz), 1.0, WINDOW)
    torch.testing.assert_close(mixed[:, 31:49], phase[:, 31:49])
    torch.testing.assert_close(mixed[..., 401:], phase[..., 401:])
    assert (mixed[:, :20, :300] - phase[:, :20, :300]).abs().mean() > 0.5


def test_the_minimum_phase_of_a_resonance_is_its_own() -> None:
    turn = 2 * torch.pi * torch.arange(601) / 1200
    pole = 0.9 * torch.polar(torch.ones(1), torch.tensor([0.6]))
    step = torch.polar(torch.ones(601), -turn)
    response = 1 / ((1 - pole * step) * (1 - pole.conj() * step))
    found = minimum_phase(response.abs()[None, None])[0, 0]
    off = torch.angle(found * (response / response.abs()).conj())
    assert off.abs().mean() < 0.05


def test_a_pulse_is_as_loud_as_its_spectrum() -> None:
    found = spectrum(pulse_train(pulses_of(torch.full((1, 30), 100.0))), WINDOW)[0, 15].abs()
    harmonics = found[torch.arange(5, 400, 5)]
    assert harmonics.std() < 0.02 * harmonics.mean()


def test_the_likely_pitch_lies_between_classes() -> None:
    classes = class_pitches(160)
    scores = torch.full((1, 2, 161), -20.0)
    scores[0, 0, 70] = scores[0, 0, 71] = 5.0
    scores[0, 1, 160] = 5.0
    pitch = likely_pitch(scores)[0]
    torch.testing.assert_close(pitch[0], (classes[70] * classes[71]).sqrt())
    assert pitch[1] == 0


def test_pulses_of_filled_frames_follow_the_recording() -> None:
    filled = np.arange(10) >= 6
    assert pulse_gain(None, filled) is None
    less, more = (
        pulse_gain(USUAL_MODULATION + np.array(step), filled)
        for step in ((-0.1, 0.0, 0.0), (0.0, 0.0, 0.1))
    )
    assert less is not None and more is not None
    assert (less[:6] == 1).all() and (more[:6] == 1).all()
    assert (less[6:, :20] == 1).all()  # the lowest harmonics
    bins = [50, 120, 250]  # of the three bands
    assert less[8, bins[0]] < less[8, bins[1]] == more[8, bins[1]] < more[8, bins[2]]
