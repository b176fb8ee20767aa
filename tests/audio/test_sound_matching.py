"""A patch takes on its recording's bandwidth, high band and noise, and nothing else."""

import numpy as np
import pytest
import soxr

from a3t.audio.analysis.room_tone import RoomTone
from a3t.audio.matching.sound_matching import (
    MatchedTraits,
    Neighbour,
    SoundMatcher,
    clipping_ceiling,
    give_spectrum,
    raise_floor,
)
from a3t.audio.matching.spectra import frame_size, sound_of, spectra
from a3t.audio.splicing.splicing import make_patch

BANDWIDTH = MatchedTraits(True, False, False)
SPECTRUM = MatchedTraits(False, True, False)
FRAME = 300


def speech(rate: int, seconds: float, seed: int) -> np.ndarray:
    """Syllables of noise at 6 a second, every other one dull (a vowel) and bright (a fricative)."""
    rng = np.random.default_rng(seed)
    sound = rng.normal(0, 0.1, round(rate * seconds))
    dull = soxr.resample(soxr.resample(sound, rate, 6_000), 6_000, rate)[: len(sound)]
    bright = np.arange(len(sound)) * 6 // rate % 2
    return np.where(bright[: len(dull)], 0.3 * sound[: len(dull)], dull)


def limited(sound: np.ndarray, rate: int, hertz: int) -> np.ndarray:
    """The sound without anything above a frequency."""
    low = soxr.resample(soxr.resample(sound, rate, 2 * hertz), 2 * hertz, rate)
    return np.pad(low, (0, max(0, len(sound) - len(low))))[: len(sound)]


