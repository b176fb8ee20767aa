"""Downloads: announced, resumed where they were interrupted, verified by their checksums."""

from __future__ import annotations

import hashlib
import urllib.error
import urllib.request
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any

from tqdm import tqdm

from a3t.console import say
from a3t.errors import InputError

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
