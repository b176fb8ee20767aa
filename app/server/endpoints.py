"""The endpoints of /v1: speech as OpenAI's clients ask for it, edits, alignments, jobs.

Whoever asks was looked at by `app.guard.Guard`; what it says is demanded here, of every
endpoint, wherever a proxy has put them.
"""

from __future__ import annotations

import json
import shutil
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import anyio
import numpy as np
from fastapi import APIRouter, Depends, File, Form, Request, UploadFile
from fastapi.responses import (
    FileResponse,
    JSONResponse,
    PlainTextResponse,
    Response,
    StreamingResponse,
)
from fastapi.security import HTTPBearer
from pydantic import BaseModel, Field, model_validator
from starlette.exceptions import HTTPException

from a3t.audio.output.files import safe_name
from a3t.errors import InputError
from a3t.grid import SAMPLE_RATE
from a3t.plan.cleaning import cleaning_of_lists
from a3t.plan.options import HTTP, CleaningOptions, EditOptions, SpeechOptions, read_options
from a3t.plan.request import EditRequest, OtherRecording, SpeechRequest, Track, tracks_of
from a3t.source.differences import Difference
from alignment import Alignment
from app import limits, texts
from app.guard import MAY_CALL
from app.models import USUAL_MODELS, Models
from app.option_forms import body_with, form_of
from app.processes.request_jobs import (
    POLL_S,
    CancelledError,
    JobStatus,
    RequestJob,
    Watch,
    pieces_of,
)
from app.server.openai_formats import (
    EVENTS,
    MEDIA_TYPES,
    UNTIMED,
    SpeechEncoder,
    answer,
    transcript_events,
)
from app.service import Service, edit_request, spoken

FILE_TYPES = MEDIA_TYPES | {"zip": "application/zip"}
NO_FILES: list[UploadFile] = []
NO_GRANULARITIES: list[str] = []
TRANSCRIPTIONS: dict[str, Any] = {
    "application/json": {"schema": {"type": "object"}},
    "text/plain": {"schema": {"type": "string"}},
    EVENTS: {"schema": {"type": "string"}},
}
TEXT_FIELD = Form(description="what the recording says; if empty, it is recognised")
WORDS_FIELD = Form(description="names that are said, one a line, perhaps with their pronunciation")
CHANGES_FIELD = Form(
    description="of the listed differences from a recognised text those to make: numbers with "
    "commas between them, all, ticked or none; if empty, the ticked ones unless one is open"
)


class SpeechBody(BaseModel):
    """The body of /v1/audio/speech; what else OpenAI's clients send has no effect."""

    input: str = Field(min_length=1, max_length=limits.MAX_CHARACTERS)
    model: str = "small"
    voice: str = ""
    response_format: Literal["mp3", "opus", "aac", "flac", "wav", "pcm"] = "mp3"
    stream_format: Literal["audio"] = "audio"

    @model_validator(mode="before")
    @classmethod
    def without_nulls(cls, fields: Any) -> Any:
        """Leave out fields that are null, as clients send those that nobody set."""
        if not isinstance(fields, dict):
            return fields
        return {name: value for name, value in fields.items() if value is not None}


if not TYPE_CHECKING:
    SpeechBody = body_with(SpeechOptions, SpeechBody)


class Problem(BaseModel):
    """One sentence that says what is wrong and what to do."""

    message: str
    type: Literal["invalid_request_error", "rate_limit_error", "server_error"]
    param: None = None
    code: None = None


class ErrorBody(BaseModel):
    """An error, in the form that OpenAI's clients raise; `detail` is its sentence again.

    `differences`: of an edit whose transcript was recognised, to choose from with `changes`.
    """

    error: Problem
    detail: str
    differences: list[Difference] | None = None


class JobState(BaseModel):
    """A job; `progress`: the share done, 0 to 1."""

    id: str
    object: str
    status: JobStatus
    step: str
    progress: float
    error: str | None

    @classmethod
    def of(cls, job: RequestJob) -> JobState:
        """Return a job's state at this moment."""
        share = 1.0 if job.status == "done" else round(job.watch.share, 3)
        return cls(
            id=job.id,
            object=job.kind,
            status=job.status,
            step=job.watch.sentence,
            progress=share,
            error=job.error,
        )


class Model(BaseModel):
    """A model, as OpenAI lists one."""

    id: str
    object: str = "model"
    created: int = 0
    owned_by: str = "a3t"


