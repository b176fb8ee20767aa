"""A visitor's identity: the name of a login, else a name in a cookie that can't be guessed."""

from __future__ import annotations

import hashlib
import re
import secrets
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request, cookie_parser
from starlette.responses import Response

from app import texts

COOKIE = "a3t_visitor"
NAME = re.compile(r"[\w-]{32}", re.ASCII)
YEAR = 365 * 86_400  # seconds


class Visitors:
    """Known by what Gradio knows of logins (`gradio_app`), or by the cookie that they are given."""

    def __init__(self) -> None:
        self.gradio_app: Any = None

    def visitor(self, request: Request, response: Response) -> str:
        """The folder of whoever asks, who is given a cookie if there was none. HTTPException if
        they have to log in first."""
        app = self.gradio_app
        user = self._user(request)
        if user is None and (app is None or app.auth is not None):
            raise HTTPException(401, texts.LOG_IN)
        name = cookie_of(request.headers.get("cookie", ""))
        if user is None and name is None:
            name = secrets.token_urlsafe(24)
            response.set_cookie(COOKIE, name, max_age=YEAR, httponly=True, samesite="strict")
        who = f"cookie {name}" if user is None else f"user {user}"
        return hashlib.sha256(who.encode()).hexdigest()[:40]  # it tells nobody the cookie

    def _user(self, request: Request) -> str | None:
        app = self.gradio_app
        for name in ("access-token", "access-token-unsecure"):
            token = request.cookies.get(f"{name}-{app.cookie_id}") if app is not None else None
            if token is not None and token in app.tokens:
                return str(app.tokens[token])
        return None


def cookie_of(header: str) -> str | None:
    """The name in a visitor's cookie; None without one, or in one that was not given here."""
    name = cookie_parser(header).get(COOKIE, "")
    return name if NAME.fullmatch(name) else None
