"""The number of torch's threads, on which sums depend, and the steps of an edit on one thread."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import _GeneratorContextManager, contextmanager
from dataclasses import dataclass, field

import torch


def one_thread() -> _GeneratorContextManager[None]:
    """Run torch on one thread; a decorator as well."""
    return on_threads(1)


@contextmanager
def on_threads(count: int) -> Iterator[None]:
    """Run torch on so many threads while the context lasts.

    So sums have one order and results don't depend on the CPU's number of cores.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


@dataclass
class Steps:
    """The steps of an edit: ``progress`` is told each one's name, ``seconds`` has its time."""

    progress: Callable[[str], None] | None = None
    seconds: dict[str, float] = field(default_factory=dict)

    def begin(self) -> None:
        """Reset the times of the steps, except loading: it counts towards every edit's cost."""
        self.seconds = {"load": self.seconds.get("load", 0.0)}

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        """Report a step of an edit, run it on one thread and time it."""
        if self.progress is not None:
            self.progress(name)
        started = time.perf_counter()
        with one_thread():  # so that results don't depend on the number of cores
            yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - started
