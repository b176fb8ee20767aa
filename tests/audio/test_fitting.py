"""Cross-fades keep the power, and find the quiet place and the phase."""

import numpy as np
import pytest

from a3t.audio.output.patches import read_patched
from a3t.audio.reading.recording import Recording
from a3t.audio.splicing.seams import (
    crossfade,
    fade_correlation,
    fade_in,
    fade_out,
    fade_weights,
    quietest_point,
)
from a3t.audio.splicing.splicing import make_patch

RATE = 48_000
FADE = 240


def test_the_weights_are_equal_power_without_correlation_and_sum_to_1_with_it():
    out, into = fade_weights(FADE)
    np.testing.assert_allclose(out**2 + into**2, 1)
    out, into = fade_weights(FADE, correlation=1)
    np.testing.assert_allclose(out + into, 1)
    np.testing.assert_allclose(out, into[::-1])
    assert np.all(np.diff(into) > 0) and into[0] < 1e-4 and into[-1] > 1 - 1e-4


@pytest.mark.parametrize("correlation", [0.0, 0.5, 1.0])
def test_the_power_through_a_fade_is_constant(correlation):
    """Over many pairs of noises that correlate by so much, at every place of the fade."""
    rng = np.random.default_rng(0)
    power = np.zeros(FADE)
    trials = 2_000
    for _ in range(trials):
        old, other = rng.standard_normal((2, FADE, 1))
        new = correlation * old + np.sqrt(1 - correlation**2) * other
        power += crossfade(old, new)[:, 0] ** 2 / trials
    assert np.abs(10 * np.log10(power)).max() < 1.0
    assert abs(10 * np.log10(power.mean())) < 0.25


def test_a_fade_between_equal_sounds_changes_no_16_bit_sample():
    samples = np.random.default_rng(1).integers(-32768, 32767, (FADE, 2))
    faded = crossfade(samples / 32768, samples / 32768)
    assert np.array_equal(np.rint(faded * 32768), samples)


def test_opposed_or_silent_sounds_fade_without_a_boost():
    sine = np.sin(np.arange(FADE) / 9)[:, None]
    assert fade_correlation(sine[:, 0], -sine[:, 0]) == 0
    assert np.abs(crossfade(sine, -sine)).max() <= 1.0
    assert not crossfade(0 * sine, 0 * sine).any()


@pytest.mark.parametrize("phase", np.linspace(0, 2 * np.pi, 7))
@pytest.mark.parametrize("frequency", [80, 200, 1_000])
def test_a_sine_that_changes_its_phase_does_not_click(frequency, phase):
    """The second difference, where a click shows, stays near the sine's own."""
    angle = 2 * np.pi * frequency * np.arange(6 * FADE) / RATE
    old, new = np.sin(angle)[:, None], np.sin(angle + phase)[:, None]
    joint = slice(3 * FADE, 4 * FADE)
    joined = np.concatenate([old[: 3 * FADE], crossfade(old[joint], new[joint]), new[4 * FADE :]])[
        :, 0
    ]
    # The fade turns the weights by at most 5 / FADE a sample: no more than a tone that much higher.
    bound = (2 * np.pi * frequency / RATE + 5 / FADE) ** 2
    assert np.abs(np.diff(joined, 2)).max() < bound
    hard = np.concatenate([old[: 3 * FADE], new[3 * FADE :]])[:, 0]
    if 0.5 < phase < 5.5:
        assert np.abs(np.diff(joined, 2)).max() < np.abs(np.diff(hard, 2)).max()


def test_fades_to_silence_begin_and_end_there():
    ones = np.ones((1_000, 2))
    risen, fallen = fade_in(ones, FADE), fade_out(ones, FADE)
    assert np.abs(risen[0]).max() < 1e-4 and np.array_equal(risen[FADE:], ones[FADE:])
    assert np.array_equal(fallen, risen[::-1])
    assert fade_in(ones[:7], FADE).shape == (7, 2)


def test_the_quietest_point_is_in_the_gap_and_within_the_radius():
    rng = np.random.default_rng(2)
    samples = rng.normal(0, 0.3, RATE)
    samples[20_000:20_600] *= 0.01
    samples[30_000:31_000] *= 0.001
    assert 20_000 <= quietest_point(samples, 20_900, 1_500, RATE) <= 20_600
    assert abs(quietest_point(samples, 10_000, 300, RATE) - 10_000) <= 300
    assert 0 < quietest_point(samples, 0, 100, RATE) <= 100 + FADE
    assert quietest_point(samples, RATE, 100, RATE) < RATE


def test_where_all_is_equally_quiet_the_point_stays():
    assert quietest_point(np.zeros(RATE), 20_000, 1_000, RATE) == 20_000
    assert quietest_point(np.ones(RATE), 20_000, 1_000, RATE) == 20_000
    assert quietest_point(np.zeros(3), 1, 5, RATE) in range(4)


def joined(
    recording: Recording, synthesis: np.ndarray, span: tuple[int, int], margin: int, **how: float
) -> np.ndarray:
    """The edited recording, (samples,) full scale at 1."""
    patch = make_patch(recording, synthesis, span, (margin, margin), **how)
    return read_patched(recording, [patch], 0, recording.samples + patch.growth)[:, 0]


def a_vowel(rate: int, hertz: float, late: float = 0.0) -> np.ndarray:
    """A second of a harmonic sound with a formant, begun `late` of a period late; whole periods."""
    phase = 2 * np.pi * (hertz * np.arange(rate) / rate - late)
    harmonics = np.arange(1, int(4_000 / hertz))
    weights = 1 / (1 + ((harmonics * hertz - 600) / 300) ** 2)
    return 0.1 * sum(w * np.cos(k * phase) for k, w in zip(harmonics, weights, strict=True))


@pytest.mark.parametrize(
    ("rate", "hertz"), [(8_000, 240.0), (16_000, 80.0), (48_000, 120.0), (48_000, 240.0)]
)
def test_a_voice_is_joined_in_phase_whatever_the_phase(make_recording, rate, hertz):
    """No dip and no doubling at the joints, and as long as planned but for the lag."""
    recording = make_recording(a_vowel(rate, hertz), rate)
    a, b, margin = 9_000, 15_000, 1_800
    whole = np.ones(round(rate / hertz)) * hertz / rate

    def swing(edited: np.ndarray) -> float:
        """The change of a period's power, dB."""
        return float(np.ptp(10 * np.log10(np.convolve(edited**2, whole, "valid"))))

    for late in np.arange(0, 1, 1 / 7):
        synthesis = a_vowel(24_000, hertz, late)[a - margin : b + margin]
        edited = joined(recording, synthesis, (a, b), margin)
        assert swing(edited) < 0.9, late
        assert abs(len(edited) - rate) <= 0.001 * rate  # moved as a whole: the length stays
    opposed = a_vowel(24_000, hertz, 0.5)[a - margin : b + margin]
    assert swing(joined(recording, opposed, (a, b), margin, lag_ms=0)) > 1.0  # what the lag is for
