"""Checks, before any work, that an edit's files can be written and that none is an input."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from a3t.audio.output.files import check_target
from a3t.audio.output.records import RECORD_ENTRY, check_record, record_path
from a3t.audio.output.writing import check_output
from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.plan.tracks import Track
from a3t.projects.export.export_kinds import export_files, require_packages
from a3t.rendering.tracks import check_track_outputs, track_outputs
from a3t.source.sidecars import SIDECARS

# Inode, time and size of an edit.json; None: no file. Where it may be unknown as well, it stands in
# a tuple of one.
RecordState = tuple[int, int, int] | None


def input_files(
    wav: Path, text: str | None, new_text: str | None, *named: Path | None
) -> tuple[Path, ...]:
    """The files that an edit reads: those that are named, or as @FILE in a text, and the
    transcripts beside its recording."""
    files = [wav, *named, *(Path(t[1:]) for t in (text, new_text) if t and t.startswith("@"))]
    if text is None:
        files += (wav.with_suffix(suffix) for suffix in SIDECARS)
    return tuple(path for path in files if path and path.is_file())


def outputs(out: Path, candidates: int) -> list[Path]:
    """The sound files of an edit: ``out`` for the best candidate, stem.2, .3 … for the others."""
    others = (out.with_name(f"{out.stem}.{rank}{out.suffix}") for rank in range(2, candidates + 1))
    return [out, *others]


def check_outputs(
    recording: Recording,
    out: Path,
    candidates: int,
    kinds: Sequence[str],
    inputs: Iterable[Path],
    tracks: Sequence[Track] = (),
) -> None:
    """InputError if one of an edit's files can't be written, or is one of its inputs; ``tracks``:
    those that are in step with the recording."""
    require_packages(kinds)
    written = [*outputs(out, candidates), *export_files(out, kinds)]
    for sound in outputs(out, candidates):
        check_output(recording, sound)
        check_record(record_path(sound), RECORD_ENTRY, sound)
        beside = track_outputs(sound, recording.path, tracks)
        check_track_outputs(tracks, beside)
        written += beside
    used = [path for path in (*inputs, *(track.path for track in tracks)) if path.exists()]
    for path in written:
        check_target(path, recording.path)
        for source in used:
            if path.exists() and os.path.samefile(path, source):
                raise InputError(
                    f"{path} is an input of this edit and would be replaced: choose another "
                    "--out, or move it."
                )


def record_state(out: Path) -> RecordState:
    """The current state of an output's edit.json, to detect if another edit replaces it."""
    try:
        stat = record_path(out).stat()
    except (OSError, ValueError):
        return None
    return stat.st_ino, stat.st_mtime_ns, stat.st_size
