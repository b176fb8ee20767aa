"""Programs run in processes of their own, and what they cost."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from a3t.errors import InputError
from evaluation.harness.declared_tables import middle

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Cost:
    """The cost of a process: elapsed and processor seconds, peak memory in MiB, standard output."""

    wall: float
    processor: float
    mebibytes: float
    output: bytes

    @property
    def figures(self) -> dict[str, float]:
        """The numbers, by name."""
        return {name: getattr(self, name) for name in ("wall", "processor", "mebibytes")}


COST = (
    middle("processor, s", "processor"),
    middle("clock, s", "wall"),
    middle("memory, MiB", "mebibytes", ".0f"),
)


def cost_of(
    arguments: Sequence[str],
    threads: int = 1,
    until: int | None = None,
    **environment: str,
) -> Cost:
    """Run Python with these arguments, and this checkout's modules; InputError if it fails.

    ``until``: it is ended once it has written so many bytes.
    """
    # From a small process: on Linux a child's peak of memory begins with its parent's.
    with get_context("spawn").Pool(1) as small:
        return small.apply(_cost_of, (arguments, threads, until, environment))


def _cost_of(
    arguments: Sequence[str], threads: int, until: int | None, environment: Mapping[str, str]
) -> Cost:
    paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    own = {"PYTHONPATH": paths, "OMP_NUM_THREADS": f"{threads}"}
    around = {**os.environ, **own, "MKL_NUM_THREADS": f"{threads}", **environment}
    begun = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *arguments],
        env=around,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    with process.stdout:
        output = process.stdout.read() if until is None else process.stdout.read(until)
    if until is not None:
        process.kill()
    # wait4, because getrusage(RUSAGE_CHILDREN) would give the maximum over all children.
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    if len(output) < (until or 0) or (until is None and process.returncode):
        raise InputError(f"{' '.join(arguments)} failed.")
    return Cost(wall, usage.ru_utime + usage.ru_stime, mebibytes(usage), output)


def mebibytes(usage: resource.struct_rusage) -> float:
    """Return the peak resident memory in MiB; macOS counts it in bytes, Linux in KiB."""
    return usage.ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
