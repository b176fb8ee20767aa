"""The level of filled frames is moved towards their neighbours', phone class by phone class."""

import numpy as np
import pytest
import torch

from a3t.model.variance.adaptors import frame_energy
from a3t.rendering.mel_corrections import (
    LEVEL_SHARE,
    MAX_SHIFT,
    lacking_gain,
    levelled,
)

SYMBOLS = ["AA1", "S", "N", "AA1", "S", "N", "AA1", "S", "N"]
OF_FRAME = np.repeat(np.arange(9), 20)
MASKED = (OF_FRAME >= 3) & (OF_FRAME < 6)
LOUD = {"AA1": 0.0, "N": -0.5, "S": -1.5}


def make_mel(change: float = 0.0) -> torch.Tensor:
    """Vowels, nasals and fricatives of their own levels; the masked frames changed."""
    levels = np.array([LOUD[symbol] for symbol in SYMBOLS])[OF_FRAME] + change * MASKED
    mel = np.random.default_rng(0).normal(-3.0, 0.2, (len(levels), 80)) + levels[:, None]
    return torch.from_numpy(mel.astype(np.float32))


@pytest.mark.parametrize("change", [-0.4, 0.0, 0.3])
def test_most_of_a_fills_level_error_is_corrected(change: float) -> None:
    mel = make_mel(change)
    moved = levelled(mel, MASKED, SYMBOLS, OF_FRAME) - mel
    assert not moved[~MASKED].any()
    inside = moved[MASKED]
    assert inside.std() < 1e-5  # all frames alike
    assert inside.mean().item() == pytest.approx(-LEVEL_SHARE * change, abs=0.03)


def test_a_quiet_kind_of_sound_is_not_made_louder() -> None:
    """Fricatives say nothing of the level: a word of them stays as it was filled."""
    symbols = ["AA1", "N", "AA1", "S", "S", "S", "AA1", "N", "AA1"]
    mel = make_mel()
    assert torch.equal(levelled(mel, MASKED, symbols, OF_FRAME), mel)


def test_no_more_than_a_bound() -> None:
    mel = make_mel(-3.0)
    moved = levelled(mel, MASKED, SYMBOLS, OF_FRAME) - mel
    assert moved.max().item() == pytest.approx(MAX_SHIFT, abs=1e-5)


def test_without_neighbours_nothing_is_moved() -> None:
    mel = make_mel()
    everything = np.ones(len(mel), bool)
    assert torch.equal(levelled(mel, everything, SYMBOLS, OF_FRAME), mel)


def test_the_nearest_neighbours_say_most() -> None:
    """The recording gets louder: what is filled follows the place where it stands."""
    rising = torch.linspace(-0.6, 0.6, len(OF_FRAME))[:, None]
    mel = make_mel() + rising
    moved = (levelled(mel, MASKED, SYMBOLS, OF_FRAME) - mel)[MASKED].mean().item()
    first = MASKED & (OF_FRAME == 3)
    energy = frame_energy(mel[None])[0].numpy()
    assert abs(moved) < 0.3 * LEVEL_SHARE and np.isfinite(energy[first]).all()


def test_what_a_span_lacks_is_the_change_that_was_made() -> None:
    for change in (-0.4, 0.2):
        lacking = lacking_gain(make_mel(change), MASKED, SYMBOLS, OF_FRAME, (60, 120))
        assert lacking == pytest.approx(-change, abs=0.04)
