"""A synthesis in the recording: in place, in phase, in level, on its channels, without a click."""

from collections.abc import Callable

import numpy as np
import pytest

from a3t.audio.output.patches import insert_patches
from a3t.audio.reading.recording import Recording
from a3t.audio.splicing.seams import gain_match, resample_patch, spread_channels
from a3t.audio.splicing.splicing import Patch, cut_out, make_patch
from a3t.errors import InputError

RATES = [16_000, 24_000, 44_100, 192_000]  # below, at, beside and far above the model's
FRAME = 300
_RNG = np.random.default_rng(0)
_TONES = list(
    zip(_RNG.uniform(90, 6_500, 24), _RNG.uniform(0, 6.28, 24), _RNG.uniform(0, 1, 24), strict=True)
)


def babble(seconds: np.ndarray) -> np.ndarray:
    """A band-limited sound known at every instant: what any rate must show of it."""
    return 0.03 * sum(
        weight * np.sin(2 * np.pi * hertz * seconds + phase) for hertz, phase, weight in _TONES
    )


def at(rate: int, first: float, last: float) -> np.ndarray:
    """babble from sample `first` to sample `last` of a rate."""
    return babble(np.arange(first, last) / rate)


def applied(recording: Recording, *patches: Patch) -> np.ndarray:
    """The edited recording as floats (samples, channels); the recordings here have 24 bits."""
    return np.concatenate(list(insert_patches(recording, patches))) / 2.0**31


def decibels(ratio: float) -> float:
    return 20 * np.log10(ratio)


def level(samples: np.ndarray) -> float:
    return float(np.sqrt(np.mean(samples**2)))


@pytest.mark.parametrize("rate", [*RATES, 44_101])
@pytest.mark.parametrize("position", [300, 12_345])
def test_an_impulse_lands_on_its_sample(rate, position):
    synthesis = np.zeros(2_400, np.float32)
    synthesis[1_000] = 1
    resampled, start = resample_patch(synthesis, position, rate)
    peak = start + int(np.argmax(resampled))
    assert abs(peak - (position + 1_000) * rate / 24_000) <= 0.5
    assert abs(len(resampled) - 2_400 * rate / 24_000) < 2  # whole samples inside it


