"""One edit with its files: what the single command, a batch and the page share."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from a3t.audio.output.files import check_no_link, check_target, staged_beside
from a3t.audio.output.muxing import check_in_sync
from a3t.audio.output.records import RECORD_ENTRY, check_record, record_path
from a3t.audio.output.writing import check_output
from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.grid import seconds_of
from a3t.plan.edit_limits import Seconds
from a3t.plan.edit_plan import EditPlan
from a3t.plan.request import EditRequest, OtherRecording, Track, identified, tracks_of
from a3t.projects.export.export_kinds import export_files, export_paths, require_packages
from a3t.projects.export.exports import ExportError, export
from a3t.projects.project import History, Project, RecordState, record_state, with_earlier_sound
from a3t.rendering.edited import EditedRecording, check_track_outputs, track_outputs
from a3t.source.differences import Changes, Difference
from a3t.source.transcripts import SIDECARS
from alignment.atomic import locked, put_in_place
from alignment.serialisation import Record, from_json

if TYPE_CHECKING:  # it imports torch, and bad input should be refused before that
    from a3t.editor import Editor

MAX_PLAN_BYTES = 20_000_000  # bytes


def input_files(wav: Path, text: str | None, *named: Path | None) -> tuple[Path, ...]:
    """Return the files that an edit reads: those named, and maybe transcripts beside it.

    These are read where its text isn't given.
    """
    files = [wav, *named]
    if text is None:
        files += (wav.with_suffix(suffix) for suffix in SIDECARS)
    return tuple(path for path in files if path and path.is_file())


def outputs(out: Path, candidates: int) -> list[Path]:
    """Return the sound files of an edit: ``out`` for the best, stem.2, .3 … for the others."""
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
    """Raise InputError if one of an edit's files can't be written, or is one of its inputs.

    ``tracks``: those that are in step with the recording.
    """
    require_packages(kinds)
    written = [*outputs(out, candidates), *export_files(out, kinds)]
    for sound in outputs(out, candidates):
        check_output(recording, sound)
        check_record(record_path(sound), RECORD_ENTRY, sound)
        beside = track_outputs(sound, recording.path, tracks)
        check_track_outputs(tracks, beside)
        written += beside
    used = [path for path in (*inputs, *(track.path for track in tracks)) if path.exists()]
    for path in export_files(out, kinds):
        check_no_link(path)
    for path in written:
        check_target(path, recording.path)
        for source in used:
            if path.exists() and os.path.samefile(path, source):
                raise InputError(
                    f"{path} is an input of this edit and would be replaced: choose another "
                    "--out, or move it."
                )


def write(
    results: list[EditedRecording],
    out: Path,
    exports: Sequence[str] = (),
    provenance: bool = True,
    notes: Callable[[EditedRecording], Mapping[str, Any]] = lambda result: {},
    inputs: Sequence[Path] = (),
    seen: tuple[RecordState] | None = None,
) -> list[Path]:
    """Write the results, the best as ``out``, the others as {stem}.2, {stem}.3 and so on.

    ``provenance`` and ``notes``, for each result, as for `EditedRecording.save`. Also writes the
    best one's ``exports`` (`a3t.projects.export.exports`) and returns their paths. ``seen`` is the
    state of ``out``'s edit.json when the edit began. Raises InputError, and writes and replaces
    nothing, if a file can't be written or is one of ``inputs``, or if another edit has changed
    ``out``. An export that fails is an ExportError, once the edit and all others are written.
    """
    tracks = results[0].plan.request.tracks
    check_outputs(results[0].recording, out, len(results), exports, inputs, tracks)
    targets = outputs(out, len(results))
    with staged_beside(out) as stage:
        for result, target in zip(results, targets, strict=True):
            result.write_files(stage / target.name, provenance, notes(result))
        failed: ExportError | None = None
        try:
            export(results[0], out, exports, stage)
        except ExportError as error:
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
    if failed is not None:
        beside = [out.with_name(path.name) for path in failed.made]
        sentence = str(failed).replace(str(stage), str(out.parent))
        raise ExportError(f"{out} was written. {sentence}", beside)
    return export_paths(out, exports)


@dataclass(frozen=True)
class _PlanFileWord(Record):
    word: str
    seconds: Seconds


@dataclass(frozen=True)
class _PlanFileEdit(Record):
    words: tuple[_PlanFileWord, ...]


@dataclass(frozen=True)
class PlanFile(Record):
    """The entries of a printed plan (`EditPlan.to_json`) that an edit is made by.

    Somebody may have changed the seconds of its words.
    """

    text: str
    new_text: str
    edits: tuple[_PlanFileEdit, ...]
    source: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> PlanFile:
        """Read the plan in a file; raise InputError if it isn't one."""
        try:
            if path.stat().st_size <= MAX_PLAN_BYTES:
                return cls.from_json(json.loads(path.read_bytes()))
        except OSError as error:
            raise InputError(f"{path} can't be read: {error.strerror}.") from None
        except (ValueError, RecursionError):
            raise InputError(
                f"{path} is not a plan: print one with --plan --json, and change only the seconds "
                "of its words."
            ) from None
        raise InputError(f"{path} is too large for a plan.")

    @property
    def requested(self) -> dict[str, Any]:
        """The fields of `EditRequest` that it sets."""
        lengths = tuple(tuple(w.seconds for w in edit.words) for edit in self.edits if edit.words)
        return {"text": self.text, "new_text": self.new_text, "lengths": lengths}

    def check(self, path: Path, made: EditPlan) -> None:
        """Raise InputError if it doesn't fit the plan made from it.

        It is for another recording, or more than its seconds was changed.
        """
        if self.source.get("sha256") != made.recording.sha256:
            raise InputError(
                f"{path} is not a plan for {made.recording.path} (the sha256 differs): plan the "
                "edit again."
            )
        told = [word.word for edit in self.edits for word in edit.words]
        planned = [word.shown()["word"] for edit in made.edits for word in edit.words]
        for old, new in zip(told, planned, strict=False):
            if old != new:
                raise InputError(
                    f"{path} has “{old}” where its new text has “{new}”: change only the seconds, "
                    "and plan the edit again for other words."
                )


