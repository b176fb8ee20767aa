"""The job interface: what the page's script asks of the server, beside Gradio's own routes.

Names in addresses are looked up, never joined to a path: a project is found among the visitor's
own, a take among the project's.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.convertors import IntegerConvertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from a3t.errors import InputError
from alignment import AlignmentError
from app import limits, texts
from app.studio import tiles
from app.studio.desk import Desk
from app.studio.folders import TAKE
from app.studio.owners import Owners, remember
from app.studio.studio import Studio, ThereAlreadyError

WEB = Path(__file__).parent.parent / "web"
KINDS = {".js": "text/javascript", ".css": "text/css", ".html": "text/html"}
CHUNK_SECONDS = 5  # of sound in one answer
LISTEN = 0.05  # seconds between looks at a project's events
HEARTBEAT = 15.0  # seconds after which an idle stream says that it is alive
CACHED = {"cache-control": "private, max-age=86400"}

Handler = Callable[[Request, Desk], Response]


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
            return refused(texts.NO_PROJECT, 404) if desk is None else handle(request, desk)

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

    def read_text(request: Request, visitor: str) -> Response:
        return JSONResponse({"text": studio.text_from(str(request.state.data.get("upload")))})

    def delete(request: Request, desk: Desk) -> Response:
        studio.delete(desk)
        return JSONResponse({})

    def packed(request: Request, desk: Desk) -> Response:
        path = studio.packed(desk)
        return FileResponse(path, media_type="application/zip", filename=path.name)

    one = f"{at}/projects/{{project}}"
    return [
        Route(f"{at}/web/{{name}}", web),
        Route(f"{at}/projects", guarded(recent)),
        Route(f"{at}/projects", guarded(create), methods=["POST"]),
        Route(f"{at}/limits", guarded(most)),
        Route(f"{at}/text", guarded(read_text), methods=["POST"]),
        Route(one, of_project(lambda request, desk: JSONResponse(desk.state()))),
        Route(f"{one}/delete", of_project(delete), methods=["POST"]),
        Route(f"{one}/script", of_project(lambda request, desk: JSONResponse(desk.script()))),
        Route(f"{one}/script", of_project(save), methods=["POST"]),
        Route(f"{one}/takes", of_project(again), methods=["POST"]),
        Route(f"{one}/cleaning", of_project(cleaning), methods=["POST"]),
        Route(f"{one}/look", of_project(look), methods=["POST"]),
        Route(f"{one}/pronounce", of_project(pronounce), methods=["POST"]),
        Route(f"{one}/marks", of_project(mark), methods=["POST"]),
        Route(f"{one}/times", of_project(move), methods=["POST"]),
        Route(f"{one}/export", of_project(export), methods=["POST"]),
        Route(f"{one}/file", of_project(packed)),
        Route(f"{one}/download", of_project(download)),
        Route(f"{one}/events", of_project(events)),
        Route(f"{one}/sound/{{chunk:place}}", of_project(sound)),
        Route(f"{one}/peaks/{{level:place}}", of_project(peaks)),
        Route(f"{one}/spectrogram/{{level:place}}/{{tile:place}}", of_project(spectrogram)),
        Route(f"{one}/takes/{{take}}/sound", of_project(take_sound)),
        Route(f"{one}/takes/{{take}}/spectrogram", of_project(take_spectrogram)),
    ]


def refused(sentence: str, status: int) -> Response:
    return JSONResponse({"sentence": " ".join(sentence.split())}, status)


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


# ---- what changes a project ---------------------------------------------------------------------


def save(request: Request, desk: Desk) -> Response:
    data = request.state.data
    return JSONResponse(desk.save(data, data.get("settings")))


def again(request: Request, desk: Desk) -> Response:
    desk.again(str(request.state.data.get("key")), request.state.data)
    return JSONResponse({})


def cleaning(request: Request, desk: Desk) -> Response:
    return JSONResponse({"found": desk.offered(request.state.data)})


def pronounce(request: Request, desk: Desk) -> Response:
    desk.pronounce(request.state.data)
    return JSONResponse({})


def look(request: Request, desk: Desk) -> Response:
    desk.look(request.state.data)
    return JSONResponse({})


def mark(request: Request, desk: Desk) -> Response:
    desk.mark(request.state.data)
    return JSONResponse({})


def move(request: Request, desk: Desk) -> Response:
    return JSONResponse(desk.move(request.state.data))


def export(request: Request, desk: Desk) -> Response:
    desk.export(str(request.state.data.get("kind") or ""))
    return JSONResponse({})


# ---- what is read of it -------------------------------------------------------------------------


def download(request: Request, desk: Desk) -> Response:
    name = desk.exported
    path = desk.folder.path / "export" / (name or "")
    if name is None or not path.is_file():
        return refused(texts.NOT_MADE_YET, 404)
    return FileResponse(path, media_type="application/zip", filename=name)


def sound(request: Request, desk: Desk) -> Response:
    """CHUNK_SECONDS of 16-bit samples, channels interleaved."""
    heard = desk.sound()
    chunk = int(request.path_params["chunk"])
    size = CHUNK_SECONDS * heard.sample_rate
    first = min(chunk * size, heard.samples)
    count = min(size, heard.samples - first)
    with heard.path.open("rb") as file:
        file.seek(2 * heard.channels * first)
        data = file.read(2 * heard.channels * count)
    return Response(data, media_type="application/octet-stream", headers=CACHED)


def peaks(request: Request, desk: Desk) -> Response:
    heard, path = desk.sound(), desk.folder.path / "peaks.bin"
    first, count = (query_number(request, name) for name in ("first", "count"))
    data = tiles.peaks_range(path, heard, int(request.path_params["level"]), first, count)
    return Response(data, media_type="application/octet-stream", headers=CACHED)


def spectrogram(request: Request, desk: Desk) -> Response:
    level, tile = (int(request.path_params[name]) for name in ("level", "tile"))
    heard = desk.sound()
    if not (0 <= level < 8 and 0 <= tile * tiles.TILE < heard.samples):
        return refused(texts.NOT_HERE, 404)
    return Response(
        tiles.spectrogram_tile(heard, level, tile), media_type="image/png", headers=CACHED
    )


def take_path(request: Request, desk: Desk) -> Path | None:
    named = TAKE.fullmatch(str(request.path_params["take"]))
    if named is None:
        return None
    path = desk.folder.take_folder(named[1], int(named[2])) / "sound.pcm"
    return path if path.is_file() else None


def take_sound(request: Request, desk: Desk) -> Response:
    path = take_path(request, desk)
    if path is None:
        return refused(texts.NOT_HERE, 404)
    return Response(path.read_bytes(), media_type="application/octet-stream", headers=CACHED)


def take_spectrogram(request: Request, desk: Desk) -> Response:
    path, heard = take_path(request, desk), desk.sound()
    if path is None:
        return refused(texts.NOT_HERE, 404)
    picture = tiles.take_spectrogram(path, heard.sample_rate, heard.channels)
    return Response(picture, media_type="image/png", headers=CACHED)


def query_number(request: Request, name: str) -> int:
    value = request.query_params.get(name, "0")
    return int(value) if re.fullmatch(r"\d{1,12}", value) else 0


def events(request: Request, desk: Desk) -> Response:
    """Server-sent events: what has happened since ?since, or since the last that was received."""
    last = request.headers.get("last-event-id", "")
    since = int(last) if re.fullmatch(r"\d{1,12}", last) else query_number(request, "since")

    async def stream() -> AsyncIterator[str]:
        place, idle = since, 0.0
        yield "retry: 500\n\n"
        with desk.shown():
            await run_in_threadpool(desk.learn)
            while not await request.is_disconnected():
                found = desk.since(place)
                for place, event in found:
                    yield f"id: {place}\ndata: {json.dumps(event)}\n\n"
                idle = 0.0 if found else idle + LISTEN
                if idle >= HEARTBEAT:
                    idle = 0.0
                    yield ": alive\n\n"
                await asyncio.sleep(LISTEN)

    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(stream(), media_type="text/event-stream", headers=headers)
