"""A project for reading: its state, sound and pictures, what can be taken home, and its events."""

from __future__ import annotations

import asyncio
import json
import zipfile
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Depends, Header, Query, Request
from fastapi.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.exceptions import HTTPException

from app import texts
from app.studio.access import Place, ThisProject
from app.studio.project import AUDIO
from app.studio.storage import tiles
from app.studio.storage.folders import LOUD, TAKE

CHUNK_SECONDS = 5  # of sound in one answer
LEAVING = 1.0  # seconds until it is noticed that a page has gone
HEARTBEAT = 15.0  # seconds after which an idle stream says that it is alive
PARTS = {
    "audio": AUDIO,
    "film": (".mp4", ".m4v", ".mov", ".mkv", ".webm"),
    **{own: (own,) for own in (".srt", ".vtt", ".md")},
}
CACHED = {"cache-control": "private, max-age=86400"}
Number = Annotated[int, Query(ge=0, lt=10**12)]
router = APIRouter(prefix="/studio/projects/{project}", include_in_schema=False)


def get_take_path(take: str, project: ThisProject) -> Path:
    """A take's sound, by its name."""
    named = TAKE.fullmatch(take)
    path = project.folder.take_folder(named[1], int(named[2])) / "sound.pcm" if named else None
    if path is None or not path.is_file():
        raise HTTPException(404, texts.NOT_HERE)
    return path


Take = Annotated[Path, Depends(get_take_path)]


def samples(data: bytes) -> Response:
    return Response(data, media_type="application/octet-stream", headers=CACHED)


def picture(data: bytes) -> Response:
    return Response(data, media_type="image/png", headers=CACHED)


@router.get("")
def state(project: ThisProject) -> Response:
    return JSONResponse(project.state())


@router.get("/script")
def script(project: ThisProject) -> Response:
    return JSONResponse(project.script())


@router.get("/download")
def download(project: ThisProject, part: str = "") -> Response:
    name = project.exported
    path = project.folder.path / "export" / (name or "")
    if name is None or not path.is_file():
        raise HTTPException(404, texts.NOT_MADE_YET)
    if not part:
        return FileResponse(path, media_type="application/zip", filename=name)
    with zipfile.ZipFile(path) as archive:
        ends = PARTS.get(part, ())
        wanted = [f"{path.stem}{loud}{end}" for loud in (LOUD, "") for end in ends]
        members = {each.filename: each for each in archive.infolist()}
        found = [members[name] for name in wanted if name in members]
    if not found:
        raise HTTPException(404, texts.NOT_HERE)
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


@router.get("/film")
def film(project: ThisProject) -> Response:
    """The film as it came, or a range of its bytes; browsers look at what it is by themselves."""
    if project.folder.about.get("film") is None:
        raise HTTPException(404, texts.NOT_HERE)
    return FileResponse(project.folder.original, media_type="video/mp4", headers=CACHED)


@router.get("/sound/{chunk}")
def sound(chunk: Place, project: ThisProject) -> Response:
    """CHUNK_SECONDS of 16-bit samples, channels interleaved."""
    heard = project.open.sound()
    size = CHUNK_SECONDS * heard.sample_rate
    first = min(chunk * size, heard.samples)
    with heard.path.open("rb") as file:
        file.seek(2 * heard.channels * first)
        return samples(file.read(2 * heard.channels * min(size, heard.samples - first)))


@router.get("/peaks/{level}")
def peaks(level: Place, project: ThisProject, first: Number = 0, count: Number = 0) -> Response:
    path = project.folder.path / "peaks.bin"
    return samples(tiles.peaks_range(path, project.open.sound(), level, first, count))


@router.get("/spectrogram/{level}/{tile}")
def spectrogram(level: Place, tile: Place, project: ThisProject) -> Response:
    heard = project.open.sound()
    if not (level < 8 and tile * tiles.TILE < heard.samples):
        raise HTTPException(404, texts.NOT_HERE)
    return picture(tiles.spectrogram_tile(heard, level, tile))


@router.get("/takes/{take}/sound")
def take_sound(path: Take) -> Response:
    return samples(path.read_bytes())


@router.get("/takes/{take}/spectrogram")
def take_spectrogram(path: Take, project: ThisProject) -> Response:
    heard = project.open.sound()
    return picture(tiles.take_spectrogram(path, heard.sample_rate, heard.channels))


@router.get("/events")
def events(
    request: Request,
    project: ThisProject,
    since: Number = 0,
    last_event_id: Annotated[str, Header()] = "",
) -> Response:
    """Server-sent events: what has happened since ?since, or since the last that was received."""
    last = int(last_event_id) if last_event_id.isdecimal() and len(last_event_id) < 13 else since

    async def stream() -> AsyncIterator[str]:
        place, idle = last, 0.0
        loop, news = asyncio.get_running_loop(), asyncio.Event()
        yield "retry: 500\n\n"
        with project.events.shown(lambda: loop.call_soon_threadsafe(news.set)):
            while not await request.is_disconnected():
                news.clear()
                for number, event in project.events.since(place):
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
