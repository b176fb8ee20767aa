"""The choice of bfloat16, by measuring whether it is faster on this machine.

GPUs since Ampere and processors with AMX or AVX-512 BF16 gain by it; others emulate bfloat16, and a
step takes twice as long.
"""

from __future__ import annotations

import time

import torch
from torch import nn

PRECISIONS = ("auto", "float32", "bfloat16")
GAIN = 1.15  # for less, the rounding isn't worth it
ROWS, WIDTH = 1024, 256


def use_bfloat16(precision: str, device: torch.device | str = "cpu") -> bool:
    """True if ``precision``, one of `PRECISIONS`, means bfloat16; "auto" is measured."""
    if precision not in PRECISIONS:
        raise ValueError(f"precision must be one of {', '.join(PRECISIONS)}, not {precision}")
    if precision != "auto":
        return precision == "bfloat16"
    if torch.device(device).type == "cuda":
        return torch.cuda.is_bf16_supported()
    return seconds_of_products(False) > GAIN * seconds_of_products(True)


def seconds_of_products(bfloat16: bool, rounds: int = 5) -> float:
    """The fastest of several forward and backward passes through two layers, on the CPU."""
    with torch.random.fork_rng(devices=[]):  # leave the run's random numbers alone
        layers = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.ReLU(), nn.Linear(4 * WIDTH, WIDTH))
        rows = torch.randn(ROWS, WIDTH)
    found = []
    for _ in range(rounds + 1):  # the first one prepares kernels
        start = time.perf_counter()
        with torch.autocast("cpu", torch.bfloat16, bfloat16):
            layers(rows).float().square().mean().backward()
        found.append(time.perf_counter() - start)
    return min(found[1:])
