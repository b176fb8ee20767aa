"""Change what a recording says, by `a3t edit IN --new-text TEXT`.

Only the words that differ are synthesised; everything else stays as it was recorded.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from a3t.commands.editing.edit_options import parser, project_edit
from a3t.commands.options import check_replaced, write_and_report
from a3t.console import Progress, importing, run, say
from a3t.errors import InputError

if TYPE_CHECKING:
    from a3t.editor import Editor
    from a3t.projects.project import History, RecordState
    from a3t.projects.project_edit import ProjectEdit
    from a3t.rendering.edited import EditedRecording
    from a3t.source.differences import Difference

# Options that mean nothing in a list, those that mean nothing outside one, and those of --replay,
# --undo, --redo and --history, which repeat a recorded edit.
SINGLE = (
    *("wav", "new_text", "out", "plan", "replay", "undo", "redo", "history", "tracks", "said"),
    "said_by",
)
LISTS = ("out_dir", "jobs", "scheduler")
AGAIN = {"wav", "out", "export", "no_provenance", "json", "model", "vocoder", "device"}
FLAGS = {"others": "from", "tracks": "with"}  # options that Python has no name for
UNSURE = (
    "Nothing was made, because some of these differences may be misheard words. Choose those to "
    "make by their numbers, all with --changes all, or give what the recording says now with "
    "--text. Those with an x"
)


def main(arguments: list[str]) -> int:
    """Run `a3t edit` and return its exit code."""
    options = parser().parse_intermixed_args(arguments)
    if options.manifest:
        refuse_without_effect(options, "--manifest", SINGLE)
        if not options.out_dir:
            parser().error("--manifest needs --out-dir")
        return run(lambda: edit_list(options))
    refuse_without_effect(options, "one edit: they need --manifest", LISTS)
    back = [name for name in ("replay", "undo", "redo", "history") if getattr(options, name)]
    if back:
        useful = {"replay": {"yes"}, "history": {"track"}}.get(back[0], {"yes", "track"})
        useful |= AGAIN | {back[0]}
        refuse_without_effect(options, f"--{back[0]}", vars(options).keys() - useful)
        if back[0] == "replay":
            return run(lambda: again(options))
        if not options.wav:
            parser().error(f"--{back[0]} needs the recording")
        return run(lambda: go_back(options))
    if not options.wav or (options.new_text is None and not options.plan_file):
        parser().error("name the recording, and give --new-text")
    if options.new_text is not None and options.plan_file:
        parser().error("--plan-file has its own new text: omit --new-text")
    return run(lambda: edit(options, arguments))


def refuse_without_effect(options: argparse.Namespace, where: str, names: Collection[str]) -> None:
    """End with wrong usage if one of these options is given, which would be ignored."""
    usual = parser()
    given = [name for name in names if getattr(options, name) != usual.get_default(name)]
    if given:
        flags = ", ".join(f"--{FLAGS.get(name, name).replace('_', '-')}" for name in sorted(given))
        usual.error(f"{flags} would have no effect with {where}")


def edit(options: argparse.Namespace, arguments: Sequence[str]) -> None:
    """Carry out the parsed command; its arguments are for the command that a message proposes.

    Raises InputError.
    """
    # Reject bad input before loading the models, which takes seconds.
    server = None
    if options.said_by is not None:
        from a3t.fetching.speech_server import SpeechServer

        server = SpeechServer.of(options.said_by)
    job = project_edit(options)
    if about := job.recording.about_track:
        say(about)

    with importing():
        from a3t.editor import Editor
    from a3t.commands.editing.difference_list import command_for, show
    from a3t.commands.editing.edit_doubts import (
        chosen_plan,
        confirm_doubts,
        doubts_of,
        offer_recogniser,
        show_restored,
        show_transcript,
    )
    from a3t.projects.project import find_project
    from a3t.source.alignments import default_folder
    from a3t.source.differences import UnchangedError, UnsureError

    progress = Progress()
    progress("read")
    if project := find_project(job.recording, options.out):
        job = job.continuing(project)
    if not options.plan:
        for sound, tracks in job.sounds.items():
            check_replaced(sound, yes=options.yes, tracks=tracks)
    if not options.yes:
        asked = job.request
        offer_recogniser(job.recording.path, asked.text, asked.alignment, asked.recogniser)
    names = (options.model, options.vocoder, options.device)
    editor = Editor.load(*names, progress, cache_dir=default_folder(), voice=options.voice)
    ask = not (options.plan or options.yes or options.changes is not None)
    try:
        job, plan = chosen_plan(editor, job, ask)
    except (UnsureError, UnchangedError) as error:
        if isinstance(error, UnsureError) and error.warning:
            say(error.warning)
        show(error.differences, job.recording.sample_rate)
        if options.plan:
            print_unmade(editor, job, error.differences, options.json)
        if isinstance(error, UnchangedError):
            raise
        command = command_for(error.differences, arguments)
        raise InputError(f"{UNSURE}: {command}") from None
    show_transcript(plan)
    show_restored(plan)
    if server is not None and not options.plan:
        from a3t.commands.editing.said_by import said_by

        progress("speak")
        job, plan = said_by(server, editor, job, plan)
    doubts = doubts_of(plan, options.voice)
    confirm_doubts(doubts, ask, strict=options.strict)
    if options.plan:
        say("") if sys.stderr.isatty() else None
        print(json.dumps(plan.to_json(), indent=1) if options.json else plan.describe())
        return
    results = job.make(editor, plan)
    provenance = not options.no_provenance
    write_and_report(
        lambda: job.write(results, provenance),
        lambda exported: report(results, job.out, options, provenance, exported),
    )
    if job.history:
        say(f"This is version {job.history.place + 2}; --undo restores the previous one.")


def print_unmade(
    editor: Editor, job: ProjectEdit, differences: Sequence[Difference], as_json: bool
) -> None:
    """Print the plan of the ticked differences, which isn't carried out; all of them as JSON."""
    if any(each.ticked for each in differences):
        plan = job.choosing("ticked").plan(editor)
        print(json.dumps(plan.to_json(), indent=1) if as_json else plan.describe())
    elif as_json:
        print(json.dumps({"edits": [], "differences": [each.to_json() for each in differences]}))


