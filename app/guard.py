"""Checks of every request, before anything else sees it: who asks, from where and for how much.

A visitor is known by a login or the page's cookie; programs, which have none, by their address.
What a request may contain is `app.limits`.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import json
import os
import re
import secrets
import shutil
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from urllib.parse import unquote, urlsplit

import anyio.to_thread
from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request, cookie_parser
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from app import limits, texts

T = TypeVar("T")

MAX_HELD_UPLOADS = 10_000_000_000  # bytes of uploads and results
MAX_EACH = 2_000_000_000  # bytes that one visitor uploads in limits.KEEP_SECONDS
LEFT_FREE = 1_000_000_000  # bytes of the disk that uploads don't take
UPLOADS_AT_ONCE = 16  # uploads
FORM = 1_000_000  # bytes of a form around its file
COOKIE = "a3t_visitor"
VISITOR_NAME = re.compile(r"[\w-]{32}", re.ASCII)
YEAR = 365 * 86_400  # seconds
LOGIN = "a3t_login"  # the cookie of who has logged in
WRONG_LOGIN_S = 1.0  # for which an address can't try again after a wrong password
MAX_LOGINS = 1000
MAX_REFUSED = 10_000  # addresses that are remembered after a wrong password
MAX_BODY = 2_000_000  # bytes of a request that is not an upload
UPLOADS = ("/studio/uploads", "/gradio_api/upload")
FORMS = (
    "/v1/edits",
    "/v1/cleanings",
    "/v1/alignments",
    "/v1/audio/transcriptions",
)  # which bring their recording themselves
MAY_CALL = "a3t.may_call"  # in a request's scope: whether it may use /v1
# Gradio's pages have inline scripts and styles, and play what the browser holds.
INLINE = (
    "script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; worker-src 'self' blob:; "
    "connect-src 'self' data: blob:; media-src 'self' data: blob:; font-src 'self' data:; "
)
HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
STRICT = ("/editor", "/studio", "/v1", "/openapi.json")


class RefusedError(Exception):
    """An upload that isn't taken: the HTTP status and the sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status, self.sentence = status, sentence


class Quota:
    """Counts what is uploaded to `folder`; thread-safe."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.Lock()
        self._arriving: dict[int, int] = {}  # number of an upload -> its bytes
        self._count = 0
        self._uploaded: dict[str, deque[tuple[float, int]]] = {}  # visitor -> when, bytes

    @contextmanager
    def upload(self, visitor: str | None, stated: str | None) -> Iterator[None]:
        """Count an upload while it arrives; RefusedError if there is no room for it.

        visitor: None for a program with the token, whose uploads aren't counted. stated: the
        Content-Length.
        """
        size = self._checked(stated)
        if visitor is None:
            yield
            return
        with self._lock:
            self._check_room(visitor, size)
            number = self._count = self._count + 1
            self._arriving[number] = size
            self._uploaded.setdefault(visitor, deque()).append((time.monotonic(), size))
        try:
            yield
        finally:
            with self._lock:
                del self._arriving[number]

    def _checked(self, stated: str | None) -> int:
        if stated is None or not (stated.isascii() and stated.isdigit()) or len(stated) > 18:
            raise RefusedError(411, texts.NO_LENGTH)
        if int(stated) > limits.MAX_MEGABYTES * 1_000_000 + FORM:
            raise RefusedError(413, texts.too_large(limits.MAX_MEGABYTES))
        return int(stated)

    def _check_room(self, visitor: str, size: int) -> None:
        arriving = sum(self._arriving.values())
        if len(self._arriving) >= UPLOADS_AT_ONCE:
            raise RefusedError(503, texts.QUEUE_FULL)
        if self.uploaded(visitor) + size > MAX_EACH:
            raise RefusedError(429, texts.UPLOADED_ENOUGH)
        free = shutil.disk_usage(self.folder).free
        if (
            held(self.folder) + arriving + size > MAX_HELD_UPLOADS
            or free - arriving - size < LEFT_FREE
        ):
            raise RefusedError(507, texts.NO_ROOM)

    def uploaded(self, visitor: str) -> int:
        """Return the bytes that a visitor has uploaded in the last `limits.KEEP_SECONDS`."""
        since = time.monotonic() - limits.KEEP_SECONDS
        for name, times in list(self._uploaded.items()):
            while times and times[0][0] < since:
                times.popleft()
            if not times:
                del self._uploaded[name]
        return sum(size for _, size in self._uploaded.get(visitor, ()))


def held(folder: Path) -> int:
    """Return the bytes of all files in a folder and its subfolders."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):  # deleted in the meantime
                total += os.lstat(os.path.join(parent, name)).st_size
    return total


