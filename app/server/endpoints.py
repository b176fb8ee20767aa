"""The server's endpoints: speech as OpenAI's clients ask for it, edits, alignments, jobs."""

from __future__ import annotations

import json
import shutil
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import anyio
import numpy as np
from fastapi import Depends, FastAPI, File, Form, Request, UploadFile
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, Response, StreamingResponse
from fastapi.security import HTTPBearer
from starlette.exceptions import HTTPException

from a3t import __version__
from a3t.errors import InputError
from a3t.grid import SAMPLE_RATE
from a3t.plan.request import EditRequest, SpeechRequest
from app import limits, texts
from app.guarding.auth import error_body
from app.page_request import USUAL, Models
from app.processes.learnt_voice import Order
from app.processes.progress import Watch
from app.server.encoded_speech import MEDIA_TYPES, SpeechEncoder
from app.server.request_jobs import BusyError, RequestJob, RequestJobs
from app.server.schemas import (
    ADAPT,
    AlignedRecording,
    JobState,
    SpeechBody,
    contents,
    problems,
)
from app.server.voice_folder import PromptVoice
from app.service import Service

POLL = 0.05  # seconds between looks at a job, and at whether its client is still there


def server_app(service: Service, voices: Mapping[str, PromptVoice]) -> FastAPI:
    """The application; `app.guarding.auth.Door` has to stand before it, and checks the token."""
    app = FastAPI(
        title="a3t",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        dependencies=[Depends(HTTPBearer(auto_error=False))],
        responses=problems(),
    )
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
        place = ".".join(str(part) for part in first["loc"][1:])
        if first["type"] == "json_invalid" or not place:
            return sentence(400, texts.NO_JSON)
        if first["type"] == "missing":
            return sentence(400, texts.missing_field(place))
        return sentence(400, f"{place}: {first['msg']}.")

    @app.exception_handler(HTTPException)
    def other(request: Request, error: HTTPException) -> JSONResponse:
        if error.status_code == 400:  # the framework's: a body that it can't take apart
            return sentence(400, texts.NO_FORM)
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

    @app.post(
        "/v1/audio/speech",
        response_class=Response,
        responses={**problems(400, 409, 413, 429), 200: contents(*MEDIA_TYPES)},
    )
    async def speech(body: SpeechBody, request: Request) -> Response:
        """The input, spoken, each piece sent as soon as it is made; as OpenAI's endpoint of this
        name."""
        voice = voices.get(body.voice or next(iter(voices)))
        if voice is None:
            raise InputError(
                f"“{body.voice[:40]}” is no voice here: use one of {', '.join(sorted(voices))}."
            )

        wanted = SpeechRequest(
            text=body.input,
            prompt_text=voice.text,
            speed=body.speed,
            # A voice from `a3t voice make` needs no learning.
            adapt="never" if voice.learnt else body.adapt,
        )
        order = Order(
            voice.prompt, wanted, Models(voice=voice.name if voice.learnt else ""), streamed=True
        )
        ready: deque[bytes] = deque()

        def speak(watch: Watch) -> None:
            encoder = SpeechEncoder(body.response_format, SAMPLE_RATE)

            def take(piece: np.ndarray) -> None:
                if data := encoder.add(piece):
                    ready.append(data)

            watch.take = take
            service.make(order, watch, service.quick)
            ready.append(encoder.end())

        job = jobs.start("speech", speak, kept=False)
        await _finished(job, request, lambda: bool(ready))

        async def sent() -> AsyncIterator[bytes]:
            try:
                over = False
                while not over:
                    over = job.done.is_set()  # before the last pieces are taken
                    while ready:
                        yield ready.popleft()
                    await anyio.sleep(0 if over else POLL)
                _raise_if_failed(job)  # the answer is cut off, which clients notice
            finally:
                job.cancelled.set()

        return StreamingResponse(sent(), media_type=MEDIA_TYPES[body.response_format])


