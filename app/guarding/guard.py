"""Checks of every request, before anything else sees it, and the headers of every answer."""

from __future__ import annotations

import hmac
import ipaddress
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

import anyio.to_thread
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app import texts
from app.guarding.quota import Quota, RefusedError
from app.guarding.visitors import cookie_of

MAX_BODY = 2_000_000  # bytes of a request that is not an upload
UPLOADS = "/gradio_api/upload"
FORMS = (
    "/v1/edits",
    "/v1/alignments",
    "/v1/audio/transcriptions",
)  # which bring their recording themselves
MAY_CALL = "a3t.may_call"  # in a request's scope: whether it may use /v1

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


@dataclass(frozen=True)
class Callers:
    """Who may ask for what; chosen once, by what is served.

    Whoever has the `token` may use /v1, within the limits. A server without a page answers nobody
    else. One `with_page` also has visitors, for whom uploads are counted (and who log in to Gradio,
    if that is wanted); they may use /v1 where there is no token and the server is `local_only`, as
    they may use the page's endpoints.
    """

    token: str | None
    with_page: bool = False
    local_only: bool = False

    def have_token(self, headers: Mapping[bytes, str]) -> bool:
        """True for a request with the token."""
        kind, _, given = headers.get(b"authorization", "").partition(" ")
        return (
            self.token is not None
            and kind.lower() == "bearer"
            and hmac.compare_digest(given.strip().encode("latin-1"), self.token.encode())
        )

    @property
    def include_visitors(self) -> bool:
        """True if /v1 needs no token."""
        return self.with_page and self.local_only and self.token is None


class Guard:
    """ASGI middleware around the application.

    A server for this computer alone answers to this computer's names only: another site's name may
    be made to mean 127.0.0.1 while a visitor is on it. What another site's page sends is refused;
    programs send no Origin. Every body is bounded.

    Gradio fetches addresses of other servers when a path is one (`/file=https://…`, or a field's
    path): refused here, so that nobody uses this server to reach another. Bodies are small, but for
    uploads, which state their length, and of visitors are bounded for each and for all (`quota`).

    A path decides here how large a body may be, never who may ask: /v1 itself looks at MAY_CALL.
    """

    def __init__(self, app: ASGIApp, folder: Path, callers: Callers) -> None:
        self.inner, self.callers, self.quota = app, callers, Quota(folder)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":  # there are none
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self.inner(scope, receive, send)
            return
        callers, path = self.callers, unquote(scope["path"])
        headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        reads, has_token = scope["method"] in ("GET", "HEAD"), callers.have_token(headers)
        scope[MAY_CALL] = may_call = has_token or callers.include_visitors
        brings_file = path.rstrip("/").endswith((UPLOADS, *FORMS))
        if callers.local_only and not is_local(headers.get(b"host", "")):
            await refuse(send, 403, texts.OTHER_HOST)
        elif is_from_elsewhere(headers, callers.local_only) and not (reads and callers.with_page):
            await read_body(receive)  # a connection closed on what is still coming loses the answer
            await refuse(send, 403, texts.OTHER_ORIGIN)
        elif not (has_token or callers.with_page) or (path.endswith(FORMS) and not may_call):
            await refuse(send, 401, texts.NO_TOKEN)
        elif elsewhere(path):
            await refuse(send, 403, texts.SERVED_ELSEWHERE)
        elif reads:
            await self.read(scope, receive, send)
        elif not brings_file:
            await self.post(scope, receive, send)
        else:
            await self.upload(scope, receive, send, headers, has_token)

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
        has_token: bool,
    ) -> None:
        """A file, if there is room for it; a browser's must come from the page."""
        visitor = cookie_of(headers.get(b"cookie", ""))
        is_browser = b"origin" in headers or b"sec-fetch-site" in headers
        if not has_token and visitor is None and is_browser:
            await refuse(send, 403, texts.NOT_FROM_THE_PAGE)
            return
        who = None if has_token else visitor or (scope.get("client") or ("",))[0]
        length = None if b"transfer-encoding" in headers else headers.get(b"content-length")
        arriving = self.quota.upload(who, length)
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

    async def app(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The application, its answers with HEADERS. Gradio's that the queue is full (503, with its
        length) becomes a sentence."""
        replaced = False

        async def answer(message: Message) -> None:
            nonlocal replaced
            if message["type"] == "http.response.start" and message["status"] == 503:
                replaced = True
                await refuse(send, 503, texts.QUEUE_FULL)
            elif message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *HEADERS]
            if not replaced:
                await send(message)

        await self.inner(scope, receive, answer)


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


def is_from_elsewhere(headers: Mapping[bytes, str], local_only: bool) -> bool:
    """True if a browser says that the request comes from another site's page. A server for other
    computers may stand behind a proxy: the name by which that was asked is its own, too."""
    if headers.get(b"sec-fetch-site") == "cross-site":
        return True
    origin = headers.get(b"origin")
    if origin is None:
        return False
    forwarded = "" if local_only else headers.get(b"x-forwarded-host", "")
    ours = (headers.get(b"host", ""), forwarded)
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
    """The whole body, None if it is larger than MAX_BODY."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return b"".join(parts)
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > MAX_BODY:
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


def error_body(sentence: str, kind: str = "invalid_request_error") -> dict[str, object]:
    """An error in the form that OpenAI's clients read, and as FastAPI and Gradio tell of it."""
    error = {"message": sentence, "type": kind, "param": None, "code": None}
    return {"error": error, "detail": sentence}


async def refuse(send: Send, status: int, sentence: str) -> None:
    """An answer of one sentence."""
    body = json.dumps(error_body(sentence)).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": [*headers, *HEADERS]})
    await send({"type": "http.response.body", "body": body})
