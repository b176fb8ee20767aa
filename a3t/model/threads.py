"""The number of torch's threads, on which its sums, and so every result, depend."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import _GeneratorContextManager, contextmanager

import torch


def one_thread() -> _GeneratorContextManager[None]:
    """Run torch on one thread; a decorator as well."""
    return on_threads(1)


@contextmanager
def on_threads(count: int) -> Iterator[None]:
    """Run torch on so many threads, so that sums have one order and results don't depend on the
    CPU's number of cores."""
    threads = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
