"""The result of an edit: a recording with its patches, its alignment, the tracks in step with it.

Nothing is written until it is saved. Its alignment lets it be edited again without aligning it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from a3t.audio.output.files import sha256_of, staged_beside
from a3t.audio.output.patches import Patch, sample_map
from a3t.audio.output.provenance import Trace, Weights, comment, models_named, traces_after
from a3t.audio.output.records import (
    RECORD_ENTRY,
    check_record,
    record_and_sound,
    record_path,
    write_json,
)
from a3t.audio.output.writing import CONTAINERS, check_output, default_output, write_edited
from a3t.audio.reading.recording import Recording
from a3t.audio.splicing.channels import mirrored
from a3t.audio.splicing.emphasis import Raised
from a3t.errors import InputError
from a3t.plan.edit_plan import EditPlan
from a3t.plan.request import Track
from a3t.spans import EditMap, Span
from alignment.atomic import put_in_place
from alignment.result import DOUBTFUL_BELOW

TRACKS_ENTRY = "tracks"  # in an edit.json


@dataclass(frozen=True, slots=True)
class WordScore:
    """A new word, and the aligner's confidence in it in the result, 0 to 1."""

    word: str
    score: float


@dataclass(frozen=True, slots=True)
class ReusedExcerpt:
    """Samples ``source`` of the result of one of `EditPlan.source_edits`, put into a patch.

    begin: where in the patch. exact: whether they are the same samples there, not resampled or
    brought to a level.
    """

    origin: int
    source: Span
    begin: int
    exact: bool


@dataclass(frozen=True, slots=True)
class RecordedPart:
    """Samples of a result that are recorded elsewhere.

    path, source: the file and its samples, at its own rate. output: where they are in the result.
    exact: whether they are equal there. punch_in: whether they were recorded for it.
    """

    path: Path
    source: Span
    output: Span
    exact: bool
    punch_in: bool = False

    def to_json(self, recording: Path) -> dict[str, Any]:
        """Return its entry in an edit.json; with the path if it differs from the recording's."""
        entry: dict[str, Any] = {"source": list(self.source), "output": list(self.output)}
        if self.path != recording:
            entry["path"] = str(self.path)
        entry |= {"punch_in": True} if self.punch_in else {}
        return entry | ({} if self.exact else {"exact": False})


