"""The one application and its server: /v1 for programs, and the page, which `a3t serve` leaves out.

Both have one guard, one service with one queue of jobs, and one form of errors.
"""

from __future__ import annotations

import asyncio
import gc
import inspect
import logging
import os
import secrets
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anyio.to_thread
import uvicorn
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.types import Message, Receive, Scope, Send

from a3t import __version__
from a3t.errors import InputError
from a3t.source.differences import UnsureError
from alignment.atomic import recover, staging
from app import PageOptions, texts
from app.guard import Callers, Guard, Visitors, error_body
from app.head_timeout import HeadTimeoutProtocol
from app.processes.request_jobs import BusyError, CancelledError
from app.processes.worker import WorkerProcess
from app.server.endpoints import router
from app.server.voice_folder import PromptVoice, voices_in
from app.service import Service

log = logging.getLogger(__name__)

MAX_CONNECTIONS = 500  # of one server; a process may often have 1024 files open


def application(
    service: Service,
    callers: Callers,
    page: PageOptions | None = None,
    voices: Mapping[str, PromptVoice] | None = None,
) -> Guard:
    """Return the application behind its guard.

    Raises
    ------
    ModuleNotFoundError
        For a page without gradio.
    """
    app = FastAPI(title="a3t", version=__version__, docs_url=None, redoc_url=None)
    app.state.service = service
    app.state.voices = voices_in(None) if voices is None else voices
    answer_errors(app)
    app.include_router(router)
    if page is not None:
        add_page(app, service, page, callers.local_only)
    frame_from = "" if page is None else page.frame_from
    return Guard(app, service.folder, callers, frame_from)


def add_page(app: FastAPI, service: Service, options: PageOptions, local_only: bool) -> None:
    """Add the page, the interface of its script, and Gradio's endpoints."""
    from app.studio.routes import add_studio
    from app.studio.studio import Studio

    if find_spec("gradio") is None:
        raise ModuleNotFoundError(name="gradio")
    studio = Studio(service, options.projects or service.folder / "projects")
    studio.recogniser.is_offered = studio.makes_voices = local_only
    visitors = Visitors(options.auth, bool(options.frame_from))
    add_studio(app, studio, visitors)

    def load() -> FastAPI:
        os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"  # read when gradio is imported
        with quick_import():
            from app import front, gradio_requests

        pages = FastAPI(openapi_url=None)

        def open_project(request: Request, *edit: Any) -> str:
            return studio.project_of(visitors.visitor(request, Response()), *edit)

        blocks = front.blocks(service, app.state.voices, open_project)
        user = visitors.user if visitors.must_log_in else None
        gradio_requests.mount(pages, blocks, user, options.root_path)
        return pages

    app.state.gradio = LoadedLater(load, visitors)
    app.mount("/", app.state.gradio)


@contextmanager
def quick_import() -> Iterator[None]:
    """Import Gradio in half the time.

    Most of the other half goes into stubs for code editors, which Gradio writes of each component
    whose source it finds.
    """
    getfile = inspect.getfile

    def hide(object: Any) -> str:
        if getattr(object, "__module__", "").startswith("gradio."):
            raise OSError
        return getfile(object)

    inspect.getfile = hide
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        inspect.getfile = getfile


class LoadedLater:
    """An ASGI application that is loaded once, at the latest at its first request.

    Importing Gradio takes seconds, and the page doesn't wait for it.
    """

    def __init__(self, load: Callable[[], FastAPI], visitors: Visitors) -> None:
        self._load, self._loading = load, threading.Lock()
        self._visitors = visitors
        self._app: FastAPI | None = None
        self._begun: asyncio.Future[None] | None = None
        self._life: asyncio.Task[None] | None = None

    def load(self) -> FastAPI:
        """Load the application, unless it is loaded, and return it."""
        with self._loading:
            if self._app is None:
                self._app = self._load()
            return self._app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, once the application is loaded."""
        if (page := self._instead(scope)) is not None:
            await HTMLResponse(page, headers={"cache-control": "no-store"})(scope, receive, send)
            return
        try:
            app = await anyio.to_thread.run_sync(self.load) if self._app is None else self._app
        except asyncio.CancelledError:  # the server stops
            await Response(status_code=503)(scope, receive, send)
            return
        if self._begun is None:
            self._begun = asyncio.get_running_loop().create_future()
            self._life = asyncio.ensure_future(self._live(app, self._begun))
        await asyncio.shield(self._begun)
        await app(scope, receive, self._greeting(scope, send))

    @staticmethod
    async def _live(app: FastAPI, begun: asyncio.Future[None]) -> None:
        """Keep the application's lifespan until the server's loop ends, which cancels this."""
        try:
            async with app.router.lifespan_context(app):
                begun.set_result(None)
                await asyncio.Event().wait()
        except Exception as error:
            if not begun.done():
                begun.set_exception(error)

    def _greeting(self, scope: Scope, send: Send) -> Send:
        """Return a `send` that gives whoever asks for a page the cookie that uploads need."""
        if not self._is_page(scope):
            return send
        cookies = Response()
        self._visitors.visitor(Request(scope), cookies)

        async def greet(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = [each for each in cookies.raw_headers if each[0] == b"set-cookie"]
                message["headers"] = [*message.get("headers", []), *given]
            await send(message)

        return greet

    @staticmethod
    def _is_page(scope: Scope) -> bool:
        if scope["type"] != "http" or scope["method"] != "GET":
            return False
        path = scope["path"].removeprefix(scope.get("root_path", "")).rstrip("/")
        return path in ("", "/edit", "/speech", "/align")

    def _instead(self, scope: Scope) -> str | None:
        """Return a page to show at once: the login, or the first page without Gradio's."""
        if not self._is_page(scope):
            return None
        from app.studio.routes import EDITOR_PAGE, FIRST_PAGE

        if self._visitors.must_log_in and not self._visitors.user(Request(scope)):
            return EDITOR_PAGE
        return FIRST_PAGE if scope["path"] == "/" and self._app is None else None


