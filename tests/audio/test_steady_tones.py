"""Hums and whines under speech are found, and nothing is taken for one where there is none."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile

from a3t.audio.analysis.background import SteadyTones, find_steady_tones
from a3t.audio.matching.sound_matching import SoundMatcher
from a3t.audio.matching.traits import ALL_TRAITS
from a3t.audio.reading.recording import Recording
from training.features.sounds import hum, reverberant

MakeRecording = Callable[[np.ndarray, int], Recording]
HARMONICS = ((1, 0.01), (2, 0.01), (3, 0.00042), (7, 0.00042))
MAINS_50, MAINS_60 = ([base * k for k in (1, 2, 3, 4, 6)] for base in (50.02, 59.97))


def talk(arctic: Path) -> tuple[np.ndarray, int]:
    """The sentence three times, half a second of faint noise between."""
    speech, rate = soundfile.read(arctic)
    pause = np.random.default_rng(1).normal(0, 1e-4, rate // 2)
    return np.concatenate([speech, pause, speech, pause, speech]), rate


def rising(speech: np.ndarray) -> np.ndarray:
    """At a speed that rises by a quarter, so that no tone of its own stays steady."""
    place = np.arange(len(speech))
    return np.interp(place + 0.12 * place * (place / len(speech) - 1), place, speech)


@pytest.mark.parametrize(
    ("frequencies", "decibels"),
    [(MAINS_50, -20), (MAINS_60, -25), ([1000.7], -40), ([3456.0], -50), ([7990.0], -50)],
)
@pytest.mark.parametrize("noise", [-60.0, -30.0])
def test_a_hum_or_whine_under_speech_is_found(
    arctic: Path,
    make_recording: MakeRecording,
    frequencies: list[float],
    decibels: float,
    noise: float,
) -> None:
    speech, rate = talk(arctic)
    level = np.sqrt(np.mean(speech**2))
    time = np.arange(len(speech)) / rate
    added = np.sum([np.cos(2 * np.pi * f * time + f) for f in frequencies], axis=0)
    added *= level * 10 ** (decibels / 20) / added.std()
    added += np.random.default_rng(2).normal(0, level * 10 ** (noise / 20), len(speech))
    found = find_steady_tones(make_recording(speech + added, rate), 92_000, 98_000).frequencies
    assert [f for f in frequencies if not (np.abs(found - f) < 0.1).any()] == []
    assert [f for f in found if not (np.abs(np.array(frequencies) - f) < 0.1).any()] == []


@pytest.mark.parametrize("kind", ["plain", "silence between", "room", "noise"])
def test_speech_has_none(arctic: Path, make_recording: MakeRecording, kind: str) -> None:
    speech, rate = soundfile.read(arctic)
    # Other sounds on either side: what is repeated would be found in both of its places.
    speech = rising(np.concatenate([speech, speech[::-1]]))
    if kind == "room":
        speech = reverberant(speech, np.random.default_rng(0), 0.5, 3.0)
    if kind == "noise":
        speech = speech + np.random.default_rng(0).normal(0, 0.1 * speech.std(), len(speech))
    silence = np.zeros(9_000 if kind == "silence between" else 0)
    parts = np.split(speech, [50_000, 80_000])
    recording = make_recording(np.concatenate([*parts[:2], silence, parts[2]]), rate)
    for place in range(20_000, 110_000, 15_000):
        assert len(find_steady_tones(recording, place, place + 5_000)) == 0


def test_a_hum_that_ends_is_not_carried_on(arctic: Path, make_recording: MakeRecording) -> None:
    speech, rate = talk(arctic)
    mains = 0.05 * speech.std() * hum(len(speech), np.random.default_rng(0))
    mains[140_000:] = 0
    noise = np.random.default_rng(0).normal(0, 1e-4, len(speech))
    recording = make_recording(speech + mains + noise, rate)
    assert len(find_steady_tones(recording, 64_000, 67_000)) > 3
    assert len(find_steady_tones(recording, 139_000, 142_000)) == 0


@pytest.mark.parametrize("beyond", [0.0, 0.25, 4.0])
def test_a_tone_of_one_side_or_far_louder_there_is_not_carried_on(
    arctic: Path, make_recording: MakeRecording, beyond: float
) -> None:
    speech, rate = talk(arctic)
    tone = 0.003 * np.cos(2 * np.pi * 5000.0 / rate * np.arange(len(speech)))
    even = make_recording(speech + tone, rate)
    assert find_steady_tones(even, 92_000, 98_000).frequencies == pytest.approx([5000.0], abs=0.1)
    tone[95_000:] *= beyond
    assert len(find_steady_tones(make_recording(speech + tone, rate), 92_000, 98_000)) == 0


def test_a_mains_tells_where_its_faint_harmonics_are(make_recording: MakeRecording) -> None:
    rate = 16_000
    time = np.arange(9 * rate) / rate
    noise = np.random.default_rng(3).normal(0, 0.01, len(time))
    tones = [amplitude * np.cos(2 * np.pi * 50.02 * k * time + k) for k, amplitude in HARMONICS]

    def found(*parts: np.ndarray) -> set[int]:
        recording = make_recording(np.sum([noise, *parts], axis=0), rate)
        tones = find_steady_tones(recording, 4 * rate, 5 * rate).frequencies
        return {round(f / 50.02) for f in tones}

    assert found(tones[2]) == found(tones[3]) == set()  # too faint by themselves
    assert found(*tones[:2]) == {1, 2}  # and none is invented
    assert found(*tones) == {1, 2, 3, 7}


@pytest.mark.parametrize(("own", "left_over"), [(0.0, 2e-5), (1e-5, 2e-5), (3e-3, 3e-4)])
def test_taking_a_tone_out_of_speech_leaves_no_whistle_in_its_pause(
    arctic: Path, own: float, left_over: float
) -> None:
    speech, rate = soundfile.read(arctic)
    words = np.concatenate([speech[20_000:28_000], np.zeros(4_000)])
    words[2_000:4_000] += np.random.default_rng(0).normal(0, 0.1, 2_000)  # a loud sibilant
    turn = np.exp(2j * np.pi * 5_000.3 / rate * np.arange(len(words)))
    beside = np.array([[max(own, 1e-5)]], complex)
    tones = SteadyTones(rate, np.array([5_000.3]), beside, beside, np.ones(1))
    made = tones.without(words[:, None] + own * turn.real[:, None])[8_500:11_500, 0]
    window = np.hanning(3_000)
    assert 2 * abs(made @ (window * turn[8_500:11_500])) / window.sum() < left_over


def standing_out(sound: np.ndarray, frequency: float, rate: int) -> float:
    """By how many dB a tone is above what is beside it."""
    window = np.hanning(len(sound)) * sound

    def power(hertz: float) -> float:
        return abs(window @ np.exp(-2j * np.pi * hertz / rate * np.arange(len(sound)))) ** 2

    beside = np.mean([power(frequency + k) for k in (-60, -45, -30, 30, 45, 60)])
    return float(10 * np.log10(power(frequency) / beside))


@pytest.mark.parametrize(("only_in_pauses", "decibels"), [(True, (0, 12)), (False, (25, 40))])
def test_a_tone_stands_out_of_new_words_as_it_does_of_the_recorded_ones(
    arctic: Path, make_recording: MakeRecording, only_in_pauses: bool, decibels: tuple[int, int]
) -> None:
    speech, rate = talk(arctic)
    tone = 0.0006 * np.cos(2 * np.pi * 5000.0 / rate * np.arange(len(speech)))
    if only_in_pauses:  # as codecs keep it
        tone[np.convolve(np.square(speech), np.ones(800) / 800, "same") > 1e-4] = 0.0
    recording = make_recording(speech + tone, rate)
    matcher = SoundMatcher(ALL_TRAITS, (), None, 0, find_steady_tones(recording, 92_000, 98_000))
    words = np.convolve(speech[20_000:26_000], np.hanning(9) / np.hanning(9).sum(), "same")
    made = matcher.with_steady_tones(words[:, None], -92_000, 0)[:, 0]
    assert decibels[0] < standing_out(made, 5000.0, rate) < decibels[1]
