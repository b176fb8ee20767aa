"""The post-filters deepen what is there: across bins, and from frame to frame."""

import pytest
import torch

from a3t.audio.analysis.mel import bin_centres
from a3t.model.a3t import A3T
from a3t.model.postnet import sharpened, widened
from a3t.model.variance.adaptors import frame_energy
from tests.model.test_network import SMALL, make_clip


def test_peaks_stand_out_and_frames_stay_as_loud() -> None:
    bins = torch.arange(80.0)
    mel = torch.stack([0.3 * torch.cos(bins / 3) - 2, torch.full((80,), -4.0), -bins / 40])[None]
    sharp = sharpened(mel, 0.4)
    torch.testing.assert_close(frame_energy(sharp), frame_energy(mel))
    assert sharp[0, 0].diff(n=2).abs().mean() > mel[0, 0].diff(n=2).abs().mean()
    torch.testing.assert_close(sharp[0, 1], mel[0, 1])  # nothing stands out
    torch.testing.assert_close(sharp[0, 2].diff()[2:-2], mel[0, 2].diff()[2:-2])
    assert sharpened(mel, 0.0).sub(mel).abs().max() < 1e-6


def test_high_frequencies_may_be_sharpened_by_themselves() -> None:
    mel = 0.01 * torch.randn(1, 40, 80, generator=torch.Generator().manual_seed(0))
    ways = sharpened(mel, 0.0), sharpened(mel, 0.6), sharpened(mel, 0.0, 0.6)
    nothing, everywhere, high = (way - way.mean(2, keepdim=True) for way in ways)
    low, top = bin_centres() < 1000, bin_centres() > 2500
    torch.testing.assert_close(high[..., low], nothing[..., low], atol=1e-3, rtol=0)
    torch.testing.assert_close(high[..., top], everywhere[..., top], atol=1e-3, rtol=0)
    assert (everywhere - nothing)[..., low].abs().max() > 0.005


@pytest.mark.parametrize("strength", [0.0, 0.5])
def test_what_is_filled_is_filtered_as_configured(strength: float) -> None:
    torch.manual_seed(0)
    network = A3T(**SMALL, sharpen=strength).eval()  # type: ignore[arg-type]
    found = network(make_clip(60, 9, 0))
    expected = sharpened(found.after, strength) if strength else found.after
    assert torch.equal(found.mel, expected)
    assert network.train()(make_clip(60, 9, 0)).refined is None  # losses see what was predicted


def test_what_is_filled_varies_more_around_its_mean() -> None:
    mel = torch.randn(2, 50, 80, generator=torch.Generator().manual_seed(0)) - 3
    masked = torch.zeros(2, 50, dtype=torch.bool)
    masked[0, 10:30] = masked[1, 40:] = True
    wide = widened(mel, masked, 1.2)
    assert torch.equal(wide[~masked], mel[~masked])
    for clip in range(2):
        own, before = wide[clip, masked[clip]], mel[clip, masked[clip]]
        torch.testing.assert_close(own.mean(0), before.mean(0))
        torch.testing.assert_close(own.std(0), 1.2 * before.std(0))
    nothing = torch.zeros_like(masked)
    assert torch.equal(widened(mel, nothing, 1.2), mel)


def test_both_post_filters_follow_the_configuration() -> None:
    torch.manual_seed(0)
    network = A3T(**SMALL, sharpen=0.4, mel_spread=1.1).eval()  # type: ignore[arg-type]
    clip = make_clip(60, 9, 0)
    found = network(clip)
    assert torch.equal(found.mel, sharpened(widened(found.after, clip.masked, 1.1), 0.4))