class ModelList(BaseModel):
    """The models, in OpenAI's form."""

    object: str = "list"
    data: list[Model]


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return an endpoint's answers that are errors, with those that every endpoint may give."""
    reasons: dict[int | str, str] = {
        400: "the request can't be used",
        401: "the token is missing or wrong",
        403: "another site's page asks, or another host is named",
        404: "there is no such job",
        409: "the job is not done, or was cancelled",
        411: "the upload does not state its length",
        413: "the request is too large",
        429: "too many requests are waiting",
        "default": "something went wrong inside",
    }
    chosen: tuple[int | str, ...] = (*statuses, 401, 403, "default")
    return {key: {"description": reasons[key], "model": ErrorBody} for key in chosen}


def contents(*kinds: str) -> dict[str, Any]:
    """Return the description of an answer that is a file of one of these kinds."""
    sound = {"schema": {"type": "string", "format": "binary"}}
    return {"content": {FILE_TYPES[kind]: sound for kind in kinds}}


EDITED = contents("wav", "flac", "zip")  # the recording, with tracks in a zip


def demand_token(request: Request) -> None:
    """Raise HTTPException unless the guard has found that this request may be answered."""
    if request.scope.get(MAY_CALL) is not True:
        raise HTTPException(401, texts.NO_TOKEN, {"www-authenticate": "Bearer"})


def get_service(request: Request) -> Service:
    """Return the application's service."""
    service: Service = request.app.state.service
    return service


def get_job(name: str, request: Request) -> RequestJob:
    """Return the job of this name; HTTPException if there is none."""
    job = get_service(request).jobs.get(name)
    if job is None:
        raise HTTPException(404, "There is no such job, or it ended an hour ago.")
    return job


def kept(request: Request, file: Annotated[UploadFile, File(description="the recording")]) -> str:
    """Copy the upload into a folder of its own, and return its path."""
    return str(copied(file, get_service(request).request_folder()))


def copied(file: UploadFile, folder: Path) -> Path:
    """Copy an upload into a folder under a safe name."""
    path = folder / safe_name(file.filename or "")
    with path.open("wb") as copy:
        shutil.copyfileobj(file.file, copy)
    return path


def further(request: Request, files: Sequence[UploadFile]) -> list[Path]:
    """Copy further uploads, each into a folder of its own, since two may have one name."""
    paths: list[Path] = []
    if files:
        parent = get_service(request).request_folder()
        for number, file in enumerate(files):
            (folder := parent / str(number)).mkdir()
            paths.append(copied(file, folder))
    return paths


def kept_others(
    request: Request,
    said: Annotated[
        list[UploadFile], File(description="the speaker's own readings of the new words")
    ] = NO_FILES,
    sources: Annotated[
        list[UploadFile],
        File(alias="from", description="other recordings in which some new words are said"),
    ] = NO_FILES,
) -> tuple[OtherRecording, ...]:
    """Return the uploaded recordings from which words are taken."""
    readings = (OtherRecording(path, punch_in=True) for path in further(request, said))
    return (*map(OtherRecording, further(request, sources)), *readings)


def kept_tracks(
    request: Request,
    files: Annotated[
        list[UploadFile], File(alias="with", description="other speakers' tracks, to keep in step")
    ] = NO_FILES,
) -> tuple[Track, ...]:
    """Return the uploaded tracks."""
    return tracks_of(further(request, files))


Others = Annotated[tuple[OtherRecording, ...], Depends(kept_others)]
Tracks = Annotated[tuple[Track, ...], Depends(kept_tracks)]
Job = Annotated[RequestJob, Depends(get_job)]
Kept = Annotated[str, Depends(kept)]
Serving = Annotated[Service, Depends(get_service)]

router = APIRouter(
    prefix="/v1",
    dependencies=[Depends(HTTPBearer(auto_error=False)), Depends(demand_token)],
    responses=problems(),
)


@router.get("/models")
def models() -> ModelList:
    """List the models, in OpenAI's form."""
    return ModelList(data=[Model(id=USUAL_MODELS.model)])


@router.get("/voices")
def named(request: Request) -> dict[str, list[str]]:
    """List the voices that can be spoken in."""
    return {"voices": sorted(request.app.state.voices)}


