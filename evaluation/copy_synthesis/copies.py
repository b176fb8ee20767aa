"""Copy-synthesis in a process of its own, so that its cost can be measured."""

from __future__ import annotations

import multiprocessing
import resource
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from a3t.errors import InputError
from a3t.grid import SAMPLE_RATE
from a3t.vocoder import Vocoder, load_vocoder

Floats32 = npt.NDArray[np.float32]

GRIFFIN_LIM = "Griffin-Lim, 64 iterations"

_WAVEGAN_UPSAMPLING = {"upsample_params": {"upsample_scales": [4, 5, 3, 5]}}
# Generators of the parallel-wavegan package, in the sizes of its recipes for 24 kHz and a hop of
# 300 (egs/vctk/voc1); everything else is the package's default.
UNTRAINED: dict[str, dict[str, Any]] = {
    "Parallel WaveGAN v1": {
        "generator_type": "ParallelWaveGANGenerator",
        "generator_params": {"aux_context_window": 2, **_WAVEGAN_UPSAMPLING},
    },
    "HiFi-GAN v1": {
        "generator_type": "HiFiGANGenerator",
        "generator_params": {
            "channels": 512,
            "upsample_scales": [5, 5, 4, 3],
            "upsample_kernel_sizes": [10, 10, 8, 6],
        },
    },
    "multi-band MelGAN v2": {
        "generator_type": "MelGANGenerator",
        "generator_params": {
            "out_channels": 4,
            "channels": 384,
            "upsample_scales": [5, 5, 3],
            "stacks": 4,
        },
    },
}
SPEED_FRAMES = 240  # 3 s: enough to time these slow vocoders


@dataclass(frozen=True)
class Copies:
    """The output of a vocoder for some mels, and its cost.

    wall, processor: seconds per second of sound, elapsed and summed over threads; the latter hardly
    depends on other programs on the machine. mebibytes: peak resident memory of the process,
    including Python and torch.
    """

    vocoder: str
    samples: list[Floats32]
    wall: float
    processor: float
    mebibytes: float
    threads: int


def make_copies(name: str, mels: Sequence[Floats32]) -> Copies:
    """Vocode each mel (T, 80) in a new process.

    ``name`` is a key of ``UNTRAINED``, ``GRIFFIN_LIM``, or a name for ``load_vocoder``. Raises
    InputError if there is no such vocoder or its process was killed.
    """
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=1, mp_context=context) as pool:
        try:
            return pool.submit(_copies, name, list(mels)).result()
        except BrokenProcessPool:
            raise InputError(f"The process of the vocoder {name} was killed.") from None


def _copies(name: str, mels: Sequence[Floats32]) -> Copies:
    import torch

    vocoder = _open(name)
    vocoder(torch.zeros(20, 80) - 3)  # the first call plans transforms and reserves memory
    wall, processor = time.perf_counter(), time.process_time()
    samples = [vocoder(torch.from_numpy(mel)).numpy() for mel in mels]
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    seconds = sum(map(len, samples)) / SAMPLE_RATE
    sha = f" ({vocoder.sha256[:12]})" if vocoder.sha256 else ""
    threads = torch.get_num_threads()
    shown = name if name in UNTRAINED or name == GRIFFIN_LIM else vocoder.name + sha
    return Copies(shown, samples, wall / seconds, processor / seconds, peak_mebibytes(), threads)


def _open(name: str) -> Vocoder:
    if name == GRIFFIN_LIM:
        from a3t.vocoder.griffin_lim import GriffinLim

        return GriffinLim(iterations=64)
    if name in UNTRAINED:
        from a3t.vocoder.parallel_wavegan import ParallelWaveGan

        return ParallelWaveGan.untrained(UNTRAINED[name], name)
    return load_vocoder(name)


def peak_mebibytes() -> float:
    """Peak resident memory of this process in MiB."""
    status = Path("/proc/self/status")
    if status.is_file():  # Linux: ru_maxrss would include the parent process's peak
        peak = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(peak.split()[1]) / 2**10
    peak_bytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak_bytes / (2**20 if sys.platform == "darwin" else 2**10)
