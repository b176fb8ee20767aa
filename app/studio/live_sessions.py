"""Live recognition of visitors' microphones."""

from __future__ import annotations

import base64
import binascii
import secrets
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from a3t.errors import InputError
from app import texts
from app.processes.worker import WorkerProcess
from app.studio.sent import Sent

MAX_SESSIONS = 2  # at once: each takes about half a core
MEMORY, SECONDS = 1_500_000_000, 60  # bytes of data, and of processor time for a part
SILENCE_S = 30.0  # seconds without a part, after which nobody is speaking any more
MIN_RATE, MAX_RATE = 8_000, 384_000


@dataclass(frozen=True)
class LiveWords:
    """The words that have become final, and those after them that may still change.

    Each has its start and end, seconds. late: whether the machine can't keep up.
    """

    final: tuple[tuple[str, float, float], ...]
    provisional: tuple[tuple[str, float, float], ...]
    late: bool


class LiveSessions:
    """The visitors who are recording, each with a recogniser in a separate process."""

    def __init__(self) -> None:
        self._sessions: dict[tuple[str, str], LiveSession] = {}
        self._lock = threading.Lock()

    def begin(self, visitor: str, rate: Any) -> str:
        """Begin a session that hears samples at `rate` Hz, and return its name.

        Raises InputError if there are too many, or for a rate that isn't heard.
        """
        if not isinstance(rate, int) or not MIN_RATE <= rate <= MAX_RATE:
            raise InputError(texts.WRONG_FIELDS)
        key = visitor, secrets.token_hex(12)
        with self._lock:
            for own in [each for each in self._sessions if each[0] == visitor]:
                self._sessions.pop(own).end()  # a visitor has one microphone
            if len(self._sessions) >= MAX_SESSIONS:
                raise InputError(texts.MANY_SPEAK)
            self._sessions[key] = LiveSession(rate, lambda: self._end(key))
        return key[1]

    def hear(self, visitor: str, name: str, data: Sent) -> LiveWords | None:
        """Return the words after more `samples`; None if there is no such session.

        The samples are base64 of 16 bits each, little-endian; `last`: nothing more is said.
        InputError for anything else.
        """
        key = visitor, name
        with self._lock:
            session = self._sessions.get(key)
        if session is None:
            return None
        try:
            samples = base64.b64decode(data.text("samples"), validate=True)
        except (binascii.Error, ValueError):
            raise InputError(texts.WRONG_FIELDS) from None
        last = data.is_true("last")
        try:
            words = session.hear(samples, last)
        except InputError:
            self._end(key)
            raise
        if last:
            self._end(key)
        return words

    def _end(self, key: tuple[str, str]) -> None:
        with self._lock:
            session = self._sessions.pop(key, None)
        if session is not None:
            session.end()


class LiveSession:
    """One person's recording. It calls `left` when no sound has come for long."""

    def __init__(self, rate: int, left: Callable[[], None]) -> None:
        self._rate: int | None = rate
        self._process = WorkerProcess(None, MEMORY, SECONDS)
        self._lock, self._came = threading.Lock(), threading.Event()
        threading.Thread(target=self._watch, args=(left,), name="live", daemon=True).start()

    def _watch(self, left: Callable[[], None]) -> None:
        while self._came.wait(SILENCE_S):
            self._came.clear()
        left()

    def hear(self, samples: bytes, last: bool) -> LiveWords:
        """Hear samples of 16 bits, and return the words."""
        self._came.set()
        with self._lock:
            if not self._process.alive:
                raise InputError(texts.CRASHED)
            rate, self._rate = self._rate, None  # it begins once
            words: LiveWords = self._process.ask(hear, samples, last, rate)
            return words

    def end(self) -> None:
        """End the session's process."""
        self._process.end()


_recognisers: list[Any] = []  # of a session's process: one


def hear(samples: bytes, last: bool, rate: int | None = None) -> LiveWords:
    """Return the final words and those that may change, in a session's process.

    samples: 16 bits, little-endian. rate: Hz, for the first samples, which begin a session.
    """
    from alignment.recognition.live import LATE_S, LiveRecogniser

    if rate is not None:
        _recognisers[:] = [LiveRecogniser(rate)]
    (recogniser,) = _recognisers
    block = np.frombuffer(samples[: len(samples) // 2 * 2], "<i2").astype(np.float32) / 32768
    # The page sends what has come since its last answer: much of it if this machine is busy.
    heard = recogniser.hear(block, len(block) / recogniser.sample_rate)
    final, rest = heard.final, heard.provisional
    if last:
        ended = recogniser.end()
        final, rest = (*final, *ended.final), ended.provisional
    late = len(block) / recogniser.sample_rate >= LATE_S
    return LiveWords(shown(final), shown(rest), late)


def shown(words: Sequence[Any]) -> tuple[tuple[str, float, float], ...]:
    """Return words as the page takes them."""
    return tuple((word.text, round(word.start, 2), round(word.end, 2)) for word in words)