class Visitors:
    """Visitors are known by their login, or by the cookie that they are given.

    Parameters
    ----------
    auth : tuple of str, optional
        The name and the password of who may enter; None to let everybody in.
    framed : bool
        Whether pages of other sites frame this one, so that its cookies are theirs too.
    """

    def __init__(self, auth: tuple[str, str] | None = None, framed: bool = False) -> None:
        self._auth, self._framed = auth, framed
        self._logins: dict[str, str] = {}  # token -> name, the oldest first
        self._refused_until: dict[str, float] = {}  # address -> monotonic seconds, oldest first
        self._lock = threading.Lock()

    @property
    def must_log_in(self) -> bool:
        """Whether a login is needed."""
        return self._auth is not None

    def visitor(self, request: Request, response: Response) -> str:
        """Return the folder of whoever asks, with a cookie if there was none.

        Raises
        ------
        HTTPException
            If they have to log in first.
        """
        user = self.user(request)
        if user is None and self.must_log_in:
            raise HTTPException(401, texts.LOG_IN)
        name = cookie_of(request.headers.get("cookie", ""))
        if user is None and name is None:
            name = secrets.token_urlsafe(24)
            self._set_cookie(response, COOKIE, name)
        who = f"cookie {name}" if user is None else f"user {user}"
        return hashlib.sha256(who.encode()).hexdigest()[:40]  # it tells nobody the cookie

    def user(self, request: Request) -> str | None:
        """Return the name of who has logged in."""
        return self._logins.get(request.cookies.get(LOGIN, ""))

    def log_in(self, address: str, name: str, password: str, response: Response) -> None:
        """Log a visitor in if the password is right.

        After a wrong one nothing from that address is looked at for WRONG_LOGIN_S, so that guesses
        sent at once learn no more than one.

        Raises
        ------
        HTTPException
            If the password is wrong, or was a moment ago.
        """
        given, wanted = f"{name}:{password}".encode(), ":".join(self._auth or ("", "")).encode()
        with self._lock:
            now = time.monotonic()
            if now < self._refused_until.get(address, now):
                raise HTTPException(429, texts.LOG_IN_LATER)
            if self._auth is None or not hmac.compare_digest(given, wanted):
                self._refused_until.pop(address, None)
                self._refused_until[address] = now + WRONG_LOGIN_S
                keep_newest(self._refused_until, MAX_REFUSED)
                raise HTTPException(400, texts.WRONG_LOGIN)
            token = secrets.token_urlsafe(24)
            self._logins[token] = name
            keep_newest(self._logins, MAX_LOGINS)
        self._set_cookie(response, LOGIN, token)

    def _set_cookie(self, response: Response, name: str, value: str) -> None:
        where = "SameSite=None; Secure; Partitioned" if self._framed else "SameSite=strict"
        cookie = f"{name}={value}; HttpOnly; Max-Age={YEAR}; Path=/; {where}"
        response.headers.append("set-cookie", cookie)


def keep_newest(entries: dict[str, T], most: int) -> None:
    """Drop the entries that came first, until there are at most so many."""
    while len(entries) > most:
        del entries[next(iter(entries))]


def cookie_of(header: str) -> str | None:
    """Return the name in a visitor's cookie; None without one, or if it can't be one of ours."""
    name = cookie_parser(header).get(COOKIE, "")
    return name if VISITOR_NAME.fullmatch(name) else None


def headers_of(path: str, frame_from: str = "") -> list[tuple[bytes, bytes]]:
    """Return the headers of every answer; ``frame_from``: the site that may frame the page."""
    inline, base = ("", "'none'") if path.startswith(STRICT) else (INLINE, "'self'")
    policy = (
        f"default-src 'self'; {inline}img-src 'self' data: blob:; object-src 'none'; "
        f"base-uri {base}; form-action 'self'; frame-ancestors {framing_sites(frame_from)}"
    )
    framed = [] if frame_from else [(b"x-frame-options", b"SAMEORIGIN")]
    return [(b"content-security-policy", policy.encode()), *framed, *HEADERS]


