"""The network's error around an edit is removed from the patch."""

from typing import cast

import numpy as np
import pytest
import torch
from torch import Tensor

from a3t.model.a3t import A3T
from a3t.model.conformer import Batch
from a3t.model.masking import MaskedMel, fill
from a3t.model.variance.adaptors import frame_energy
from a3t.rendering.mel_corrections import BIAS_SHARE, unbiased
from a3t.text.phones import PAUSE, phone_ids

SYMBOLS = ["AA1", "S", PAUSE, "AA1", "S", "AA1", PAUSE, "AA1", "S", "AA1"]
OF_FRAME = np.repeat(np.arange(10), 24)
MASKED = OF_FRAME == 5
TRUE = torch.linspace(0.0, -2.0, 80).expand(len(OF_FRAME), 80).clone()
TILT = torch.linspace(-0.2, 0.2, 80)


class Tilted(torch.nn.Module):
    """Fills vowels with the truth, tilted, and everything else with the truth."""

    def __init__(self, tilt: Tensor) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(tilt)

    def fill(self, batch: Batch) -> Tensor:
        vowel = torch.tensor(phone_ids(["AA1"]))
        here = batch.masked & (batch.phones.gather(1, batch.frame_phone) == vowel)
        true = torch.where(batch.masked[..., None], TRUE[: batch.mel.shape[1]], batch.mel)
        return (true + here[..., None] * self.weight).detach()


@pytest.fixture
def item() -> MaskedMel:
    mel = TRUE.clone()
    mel[MASKED] = 99.0  # masked frames may hold anything
    return MaskedMel(mel, MASKED, phone_ids(SYMBOLS), OF_FRAME)


def corrected(tilt: Tensor, item: MaskedMel) -> tuple[Tensor, Tensor]:
    model = cast(A3T, Tilted(tilt))
    filled = fill(model, item)
    return filled, unbiased(model, item, SYMBOLS, filled)


def test_half_of_a_bias_is_taken_off_and_no_loudness(item: MaskedMel) -> None:
    filled, better = corrected(TILT, item)
    assert torch.equal(better[~MASKED], item.mel[~MASKED])
    torch.testing.assert_close(frame_energy(better[None]), frame_energy(filled[None]))
    left = (better - TRUE)[MASKED][:, 8:-8].diff(dim=1).mean() / TILT.diff().mean()
    assert left.item() == pytest.approx(1 - BIAS_SHARE, abs=0.06)


def test_a_network_that_is_right_is_let_be(item: MaskedMel) -> None:
    filled, better = corrected(torch.zeros(80), item)
    torch.testing.assert_close(better, filled)


def test_without_anything_visible_nothing_is_moved(item: MaskedMel) -> None:
    everything = MaskedMel(item.mel, np.ones(len(MASKED), bool), item.phones, OF_FRAME)
    filled, better = corrected(TILT, everything)
    assert torch.equal(better, filled)
