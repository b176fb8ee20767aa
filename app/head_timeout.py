"""Connections that send no complete head of a request in time, or are too many, are closed."""

from __future__ import annotations

import asyncio
from operator import itemgetter

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_TIMEOUT_S = 15.0
MAX_HEADS = 100  # connections that may wait for one at once; then the oldest is closed


class HeadTimeoutProtocol(H11Protocol):
    """HTTP/1.1 for uvicorn, which itself waits for a request's head for ever."""

    _timeout: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the head of the first request."""
        super().connection_made(transport)
        self._await_head()
        others = [each for each in self.connections if isinstance(each, HeadTimeoutProtocol)]
        waiting = [(each.until, each) for each in others if each.until is not None]
        if len(waiting) > MAX_HEADS:
            min(waiting, key=itemgetter(0))[1].transport.close()

    @property
    def until(self) -> float | None:
        """The time at which it is closed for want of a head, None if it has one or is closing."""
        if self._timeout is None or self.transport.is_closing():
            return None
        return self._timeout.when()

    def data_received(self, data: bytes) -> None:
        """Pass data on, and wait further if they end within a head."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._stop_waiting()
        elif self._timeout is None:
            self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _await_head(self) -> None:
        self._timeout = self.loop.call_later(HEAD_TIMEOUT_S, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._timeout is not None:
            self._timeout.cancel()
            self._timeout = None
