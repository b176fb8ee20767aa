"""The interface for the page's script: projects, changes, sound, pictures and events.

Names in addresses are looked up, never joined to a path: a project is found among the visitor's
own, a take among the project's.
"""

from __future__ import annotations

import asyncio
import re
import zipfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

import anyio
from fastapi import APIRouter, Depends, FastAPI, Form, Header, Query, Request
from fastapi import Path as PathField
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.exceptions import HTTPException

from a3t.plan.cleaning import Cleaning
from a3t.plan.options import EditOptions
from a3t.projects.export.export_kinds import is_here
from a3t.projects.store.folder import LOUD, MIX, NO_PROJECT, SAID_FOLDER
from a3t.projects.store.pcm_sound import peaks_range
from a3t.user_folders import voice_names
from alignment.serialisation import to_json
from app import limits, texts
from app.guard import Visitors
from app.models import VOCODERS, aligners_here, models_here
from app.option_forms import shown_options
from app.studio.project import AUDIO, Project
from app.studio.sent import Sent
from app.studio.spectrograms import TILE, spectrogram_tile, take_spectrogram
from app.studio.studio import Studio, ThereAlreadyError

TAKE = re.compile(r"([0-9a-f]{16})-(\d{1,3})")
CHUNK_SECONDS = 5  # of sound in one answer
LOOK_S = 1.0  # seconds until it is noticed that a page has gone
HEARTBEAT = 15.0  # seconds after which an idle stream says that it is alive
EXPORTED_KINDS = {
    "audio": AUDIO,
    "film": (".mp4", ".m4v", ".mov", ".mkv", ".webm"),
    **{own: (own,) for own in (".srt", ".vtt", ".md", ".txt", ".docx")},
    **{own: (own,) for own in (".fcpxml", ".xml", ".otio", ".edl", ".rpp")},
}
CACHED = {"cache-control": "private, max-age=86400"}
WEB_TYPES = {".js": "text/javascript", ".css": "text/css"}


async def get_studio(request: Request) -> Studio:
    """Return the application's studio."""
    studio: Studio = request.app.state.studio
    return studio


async def get_visitor(request: Request, response: Response) -> str:
    """Return the visitor's folder; a visitor without a cookie gets one."""
    name: str = request.app.state.visitors.visitor(request, response)
    return name


Opened = Annotated[Studio, Depends(get_studio)]
Visitor = Annotated[str, Depends(get_visitor)]


def get_project(project: str, studio: Opened, visitor: Visitor) -> Project:
    """Return the visitor's project; HTTPException if there is none of that name."""
    found = studio.find(visitor, project)
    if found is None:
        raise HTTPException(404, studio.why_not(project))
    return found


async def get_sent(request: Request) -> Sent:
    """Return the fields of a request."""
    return Sent.read(await request.body())


ThisProject = Annotated[Project, Depends(get_project)]
Fields = Annotated[Sent, Depends(get_sent)]
Place = Annotated[int, PathField(ge=0, lt=10**12)]


Number = Annotated[int, Query(ge=0, lt=10**12)]
reading = APIRouter(prefix="/studio/projects/{project}", include_in_schema=False)


def get_take_path(take: str, project: ThisProject) -> Path:
    """Return the path of a take's sound, by its name."""
    named = TAKE.fullmatch(take)
    path = project.folder.take_folder(named[1], int(named[2])) / "sound.pcm" if named else None
    if path is None or not path.is_file():
        raise HTTPException(404, texts.NOT_HERE)
    return path


Take = Annotated[Path, Depends(get_take_path)]


def answer(told: object) -> Response:
    """Answer with what is told of a project, records among it, as JSON.

    A visitor who may be new is answered by `to_json` alone: a response of one's own has no cookie.
    """
    return JSONResponse(to_json(told))


def samples(data: bytes) -> Response:
    """Answer with bytes that the page decodes, and that never change."""
    return Response(data, media_type="application/octet-stream", headers=CACHED)


def picture(data: bytes) -> Response:
    """Answer with a PNG that never changes."""
    return Response(data, media_type="image/png", headers=CACHED)