@dataclass(frozen=True)
class ProjectEdit:
    """A recording, the request for it, the output, and the history that it continues, if any.

    Everything that can be checked without the models has been.
    """

    recording: Recording
    request: EditRequest
    out: Path
    history: History | None = None
    inputs: tuple[Path, ...] = ()
    exports: tuple[str, ...] = ()
    seen: tuple[RecordState] | None = None
    plan_file: Path | None = None

    def check_files(self) -> None:
        """Raise InputError if one of the files that this edit makes can't be written."""
        count = self.request.candidates
        tracks = identified(self.request.tracks, self.recording)
        check_outputs(self.recording, self.out, count, self.exports, self.inputs, tracks)

    @property
    def sounds(self) -> dict[Path, list[Path]]:
        """The sound file of each result, the best first, with those of the tracks in step."""
        return {
            out: track_outputs(out, self.recording.path, self.request.tracks)
            for out in outputs(self.out, self.request.candidates)
        }

    def continuing(self, project: Project) -> ProjectEdit:
        """Return the request as an edit of the project's original that continues its version."""
        earlier = EditRequest.from_json(project.history.current)
        text = self.request.text
        if project.source.path != self.recording.path:
            given = self.request.transcript
            if given is not None and given.spoken != earlier.new_transcript.spoken:
                raise InputError(
                    f"{self.recording.path.name} was made to say “{earlier.new_text}”: omit "
                    "--text, or move its edit.json elsewhere if it says something else now."
                )
            text = None
        left: tuple[Difference, ...] = ()
        if text is None and not self._finds_its_text(project):
            text = project.text
            listed = project.history.current.get("differences") or ()
            differences = from_json(tuple[Difference, ...], list(listed))
            left = tuple(each for each in differences if not each.ticked)
        own = {word for word, _ in self.request.pronunciations}
        remembered = [each for each in project.history.pronunciations if each[0] not in own]
        pronunciations = (*self.request.pronunciations, *remembered)
        request = replace(
            self.request,
            text=text,
            left=left,
            pronunciations=pronunciations,
            cuts=self.request.cuts or earlier.cuts,
            others=_with(self.request.others, earlier.others),
            tracks=tracks_of((*earlier.tracks, *self.request.tracks)),
        )
        # The files beside the output were written with it, unless they are named explicitly.
        written = {project.out, *(project.out.with_suffix(suffix) for suffix in SIDECARS)}
        if self.request.alignment is not None:
            written.discard(self.request.alignment)
        edit = replace(
            self,
            recording=project.source,
            request=request,
            out=project.out,
            history=project.history,
            inputs=tuple(path for path in self.inputs if path not in written),
            seen=(project.seen,),
        )
        edit.check_files()
        return edit

    def choosing(self, changes: Changes) -> ProjectEdit:
        """Return the edit that makes these of the differences from a recognised text."""
        return replace(self, request=replace(self.request, changes=changes))

    def write(self, results: list[EditedRecording], provenance: bool = True) -> list[Path]:
        """Write the results of `make`, by `write`."""
        return write(
            results, self.out, self.exports, provenance, self.notes, self.inputs, self.seen
        )

    def _finds_its_text(self, project: Project) -> bool:
        """Return whether the text has to be looked for again.

        A given alignment has one, and a file beside a long recording may have times, which show
        where to align.
        """
        beside = any(project.source.path.with_suffix(suffix).is_file() for suffix in SIDECARS)
        long = bool(project.history.current.get("aligned_words"))
        return self.request.alignment is not None or (long and beside)

    def plan(self, editor: Editor) -> EditPlan:
        """Plan the edit; raise InputError if a plan file is for another one.

        Also if a film's picture and sound would no longer match.
        """
        plan = editor.plan(self.recording, self.request)
        made = [e for e in plan.edits if not e.is_cut and not e.taken]
        if changed := sum(e.frames - (e.source[1] - e.source[0]) for e in made):
            samples = round(seconds_of(changed) * self.recording.sample_rate)
            check_in_sync(self.recording, self.recording.samples + samples, self.out)
        if self.plan_file is not None:
            PlanFile.read(self.plan_file).check(self.plan_file, plan)
        return plan

    def make(self, editor: Editor, plan: EditPlan) -> list[EditedRecording]:
        """Make the results that the plan requests, the best first.

        The previous version's edits sound as they did there.
        """
        results = editor.make(plan)
        if self.history is None or self.base is None:
            return results
        from a3t.projects.replay import as_it_sounds

        before = as_it_sounds(editor, self.recording, self.history, self.base, self.out)
        return [with_earlier_sound(before, result) for result in results]

    @property
    def base(self) -> int | None:
        """The version that this edit continues from; None for the original."""
        return (
            None
            if self.history is None
            else self.history.base(self.request.new_text, self.request.cuts)
        )

    def notes(self, result: EditedRecording) -> dict[str, Any]:
        """Return the history for the edit.json of a next version; empty for a first one."""
        if self.history is None:
            return {}
        continues = {"continues": self.base}
        return continues | self.history.with_next(result.record | continues).to_json()


def _with(
    others: tuple[OtherRecording, ...], earlier: tuple[OtherRecording, ...]
) -> tuple[OtherRecording, ...]:
    """Return the recordings that speech is taken from, and those it was taken from before."""
    named = {each.path.resolve() for each in others}
    return (*others, *(each for each in earlier if each.path.resolve() not in named))