@router.post(
    "/audio/speech",
    response_class=Response,
    responses={**problems(400, 409, 413, 429), 200: contents(*MEDIA_TYPES)},
)
async def speech(body: SpeechBody, request: Request, service: Serving) -> Response:
    """Speak the input, and send each piece as soon as it is made, as OpenAI's endpoint does."""
    voices = request.app.state.voices
    voice = voices.get(body.voice or next(iter(voices)))
    if voice is None:
        raise InputError(
            f"“{body.voice[:40]}” is no voice here: use one of {', '.join(sorted(voices))}."
        )
    wanted = SpeechRequest(
        text=body.input,
        prompt_text=voice.text,
        **vars(read_options(SpeechOptions, HTTP, vars(body))),
    )
    models = Models(voice=voice.name if voice.learnt else "")
    ready: deque[bytes] = deque()

    def speak(watch: Watch) -> None:
        encoder = SpeechEncoder(body.response_format, SAMPLE_RATE)

        def take(piece: np.ndarray) -> None:
            if data := encoder.add(piece):
                ready.append(data)

        watch.take = take
        service.quick.do(watch, spoken, voice.prompt, wanted, models=models)
        ready.append(encoder.end())

    job = service.jobs.start("speech", speak)
    await finished(job, request, lambda: bool(ready))

    return StreamingResponse(pieces_of(job, ready), media_type=MEDIA_TYPES[body.response_format])


@router.post(
    "/audio/transcriptions",
    responses={**problems(400, 409, 411, 413, 429), 200: {"content": TRANSCRIPTIONS}},
)
async def transcription(
    request: Request,
    service: Serving,
    file: Kept,
    response_format: Annotated[Literal["json", "text", "srt", "verbose_json", "vtt"], Form()] = (
        "json"
    ),
    prompt: Annotated[str, Form(description="roughly what it says, as a hint")] = "",
    words: Annotated[str, WORDS_FIELD] = "",
    language: Annotated[str, Form(description="English is the only one")] = "en",
    granularities: Annotated[list[str], Form(alias="timestamp_granularities[]")] = NO_GRANULARITIES,
    stream: Annotated[bool, Form(description="as server-sent events: json and text")] = False,
) -> Response:
    """Transcribe the recording as OpenAI's endpoint does, whose other fields have no effect."""
    if stream and response_format not in UNTIMED:
        raise InputError(
            f"{response_format} isn't streamed: leave out stream, or ask for json or text."
        )
    if language.lower()[:2] not in ("", "en"):
        raise InputError(f"{language[:20]} can't be transcribed: a3t knows English alone.")
    timed = response_format not in UNTIMED
    job = service.jobs.start(
        "transcription", lambda watch: service.heard(watch, file, prompt, timed, words)
    )
    said, aligned = await finished(job, request)
    if stream:
        return Response(transcript_events(said), media_type=EVENTS)
    body = answer(said, aligned, response_format, "word" in granularities)
    return PlainTextResponse(body) if isinstance(body, str) else JSONResponse(body)


@router.post("/audio/translations", responses=problems(400))
def translation() -> Response:
    """Refuse what OpenAI offers under this name."""
    raise InputError(
        "Translations aren't offered, as a3t knows English alone: use /v1/audio/transcriptions."
    )


@router.post(
    "/alignments", responses={**problems(400, 409, 411, 413, 429), 200: {"model": Alignment}}
)
async def align(
    request: Request, service: Serving, file: Kept, text: Annotated[str, TEXT_FIELD] = ""
) -> Response:
    """Time words, pauses and phones, in seconds, with their confidence, 0 to 1."""
    job = service.jobs.start("alignment", lambda watch: service.align(watch, file, text))
    return JSONResponse((await finished(job, request)).to_json())


@router.post(
    "/edits",
    response_class=FileResponse,
    responses={
        **problems(400, 409, 411, 413, 429),
        200: {"description": "reply=recording: the edited recording, with tracks a zip"} | EDITED,
        202: {"description": "the job, which goes on", "model": JobState},
    },
)
async def edit(
    request: Request,
    service: Serving,
    file: Kept,
    others: Others,
    tracks: Tracks,
    options: Annotated[EditOptions, Depends(form_of(EditOptions))],
    new_text: Annotated[str, Form(description="what it should say")],
    text: Annotated[str, TEXT_FIELD] = "",
    changes: Annotated[str, CHANGES_FIELD] = "",
    words: Annotated[str, WORDS_FIELD] = "",
    response_format: Annotated[Literal["", "wav", "flac"], Form()] = "",
    reply: Annotated[Literal["job", "recording"], Form()] = "job",
) -> Response:
    """Edit the recording: answer with the job, or with reply=recording with the edited recording.

    With tracks, the recording comes in a zip, with its edit.json and the tracks.
    """
    wanted = edit_request(text, new_text, changes, others=others, tracks=tracks, **vars(options))
    suffix = f".{response_format}" if response_format else ""
    return await made(
        request, "edit", lambda watch: service.edited(watch, file, wanted, suffix, words), reply
    )