@pytest.mark.parametrize("rate", [*RATES, 44_101])
@pytest.mark.parametrize("position", [0, 7_777])
def test_a_resampled_patch_is_the_sound_at_that_instant(rate, position):
    """No shift by a fraction of a sample: compared with the sound's own formula."""
    resampled, start = resample_patch(at(24_000, position, position + 6_000), position, rate)
    exact = at(rate, start, start + len(resampled))
    inner = slice(rate // 100, -(rate // 100))
    assert level(resampled[inner] - exact[inner]) < 2e-4 * level(exact)


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("edges", [(40, 60), (50, 50), (0, 30), (60, 80)])
def test_a_synthesis_that_says_the_same_changes_nothing(make_recording, rate, edges):
    """Replaced by itself the recording is the same to -60 dB, at the start and the end too."""
    recording = make_recording(at(rate, 0, rate), rate)
    a, b = (edge * FRAME for edge in edges)
    margins = (min(a, 6 * FRAME), 0 if b == 24_000 else 6 * FRAME)
    patch = make_patch(
        recording, at(24_000, a - margins[0], b + margins[1]).astype(np.float32), (a, b), margins
    )
    edited, before = applied(recording, patch), recording.mono()
    assert patch.growth == 0 and len(edited) == len(before)
    faded = rate // 60  # at the file's edges there is a short fade
    difference = (edited[:, 0] - before)[faded:-faded]
    assert level(difference) < 1e-3 * level(before)
    assert patch.source[0] >= (a - margins[0]) * rate // 24_000
    assert patch.source[1] <= (b + margins[1]) * rate // 24_000 + 1


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("frames", [0, 3, 37])
def test_the_recording_goes_on_as_much_later_as_the_plan_says(make_recording, rate, frames):
    """Another number of frames than before; only the 6.5 ms of lag at either joint may differ."""
    recording = make_recording(at(rate, 0, rate), rate)
    a, b, margin = 30 * FRAME, 42 * FRAME, 5 * FRAME
    synthesis = np.concatenate(
        [
            at(24_000, a - margin, a),
            _RNG.normal(0, 0.05, frames * FRAME),
            at(24_000, b, b + margin),
        ]
    )
    patch = make_patch(recording, synthesis, (a, b), (margin, margin))
    planned = (frames - 12) * FRAME * rate / 24_000
    assert abs(patch.growth - planned) <= 2 * 0.0065 * rate + 1
    still = make_patch(recording, synthesis, (a, b), (margin, margin), lag_ms=0)
    assert abs(still.growth - planned) <= 0.5


def test_an_insertion_at_either_end_of_the_file(make_recording):
    recording = make_recording(at(48_000, 0, 48_000))
    new, margin = _RNG.normal(0, 0.05, 20 * FRAME), 5 * FRAME
    first = make_patch(recording, np.r_[new, at(24_000, 0, margin)], (0, 0), (0, margin))
    last = make_patch(
        recording, np.r_[at(24_000, 24_000 - margin, 24_000), new], (24_000, 24_000), (margin, 0)
    )
    edited = applied(recording, first, last)
    assert first.source[0] == 0 and last.source[1] == 48_000
    assert abs(len(edited) - (48_000 + 2 * 20 * 600)) <= 2 * 312
    assert np.abs(edited[[0, -1]]).max() < 1e-4


@pytest.mark.parametrize("samples", [48_000 - 100, 48_000 - 577, 48_000 + 1])
def test_an_edit_at_the_end_of_a_file_with_a_partial_last_frame(make_recording, samples):
    recording = make_recording(at(48_000, 0, samples))
    for frames in (samples // 600, -(-samples // 600)):
        a, b, margin = 60 * FRAME, frames * FRAME, 5 * FRAME
        patch = make_patch(recording, at(24_000, a - margin, b), (a, b), (margin, 0))
        assert patch.source[1] == samples
        assert abs(patch.growth) <= 600


@pytest.mark.parametrize(
    ("span", "margins"),
    [((9_000, 12_000), (0, 1_500)), ((9_000, 12_000), (1_500, 0)), ((900, 3_000), (1_500, 1_500))],
)
def test_an_edit_inside_the_recording_needs_margins(make_recording, span, margins):
    recording = make_recording(at(48_000, 0, 48_000))
    with pytest.raises(ValueError, match="margins"):
        make_patch(recording, np.zeros(6_000), span, margins)


def a_sine(rate: int, hertz: float = 200.0, seconds: float = 1.0) -> np.ndarray:
    return 0.3 * np.sin(2 * np.pi * hertz * np.arange(round(rate * seconds)) / rate)


@pytest.mark.parametrize("rate", [16_000, 44_100, 96_000])
@pytest.mark.parametrize("late", [7, 29, 41, 60])
def test_a_tone_that_comes_late_is_joined_in_phase_and_without_a_click(make_recording, rate, late):
    """A synthesis late by up to a quarter of a period: the lag makes the joint disappear."""
    recording = make_recording(a_sine(rate), rate)
    a, b, margin = 9_000, 15_000, 1_800
    synthesis = a_sine(24_000)[a - margin - late : b + margin - late]
    edited = applied(recording, make_patch(recording, synthesis, (a, b), (margin, margin)))[:, 0]
    own = (2 * np.pi * 200 / rate) ** 2 * 0.3
    assert np.abs(np.diff(edited, 2)).max() < 1.3 * own
    # Half a period at a time has one amplitude, through both joints.
    halves = edited[: len(edited) // (rate // 400) * (rate // 400)].reshape(-1, rate // 400)
    assert np.ptp([decibels(level(half)) for half in halves]) < 1.0


def noisy(rate: int, levels: list[tuple[float, float]], seed: int) -> np.ndarray:
    """Noise of the given (seconds, level) pieces."""
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal(0, amount, round(rate * long)) for long, amount in levels])


@pytest.mark.parametrize(("gain", "left"), [(-4.0, 0.0), (5.0, 0.0), (-20.0, -14.0), (9.0, 3.0)])
def test_the_patch_is_as_loud_as_what_is_around_it_within_6_db(make_recording, gain, left):
    recording = make_recording(noisy(24_000, [(1, 0.1)], 1), 24_000)
    synthesis = noisy(24_000, [(0.5, 0.1)], 2) * 10 ** (gain / 20)
    patch = make_patch(recording, synthesis, (9_000, 17_400), (1_800, 1_800))
    assert abs(decibels(level(patch.samples[2_000:-2_000]) / 0.1) - left) < 0.5


def test_the_gain_follows_both_margins():
    old, new = np.ones(100), np.ones(100)
    assert gain_match((old, new), (2 * old, new), 1.0) == pytest.approx((0, 6.0), abs=0.03)
    silence, nothing = 0.01 * old, old[:0]
    for pause in [(silence, new), (silence, 0 * new), (nothing, nothing)]:
        assert gain_match(pause, (old / 1.5, new), 1.0) == pytest.approx((-3.52, -3.52), abs=0.01)
        assert gain_match((old / 1.5, new), pause, 1.0) == pytest.approx((-3.52, -3.52), abs=0.01)
        assert gain_match(pause, pause, 1.0) == (0, 0)


def test_the_joint_is_where_it_is_quiet(make_recording):
    """Speech, a pause of 20 ms within the margin, speech: the fades lie in the pauses."""
    pieces = [(0.4, 0.1), (0.02, 0.001), (0.28, 0.1), (0.02, 0.001), (0.28, 0.1)]
    recording = make_recording(noisy(24_000, pieces, 3), 24_000)
    other = noisy(24_000, pieces, 8)  # speaks the same, sounds otherwise
    patch = make_patch(recording, other[8_400:18_600], (10_200, 16_800), (1_800, 1_800))
    assert 9_600 <= patch.source[0] <= 9_600 + 480 - 120
    assert 16_800 + 120 <= patch.source[1] <= 16_800 + 480


def test_channels_are_spread_as_the_speech_around_the_edit(make_recording):
    speech = noisy(48_000, [(1, 0.1)], 4)
    gains = np.array([1.2, 0.4, 0.0, -0.3])
    recording = make_recording(speech[:, None] * gains)
    synthesis = noisy(24_000, [(0.4, 0.05)], 5)
    patch = make_patch(recording, synthesis, (9_000, 15_000), (1_800, 1_800))
    inner = patch.samples[1_000:-1_000]
    np.testing.assert_allclose(inner, inner[:, :1] * gains / 1.2, atol=1e-6)
    assert not applied(recording, patch)[:, 2].any()


def test_sound_of_one_channel_only_stays_out_of_the_patch():
    speech, hiss = noisy(48_000, [(1, 0.1)], 6), noisy(48_000, [(1, 0.01)], 7)
    spread = spread_channels(np.ones(5), np.stack([speech, hiss], axis=1))
    np.testing.assert_allclose(spread.mean(axis=1), 1)
    assert spread[0, 1] < 0.05
    assert spread_channels(np.ones(5), np.zeros((9, 3))).tolist() == [[1.0] * 3] * 5


def test_a_constant_offset_of_the_recording_is_kept_through_the_patch(make_recording):
    recording = make_recording(0.4 + noisy(48_000, [(1, 0.02)], 8))
    patch = make_patch(recording, noisy(24_000, [(0.4, 0.02)], 9), (9_000, 15_000), (1_800, 1_800))
    smooth = np.convolve(applied(recording, patch)[:, 0], np.ones(480) / 480, "valid")
    np.testing.assert_allclose(smooth, 0.4, atol=0.01)


def test_a_patch_stays_below_full_scale(make_recording):
    recording = make_recording(noisy(48_000, [(1, 0.25)], 10).clip(-1, 1))
    synthesis = noisy(24_000, [(0.4, 0.2)], 11)
    synthesis[5_000] = 3
    patch = make_patch(recording, synthesis, (9_000, 15_000), (1_800, 1_800))
    assert np.abs(patch.samples[240:-240]).max() <= 1


def words(rate: int) -> np.ndarray:
    """Three words of 0.25 s with pauses of 50 ms before, between and after."""
    pieces = [(0.05, 1e-4), (0.25, 0.1)] * 3 + [(0.05, 1e-4)]
    return noisy(rate, pieces, 12)


@pytest.mark.parametrize("rate", RATES)
def test_a_deletion_cuts_in_the_pauses(make_recording, rate):
    recording = make_recording(words(rate), rate)
    first, last = round(0.345 * rate), round(0.605 * rate)  # the second word, found a bit wrong
    patch = cut_out(recording, first, last)
    edited = applied(recording, patch)[:, 0]
    assert 0.30 * rate <= patch.source[0] and patch.source[1] <= 0.65 * rate
    assert len(patch.samples) == round(0.015 * rate)
    assert abs(patch.growth + 0.3 * rate) < 0.06 * rate
    rest = np.sqrt(np.convolve(edited**2, np.ones(rate // 100) / (rate // 100), "valid"))
    assert rest.min() < 1e-3  # a pause is left between the two words
    assert abs(np.count_nonzero(rest > 0.05) / rate - 0.5) < 0.03  # and both of them whole


def test_a_deletion_at_the_start_and_at_the_end(make_recording):
    rate = 48_000
    recording = make_recording(words(rate))
    first = cut_out(recording, 0, round(0.305 * rate))
    last = cut_out(recording, round(0.645 * rate), recording.samples)
    edited = applied(recording, first, last)
    assert first.source[0] == 0 and last.source[1] == recording.samples
    assert 0.30 * rate <= first.source[1] <= 0.35 * rate
    assert 0.60 * rate <= last.source[0] <= 0.65 * rate
    assert np.abs(edited[[0, -1]]).max() < 1e-3
    assert abs(len(edited) / rate - 0.3) < 0.05


def test_a_deletion_within_a_tone_is_in_phase(make_recording):
    rate = 48_000
    recording = make_recording(a_sine(rate, 333.0))
    edited = applied(recording, cut_out(recording, 20_011, 27_047))[:, 0]
    own = (2 * np.pi * 333 / rate) ** 2 * 0.3
    assert np.abs(np.diff(edited, 2)).max() < 1.3 * own
    assert abs(decibels(level(edited) / level(recording.mono()))) < 0.05


@pytest.mark.parametrize("first, last", [(1, 48_000), (0, 47_999), (100, 47_900), (24_000, 24_003)])
def test_deletions_of_nearly_all_and_nearly_nothing(make_recording, first, last):
    recording = make_recording(at(48_000, 0, 48_000))
    edited = applied(recording, cut_out(recording, first, last))
    assert 0 < len(edited) <= 48_000 + 312


def test_a_deletion_of_everything_is_refused(make_recording: Callable[..., Recording]):
    recording = make_recording(at(48_000, 0, 48_000))
    with pytest.raises(InputError, match="would delete the whole recording"):
        cut_out(recording, 0, recording.samples)
    with pytest.raises(ValueError, match="not a span"):
        cut_out(recording, 7, 7)
