"""Writes an edit's files to a temporary folder and moves them in place together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from a3t.audio.output.files import staged_beside
from a3t.errors import InputError
from a3t.projects.export.export_kinds import export_files, export_paths
from a3t.projects.export.exports import export
from a3t.projects.output_files import RecordState, check_outputs, outputs, record_state
from a3t.rendering.edited import EditedRecording
from alignment.atomic import locked, put_in_place


def write(
    results: list[EditedRecording],
    out: Path,
    exports: Sequence[str] = (),
    provenance: bool = True,
    notes: Callable[[EditedRecording], Mapping[str, Any]] = lambda result: {},
    inputs: Sequence[Path] = (),
    seen: tuple[RecordState] | None = None,
) -> list[Path]:
    """Write the results, the best as ``out``, the others as {stem}.2, {stem}.3 …

    ``provenance`` and ``notes``, for each result, as for `EditedRecording.save`. Also writes the
    best one's ``exports`` (`a3t.projects.export.exports`) and returns their paths. ``seen`` is the
    state of ``out``'s edit.json when the edit began. Raises InputError, and writes and replaces
    nothing, if a file can't be written or is one of ``inputs``, or if another edit has changed
    ``out``. An export that fails is an InputError too, or whatever it raised, but the edit is
    written first.
    """
    tracks = results[0].plan.request.tracks
    check_outputs(results[0].recording, out, len(results), exports, inputs, tracks)
    targets = outputs(out, len(results))
    with staged_beside(out) as stage:
        for result, target in zip(results, targets, strict=True):
            result.write_files(stage / target.name, provenance, notes(result))
        failed: Exception | None = None
        try:
            export(results[0], out, exports, stage)
        except Exception as error:
            failed = error
        staged = [path for path in export_files(stage / out.name, exports) if path.exists()]
        with locked(stage.parent):
            if seen is not None and record_state(out) != seen[0]:
                raise InputError(
                    f"{out} was changed by another edit in the meantime: nothing was written, so "
                    "run this one again."
                )
            made = zip(results, targets, strict=True)
            files = [pair for result, target in made for pair in result.renames(stage, target)]
            put_in_place([*((path, out.with_name(path.name)) for path in staged), *files])
        if isinstance(failed, ValueError | OSError):
            raise InputError(f"{out} was written, but not all of --export: {failed}") from failed
        if failed is not None:
            raise failed
    return export_paths(out, exports)
