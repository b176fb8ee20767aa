"""Fetch a model of Whisper for faster-whisper: asked first, every file checked.

    a3t fetch-recogniser [tiny.en] [--yes]

A repository on huggingface.co is read at the revision that REVISIONS pins. Its listing of that
revision has the sha256 of the large files and git's hash of the others: a file that differs is
deleted. What was fetched, from where and with which sha256 is recorded beside the model, in SOURCE.
HF_ENDPOINT names another server of the same kind.

Downloads: announced, resumed where they were interrupted, verified by their checksums.
"""

from __future__ import annotations

import hashlib
import json
import os
import urllib.error
import urllib.request
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any

from tqdm import tqdm

from a3t.console import agrees, on_a_terminal, say
from a3t.errors import InputError
from alignment.recognition.whisper import INSTALL, fetched_model, find_whisper, is_installed

CHUNK = 2**20


@dataclass(frozen=True)
class Archive:
    """A published file; ``size`` in GB, to tell the user how long to wait."""

    url: str
    algorithm: str
    digest: str
    size: float
    licence: str

    @property
    def name(self) -> str:
        return self.url.rpartition("/")[2]


def fetch(archive: Archive, folder: Path) -> Path:
    """The archive's path, after downloading it if need be; InputError if that fails.

    If the connection drops, the download resumes from the part that has arrived, in this run or
    the next. Only a whole file with another digest is deleted.
    """
    target = folder / archive.name
    if target.exists():
        return target
    part = target.with_name(f"{target.name}.part")
    have = _size(part)
    about = f"{archive.size:.1f} GB ({archive.licence}), {have} bytes already here"
    say(f"Fetching {archive.url}: {about}")
    try:
        while not (whole := _receive(archive.url, part)) and _size(part) > have:
            have = _size(part)
    except urllib.error.HTTPError as error:
        raise InputError(f"{archive.url} can't be fetched: {error}.") from None
    except (OSError, HTTPException) as error:
        reason = getattr(error, "reason", error)
        raise InputError(
            f"{archive.url} can't be fetched ({reason}): run the command again to resume."
        ) from None
    if not whole:
        raise InputError(
            f"{archive.url} stopped after {have} bytes, which are kept: run the command again to "
            "resume."
        )
    if checksum(part, archive.algorithm) != archive.digest:
        part.unlink()
        raise InputError(
            f"{archive.name} is not the published file (its {archive.algorithm} differs) and was "
            "deleted: run the command again."
        )
    part.rename(target)
    return target


def _receive(url: str, part: Path) -> bool:
    """Append what ``part`` lacks; True when it has all that the server says there is."""
    have = _size(part)
    request = urllib.request.Request(url, headers={"Range": f"bytes={have}-"})
    try:
        answer = urllib.request.urlopen(request, timeout=60)
    except urllib.error.HTTPError as error:
        if error.code == 416:  # nothing is left to send
            return True
        raise
    with answer, open(part, "ab") as file:
        first = have if answer.status == 206 else 0  # else all of it comes again
        length = answer.headers.get("Content-Length")
        total = first + int(length) if length else None
        if total is not None and total < have:
            raise InputError(
                f"{url} now gives {total} bytes, fewer than the {have} of {part}, which is kept: "
                "is a login page in the way? If not, delete that file."
            )
        try:
            with tqdm(total=total, initial=first, unit="B", unit_scale=True) as bar:
                while data := _next(answer):
                    file.write(data[max(0, have - first) :])
                    first += len(data)
                    bar.update(len(data))
        except _DroppedError:
            return False
    return first == total or (total is None and answer.chunked)


class _DroppedError(Exception):
    """The connection ended in the middle."""


def _next(answer: Any) -> bytes:
    try:
        return bytes(answer.read(CHUNK))
    except (OSError, HTTPException):
        raise _DroppedError from None


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def checksum(path: Path, algorithm: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, algorithm).hexdigest()