def framing_sites(site: str) -> str:
    """Return who may frame the page, as a policy names them.

    That is the page itself, and a site with its subdomains or one origin.
    """
    if not site:
        return "'self'"
    return f"'self' {site}" if "://" in site else f"'self' https://{site} https://*.{site}"


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
        """Return whether a request's headers bear the token."""
        kind, _, given = headers.get(b"authorization", "").partition(" ")
        return (
            self.token is not None
            and kind.lower() == "bearer"
            and hmac.compare_digest(given.strip().encode("latin-1"), self.token.encode())
        )

    @property
    def include_visitors(self) -> bool:
        """Whether /v1 needs no token."""
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

    def __init__(self, app: FastAPI, folder: Path, callers: Callers, frame_from: str = "") -> None:
        self.inner, self.callers, self.quota = app, callers, Quota(folder)
        self.frame_from = frame_from

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request, then refuse it or pass it on."""
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
        brings_file = path.rstrip("/").endswith((*UPLOADS, *FORMS))
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
        """Answer a GET.

        Where Gradio fails in the middle of an answer (an event that is over, or was never begun),
        the answer ends with a sentence.
        """
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
        """Take a file if there is room for it; a browser's must come from the page."""
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
        """Answer any other request, if its body is small and names no other server."""
        body = await read_body(receive)
        if body is None:
            await refuse(send, 413, texts.LARGE_REQUEST)
        elif not is_text(body):
            await refuse(send, 422, texts.WRONG_FIELDS)
        elif not names_uploads_only(body, self.quota.folder):
            await refuse(send, 403, texts.FETCHED_ELSEWHERE)
        else:
            await self.app(scope, replay(body, receive), send)

    async def app(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the application, and add HEADERS to its answers.

        Gradio's answer that the queue is full (503, with its length) becomes a sentence.
        """
        replaced = False

        async def answer(message: Message) -> None:
            nonlocal replaced
            if message["type"] == "http.response.start" and message["status"] == 503:
                replaced = True
                await refuse(send, 503, texts.QUEUE_FULL)
            elif message["type"] == "http.response.start":
                headers = headers_of(unquote(scope["path"]), self.frame_from)
                message["headers"] = [*message.get("headers", []), *headers]
            if not replaced:
                await send(message)

        await self.inner(scope, receive, answer)


def is_text(body: bytes) -> bool:
    """Return whether it is UTF-8; to anything else FastAPI would answer with a server error."""
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def is_local(host: str) -> bool:
    """Return whether a Host header names this computer, with any port."""
    try:
        name = urlsplit(f"//{host}").hostname
        if name == "localhost":
            return True
        return ipaddress.ip_address(name or "").is_loopback
    except ValueError:
        return False


def is_from_elsewhere(headers: Mapping[bytes, str], local_only: bool) -> bool:
    """Return whether a browser says that the request comes from another site's page.

    A server for other computers may stand behind a proxy, whose name counts as its own.
    """
    if headers.get(b"sec-fetch-site") == "cross-site":
        return True
    origin = headers.get(b"origin")
    if origin is None:
        return False
    forwarded = "" if local_only else headers.get(b"x-forwarded-host", "")
    ours = (headers.get(b"host", ""), forwarded)
    return origin.partition("://")[2].lower() not in [name.lower() for name in ours if name]


def elsewhere(path: str) -> bool:
    """Return whether a request's path asks for a file of another server."""
    for marker in ("/file=", "/proxy=", "/file/"):
        _, found, rest = path.partition(marker)
        if found and "://" in rest.replace(":/", "://", 1)[:12]:
            return True
    return "/proxy=" in path


def names_uploads_only(body: bytes, uploads: Path) -> bool:
    """Return whether each file that a JSON body names lies among the uploads.

    Gradio copies any other file of the server that a request names, however its JSON is written.
    """
    try:
        waiting = [json.loads(body)]
    except ValueError:
        return True  # no file is named
    except RecursionError:
        return False
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            path = item.get("path")
            if isinstance(path, str) and path and not is_upload(path, uploads):
                return False
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
    return True


def is_upload(path: str, uploads: Path) -> bool:
    """Return whether a path, its links followed, lies in the folder of uploads."""
    try:
        file = Path(path).resolve()
    except (OSError, ValueError, RuntimeError):
        return False
    return file.is_relative_to(uploads.resolve())


async def read_body(receive: Receive) -> bytes | None:
    """Return the whole body, or None if it is larger than MAX_BODY."""
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
    """Return a `receive` that gives the body that was already read, then whatever follows."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


def error_body(sentence: str, kind: str = "invalid_request_error") -> dict[str, object]:
    """Return an error in the form that OpenAI's clients, FastAPI and Gradio read."""
    error = {"message": sentence, "type": kind, "param": None, "code": None}
    return {"error": error, "detail": sentence}


async def refuse(send: Send, status: int, sentence: str) -> None:
    """Answer with one sentence."""
    body = json.dumps(error_body(sentence)).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    headers += headers_of("/v1")
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
