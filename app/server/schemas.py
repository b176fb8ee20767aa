"""Schemas of the server's requests and answers, as /openapi.json describes them."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from app import limits
from app.server.encoded_speech import MEDIA_TYPES


class SpeechBody(BaseModel):
    """The body of /v1/audio/speech; what else OpenAI's clients send has no effect."""

    input: str = Field(min_length=1, max_length=limits.MAX_CHARACTERS)
    model: str = "small"
    voice: str = ""
    response_format: Literal["mp3", "opus", "aac", "flac", "wav", "pcm"] = "mp3"
    speed: float = Field(1.0, ge=0.25, le=4.0)


class Problem(BaseModel):
    """One sentence that says what is wrong and what to do."""

    message: str
    type: Literal["invalid_request_error", "rate_limit_error", "server_error"]
    param: None = None
    code: None = None


class ErrorBody(BaseModel):
    """An error, in the form that OpenAI's clients raise; `detail` is its sentence again."""

    error: Problem
    detail: str


class JobState(BaseModel):
    """A job; `progress`: the share done, 0 to 1."""

    id: str
    object: str
    status: Literal["running", "done", "failed", "cancelled"]
    step: str
    progress: float
    error: str | None


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The answers that are errors; those that every endpoint may give come by themselves."""
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
    """The media types of an answer that is a file of one of these kinds."""
    sound = {"schema": {"type": "string", "format": "binary"}}
    return {"content": {MEDIA_TYPES[kind]: sound for kind in kinds}}