def answer_errors(app: FastAPI) -> None:
    """Answer errors of the application's own routes with one sentence."""

    def sentence(status: int, text: str, kind: str = "invalid_request_error") -> JSONResponse:
        return JSONResponse(error_body(" ".join(text.split()), kind), status)

    @app.exception_handler(InputError)
    def refused(request: Request, error: InputError) -> JSONResponse:
        differences = getattr(error, "differences", ())
        if not differences:
            return sentence(400, str(error))
        told = f"{error} {texts.CHOOSE_BY_FIELD}" if isinstance(error, UnsureError) else str(error)
        listed = {"differences": [each.to_json() for each in differences]}
        return JSONResponse(error_body(told, "invalid_request_error") | listed, 400)

    @app.exception_handler(CancelledError)
    def cancelled(request: Request, error: CancelledError) -> JSONResponse:
        return sentence(409, texts.CANCELLED)

    @app.exception_handler(BusyError)
    def busy(request: Request, error: BusyError) -> JSONResponse:
        return sentence(429, texts.QUEUE_FULL, "rate_limit_error")

    @app.exception_handler(RequestValidationError)
    def wrong(request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"][1:])
        if first["type"] == "json_invalid" or not place:
            return sentence(400, texts.NO_JSON)
        if "UploadFile" in first["msg"]:
            return sentence(400, texts.no_file(str(first["loc"][1])))
        if first["type"] == "missing":
            return sentence(400, texts.missing_field(place))
        return sentence(400, f"{place}: {first['msg']}.")

    @app.exception_handler(HTTPException)
    def other(request: Request, error: HTTPException) -> JSONResponse:
        # 400 is the framework's: a body that it can't take apart.
        text = texts.NO_FORM if error.status_code == 400 else error.detail
        answer = sentence(error.status_code, text)
        answer.headers.update(error.headers or {})
        return answer

    @app.exception_handler(Exception)
    def failed(request: Request, error: Exception) -> JSONResponse:
        return sentence(500, texts.FAILED, "server_error")


def serve(
    where: tuple[str, int],
    callers: Callers,
    voices: Mapping[str, PromptVoice],
    page: PageOptions | None,
    greet: Callable[[str], None],
) -> None:
    """Serve at a host and a port until Ctrl-C; `greet` is given the address.

    Raises InputError if the port can't be had, ImportError if Gradio can't be imported.
    """
    with suppress(KeyboardInterrupt):
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends like Ctrl-C
        with running(where, callers, voices, page) as (address, app):
            if page is not None:
                app.state.gradio.load()  # if it can't be, no address has been given
            greet(address)
            app.state.service.quick.warm_up()
            if page is not None and page.share:
                greet(shared(address))
            threading.Event().wait()


@contextmanager
def running(
    where: tuple[str, int | None],
    callers: Callers,
    voices: Mapping[str, PromptVoice],
    page: PageOptions | None,
) -> Iterator[tuple[str, FastAPI]]:
    """Serve while the context lasts, and yield the address and the application.

    Raises InputError if the port can't be had.
    """
    # Visitors' words are not for this machine's user.
    environment = {"A3T_CACHE": ""} if page is not None and not callers.local_only else {}
    start = partial(WorkerProcess, environment=environment)
    background = partial(start, niceness=10)  # gives way to everything else here
    with run_folder() as folder:
        # Uploads and results go into a folder of this run's own, deleted when it ends.
        os.environ["GRADIO_TEMP_DIR"] = str(folder)
        service = Service(folder, start, background)
        app = application(service, callers, page, voices)
        try:
            with served(app, *where) as address:
                try:
                    yield address, app.inner
                finally:  # while the server can still tell those who wait
                    service.stop()
        except (OSError, OverflowError):  # no port has so high a number
            raise InputError(
                "Port {1} on {0} can't be used: choose another with --port.".format(*where)
            ) from None
        finally:
            service.close()


def shared(address: str) -> str:
    """Return the address at which Gradio's servers pass a page on; InputError if they don't."""
    from gradio.networking import setup_tunnel

    where = urlsplit(address)
    try:
        token = secrets.token_urlsafe(32)
        return setup_tunnel(where.hostname or "", where.port or 80, token, None, None)
    except Exception as error:
        log.error("the page could not be shared", exc_info=error)
        raise InputError(
            "Gradio's servers don't share this page now: try again later, or open it to your own "
            "network."
        ) from None


@contextmanager
def run_folder() -> Iterator[Path]:
    """Yield a new folder for one run's files, having removed what killed runs left."""
    temporary = Path(tempfile.gettempdir()).resolve()
    recover()
    with staging(temporary) as folder:
        yield folder


@contextmanager
def served(app: Guard, host: str, port: int | None) -> Iterator[str]:
    """Serve the application while the context lasts, and yield its address; port: None for any.

    Raises OSError if the port can't be had.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port or 0), family=family) as listening:
        settings = uvicorn.Config(
            app,
            log_level="warning",
            server_header=False,
            timeout_graceful_shutdown=2,
            limit_concurrency=MAX_CONNECTIONS,
            http=HeadTimeoutProtocol,
        )
        server = uvicorn.Server(settings)
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        while not server.started:
            if not thread.is_alive():
                raise RuntimeError("the server could not start: see the log")
            time.sleep(0.01)
        try:
            shown = f"[{host}]" if ":" in host else host
            yield f"http://{shown}:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(5)
