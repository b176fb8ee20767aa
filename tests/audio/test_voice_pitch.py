"""The pitch of a voice is found where there is one."""

import numpy as np

from a3t.audio.analysis.voice_pitch import track_pitch
from a3t.grid import HOP, SAMPLE_RATE


def voice(hertz: np.ndarray) -> np.ndarray:
    """A buzz (300 T,) of the first twenty harmonics at a pitch (T,), louder about 600 Hz."""
    pitch = np.interp(np.arange(len(hertz) * HOP), np.arange(len(hertz)) * HOP, hertz)
    turns = 2 * np.pi * np.cumsum(pitch) / SAMPLE_RATE
    parts = [np.cos(k * turns) / (1 + ((k * pitch - 600) / 300) ** 2) for k in range(1, 21)]
    return np.asarray(0.1 * np.sum(parts, axis=0))


def test_a_gliding_voice_is_followed_to_a_tenth_of_a_semitone() -> None:
    for low, high in ((85, 140), (300, 180)):
        hertz = np.geomspace(low, high, 160)
        found = track_pitch(voice(hertz), 160)[4:-4]
        assert (found > 0).all()
        assert np.abs(12 * np.log2(found / hertz[4:-4])).max() < 0.1


def test_there_is_no_voice_in_noise_nor_in_silence() -> None:
    noise = 0.1 * np.random.default_rng(0).standard_normal(160 * HOP)
    assert (track_pitch(noise, 160) > 0).mean() < 0.05
    assert not track_pitch(np.zeros(50 * HOP), 50).any()
    assert len(track_pitch(np.zeros(7), 3)) == 3


def test_a_voice_between_pauses_is_found_there_alone() -> None:
    sound = voice(np.full(120, 120.0)) * np.repeat((np.arange(120) // 40) == 1, HOP)
    voiced = track_pitch(sound, 120) > 0
    assert voiced[44:76].all() and not voiced[:37].any() and not voiced[83:].any()
