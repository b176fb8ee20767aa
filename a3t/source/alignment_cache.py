"""The cache on disk: alignments of long recordings, keyed by what they are of.

Errors are not reported: what can't be written isn't cached, and what can't be read is missing.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from a3t.audio.output.files import atomic_path
from a3t.errors import InputError
from a3t.user_folders import cache_folder
from alignment import Alignment

MAX_CACHED_FILES = 64  # files: an hour's alignment takes about 8 MB
_UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError)


def default_folder() -> Path | None:
    """The folder given by A3T_CACHE, else one in the user's cache folder.

    None, for no cache, if A3T_CACHE is set to an empty string.
    """
    folder = os.environ.get("A3T_CACHE")
    if folder is not None:
        return Path(folder) if folder else None
    return cache_folder("alignments")


def read_cached(path: Path | None) -> bytes | None:
    """The contents that `write_cached` wrote there, or None."""
    if path is None or not path.is_file():
        return None
    with suppress(OSError):
        os.utime(path)  # the least recently used is deleted first
    with suppress(OSError):
        return path.read_bytes()
    return None


def write_cached(path: Path | None, data: bytes) -> None:
    """Cache a file, readable by its user alone, and delete the least recently used with the same
    ending beyond MAX_CACHED_FILES; nothing for None."""
    if path is None:
        return
    with suppress(OSError, InputError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with atomic_path(path) as temporary:
            temporary.chmod(0o600)
            temporary.write_bytes(data)
        files = path.parent.glob(f"*{path.suffix}")
        for old in sorted(files, key=lambda each: -each.stat().st_mtime)[MAX_CACHED_FILES:]:
            old.unlink(missing_ok=True)


def alignment_path(
    folder: Path | None, sha256: str, words: Sequence[str], method: str
) -> Path | None:
    """The file that caches the alignment of a recording's words, and how they are aligned."""
    key = "\n".join([sha256, method, *words])
    return folder and folder / f"{hashlib.sha256(key.encode()).hexdigest()}.json"


def cached_alignment(path: Path | None, words: Sequence[str]) -> Alignment | None:
    """The alignment in a cached file, if it is one of these words, else None."""
    with suppress(*_UNREADABLE):
        if (data := read_cached(path)) is not None:
            alignment = Alignment.from_json(json.loads(data))
            return alignment if [word.text for word in alignment.spoken] == [*words] else None
    return None


def cache_alignment(path: Path | None, alignment: Alignment) -> None:
    """Cache an alignment."""
    write_cached(path, json.dumps(alignment.to_json(), separators=(",", ":")).encode())
