"""The server's endpoints: speech as OpenAI's clients ask for it, edits, alignments, jobs."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import anyio
from fastapi import FastAPI, File, Form, Request, UploadFile
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, Response
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from a3t import __version__
from a3t.errors import InputError
from a3t.grid import SAMPLE_RATE
from a3t.plan.request import EditRequest, SpeechRequest
from app import limits, texts
from app.learnt_voice import Order
from app.page_request import USUAL, Models, texts_of
from app.progress import Watch
from app.server.door import error_body
from app.server.encoded_speech import MEDIA_TYPES, encoded
from app.server.request_jobs import BusyError, RequestJob, RequestJobs
from app.server.voice_folder import PromptVoice
from app.service import Service

ADAPT = (
    "when the voice is first learnt from its recording, once: auto, always, never or in so many "
    "seconds"
)
POLL = 0.05  # seconds between looks at a job, and at whether its client is still there


class SpeechBody(BaseModel):
    """The body of /v1/audio/speech; what else OpenAI's clients send has no effect."""

    input: str = Field(min_length=1, max_length=limits.MAX_CHARACTERS)
    model: str = "small"
    voice: str = ""
    response_format: Literal["mp3", "opus", "aac", "flac", "wav", "pcm"] = "mp3"
    speed: float = Field(1.0, ge=0.25, le=4.0)
    adapt: float | str = Field("auto", description=f"{ADAPT} (no field of OpenAI's)")


def server_app(service: Service, voices: Mapping[str, PromptVoice]) -> FastAPI:
    """The application; `app.server.door.Door` has to stand before it."""
    app = FastAPI(title="a3t", version=__version__, docs_url=None, redoc_url=None)
    jobs = RequestJobs()
    _answer_errors(app)
    _add_speech(app, service, voices, jobs)
    _add_work(app, service, jobs)
    _add_jobs(app, jobs)
    return app


