"""Loudness of filled frames: computed from visible ones, given as a condition for masked ones."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from a3t.model.variance.energy import (
    EnergyAdaptor,
    energy_loss,
    frame_energy,
    relative_energy,
    visible_level,
)
from tests.model.test_network import CONDITIONED, PITCHED, build, make_clip


def test_energy_is_the_root_mean_square_of_the_linear_mel() -> None:
    mel = torch.rand(2, 5, 80) * 4 - 3
    expected = (10**mel).square().mean(-1).sqrt().log10()
    torch.testing.assert_close(frame_energy(mel), expected)


def test_the_level_is_that_of_the_visible_frames() -> None:
    energy = torch.tensor([[0.0, 9.0, 1.0, 2.0, 3.0, 4.0, 9.0]])
    visible = torch.tensor([[True, False, True, True, True, True, False]])
    assert visible_level(energy, visible).item() == 3.0
    assert visible_level(energy, torch.zeros_like(visible)).item() == 0.0


def test_a_louder_recording_is_filled_as_much_louder() -> None:
    """Neither predictions, inputs nor loss change with the gain."""
    clip = make_clip(60, 9, 0)
    louder = replace(clip, mel=clip.mel + 0.5)
    torch.testing.assert_close(relative_energy(clip), relative_energy(louder))
    predicted = torch.zeros(1, 60)
    torch.testing.assert_close(energy_loss(predicted, clip), energy_loss(predicted, louder))


def test_the_loss_is_that_of_masked_frames() -> None:
    clip = make_clip(60, 9, 0)
    predicted = relative_energy(clip)
    assert energy_loss(predicted, clip).item() == 0
    visible = torch.where(clip.masked, predicted, 7.0)
    assert energy_loss(visible, clip).item() == 0
    assert energy_loss(predicted + 0.25, clip).item() == pytest.approx(0.25, rel=1e-4)


def test_only_masked_frames_are_conditioned() -> None:
    adaptor = EnergyAdaptor(16)
    torch.nn.init.normal_(adaptor.embed.weight)
    added = adaptor.condition(torch.ones(1, 3), torch.tensor([[True, False, True]]))
    assert not added[0, 1].any() and added[0, 0].any()


def test_weights_without_energy_and_voice_are_a_valid_start() -> None:
    """Every block does what it did, until training changes it."""
    old, new = build(PITCHED).eval(), build(CONDITIONED).eval()
    new.load_state_dict(new.state_dict() | old.state_dict())
    clip = make_clip(60, 9, 0)
    torch.testing.assert_close(new(clip).after, old(clip).after)
