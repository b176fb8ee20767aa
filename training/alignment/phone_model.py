"""The phone network in torch, for training; alignment.network.phone_network runs it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from alignment.network.phone_network import (
    BANDS,
    BLOCK_DILATIONS,
    DOWN_TAPS,
    HIDDEN_WIDTH,
    SLOW_DILATIONS,
    SLOW_WIDTH,
    SLOWER,
    STRIDE,
    SYMBOLS,
    Weights,
)

NEXT_TO_NOTHING = 0.05  # the scale of a layer that is added to a trained network
INPUT_TAPS = 7
MOMENTUM = 0.1  # of the normalisations


class PhoneModel(nn.Module):
    """The network, `slow_width` wide at every 40 ms; phone_network reads its `weights_of`."""

    def __init__(self, slow_width: int = SLOW_WIDTH) -> None:
        super().__init__()
        self._convolution("input", BANDS, HIDDEN_WIDTH, INPUT_TAPS, STRIDE)
        for number, dilation in enumerate(BLOCK_DILATIONS):
            self._convolution(f"block{number}", HIDDEN_WIDTH, HIDDEN_WIDTH, 3, 1, dilation)
        self._convolution("down", HIDDEN_WIDTH, slow_width, DOWN_TAPS, SLOWER)
        for number, dilation in enumerate(SLOW_DILATIONS):
            self._convolution(f"slow{number}", slow_width, slow_width, 3, 1, dilation)
        self.up = nn.Linear(slow_width, SLOWER * HIDDEN_WIDTH)
        nn.init.zeros_(self.up.weight)
        nn.init.zeros_(self.up.bias)
        self._convolution("merged", HIDDEN_WIDTH, HIDDEN_WIDTH, 3)
        self.output = nn.Linear(HIDDEN_WIDTH, len(SYMBOLS))
        self.sequence = nn.Linear(HIDDEN_WIDTH, len(SYMBOLS))
        self.dropout = nn.Dropout(0.1)

    def _convolution(
        self,
        name: str,
        inputs: int,
        outputs: int,
        taps: int,
        stride: int = 1,
        dilation: int = 1,
    ) -> None:
        padding = dilation * (taps // 2)
        layer = nn.Conv1d(inputs, outputs, taps, stride, padding, dilation, bias=False)
        self.add_module(name, layer)
        self.add_module(f"{name}_norm", nn.BatchNorm1d(outputs, momentum=MOMENTUM))

    def _of(self, name: str, hidden: Tensor) -> Tensor:
        layer, norm = self.get_submodule(name), self.get_submodule(f"{name}_norm")
        result: Tensor = norm(layer(hidden)).relu()
        return result

    def forward(self, frames: Tensor) -> tuple[Tensor, Tensor]:
        """Return the logits of each frame's phone, and scores of sequences, of (B, K, BANDS).

        Both are (B, T, 40) with T = K / 2.
        """
        hidden = self._of("input", frames.transpose(1, 2))
        for number in range(len(BLOCK_DILATIONS)):
            hidden = hidden + self.dropout(self._of(f"block{number}", hidden))
        slow = self._of("down", hidden)
        for number in range(len(SLOW_DILATIONS)):
            slow = slow + self.dropout(self._of(f"slow{number}", slow))
        raised = self.up(slow.transpose(1, 2)).unflatten(2, (SLOWER, HIDDEN_WIDTH)).flatten(1, 2)
        hidden = hidden + raised[:, : hidden.shape[2]].transpose(1, 2)
        hidden = (hidden + self.dropout(self._of("merged", hidden))).transpose(1, 2)
        return self.output(hidden), self.sequence(hidden)


def _convolutions() -> Iterator[str]:
    """Name all convolutions, in their order."""
    yield "input"
    yield from (f"block{number}" for number in range(len(BLOCK_DILATIONS)))
    yield "down"
    yield from (f"slow{number}" for number in range(len(SLOW_DILATIONS)))
    yield "merged"


def begin(model: Any, weights: Weights, inputs: Tensor) -> None:
    """Let `model` compute what a network of `weights` (see phone_network) does.

    The network has the same layers or lacks some, or has them in other sizes: those add nothing, or
    next to nothing, at first. `inputs`: segments (B, K, BANDS), from whose values the
    normalisations are set.
    """

    def given(name: str) -> bool:
        weight = f"{name}.weight"
        return weight in weights and weights[weight].shape == model.get_parameter(weight).shape

    def tensor(name: str) -> Tensor:
        return torch.from_numpy(weights[name]).to(inputs.device)

    def keep(name: str) -> Any:
        def hook(module: Any, taken: Any, found: Any) -> None:
            norm = model.get_submodule(f"{name}_norm")
            norm.momentum = 1.0
            if given(name):
                norm.weight.copy_((found.var((0, 2)) + norm.eps).sqrt())
                norm.bias.copy_(found.mean((0, 2)) + tensor(f"{name}.bias"))
            elif name == "merged" or name.startswith("slow"):
                norm.weight.fill_(NEXT_TO_NOTHING)

        return hook

    with torch.no_grad():
        hooks = []
        for name in _convolutions():
            layer = model.get_submodule(name)
            if given(name):
                layer.weight.copy_(tensor(f"{name}.weight"))
            hooks.append(layer.register_forward_hook(keep(name)))
        for name in ("up", "output", "sequence"):
            source = "output" if name == "sequence" and "sequence.weight" not in weights else name
            if given(source):
                layer = model.get_submodule(name)
                layer.weight.copy_(tensor(f"{source}.weight"))
                layer.bias.copy_(tensor(f"{source}.bias"))
        training = model.training
        model.train()  # so that each normalisation is of these inputs
        model.dropout.eval()
        model(inputs)
        model.train(training)
        for hook in hooks:
            hook.remove()
        for name in _convolutions():
            model.get_submodule(f"{name}_norm").momentum = MOMENTUM


def weights_of(model: PhoneModel) -> dict[str, np.ndarray]:
    """Return the weights as phone_network reads them, each normalisation in its convolution."""
    state = {
        name: value.detach().float().cpu().numpy() for name, value in model.state_dict().items()
    }
    layers = ("up", "output", "sequence")
    result = {f"{name}.{part}": state[f"{name}.{part}"] for name in layers for part in WHOLE}
    for name in _convolutions():
        norm = f"{name}_norm"
        scale = state[f"{norm}.weight"] / np.sqrt(state[f"{norm}.running_var"] + 1e-5)
        result[f"{name}.weight"] = state[f"{name}.weight"] * scale[:, None, None]
        result[f"{name}.bias"] = state[f"{norm}.bias"] - state[f"{norm}.running_mean"] * scale
    return result


WHOLE = ("weight", "bias")
