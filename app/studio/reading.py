"""A project for reading: its sound and pictures, what can be taken home, and its events."""

from __future__ import annotations

import asyncio
import json
import re
import zipfile
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse

from app import texts
from app.studio.project_controller import ProjectController
from app.studio.storage import tiles
from app.studio.storage.folders import TAKE

CHUNK_SECONDS = 5  # of sound in one answer
LEAVING = 1.0  # seconds until it is noticed that a page has gone
HEARTBEAT = 15.0  # seconds after which an idle stream says that it is alive
PARTS = {
    "audio": (".wav", ".flac"),
    "film": (".mp4", ".m4v", ".mov", ".mkv", ".webm"),
    **{own: (own,) for own in (".srt", ".vtt", ".md")},
}
CACHED = {"cache-control": "private, max-age=86400"}


def refused(sentence: str, status: int) -> Response:
    return JSONResponse({"sentence": " ".join(sentence.split())}, status)


def download(request: Request, desk: ProjectController) -> Response:
    name = desk.exported
    path = desk.folder.path / "export" / (name or "")
    if name is None or not path.is_file():
        return refused(texts.NOT_MADE_YET, 404)
    part = request.query_params.get("part", "")
    if not part:
        return FileResponse(path, media_type="application/zip", filename=name)
    with zipfile.ZipFile(path) as archive:
        wanted = [f"{path.stem}{end}" for end in PARTS.get(part, ())]
        found = [each for each in archive.infolist() if each.filename in wanted]
    if not found:
        return refused(texts.NOT_HERE, 404)
    headers = {
        "content-disposition": f"attachment; filename*=utf-8''{quote(found[0].filename)}",
        "content-length": str(found[0].file_size),
    }
    kind = "application/octet-stream"
    return StreamingResponse(unzipped(path, found[0]), media_type=kind, headers=headers)


def unzipped(path: Path, member: zipfile.ZipInfo) -> Iterator[bytes]:
    with zipfile.ZipFile(path) as archive, archive.open(member) as file:
        while data := file.read(2**20):
            yield data


def film(request: Request, desk: ProjectController) -> Response:
    """The film as it came, or a range of its bytes; browsers look at what it is by themselves."""
    if desk.about.get("film") is None:
        return refused(texts.NOT_HERE, 404)
    return FileResponse(desk.folder.original, media_type="video/mp4", headers=CACHED)


def sound(request: Request, desk: ProjectController) -> Response:
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


def peaks(request: Request, desk: ProjectController) -> Response:
    heard, path = desk.sound(), desk.folder.path / "peaks.bin"
    first, count = (query_number(request, name) for name in ("first", "count"))
    data = tiles.peaks_range(path, heard, int(request.path_params["level"]), first, count)
    return Response(data, media_type="application/octet-stream", headers=CACHED)


def spectrogram(request: Request, desk: ProjectController) -> Response:
    level, tile = (int(request.path_params[name]) for name in ("level", "tile"))
    heard = desk.sound()
    if not (0 <= level < 8 and 0 <= tile * tiles.TILE < heard.samples):
        return refused(texts.NOT_HERE, 404)
    return Response(
        tiles.spectrogram_tile(heard, level, tile), media_type="image/png", headers=CACHED
    )


def take_path(request: Request, desk: ProjectController) -> Path | None:
    named = TAKE.fullmatch(str(request.path_params["take"]))
    if named is None:
        return None
    path = desk.folder.take_folder(named[1], int(named[2])) / "sound.pcm"
    return path if path.is_file() else None


def take_sound(request: Request, desk: ProjectController) -> Response:
    path = take_path(request, desk)
    if path is None:
        return refused(texts.NOT_HERE, 404)
    return Response(path.read_bytes(), media_type="application/octet-stream", headers=CACHED)


def take_spectrogram(request: Request, desk: ProjectController) -> Response:
    path, heard = take_path(request, desk), desk.sound()
    if path is None:
        return refused(texts.NOT_HERE, 404)
    picture = tiles.take_spectrogram(path, heard.sample_rate, heard.channels)
    return Response(picture, media_type="image/png", headers=CACHED)


def query_number(request: Request, name: str) -> int:
    value = request.query_params.get(name, "0")
    return int(value) if re.fullmatch(r"\d{1,12}", value) else 0


def events(request: Request, desk: ProjectController) -> Response:
    """Server-sent events: what has happened since ?since, or since the last that was received."""
    last = request.headers.get("last-event-id", "")
    since = int(last) if re.fullmatch(r"\d{1,12}", last) else query_number(request, "since")

    async def stream() -> AsyncIterator[str]:
        place, idle = since, 0.0
        loop, news = asyncio.get_running_loop(), asyncio.Event()
        yield "retry: 500\n\n"
        with desk.shown(lambda: loop.call_soon_threadsafe(news.set)):
            await run_in_threadpool(desk.learn)
            while not await request.is_disconnected():
                news.clear()
                for number, event in desk.since(place):
                    place, idle = number, 0.0
                    yield f"id: {place}\ndata: {json.dumps(event)}\n\n"
                if idle >= HEARTBEAT:
                    idle = 0.0
                    yield ": alive\n\n"
                with suppress(TimeoutError):
                    await asyncio.wait_for(news.wait(), LEAVING)
                idle += LEAVING

    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(stream(), media_type="text/event-stream", headers=headers)
