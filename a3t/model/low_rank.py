"""Low-rank changes of a network's weights, small enough to save one per voice.

To each linear layer's weight W a product U D of two narrow matrices is added, which alone is
trained (Hu et al. 2022, "LoRA: Low-Rank Adaptation of Large Language Models").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import torch
from torch import Tensor, nn
from torch.nn.utils import parametrize

NARROWEST = 4  # times the rank: a smaller layer is cheaper to leave alone


class LowRank(nn.Module):
    """weight (rows, columns) -> weight + up (rows, rank) @ down (rank, columns); up begins at 0."""

    def __init__(self, rows: int, columns: int, rank: int) -> None:
        super().__init__()
        self.up = nn.Parameter(torch.zeros(rows, rank))
        self.down = nn.Parameter(torch.randn(rank, columns) / columns**0.5)

    def forward(self, weight: Tensor) -> Tensor:
        return weight + self.up @ self.down


def add_low_rank(network: nn.Module, rank: int, parts: Sequence[str] = ()) -> None:
    """Make a network train nothing but a low-rank change of its linear layers, or of those in some
    of its parts."""
    for parameter in network.parameters():
        parameter.requires_grad_(False)
    for name, layer in _layers(network, rank):
        if parts and name.partition(".")[0] not in parts:
            continue
        rows, columns = layer.weight.shape
        change = LowRank(rows, columns, rank)
        parametrize.register_parametrization(layer, "weight", change)


def take_low_rank(network: nn.Module) -> dict[str, Tensor]:
    """Take out what `add_low_rank` added, by layer, in half precision; the network is then as it
    was before, ready for `apply_low_rank`."""
    changes: dict[str, Tensor] = {}
    for name, layer in list(network.named_modules()):
        if isinstance(layer, nn.Linear) and parametrize.is_parametrized(layer, "weight"):
            change = layer.get_submodule("parametrizations.weight.0")
            assert isinstance(change, LowRank)
            changes[f"{name}.up"] = change.up.detach().half()
            changes[f"{name}.down"] = change.down.detach().half()
            parametrize.remove_parametrizations(layer, "weight", leave_parametrized=False)
    for parameter in network.parameters():
        parameter.requires_grad_(True)
    return changes


@torch.no_grad()
def apply_low_rank(network: nn.Module, changes: Mapping[str, Tensor]) -> None:
    """Add changes to a network's weights for good; KeyError or RuntimeError if they don't fit."""
    layers = dict(network.named_modules())
    names = {name.rpartition(".")[0] for name in changes}
    for name in sorted(names):
        weight = layers[name].weight
        assert isinstance(weight, Tensor)
        up, down = (changes[f"{name}.{part}"].float().to(weight.device) for part in ("up", "down"))
        weight += up @ down


def _layers(network: nn.Module, rank: int) -> Iterator[tuple[str, nn.Linear]]:
    for name, layer in list(network.named_modules()):
        if isinstance(layer, nn.Linear) and min(layer.weight.shape) >= NARROWEST * rank:
            yield name, layer
