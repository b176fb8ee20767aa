"""Access to the studio: each route's visitor, project and body.

Names in addresses are looked up, never joined to a path: a project is found among the visitor's
own, a take among the project's.
"""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import Depends, Path, Request, Response
from starlette.exceptions import HTTPException

from a3t.errors import InputError
from app import texts
from app.studio.project import Project
from app.studio.studio import Studio


async def get_studio(request: Request) -> Studio:
    studio: Studio = request.app.state.studio
    return studio


async def get_visitor(request: Request, response: Response) -> str:
    name: str = request.app.state.visitors.visitor(request, response)
    return name


Opened = Annotated[Studio, Depends(get_studio)]
Visitor = Annotated[str, Depends(get_visitor)]


def get_project(project: str, studio: Opened, visitor: Visitor) -> Project:
    """The visitor's project; HTTPException if there is none of that name."""
    found = studio.find(visitor, project)
    if found is None:
        raise HTTPException(404, studio.why_not(project))
    return found


async def json_body(request: Request) -> dict[str, Any]:
    """A request's JSON object; an empty one for anything else. InputError for numbers that no
    float holds, and for halves of characters: what is written has to be read again."""
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


ThisProject = Annotated[Project, Depends(get_project)]
Sent = Annotated[dict[str, Any], Depends(json_body)]
Place = Annotated[int, Path(ge=0, lt=10**12)]
