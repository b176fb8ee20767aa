"""The events of an open project, and the pages that wait for them."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from alignment.serialisation import to_json

MAX_EVENTS = 1000  # that are kept
AWAY_S = 20.0  # seconds that a page may be gone, as when it is loaded again


class ProjectEvents:
    """Events, numbered by `version`, and the pages that wait for them. Thread-safe."""

    def __init__(self) -> None:
        self.version = 0
        self._lock = threading.RLock()
        self._events: deque[tuple[int, str]] = deque(maxlen=MAX_EVENTS)
        self._wakers: list[Callable[[], object]] = []  # of the pages that show the project
        self._left = float("-inf")  # when the last of them went

    def tell(self, **event: Any) -> None:
        """Let every page that shows the project know of something."""
        with self._lock:
            self.version += 1
            self._events.append((self.version, json.dumps(to_json(event))))
            for wake in self._wakers:
                wake()

    def refuse(self, sentence: str) -> None:
        """Tell the pages that something can't be done."""
        self.tell(kind="refused", key="", sentence=sentence)

    def since(self, version: int) -> list[tuple[int, str]]:
        """Return the events after a version, as JSON; one that says "reload" if they are lost."""
        with self._lock:
            if version > self.version or (self._events and version < self._events[0][0] - 1):
                return [(self.version, json.dumps({"kind": "reload"}))]
            return [each for each in self._events if each[0] > version]

    @contextmanager
    def shown(self, wake: Callable[[], object] = lambda: None) -> Iterator[None]:
        """Count a page that shows the project; `wake` is called whenever there are events."""
        with self._lock:
            self._wakers.append(wake)
        try:
            yield
        finally:
            with self._lock:
                self._wakers.remove(wake)
                self._left = time.monotonic()

    def is_shown(self) -> bool:
        """Return whether a page had this project open in the last AWAY_S seconds."""
        return bool(self._wakers) or time.monotonic() - self._left < AWAY_S
