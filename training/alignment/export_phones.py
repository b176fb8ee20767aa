"""The phone network as an ONNX file: python -m training.alignment.export_phones --out FILE.onnx

Input `frames` (K, 40), float32, as alignment.network.phone_network.features makes them; output
`posteriors` (ceil(K / 2), 40), log, of SYMBOLS. K is dynamic. Needs torch and onnx.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from alignment.atomic import write_whole
from alignment.network.phone_network import (
    BANDS,
    DILATIONS,
    SLOW_DILATIONS,
    SLOWER,
    STRIDE,
    Weights,
    load_weights,
)

OPSET = 18


def torch_network(weights: Weights) -> Any:
    """What phone_network.posteriors computes with these weights, as a torch module."""
    import torch
    from torch import Tensor, nn

    def convolution(name: str, stride: int, dilation: int) -> nn.Conv1d:
        weight = torch.from_numpy(weights[f"{name}.weight"])
        outputs, inputs, width = weight.shape
        padding = dilation * (width // 2)
        layer = nn.Conv1d(inputs, outputs, width, stride, padding, dilation)
        layer.weight.data = weight
        layer.bias.data = torch.from_numpy(weights[f"{name}.bias"])  # type: ignore[union-attr]
        return layer

    def linear(name: str) -> nn.Linear:
        layer = nn.Linear(*weights[f"{name}.weight"].shape[::-1])
        layer.weight.data = torch.from_numpy(weights[f"{name}.weight"])
        layer.bias.data = torch.from_numpy(weights[f"{name}.bias"])
        return layer

    class Posteriors(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.input = convolution("input", STRIDE, 1)
            used = [n for n in range(len(DILATIONS)) if f"block{n}.weight" in weights]
            self.blocks = nn.ModuleList(convolution(f"block{n}", 1, DILATIONS[n]) for n in used)
            self.looks_further = "down.weight" in weights
            if self.looks_further:
                self.down = convolution("down", SLOWER, 1)
                self.slow = nn.ModuleList(
                    convolution(f"slow{n}", 1, dilation)
                    for n, dilation in enumerate(SLOW_DILATIONS)
                )
                self.up = linear("up")
                self.merged = convolution("merged", 1, 1)
            self.output = linear("output")

        def forward(self, frames: Tensor) -> Tensor:
            """(K, BANDS) -> (ceil(K / 2), 40)."""
            hidden = self.input(frames.T[None]).relu()
            for block in self.blocks:
                hidden = hidden + block(hidden).relu()
            if self.looks_further:
                slow = self.down(hidden).relu()
                for block in self.slow:
                    slow = slow + block(slow).relu()
                raised = self.up(slow.transpose(1, 2)).reshape(1, -1, hidden.shape[1])
                hidden = hidden + raised[:, : hidden.shape[2]].transpose(1, 2)
                hidden = hidden + self.merged(hidden).relu()
            return self.output(hidden[0].T).log_softmax(dim=1)

    return Posteriors().eval()


def export(path: Path, weights: Weights) -> None:
    """Writes the network to `path`."""
    import torch

    def write(part: Path) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about torch's own exporters
            torch.onnx.export(
                torch_network(weights),
                (torch.zeros(200, BANDS),),
                str(part),
                input_names=["frames"],
                output_names=["posteriors"],
                dynamic_axes={"frames": {0: "K"}, "posteriors": {0: "T"}},
                opset_version=OPSET,
                dynamo=False,
            )

    write_whole(path, write)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m training.alignment.export_phones")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.onnx")
    parser.add_argument("--weights", type=Path, metavar="FILE.safetensors")
    options = parser.parse_args(arguments)
    try:
        export(options.out, load_weights(options.weights))
    except OSError as error:
        print(f"alignment: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
