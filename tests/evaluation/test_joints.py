"""The measures of a joint: a break, a gap, a doubling and a change of sound each show."""

import numpy as np
import pytest

from evaluation.joints import Natural, PhoneSamples, kind_of, measure, sound_class

RATE = 24_000
PHONES = [
    PhoneSamples("sp", 0, 8_000),
    PhoneSamples("S", 8_000, 16_000),
    PhoneSamples("AA1", 16_000, 24_000),
]


def voice(hertz: float = 120.0, seconds: float = 1.0) -> np.ndarray:
    phase = 2 * np.pi * hertz * np.arange(round(RATE * seconds)) / RATE
    return 0.05 * sum(np.cos(k * phase) / k for k in range(1, 20))


def hiss(level: float = 0.02) -> np.ndarray:
    return np.random.default_rng(0).normal(0, level, RATE)


def test_an_even_sound_has_no_dip_and_little_flux():
    dip, flux, _ = measure(voice(), [12_000])[0]
    assert dip < 0.5 and flux < 0.3


@pytest.mark.parametrize("change", [0.1, 3.0])
def test_a_dip_and_a_doubling_are_of_that_many_decibels(change):
    sound = hiss()
    sound[12_000 - 120 : 12_000 + 120] *= change
    assert measure(sound, [12_000])[0, 0] == pytest.approx(abs(20 * np.log10(change)), abs=1.0)


def test_a_broken_wave_jumps():
    whole = 0.3 * np.sin(2 * np.pi * 150 * np.arange(RATE) / RATE)
    broken = np.concatenate([whole[:12_000], whole[12_060:]])
    assert measure(broken, [12_000])[0, 2] > 4 * measure(whole, [12_000])[0, 2]


def test_another_sound_is_a_flux():
    changed = np.concatenate([voice()[:12_000], hiss()[12_000:]])
    assert measure(changed, [12_000])[0, 1] > 3 * measure(voice(), [12_000])[0, 1]


def test_silence_and_the_ends_are_finite():
    assert np.isfinite(measure(np.zeros(RATE), [0, 12_000, RATE])).all()


def test_kinds_are_looked_up_beside_the_place():
    assert kind_of(PHONES, 8_000) == ("pause", "fricative")
    assert kind_of(PHONES, 16_000) == ("fricative", "vowel")
    assert kind_of(PHONES, 12_000) == ("fricative", "fricative")
    assert kind_of(PHONES, 0)[0] == "pause" and kind_of(PHONES, 24_000)[1] == "vowel"
    classes = [sound_class(symbol) for symbol in ("sp", "CH", "NG", "HH", "ER0")]
    assert classes == ["pause", "stop", "sonorant", "fricative", "vowel"]


def test_natural_speech_is_within_its_own_95th_percentile_95_times_in_100():
    sound, natural = hiss() * np.repeat([0.01, 1.0, 3.0], RATE // 3), Natural()
    for _ in range(12):
        natural.add(sound, PHONES)
    places = np.arange(2_000, RATE - 2_000, 120)
    found = [
        natural.percentile(kind_of(PHONES, place), values)
        for place, values in zip(places, measure(sound, places), strict=True)
    ]
    assert np.abs((np.array(found) <= 0.95).mean(axis=0) - 0.95).max() < 0.06
