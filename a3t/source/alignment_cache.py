"""A cache on disk for alignments of long recordings, keyed by what was aligned."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path

from a3t.audio.output.files import atomic_path
from a3t.errors import InputError
from a3t.user_folders import cache_folder
from alignment import Alignment

VOICES = "voices"  # a folder in the cache
MOST_KEPT = 64  # files; an hour of speech takes about 8 MB


def default_folder() -> Path | None:
    """The folder given by A3T_CACHE, else one in the user's cache folder.

    None, for no cache, if A3T_CACHE is set to an empty string.
    """
    folder = os.environ.get("A3T_CACHE")
    if folder is not None:
        return Path(folder) if folder else None
    return cache_folder("alignments")


def voices_cache() -> Path | None:
    """The folder that caches voices learnt from recordings; None for no cache."""
    folder = default_folder()
    return folder and folder / VOICES


class AlignmentCache:
    """A folder of alignments, keyed by the recording's sha256, its words and how they are aligned.

    Errors are not reported: an alignment that can't be written isn't cached, and one that can't be
    read counts as missing.
    """

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    def get(self, sha256: str, words: Sequence[str], method: str) -> Alignment | None:
        """The cached alignment of this recording and these words, else None."""
        if self.folder is None:
            return None
        path = self._path(self.folder, sha256, words, method)
        try:
            alignment = Alignment.from_json(json.loads(path.read_text(encoding="utf-8")))
        except (
            OSError,
            ValueError,
            KeyError,
            TypeError,
            AttributeError,
            ArithmeticError,
            RecursionError,
        ):
            return None
        if [word.text for word in alignment.spoken] != list(words):
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # the least recently used is deleted first
        return alignment

    def put(self, sha256: str, words: Sequence[str], method: str, alignment: Alignment) -> None:
        """Cache an alignment, and delete the least recently used beyond MOST_KEPT."""
        if self.folder is None:
            return
        text = json.dumps(alignment.to_json(), separators=(",", ":"))
        with contextlib.suppress(OSError, InputError):
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with atomic_path(self._path(self.folder, sha256, words, method)) as temporary:
                temporary.chmod(0o600)
                temporary.write_text(text, encoding="utf-8")
            files = sorted(self.folder.glob("*.json"), key=lambda path: -path.stat().st_mtime)
            for path in files[MOST_KEPT:]:
                path.unlink(missing_ok=True)

    @staticmethod
    def _path(folder: Path, sha256: str, words: Sequence[str], method: str) -> Path:
        key = "\n".join([sha256, method, *words])
        return folder / f"{hashlib.sha256(key.encode()).hexdigest()}.json"
