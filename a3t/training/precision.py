"""Whether matrix products are faster in bfloat16 here: processors differ by four times.

A GPU since Ampere and a processor with AMX or AVX-512's bfloat16 instructions gain; any other
emulates them, and a step takes twice as long.
"""

from __future__ import annotations

import time

import torch
from torch import nn

PRECISIONS = ("auto", "float32", "bfloat16")
GAIN = 1.15  # of less, rounding is not worth it
ROWS, WIDTH = 1024, 256


def use_bfloat16(precision: str, device: torch.device | str = "cpu") -> bool:
    """What ``precision``, one of `PRECISIONS`, comes to on a device; "auto" is measured."""
    if precision not in PRECISIONS:
        raise ValueError(f"precision must be one of {', '.join(PRECISIONS)}, not {precision}")
    if precision != "auto":
        return precision == "bfloat16"
    if torch.device(device).type == "cuda":
        return torch.cuda.is_bf16_supported()
    return seconds_of_products(False) > GAIN * seconds_of_products(True)


def seconds_of_products(bfloat16: bool, rounds: int = 5) -> float:
    """The quickest of some forward and backward passes through two layers, on the processor."""
    with torch.random.fork_rng(devices=[]):  # nobody's random numbers depend on this
        layers = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.ReLU(), nn.Linear(4 * WIDTH, WIDTH))
        rows = torch.randn(ROWS, WIDTH)
    found = []
    for _ in range(rounds + 1):  # the first prepares kernels
        start = time.perf_counter()
        with torch.autocast("cpu", torch.bfloat16, bfloat16):
            layers(rows).float().square().mean().backward()
        found.append(time.perf_counter() - start)
    return min(found[1:])
