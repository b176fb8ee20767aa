"""Puts the chosen takes into the recording and writes what a visitor takes home, in the worker.

The result is an `EditedRecording` like any other: the same sound file, edit.json and exports. Every
take brings the samples that were heard on the page; nothing is made anew here.
"""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from a3t.audio.analysis.loudness import loudness as measured
from a3t.audio.output.files import safe_name
from a3t.audio.output.muxing import FORMATS
from a3t.audio.output.patches import Patch
from a3t.audio.output.provenance import Weights, comment
from a3t.audio.output.records import record_path, with_bare_names, write_json
from a3t.audio.output.writing import write_edited
from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.plan.request import EditRequest, Pronunciations, Track, pronunciations_of
from a3t.projects.export.export_kinds import export_files, is_here
from a3t.projects.export.exports import ExportError, export
from a3t.projects.store.folder import LOUD, MIX, REQUEST, SAID_FOLDER, TAKE_FILE
from a3t.projects.store.project_state import SpeakerTrack
from a3t.projects.store.words import HeardWords
from a3t.projects.take_record import Mix, TakeRecord
from a3t.projects.takes import (
    PLACES_ENTRY,
    MadeEdit,
    Take,
    alignment_within,
    merged_takes,
)
from a3t.rendering.edited import EditedRecording, WordScore
from a3t.source.records import AlignedRecording
from alignment import Alignment
from alignment.atomic import staging
from app.studio.work.listening import editor_step
from app.studio.work.tracks import alone, mixed

if TYPE_CHECKING:
    from a3t.editor import Editor

TEXTS = ("textgrid", "labels", "srt", "vtt", "csv", "md", "docx")
TIMELINES = ("edl", "fcpxml", "rpp", "otio", "xml")
PROJECTS = {".otio", ".xml", ".fcpxml", ".rpp"}  # which name the files that they play


def exports_here() -> tuple[str, ...]:
    """Return the contents of a zip, as far as this machine can write them."""
    return tuple(kind for kind in (*TEXTS, *TIMELINES) if is_here(kind))


def mix_down(
    editor: Editor,
    recording: Recording,
    heard: HeardWords,
    takes: Sequence[Path],
    target: Path,
    suffix: str,
    film: bool,
    loudness: float | None = None,
    kinds: Sequence[str] | None = None,
    tracks: Sequence[tuple[str, Track]] = (),
    joined: Sequence[SpeakerTrack] = (),
    muted: Sequence[int] = (),
) -> Path:
    """Write a zip, {target}.zip, with the edited recording and all about it; return its path.

    takes: the folders of the chosen ones, in any order. film: whether it is to have the recording's
    picture with the edited sound. loudness: LUFS to which a file beside the others is brought, as
    far as its peaks allow. kinds: of exports, None for all that there are here. tracks: those in
    step, and what they are called. joined: those of which the recording consists; the mix of them
    is without those that are muted. Raises InputError if two takes change the same samples, or if
    the picture would no longer match.
    """
    folder, name = target.parent, target.name
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{name}.zip"
    with staging(folder) as stage:
        editor_step(editor, "splice")
        in_step = _called(tracks, stage / "tracks", {recording.path.stem, name})
        result = assembled(recording, heard, takes, in_step)
        editor_step(editor, "save")
        own = recording.path.suffix if joined else suffix
        text, out = stage / f"{name}.txt", stage / f"{name}{own}"
        text.write_text(f"{result.plan.new_text.text}\n", encoding="utf-8")
        result.save(out)
        record = json.loads(record_path(out).read_text(encoding="utf-8"))
        write_json(record_path(out), with_bare_names(record))
        kinds = exports_here() if kinds is None else kinds
        files = [text, out, record_path(out)]
        try:
            made = export(result, out, kinds)
        except ExportError as error:  # which takes nothing else with it
            made, failed = error.made, stage / "Not exported.txt"
            failed.write_text(f"{error}\n", encoding="utf-8")
            files.append(failed)
        for path in made:
            if path.suffix in PROJECTS:  # both sounds lie beside it for whoever unpacks
                _name_bare(path, (out.parent, recording.path.parent))
        files += [path for path in export_files(out, kinds) if path.exists()]
        if joined:
            files += _as_tracks(result, out, suffix, joined, muted, loudness)
        elif loudness is not None:
            files.append(_louder(Recording.open(out), out, loudness))
        said = dict.fromkeys(each.recording.path for each in result.source_edits)  # for takes
        files += [path for path in said if path != recording.path]
        files += [*result.track_outputs(out), *(track.path for track in in_step)]
        files += [recording.path, *([_film(result, stage / "film" / name)] if film else [])]
        packed = stage / "all.zip"
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
            for file in files:
                archive.write(file, file.name)
        packed.replace(target)
    return target


