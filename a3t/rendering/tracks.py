"""Tracks in step with an edited recording: what becomes of them, and the files that they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from a3t.audio.output.files import sha256_of
from a3t.audio.output.provenance import comment, traces_after
from a3t.audio.output.records import record_path
from a3t.audio.output.writing import CONTAINERS, check_output, write_edited
from a3t.audio.splicing.mirroring import mirrored
from a3t.errors import InputError
from a3t.plan.request import Track
from a3t.spans import EditMap

TRACKS = "tracks"  # in an edit.json


def track_outputs(out: Path, recording: Path, tracks: Sequence[Track]) -> list[Path]:
    """The tracks' files beside an edit's output.

    They are named as that is named after its recording: talk.edited.wav makes guest.edited.wav, and
    mix.wav mix.guest.wav. InputError if two would have one name.
    """
    ending = out.suffix if out.suffix.lower() in CONTAINERS else ".wav"
    name = out.stem.removeprefix(recording.stem)
    after = len(name) < len(out.stem) and name.startswith(".")
    paths = [
        out.with_name(f"{own}{name}{ending}" if after else f"{out.stem}.{own}{ending}")
        for own in (track.path.stem for track in tracks)
    ]
    if len({*paths, out}) <= len(paths):
        raise InputError(
            "Two of these tracks have the same name, and so would their results: rename one."
        )
    return paths


def check_track_outputs(tracks: Sequence[Track], outputs: Sequence[Path]) -> None:
    """InputError if one of the tracks' files can't be written, or is an edit of its own."""
    for track, out in zip(tracks, outputs, strict=True):
        check_output(track.open(), out)
        if record_path(out).exists():
            raise InputError(f"{out} is an edit of its own: choose another --out.")


def write_tracks(
    changes: EditMap, tracks: Sequence[Track], outputs: Sequence[Path], seed: int, marked: bool
) -> Iterator[dict[str, Any]]:
    """Write tracks with an edit's changes, and give each one's entry in its edit.json.

    ``marked``: note the cuts in the file. InputError if a track can't be read or written.
    """
    for track, out in zip(tracks, outputs, strict=True):
        recording = track.open()
        patches = mirrored(recording, changes.samples, changes.sample_rate, seed)
        cuts = traces_after(recording, patches, [None] * len(patches), "") if marked else ()
        text = comment(recording, patches, cuts, out)
        write_edited(recording, patches, out, text)
        output = {"name": out.name, "sha256": sha256_of(out)}
        yield {"path": str(track.path), "sha256": recording.sha256, "output": output}


def is_own_output(record: Mapping[str, Any], path: Path) -> bool:
    """True if an edit.json, whoever wrote it, names a file as a track's, unchanged since."""
    listed = record.get(TRACKS)
    own = {"name": path.name, "sha256": sha256_of(path)}
    return any(
        isinstance(each, Mapping) and each.get("output") == own
        for each in (listed if isinstance(listed, list) else ())
    )
