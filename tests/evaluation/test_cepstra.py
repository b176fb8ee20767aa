"""Mel-cepstra against SPTK, time warping against librosa, and what an MCD must satisfy."""

import warnings

import numpy as np
import pytest

from a3t.errors import InputError
from evaluation import cepstra
from tests.evaluation.conftest import noisy

pytest.importorskip("pyworld", reason="the extra `eval` is not installed")

RATE = 16000


@pytest.fixture(scope="module")
def envelope(phrase: np.ndarray) -> np.ndarray:
    return cepstra.spectral_envelope(phrase, RATE)


@pytest.mark.parametrize(("order", "alpha"), [(24, 0.41), (24, 0.466), (80, 0.41), (0, 0.3)])
def test_mel_cepstrum_is_that_of_sptk(envelope: np.ndarray, order: int, alpha: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pysptk = pytest.importorskip("pysptk")
    ours = cepstra.mel_cepstrum(envelope, order, alpha)
    assert ours.shape == (len(envelope), order + 1)
    np.testing.assert_allclose(ours, pysptk.sp2mc(envelope, order, alpha), atol=1e-9)


def test_all_pass_constants_are_those_of_sptk() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        util = pytest.importorskip("pysptk.util")
    for rate, alpha in cepstra.ALL_PASS.items():
        assert alpha == pytest.approx(util.mcepalpha(rate))
    with pytest.raises(InputError, match="11025 Hz"):
        cepstra.all_pass_constant(11025)


def test_frames_are_five_milliseconds_apart(phrase: np.ndarray) -> None:
    assert len(cepstra.mel_cepstra(phrase, RATE)) == round(len(phrase) / RATE / 0.005) + 1


def test_warp_path_is_the_cheapest_of_all_paths() -> None:
    random = np.random.default_rng(1)
    for n, m in [(1, 1), (1, 5), (4, 1), (3, 5), (5, 5)]:
        a, b = random.normal(size=(n, 3)), random.normal(size=(m, 3))
        cost = np.linalg.norm(a[:, None] - b[None], axis=2)

        def cheapest(i: int, j: int, cost: np.ndarray = cost) -> float:
            if min(i, j) < 0:
                return np.inf
            if i == j == 0:
                return float(cost[0, 0])
            before = min(cheapest(i - 1, j - 1), cheapest(i - 1, j), cheapest(i, j - 1))
            return float(cost[i, j]) + before

        path = cepstra.warp_path(a, b)
        assert cost[path[:, 0], path[:, 1]].sum() == pytest.approx(cheapest(n - 1, m - 1))
        assert path[0].tolist() == [0, 0]
        assert path[-1].tolist() == [n - 1, m - 1]
        assert {tuple(step) for step in np.diff(path, axis=0)} <= {(1, 1), (1, 0), (0, 1)}


def test_warping_forgives_any_stretch_of_the_same_frames() -> None:
    frames = np.random.default_rng(2).normal(size=(50, 25))
    stretched = np.repeat(frames, np.random.default_rng(3).integers(1, 4, size=50), axis=0)
    assert cepstra.cepstral_distortion(frames, stretched) == pytest.approx(0, abs=1e-6)


def test_distortion_is_the_rms_difference_of_log_spectra_in_decibels(
    envelope: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parseval, without warping or truncation, which is where the constant comes from."""
    envelope = envelope[::8, ::4]
    straight = np.repeat(np.arange(len(envelope))[:, None], 2, axis=1)
    monkeypatch.setattr(cepstra, "warp_path", lambda a, b: straight)
    bins = envelope.shape[1]
    other = envelope[::-1]
    a, b = (cepstra.mel_cepstrum(power, bins - 1, 0.0) for power in (envelope, other))
    # The spectrum on the whole circle, its mean level taken off.
    decibels = 10 * np.log10(envelope / other)
    circle = np.concatenate([decibels, decibels[:, -2:0:-1]], axis=1)
    expected = circle.std(axis=1).mean()
    assert cepstra.cepstral_distortion(a, b) == pytest.approx(expected, rel=1e-4)


def test_level_costs_nothing_and_noise_more_and_more(phrase: np.ndarray) -> None:
    own = cepstra.mel_cepstra(phrase, RATE)
    others = [0.3 * phrase, *(noisy(phrase, deviation) for deviation in (0.0005, 0.003, 0.02))]
    figures = [cepstra.cepstral_distortion(own, cepstra.mel_cepstra(x, RATE)) for x in others]
    assert figures[0] == pytest.approx(0, abs=1e-4)
    assert figures == sorted(figures) and figures[1] > 0.1


def test_a_span_chooses_the_region_in_seconds(phrase: np.ndarray) -> None:
    spoilt = phrase.copy()
    spoilt[: RATE // 3] = noisy(phrase, 0.02)[: RATE // 3]
    clean, other = (cepstra.mel_cepstra(x, RATE) for x in (phrase, spoilt))
    far, near = (
        cepstra.cepstral_distortion(*(cepstra.region_frames(x, span) for x in (clean, other)))
        for span in ((0.5, 0.75), (0.0, 0.3))
    )
    assert far < 0.05 < 1.0 < near


def test_the_first_implementations_distance_has_its_faults(phrase: np.ndarray) -> None:
    own, halved = (cepstra.first_implementation_cepstra(x, RATE) for x in (phrase, 0.5 * phrase))
    assert cepstra.first_implementation_distance(own, own) == pytest.approx(0, abs=1e-9)
    # Level counts: halving it moves c0 by ln 2, which is 10/ln 10 * sqrt 2 * ln 2 = 4.26 dB alone.
    assert cepstra.first_implementation_distance(own, halved) == pytest.approx(4.257, abs=0.01)


@pytest.mark.parametrize(
    ("samples", "reason"),
    [
        (np.zeros((2, 100)), "mono samples"),
        (np.zeros(0), "mono samples"),
        (np.array([0.1, np.nan, 0.2]), "NaN"),
    ],
)
def test_an_invalid_signal_is_refused(samples: np.ndarray, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        cepstra.mel_cepstra(samples, RATE)
