"""Speech, edits and alignments for other programs, over HTTP: a3t serve"""

from __future__ import annotations

import argparse
import os
import secrets

from a3t.commands.app import add_server_options, is_loopback, secret
from a3t.commands.options import option
from a3t.console import BAD_INPUT, Parser, complain, run, say
from a3t.errors import InputError

LEAST_TOKEN = 8  # characters


def parser() -> argparse.ArgumentParser:
    result = Parser(
        prog="a3t serve",
        description="Serve speech, edits and alignments to other programs over HTTP.",
        epilog="Every request needs “Authorization: Bearer TOKEN”. Without --token and A3T_TOKEN "
        "a3t prints a new token.",
    )
    learns = "learn each voice before its first speech, and for edits that ask for it"
    add_server_options(result, 7870, learns, 200)
    option(result, "--token TOKEN", "the token, or @FILE, which hides it from `ps`")
    about = "folder with a recording (NAME.wav) and a transcript (NAME.txt) of each voice"
    option(result, "--voices DIR", about)
    return result


def main(arguments: list[str]) -> int:
    options = parser().parse_args(arguments)
    try:
        import uvicorn  # noqa: F401
    except ModuleNotFoundError:
        complain("The server needs FastAPI: pip install 'a3t[serve]'.")
        return BAD_INPUT
    return run(lambda: serve(options))


def serve(options: argparse.Namespace) -> None:
    """Serve until Ctrl-C; InputError for a token or voices that can't be used."""
    import uvicorn

    from app import limits
    from app.guarding.auth import Door
    from app.launching import background_editor, learning_editor
    from app.run_folder import run_folder
    from app.server.endpoints import server_app
    from app.server.voice_folder import voices_in
    from app.service import Service

    token = token_of(options.token or os.environ.get("A3T_TOKEN"))
    limits.MAX_MEGABYTES = options.max_megabytes
    voices = voices_in(options.voices)
    with run_folder() as folder:
        learning = None if options.adapt == "never" else learning_editor
        service = Service(folder, start_long=background_editor, start_learning=learning)
        door = Door(server_app(service, voices), token, local_only=is_loopback(options.host))
        settings = uvicorn.Config(
            door, options.host, options.port, log_level="warning", server_header=False
        )
        say(f"Listening at http://{options.host}:{options.port}/v1 (Ctrl-C ends it).")
        say(f"Voices: {', '.join(sorted(voices))}")
        if not (options.token or os.environ.get("A3T_TOKEN")):
            say(f"Token: {token}")
        service.quick.warm_up()
        try:
            uvicorn.Server(settings).run()
        except SystemExit:  # uvicorn's, after it has logged why
            raise InputError(
                f"Port {options.port} on {options.host} can't be used: choose another with --port."
            ) from None
        finally:
            service.close()


def token_of(given: str | None) -> str:
    """The token as given, or in the file after an @; a new one for None. InputError if it is too
    short to be one, or can't be read."""
    if given is None:
        return secrets.token_urlsafe(24)
    given = secret(given, "the token")
    if len(given) < LEAST_TOKEN or not given.isascii() or not given.isprintable() or " " in given:
        raise InputError(f"The token needs at least {LEAST_TOKEN} characters without spaces.")
    return given
