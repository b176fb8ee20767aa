"""Alignments as files; the ending of the name decides the format.

| ending | | read back |
|---|---|---|
| .TextGrid | Praat, tiers "words" and "phones" | times to the digit, no scores |
| .json | everything | all of it |
| .lab | HTK labels with scores | times to 100 ns, a word's score from its phones' |
| .ctm | NIST CTM, words; phones in x.phones.ctm | times to 0.1 ms, scores |
| .txt | Audacity labels, words; phones in x.phones.txt | times to 1 us, no scores |
| .srt .vtt | subtitles | no (a transcript: see alignment.formats.transcripts) |

A format without scores gives every word and phone the confidence 1. If its words were recognised,
each format says so, and reading it again says so too; a TextGrid then has their confidences, in a
tier of their own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from alignment.atomic import write_whole
from alignment.errors import AlignmentError, InputError
from alignment.formats.subtitles import write_subtitles
from alignment.formats.tables import (
    has_phone_tier,
    is_label_file,
    phones_beside,
    read_audacity,
    read_ctm,
    read_lab,
    read_textgrid,
    require_whole,
    write_audacity,
    write_ctm,
    write_lab,
    write_textgrid,
)
from alignment.formats.text_file import LARGEST_ALIGNMENT, RECOGNISED_MARK, read_text
from alignment.result import Alignment

_SPELLING = {".textgrid": ".TextGrid"}


def read_alignment(path: str | Path) -> Alignment:
    """Read an alignment; times in seconds, phones in ARPAbet with stress.

    Raises AlignmentError when the file is missing or unreadable, has no words or phones, or has
    phones of another alphabet.
    """
    path = Path(path)
    read = _READERS.get(path.suffix.lower())
    if read is None:
        raise _unknown_format(path, _READERS)
    try:
        if not path.is_file():
            raise AlignmentError(f"There is no alignment file {path}: check its name.")
        if path.stat().st_size > LARGEST_ALIGNMENT:
            raise AlignmentError(f"{path.name} is too large for an alignment: cut it into parts.")
        return require_whole(_marked(read(path), path), path)
    except OSError as error:
        raise AlignmentError(f"{path} can't be read ({error.strerror}): check it.") from error


def has_phones(path: str | Path) -> bool:
    """Return whether a file looks like an alignment of words and phones, for `read_alignment`.

    A file with words alone is a transcript with times.
    """
    path = Path(path)
    match path.suffix.lower():
        case ".ctm":
            return phones_beside(path).is_file()
        case ".txt":
            return is_label_file(path) and phones_beside(path).is_file()
        case ".lab":
            return is_label_file(path)
        case ".textgrid":
            return has_phone_tier(_content(path))
        case ".json":
            return _has_phones(_content(path))
    return False


def _marked(alignment: Alignment, path: Path) -> Alignment:
    """Mark the alignment as recognised if a line at the file's beginning says so."""
    if path.suffix.lower() not in (".lab", ".ctm", ".txt"):
        return alignment
    with path.with_name(path.name.replace(".phones.", ".")).open("rb") as file:
        marked = RECOGNISED_MARK.encode() in file.readline(200)
    return replace(alignment, recognised=True) if marked else alignment


def _content(path: Path) -> str:
    try:
        return read_text(path, LARGEST_ALIGNMENT, "alignment")
    except InputError:
        return ""


def _has_phones(text: str) -> bool:
    """Return whether JSON is that of an alignment, or of an edit that carries one."""
    if '"phones"' not in text:
        return False
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return False
    data = data.get("alignment", data) if isinstance(data, dict) else {}
    words = data.get("words") if isinstance(data, dict) else None
    phones = (
        [w.get("phones") for w in words if isinstance(w, dict)] if isinstance(words, list) else []
    )
    # gentle's words have phones as well, without their times.
    return any(p and isinstance(p, list) and "symbol" in p[0] for p in phones)


def check_format(path: str | Path) -> None:
    """Raise AlignmentError when an alignment can't be written to a file of this name."""
    path = Path(path)
    if path.suffix.lower() not in _WRITERS:
        raise _unknown_format(path, _WRITERS)
    if path.is_dir():
        raise AlignmentError(f"{path} is a folder: give a file.")
    if not path.parent.is_dir():
        raise AlignmentError(f"There is no folder {path.parent}: create it first.")


def write_alignment(
    alignment: Alignment, path: str | Path, written: Sequence[str] | None = None
) -> None:
    """Write an alignment, whole or not at all.

    `written`: what subtitles show for each word, see subtitles. Raises AlignmentError
    for another ending or a folder that can't be written.
    """
    path = Path(path)
    check_format(path)
    if path.suffix.lower() in (".srt", ".vtt"):
        write_subtitles(alignment, path, written)
    else:
        _WRITERS[path.suffix.lower()](alignment, path)


def _unknown_format(path: Path, known: Iterable[str]) -> AlignmentError:
    endings = [_SPELLING.get(ending, ending) for ending in known]
    listed = f"{', '.join(endings[:-1])} or {endings[-1]}"
    return AlignmentError(f"{path} is not an alignment file: its name must end in {listed}.")


def _read_json(path: Path) -> Alignment:
    text = read_text(path, LARGEST_ALIGNMENT, "alignment")
    try:
        data = json.loads(text)
        # An edit.json carries its alignment inside.
        if "words" not in data and "alignment" in data:
            data = data["alignment"]
        return Alignment.from_json(data)
    except (
        ValueError,
        OverflowError,  # an integer of hundreds of digits as a time
        KeyError,
        TypeError,
        AttributeError,
        RecursionError,
    ) as error:
        raise AlignmentError(
            f"{path.name} is not an alignment in JSON ({type(error).__name__}): "
            "write it again with a3t align."
        ) from error


def _write_json(alignment: Alignment, path: Path) -> None:
    text = json.dumps(alignment.to_json(), indent=1, ensure_ascii=False) + "\n"
    write_whole(path, lambda part: part.write_text(text, encoding="utf-8"))


_READERS: dict[str, Callable[[Path], Alignment]] = {
    ".textgrid": read_textgrid,
    ".json": _read_json,
    ".lab": read_lab,
    ".ctm": read_ctm,
    ".txt": read_audacity,
}

_WRITERS: dict[str, Callable[[Alignment, Path], None]] = {
    ".textgrid": write_textgrid,
    ".json": _write_json,
    ".lab": write_lab,
    ".ctm": write_ctm,
    ".txt": write_audacity,
    ".srt": write_subtitles,
    ".vtt": write_subtitles,
}