@dataclass(frozen=True)
class EditedRecording:
    """A plan's recording with its patches; nothing is written until `save`.

    patches: one per edit of the plan. voice: the one adapted to. seconds: time spent per step.
    scores: for each edit, those of its new words; None if not verified. raised: for each edit, how
    its emphasised words were raised. candidate: rank and merits among several
    (`a3t.rendering.candidates`). source_edits: the results of the plan's; excerpts: for each edit,
    what its patch takes from them. takes: how its edits were made, if each was made alone
    (`a3t.projects.takes`).
    """

    plan: EditPlan
    patches: tuple[Patch, ...]
    model: Weights
    vocoder: Weights
    voice: Weights | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    scores: tuple[tuple[WordScore, ...], ...] | None = None
    raised: tuple[tuple[Raised, ...], ...] = ()
    candidate: dict[str, float] | None = None
    source_edits: tuple[EditedRecording, ...] = ()
    excerpts: tuple[tuple[ReusedExcerpt, ...], ...] = ()
    takes: tuple[Mapping[str, Any], ...] = ()

    @property
    def recording(self) -> Recording:
        """The source."""
        return self.plan.recording

    @cached_property
    def map(self) -> EditMap:
        """The mapping between source and result, in both directions."""
        samples = sample_map(self.recording, self.patches)
        return EditMap(samples, self.plan.words, self.recording.sample_rate)

    @property
    def doubtful(self) -> tuple[str, ...]:
        """New words that can hardly be heard in the result."""
        elsewhere = [word for origin in self.source_edits for word in origin.doubtful]
        made = [w.word for words in self.scores or () for w in words if w.score < DOUBTFUL_BELOW]
        return (*elsewhere, *made)

    def save(
        self,
        out: Path | str | None = None,
        provenance: bool = True,
        notes: Mapping[str, Any] | None = None,
    ) -> Path:
        """Write the sound file and its edit.json beside it; returns the sound file's path.

        ``out`` defaults to {stem}.edited.wav beside the recording. With ``provenance`` the file's
        comment says which parts are synthetic (`a3t.audio.output.provenance`). ``notes`` are
        further entries for edit.json. Raises InputError, and leaves nothing behind, if it can't be
        written.
        """
        out = Path(out) if out is not None else default_output(self.recording.path)
        self.check(out)
        with staged_beside(out) as stage:
            self.write_files(stage / out.name, provenance, notes)
            put_in_place(self.renames(stage, out))
        return out

    def track_outputs(self, out: Path) -> list[Path]:
        """Return the files of the tracks in step, beside ``out``."""
        return track_outputs(out, self.recording.path, self.plan.request.tracks)

    def renames(self, stage: Path, out: Path) -> list[tuple[Path, Path]]:
        """Return the renames that put all that `write_files` has written to ``stage`` in place."""
        tracks = [(stage / path.name, path) for path in self.track_outputs(out)]
        return [*tracks, *record_and_sound(stage, out)]

    def write_files(
        self, out: Path, provenance: bool = True, notes: Mapping[str, Any] | None = None
    ) -> None:
        """Write the files of `save` to a folder where nothing else is."""
        traces = self.traces if provenance else ()
        text = comment(self.recording, self.patches, traces, out)
        write_edited(self.recording, self.patches, out, text)
        output = {"sha256": sha256_of(out), "ending": out.suffix}
        record = self.record | {"output": output, "provenance": provenance, **(notes or {})}
        if tracks := self.plan.request.tracks:
            paths = self.track_outputs(out)
            written = write_tracks(self.map, tracks, paths, self.plan.request.seed, provenance)
            record[TRACKS_ENTRY] = list(written)
        write_json(record_path(out), record)

    @cached_property
    def traces(self) -> tuple[Trace, ...]:
        """The traces that the result's file carries."""
        edits = self.plan.edits  # a pause is nothing that is said
        words = [edit.new_words if edit.new[0] < edit.new[1] else None for edit in edits]
        made_by = models_named(self.model, self.voice, self.vocoder)
        within = {
            k: [
                trace.at(trace.start + shift, trace.end + shift)
                for excerpt, (first, last), shift in self.placed(k)
                for trace in self.source_edits[excerpt.origin].traces
                if first < trace.end and trace.start < last
            ]
            for k, excerpts in enumerate(self.excerpts)
            if excerpts
        }
        return traces_after(self.recording, self.patches, words, made_by, within)

    def placed(self, k: int) -> Iterator[tuple[ReusedExcerpt, tuple[float, float], float]]:
        """Yield the excerpts that edit ``k`` takes from elsewhere.

        Each comes with [start, end) in its origin's seconds, and how much later it is in this one.
        """
        start = self.map.samples.changes[k].output[0]
        for excerpt in self.excerpts[k]:
            seconds = self.source_edits[excerpt.origin].map.seconds
            first, last = map(seconds, excerpt.source)
            yield excerpt, (first, last), self.map.seconds(start + excerpt.begin) - first

    def check(self, out: Path | str | None = None) -> Path:
        """Return the path that `save` will write to; raise InputError if it would fail."""
        out = Path(out or default_output(self.recording.path))
        check_record(record_path(out), RECORD_ENTRY, out)
        check_track_outputs(self.plan.request.tracks, self.track_outputs(out))
        return check_output(self.recording, out)

    @property
    def record(self) -> dict[str, Any]:
        """The contents of edit.json.

        Outside the ``output`` spans, the output is identical, sample for sample, to the source
        outside the ``source`` spans.
        """
        requested = self.plan.requested
        differences = [each.to_json() for each in self.plan.differences]
        more = {
            "voice": self.voice and self.voice.to_json(),
            "candidate": self.candidate,
            "takes": list(self.takes),
            "differences": differences,
            "unheard": list(self.plan.unheard),
        }
        return {
            "source": self.recording.to_json(),
            "format": requested["format"],
            "text": requested["text"],
            "new_text": requested["new_text"],
            "edits": self._edits(),
            "rate": round(self.plan.rate, 4),
            "asked": requested["asked"],
            "alignment": requested["alignment"],
            "aligned_words": requested["aligned_words"],
            "doubts": [doubt.to_json() for doubt in self.plan.doubts],
            "model": self.model.to_json(),
            "vocoder": self.vocoder.to_json(),
            "seed": self.plan.request.seed,
            "seconds": {name: round(value, 3) for name, value in self.seconds.items()},
        } | {name: value for name, value in more.items() if value}

    def recorded_parts(self, k: int) -> list[RecordedPart]:
        """Return the stretches of edit ``k`` that are recorded elsewhere, in order."""
        parts: list[RecordedPart] = []
        start = self.map.samples.changes[k].output[0]
        made_for_it = {taken.origin for taken in self.plan.edits[k].taken if taken.punch_in}
        for excerpt in self.excerpts[k] if self.excerpts else ():
            origin = self.source_edits[excerpt.origin]
            ratio = self.recording.sample_rate / origin.recording.sample_rate
            for kept in origin.map.samples.kept():
                first = max(kept.output[0], excerpt.source[0])
                last = min(kept.output[1], excerpt.source[1])
                if first < last:
                    shift = kept.source[0] - kept.output[0]
                    begin = start + excerpt.begin + round((first - excerpt.source[0]) * ratio)
                    output = begin, begin + round((last - first) * ratio)
                    source = first + shift, last + shift
                    how = excerpt.exact, excerpt.origin in made_for_it
                    parts.append(RecordedPart(origin.recording.path, source, output, *how))
        return parts

    def _edits(self) -> list[dict[str, Any]]:
        edits: list[dict[str, Any]] = [
            {
                "op": edit.op,
                "old_words": edit.old_words,
                "new_words": edit.new_words,
                "source": list(change.source),
                "output": list(change.output),
                "scale": round(edit.scale, 4),
                "words": [word.shown() for word in edit.words],
            }
            for edit, change in zip(self.plan.edits, self.map.samples.changes, strict=True)
        ]
        for entry, planned, raised in zip(edits, self.plan.edits, self.raised, strict=False):
            stressed = [word.text for word in planned.words if word.emphasis]
            if stressed:
                entry["emphasis"] = [
                    {"word": word, "semitones": round(x.semitones, 2), "dB": round(x.decibels, 2)}
                    for word, x in zip(stressed, raised, strict=True)
                ]
        for k, entry in enumerate(edits):
            if parts := self.recorded_parts(k):
                entry["taken"] = [part.to_json(self.recording.path) for part in parts]
        for entry, words in zip(edits, self.scores or (), strict=False):
            entry["heard"] = [{"word": w.word, "score": w.score} for w in words]
        return edits