SERVER = "https://huggingface.co"
LICENCE = "MIT"
OFFERED, MEGABYTES = "tiny.en", 75  # the smallest of MODELS: far better than the built-in one
REVISIONS = {  # of the repositories Systran/faster-whisper-…
    "small.en": "d1d751a5f8271d482d14ca55d9e2deeebbae577f",
    "base.en": "3d3d5dee26484f91867d81cb899cfcf72b96be6c",
    "tiny.en": "0d3d19a32d3338f10357c0889762bd8d64bbdeba",
}
NEEDED = ("config.json", "model.bin", "tokenizer.json", "vocabulary.txt")
SOURCE = "source.json"
DECLINED = "not-now"  # a file beside the models: the user doesn't want to be asked again
LARGEST_SMALL_FILE = 20_000_000  # bytes


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file of the repository: bytes, and what it must hash to ("sha256", or "git" for git's
    hash of a blob)."""

    name: str
    size: int
    algorithm: str
    digest: str


def repository_of(model: str) -> str:
    """The repository in which the faster-whisper model of that name is published."""
    return f"Systran/faster-whisper-{model}"


def listed(server: str, model: str) -> list[RemoteFile]:
    """The files that a model needs, as the server lists them; InputError."""
    url = f"{server}/api/models/{repository_of(model)}/tree/{REVISIONS[model]}"
    data = _read(url)
    try:
        files = [_remote(entry) for entry in json.loads(data) if entry["path"] in NEEDED]
    except (KeyError, TypeError, ValueError, RecursionError):
        files = []
    if {file.name for file in files} != set(NEEDED):
        raise InputError(f"{url} doesn't list the model {model}: try again later.")
    return files


def _remote(entry: dict[str, Any]) -> RemoteFile:
    large = entry.get("lfs")
    if large:
        return RemoteFile(entry["path"], int(large["size"]), "sha256", str(large["oid"]))
    return RemoteFile(entry["path"], int(entry["size"]), "git", str(entry["oid"]))


def _read(url: str) -> bytes:
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            data: bytes = answer.read(LARGEST_SMALL_FILE + 1)
    except (urllib.error.URLError, TimeoutError, ConnectionError) as error:
        reason = getattr(error, "reason", error)
        raise InputError(f"{url} can't be fetched ({reason}): try again with a network.") from None
    if len(data) > LARGEST_SMALL_FILE:
        raise InputError(f"{url} is longer than expected: nothing was kept.")
    return data


def server_named() -> str:
    """The server that models come from."""
    return os.environ.get("HF_ENDPOINT", SERVER).rstrip("/")


def part_folder(model: str) -> Path:
    """The folder of a model that isn't complete yet."""
    target = fetched_model(model)
    return target.with_name(f"{target.name}.part-{REVISIONS[model][:12]}")


def fetch_model(model: str) -> Path:
    """The model's folder, complete and checked. What was fetched before an interruption is kept.

    Raises InputError.
    """
    target, part, server = fetched_model(model), part_folder(model), server_named()
    if (target / "model.bin").is_file():
        return target
    files = listed(server, model)
    part.mkdir(parents=True, exist_ok=True)
    for file in files:
        url = f"{server}/{repository_of(model)}/resolve/{REVISIONS[model]}/{file.name}"
        if file.algorithm == "sha256":
            fetch(Archive(url, "sha256", file.digest, file.size / 1e9, LICENCE), part)
            continue
        data = _read(url)
        blob = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False)
        if blob.hexdigest() != file.digest:
            raise InputError(f"{url} is not the published file (its hash differs): try again.")
        (part / file.name).write_bytes(data)
    source = {"server": server, "repository": repository_of(model), "revision": REVISIONS[model]}
    sums = {name: checksum(part / name, "sha256") for name in NEEDED}
    (part / SOURCE).write_text(json.dumps(source | {"sha256": sums}, indent=1), encoding="utf-8")
    part.rename(target)
    say(f"{model} is in {target}, and is used from now on.")
    return target


def about(model: str) -> str:
    """A sentence about what would be fetched."""
    size = f"{MEGABYTES} MB, " if model == OFFERED else ""
    return (
        f"Whisper ({model}, {size}{LICENCE} licence) comes from {server_named()} once, to "
        f"{fetched_model(model)}, and then works without a network; no recording leaves this "
        "machine."
    )


def offer(recogniser: str) -> None:
    """On a terminal, where something is about to be recognised: asks, once, whether OFFERED is to
    be fetched, and fetches it. Nothing happens where Whisper is there, or isn't wanted."""
    declined = fetched_model(OFFERED).with_name(DECLINED)
    unwanted = recogniser != "auto" or bool(os.environ.get("A3T_RECOGNISER")) or declined.exists()
    if unwanted or not on_a_terminal() or find_whisper() is not None:
        return
    say("The built-in recogniser gets more than every fifth word wrong; Whisper far fewer.")
    if not is_installed():
        say(f"{INSTALL} Then: a3t fetch-recogniser.")
    elif agreed(about(OFFERED)):
        fetch_model(OFFERED)
        return
    else:
        say("You won't be asked again; a3t fetch-recogniser fetches it later.")
    declined.parent.mkdir(parents=True, exist_ok=True)
    declined.touch()


def agreed(sentence: str) -> bool:
    """True if the user says yes; never without a terminal."""
    say(sentence)
    return on_a_terminal() and agrees("Fetch it?")
