"""A connection without a complete head of a request doesn't stay open."""

import socket
from contextlib import ExitStack

import pytest

from app import head_timeout
from app.application import served


async def answer(scope, receive, send) -> None:
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})


WHOLE = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


@pytest.mark.parametrize("sent", [b"", b"GET / HT", WHOLE + b"GET / HTTP/1.1\r\nHost: "])
def test_a_half_open_connection_is_closed(sent: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(head_timeout, "HEAD_TIMEOUT_S", 0.5)
    with served(answer, "127.0.0.1", None) as url:  # type: ignore[arg-type]
        port = int(url.rsplit(":", 1)[1])
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(sent)
            while connection.recv(4096):  # until the server closes it
                pass


def test_a_request_is_answered() -> None:
    with served(answer, "127.0.0.1", None) as url:  # type: ignore[arg-type]
        port = int(url.rsplit(":", 1)[1])
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(WHOLE)
            assert connection.recv(4096).startswith(b"HTTP/1.1 204")


def test_of_many_half_open_connections_the_oldest_are_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(head_timeout, "MAX_HEADS", 2)
    monkeypatch.setattr(head_timeout, "HEAD_TIMEOUT_S", 600.0)
    with served(answer, "127.0.0.1", None) as url, ExitStack() as opened:  # type: ignore[arg-type]
        where = ("127.0.0.1", int(url.rsplit(":", 1)[1]))
        first, second, *last = (
            opened.enter_context(socket.create_connection(where)) for _ in range(4)
        )
        assert first.recv(1) == second.recv(1) == b""
        for each in last:
            each.sendall(WHOLE)
            assert each.recv(4096).startswith(b"HTTP/1.1 204")
