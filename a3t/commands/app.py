"""The speech editor as a web page: a3t app"""

from __future__ import annotations

import argparse
import ipaddress
import os
import signal
import sys
import threading
from contextlib import suppress
from pathlib import Path

from a3t.commands.options import Options, option
from a3t.console import Parser
from a3t.errors import InputError, tidy_up_first
from a3t.user_folders import data_folder

EPILOG = """The page listens on this computer only. With another --host it can be reached from
outside: then add --auth NAME:PASSWORD (or --auth @FILE), or --no-auth if a proxy in front of it
asks visitors who they are."""


def parser() -> argparse.ArgumentParser:
    result = Parser(
        prog="a3t app", description="Run the speech editor as a web page.", epilog=EPILOG
    )
    learns = "learn an open recording's voice in the background"
    add_server_options(result, 7860, learns, 1300)
    who = result.add_mutually_exclusive_group()
    option(who, "--auth NAME:PASSWORD", "require this login; @FILE reads it from a file")
    option(who, "--no-auth", "require no login, whatever the --host")
    about = "the path under which a proxy serves the page, e.g. /speech"
    option(result, "--root-path PATH", about, default="")
    about = "folder for projects (default: a3t/projects in this user's data)"
    option(result, "--projects FOLDER", about)
    option(result, "--max-minutes X", "longest recording (default 120)", default=120.0)
    return result


def add_server_options(options: Options, port: int, learns: str, megabytes: int) -> None:
    """The options of `a3t app` and `a3t serve`, with their defaults."""
    option(options, "--host HOST", "address to listen on (%(default)s)", default="127.0.0.1")
    option(options, "--port PORT", "port to listen on (%(default)s)", type=int, default=port)
    adapt = "never" if os.environ.get("A3T_ADAPT") == "never" else "auto"
    about = f"{learns} (default: %(default)s)"
    option(options, "--adapt", about, choices=("auto", "never"), default=adapt)
    option(
        options, "--max-megabytes N", "largest recording (default: %(default)s)", default=megabytes
    )


def secret(given: str, contents: str) -> str:
    """A secret as given, or the contents of the file after an @; InputError naming what belongs
    into the file if it can't be read."""
    if not given.startswith("@"):
        return given
    try:
        return Path(given[1:]).read_text(encoding="utf-8-sig").strip()
    except (OSError, UnicodeDecodeError):
        raise InputError(f"{given[1:]} can't be read: write {contents} into it.") from None


def main(arguments: list[str]) -> int:
    options = parser().parse_args(arguments)
    if not is_loopback(options.host) and options.auth is None and not options.no_auth:
        print(
            f"With --host {options.host} the page can be reached from outside: add --auth "
            "NAME:PASSWORD, or --no-auth to let everybody in.",
            file=sys.stderr,
        )
        return 2
    try:
        auth = credentials(options.auth)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    from app.run_folder import run_folder

    # Behind a proxy, or with a password, the page goes by any name.
    local_only = is_loopback(options.host) and not (auth or options.no_auth or options.root_path)
    with suppress(KeyboardInterrupt), run_folder() as folder:
        tidy_up_first()
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends like Ctrl-C
        # Uploads and results go into a folder of this run's own, deleted when the page ends.
        os.environ["GRADIO_TEMP_DIR"] = str(folder)
        # Threads of the editors' processes that wait for each other leave the cores to others:
        # on a busy machine an edit takes a tenth of the time.
        os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
        if not local_only:  # what visitors' recordings teach is not for this machine's user
            os.environ["A3T_CACHE"] = ""
        try:
            from app import limits
            from app.launching import background_editor, launch, learning_editor
            from app.service import Service

            limits.MAX_MEGABYTES = options.max_megabytes
            limits.MAX_SECONDS = 60 * options.max_minutes
            learning = None if options.adapt == "never" else learning_editor
            service = Service(folder, start_long=background_editor, start_learning=learning)
            kept = options.projects or data_folder("projects")
            where = (options.host, options.port, auth, options.root_path, local_only, kept)
            with launch(service, *where) as address:
                print(f"The page is at {address} (Ctrl-C ends it).", flush=True)
                service.quick.warm_up()
                try:
                    threading.Event().wait()
                finally:
                    service.close()
        except ModuleNotFoundError as error:
            if str(error.name).partition(".")[0] not in (
                "gradio",
                "starlette",
                "fastapi",
                "uvicorn",
            ):
                raise
            print("The page needs gradio: pip install 'a3t[app]'.", file=sys.stderr)
            return 1
        except OSError:
            print(
                f"Port {options.port} on {options.host} can't be used: choose another with --port.",
                file=sys.stderr,
            )
            return 1
    return 0


def is_loopback(host: str) -> bool:
    """True if only this computer reaches the host."""
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
