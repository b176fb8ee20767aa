"""Lanes of work: what takes moments never waits behind what takes minutes.

Each lane has the models in a process of its own. The long lane's process gives way to the other's
on a busy machine, and a third, in which voices are learnt, to both.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from app.page_request import USUAL, Models
from app.processes.progress import CancelledError, Watch
from app.processes.worker import AbandonedError, EditorProcess, always

log = logging.getLogger(__name__)


class EditorLane:
    """An editor's process, started when it is first needed, for one request at a time.

    kept: whether it goes on for the next request, or ends with each.
    """

    def __init__(self, start: Callable[[], EditorProcess], kept: bool = True) -> None:
        self._start, self._kept = start, kept
        self._editor: EditorProcess | None = None
        self._lock = threading.Lock()

    @property
    def is_busy(self) -> bool:
        """True if a request is being answered."""
        return self._lock.locked()

    @contextmanager
    def editor(self, watch: Watch, models: Models = USUAL) -> Iterator[EditorProcess]:
        """The editor, with these models; it reports its steps to `watch`. Raises CancelledError
        once nobody is waiting any more."""
        watch("load")
        while not self._lock.acquire(timeout=0.2):
            watch.check()
        try:
            if self._editor is None or not self._editor.alive:
                self._editor = self._start()
            self._editor.progress, self._editor.wanted = watch, watch.wanted
            self._editor.use(models)
            yield self._editor
        except AbandonedError:  # so that the next request finds the models loaded
            if self._kept:
                self._editor = self._start()
                self.warm_up()
            raise CancelledError from None
        finally:
            if self._editor is not None:
                self._editor.progress, self._editor.wanted = None, always
                if not self._kept:
                    self._editor.close()
                    self._editor = None
            self._lock.release()

    def warm_up(self) -> None:
        """Load the models in the background, so that the page appears before they are loaded."""
        threading.Thread(target=self._warm_up, name="models", daemon=True).start()

    def _warm_up(self) -> None:
        try:
            with self.editor(Watch()) as editor:
                editor.use(USUAL)
        except Exception:
            log.exception("the models could not be loaded; the first request tries again")

    def close(self) -> None:
        """Ends the editor's process."""
        if self._editor is not None:
            self._editor.close()
