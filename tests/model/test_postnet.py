"""The post-filter deepens what is there and changes no level."""

from __future__ import annotations

import pytest
import torch

from a3t.model.a3t import A3T
from a3t.model.energy import frame_energy
from a3t.model.postnet import sharpened
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


@pytest.mark.parametrize("strength", [0.0, 0.5])
def test_what_is_filled_is_filtered_as_configured(strength: float) -> None:
    torch.manual_seed(0)
    network = A3T(**SMALL, sharpen=strength).eval()  # type: ignore[arg-type]
    found = network(make_clip(60, 9, 0))
    expected = sharpened(found.after, strength) if strength else found.after
    assert torch.equal(found.mel, expected)
    assert network.train()(make_clip(60, 9, 0)).refined is None  # losses see what was predicted
