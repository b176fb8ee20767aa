"""Alignments of long recordings, kept between runs: aligned once, found by what was aligned."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path

from a3t.audio.files import atomic_path
from a3t.errors import InputError
from alignment import Alignment

MOST_KEPT = 32  # files; an hour's takes some 8 MB


def default_folder() -> Path | None:
    """The folder that A3T_CACHE names, else that of a person's caches; None if it is empty."""
    named = os.environ.get("A3T_CACHE")
    if named is not None:
        return Path(named) if named else None
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "a3t" / "alignments"


class AlignmentCache:
    """A folder of alignments by the recording's sha256, its words and the aligner.

    What can't be written is not remembered, and what can't be read is as if it were not there.
    """

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    def get(self, sha256: str, words: Sequence[str], aligner: str) -> Alignment | None:
        """The alignment that was kept for this recording and these words."""
        if self.folder is None:
            return None
        path = self._path(self.folder, sha256, words, aligner)
        try:
            found = Alignment.from_json(json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, KeyError, TypeError):
            return None
        if [word.text for word in found.spoken] != list(words):
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # the least recently used go first
        return found

    def put(self, sha256: str, words: Sequence[str], aligner: str, alignment: Alignment) -> None:
        """Keep an alignment, and let go of the oldest beyond MOST_KEPT."""
        if self.folder is None:
            return
        text = json.dumps(alignment.to_json(), separators=(",", ":"))
        with contextlib.suppress(OSError, InputError):
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with atomic_path(self._path(self.folder, sha256, words, aligner)) as temporary:
                temporary.chmod(0o600)
                temporary.write_text(text, encoding="utf-8")
            files = sorted(self.folder.glob("*.json"), key=lambda path: -path.stat().st_mtime)
            for path in files[MOST_KEPT:]:
                path.unlink(missing_ok=True)

    @staticmethod
    def _path(folder: Path, sha256: str, words: Sequence[str], aligner: str) -> Path:
        key = "\n".join([sha256, aligner, *words])
        return folder / f"{hashlib.sha256(key.encode()).hexdigest()}.json"
