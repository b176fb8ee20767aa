"""Alignments that were made before, instead of aligning again."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator, Mapping
from pathlib import Path

from a3t.errors import InputError
from alignment import Alignment
from training.text_lines import text_lines


def alignment_of(sound: Path, alignments: Mapping[str, Alignment]) -> Alignment | None:
    """Return the alignment whose path is the longest ending of the recording's path."""
    if not alignments:
        return None
    ends = ("/".join(sound.parts[k:]) for k in range(len(sound.parts)))
    return next((alignments[end] for end in ends if end in alignments), None)


def read_alignments(path: Path) -> dict[str, Alignment]:
    """Read alignments, keyed by the recording's path within the folder of corpora (with "/")."""
    return {name: alignment for name, alignment, _ in listed_alignments(path)}


def listed_alignments(path: Path) -> Iterator[tuple[str, Alignment, float]]:
    """Yield the recordings' paths, alignments and weights.

    The file, which may be compressed with xz, has one JSON object per line, with "path",
    "alignment" (`Alignment.to_json`) and perhaps "weight" (1). InputError names a line that can't
    be used.
    """
    try:
        for number, line in enumerate(text_lines(path), 1):
            yield _read_alignment(line, f"Line {number} of {path}")
    except (OSError, EOFError, lzma.LZMAError, UnicodeDecodeError) as error:
        raise InputError(f"The alignments in {path} can't be read: {error}.") from None


def _read_alignment(line: str, place: str) -> tuple[str, Alignment, float]:
    try:
        row = json.loads(line)
        weight = float(row.get("weight", 1.0))
        return str(row["path"]), Alignment.from_json(row["alignment"]), weight
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError(
            f'{place} is not an alignment: each line needs the JSON of a "path" and an "alignment".'
        ) from None