def _called(
    tracks: Sequence[tuple[str, Track]], folder: Path, taken: set[str]
) -> tuple[Track, ...]:
    """Link tracks into a folder under the names that they are called.

    No other file of the zip, whose stems are ``taken``, has one of these, nor has another track's
    result.
    """
    folder.mkdir()
    found = []
    for name, track in tracks:
        path = own = folder / safe_name(name)
        for number in count(2):
            stems = {path.stem, f"{path.stem}.edited"}
            if taken.isdisjoint(stems):
                break
            path = own.with_stem(f"{own.stem}-{number}")
        taken |= stems
        path.symlink_to(track.path)
        found.append(replace(track, path=path))
    return tuple(found)


def _louder(sound: Recording, out: Path, level: float, text: str | None = None) -> Path:
    path = out.with_name(f"{out.stem}{LOUD}{out.suffix}")
    write_edited(sound, (), path, text, measured(sound).gain_to(level))
    return path


def _as_tracks(
    result: EditedRecording,
    out: Path,
    suffix: str,
    joined: Sequence[SpeakerTrack],
    muted: Sequence[int],
    loudness: float | None,
) -> list[Path]:
    """Write the result's mix, and each of its tracks; returns the files."""
    made, plain = Recording.open(out), out.with_name("mix.w64")
    text = comment(result.recording, result.patches, result.traces, out)
    mix = out.with_name(f"{out.stem}{MIX}{suffix}")
    mixed(made, joined, muted, plain)
    write_edited(Recording.open(plain), (), mix, text)
    files = (
        [mix] if loudness is None else [mix, _louder(Recording.open(plain), mix, loudness, text)]
    )
    for number, track in enumerate(joined):
        path = out.with_name(safe_name(f"{out.stem}.{track.name.lower()}{suffix}"))
        path = path.with_stem(f"{path.stem}-{number + 1}") if path in files else path
        alone(made, joined, number, plain)
        write_edited(Recording.open(plain), (), path, text)
        files.append(path)
    return files


def _name_bare(project: Path, folders: Sequence[Path]) -> None:
    """Name the files of these folders in a project without them."""
    text = project.read_text(encoding="utf-8")
    for folder in folders:
        seen = os.path.relpath(folder, project.parent)
        for name in (folder.resolve().as_uri(), str(folder), *([seen] if seen != "." else [])):
            text = text.replace(f"{name}/", "")
    project.write_text(text, encoding="utf-8")


def _film(result: EditedRecording, out: Path) -> Path:
    """Write the film with the edited sound, as its own kind of file or as Matroska."""
    out.parent.mkdir()
    alone = replace(result.plan.request, tracks=())
    result = replace(result, plan=replace(result.plan, request=alone))
    own = result.recording.path.suffix.lower()
    try:
        return result.save(out.with_name(f"{out.name}{own if own in FORMATS else '.mkv'}"))
    except InputError:
        return result.save(out.with_name(f"{out.name}.mkv"))


