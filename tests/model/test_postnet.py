"""The post-filters deepen what is there: across bins, and from frame to frame."""

from dataclasses import replace

import pytest
import torch

from a3t.audio.analysis.mel import bin_centres
from a3t.model.a3t import A3T
from a3t.model.postnet import CLASSES, PAUSED, VOWEL, PostFilter, sharpened, widened
from a3t.model.variance.adaptors import frame_energy
from a3t.text.phones import phone_ids
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


def test_phones_are_sharpened_by_their_class_and_frequency() -> None:
    """Vowels only at the top, fricatives everywhere, all others not at all."""
    table = dict.fromkeys((VOWEL, PAUSED, *CLASSES), [0.0] * 9)
    table |= {"vowel": [0, 0, 0, 0, 0, 0, 0.6, 0.6, 0.6], "fricative": [0.6] * 9}
    clip = make_clip(60, 3, 0)
    clip = replace(clip, phones=torch.tensor([phone_ids(["AA1", "S", "M"])]))
    mel = 0.01 * torch.randn(1, 60, 80, generator=torch.Generator().manual_seed(0))
    found, plain, all_over = (
        PostFilter(1.0, sharpen, 0.0)(mel, clip) for sharpen in (table, 0.0, 0.6)
    )
    change, most = (each - each.mean(2, keepdim=True) for each in (found - plain, all_over - plain))
    vowel, fricative, nasal = (clip.frame_phone[0] == k for k in range(3))
    low, top = bin_centres() < 2900, bin_centres() > 4600
    assert change[0, vowel][:, low].std() < 0.1 * most[0, vowel][:, low].std()
    torch.testing.assert_close(change[0, vowel][:, top], most[0, vowel][:, top], atol=2e-3, rtol=0)
    torch.testing.assert_close(change[0, fricative], most[0, fricative])
    assert change[0, nasal].abs().max() < 1e-6


def test_only_the_top_is_steadied_from_frame_to_frame() -> None:
    mel = 0.01 * torch.randn(1, 400, 80, generator=torch.Generator().manual_seed(0))
    steady = sharpened(mel, 0.0, 0.3)[0]
    low, top = bin_centres() < 5400, bin_centres() > 6700

    def hanging_together(mel: torch.Tensor) -> float:
        detail = mel.diff(n=2, dim=1)
        return float((detail[1:] * detail[:-1]).mean() / detail.square().mean())

    assert hanging_together(steady[:, low]) == pytest.approx(0.0, abs=0.05)
    assert hanging_together(steady[:, top]) == pytest.approx(0.45, abs=0.12)


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
