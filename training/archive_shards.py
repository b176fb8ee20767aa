"""Split folders into parcels of limited size, for machines that accept or return only so much.

python -m training.archive_shards split FOLDER PARCELS [--megabytes 60]
python -m training.archive_shards join PARCELS FOLDER

``parcels.json`` holds the sha256 of each parcel: join checks them all, and names any that is
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

INDEX = "parcels.json"
MEBIBYTE = 2**20


def split(folder: Path, parcels: Path, megabytes: float = 60.0) -> list[Path]:
    """Write ``folder`` as parcel-000, parcel-001, …, the index last; returns the parcels' paths."""
    if not folder.is_dir():
        raise InputError(f"There is no folder {folder} to split.")
    size = max(1, int(megabytes * MEBIBYTE))
    parcels.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    sums: dict[str, str] = {}
    with tempfile.TemporaryFile() as archive:
        with zipfile.ZipFile(archive, "w") as together:  # not compressed: figures hardly shrink
            for path in sorted(folder.rglob("*")):
                if path.is_file():
                    together.write(path, path.relative_to(folder))
        archive.seek(0)
        while data := archive.read(size):
            path = parcels / f"parcel-{len(written):03d}"
            path.write_bytes(data)
            sums[path.name] = hashlib.sha256(data).hexdigest()
            written.append(path)
    (parcels / INDEX).write_text(json.dumps(sums, indent=1) + "\n")
    return written


def join(parcels: Path, folder: Path) -> None:
    """Unpack what `split` wrote; InputError if a parcel is missing or is not the one written."""
    try:
        sums: dict[str, str] = json.loads((parcels / INDEX).read_text())
    except (OSError, ValueError):
        raise InputError(f"{parcels} has no {INDEX}: it was not written by split.") from None
    with tempfile.TemporaryFile() as archive:
        for name, expected in sorted(sums.items()):
            path = parcels / Path(name).name
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