def assembled(
    recording: Recording, heard: HeardWords, takes: Sequence[Path], tracks: tuple[Track, ...] = ()
) -> EditedRecording:
    """Put these takes into the recording, and tracks in step."""
    tokens = heard.tokens
    parts = [part for take in takes if (part := KeptTake.read(take)).record.spans]
    parts.sort(key=lambda part: part.record.spans[0].source)
    place: dict[tuple[int, int], int] = {}
    for token in tokens:
        for k in range(len(token.words)):
            place[token.id, k] = len(place)
    source = heard.aligned(recording)
    mixes = [part.record.mix for part in parts if part.record.mix]
    cuts = [mix.cut for mix in mixes if mix.cut]
    request = EditRequest(
        new_text="",
        text=source.text.text,
        cuts=tuple(sorted(cuts, key=lambda cut: cut.start)),
        pronunciations=_said(mixes),
        tracks=tracks,
    )
    placed = [[(_placed(place, made), made) for made in part.edits()] for part in parts]
    entries = [
        part.entry([first for first, _ in edits], source.alignment, recording.sample_rate)
        for part, edits in zip(parts, placed, strict=True)
    ]
    nothing = Weights("none", None)
    first = parts[0].record if parts else None
    voice = next((part.record.voice for part in parts if part.record.voice), None)
    return merged_takes(
        source,
        request,
        [each for edits in placed for each in edits],
        tuple(entry for entry in entries if entry) if all(entries) else (),
        (first and first.model) or nothing,
        (first and first.vocoder) or nothing,
        voice,
    )


@dataclass(frozen=True)
class KeptTake:
    """A take as its folder has it: its record, its samples, and how it is made if that is known."""

    record: TakeRecord
    samples: np.ndarray
    take: Take | None
    others: tuple[AlignedRecording, ...]

    @classmethod
    def read(cls, folder: Path) -> KeptTake:
        """Read a take from its folder."""
        order = folder / REQUEST
        take = Take.from_json(json.loads(order.read_bytes())) if order.is_file() else None
        others = []
        for other in take.beside(folder.parents[2] / SAID_FOLDER).request.others if take else ():
            assert other.transcript is not None and other.alignment is not None
            recording = Recording.open(other.path)
            others.append(AlignedRecording(recording, other.transcript, other.alignment))
        samples = np.load(folder / "patch.npy", allow_pickle=False)
        return cls(TakeRecord.read(folder / TAKE_FILE), samples, take, tuple(others))

    def edits(self) -> Iterator[MadeEdit]:
        """Return its edits."""
        at, record = 0, self.record
        for k, span in enumerate(record.spans):
            patch = Patch(span.source, self.samples[at : at + span.length])
            at += span.length
            assert record.mix is not None  # where there are spans
            edit, scores = record.mix.edits[k], chain.from_iterable(record.scores[k : k + 1])
            said = tuple(WordScore(*each) for each in scores)
            yield MadeEdit(edit, patch, said, record.mix.rate, self.others)

    def entry(self, places: list[int], aligned: Alignment, rate: int) -> dict[str, Any] | None:
        """Return the take in an edit.json, its edits at these words.

        None if it is not known how it was made. Of its alignment only what differs from the
        recording's is told.
        """
        if self.take is None:
            return None
        own = alignment_within(aligned, self.take.stretch, rate)
        entry = self.take.to_json() | {PLACES_ENTRY: places}
        if own == self.take.alignment:
            del entry["alignment"]
        record = self.record
        by = {"model": record.model, "vocoder": record.vocoder, "voice": record.voice}
        return entry | {name: weights.to_json() for name, weights in by.items() if weights}


def _said(mixes: Iterable[Mix]) -> Pronunciations:
    """Return the pronunciations that the takes were made with."""
    said = {word: ways for mix in mixes for word, ways in mix.said.items()}
    return pronunciations_of({word: [way.split() for way in ways] for word, ways in said.items()})


def _placed(place: Mapping[tuple[int, int], int], made: MadeEdit) -> int:
    """Return the spoken word at which an edit begins."""
    token, within = made.edit.anchor
    if (token, within) in place:
        return place[token, within]
    if (token, within - 1) in place:  # after the last word
        return place[token, within - 1] + 1
    raise InputError(
        f"The transcript was corrected inside the change {made.named}: make the change again."
    )
