"""Fetch a model of Whisper for faster-whisper: asked first, every file checked.

    a3t fetch-recogniser [small.en] [--yes]

The repository on huggingface.co is read at one commit. Its large files come with their sha256, the
others with git's hash of their content; a file that differs is deleted. HF_ENDPOINT names another
server of the same kind.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from a3t.console import Parser, run, say
from a3t.corpora.download import Archive, fetch
from a3t.errors import InputError
from alignment.recognition.whisper import MODELS, fetched_model

SERVER = "https://huggingface.co"
LICENCE = "MIT"
NEEDED = ("config.json", "model.bin", "tokenizer.json", "vocabulary.txt", "vocabulary.json")
LARGEST_LISTING = 1_000_000  # bytes
LARGEST_SMALL_FILE = 20_000_000


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file of the repository: bytes, and what it must hash to ("sha256", or "git" for git's
    hash of a blob)."""

    name: str
    size: int
    algorithm: str
    digest: str


def repository_of(model: str) -> str:
    """Where the faster-whisper model of that name is published."""
    if model == "large-v3-turbo":
        return "mobiuslabsgmbh/faster-whisper-large-v3-turbo"
    return f"Systran/faster-whisper-{model}"


def listed(server: str, repository: str) -> tuple[str, list[RemoteFile]]:
    """The repository's commit of today, and the files that a model needs; InputError."""
    about = _json(f"{server}/api/models/{repository}")
    commit = about.get("sha") if isinstance(about, dict) else None
    if not isinstance(commit, str) or not re.fullmatch(r"[0-9a-f]{40}", commit):
        raise InputError(f"{server} doesn't say which version of {repository} it has: try later.")
    tree = _json(f"{server}/api/models/{repository}/tree/{commit}")
    try:
        files = [_remote(entry) for entry in tree if entry["path"] in NEEDED]
    except (KeyError, TypeError, ValueError):
        files = []
    if "model.bin" not in {file.name for file in files if file.algorithm == "sha256"}:
        raise InputError(f"{repository} on {server} is no model of faster-whisper.")
    return commit, files


def _remote(entry: dict[str, Any]) -> RemoteFile:
    large = entry.get("lfs")
    if large:
        return RemoteFile(entry["path"], int(large["size"]), "sha256", str(large["oid"]))
    return RemoteFile(entry["path"], int(entry["size"]), "git", str(entry["oid"]))


def _read(url: str, most: int) -> bytes:
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            data: bytes = answer.read(most + 1)
    except (urllib.error.URLError, TimeoutError, ConnectionError) as error:
        reason = getattr(error, "reason", error)
        raise InputError(f"{url} can't be fetched ({reason}): try again with a network.") from None
    if len(data) > most:
        raise InputError(f"{url} is longer than expected: nothing was kept of it.")
    return data


def _json(url: str) -> Any:
    data = _read(url, LARGEST_LISTING)
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise InputError(f"{url} is not what was expected: try again later.") from None


def fetch_model(model: str, server: str, may: bool) -> Path:
    """The model's folder, complete and checked; asks on a terminal unless it `may` be fetched.

    What was fetched before an interruption is kept. Raises InputError.
    """
    target = fetched_model(model)
    if (target / "model.bin").is_file():
        say(f"{model} is already in {target}.")
        return target
    commit, files = listed(server, repository_of(model))
    megabytes = sum(file.size for file in files) / 1e6
    source = f"{repository_of(model)} from {server}"
    if not may and not _agreed(f"Fetch {source}, {megabytes:.0f} MB ({LICENCE}), to {target}?"):
        raise InputError("Nothing was fetched: say yes, or give --yes.")
    part = target.with_name(f"{target.name}.part-{commit[:12]}")
    part.mkdir(parents=True, exist_ok=True)
    for file in files:
        url = f"{server}/{repository_of(model)}/resolve/{commit}/{file.name}"
        if file.algorithm == "sha256":
            fetch(Archive(url, "sha256", file.digest, file.size / 1e9, LICENCE), part)
            continue
        data = _read(url, LARGEST_SMALL_FILE)
        blob = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False)
        if blob.hexdigest() != file.digest:
            raise InputError(f"{url} is not the published file (its hash differs): try again.")
        (part / file.name).write_bytes(data)
    part.rename(target)
    say(f"{model} is in {target}, and is used from now on (--recogniser auto).")
    return target


def _agreed(question: str) -> bool:
    """True if the user says yes; never without a terminal."""
    if not sys.stdin.isatty():
        say(question)
        return False
    return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line: returns 0 when the model is there, 1 if it can't be fetched."""
    parser = Parser(
        prog="a3t fetch-recogniser",
        description="Fetch a Whisper model for faster-whisper (pip install 'a3t[asr]').",
    )
    parser.add_argument("model", nargs="?", default=MODELS[0], choices=MODELS)
    parser.add_argument("--yes", action="store_true", help="don't ask")
    options = parser.parse_args(arguments)
    server = os.environ.get("HF_ENDPOINT", SERVER).rstrip("/")

    def fetch_it() -> None:
        fetch_model(options.model, server, options.yes)

    return run(fetch_it)
