"""Refusals before Gradio sees a request, and the headers that every answer carries."""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

import anyio.to_thread
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app import texts
from app.guarding.quota import Quota, RefusedError, Visitors

LARGEST_BODY = 2_000_000  # bytes of a request that is not an upload

# Gradio begins its components by inline scripts that are made of texts.
POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; media-src 'self' data: blob:; "
    "font-src 'self' data:; connect-src 'self' data: blob:; worker-src 'self' blob:; "
    "object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'self'"
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"SAMEORIGIN"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


class Guard:
    """ASGI middleware around Gradio.

    A page that is for this computer only answers to this computer's names alone (`local_only`):
    another site's name may be made to mean 127.0.0.1 while a visitor is on it. A POST that another
    site's page sends is refused; programs send no Origin.

    Gradio fetches addresses of other servers when a path is one (`/file=https://…`, or a field's
    path): refused here, so that nobody uses this server to reach another. Bodies of requests that
    are not uploads are bounded, and so are uploads, for a visitor and for all (`quota`).
    """

    def __init__(self, app: ASGIApp, folder: Path, local_only: bool = False) -> None:
        self.app = app
        self.local_only = local_only
        self.quota, self.visitors = Quota(folder), Visitors()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        if scope["type"] == "websocket":  # Gradio has none
            await send({"type": "websocket.close", "code": 1008})
            return
        if self.local_only and not is_local(headers.get(b"host", "")):
            await refuse(send, 403, texts.OTHER_HOST)
            return
        reads = scope["method"] in ("GET", "HEAD")
        if not reads and is_from_elsewhere(headers):
            await read_body(receive)  # a connection closed on what is still coming loses the answer
            await refuse(send, 403, texts.OTHER_ORIGIN)
            return
        path = unquote(scope["path"])
        if elsewhere(path):
            await refuse(send, 403, texts.SERVED_ELSEWHERE)
            return
        visitor = self.visitors.visitor(headers)
        new = reads and visitor is None and path.endswith("/")
        send = answering(send, [self.visitors.new_cookie()] if new else ())
        if reads:
            await self.read(scope, receive, send)
        elif path.rstrip("/").endswith("/upload"):
            await self.upload(scope, receive, send, headers, visitor)
        else:
            await self.post(scope, receive, send)

    async def read(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A GET; where Gradio refuses in the middle of an answer (an event that is over, or was
        never begun), that ends with a sentence."""
        try:
            await self.app(scope, receive, send)
        except RuntimeError as error:
            if not isinstance(error.__cause__, HTTPException):
                raise
            last = f"event: error\ndata: {json.dumps({'error': texts.NO_REQUEST})}\n\n"
            await send({"type": "http.response.body", "body": last.encode()})

    async def upload(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        headers: Mapping[bytes, str],
        visitor: str | None,
    ) -> None:
        """A file, if there is room for it and a browser's has come from the page."""
        if visitor is None and (b"origin" in headers or b"sec-fetch-site" in headers):
            await refuse(send, 403, texts.NOT_FROM_THE_PAGE)
            return
        address = (scope.get("client") or ("",))[0]
        arriving = self.quota.upload(visitor or address, headers.get(b"content-length"))
        try:
            await anyio.to_thread.run_sync(arriving.__enter__)
        except RefusedError as error:
            await refuse(send, error.status, error.sentence)
            return
        try:
            await self.app(scope, receive, send)
        finally:
            arriving.__exit__(None, None, None)

    async def post(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Any other request, if its body is small and names no other server."""
        body = await read_body(receive)
        if body is None:
            await refuse(send, 413, texts.LARGE_REQUEST)
        elif not is_text(body):
            await refuse(send, 422, texts.WRONG_FIELDS)
        elif b"http" in body.lower() and names_elsewhere(body):
            await refuse(send, 403, texts.FETCHED_ELSEWHERE)
        else:
            await self.app(scope, replay(body, receive), send)


def answering(send: Send, cookies: Sequence[str]) -> Send:
    """A `send` that adds the headers of every answer.

    Gradio's answer that the queue is full (503, with its length) becomes a sentence.
    """
    replaced = False

    async def with_headers(message: Message) -> None:
        nonlocal replaced
        if message["type"] == "http.response.start":
            if message["status"] == 503:
                replaced = True
                await refuse(send, 503, texts.QUEUE_FULL)
                return
            given = [(b"set-cookie", cookie.encode()) for cookie in cookies]
            message["headers"] = [*message.get("headers", []), *HEADERS, *given]
        if not replaced:
            await send(message)

    return with_headers


def is_text(body: bytes) -> bool:
    """True if it is UTF-8: FastAPI's own answer to anything else is an error of the server."""
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def is_local(host: str) -> bool:
    """True if a Host header names this computer, with any port."""
    try:
        name = urlsplit(f"//{host}").hostname
        if name == "localhost":
            return True
        return ipaddress.ip_address(name or "").is_loopback
    except ValueError:
        return False


def is_from_elsewhere(headers: Mapping[bytes, str]) -> bool:
    """True if a browser says that the request comes from another site's page."""
    if headers.get(b"sec-fetch-site") == "cross-site":
        return True
    origin = headers.get(b"origin")
    if origin is None:
        return False
    ours = (headers.get(b"host", ""), headers.get(b"x-forwarded-host", ""))
    return origin.partition("://")[2].lower() not in [name.lower() for name in ours if name]


def elsewhere(path: str) -> bool:
    """True if a request's path asks for a file of another server."""
    for marker in ("/file=", "/proxy=", "/file/"):
        _, found, rest = path.partition(marker)
        if found and "://" in rest.replace(":/", "://", 1)[:12]:
            return True
    return "/proxy=" in path


def names_elsewhere(body: bytes) -> bool:
    """True if a JSON body has a file whose path is an address."""
    try:
        waiting = [json.loads(body)]
    except (ValueError, RecursionError):
        return False
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            path = item.get("path")
            if isinstance(path, str) and path.strip().lower().startswith(("http:", "https:")):
                return True
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
    return False


async def read_body(receive: Receive) -> bytes | None:
    """The whole body, None if it is larger than LARGEST_BODY."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return b"".join(parts)
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > LARGEST_BODY:
            return None
        if not message.get("more_body", False):
            return b"".join(parts)


def replay(body: bytes, receive: Receive) -> Receive:
    """A `receive` that returns the body that was already read, then whatever follows."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


async def refuse(send: Send, status: int, sentence: str) -> None:
    body = json.dumps({"detail": sentence}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": [*headers, *HEADERS]})
    await send({"type": "http.response.body", "body": body})
