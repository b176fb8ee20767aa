"""Where a training computes: its device, precision and processes, the same for every program.

python -m training.devices --device cuda --processes 4

refuses what this machine lacks, as every training does before any work.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path

import torch
import torch.distributed
import torch.multiprocessing
from torch import Tensor

from a3t.errors import InputError
from a3t.learning.loop import PRECISIONS, use_bfloat16
from training.programs import Option, Program, option

REFUSED = "refused.txt"  # a process's reason
PATIENCE_H = 2  # for the other processes, one of which validates


@dataclass(frozen=True)
class Place:
    """Where one process of a training computes: process ``rank`` of ``processes``."""

    device: str = "cpu"
    bfloat16: bool = False
    rank: int = 0
    processes: int = 1
    workers: int = 0  # further processes that prepare batches
    tensorboard: bool = False

    @property
    def part(self) -> tuple[int, int]:
        """The share of a batch that is this process's."""
        return self.rank, self.processes

    def sum(self, values: Tensor) -> Tensor:
        """Sum values over all processes, in place."""
        if self.processes > 1:
            torch.distributed.all_reduce(values)
        return values


CPU = Place()


def compute_options(threads: int = 1, precision: str = "float32") -> tuple[Option, ...]:
    """Return the options that say where a training computes."""
    return (
        option("--device", default="cpu", help="cpu, cuda or cuda:N (default: cpu)"),
        option(
            "--precision", choices=PRECISIONS, default=precision,
            help=f"number format of matrix products (auto: the faster; default: {precision})",
        ),
        option("--processes", type=int, default=1, help="GPUs, one process each; --device cuda"),
        option("--workers", type=int, default=0, help="processes that prepare batches"),
        option("--threads", type=int, default=threads, help=f"default: {threads}"),
        option("--tensorboard", action="store_true", help="write curves for TensorBoard, too"),
    )  # fmt: skip


def refuse_missing(device: str, processes: int = 1, tensorboard: bool = False) -> None:
    """Raise InputError if this machine lacks the device, so many GPUs, or TensorBoard."""
    kind, _, number = device.partition(":")
    if kind not in ("cpu", "cuda", "meta") or (number and not number.isdecimal()):
        raise InputError(f"--device {device}: there is no such device; write cpu, cuda or cuda:1.")
    there = torch.cuda.device_count()
    if kind == "cuda" and (not there or int(number or 0) >= there):
        built = "" if torch.backends.cuda.is_built() else ", which was built without CUDA,"
        raise InputError(
            f"--device {device}: PyTorch{built} sees {there} GPUs here. Use --device cpu, or "
            "install a PyTorch with CUDA (make cuda) on a machine with a GPU."
        )
    if processes < 1 or (processes > 1 and kind == "cuda" and (number or processes > there)):
        raise InputError(
            f"--processes {processes}: PyTorch sees {there} GPUs here; choose at most as many, with"
            " --device cuda."
        )
    if tensorboard and find_spec("tensorboard") is None:
        raise InputError("TensorBoard is not installed: pip install 'a3t[train]'.")


def compute(options: argparse.Namespace, work: Callable[[argparse.Namespace, Place], None]) -> None:
    """Call ``work`` with the options and this process's place, in as many processes as asked for.

    Raises InputError, before ``work`` is called, if this machine lacks what the options ask for.
    """
    refuse_missing(options.device, options.processes, options.tensorboard)
    low = use_bfloat16(options.precision, options.device)
    if options.precision == "auto":
        print(f"--precision auto: {'bfloat16' if low else 'float32'} here", flush=True)
    options.precision = "bfloat16" if low else "float32"
    if options.processes == 1:
        torch.set_num_threads(options.threads)
        work(options, _place(options, low, 0))
        return
    with tempfile.TemporaryDirectory() as folder:
        arguments = (options, work, low, folder)
        try:
            torch.multiprocessing.spawn(_process, arguments, nprocs=options.processes)  # type: ignore[no-untyped-call]
        except torch.multiprocessing.ProcessExitedException:
            refused = Path(folder, REFUSED)
            if not refused.exists():
                raise
            raise InputError(refused.read_text(encoding="utf-8")) from None


def _place(options: argparse.Namespace, low: bool, rank: int) -> Place:
    device = f"cuda:{rank}" if options.device == "cuda" and options.processes > 1 else None
    return Place(
        device or options.device, low, rank, options.processes, options.workers,
        options.tensorboard and rank == 0,
    )  # fmt: skip


def _process(
    rank: int,
    options: argparse.Namespace,
    work: Callable[[argparse.Namespace, Place], None],
    low: bool,
    folder: str,
) -> None:
    torch.set_num_threads(options.threads)
    place = _place(options, low, rank)
    if place.device.startswith("cuda"):
        torch.cuda.set_device(place.device)
    torch.distributed.init_process_group(
        "nccl" if place.device.startswith("cuda") else "gloo",
        init_method=f"file://{folder}/meeting",
        rank=rank,
        world_size=place.processes,
        timeout=timedelta(hours=PATIENCE_H),
    )
    try:
        work(options, place)
    except InputError as error:
        Path(folder, REFUSED).write_text(str(error), encoding="utf-8")
        sys.exit(1)
    finally:
        torch.distributed.destroy_process_group()


def check(options: argparse.Namespace) -> None:
    """Refuse what this machine lacks, and features without what the configuration reads."""
    refuse_missing(options.device, options.processes)
    if options.config and not options.pitch:
        from training.configuration import read_config

        if read_config(options.config).get("model", {}).get("pitch"):
            raise InputError(f"{options.config} trains on pitch: give --pitch true as well.")
    if options.loop == "espnet" and find_spec("espnet2") is None:
        raise InputError("ESPnet is not installed: see recipes/README.md, or use --loop plain.")


main = Program(
    check,
    *compute_options(),
    option("--loop", choices=["plain", "espnet"], default="plain", help="that is to train"),
    option("--config", type=Path, metavar="YAML", help="that is to be trained"),
    option("--pitch", action="store_true", help="the features have pitch"),
)


if __name__ == "__main__":
    sys.exit(main())
