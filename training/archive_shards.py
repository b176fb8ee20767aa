"""Split folders into shards of limited size, for machines that accept or return only so much.

python -m training.archive_shards split FOLDER SHARDS [--megabytes 60]
python -m training.archive_shards join SHARDS FOLDER

``shards.json`` holds the sha256 of each shard: join checks them all, and names any that is
missing or damaged, before it writes anything.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
import zipfile
from pathlib import Path

from a3t.errors import InputError
from training.programs import Program, option

INDEX = "shards.json"
MEBIBYTE = 2**20


def split(folder: Path, shards: Path, megabytes: float = 60.0) -> list[Path]:
    """Write ``folder`` as shard-000, shard-001, …, the index last; returns the shards' paths."""
    if not folder.is_dir():
        raise InputError(f"There is no folder {folder} to split.")
    size = max(1, int(megabytes * MEBIBYTE))
    shards.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    sums: dict[str, str] = {}
    with tempfile.TemporaryFile() as archive:
        with zipfile.ZipFile(archive, "w") as together:  # not compressed: figures hardly shrink
            for path in sorted(folder.rglob("*")):
                if path.is_file():
                    together.write(path, path.relative_to(folder))
        archive.seek(0)
        while data := archive.read(size):
            path = shards / f"shard-{len(written):03d}"
            path.write_bytes(data)
            sums[path.name] = hashlib.sha256(data).hexdigest()
            written.append(path)
    (shards / INDEX).write_text(json.dumps(sums, indent=1) + "\n")
    return written


def join(shards: Path, folder: Path) -> None:
    """Unpack what `split` wrote; InputError if a shard is missing or is not the one written."""
    try:
        sums: dict[str, str] = json.loads((shards / INDEX).read_text())
    except (OSError, ValueError):
        raise InputError(f"{shards} has no {INDEX}: it was not written by split.") from None
    with tempfile.TemporaryFile() as archive:
        for name, expected in sorted(sums.items()):
            path = shards / Path(name).name
            data = path.read_bytes() if path.is_file() else b""
            if hashlib.sha256(data).hexdigest() != expected:
                raise InputError(f"{path} is missing or damaged: copy it again.")
            archive.write(data)
        archive.seek(0)
        folder.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(archive) as together:
            together.extractall(folder)  # which writes nothing outside the folder, and no links


def work(options: argparse.Namespace) -> None:
    if options.action == "join":
        join(options.source, options.target)
    else:
        print(len(split(options.source, options.target, options.megabytes)))


main = Program(
    work,
    option("action", choices=["split", "join"]),
    option("source", type=Path),
    option("target", type=Path),
    option("--megabytes", type=float, default=60.0),
)


if __name__ == "__main__":
    sys.exit(main())
