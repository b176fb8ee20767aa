"""One edit as the command line asks for it: what the single command and the batch share."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from a3t.asked import Asked
from a3t.audio.recording import Recording
from a3t.audio.writing import check_output, default_output
from a3t.commands import text_argument
from a3t.errors import InputError
from a3t.plan.files import read_plan
from a3t.source.transcripts import SIDECARS
from a3t.text.transcript import Transcript
from alignment.formats.dictionary import user_dictionary

if TYPE_CHECKING:
    from a3t.editor import Editor
    from a3t.plan.records import EditPlan
    from a3t.projects.history import History
    from a3t.projects.project import Project
    from a3t.records import EditedRecording


@dataclass(frozen=True)
class Order:
    """An edit that was asked for, checked as far as it can be without the models."""

    recording: Recording
    text: str | None
    new_text: str
    out: Path
    options: argparse.Namespace
    manner: Asked
    history: History | None = None  # if it is a next version of something


def order(options: argparse.Namespace) -> Order:
    """The order that the parsed options are; InputError if it can be refused at once."""
    given = read_plan(options.plan_file) if options.plan_file else None
    new_text = text_argument(options.new_text) if given is None else given.new_text
    text = None if given is None else given.text
    text = text_argument(options.text) if options.text is not None else text
    lengths = None if given is None else given.lengths
    said = tuple((word, tuple(ways)) for word, ways in user_dictionary(options).items())
    manner = Asked(
        options.speed, options.fit, options.margin / 1000, options.duration, lengths,
        match=options.match, pronunciations=said,
    )  # fmt: skip
    recording = Recording.open(options.wav)
    Transcript.from_text(new_text, max_words=None)
    out = options.out or default_output(options.wav)
    if not options.plan:
        check_output(recording, out)
    return Order(recording, text, new_text, out, options, manner)


def as_next_version(asked: Order, project: Project) -> Order:
    """The order as an edit of the project's original, which goes on with its last version."""
    text = asked.text
    if project.source.path != asked.recording.path:
        says = str(project.history.current["new_text"])
        if (
            text is not None
            and Transcript.from_text(text).spoken != Transcript.from_text(says).spoken
        ):
            raise InputError(
                f"{asked.recording.path.name} was made to say “{says}”: leave --text away, or "
                "move its edit.json elsewhere if it says something else now."
            )
        text = None
    check_output(project.source, project.out)
    return replace(
        asked,
        recording=project.source,
        text=project.text if text is None and not finds_its_text(project, asked) else text,
        out=project.out,
        history=project.history,
    )


def finds_its_text(project: Project, asked: Order) -> bool:
    """Whether the text is better looked for again: a given alignment has one, and that beside a
    long recording may have times, which say where to look."""
    beside = any(project.source.path.with_suffix(suffix).is_file() for suffix in SIDECARS)
    long = bool(project.history.current.get("aligned_words"))
    return asked.options.alignment is not None or (long and beside)


def plan(editor: Editor, asked: Order) -> EditPlan:
    """What is to be done; raises InputError or AlignmentError."""
    options = asked.options
    editor.recogniser = options.recogniser
    texts = (asked.new_text, asked.text, options.alignment)
    return editor.plan(asked.recording, *texts, asked=asked.manner)


def make(editor: Editor, asked: Order, planned: EditPlan) -> list[EditedRecording]:
    """The result, or as many candidates as were asked for, the best first; each one checked."""
    from a3t.candidates import make_candidates, make_heard

    options = asked.options
    if options.candidates == 1:
        results = [make_heard(editor, asked.recording, planned, options.seed)]
    else:
        results = make_candidates(
            editor, asked.recording, planned, options.candidates, options.seed
        )
    base = None if asked.history is None else asked.history.base(asked.new_text)
    if asked.history is None or base is None:
        return results
    from a3t.projects.history import keep
    from a3t.projects.replay import remake

    before = remake(editor, asked.recording, asked.history.chain(base))
    return [keep(before, result) for result in results]


def notes_of(asked: Order, result: EditedRecording) -> dict[str, Any]:
    """What the edit.json of a next version says of the others; nothing for a first one."""
    if asked.history is None:
        return {}
    continues = {"continues": asked.history.base(asked.new_text)}
    return continues | asked.history.with_next(result.record | continues).to_json()


def write(
    results: list[EditedRecording],
    out: Path,
    exports: Sequence[str] = (),
    provenance: bool = True,
    notes: Callable[[EditedRecording], Mapping[str, Any]] = lambda result: {},
) -> list[Path]:
    """Write the results, the best as ``out``, the others as its stem.2, .3 …

    ``provenance`` as for `EditedRecording.save`, and ``notes`` of each. The best one's ``exports``
    (`a3t.projects.exports`) are written as well; returns their paths.
    """
    from a3t.projects.exports import export

    for rank, result in enumerate(results, 1):
        to = out if rank == 1 else out.with_name(f"{out.stem}.{rank}{out.suffix}")
        result.save(to, provenance, notes(result))
    return export(results[0], out, exports)