@reading.get("")
def state(project: ThisProject) -> Response:
    """Tell the whole project."""
    return answer(project.state())


@reading.get("/script")
def script(project: ThisProject) -> Response:
    """Tell the project's changes."""
    return answer(project.script())


@reading.get("/download")
def download(project: ThisProject, part: str = "") -> Response:
    """Send the zip that was exported last, or a part of it."""
    name = project.exported
    path = project.folder.path / "export" / (name or "")
    if name is None or not path.is_file():
        raise HTTPException(404, texts.NOT_MADE_YET)
    if not part:
        return FileResponse(path, media_type="application/zip", filename=name)
    with zipfile.ZipFile(path) as archive:
        ends = EXPORTED_KINDS.get(part, ())
        kinds = (f"{MIX}{LOUD}", MIX, LOUD, "")
        wanted = [f"{path.stem}{kind}{end}" for kind in kinds for end in ends]
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
    """Yield a member of a zip, piece by piece."""
    with zipfile.ZipFile(path) as archive, archive.open(member) as file:
        while data := file.read(2**20):
            yield data


@reading.get("/film")
def film(project: ThisProject) -> Response:
    """Send the film as it came, or a range of its bytes; browsers find out what it is."""
    sound = project.folder.state.sound
    if sound is None or sound.film is None:
        raise HTTPException(404, texts.NOT_HERE)
    return FileResponse(project.folder.original, media_type="video/mp4", headers=CACHED)


@reading.get("/recordings")
def recordings(project: ThisProject) -> Response:
    """List the recordings beside the project's own."""
    return answer(project.further.shown())


@reading.get("/recordings/{file}")
def recording(file: str, project: ThisProject) -> Response:
    """Send a recording beside the project's own, as it came."""
    for each in project.folder.further:
        if each.file == file:
            path = project.folder.path / SAID_FOLDER / file
            return FileResponse(path, media_type="video/mp4", headers=CACHED)
    raise HTTPException(404, texts.NOT_HERE)


@reading.get("/sound/{chunk}")
def sound(chunk: Place, project: ThisProject) -> Response:
    """Send CHUNK_SECONDS of 16-bit samples, channels interleaved."""
    heard = project.folder.sound()
    size = CHUNK_SECONDS * heard.sample_rate
    first = min(chunk * size, heard.samples)
    with heard.path.open("rb") as file:
        file.seek(2 * heard.channels * first)
        return samples(file.read(2 * heard.channels * min(size, heard.samples - first)))


@reading.get("/peaks/{level}")
def peaks(level: Place, project: ThisProject, first: Number = 0, count: Number = 0) -> Response:
    """Send some of the peaks of a level."""
    path = project.folder.path / "peaks.bin"
    return samples(peaks_range(path, project.folder.sound(), level, first, count))


@reading.get("/peaks/{level}/{track}")
def peaks_of_track(
    level: Place, track: Place, project: ThisProject, first: Number = 0, count: Number = 0
) -> Response:
    """Peaks of one of the tracks of which the recording consists."""
    path = project.folder.path / f"peaks-{track}.bin"
    if not path.is_file():
        raise HTTPException(404, texts.NOT_HERE)
    return samples(peaks_range(path, project.folder.sound(), level, first, count))


@reading.get("/spectrogram/{level}/{tile}")
def spectrogram(level: Place, tile: Place, project: ThisProject) -> Response:
    """Send a tile of the recording's spectrogram."""
    heard = project.folder.sound()
    if not (level < 8 and tile * TILE < heard.samples):
        raise HTTPException(404, texts.NOT_HERE)
    return picture(spectrogram_tile(heard, level, tile))


@reading.get("/takes/{take}/sound")
def take_sound(path: Take) -> Response:
    """Send a take's samples."""
    return samples(path.read_bytes())


@reading.get("/takes/{take}/spectrogram")
def spectrogram_of_take(path: Take, project: ThisProject) -> Response:
    """Send a take's spectrogram."""
    heard = project.folder.sound()
    return picture(take_spectrogram(path, heard.sample_rate, heard.channels))


