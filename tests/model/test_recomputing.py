"""Activations that are computed again instead of kept: less memory, and the same training."""

from __future__ import annotations

import pytest
import torch

from a3t.model.a3t import A3T
from tests.model.test_network import CONDITIONED, THESIS, make_clip


def trained(kind: dict, recompute: bool) -> tuple[dict[str, torch.Tensor], int]:
    """Gradients and running statistics after a step, and the bytes kept for the backward pass."""
    torch.manual_seed(0)
    model = A3T(**kind, recompute=recompute).train()
    kept: dict[int, int] = {}

    def keep(x: torch.Tensor) -> torch.Tensor:
        storage = x.untyped_storage()
        kept[storage.data_ptr()] = storage.nbytes()
        return x

    torch.manual_seed(1)  # dropout's
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda x: x):
        loss = model(make_clip(200, 25, 0)).after.square().mean()
        count = sum(kept.values())
    loss.backward()
    found = {name: p.grad for name, p in model.named_parameters() if p.grad is not None}
    return found | {name: b for name, b in model.named_buffers()}, count  # noqa: C416


@pytest.mark.parametrize("kind", [THESIS, CONDITIONED], ids=["thesis", "conditioned"])
def test_the_same_is_learnt_with_less_kept(kind: dict) -> None:
    deep = kind | {"encoder_blocks": 3, "decoder_blocks": 3}
    (plain, much), (again, little) = (trained(deep, recompute) for recompute in (False, True))
    assert plain.keys() == again.keys() and little < much / 2
    for name, value in plain.items():
        assert torch.allclose(again[name].float(), value.float(), rtol=1e-4, atol=1e-6), name