def level(sound: np.ndarray, rate: int, first: float, last: float) -> float:
    """Mean power between two frequencies in dB of full scale, the sound's ends left out."""
    inner = sound[len(sound) // 10 : -len(sound) // 10]
    power = np.abs(np.fft.rfft(inner * np.hanning(len(inner)))) ** 2 / len(inner) ** 2
    hertz = np.fft.rfftfreq(len(inner), 1 / rate)
    return float(10 * np.log10(power[(first <= hertz) & (hertz < last)].sum() + 1e-20))


@pytest.mark.parametrize("samples", [0, 1, 149, 150, 151, 599, 600, 601, 5_001])
@pytest.mark.parametrize("shape", [(), (2,)])
def test_frames_put_together_again_are_the_sound(samples, shape):
    """Also of one sample more than whole steps, which SciPy refuses."""
    sound = np.random.default_rng(0).normal(0, 1, (samples, *shape))
    again = sound_of(spectra(sound, 24_000), samples, 24_000)
    np.testing.assert_allclose(again, sound, atol=1e-12)


@pytest.mark.parametrize("rate", [8000, 22_050, 48_000])
@pytest.mark.parametrize("samples", [603, 5000])
def test_spectra_are_scipys(rate: int, samples: int) -> None:
    """To the last bit, in both directions; SciPy refuses some lengths, all others are the same."""
    from scipy.signal import ShortTimeFFT

    size = frame_size(rate)
    window = np.hanning(size + 1)[:-1] / np.sqrt(0.375)
    reference = ShortTimeFFT(window, size // 4, rate, phase_shift=None)
    sound = np.random.default_rng(samples).standard_normal((samples, 2))
    found = spectra(sound, rate)
    expected = reference.stft(sound, -1, len(found) - 1, axis=0)
    assert np.array_equal(found, np.moveaxis(expected, -1, 0))
    changed = found * np.linspace(0.5, 2.0, len(found))[:, None, None]
    again = reference.istft(changed, 0, samples, f_axis=1, t_axis=0)
    assert np.array_equal(sound_of(changed, samples, rate), np.moveaxis(again, -1, 0))


@pytest.mark.parametrize(
    ("rate", "hertz"), [(8_000, 3_000), (16_000, 3_400), (24_000, 8_000), (44_100, 8_000)]
)
def test_nothing_sounds_above_what_the_recording_has(rate, hertz):
    copy, patch = (
        limited(speech(rate, 2.0, seed), rate, min(12_000, rate // 2)) for seed in (1, 2)
    )
    beside = [Neighbour(limited(copy, rate, hertz), copy)]
    made = give_spectrum(patch, rate, beside, BANDWIDTH, 0)
    top = (hertz * 1.15, rate / 2)
    assert level(patch, rate, *top) > -55
    assert level(made, rate, *top) < -85
    assert abs(level(made, rate, 0, hertz * 0.8) - level(patch, rate, 0, hertz * 0.8)) < 0.5


@pytest.mark.parametrize("rate", [44_100, 48_000])
def test_above_the_vocoder_fricatives_are_bright_and_vowels_dark(rate):
    real, true = speech(rate, 3.0, 3), speech(rate, 1.0, 4)
    copy, patch = (limited(sound, rate, 12_000) for sound in (real, true))
    made = give_spectrum(patch, rate, [Neighbour(real, copy)], BANDWIDTH, 0)
    syllable = rate // 6
    for k in range(1, 5):
        span = slice(k * syllable + 1_000, (k + 1) * syllable - 1_000)
        ours, theirs = (level(sound[span], rate, 13_000, rate / 2) for sound in (made, true))
        assert abs(ours - theirs) < 3 if theirs > -60 else ours < -50
    assert level(patch, rate, 13_000, rate / 2) < -70
    again = give_spectrum(patch, rate, [Neighbour(real, copy)], BANDWIDTH, 0)
    assert np.array_equal(made, again)


def test_the_band_that_the_mel_does_not_know_is_coloured_as_beside_the_patch():
    """The vocoder's top is 8 dB too loud there; below 7 kHz the patch is not changed at all."""
    rate = 24_000
    real, true = speech(rate, 3.0, 5), speech(rate, 1.0, 6)
    copy, patch = (sound + 1.5 * (sound - limited(sound, rate, 8_000)) for sound in (real, true))
    made = give_spectrum(patch, rate, [Neighbour(real, copy)], SPECTRUM, 0)
    before, after = (level(s, rate, 8_500, 11_000) - level(true, rate, 8_500, 11_000)
                     for s in (patch, made))  # fmt: skip
    assert before > 7 and abs(after) < 1.5
    assert abs(level(made - patch, rate, 0, 7_000)) > 60


def test_what_resampling_takes_of_16_khz_is_filled_with_noise():
    rate, top = 16_000, (7_300, 8_000)
    real, true = speech(rate, 3.0, 10), speech(rate, 1.0, 11)
    copy, patch = (limited(sound, rate, 7_100) for sound in (real, true))
    made = give_spectrum(patch, rate, [Neighbour(real, copy)], MatchedTraits(), 0)
    assert level(patch, rate, *top) < level(true, rate, *top) - 20
    assert abs(level(made, rate, *top) - level(true, rate, *top)) < 2
    assert abs(level(made - patch, rate, 0, 6_500)) > 60


def test_too_few_neighbours_teach_nothing():
    sound = speech(16_000, 0.5, 7)
    for beside in ([], [Neighbour(sound[:2_000], sound[:2_000])]):
        assert np.array_equal(give_spectrum(sound, 16_000, beside, MatchedTraits(), 0), sound)


def white(rate: int, rms: float, channels: int = 1) -> RoomTone:
    size = 2 * round(0.02 * rate)
    one = np.eye(channels)[None] * np.ones((size // 2 + 1, 1, 1))
    return RoomTone(rate, (one * size * rms**2).astype(complex))


def test_a_silent_stretch_gets_the_rooms_noise_and_a_loud_one_stays():
    rate = 16_000
    sound = np.random.default_rng(8).normal(0, 0.1, (rate, 2))
    sound[rate // 4 : rate // 2] = 0
    made = raise_floor(sound, white(rate, 0.003, 2), 0)
    silent = made[rate // 4 + 800 : rate // 2 - 800]
    assert np.abs(20 * np.log10(silent.std(axis=0) / 0.003)).max() < 1
    loud = slice(rate // 2 + 1_600, None)
    assert np.abs(made[loud] - sound[loud]).max() < 1e-3


def test_a_room_as_quiet_as_the_patch_adds_little():
    rate = 16_000
    sound = np.random.default_rng(9).normal(0, 0.003, (rate, 1))
    made = raise_floor(sound, white(rate, 0.003), 0)
    assert abs(20 * np.log10(made.std() / sound.std())) < 0.5


def test_a_room_that_is_not_heard_is_let_be():
    sound = np.zeros((1_000, 1))
    own = SoundMatcher(MatchedTraits(), (), white(16_000, 0.002), 0)
    assert not own.with_noise_floor(sound, 0.1).any()
    assert own.with_noise_floor(sound, 0.02).any()


@pytest.mark.parametrize("match", [MatchedTraits(), MatchedTraits(False, False, False)])
def test_a_patch_given_its_sound_lies_where_it_did(make_recording, match):
    """The whole way with two channels; with nothing asked for the bytes are those without it."""
    rate = 48_000
    real = speech(rate, 2.0, 10)[:, None] * np.array([1.0, 0.5])
    recording = make_recording(0.5 * real, rate)
    copy = limited(0.375 * real.sum(axis=1) / 1.5 * 2, rate, 12_000)
    synthesis = soxr.resample(copy[18_000:66_000], rate, 24_000).astype(np.float32)
    tone = white(rate, 0.001, 2) if match.room_tone else None
    own = SoundMatcher(match, [Neighbour(0.375 * real.sum(axis=1) / 1.5 * 2, copy)], tone, 3)
    where = ((12_000, 30_000), (3_000, 3_000))
    plain, given = (make_patch(recording, synthesis, *where, matcher=o) for o in (None, own))
    again = make_patch(recording, synthesis, *where, matcher=own)
    assert np.array_equal(given.samples, again.samples)
    assert np.array_equal(given.samples, plain.samples) == (not match.learns)
    assert abs(given.source[0] - plain.source[0]) <= 3_600
    ratio = given.samples.std(axis=0)
    assert ratio[1] / ratio[0] == pytest.approx(0.5, abs=0.02)


def swelling(seed: int = 0) -> np.ndarray:
    """A voice that swells and fades: no two periods have the same peak."""
    rng = np.random.default_rng(seed)
    time = np.arange(48_000) / 16_000
    loudness = np.interp(time, np.linspace(0, 3, 13), rng.uniform(0.02, 1.0, 13))
    buzz = sum(np.sin(2 * np.pi * 120 * k * time + k) / k for k in range(1, 30))
    return np.asarray(0.3 * loudness * buzz)


def test_a_clipped_recording_has_a_ceiling(subtests: pytest.Subtests) -> None:
    for seed in range(4):
        for share in [0.1, 0.5]:
            with subtests.test(seed=seed, share=share):
                ceiling = share * np.abs(swelling(seed)).max()
                sound = np.clip(swelling(seed), -ceiling, ceiling)
                assert clipping_ceiling([sound[:20_000], sound[20_000:]]) == pytest.approx(ceiling)


def test_others_have_none(subtests: pytest.Subtests) -> None:
    for seed in range(4):
        with subtests.test(seed=seed):
            assert clipping_ceiling([swelling(seed)]) is None
            noisy = swelling(seed) + np.random.default_rng(seed).standard_normal(48_000) * 0.1
            assert clipping_ceiling([noisy]) is None
            assert clipping_ceiling([]) is None and clipping_ceiling([np.zeros(9)]) is None


def test_a_patch_stops_where_its_neighbours_do() -> None:
    sound = np.clip(swelling(), -0.1, 0.1)
    own = SoundMatcher(MatchedTraits(), [Neighbour(sound, sound)], None, 0)
    assert np.abs(own.clipped(swelling(1))).max() == pytest.approx(0.1)
    free = SoundMatcher(MatchedTraits(), [Neighbour(swelling(), swelling())], None, 0)
    np.testing.assert_array_equal(free.clipped(swelling(1)), swelling(1))
