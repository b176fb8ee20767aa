"""The files beside a recording: which of them is its transcript, and which can't be read."""

from __future__ import annotations

import os
import re
from pathlib import Path

from alignment.errors import InputError
from alignment.formats.alignment_files import has_phones
from alignment.formats.transcripts.kinds import read_transcript

SIDECARS = (
    ".txt", ".lab", ".TextGrid", ".srt", ".vtt", ".json", ".docx", ".sbv", ".ass", ".ssa", ".ctm",
    ".tsv", ".lrc",
)  # fmt: skip
# Documents that may hold a transcript, and that nothing here reads.
UNREAD = (
    ".pdf", ".doc", ".odt", ".rtf", ".pages", ".html", ".htm", ".md", ".xml", ".ttml", ".dfxp",
    ".sub", ".idx", ".stl", ".scc", ".eaf", ".csv", ".text",
)  # fmt: skip
# Of a name that lengthens the recording's: talk.en.vtt, talk.wav.json.
_BETWEEN = re.compile(r"(?:en(?:[-_][A-Za-z]{1,8})?|english)", re.IGNORECASE)


def sidecar(recording: Path) -> Path | None:
    """The file beside a recording that holds its transcript, if there is one: talk.txt, talk.srt …,
    else one whose name differs in its capitals or has the language in it (talk.en.vtt)."""
    named = (recording.with_suffix(suffix) for suffix in SIDECARS)
    return next(filter(_counts, named), None) or next(
        (path for path in _others(recording) if _ending(path) in SIDECARS and _counts(path)), None
    )


def not_read(recording: Path) -> str:
    """A sentence that names the files beside a recording that look like a transcript and aren't
    read; "" if there are none."""
    beside = {recording.with_suffix(suffix) for suffix in UNREAD + SIDECARS}
    present = sorted(path.name for path in beside if path.is_file() and path.stat().st_size)
    if not present:
        return ""
    verb = "is" if len(present) == 1 else "are"
    return (
        f"{', '.join(present)} beside the recording {verb} no transcript that a3t can read: "
        "save it as text, or give the text with --text."
    )


def _counts(path: Path) -> bool:
    """True for a file with anything in it; a shell makes talk.txt before it is written.

    A .json, .tsv or .ctm could come from any program: only a transcript counts.
    """
    if not path.is_file() or not path.stat().st_size:
        return False
    if path.suffix.lower() not in (".json", ".tsv", ".ctm"):
        return True
    if has_phones(path):
        return True
    try:
        read_transcript(path)
    except InputError:
        return False
    return True


def _ending(path: Path) -> str:
    known = {suffix.lower(): suffix for suffix in SIDECARS}
    return known.get(path.suffix.lower(), "")


def _others(recording: Path) -> list[Path]:
    """The files whose names begin with the recording's and then have a language, or its ending."""
    found = []
    try:
        names = sorted(os.listdir(recording.parent))
    except OSError:
        return []
    for name in names:
        if not name.startswith(f"{recording.stem}.") or name == recording.name:
            continue
        middle = Path(name).stem[len(recording.stem) :].lstrip(".")
        if not middle or middle == recording.suffix[1:] or _BETWEEN.fullmatch(middle):
            found.append(recording.parent / name)
    return found
