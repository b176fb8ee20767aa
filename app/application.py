"""The one application and its server: /v1 for programs, and the page, which `a3t serve` leaves out.

Both have one guard, one service with one queue of jobs, and one form of errors.
"""

from __future__ import annotations

import os
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import uvicorn
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from a3t import __version__
from a3t.errors import InputError
from alignment.atomic import remove_abandoned, staging
from app import PageOptions, texts
from app.guard import Callers, Guard, error_body
from app.processes.request_jobs import BusyError, CancelledError
from app.processes.worker import WorkerProcess
from app.server.endpoints import router
from app.server.voice_folder import PromptVoice, voices_in
from app.service import Service


def application(
    service: Service,
    callers: Callers,
    page: PageOptions | None = None,
    voices: Mapping[str, PromptVoice] | None = None,
) -> Guard:
    """The application behind its guard. ModuleNotFoundError for a page without gradio."""
    app = FastAPI(title="a3t", version=__version__, docs_url=None, redoc_url=None)
    app.state.service = service
    app.state.voices = voices_in(None) if voices is None else voices
    answer_errors(app)
    app.include_router(router)
    if page is not None:
        os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"  # read when gradio is imported
        from app.gradio_page import add_page

        add_page(app, service, page, callers.local_only)
    return Guard(app, service.folder, callers)


def answer_errors(app: FastAPI) -> None:
    """Errors of the application's own routes are answered with one sentence."""

    def sentence(status: int, text: str, kind: str = "invalid_request_error") -> JSONResponse:
        return JSONResponse(error_body(" ".join(text.split()), kind), status)

    @app.exception_handler(InputError)
    def refused(request: Request, error: InputError) -> JSONResponse:
        return sentence(400, str(error))

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
    InputError if the port can't be had."""
    background = partial(WorkerProcess, niceness=10)  # gives way to everything else here
    with suppress(KeyboardInterrupt), run_folder() as folder:
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends like Ctrl-C
        # Uploads and results go into a folder of this run's own, deleted when it ends.
        os.environ["GRADIO_TEMP_DIR"] = str(folder)
        if page is not None and not callers.local_only:
            os.environ["A3T_CACHE"] = ""  # visitors' words are not for this machine's user
        service = Service(folder, WorkerProcess, background)
        app = application(service, callers, page, voices)
        try:
            with served(app, *where) as address:
                try:
                    greet(address)
                    service.quick.warm_up()
                    threading.Event().wait()
                finally:  # while the server can still tell those who wait
                    service.stop()
        except OSError:
            raise InputError(
                "Port {1} on {0} can't be used: choose another with --port.".format(*where)
            ) from None
        finally:
            service.close()


@contextmanager
def run_folder() -> Iterator[Path]:
    """A new folder for the files of one run; those that killed runs left are removed first."""
    temporary = Path(tempfile.gettempdir()).resolve()
    remove_abandoned(temporary)
    with staging(temporary) as folder:
        yield folder


@contextmanager
def served(app: Guard, host: str, port: int | None) -> Iterator[str]:
    """The application on `host` at `port` (None: a free one) while the context lasts; its address.

    Raises OSError if the port can't be had.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port or 0), family=family) as listening:
        settings = uvicorn.Config(
            app, log_level="warning", server_header=False, timeout_graceful_shutdown=2
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
