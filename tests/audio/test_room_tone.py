"""Room tone has the level and spectrum of the recording's pauses in every channel, unrepeated."""

from dataclasses import replace

import numpy as np
import pytest

from a3t.audio.analysis.room_tone import find_room_tone, room_tone
from alignment import Alignment, Phone, Word, pause

SECONDS = (0.5, 0.6, 0.4, 0.7, 0.8)  # pause, word, pause, word, pause


def room(rate: int, samples: int, seed: int = 0) -> np.ndarray:
    """A dull noise in two channels that share some of it, at about -50 dB."""
    from scipy.signal import lfilter

    noise = np.random.default_rng(seed).normal(0, 1, (samples, 2))
    dull = lfilter([0.004], [1, -0.9], noise[:, 0])
    return np.stack([dull, 0.5 * dull + 0.002 * noise[:, 1]], axis=1)


def spoken(rate: int, channels: int = 2) -> tuple[np.ndarray, Alignment]:
    """Words of loud noise between pauses, one of which has a breath in it."""
    sound = room(rate, round(rate * sum(SECONDS)))
    words, place = [], 0.0
    for k, seconds in enumerate(SECONDS):
        end = place + seconds
        if k % 2:
            span = slice(round(place * rate), round(end * rate))
            sound[span] += np.random.default_rng(k).normal(0, 0.1, sound[span].shape)
            words.append(Word("word", place, end, 1.0, (Phone("AH0", place, end),)))
        else:
            words.append(pause(place, end))
        place = end
    breath = slice(round(2.4 * rate), round(2.55 * rate))
    sound[breath] += np.random.default_rng(9).normal(0, 0.03, sound[breath].shape)
    return sound[:, :channels], Alignment(tuple(words), place)


@pytest.mark.parametrize("rate", [8_000, 16_000, 48_000])
@pytest.mark.parametrize("channels", [1, 2])
def test_it_is_as_loud_and_as_coloured_as_the_pauses(make_recording, rate, channels):
    from scipy.signal import welch

    sound, alignment = spoken(rate, channels)
    made = room_tone(make_recording(sound, rate), alignment, 3 * rate)
    assert made.shape == (3 * rate, channels) and made.dtype == np.float32
    true = room(rate, 3 * rate, seed=5)[:, :channels]
    level = 20 * np.log10(made.std(axis=0) / true.std(axis=0))
    assert np.abs(level).max() < 1.0
    _, ours = welch(made, rate, nperseg=256, axis=0)
    _, theirs = welch(true, rate, nperseg=256, axis=0)
    assert np.abs(10 * np.log10(ours / theirs))[1:-1].mean() < 1.0


def test_correlation_between_channels_is_kept(make_recording):
    sound, alignment = spoken(16_000)
    made = room_tone(make_recording(sound, 16_000), alignment, 64_000)
    true = np.corrcoef(room(16_000, 64_000, seed=5).T)[0, 1]
    assert np.corrcoef(made.T)[0, 1] == pytest.approx(true, abs=0.05)


def test_room_tone_does_not_repeat_and_has_an_even_level(make_recording):
    sound, alignment = spoken(16_000, 1)
    made = room_tone(make_recording(sound, 16_000), alignment, 160_000)[:, 0].astype(np.float64)
    spectrum = np.abs(np.fft.rfft(made, 2 * len(made))) ** 2
    again = np.fft.irfft(spectrum)[: len(made)]
    assert np.abs(again[3_200:] / again[0]).max() < 0.1
    pieces = made.reshape(-1, 1_600).std(axis=1)
    assert np.abs(20 * np.log10(pieces[[0, -1]] / pieces.mean())).max() < 3


def test_a_seed_gives_the_same_samples_and_another_seed_others(make_recording):
    sound, alignment = spoken(16_000)
    recording = make_recording(sound, 16_000)
    one, same, other = (room_tone(recording, alignment, 999, seed) for seed in (1, 1, 2))
    assert np.array_equal(one, same) and not np.array_equal(one, other)


def test_without_pauses_the_quietest_moments_of_speech_tell_the_noise(make_recording):
    rate = 16_000
    sound = room(rate, 3 * rate)
    for start in range(0, 3 * rate, rate // 5):  # syllables with 60 ms between them
        span = slice(start, start + round(0.14 * rate))
        sound[span] += np.random.default_rng(start).normal(0, 0.1, sound[span].shape)
    word = Word("word", 0.0, 3.0, 1.0, (Phone("AH0", 0.0, 3.0),))
    level = find_room_tone(make_recording(sound, rate), Alignment((word,), 3.0)).level
    true = room(rate, 3 * rate).std(axis=0)
    assert np.abs(20 * np.log10(level / true)).max() < 2.0


def test_digital_silence_stays_silent(make_recording):
    sound = np.zeros((16_000, 2))
    sound[8_000:, 0] = 0.1 * np.sin(np.arange(8_000) / 7)  # words in one channel only
    word = Word("word", 0.5, 1.0, 1.0, (Phone("AH0", 0.5, 1.0),))
    recording = make_recording(sound, 16_000)
    made = room_tone(recording, Alignment((pause(0.0, 0.5), word), 1.0), 1_000)
    assert made.shape == (1_000, 2) and not made.any()


@pytest.mark.parametrize("paused", [True, False])
def test_a_cleaned_start_is_not_the_room(make_recording, paused):
    """Their room is heard beside the start, be there pauses between the words or not."""
    rate = 16_000
    sound, alignment = spoken(rate)
    if not paused:  # words of two syllables, and nothing between them but 80 ms of the room
        words = tuple(replace(w, text="word", score=1.0) for w in alignment.words[1:])
        alignment = replace(alignment, words=(alignment.words[0], *words))
    gated = sound.copy()
    gated[: rate // 2] = np.random.default_rng(0).normal(0, 1e-5, (rate // 2, 2))
    tone = find_room_tone(make_recording(gated, rate), alignment, near=rate // 2)
    true = room(rate, 3 * rate).std(axis=0)
    assert np.abs(20 * np.log10(tone.level / true)).max() < 2.0
    gated[round(1.1 * rate) : round(1.5 * rate)] = gated[: round(0.4 * rate)]
    silent = replace(alignment, words=alignment.words[:4])
    if paused:  # a gate that closes between words as well: the pauses stay as silent
        assert find_room_tone(make_recording(gated, rate), silent).level.max() < 1e-4


def test_notes_that_come_and_go_in_the_pauses_are_not_made_into_noise(make_recording):
    """Now this note, now that one: each frequency is quiet most of the time."""
    rate = 16_000
    sound, alignment = spoken(rate, 1)
    time = np.arange(len(sound)) / rate
    pitch = np.array([300, 700, 1500, 2500])[(time / 0.1).astype(int) % 4]
    notes = 0.05 * np.sin(2 * np.pi * pitch * time)
    made = room_tone(make_recording(sound + notes[:, None], rate), alignment, 3 * rate)
    assert 20 * np.log10(made.std() / notes.std()) < -8