@reading.get("/events")
def events(
    request: Request,
    project: ThisProject,
    since: Number = 0,
    last_event_id: Annotated[str, Header()] = "",
) -> Response:
    """Send what has happened since ?since, or since the last event received, as it happens."""
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
                    yield f"id: {place}\ndata: {event}\n\n"
                if idle >= HEARTBEAT:
                    idle = 0.0
                    yield ": alive\n\n"
                with suppress(TimeoutError):
                    await asyncio.wait_for(news.wait(), LOOK_S)
                idle += LOOK_S

    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(stream(), media_type="text/event-stream", headers=headers)


WEB = Path(__file__).parent.parent / "web"
WEB_FILES = {
    path.relative_to(WEB).as_posix(): path.read_bytes()
    for path in WEB.rglob("*.*")
    if path.suffix in WEB_TYPES
}
EDITOR_PAGE, FIRST_PAGE = (
    (WEB / name).read_text(encoding="utf-8") for name in ("index.html", "first.html")
)


Change = Callable[[Project, Sent], object]
# What changes a project, or asks for more of it than is written down.
PROJECT_CHANGES: dict[str, Change] = {
    "script": lambda project, data: project.save(data),
    "rename": lambda project, data: project.rename(data.text("name")),
    "text": lambda project, data: project.listening.retext(data.text("text")),
    "names": lambda project, data: project.listening.know(data.text("text")),
    "takes": lambda project, data: project.takes.again(data.text("key"), data),
    "cleaning": lambda project, data: project.offered(data),
    "look": lambda project, data: project.listening.look(data),
    "pronounce": lambda project, data: project.takes.pronounce(data),
    "speakers": lambda project, data: project.words.speakers(data),
    "export": lambda project, data: project.export(data),
    "voice/learn": lambda project, data: project.voice.learn(data),
    "voice/stop": lambda project, data: project.voice.stop(),
    "voice/decline": lambda project, data: project.voice.decline(),
    "recordings/remove": lambda project, data: project.further.remove(data),
}
router = APIRouter(prefix="/studio", include_in_schema=False)


def add_studio(app: FastAPI, studio: Studio, visitors: Visitors) -> None:
    """Add the interface to the application."""
    app.state.studio, app.state.visitors = studio, visitors
    app.include_router(router)
    app.include_router(reading)

    @app.get("/editor", include_in_schema=False)
    async def page() -> Response:
        return HTMLResponse(EDITOR_PAGE, headers={"cache-control": "no-cache"})

    @app.post("/login", include_in_schema=False)
    def log_in(
        request: Request,
        response: Response,
        username: Annotated[str, Form()],
        password: Annotated[str, Form()],
    ) -> dict[str, str]:
        address = request.client.host if request.client else ""
        visitors.log_in(address, username, password, response)
        return {}

    @app.get("/studio/web/{name:path}", include_in_schema=False)
    async def web(name: str) -> Response:
        if name not in WEB_FILES:
            raise HTTPException(404, texts.NOT_HERE)
        kind = WEB_TYPES[Path(name).suffix]
        return Response(WEB_FILES[name], media_type=kind, headers={"cache-control": "no-cache"})

    @app.exception_handler(ThereAlreadyError)
    def there_already(request: Request, error: ThereAlreadyError) -> JSONResponse:
        return JSONResponse({"exists": error.told}, 409)


@router.get("/projects")
def recent(studio: Opened, visitor: Visitor) -> object:
    """List the visitor's projects."""
    return to_json(studio.projects.recent(visitor))


@router.post("/projects")
def create(studio: Opened, visitor: Visitor, data: Fields) -> dict[str, str]:
    """Make a project of an upload, or of the example."""
    if data.is_true("example"):
        project = studio.example(visitor)
    else:
        project = studio.create(visitor, data)
    return {"id": project.folder.id}