@router.post(
    "/cleanings",
    response_class=FileResponse,
    responses={
        **problems(400, 409, 411, 413, 429),
        200: {"description": "reply=recording: the cleaned recording, with tracks a zip"} | EDITED,
        202: {"description": "the job, which goes on", "model": JobState},
    },
)
async def clean(
    request: Request,
    service: Serving,
    file: Kept,
    tracks: Tracks,
    options: Annotated[CleaningOptions, Depends(form_of(CleaningOptions))],
    text: Annotated[str, TEXT_FIELD] = "",
    find: Annotated[str, Form(description="the kinds that `a3t clean --find` takes")] = "",
    mute: Annotated[str, Form(description="words to mute, with commas between them")] = "",
    bleep: Annotated[str, Form(description="words to hide under a tone")] = "",
    words: Annotated[str, WORDS_FIELD] = "",
    response_format: Annotated[Literal["", "wav", "flac"], Form()] = "",
    reply: Annotated[Literal["job", "recording"], Form()] = "job",
) -> Response:
    """Take out what `a3t clean` finds; the answer is that of an edit."""
    want = cleaning_of_lists(find or None, mute, bleep, **vars(options))
    said = limits.check_text(text, texts.THE_TRANSCRIPT) or None
    wanted = EditRequest(new_text="", text=said, tracks=tracks)
    suffix = f".{response_format}" if response_format else ""
    return await made(
        request,
        "cleaning",
        lambda watch: service.cleaned(watch, file, want, wanted, suffix, words),
        reply,
    )


async def made(
    request: Request,
    kind: str,
    work: Callable[[Watch], tuple[Path, Path, str]],
    reply: Literal["job", "recording"],
) -> Response:
    """Start a job, and answer with it, or with its recording when it is done."""
    job = get_service(request).jobs.start(kind, work, kept=reply == "job")
    if reply == "job":
        return JSONResponse(JobState.of(job).model_dump(), 202)
    return result_file((await finished(job, request))[0])


@router.get("/jobs/{name}", responses=problems(404))
def state(job: Job) -> JobState:
    """Tell a job's status ("running", "done", "failed", "cancelled"), step and progress, 0 to 1."""
    return JobState.of(job)


@router.get(
    "/jobs/{name}/recording",
    response_class=FileResponse,
    responses={**problems(400, 404, 409), 200: EDITED},
)
def recording(job: Job) -> Response:
    """Send the edited recording; with tracks a zip of it, its edit.json and the tracks."""
    return result_file(result(job)[0])


@router.get("/jobs/{name}/edit.json", responses=problems(400, 404, 409))
def record(job: Job) -> Any:
    """Send the record of what was changed, in samples."""
    return json.loads(result(job)[1].read_text(encoding="utf-8"))


@router.delete("/jobs/{name}", responses=problems(404))
def cancel(job: Job) -> JobState:
    """End a job."""
    job.watch.cancelled.set()
    return JobState.of(job)


async def finished(
    job: RequestJob, request: Request, enough: Callable[[], bool] = lambda: False
) -> Any:
    """Return the job's result when it is done, or None once there is enough of it.

    The job is cancelled if its client goes away.
    """
    while not job.outcome.done():
        if enough():
            return None
        if await request.is_disconnected():
            job.watch.cancelled.set()
            raise CancelledError
        await anyio.sleep(POLL_S)
    return result(job)


def result(job: RequestJob) -> Any:
    """Return a job's result; raise its error if it failed, HTTPException while it runs."""
    if not job.outcome.done():
        raise HTTPException(409, "The job is not done yet.")
    try:
        return job.outcome.result()
    except (InputError, CancelledError):
        raise
    except Exception:  # which is in the log
        raise HTTPException(500, job.error) from None


def result_file(path: Path) -> FileResponse:
    """Answer with a recording, or a zip."""
    return FileResponse(path, media_type=FILE_TYPES[path.suffix[1:]], filename=path.name)
