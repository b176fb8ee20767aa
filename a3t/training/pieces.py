"""Folders in pieces of a bounded size, for machines that take or give back only so much at once.

python -m a3t.training.pieces split FOLDER PIECES [--megabytes 60]
python -m a3t.training.pieces join PIECES FOLDER

The pieces of an archive, and ``pieces.json`` with the sha256 of each: join checks every piece, and
says which are missing or damaged before it writes anything.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path

from a3t.console import run
from a3t.errors import InputError

INDEX = "pieces.json"
MEBIBYTE = 2**20


def split(folder: Path, pieces: Path, megabytes: float = 60.0) -> list[Path]:
    """Write ``folder`` as piece-000, piece-001, …; returns their paths, the index written last."""
    if not folder.is_dir():
        raise InputError(f"There is no folder {folder} to split.")
    size = max(1, int(megabytes * MEBIBYTE))
    pieces.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    sums: dict[str, str] = {}
    with tempfile.TemporaryFile() as archive:
        with tarfile.open(fileobj=archive, mode="w") as tar:
            for path in sorted(folder.rglob("*")):
                if path.is_file():
                    tar.add(path, str(path.relative_to(folder)))
        archive.seek(0)
        while data := archive.read(size):
            path = pieces / f"piece-{len(written):03d}"
            path.write_bytes(data)
            sums[path.name] = hashlib.sha256(data).hexdigest()
            written.append(path)
    (pieces / INDEX).write_text(json.dumps(sums, indent=1) + "\n")
    return written


def join(pieces: Path, folder: Path) -> None:
    """Unpack what `split` wrote; InputError if a piece is missing or is not the one written."""
    try:
        sums: dict[str, str] = json.loads((pieces / INDEX).read_text())
    except (OSError, ValueError):
        raise InputError(f"{pieces} has no {INDEX}: it was not written by split.") from None
    with tempfile.TemporaryFile() as archive:
        for name, expected in sorted(sums.items()):
            path = pieces / Path(name).name
            data = path.read_bytes() if path.is_file() else b""
            if hashlib.sha256(data).hexdigest() != expected:
                raise InputError(f"{path} is missing or damaged: copy it again.")
            archive.write(data)
        archive.seek(0)
        folder.mkdir(parents=True, exist_ok=True)
        with tarfile.open(fileobj=archive) as tar:
            tar.extractall(folder, filter="data")  # nothing outside the folder, no links, no modes


def main(arguments: Sequence[str] | None = None) -> int:
    """0 done, 1 something is missing (one sentence says what)."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("action", choices=["split", "join"])
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--megabytes", type=float, default=60.0)
    options = parser.parse_args(arguments)
    if options.action == "join":
        return run(lambda: join(options.source, options.target))
    return run(lambda: print(len(split(options.source, options.target, options.megabytes))))


if __name__ == "__main__":
    sys.exit(main())
