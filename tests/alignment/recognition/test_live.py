"""Words while they are said: the same however the sound comes, settled for good, in little room."""

from pathlib import Path

import numpy as np
import pytest
import soundfile

from alignment.errors import AlignmentError
from alignment.network.phone_network import HOP_SAMPLES, band_power, normalised
from alignment.recognition.lattice import Arc
from alignment.recognition.live import (
    LATE_S,
    LiveRecogniser,
    LiveWords,
    RunningBands,
    RunningScores,
)
from alignment.recognition.rescoring import Rescoring


@pytest.fixture(scope="module")
def samples(arctic: Path) -> np.ndarray:
    """The first words: three seconds."""
    return soundfile.read(arctic, dtype="float32")[0][:48_000]  # type: ignore[no-any-return]


def heard(samples: np.ndarray, sizes: list[int], rate: int = 16_000) -> list[LiveWords]:
    recogniser = LiveRecogniser(rate)
    edges = np.minimum(np.cumsum([0, *sizes]), len(samples))
    shown = [recogniser.hear(samples[a:b]) for a, b in zip(edges, edges[1:], strict=False)]
    return [*shown, recogniser.end()]


def text(shown: list[LiveWords]) -> list[str]:
    return [word.text for words in shown for word in words.final]


def test_words_come_while_the_sound_does_and_do_not_depend_on_its_blocks(
    samples: np.ndarray,
) -> None:
    many = heard(samples, [3200] * 15)
    assert text(many[:12]) and any(words.provisional for words in many[:10])
    assert many[-1].provisional == () and many[-1].pause
    final = [word for words in many for word in words.final]
    assert all(a.end <= b.start + 1e-9 for a, b in zip(final, final[1:], strict=False))
    random = np.random.default_rng(0)
    assert text(heard(samples, random.integers(0, 9000, 200).tolist())) == text(many)
    assert text(many)[:4] == ["and", "you", "always", "want"]


def test_late_words_are_not_rescored_and_none_is_dropped(
    samples: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []

    def rescored(own: Rescoring, lattice: list[Arc]) -> list[int]:
        calls.append(len(lattice))
        return rescore(own, lattice)

    rescore = Rescoring.__call__
    monkeypatch.setattr(Rescoring, "__call__", rescored)
    recogniser = LiveRecogniser(16_000)
    late = recogniser.hear(samples[:40_000], behind=2.0 * LATE_S)
    assert late.final and not calls
    rest = [recogniser.hear(samples[40_000:], behind=0.0), recogniser.end()]
    assert calls
    assert abs(len(text([late, *rest])) - len(text(heard(samples, [len(samples)])))) <= 1


def test_silence_and_noise_are_no_words_and_take_no_room() -> None:
    noise = np.random.default_rng(0).standard_normal(16_000 * 3).astype(np.float32) * 0.01
    for sound in (np.zeros(16_000 * 3, np.float32), noise):
        recogniser = LiveRecogniser(16_000)
        assert recogniser.hear(sound).final == ()
        assert recogniser.end().final == ()
        assert len(recogniser._beam._records) < 100
        assert len(recogniser._scores.bands.rows) < 400


def test_a_rate_that_is_too_low_is_refused() -> None:
    with pytest.raises(AlignmentError, match="4000 Hz"):
        LiveRecogniser(4000)


@pytest.mark.parametrize("size", [100, 4000])
def test_bands_as_they_come_are_those_of_the_whole(samples: np.ndarray, size: int) -> None:
    bands = RunningBands(16_000)
    for first in range(0, len(samples), size):
        bands.hear(samples[first : first + size])
        assert bands.stop <= first // HOP_SAMPLES + size // HOP_SAMPLES  # no more than is there
    bands.hear(np.zeros(0), last=True)
    assert bands.stop == len(samples) // HOP_SAMPLES + 1
    whole = np.log(band_power(samples * 32768) + 1e-12)
    loud = whole > whole.max() - 12
    assert np.abs(bands.rows - whole)[loud].mean() < 0.05
    window = bands.window(100, 300)
    assert np.abs(window - normalised(np.exp(whole))[100:300])[loud[100:300]].mean() < 0.1
    bands.forget(200)
    assert np.array_equal(bands.window(250, 300), window[150:200])


def test_scores_come_in_whole_chunks_and_reach_to_the_end(samples: np.ndarray) -> None:
    scores = RunningScores(16_000, 0.2, 0.38, (1.0,))
    parts = [scores.hear(block) for block in np.array_split(samples, 30)]
    assert {len(part) % 20 for part in parts} == {0}
    rest = scores.hear(np.zeros(0), last=True)
    count = sum(map(len, parts)) + len(rest)
    assert count == -(-(len(samples) // HOP_SAMPLES + 1) // 2)
