"""Alignments that were made before, instead of aligning again."""

from __future__ import annotations

import json
import lzma
from collections.abc import Mapping
from pathlib import Path

from a3t.errors import InputError
from alignment import Alignment


def alignment_of(sound: Path, alignments: Mapping[str, Alignment]) -> Alignment | None:
    """The alignment whose path is the longest ending of the recording's path."""
    if not alignments:
        return None
    ends = ("/".join(sound.parts[k:]) for k in range(len(sound.parts)))
    return next((alignments[end] for end in ends if end in alignments), None)


def read_alignments(path: Path) -> dict[str, Alignment]:
    """Read alignments, keyed by the recording's path within the folder of corpora (with "/").

    The file has one JSON object per line, with "path" and "alignment" (`Alignment.to_json`), and is
    compressed if its name ends in ``.xz``. InputError names a line that can't be used.
    """
    alignments: dict[str, Alignment] = {}
    opened = lzma.open if path.suffix == ".xz" else open
    try:
        with opened(path, "rt", encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                name, alignment = _read_alignment(line, f"Line {number} of {path}")
                alignments[name] = alignment
    except (OSError, EOFError, lzma.LZMAError, UnicodeDecodeError) as error:
        raise InputError(f"The alignments in {path} can't be read: {error}.") from None
    return alignments


def _read_alignment(line: str, place: str) -> tuple[str, Alignment]:
    try:
        row = json.loads(line)
        return str(row["path"]), Alignment.from_json(row["alignment"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InputError(
            f'{place} is not an alignment: each line needs the JSON of a "path" and an "alignment".'
        ) from None