def _add_work(app: FastAPI, service: Service, jobs: RequestJobs) -> None:
    @app.post(
        "/v1/alignments",
        responses={**problems(400, 409, 413, 429), 200: {"model": AlignedRecording}},
    )
    async def align(
        request: Request,
        file: Annotated[UploadFile, File(description="the recording")],
        text: Annotated[
            str, Form(description="what the recording says; if empty, it is recognised")
        ] = "",
    ) -> Response:
        """Words, pauses and phones with their times in seconds and their confidence, 0 to 1."""
        said = limits.check_text(text, texts.THE_TRANSCRIPT)
        upload = await anyio.to_thread.run_sync(_kept, service, file)
        job = jobs.start(
            "alignment", lambda watch: service.align(upload, said, watch).to_json(), kept=False
        )
        return JSONResponse(await _finished(job, request))

    @app.post(
        "/v1/edits",
        response_class=FileResponse,
        responses={
            **problems(400, 409, 413, 429),
            200: {"description": "reply=recording: the edited recording"} | contents("wav", "flac"),
            202: {"description": "the job, which goes on", "model": JobState},
        },
    )
    async def edit(
        request: Request,
        file: Annotated[UploadFile, File(description="the recording")],
        new_text: Annotated[str, Form(description="what it should say")],
        text: Annotated[
            str, Form(description="what the recording says; if empty, it is recognised")
        ] = "",
        speed: Annotated[float, Form()] = 1.0,
        fit: Annotated[bool, Form(description="keep each replaced word's time")] = False,
        seed: Annotated[int, Form()] = 0,
        candidates: Annotated[
            int, Form(description="the number of candidates to make; the answer is the best")
        ] = 1,
        adapt: Annotated[str, Form(description=ADAPT)] = "never",
        response_format: Annotated[Literal["", "wav", "flac"], Form()] = "",
        reply: Annotated[Literal["job", "recording"], Form()] = "job",
    ) -> Response:
        """A job that edits the recording, or with reply=recording the edited recording itself."""
        old, new = limits.texts_of(text, new_text)
        wanted = EditRequest(
            new_text=new, text=old, speed=speed, fit=fit, seed=seed,
            candidates=candidates, adapt=adapt,
        )  # fmt: skip
        suffix = f".{response_format}" if response_format else ""
        upload = await anyio.to_thread.run_sync(_kept, service, file)
        job = jobs.start(
            "edit",
            lambda watch: service.edit(upload, wanted, watch, suffix),
            kept=reply == "job",
        )
        if reply == "job":
            return JSONResponse(job.to_json(), 202)
        out, _, _ = await _finished(job, request)
        return sound_file(out)


def _add_jobs(app: FastAPI, jobs: RequestJobs) -> None:
    def found(name: str) -> RequestJob:
        job = jobs.get(name)
        if job is None:
            raise HTTPException(404, "There is no such job, or it ended an hour ago")
        return job

    def result(name: str) -> Any:
        job = found(name)
        if not job.done.is_set():
            raise HTTPException(409, "The job is not done yet")
        _raise_if_failed(job)
        return job.result

    @app.get("/v1/jobs/{name}", response_model=JobState, responses=problems(404))
    def state(name: str) -> dict[str, Any]:
        """A job's status ("running", "done", "failed", "cancelled"), step and progress, 0 to 1."""
        return found(name).to_json()

    @app.get(
        "/v1/jobs/{name}/recording",
        response_class=FileResponse,
        responses={**problems(400, 404, 409), 200: contents("wav", "flac")},
    )
    def recording(name: str) -> Response:
        """The edited recording."""
        return sound_file(result(name)[0])

    @app.get("/v1/jobs/{name}/edit.json", responses=problems(400, 404, 409))
    def record(name: str) -> Any:
        """The record of what was changed, in samples."""
        return json.loads(result(name)[1].read_text(encoding="utf-8"))

    @app.delete("/v1/jobs/{name}", response_model=JobState, responses=problems(404))
    def cancel(name: str) -> dict[str, Any]:
        """End a job."""
        job = found(name)
        job.cancelled.set()
        return job.to_json()


async def _finished(
    job: RequestJob, request: Request, enough: Callable[[], bool] = lambda: False
) -> Any:
    """The job's result when it is done, or None once there is enough of it; it is ended if its
    client goes away."""
    while not job.done.is_set():
        if enough():
            return None
        if await request.is_disconnected():
            job.cancelled.set()
            break
        await anyio.sleep(POLL)
    _raise_if_failed(job)
    return job.result


def _raise_if_failed(job: RequestJob) -> None:
    if job.status == "failed" and job.at_fault:
        raise InputError(job.error)
    if job.status == "failed":
        raise HTTPException(500, job.error.rstrip("."))
    if job.status == "cancelled" or not job.done.is_set():
        raise HTTPException(409, "The job was cancelled")


def sound_file(path: Path) -> FileResponse:
    """A recording as an answer."""
    return FileResponse(path, media_type=MEDIA_TYPES[path.suffix[1:]], filename=path.name)


def _kept(service: Service, file: UploadFile) -> str:
    """The upload in a folder of its own, under a name made here."""
    name = limits.safe_stem(file.filename or "")
    ending = Path(file.filename or "").suffix
    ending = ending.lower() if ending[1:].isalnum() and len(ending) <= 6 else ""
    path = service.request_folder() / f"{name}{ending}"
    with path.open("wb") as copy:
        shutil.copyfileobj(file.file, copy)
    return str(path)
