"""Distances of log-mels, pitch, PESQ, STOI, speakers and words: known answers and properties."""

import sys

import numpy as np
import pytest
import torch

from a3t.errors import InputError
from evaluation import metrics
from evaluation.metrics import WINDOW, speech_mos
from tests.evaluation.conftest import noisy
from training.pretraining_objective import cepstral_distance

RATE = 16000


@pytest.fixture
def mels() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(4)
    a = random.normal(size=(40, 80)).cumsum(axis=1) * 0.1
    return a, a + 0.1 * random.normal(size=a.shape)


def test_mel_distances_by_hand() -> None:
    a = np.zeros((3, 80))
    b = np.full((3, 80), 0.5)
    b[:, ::2] = -0.5
    assert metrics.mel_l1(a, b) == pytest.approx(0.5)
    with pytest.raises(InputError, match="shape"):
        metrics.mel_l1(a, b[:2])


def test_mel_cepstral_distance_is_an_rms_in_decibels(mels: tuple[np.ndarray, np.ndarray]) -> None:
    """Parseval's theorem: of two spectra that differ by 24 smooth waves, without the mean."""
    from scipy.fft import dct, idct

    a, b = mels
    smooth = dct(b - a, type=2, norm="ortho", axis=1)
    smooth[:, 0] = smooth[:, 25:] = 0
    rms = 20 * idct(smooth, type=2, norm="ortho", axis=1).std(axis=1)
    logged = cepstral_distance(torch.from_numpy(a), torch.from_numpy(b))
    assert logged.numpy() == pytest.approx(rms)


def test_mel_cepstral_distance_ignores_level_and_warps_time(
    mels: tuple[np.ndarray, np.ndarray],
) -> None:
    a, b = mels
    assert metrics.mel_cepstral_distance(a, a + 0.7) == pytest.approx(0, abs=1e-6)
    stretched = np.repeat(a, 2, axis=0)
    assert metrics.mel_cepstral_distance(a, stretched) == pytest.approx(0, abs=1e-6)
    near = metrics.mel_cepstral_distance(a, a + 0.1 * (b - a))
    logged = cepstral_distance(torch.from_numpy(a), torch.from_numpy(a + 0.1 * (b - a)))
    assert 0 < near <= float(logged.mean()) + 1e-9


def test_errors_of_pitch_by_hand() -> None:
    """A semitone up is 100 cents off; a frame of four is voiced in one track alone."""
    track = np.array([150.0, 150.0, 0.0, 150.0])
    other = np.array([150.0, 150.0, 150.0, 150.0]) * 2 ** (1 / 12)
    cents, voicing = metrics.fundamental_error(track, other)
    assert cents == pytest.approx(100) and voicing == 0.25
    cents, voicing = metrics.fundamental_error(0 * track, other)
    assert np.isnan(cents) and voicing == 1


def test_pesq_and_stoi_know_a_clean_signal_and_fall_with_noise(sentence: np.ndarray) -> None:
    pytest.importorskip("pesq", reason="the extra `eval` is not installed")
    pytest.importorskip("pystoi", reason="the extra `eval` is not installed")
    assert metrics.pesq_wideband(sentence, sentence, RATE) == pytest.approx(4.64, abs=0.01)
    assert metrics.stoi(sentence, sentence, RATE) == pytest.approx(1, abs=1e-6)
    worse = [noisy(sentence, deviation) for deviation in (0.003, 0.01, 0.05)]
    for metric in (metrics.pesq_wideband, metrics.stoi):
        figures = [metric(sentence, signal, RATE) for signal in worse]
        assert figures == sorted(figures, reverse=True)


