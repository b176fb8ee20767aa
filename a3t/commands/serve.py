"""Serve speech, edits and alignments to other programs over HTTP, by `a3t serve`."""

from __future__ import annotations

import argparse
import secrets

from a3t.commands import app
from a3t.console import Parser, say


def parser() -> argparse.ArgumentParser:
    """Return the parser of `a3t serve`."""
    result = Parser(
        prog="a3t serve",
        description="Serve speech, edits and alignments to other programs over HTTP.",
        epilog="Every request needs “Authorization: Bearer TOKEN”. Without --token and A3T_TOKEN "
        "a3t prints a new token.",
    )
    app.add_server_options(result, 7870, 200)
    return result


def main(arguments: list[str]) -> int:
    """Run `a3t serve` and return the exit code."""
    options = parser().parse_args(arguments)
    new = None if options.token else secrets.token_urlsafe(24)

    def greet(address: str) -> None:
        say(f"Listening at {address}/v1 (Ctrl-C ends it).")
        say(f"Token: {new}") if new else None

    local_only = app.is_loopback(options.host)
    return app.serve(options, lambda given: new or app.token_of(given), None, local_only, greet)
