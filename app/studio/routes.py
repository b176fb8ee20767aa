"""The job interface: what the page's script asks of the server, beside Gradio's own routes.

Names in addresses are looked up, never joined to a path: a project is found among the visitor's
own, a take among the project's.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.convertors import IntegerConvertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from a3t.errors import InputError
from alignment import AlignmentError
from app import limits, texts
from app.studio import reading
from app.studio.owners import Owners, remember
from app.studio.project_controller import ProjectController
from app.studio.reading import refused
from app.studio.studio import Studio, ThereAlreadyError

WEB = Path(__file__).parent.parent / "web"
KINDS = {".js": "text/javascript", ".css": "text/css", ".html": "text/html"}

Handler = Callable[[Request, ProjectController], Response]
Change = Callable[[ProjectController, dict[str, Any]], dict[str, Any] | None]
# What changes a project, or asks for more of it than is written down.
CHANGES: dict[str, Change] = {
    "script": lambda desk, data: desk.save(data, data.get("settings")),
    "takes": lambda desk, data: desk.again(str(data.get("key")), data),
    "cleaning": lambda desk, data: {"found": desk.offered(data)},
    "look": ProjectController.look,
    "pronounce": ProjectController.pronounce,
    "marks": ProjectController.mark,
    "times": ProjectController.move,
    "speakers": lambda desk, data: (
        desk.name_speakers(data) if "names" in data else desk.tell_speakers(data)
    ),
    "export": lambda desk, data: desk.export(str(data.get("kind") or ""), data.get("film") is True),
}


class PlaceConvertor(IntegerConvertor):
    """A number in an address, of few enough digits for Python to read."""

    regex = "[0-9]{1,12}"


register_url_convertor("place", PlaceConvertor())


def interface(studio: Studio, visitors: Owners, at: str = "/studio") -> list[Route]:
    """The routes below `at`, for the application that has Gradio's as well."""
    files = {path.name: path.read_bytes() for path in WEB.iterdir() if path.suffix in KINDS}

    async def web(request: Request) -> Response:
        name = str(request.path_params["name"])
        if name not in files:
            return refused(texts.NOT_HERE, 404)
        kind = KINDS[Path(name).suffix]
        return Response(files[name], media_type=kind, headers={"cache-control": "no-cache"})

    def guarded(handle: Callable[[Request, str], Response]) -> Callable[[Request], Awaitable[Any]]:
        async def answer(request: Request) -> Response:
            if not visitors.may_enter(request):
                return refused(texts.LOG_IN, 401)
            visitor, cookie = visitors.of(request)
            try:
                request.state.data = await body_of(request)
                response = await run_in_threadpool(handle, request, visitor)
            except (InputError, AlignmentError) as error:
                response = refused(str(error), 422)
            except ThereAlreadyError as error:
                response = JSONResponse({"exists": error.told}, 409)
            remember(response, cookie)
            return response

        return answer

    def of_project(handle: Handler) -> Callable[[Request], Awaitable[Any]]:
        def found(request: Request, visitor: str) -> Response:
            desk = studio.desk(visitor, str(request.path_params["project"]))
            if desk is None:
                return refused(studio.why_not(str(request.path_params["project"])), 404)
            return handle(request, desk)

        return guarded(found)

    def create(request: Request, visitor: str) -> Response:
        data = request.state.data
        if data.get("example") is True:
            desk = studio.example(visitor)
        else:
            desk = studio.create(visitor, data)
        return JSONResponse({"id": desk.folder.id})

    def recent(request: Request, visitor: str) -> Response:
        return JSONResponse(studio.projects.recent(visitor))

    def most(request: Request, visitor: str) -> Response:
        size = limits.MAX_MEGABYTES * 1_000_000
        return JSONResponse({"bytes": size, "length": texts.length(limits.MAX_SECONDS)})

    def recogniser(request: Request, visitor: str) -> Response:
        fetch = studio.recogniser
        return JSONResponse(fetch.begin() if request.method == "POST" else fetch.state())

    def speak(request: Request, visitor: str) -> Response:
        return JSONResponse({"id": studio.live.begin(visitor, request.state.data.get("rate"))})

    def spoken(request: Request, visitor: str) -> Response:
        name = str(request.path_params["name"])
        words = studio.live.hear(visitor, name, request.state.data)
        return refused(texts.NOT_HERE, 404) if words is None else JSONResponse(words)

    def read_text(request: Request, visitor: str) -> Response:
        return JSONResponse({"text": studio.text_from(str(request.state.data.get("upload")))})

    def binning(do: Callable[[str, str], bool]) -> Callable[[Request, str], Response]:
        def answer(request: Request, visitor: str) -> Response:
            done = do(visitor, str(request.path_params["project"]))
            return JSONResponse({}) if done else refused(texts.NO_PROJECT, 404)

        return answer

    def packed(request: Request, desk: ProjectController) -> Response:
        path = studio.packed(desk)
        return FileResponse(path, media_type="application/zip", filename=path.name)

    def changing(change: Change) -> Callable[[Request], Awaitable[Any]]:
        return of_project(
            lambda request, desk: JSONResponse(change(desk, request.state.data) or {})
        )

    one = f"{at}/projects/{{project}}"
    return [
        *(Route(f"{one}/{n}", changing(each), methods=["POST"]) for n, each in CHANGES.items()),
        Route(f"{at}/web/{{name}}", web),
        Route(f"{at}/projects", guarded(recent)),
        Route(f"{at}/projects", guarded(create), methods=["POST"]),
        Route(f"{at}/limits", guarded(most)),
        Route(f"{at}/recogniser", guarded(recogniser), methods=["GET", "POST"]),
        Route(f"{at}/live", guarded(speak), methods=["POST"]),
        Route(f"{at}/live/{{name}}", guarded(spoken), methods=["POST"]),
        Route(f"{at}/text", guarded(read_text), methods=["POST"]),
        Route(one, of_project(lambda request, desk: JSONResponse(desk.state()))),
        Route(f"{one}/delete", guarded(binning(studio.delete)), methods=["POST"]),
        Route(f"{one}/restore", guarded(binning(studio.restore)), methods=["POST"]),
        Route(f"{one}/script", of_project(lambda request, desk: JSONResponse(desk.script()))),
        Route(f"{one}/file", of_project(packed)),
        Route(f"{one}/download", of_project(reading.download)),
        Route(f"{one}/events", of_project(reading.events)),
        Route(f"{one}/film", of_project(reading.film)),
        Route(f"{one}/sound/{{chunk:place}}", of_project(reading.sound)),
        Route(f"{one}/peaks/{{level:place}}", of_project(reading.peaks)),
        Route(f"{one}/spectrogram/{{level:place}}/{{tile:place}}", of_project(reading.spectrogram)),
        Route(f"{one}/takes/{{take}}/sound", of_project(reading.take_sound)),
        Route(f"{one}/takes/{{take}}/spectrogram", of_project(reading.take_spectrogram)),
    ]


async def body_of(request: Request) -> dict[str, Any]:
    """A request's JSON object; an empty one for anything else. InputError for numbers that no
    float holds, and for halves of characters: what is written has to be read again."""
    if request.method != "POST":
        return {}
    try:
        data = json.loads(await request.body(), parse_int=_whole)
    except (ValueError, RecursionError):
        return {}
    try:
        json.dumps(data, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        raise InputError(texts.WRONG_FIELDS) from None
    return data if isinstance(data, dict) else {}


def _whole(digits: str) -> int | float:
    """A whole number; infinite with more digits than anything here has."""
    return int(digits) if len(digits) < 20 else float("inf")
