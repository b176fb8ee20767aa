"""A visitor's identity: the name of a login, else a name in a cookie that can't be guessed."""

from __future__ import annotations

import hashlib
import re
import secrets
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

COOKIE = "a3t_visitor"
TOKEN = re.compile(r"[\w-]{32}")
YEAR = 365 * 86_400  # seconds


class Owners:
    """Known by what gradio knows of logins, once it has been launched (`gradio_app`)."""

    def __init__(self) -> None:
        self.gradio_app: Any = None

    def user(self, request: Request) -> str | None:
        """The name of whoever is logged in."""
        app = self.gradio_app
        for name in ("access-token", "access-token-unsecure"):
            token = request.cookies.get(f"{name}-{app.cookie_id}") if app is not None else None
            if token is not None and token in app.tokens:
                return str(app.tokens[token])
        return None

    def may_enter(self, request: Request) -> bool:
        app = self.gradio_app
        if app is None or app.auth is None:
            return app is not None
        return self.user(request) is not None

    def of(self, request: Request) -> tuple[str, str | None]:
        """The folder of the visitor's projects, and a new cookie if there was none."""
        user = self.user(request)
        if user is not None:
            return folder_of(f"user {user}"), None
        token = request.cookies.get(COOKIE, "")
        if TOKEN.fullmatch(token):
            return folder_of(f"cookie {token}"), None
        token = secrets.token_urlsafe(24)
        return folder_of(f"cookie {token}"), token


def folder_of(name: str) -> str:
    """A folder's name that tells nobody the cookie."""
    return hashlib.sha256(name.encode()).hexdigest()[:40]


def remember(response: Response, token: str | None) -> None:
    if token is not None:
        response.set_cookie(COOKIE, token, max_age=YEAR, httponly=True, samesite="strict")
