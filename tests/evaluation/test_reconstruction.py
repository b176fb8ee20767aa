"""The reconstruction experiment on one real sentence, with fillers of known results."""

from __future__ import annotations

import math

import numpy as np
import pytest

from a3t.audio.analysis.mel import log_mel
from a3t.errors import InputError
from a3t.grid import HOP
from evaluation import reconstruction as rec
from evaluation import report
from evaluation.metrics import resampled
from evaluation.systems.interface import Gap, Ints, Mel, System
from evaluation.systems.simple import Interpolation, MeanSpectrum

PHONES = 9


@pytest.fixture(scope="module")
def item(sentence: np.ndarray) -> rec.HeldOutClip:
    samples = resampled(sentence[20000:36000], 16000, 24000).astype(np.float32)
    mel = log_mel(samples).numpy()
    durations = np.full(PHONES, len(mel) // PHONES)
    words = np.arange(PHONES) // 2
    return rec.HeldOutClip(
        "arctic", "awb", True, 16000, samples, mel, np.arange(PHONES) + 3, durations, words
    )


@pytest.fixture(scope="module")
def rows(item: rec.HeldOutClip) -> list[rec.ReconstructionRow]:
    """True mel, mean spectrum and a line, with durations given and with a third more."""
    pytest.importorskip("pyworld", reason="the extra `eval` is not installed")
    first, last = item.frames(item.region)

    class Truth(System):
        def fill(self, gap: Gap) -> Mel:
            frames = np.linspace(first, last - 1, gap.length)
            return item.mel[frames.round().astype(int)]

    def longer(item: rec.HeldOutClip, phones: tuple[int, int]) -> Ints:
        return (item.durations[phones[0] : phones[1]] * 4 + 2) // 3

    systems = {"truth": Truth(), "mean spectrum": MeanSpectrum(), "interpolation": Interpolation()}
    return list(rec.reconstruct([item], systems, sines(item), longer))


def sines(item: rec.HeldOutClip) -> rec.Vocoder:
    """A vocoder that knows the sentence: noise through each frame's mel, one seed for all calls.

    Crude, but the same function of the mel everywhere, which is all that the experiment asks.
    """
    from a3t.audio.analysis.mel import mel_filters

    inverse = np.linalg.pinv(mel_filters().numpy()).T  # (80, 1025)

    def vocode(mel: Mel) -> np.ndarray:
        magnitude = np.maximum(10.0 ** mel.astype(np.float64) @ inverse, 1e-7)
        random = np.random.default_rng(7)
        out = np.zeros(len(mel) * HOP + 2048)
        window = np.hanning(1200)
        for t, frame in enumerate(magnitude):
            noise = np.exp(2j * np.pi * random.uniform(size=1025))
            piece = np.fft.irfft(frame * noise)[:1200] * window
            out[t * HOP : t * HOP + 1200] += piece
        return out[600 : 600 + len(mel) * HOP]

    return vocode


def test_the_region_is_the_middle_third(item: rec.HeldOutClip) -> None:
    assert item.region == (3, 6)
    length = len(item.mel) // PHONES
    assert item.frames(item.region) == (3 * length, 6 * length)


def test_a_gap_hides_the_region_and_nothing_else(item: rec.HeldOutClip) -> None:
    durations = np.array([2, 0, 5])
    gap = rec.open_gap(item, item.region, durations)
    first, last = item.frames(item.region)
    assert gap.frame_span == (first, first + 7)
    assert not gap.mel[first : first + 7].any()
    np.testing.assert_array_equal(gap.mel[:first], item.mel[:first])
    np.testing.assert_array_equal(gap.mel[first + 7 :], item.mel[last:])
    assert gap.durations.sum() == item.durations.sum() - (last - first) + 7
    assert len(gap.visible) == len(item.mel) - (last - first)
    for wrong in ([1, 2], [0, 0, 0], [3, -1, 3]):
        with pytest.raises(InputError, match="durations"):
            rec.open_gap(item, item.region, np.array(wrong))


def test_baselines_on_a_ramp() -> None:
    mel = np.repeat(np.arange(10, dtype=np.float32)[:, None], 80, axis=1)
    hidden = mel.copy()
    hidden[4:7] = 0
    gap = Gap(hidden, np.arange(3), np.array([4, 3, 3]), (4, 7), np.arange(3))
    np.testing.assert_allclose(Interpolation().fill(gap), mel[4:7])
    np.testing.assert_allclose(
        MeanSpectrum().fill(gap), np.delete(mel, [4, 5, 6], 0).mean(0)[None] + 0 * mel[:3]
    )


def test_each_system_and_timing_has_its_row(rows: list[rec.ReconstructionRow]) -> None:
    systems = [(row.durations, row.system) for row in rows]
    given = [("given", s) for s in ("copy-synthesis", "truth", "mean spectrum", "interpolation")]
    assert systems == given + [("predicted", s) for _, s in given[1:]]
    for row in rows:
        predicted = row.durations == "predicted"
        assert (row.frames > row.true_frames) == predicted
        assert math.isnan(row.mcd_unwarped) == predicted
        assert math.isnan(row.mel_l1) == predicted


def test_the_true_mel_is_copy_synthesis_and_the_mean_spectrum_is_worse(
    rows: list[rec.ReconstructionRow],
) -> None:
    copy, truth, mean, _, stretched, stretched_mean, _ = rows
    for figure in ("mcd", "mcd_unwarped", "mcd_24k", "first_implementation"):
        assert getattr(truth, figure) == getattr(copy, figure)
    assert truth.mel_distance == truth.mel_l1 == 0
    assert mean.mcd > truth.mcd
    assert truth.detail == pytest.approx(1) and mean.detail < 1
    assert mean.mcd == mean.mcd_16k  # recorded at 16 kHz
    assert mean.mcd_24k > truth.mcd_24k
    assert truth.mcd <= truth.mcd_unwarped
    # Warping forgives the true mel played slower, and cannot help the mean.
    assert stretched.mel_distance == pytest.approx(0, abs=1e-5)
    assert stretched_mean.mel_distance > 1


class Short(System):
    name = "short"

    def fill(self, gap: Gap) -> Mel:
        return gap.mel[:1]


def test_wrong_lengths_are_named(item: rec.HeldOutClip) -> None:
    pytest.importorskip("pyworld", reason="the extra `eval` is not installed")
    with pytest.raises(InputError, match="The vocoder gave"):
        next(rec.reconstruct([item], {}, lambda mel: np.zeros(len(mel), np.float32)))
    rows = rec.reconstruct([item], {"short": Short()}, sines(item))
    next(rows)
    with pytest.raises(InputError, match="arctic: short"):
        next(rows)


def test_report_counts_and_means(rows: list[rec.ReconstructionRow]) -> None:
    table = report.rows_to_tsv(rows).splitlines()
    assert len(table) == len(rows) + 1
    assert table[0].startswith("clip\tvoice\tseen\tdurations\tsystem")
    assert all(line.count("\t") == table[0].count("\t") for line in table)
    page = report.markdown_report(rows, "Title", ["a fact"])
    assert "1 held-out clips, 1 by voices in the training data" in page
    assert f"| given | mean spectrum | {rows[2].mcd:.2f} |" in page
    assert "lower on 1 of 1 clips" in page


def test_standard_error_by_hand() -> None:
    mean = report.Mean.of([1.0, 2.0, 3.0, float("nan")])
    assert (mean.value, mean.count) == (2.0, 3)
    assert mean.error == pytest.approx(1 / math.sqrt(3))
    assert str(mean) == "2.00 ± 0.58"
    assert str(report.Mean.of([])) == "–"
