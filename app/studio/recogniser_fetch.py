"""Whisper's model, fetched where the page is for this computer alone and somebody agrees."""

from __future__ import annotations

import logging
import os
import threading
from typing import Any

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


class RecogniserFetch:
    """One fetch at a time, in a thread of its own. `is_offered`: whether it may be at all."""

    def __init__(self) -> None:
        self.is_offered = False
        self._thread: threading.Thread | None = None
        self._problem = ""
        self._lock = threading.Lock()

    def state(self) -> dict[str, Any]:
        """The state for the page: "none", "offered" or "fetching", and how far that is."""
        wanted = self.is_offered and is_installed() and not os.environ.get("A3T_RECOGNISER")
        if not wanted or find_whisper() is not None:
            return {"state": "none"}
        running = self._thread is not None and self._thread.is_alive()
        have = bytes_fetched(OFFERED)
        return {
            "state": "fetching" if running else "offered",
            "problem": self._problem,
            "megabytes": MEGABYTES,
            "server": server_named(),
            "share": min(have / (MEGABYTES * 1e6), 1.0),
        }

    def begin(self) -> dict[str, Any]:
        """Fetch it, unless that is under way or isn't offered; the `state`."""
        with self._lock:
            if self.state()["state"] == "offered":
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