def test_a_blurred_mel_has_less_detail(mels: tuple[np.ndarray, np.ndarray]) -> None:
    one, _ = mels
    assert metrics.detail(one, one) == pytest.approx(1)
    assert metrics.detail(one, one[: len(one) // 2] + 0.3) == pytest.approx(1, abs=0.2)
    blurred = np.apply_along_axis(np.convolve, 1, one, np.ones(5) / 5, mode="same")
    assert metrics.detail(one, blurred) < 0.5


def test_listeners_would_hear_a_gap_and_a_bad_filling(sentence: np.ndarray) -> None:
    pytest.importorskip("speechmos", reason="the extra `eval` is not installed")
    silent, noise = sentence.copy(), sentence.copy()
    random = np.random.default_rng(0)
    for start in range(RATE // 2, len(sentence) - RATE // 2, RATE // 2):
        gap = slice(start, start + RATE // 5)
        silent[gap] = 0
        noise[gap] = random.normal(scale=sentence.std(), size=RATE // 5)
    whole, *worse = (metrics.concealment_mos(each, RATE) for each in (sentence, silent, noise))
    assert whole > 4 and max(worse) < whole - 0.5
    with pytest.raises(InputError, match="No speech"):
        metrics.concealment_mos(np.zeros(RATE), RATE)


def test_silence_is_refused_in_a_sentence(sentence: np.ndarray) -> None:
    pytest.importorskip("pesq", reason="the extra `eval` is not installed")
    pytest.importorskip("pystoi", reason="the extra `eval` is not installed")
    with pytest.raises(InputError, match="no speech"):
        metrics.pesq_wideband(np.zeros_like(sentence), sentence, RATE)
    with pytest.raises(InputError, match=r"0\.4 s"):
        metrics.stoi(sentence[:3000], sentence[:3000], RATE)


def test_a_voice_resembles_itself_more_than_another(sentence: np.ndarray) -> None:
    pytest.importorskip("webrtcvad", reason="the extra `eval` is not installed")
    pytest.importorskip("resemblyzer", reason="the extra `eval` is not installed")
    # Played a third faster, pitch and formants move together: as if another person spoke.
    other = np.interp(np.arange(0, len(sentence), 4 / 3), np.arange(len(sentence)), sentence)
    half = len(sentence) // 2
    own = metrics.speaker_similarity(sentence[:half], sentence[half:], RATE)
    strange = metrics.speaker_similarity(sentence[:half], other, RATE)
    assert strange < own <= 1.0
    assert metrics.speaker_similarity(sentence, sentence, RATE) == pytest.approx(1, abs=1e-5)
    with pytest.raises(InputError, match="No speech"):
        metrics.speaker_embedding(np.zeros(RATE), RATE)


def test_an_absent_package_is_named(sentence: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pesq", None)
    with pytest.raises(InputError, match=r"needs pesq: pip install 'a3t\[eval\]'"):
        metrics.pesq_wideband(sentence, sentence, RATE)


def fewest_edits(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """By trying all ways, without a table."""
    if not one or not other:
        return len(one) + len(other)
    ways = (
        fewest_edits(one[1:], other[1:]) + (one[0] != other[0]),
        fewest_edits(one[1:], other) + 1,
        fewest_edits(one, other[1:]) + 1,
    )
    return min(ways)


def test_word_error_rate_is_the_fewest_edits() -> None:
    random = np.random.default_rng(6)
    for _ in range(30):
        a, b = (
            tuple(map(str, random.integers(0, 4, size=n))) for n in random.integers(1, 7, size=2)
        )
        assert metrics.word_error_rate(a, b) == pytest.approx(fewest_edits(a, b) / len(a))
    with pytest.raises(InputError):
        metrics.word_error_rate([], ["a"])


def test_dnsmos_is_the_packages_own_and_falls_with_noise(sentence: np.ndarray) -> None:
    dnsmos = pytest.importorskip("speechmos.dnsmos", reason="the extra `eval` is not installed")
    long = metrics.at_one_level(np.resize(sentence, WINDOW)).astype(np.float32)
    theirs, ours = dnsmos.run(long, RATE), speech_mos(long, RATE)
    assert ours["dnsmos"] == pytest.approx(theirs["ovrl_mos"])
    assert ours["dnsmos_p808"] == pytest.approx(theirs["p808_mos"])
    little, much = (speech_mos(noisy(sentence, deviation), RATE) for deviation in (0.003, 0.05))
    for name in ("dnsmos", "dnsmos_p808"):
        assert ours[name] > little[name] > much[name]
    assert np.isnan(speech_mos(np.zeros(RATE), RATE)["dnsmos"])
    assert np.isnan(speech_mos(sentence[:1000], RATE)["dnsmos"])


@pytest.mark.slow
def test_listeners_do_not_mind_a_gain(sentence: np.ndarray) -> None:
    pytest.importorskip("speechmos", reason="the extra `eval` is not installed")
    before = np.random.get_state()[1].copy()
    sentence = sentence[RATE : 3 * RATE]
    rated = [metrics.concealment_mos(gain * sentence, RATE) for gain in (1, 1, 0.25)]
    assert rated[0] == rated[1] == pytest.approx(rated[2], abs=0.005)  # by the same raters
    assert (np.random.get_state()[1] == before).all()  # and nobody else's draws are moved
    plain, loud = (speech_mos(gain * sentence, RATE) for gain in (1.0, 3.0))
    assert loud == pytest.approx(plain, abs=0.005)


def test_a_voice_is_the_same_at_any_gain(sentence: np.ndarray) -> None:
    """And with any pause before it, which would make the whole quieter."""
    pytest.importorskip("webrtcvad", reason="the extra `eval` is not installed")
    pytest.importorskip("resemblyzer", reason="the extra `eval` is not installed")
    voice = metrics.speaker_embedding(sentence, RATE)
    for gain in (0.01, 3.0):
        assert voice @ metrics.speaker_embedding(gain * sentence, RATE) > 0.9999
    later = np.pad(sentence, (3 * RATE, 0))
    assert voice @ metrics.speaker_embedding(later, RATE) > 0.98


def test_one_level_is_one_level(sentence: np.ndarray) -> None:
    for gain in (1e-4, 1.0, 7.0):
        levelled = metrics.at_one_level(gain * sentence)
        assert np.sqrt(np.mean(levelled**2)) == pytest.approx(metrics.LEVEL, rel=1e-3)
    click = np.zeros(RATE)
    click[100] = 0.01
    assert metrics.at_one_level(click).max() == 1.0
    assert not metrics.at_one_level(np.zeros(10)).any()
    assert metrics.at_one_level(np.zeros(0)).shape == (0,)
