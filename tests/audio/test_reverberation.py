"""A room's reverberation: found in recordings that have one, and heard after what is put in."""

from pathlib import Path

import numpy as np
import pytest
import soundfile

from a3t.audio.analysis.room_tone import RoomTone
from a3t.audio.matching.reverberation import Reverberation, find_reverberation
from a3t.audio.matching.sound_matching import SoundMatcher
from a3t.audio.matching.traits import MatchedTraits
from a3t.audio.reading.recording import Recording
from a3t.audio.splicing.splicing import make_patch

RATE = 24_000


def bursts(seconds: float, seed: int) -> np.ndarray:
    """Noise that comes and goes at once, 3 times a second, above a floor 60 dB below it."""
    rng = np.random.default_rng(seed)
    sound = rng.normal(0, 0.1, round(RATE * seconds))
    lengths = rng.uniform(0.08, 0.2, round(seconds * 3))
    time = np.arange(len(sound)) / RATE
    on = (time % (1 / 3)) < lengths[np.minimum((time * 3).astype(int), len(lengths) - 1)]
    return np.where(on, sound, 1e-3 * sound)


def in_a_room(sound: np.ndarray, seconds: float, direct: float) -> np.ndarray:
    """Sound in a room: noise that falls by 60 dB in ``seconds``, ``direct`` dB below the sound."""
    from scipy.signal import fftconvolve

    time = np.arange(round(seconds * RATE)) / RATE
    tail = np.random.default_rng(9).standard_normal(len(time)) * 10 ** (-3 * time / seconds)
    tail[: RATE // 100] = 0.0
    tail *= np.sqrt(10 ** (-direct / 10) / np.square(tail).sum())
    tail[0] = 1.0
    return fftconvolve(sound, tail)[: len(sound)]


def recorded(folder: Path, sound: np.ndarray) -> Recording:
    soundfile.write(folder / "sound.wav", sound, RATE, subtype="FLOAT")
    return Recording.open(folder / "sound.wav")


def level(sound: np.ndarray) -> float:
    return float(10 * np.log10(np.square(sound).mean() + 1e-20))


def test_a_dry_recording_has_none(tmp_path: Path) -> None:
    sound = recorded(tmp_path, bursts(8.0, 0))
    assert find_reverberation(sound, 4 * RATE, 4 * RATE, None) is None


def test_noise_that_hides_how_sounds_fall_is_no_room(tmp_path: Path) -> None:
    """At 10 dB the falls end in the noise soon, whatever the room."""
    noise = np.random.default_rng(4).normal(0, 0.03, 8 * RATE)
    sound = recorded(tmp_path, bursts(8.0, 0) + noise)
    power = np.zeros((481, 1, 1), complex)
    power[:, 0, 0] = 0.03**2 * 960
    tone = RoomTone(RATE, power)
    assert tone.level[0] == pytest.approx(0.03, rel=0.01)
    assert find_reverberation(sound, 4 * RATE, 4 * RATE, tone) is None


def test_too_little_beside_an_edit_has_none(tmp_path: Path) -> None:
    sound = np.zeros(RATE)
    sound[: RATE // 10] = bursts(1.0, 0)[: RATE // 10]
    recording = recorded(tmp_path, sound)
    assert find_reverberation(recording, 0, RATE, None) is None
    assert find_reverberation(recording, RATE // 2, RATE // 2, None) is None


@pytest.mark.parametrize("seconds", [0.3, 0.6])
def test_what_follows_a_word_is_its_tail_in_that_room(tmp_path: Path, seconds: float) -> None:
    """A word is kept and silence put after it: what sounds there is near what would have."""
    wet = in_a_room(bursts(8.0, 0), seconds, 3.0)
    found = find_reverberation(recorded(tmp_path, wet), 4 * RATE, 4 * RATE, None)
    assert found is not None
    word = bursts(1.0, 1)[: RATE // 10]
    true = in_a_room(np.pad(word, (0, RATE // 2)), seconds, 3.0)
    made = found.heard_in(true[: len(word)], np.zeros(RATE // 2), seed=0)
    for first in (0.04, 0.08):
        part = slice(round(first * RATE), round((first + 0.04) * RATE))
        assert abs(level(made[part]) - level(true[len(word) :][part])) < 8.0
    assert level(made[-RATE // 10 :]) < level(made[: RATE // 10]) - 10.0


def test_the_word_before_a_patch_goes_on_sounding_in_it(tmp_path: Path) -> None:
    """The patch begins with a pause of 0.4 s, in which a dry patch would be silent."""
    wet = in_a_room(bursts(8.0, 0), 0.4, 3.0)
    recording = recorded(tmp_path, wet)
    room = find_reverberation(recording, 4 * RATE, 4 * RATE, None)
    assert room is not None
    first = round(4.0 * RATE) + RATE // 20  # within a burst
    made = np.concatenate([wet[first - 3000 : first], np.zeros(RATE), wet[first : first + 3000]])
    levels = []
    for reverberation in (None, room):
        own = SoundMatcher(MatchedTraits(False, False, True), [], None, 0, None, reverberation)
        margins = (3000, 3000)
        patch = make_patch(recording, made.astype(np.float32), (first, first), margins, matcher=own)
        after = first - patch.source[0] + RATE // 20  # 50 ms after the recording's last sample
        levels.append(level(patch.samples[after : after + RATE // 20]))
    assert levels[1] > levels[0] + 20.0 and levels[1] > level(wet) - 30.0


def test_a_sound_that_goes_on_as_loud_is_let_be() -> None:
    room = Reverberation(RATE, np.full(22, 0.1), 0.3)
    steady = np.random.default_rng(2).normal(0, 0.1, RATE)
    made = room.heard_in(steady, steady, seed=0)
    assert level(made - steady) < level(steady) - 25.0


def test_nothing_sounds_after_nothing() -> None:
    room = Reverberation(RATE, np.full(22, 0.1), 0.3)
    assert not room.heard_in(np.zeros(RATE), np.zeros(RATE), seed=0).any()
    assert len(room.heard_in(np.zeros(0), np.ones(7), seed=0)) == 7
