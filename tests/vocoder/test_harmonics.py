"""The combs of harmonics that the vocoder's network draws with."""

import numpy as np
import pytest
import torch

from a3t.audio.analysis.mel import MEL_WINDOW_SAMPLES, log_mel
from a3t.grid import HOP, SAMPLE_RATE
from a3t.vocoder.builtin import SpectralVocoder
from a3t.vocoder.stft import spectrum
from a3t.vocoder.texture import class_of, class_pitches, combs, hann_response

CLASSES = 160
SMALL = {"width": 16, "hidden": 24, "blocks": 2, "iterations": 2}


def test_the_response_is_the_windows_own() -> None:
    """Against a Fourier transform of the window, padded to hundredths of a bin."""
    padded = np.abs(np.fft.rfft(np.hanning(MEL_WINDOW_SAMPLES + 1)[:-1], 100 * MEL_WINDOW_SAMPLES))
    found = hann_response(torch.arange(500, dtype=torch.float64) / 100).abs().numpy()
    np.testing.assert_allclose(found, padded[:500] / padded[0], atol=1e-4)


@pytest.mark.parametrize("pitch", [85.0, 130.0, 240.0])
def test_a_comb_is_the_spectrum_of_a_tone_with_all_harmonics(pitch: float) -> None:
    time = torch.arange(40 * HOP) / SAMPLE_RATE
    phases = torch.rand(int(12_000 / pitch), generator=torch.Generator().manual_seed(0))
    tone = sum(
        torch.cos(2 * torch.pi * ((k + 1) * pitch * time + phase)) for k, phase in enumerate(phases)
    )
    seen = spectrum(tone[None], torch.hann_window(MEL_WINDOW_SAMPLES))[0, 10:30].abs().log().mean(0)
    nearest = int(class_of(torch.tensor([np.log2(pitch)]), CLASSES))
    assert class_pitches(CLASSES)[nearest] == pytest.approx(pitch, rel=0.01)
    low = slice(3, 60)  # where a hundredth of the pitch is still little
    own = np.corrcoef(combs(CLASSES)[nearest, low], seen[low])[0, 1]
    others = [np.corrcoef(comb[low], seen[low])[0, 1] for comb in combs(CLASSES)]
    assert own > 0.85
    assert abs(int(np.argmax(others)) - nearest) <= 1


def test_classes_of_pitches_are_their_own() -> None:
    pitches = class_pitches(CLASSES)
    assert torch.equal(class_of(pitches.log2(), CLASSES), torch.arange(CLASSES))
    assert class_of(torch.tensor([0.0, 1.0, 20.0]), CLASSES).tolist() == [CLASSES, 0, CLASSES - 1]


def test_new_combs_change_nothing_yet() -> None:
    mel = log_mel(torch.randn(6000, generator=torch.Generator().manual_seed(0)))[None]
    torch.manual_seed(0)
    without = SpectralVocoder(**SMALL)
    torch.manual_seed(0)
    with_combs = SpectralVocoder(**SMALL, pitches=CLASSES)
    with_combs.load_state_dict(without.state_dict(), strict=False)
    with torch.no_grad():
        assert torch.equal(without(mel), with_combs(mel))


def test_a_flat_comb_where_there_is_no_voice() -> None:
    model = SpectralVocoder(**SMALL, pitches=CLASSES)
    assert model.harmonics is not None
    torch.nn.init.ones_(model.harmonics.strength.bias)
    torch.nn.init.constant_(model.harmonics.pitch.bias[-1:], 50.0)
    comb, scores, periodicity = model.harmonics(torch.zeros(1, 3, 16))
    assert scores.argmax(-1).eq(CLASSES).all() and comb.abs().max() < 1e-6
    assert periodicity.max() < 1e-6
