"""The interface for the page's script: a visitor's projects, changes to one, and speech."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.responses import FileResponse, JSONResponse, Response
from starlette.exceptions import HTTPException

from a3t.user_folders import voice_names
from app import limits, texts
from app.guarding.visitors import Visitors
from app.models import VOCODERS, aligners_here, models_here
from app.processes.progress import Watch
from app.processes.request_jobs import RequestJob
from app.studio import reading
from app.studio.access import Opened, Sent, ThisProject, Visitor
from app.studio.project import AUDIO, Project
from app.studio.studio import Studio, ThereAlreadyError

WEB = Path(__file__).parent.parent / "web"
KINDS = {".js": "text/javascript", ".css": "text/css"}
FILES = {
    path.relative_to(WEB).as_posix(): path.read_bytes()
    for path in WEB.rglob("*.*")
    if path.suffix in KINDS
}

Change = Callable[[Project, dict[str, Any]], dict[str, Any] | None]
# What changes a project, or asks for more of it than is written down.
CHANGES: dict[str, Change] = {
    "script": lambda project, data: project.save(data, data.get("settings")),
    "rename": lambda project, data: project.rename(data),
    "text": lambda project, data: project.listening.retext(data),
    "takes": lambda project, data: project.takes.again(str(data.get("key")), data),
    "cleaning": lambda project, data: {"found": project.offered(data)},
    "look": lambda project, data: project.listening.look(data),
    "pronounce": lambda project, data: project.takes.pronounce(data),
    "marks": lambda project, data: project.words.mark(data),
    "times": lambda project, data: project.words.move(data),
    "speakers": lambda project, data: project.words.speakers(data),
    "export": lambda project, data: project.export(data),
}
router = APIRouter(prefix="/studio", include_in_schema=False)


def add_studio(app: FastAPI, studio: Studio, visitors: Visitors) -> None:
    """Add the interface to the application."""
    app.state.studio, app.state.visitors = studio, visitors
    app.include_router(router)
    app.include_router(reading.router)

    @app.exception_handler(ThereAlreadyError)
    def there_already(request: Request, error: ThereAlreadyError) -> JSONResponse:
        return JSONResponse({"exists": error.told}, 409)


@router.get("/web/{name:path}")
async def web(name: str) -> Response:
    if name not in FILES:
        raise HTTPException(404, texts.NOT_HERE)
    kind = KINDS[Path(name).suffix]
    return Response(FILES[name], media_type=kind, headers={"cache-control": "no-cache"})


@router.get("/projects")
def recent(studio: Opened, visitor: Visitor) -> list[dict[str, Any]]:
    return studio.projects.recent(visitor)


@router.post("/projects")
def create(studio: Opened, visitor: Visitor, data: Sent) -> dict[str, str]:
    if data.get("example") is True:
        project = studio.example(visitor)
    else:
        project = studio.create(visitor, data)
    return {"id": project.folder.id}


@router.get("/limits")
def most(visitor: Visitor) -> dict[str, Any]:
    size = limits.MAX_MEGABYTES * 1_000_000
    choices = {
        "voice": ("", *voice_names()),
        "model": models_here(),
        "vocoder": VOCODERS,
        "aligner": aligners_here(),
        "kind": ("", *AUDIO),
    }
    return {"bytes": size, "length": texts.length(limits.MAX_SECONDS), "choices": choices}


@router.get("/recogniser")
def recogniser(studio: Opened, visitor: Visitor) -> dict[str, Any]:
    return studio.recogniser.state()


@router.post("/recogniser")
def fetch(studio: Opened, visitor: Visitor) -> dict[str, Any]:
    return studio.recogniser.begin()


@router.post("/live")
def speak(studio: Opened, visitor: Visitor, data: Sent) -> dict[str, str]:
    return {"id": studio.live.begin(visitor, data.get("rate"))}


@router.post("/live/{name}")
def spoken(name: str, studio: Opened, visitor: Visitor, data: Sent) -> dict[str, Any]:
    words = studio.live.hear(visitor, name, data)
    if words is None:
        raise HTTPException(404, texts.NOT_HERE)
    return words


def get_speech(name: str, studio: Opened, visitor: Visitor) -> RequestJob:
    """The visitor's request of that name for speech."""
    job = studio.service.jobs.get(name)
    if job is None or job.owner != visitor:
        raise HTTPException(404, texts.NOT_HERE)
    return job


Speech = Annotated[RequestJob, Depends(get_speech)]


@router.post("/speech")
def speak_text(studio: Opened, visitor: Visitor, data: Sent) -> dict[str, Any]:
    """Begin to speak a text in the voice of an uploaded recording, its prompt."""
    upload, text, said = (str(data.get(name) or "") for name in ("upload", "text", "prompt_text"))
    seed, speed = data.get("seed", 0), data.get("speed", 1.0)
    service = studio.service

    def work(watch: Watch) -> tuple[Path, Path, str]:
        return service.tts(watch, upload, text, said, seed, speed)

    return service.jobs.start("tts", work, kept=True, owner=visitor).to_json()


@router.get("/speech/{name}")
def speech(job: Speech) -> dict[str, Any]:
    used = job.outcome.result()[2] if job.status == "done" else None
    return job.to_json() | {"prompt_text": used}


@router.post("/speech/{name}/cancel")
def cancel(job: Speech) -> dict[str, Any]:
    job.watch.cancelled.set()
    return {}


@router.get("/speech/{name}/{part}")
def made(job: Speech, part: Literal["sound", "record"]) -> Response:
    if job.status != "done":
        raise HTTPException(404, texts.NOT_MADE_YET)
    path: Path = job.outcome.result()[("sound", "record").index(part)]
    return FileResponse(path, filename=path.name)


@router.post("/text")
def read_text(studio: Opened, visitor: Visitor, data: Sent) -> dict[str, str]:
    return {"text": studio.text_from(str(data.get("upload")))}


@router.post("/projects/{project}/delete")
def delete(project: str, studio: Opened, visitor: Visitor) -> dict[str, str]:
    return done(studio.delete(visitor, project))


@router.post("/projects/{project}/restore")
def restore(project: str, studio: Opened, visitor: Visitor) -> dict[str, str]:
    return done(studio.restore(visitor, project))


def done(is_done: bool) -> dict[str, str]:
    if not is_done:
        raise HTTPException(404, texts.NO_PROJECT)
    return {}


@router.get("/projects/{project}/file")
def packed(project: ThisProject, studio: Opened) -> Response:
    path = studio.packed(project)
    return FileResponse(path, media_type="application/zip", filename=path.name)


def changing(change: Change) -> Callable[..., Response]:
    def changed(project: ThisProject, data: Sent) -> Response:
        return JSONResponse(change(project, data) or {})

    return changed


for each in CHANGES:
    router.post(f"/projects/{{project}}/{each}")(changing(CHANGES[each]))
