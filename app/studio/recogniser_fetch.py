"""Whisper's model, fetched where the page is for this computer alone and somebody agrees."""

from __future__ import annotations

import logging
import os
import threading
from dataclasses import dataclass
from typing import Literal

from a3t.errors import InputError
from a3t.fetching.fetch_recogniser import (
    MEGABYTES,
    OFFERED,
    bytes_fetched,
    fetch_model,
    server_named,
)
from alignment.recognition.whisper import find_whisper, is_installed
from app import texts


@dataclass(frozen=True)
class FetchState:
    """How far it is: share, 0 to 1, of the megabytes; problem: why the last fetch failed."""

    state: Literal["none", "offered", "fetching"]
    problem: str = ""
    server: str = ""
    share: float = 0.0
    megabytes: int = MEGABYTES


class RecogniserFetch:
    """One fetch at a time, in a thread of its own. `is_offered`: whether it may be at all."""

    def __init__(self) -> None:
        self.is_offered = False
        self._thread: threading.Thread | None = None
        self._problem = ""
        self._lock = threading.Lock()

    def state(self) -> FetchState:
        """Return whether it is there, offered, or being fetched, and how far that is."""
        wanted = self.is_offered and is_installed() and not os.environ.get("A3T_RECOGNISER")
        if not wanted or find_whisper() is not None:
            return FetchState("none")
        running = self._thread is not None and self._thread.is_alive()
        have = bytes_fetched(OFFERED)
        state: Literal["fetching", "offered"] = "fetching" if running else "offered"
        share = min(have / (MEGABYTES * 1e6), 1.0)
        return FetchState(state, self._problem, server_named(), share)

    def begin(self) -> FetchState:
        """Fetch it, unless that is under way or isn't offered; the `state`."""
        with self._lock:
            if self.state().state == "offered":
                self._problem = ""
                self._thread = threading.Thread(target=self._fetch, name="fetch", daemon=True)
                self._thread.start()
        return self.state()

    def _fetch(self) -> None:
        try:
            fetch_model(OFFERED)
        except InputError as error:
            self._problem = str(error)
        except OSError as error:
            self._problem = texts.not_kept(error.strerror or error)
        except Exception:
            logging.getLogger(__name__).exception("a recogniser can't be fetched")
            self._problem = texts.FAILED