def _answer_errors(app: FastAPI) -> None:
    def sentence(status: int, text: str, kind: str = "invalid_request_error") -> JSONResponse:
        return JSONResponse(error_body(text, kind), status)

    @app.exception_handler(InputError)
    def refused(request: Request, error: InputError) -> JSONResponse:
        return sentence(400, str(error))

    @app.exception_handler(BusyError)
    def busy(request: Request, error: BusyError) -> JSONResponse:
        return sentence(429, "Too many requests are waiting: try again later.", "rate_limit_error")

    @app.exception_handler(RequestValidationError)
    def wrong(request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"][1:]) or "the request"
        return sentence(400, f"{place}: {first['msg']}.")

    @app.exception_handler(HTTPException)
    def other(request: Request, error: HTTPException) -> JSONResponse:
        return sentence(error.status_code, f"{error.detail}.")

    @app.exception_handler(Exception)
    def failed(request: Request, error: Exception) -> JSONResponse:
        return sentence(500, texts.FAILED, "server_error")


def _add_speech(
    app: FastAPI, service: Service, voices: Mapping[str, PromptVoice], jobs: RequestJobs
) -> None:
    @app.get("/v1/models")
    def models() -> dict[str, Any]:
        """The models, in OpenAI's form."""
        entry = {"id": USUAL.model, "object": "model", "created": 0, "owned_by": "a3t"}
        return {"object": "list", "data": [entry]}

    @app.get("/v1/voices")
    def named() -> dict[str, Any]:
        """The voices that can be spoken in."""
        return {"voices": sorted(voices)}

    @app.post("/v1/audio/speech", response_class=Response)
    async def speech(body: SpeechBody, request: Request) -> Response:
        """The input, spoken; as OpenAI's endpoint of this name."""
        voice = voices.get(body.voice or next(iter(voices)))
        if voice is None:
            raise InputError(
                f"“{body.voice[:40]}” is no voice here: use one of {', '.join(sorted(voices))}."
            )

        wanted = SpeechRequest(
            text=body.input,
            prompt_text=voice.text,
            speed=body.speed,
            # One that `a3t voice make` has learnt is spoken in as it is.
            adapt="never" if voice.learnt else body.adapt,
        )
        order = Order(voice.prompt, wanted, Models(voice=voice.name if voice.learnt else ""))

        def speak(watch: Watch) -> bytes:
            made = service.make(order, watch, service.quick)
            return encoded(made.samples, SAMPLE_RATE, body.response_format)

        job = await _finished(jobs.start("speech", speak), request)
        return Response(job.result, media_type=MEDIA_TYPES[body.response_format])


def _add_work(app: FastAPI, service: Service, jobs: RequestJobs) -> None:
    @app.post("/v1/alignments")
    async def align(
        request: Request,
        file: Annotated[UploadFile, File(description="the recording")],
        text: Annotated[str, Form(description="what it says; recognised if empty")] = "",
    ) -> Response:
        """Words and phones with their times in seconds and their confidence, 0 to 1."""
        said = limits.check_text(text, texts.THE_TRANSCRIPT)
        upload = await anyio.to_thread.run_sync(_kept, service, file)
        job = jobs.start("alignment", lambda watch: service.align(upload, said, watch).to_json())
        return JSONResponse((await _finished(job, request)).result)

    @app.post("/v1/edits", responses={202: {"description": "the job, which goes on"}})
    async def edit(
        request: Request,
        file: Annotated[UploadFile, File(description="the recording")],
        new_text: Annotated[str, Form(description="what it should say")],
        text: Annotated[str, Form(description="what it says; recognised if empty")] = "",
        speed: Annotated[float, Form()] = 1.0,
        fit: Annotated[bool, Form(description="keep each replaced word's time")] = False,
        seed: Annotated[int, Form()] = 0,
        adapt: Annotated[str, Form(description=ADAPT)] = "never",
        response_format: Annotated[Literal["", "wav", "flac"], Form()] = "",
        reply: Annotated[Literal["job", "recording"], Form()] = "job",
    ) -> Response:
        """A job that edits the recording, or with reply=recording the edited recording itself."""
        old, new = texts_of(text, new_text)
        wanted = EditRequest(new_text=new, text=old, speed=speed, fit=fit, seed=seed, adapt=adapt)
        suffix = f".{response_format}" if response_format else ""
        upload = await anyio.to_thread.run_sync(_kept, service, file)
        job = jobs.start("edit", lambda watch: service.edit(upload, wanted, watch, suffix))
        if reply == "job":
            return JSONResponse(job.to_json(), 202)
        out, _, _ = (await _finished(job, request)).result
        return FileResponse(out, filename=out.name)


def _add_jobs(app: FastAPI, jobs: RequestJobs) -> None:
    def found(name: str) -> RequestJob:
        job = jobs.get(name)
        if job is None:
            raise HTTPException(404, "There is no such job, or it was forgotten an hour after it")
        return job

    def result(name: str) -> Any:
        job = found(name)
        if not job.done.is_set():
            raise HTTPException(409, "The job is not done yet")
        _raise_if_failed(job)
        return job.result

    @app.get("/v1/jobs/{name}")
    def state(name: str) -> dict[str, Any]:
        """A job's status ("running", "done", "failed", "cancelled"), step and progress, 0 to 1."""
        return found(name).to_json()

    @app.get("/v1/jobs/{name}/recording", response_class=FileResponse)
    def recording(name: str) -> Response:
        """The edited recording."""
        out: Path = result(name)[0]
        return FileResponse(out, filename=out.name)

    @app.get("/v1/jobs/{name}/edit.json")
    def record(name: str) -> Any:
        """What was changed, in samples."""
        return json.loads(result(name)[1].read_text(encoding="utf-8"))

    @app.delete("/v1/jobs/{name}")
    def cancel(name: str) -> dict[str, Any]:
        """End a job."""
        job = found(name)
        job.cancelled.set()
        return job.to_json()


async def _finished(job: RequestJob, request: Request) -> RequestJob:
    """The job when it is done; it is ended if its client goes away."""
    while not job.done.is_set():
        if await request.is_disconnected():
            job.cancelled.set()
            break
        await anyio.sleep(POLL)
    _raise_if_failed(job)
    return job


def _raise_if_failed(job: RequestJob) -> None:
    if job.status == "failed" and job.at_fault:
        raise InputError(job.error)
    if job.status == "failed":
        raise HTTPException(500, job.error.rstrip("."))
    if job.status == "cancelled" or not job.done.is_set():
        raise HTTPException(409, "The job was cancelled")


def _kept(service: Service, file: UploadFile) -> str:
    """The upload in a folder of its own, under a name made here."""
    name = limits.safe_stem(file.filename or "")
    ending = Path(file.filename or "").suffix
    ending = ending.lower() if ending[1:].isalnum() and len(ending) <= 6 else ""
    path = service.request_folder() / f"{name}{ending}"
    with path.open("wb") as copy:
        shutil.copyfileobj(file.file, copy)
    return str(path)
