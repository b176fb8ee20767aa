"""Speech from a prompt: a text in the voice of an uploaded recording, asked for and fetched."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends
from fastapi.responses import FileResponse, Response
from starlette.exceptions import HTTPException

from app import texts
from app.processes.progress import Watch
from app.processes.request_jobs import RequestJob
from app.studio.access import Opened, Sent, Visitor

router = APIRouter(prefix="/studio/speech", include_in_schema=False)


def get_job(name: str, studio: Opened, visitor: Visitor) -> RequestJob:
    """The visitor's request of that name."""
    job = studio.service.jobs.get(name)
    if job is None or job.owner != owner(visitor):
        raise HTTPException(404, texts.NOT_HERE)
    return job


Job = Annotated[RequestJob, Depends(get_job)]


def owner(visitor: str) -> str:
    return f"speech {visitor}"


@router.post("")
def begin(studio: Opened, visitor: Visitor, data: Sent) -> dict[str, Any]:
    upload, text, said = (str(data.get(name) or "") for name in ("upload", "text", "prompt_text"))
    seed, speed = data.get("seed", 0), data.get("speed", 1.0)
    service = studio.service

    def speak(watch: Watch) -> tuple[Path, Path, str]:
        return service.tts(watch, upload, text, said, seed, speed)

    return service.jobs.start("tts", speak, kept=True, owner=owner(visitor)).to_json()


@router.get("/{name}")
def state(job: Job) -> dict[str, Any]:
    used = job.outcome.result()[2] if job.status == "done" else None
    return job.to_json() | {"prompt_text": used}


@router.post("/{name}/cancel")
def cancel(job: Job) -> dict[str, Any]:
    job.watch.cancelled.set()
    return {}


@router.get("/{name}/{part}")
def made(job: Job, part: Literal["sound", "record"]) -> Response:
    if job.status != "done":
        raise HTTPException(404, texts.NOT_MADE_YET)
    path: Path = job.outcome.result()[("sound", "record").index(part)]
    return FileResponse(path, filename=path.name)
