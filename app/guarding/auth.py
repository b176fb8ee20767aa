"""Checks of every request: the token, this computer's name, a size within the limits."""

from __future__ import annotations

import hmac
import json
from contextlib import suppress

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app import limits
from app.guarding.page_guard import is_from_elsewhere, is_local

LARGEST_FORM = 1_000_000  # bytes of a request beside its recording


class TooLargeError(Exception):
    """A request's body goes on beyond the limit."""


class Door:
    """ASGI middleware. `local_only`: answers to this computer's names alone, since another site's
    name may be made to mean 127.0.0.1 (DNS rebinding)."""

    def __init__(self, app: ASGIApp, token: str, local_only: bool) -> None:
        self.app, self.token, self.local_only = app, token, local_only

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            else:
                await self.app(scope, receive, send)
            return
        headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        if self.local_only and not is_local(headers.get(b"host", "")):
            await refuse(send, 403, "This server answers to 127.0.0.1 and localhost only.")
            return
        if is_from_elsewhere(headers):
            await refuse(send, 403, "Requests from other sites' pages are refused.")
            return
        kind, _, given = headers.get(b"authorization", "").partition(" ")
        right = hmac.compare_digest(given.strip().encode("latin-1"), self.token.encode())
        if kind.lower() != "bearer" or not right:
            await refuse(
                send, 401, "The token is missing or wrong: send “Authorization: Bearer TOKEN”."
            )
            return
        most = limits.MAX_MEGABYTES * 1_000_000 + LARGEST_FORM
        stated = headers.get(b"content-length", "0")
        if not stated.isdecimal() or len(stated) > 18 or int(stated) > most:
            await refuse(send, 413, f"A request may have at most {limits.MAX_MEGABYTES} MB.")
            return
        size = 0

        async def counted() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > most:
                raise TooLargeError
            return message

        async def noted(message: Message) -> None:
            if size <= most:  # else it is the framework's answer to TooLargeError
                await send(message)

        with suppress(TooLargeError):
            await self.app(scope, counted, noted)
        if size > most:
            await refuse(send, 413, f"A request may have at most {limits.MAX_MEGABYTES} MB.")


def error_body(sentence: str, kind: str = "invalid_request_error") -> dict[str, object]:
    """An error in the form that OpenAI's clients read."""
    return {"error": {"message": sentence, "type": kind, "param": None, "code": None}}


async def refuse(send: Send, status: int, sentence: str) -> None:
    """An answer of one sentence."""
    body = json.dumps(error_body(sentence)).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