@router.get("/limits")
def most(visitor: Visitor) -> object:
    """Tell the page's limits, choices and options."""
    size = limits.MAX_MEGABYTES * 1_000_000
    choices = {
        "voice": ("", *voice_names()),
        "model": models_here(),
        "vocoder": VOCODERS,
        "aligner": aligners_here(),
        "kind": ("", *AUDIO),
    }
    told = {
        "bytes": size,
        "length": texts.length(limits.MAX_SECONDS),
        "choices": choices,
        "exports": [part for part in EXPORTED_KINDS if is_here(part.removeprefix("."))],
        "options": shown_options(EditOptions),
        "cleaning": shown_options(Cleaning),
    }
    return to_json(told)


@router.post("/uploads")
async def upload(
    request: Request, studio: Opened, visitor: Visitor, name: str = ""
) -> dict[str, str]:
    """Take the file that is the body, and tell the name that this visitor's requests use."""
    path = await anyio.to_thread.run_sync(studio.place_for_upload, name)
    async with await anyio.open_file(path, "wb") as file:
        async for block in request.stream():
            await file.write(block)
    return {"upload": studio.keep_upload(visitor, path, name)}


@router.get("/recogniser")
def recogniser(studio: Opened, visitor: Visitor) -> object:
    """Tell how far the recogniser is fetched."""
    return to_json(studio.recogniser.state())


@router.post("/recogniser")
def fetch(studio: Opened, visitor: Visitor) -> object:
    """Begin to fetch the recogniser."""
    return to_json(studio.recogniser.begin())


@router.post("/live")
def speak(studio: Opened, visitor: Visitor, data: Fields) -> dict[str, str]:
    """Begin a live session."""
    return {"id": studio.live.begin(visitor, data.get("rate"))}


@router.post("/live/{name}")
def spoken(name: str, studio: Opened, visitor: Visitor, data: Fields) -> object:
    """Tell the words after more samples of a live session."""
    words = studio.live.hear(visitor, name, data)
    if words is None:
        raise HTTPException(404, texts.NOT_HERE)
    return to_json(words)


@router.post("/text")
def read_text(studio: Opened, visitor: Visitor, data: Fields) -> dict[str, str]:
    """Tell the words of an uploaded transcript."""
    return {"text": studio.text_from(visitor, data)}


@router.post("/projects/{project}/delete")
def delete(project: str, studio: Opened, visitor: Visitor) -> dict[str, str]:
    """Put a project into the bin, or delete it from there."""
    return done(studio.delete(visitor, project))


@router.post("/projects/{project}/restore")
def restore(project: str, studio: Opened, visitor: Visitor) -> dict[str, str]:
    """Bring a project back from the bin."""
    return done(studio.restore(visitor, project))


def done(is_done: bool) -> dict[str, str]:
    """Answer that it is done; HTTPException if there was no such project."""
    if not is_done:
        raise HTTPException(404, NO_PROJECT)
    return {}


@router.post("/projects/{project}/said")
def said(project: ThisProject, studio: Opened, visitor: Visitor, data: Fields) -> dict[str, str]:
    """Make a take of an uploaded recording of a change's words."""
    project.open.once(data, lambda: studio.say(visitor, project, data))
    return {}


@router.post("/projects/{project}/recordings")
def further(project: ThisProject, studio: Opened, visitor: Visitor, data: Fields) -> dict[str, str]:
    """Add an uploaded recording beside the project's own."""
    project.open.once(data, lambda: studio.add(visitor, project, data))
    return {}


@router.get("/projects/{project}/file")
def packed(project: ThisProject, studio: Opened) -> Response:
    """Send the project as one file."""
    path = studio.packed(project)
    return FileResponse(path, media_type="application/zip", filename=path.name)


def changing(change: Change) -> Callable[..., Response]:
    """Return the endpoint of a change."""

    def changed(project: ThisProject, data: Fields) -> Response:
        return answer(project.open.once(data, lambda: change(project, data)) or {})

    return changed


for each in PROJECT_CHANGES:
    router.post(f"/projects/{{project}}/{each}")(changing(PROJECT_CHANGES[each]))
