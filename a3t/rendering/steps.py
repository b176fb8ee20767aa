"""The steps of an edit: announced, timed, and run on one thread."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from a3t.model.threads import one_thread


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
        if self.progress is not None:
            self.progress(name)
        started = time.perf_counter()
        with one_thread():  # so that results don't depend on the number of cores
            yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - started
