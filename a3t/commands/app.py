"""Serve the speech editor as a web page, by `a3t app`."""

from __future__ import annotations

import argparse
import ipaddress
import os
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from a3t.commands.options import Options, option
from a3t.console import BAD_INPUT, WRONG_USAGE, Parser, agrees, complain, on_a_terminal, run
from a3t.errors import InputError
from a3t.user_folders import data_folder
from app import PageOptions

EPILOG = """The page listens on this computer only. With another --host, or --share, it can be
reached from outside: then add --auth NAME:PASSWORD (or --auth @FILE), or --no-auth if a proxy in
front of it asks visitors who they are. It serves programs as `a3t serve` does: on this computer
only, or with --token."""
LEAST_TOKEN = 8  # characters
SITE = re.compile(r"(https?://)?[\w.-]+(:\d{1,5})?", re.ASCII)
SHARING = (
    "With --share all recordings, texts and results pass through Gradio's servers, and whoever has "
    "the address can open the page."
)
OUR_PACKAGES = ("a3t", "alignment", "app")  # what else is missing is missing from an extra


def parser() -> argparse.ArgumentParser:
    """Return the parser of `a3t app`."""
    result = Parser(
        prog="a3t app", description="Run the speech editor as a web page.", epilog=EPILOG
    )
    add_server_options(result, 7860, 1300)
    who = result.add_mutually_exclusive_group()
    option(who, "--auth NAME:PASSWORD", "require this login; @FILE reads it from a file")
    option(who, "--no-auth", "require no login, whatever the --host")
    about = "the path under which a proxy serves the page, e.g. /speech"
    option(result, "--root-path PATH", about, default="")
    about = "a site that may show this page in a frame, e.g. huggingface.co or https://example.org"
    option(result, "--frame-from SITE", about, default="")
    option(result, "--share", "let others open the page through Gradio's servers; asks first")
    option(result, "--yes", "share without asking")
    about = "folder for projects (default: a3t/projects in this user's data)"
    option(result, "--projects FOLDER", about)
    return result


def add_server_options(options: Options, port: int, megabytes: int) -> None:
    """Add the options of `a3t app` and `a3t serve`, with their defaults."""
    option(
        options, "--host HOST", "address to listen on (default: %(default)s)", default="127.0.0.1"
    )
    option(
        options, "--port PORT", "port to listen on (default: %(default)s)", type=int, default=port
    )
    about = "the token that programs send, or @FILE, which hides it from `ps`"
    option(options, "--token TOKEN", about, default=os.environ.get("A3T_TOKEN"))
    about = "folder with a recording (NAME.wav) and a transcript (NAME.txt) of each voice"
    option(options, "--voices DIR", about)
    option(
        options, "--max-megabytes N", "largest recording (default: %(default)s)", default=megabytes
    )
    option(options, "--max-minutes X", "longest recording (default: 120)", default=120.0)


def secret(given: str, contents: str) -> str:
    """Return a secret as given, or the contents of the file after an @.

    Raises InputError, naming what belongs into the file, if it can't be read.
    """
    if not given.startswith("@"):
        return given
    try:
        return Path(given[1:]).read_text(encoding="utf-8-sig").strip()
    except (OSError, UnicodeDecodeError):
        raise InputError(f"{given[1:]} can't be read: write {contents} into it.") from None


def token_of(given: str | None) -> str | None:
    """Return the token as given, or from the file after an @.

    Raises InputError if it is too short for a token, or can't be read.
    """
    if given is None:
        return None
    given = secret(given, "the token")
    if len(given) < LEAST_TOKEN or not given.isascii() or not given.isprintable() or " " in given:
        raise InputError(f"The token needs at least {LEAST_TOKEN} characters without spaces.")
    return given


def main(arguments: list[str]) -> int:
    """Run `a3t app` and return the exit code."""
    options = parser().parse_args(arguments)
    outside = "--share" if options.share else f"--host {options.host}"
    try:
        if (options.share or not is_loopback(options.host)) and not (
            options.auth or options.no_auth
        ):
            raise InputError(
                f"With {outside} the page can be reached from outside: add --auth NAME:PASSWORD, "
                "or --no-auth to let everybody in."
            )
        if options.frame_from and not SITE.fullmatch(options.frame_from):
            raise InputError("--frame-from takes a site, such as huggingface.co, or its origin.")
        auth = credentials(options.auth)
        if options.share and not options.yes:
            confirm_sharing()
    except InputError as error:
        print(error, file=sys.stderr)
        return WRONG_USAGE

    projects = options.projects or data_folder("projects")
    page = PageOptions(auth, options.root_path, projects, options.frame_from, options.share)
    # Behind a proxy, or with a password, the page goes by any name.
    local_only = is_loopback(options.host) and not (auth or options.no_auth or options.root_path)

    def greet(address: str) -> None:
        print(f"The page is at {address} (Ctrl-C ends it).", flush=True)

    return serve(options, token_of, page, local_only, greet)


def confirm_sharing() -> None:
    """Say what sharing means and ask for it; InputError off a terminal, or for a no."""
    if not on_a_terminal():
        raise InputError(f"{SHARING} Add --yes to share it all the same.")
    if not agrees(f"{SHARING} Share it?"):
        raise InputError("Nothing was shared.")


def serve(
    options: argparse.Namespace,
    token: Callable[[str | None], str | None],
    page: PageOptions | None,
    local_only: bool,
    greet: Callable[[str], None],
) -> int:
    """Serve the application until Ctrl-C; the exit code. token: reads the one that is given."""

    def command() -> None:
        from app import application, limits
        from app.guard import Callers
        from app.server.voice_folder import voices_in

        limits.MAX_MEGABYTES = options.max_megabytes
        limits.MAX_SECONDS = 60 * options.max_minutes
        callers = Callers(token(options.token), page is not None, local_only)
        where, voices = (options.host, options.port), voices_in(options.voices)
        application.serve(where, callers, voices, page, greet)

    try:
        return run(command)
    except ImportError as error:
        if str(error.name).partition(".")[0] in OUR_PACKAGES:
            raise
        needs, extra = ("page needs gradio", "app") if page else ("server needs FastAPI", "serve")
        reason = f" ({error})" if str(error) else ""
        complain(f"The {needs}{reason}: pip install 'a3t[{extra}]'.")
        return BAD_INPUT


def is_loopback(host: str) -> bool:
    """Return whether only this computer reaches the host."""
    if host == "localhost":
        return True
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return False


def credentials(auth: str | None) -> tuple[str, str] | None:
    """Name and password out of NAME:PASSWORD or @FILE; InputError if it can't be had."""
    if auth is None:
        return None
    name, colon, password = secret(auth, "NAME:PASSWORD").partition(":")
    if not (name and colon and password):
        raise InputError("--auth takes NAME:PASSWORD, or @FILE with one in it.")
    return name, password
