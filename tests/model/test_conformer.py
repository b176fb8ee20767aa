"""Depthwise convolutions, both implementations."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch
from torch import nn

from a3t.model.conformer import NARROW, Layout, RelativeAttention


def test_a_narrow_convolution_in_bfloat16_on_two_threads_terminates() -> None:
    """It did not, before `NARROW`. In a process of its own, which can be killed."""
    program = """if True:
        import torch
        from a3t.model.conformer import ConvolutionModule, Layout
        torch.set_num_threads(2)
        module = ConvolutionModule(32, 31, "layer")
        layout = Layout(torch.ones(3, 100, 1), torch.zeros(3, 100), seam=80)
        with torch.autocast("cpu", torch.bfloat16):
            module(torch.randn(3, 100, 32), layout).sum().backward()
    """
    done = subprocess.run([sys.executable, "-c", program], timeout=900, check=False)
    assert done.returncode == 0


def test_both_ways_give_the_same_sums() -> None:
    layout = Layout(torch.ones(2, 30, 1), torch.zeros(2, 30), seam=20)
    wide = nn.Conv1d(2 * NARROW, 2 * NARROW, 7, padding=3, groups=2 * NARROW)
    narrow = nn.Conv1d(NARROW, NARROW, 7, padding=3, groups=NARROW)
    narrow.load_state_dict({name: value[:NARROW] for name, value in wide.state_dict().items()})
    x = torch.randn(2, 30, 2 * NARROW)
    one, other = layout.convolve(narrow, x[..., :NARROW]), layout.convolve(wide, x)[..., :NARROW]
    assert torch.allclose(one, other, atol=1e-5)


@pytest.mark.parametrize("training", [False, True])
def test_fused_attention_is_the_same_attention_its_dropout_too(training: bool) -> None:
    """Without maps torch's fused attention is taken, with them the sum that can be looked at."""
    torch.manual_seed(0)
    attention = RelativeAttention(16, 2, dropout=0.3).train(training)
    valid = torch.ones(2, 9, 1)
    valid[1, 6:] = 0
    layout = Layout(valid, torch.arange(9.0).expand(2, 9), seam=7)
    x = torch.randn(2, 9, 16)
    found = []
    for maps in (None, []):
        torch.manual_seed(1)
        found.append(attention(x, layout, maps))
    torch.testing.assert_close(found[0], found[1])
