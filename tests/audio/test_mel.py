"""The log-mel against librosa, and its grid."""

import librosa
import numpy as np
import pytest
import torch

from a3t.audio.analysis import mel


def noise(samples: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, 0.1, samples).astype(np.float32)


def test_filters_are_librosas() -> None:
    theirs = librosa.filters.mel(
        sr=24_000, n_fft=2048, n_mels=80, fmin=80, fmax=7600, htk=False, norm="slaney"
    )
    np.testing.assert_allclose(mel.mel_filters().numpy(), theirs, atol=1e-8)


def test_the_scale_is_librosas_and_turns_back() -> None:
    hz = np.array([0.0, 80.0, 999.0, 1000.0, 1001.0, 7600.0, 12_000.0])
    np.testing.assert_allclose(mel.hz_to_mel(hz), librosa.hz_to_mel(hz), rtol=1e-9)
    np.testing.assert_allclose(mel.mel_to_hz(mel.hz_to_mel(hz)), hz, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("samples", [2049, 24_000, 24_299, 24_300])
def test_log_mel_is_librosas_on_our_grid(samples: int) -> None:
    wave = noise(samples)
    spectrum = librosa.stft(
        wave, n_fft=2048, hop_length=300, win_length=1200, window="hann", pad_mode="reflect"
    )
    theirs = np.log10(np.maximum(mel.mel_filters().numpy() @ np.abs(spectrum), 1e-10)).T
    ours = mel.log_mel(wave).numpy()
    assert ours.shape == (1 + samples // 300, 80)
    np.testing.assert_allclose(ours, theirs, atol=1e-4)


def test_a_batch_is_its_clips() -> None:
    clips = torch.from_numpy(np.stack([noise(9000, 1), noise(9000, 2)]))
    together = mel.log_mel(clips)
    for clip, one in zip(clips, together, strict=True):
        torch.testing.assert_close(mel.log_mel(clip), one, atol=1e-5, rtol=0)


@pytest.mark.parametrize("samples", [1, 300, 1024, 1025])
def test_silence_and_short_pieces_are_finite(samples: int) -> None:
    assert torch.equal(
        mel.log_mel(np.zeros(samples, np.float32)), torch.full((1 + samples // 300, 80), -10.0)
    )
    assert mel.log_mel(noise(samples)).isfinite().all()


def test_a_click_is_loudest_in_its_own_frame() -> None:
    wave = np.zeros(24_000, np.float32)
    wave[300 * 37] = 1.0
    assert int(mel.log_mel(wave).sum(1).argmax()) == 37