def edit_list(options: argparse.Namespace) -> None:
    """Carry out --manifest; raises InputError."""
    from a3t.commands.editing.edit_list import edit_all

    edit_all(options, parser())


def again(options: argparse.Namespace) -> None:
    """Carry out --replay; raises InputError."""
    from a3t.audio.output.writing import default_output
    from a3t.projects.project import History, read_record, source_of
    from a3t.projects.replay import replay

    progress = Progress()
    progress("read")
    record = read_record(options.replay)
    out = options.out or default_output(options.wav or source_of(options.replay, record))
    check_replaced(out, yes=options.yes)
    result = replay(options.replay, options.wav, *models(options), options.device, progress)
    save_version(result, History.of(record), out, options, None)


def go_back(options: argparse.Namespace) -> None:
    """Carry out --undo, --redo and --history; raises InputError."""
    from a3t.audio.reading.recording import Recording
    from a3t.editor import Editor
    from a3t.projects.project import open_project
    from a3t.projects.replay import remake
    from a3t.source.alignments import default_folder

    project = open_project(Recording.open(options.wav, options.track), options.out)
    if options.history:
        print(f"{project.out}, made from {project.source.path}")
        print(project.history.describe())
        return
    history = project.history.undo() if options.undo else project.history.redo()
    check_replaced(project.out, yes=options.yes)
    model, vocoder = models(options)
    editor = Editor.load(
        model or history.current["model"]["name"],
        vocoder or history.current["vocoder"]["name"],
        options.device,
        Progress(),
        default_folder(),
    )
    result = remake(editor, project.source, history.chain())
    save_version(result, history, project.out, options, (project.seen,))


def others(count: int) -> str:
    """Name the results beside the best one."""
    return f"{count} others" if count > 1 else "one other"


def models(options: argparse.Namespace) -> tuple[str | None, str | None]:
    """Return the model and the vocoder given on the command line, else None: edit.json's."""
    usual = parser()
    model, vocoder = (
        None if getattr(options, name) == usual.get_default(name) else getattr(options, name)
        for name in ("model", "vocoder")
    )
    return model, vocoder


def save_version(
    result: EditedRecording,
    history: History,
    out: Path,
    options: argparse.Namespace,
    seen: tuple[RecordState] | None,
) -> None:
    """Write a version that was made again, and say so if it differs from the first time."""
    from a3t.audio.output.files import sha256_of
    from a3t.projects.project_edit import write

    record = history.current
    provenance = record.get("provenance", True) and not options.no_provenance
    alone = len(history.versions) == 1 and history.place == 0
    current = record if history.place >= 0 else result.record
    notes = {} if alone else {**history.to_json(current), "continues": record.get("continues")}
    write_and_report(
        lambda: write([result], out, options.export, provenance, lambda result: notes, (), seen),
        lambda exported: report(
            [result], out, options, provenance, exported, original=history.place < 0
        ),
    )
    before = (record.get("output") or {}).get("sha256")
    if before and before != sha256_of(out):
        say("Not bit-identical to the original: another version or machine made it.")


def report(
    results: list[EditedRecording],
    out: Path,
    options: argparse.Namespace,
    provenance: bool,
    exported: list[Path],
    *,
    original: bool = False,
) -> None:
    """Report the written files; the best result is ``out``, which has no change if ``original``."""
    from a3t.audio.output.muxing import encoded_again
    from a3t.audio.output.provenance import provenance_of
    from a3t.audio.output.records import record_path
    from a3t.audio.reading.formats import speech_codec

    best = results[0]
    if options.json:
        print(record_path(out).read_text(encoding="utf-8"), end="")
    else:
        undone = "This is the original again; --redo brings the changes back."
        say(undone if original else best.plan.describe())
        say(f"Written: {out}" + (f" and {others(len(results) - 1)}" if len(results) > 1 else ""))
        for path in (*best.track_outputs(out), *exported):
            say(f"Written: {path}")
    if provenance and best.patches and not provenance_of(out).traces:
        say(f"A {out.suffix} file can't record which parts are synthetic: keep its edit.json.")
    if codec := encoded_again(out):
        say(
            f"All sound in {out.name} was encoded again ({codec}): a name that ends in .mov "
            "or .mkv keeps it sample for sample."
        )
    if codec := speech_codec(best.plan.recording.subtype):
        say(f"{out.name} has the samples of {codec} as {best.plan.recording.format} ones.")
    if best.doubtful:
        words = ", ".join(f"“{word}”" for word in best.doubtful)
        it = "it" if len(best.doubtful) == 1 else "they"
        say(f"Listen to {words}: {it} may be unclear.")