def track_outputs(out: Path, recording: Path, tracks: Sequence[Track]) -> list[Path]:
    """Name the tracks' files beside an edit's output.

    They are named as that is named after its recording: talk.edited.wav makes guest.edited.wav, and
    mix.wav mix.guest.wav. Raises InputError if two would have one name.
    """
    ending = out.suffix if out.suffix.lower() in CONTAINERS else ".wav"
    name = out.stem.removeprefix(recording.stem)
    after = len(name) < len(out.stem) and name.startswith(".")
    paths = [
        out.with_name(
            f"{track_name}{name}{ending}" if after else f"{out.stem}.{track_name}{ending}"
        )
        for track_name in (track.path.stem for track in tracks)
    ]
    if len({*paths, out}) <= len(paths):
        raise InputError(
            "Two of these tracks have the same name, and so would their results: rename one."
        )
    return paths


def check_track_outputs(tracks: Sequence[Track], outputs: Sequence[Path]) -> None:
    """Raise InputError if one of the tracks' files can't be written, or is an edit of its own."""
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
    """Return whether an edit.json, whoever wrote it, names a file as a track's, unchanged since."""
    listed = record.get(TRACKS_ENTRY)
    identity = {"name": path.name, "sha256": sha256_of(path)}
    return any(
        isinstance(each, Mapping) and each.get("output") == identity
        for each in (listed if isinstance(listed, list) else ())
    )
