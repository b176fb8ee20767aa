"""Remove fillers, repetitions, noises and long pauses, by `a3t clean IN …`.

Findings are listed first, with their times; --plan lists them and changes nothing. The result is an
edit like any other, with the same history: `a3t edit --undo` reverses it.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from a3t.audio.output.files import no_empty_folders
from a3t.audio.output.writing import default_output
from a3t.audio.reading.recording import Recording
from a3t.commands.editing.edit_doubts import offer_recogniser
from a3t.commands.options import (
    add_dictionary_options,
    add_export_option,
    add_recogniser_option,
    add_table_options,
    add_tracks_option,
    check_replaced,
    file_named,
    option,
    table_options,
    text_argument,
    user_words,
    write_and_report,
)
from a3t.console import EXIT_CODES, Parser, complain, run, say, show_progress
from a3t.errors import InputError
from a3t.plan.cleaning import Cleaning, cleaning_of_lists, listed, not_named
from a3t.plan.options import CleaningOptions
from a3t.plan.request import KINDS
from a3t.projects.project import record_state
from a3t.projects.project_edit import ProjectEdit, input_files
from alignment.fillers import FILLERS

if TYPE_CHECKING:  # these import torch, and bad input should be refused before that
    from a3t.editor import Editor
    from a3t.plan.findings import Findings


def parser() -> argparse.ArgumentParser:
    """Return the parser of `a3t clean`."""
    result = Parser(
        prog="a3t clean",
        description="Remove fillers, repetitions, noises and long pauses from recordings.",
        epilog=f"LIST is separated by commas. {EXIT_CODES}",
    )
    option(result, "wav IN", "a recording", nargs="+")
    option(result, "--text TEXT", "its words, or @FILE")
    option(result, "--alignment FILE", "the times of the words: a TextGrid, JSON …")
    add_recogniser_option(result)
    add_dictionary_options(result)
    option(result, "--track N", "audio track to clean")
    add_tracks_option(result)
    option(result, "--out OUT", "default: {stem}.edited.wav beside IN")
    option(result, "--out-dir DIR", "folder for the results")
    usual = ",".join(KINDS)
    about = (
        f"what to look for (default: {usual}; also retake: what is said again; breath and click, "
        "which are muted)"
    )
    option(result, "--find LIST", about)
    about = "mute these words or phrases, such as names, and nothing else unless --find says so"
    option(result, "--mute LIST", about, default="")
    option(result, "--bleep LIST", "the same, with a tone over them", default="")
    about = "fillers in the transcript: words or phrases (default: %(default)s)"
    option(result, "--fillers LIST", about, default=",".join(FILLERS))
    add_table_options(result, CleaningOptions)
    about = "remove only these: numbers (3,5-9) or kinds from the list"
    option(result, "--only LIST", about, default="")
    option(result, "--except LIST", "keep these", default="", dest="excepted")
    option(result, "--plan", "list the finds, change nothing")
    option(result, "--json", "print the list as JSON")
    add_export_option(result)
    option(result, "--no-provenance", "don't mark the cuts in the file")
    return result


def main(arguments: list[str]) -> int:
    """Run `a3t clean` and return the exit code."""
    options = parser().parse_args(arguments)
    if len(options.wav) > 1 and (
        options.out or options.text or options.alignment or options.tracks
    ):
        parser().error("--out, --text, --alignment and --with are for one recording")
    if options.out and options.out_dir:
        parser().error("give --out or --out-dir, not both")
    return run(lambda: clean_all(options))


def clean_all(options: argparse.Namespace) -> None:
    """Carry out the parsed command; raises InputError."""
    want = cleaning_of_lists(
        options.find,
        options.mute,
        options.bleep,
        fillers=listed(options.fillers),
        **table_options(options, CleaningOptions),
    )
    _check_outputs(options)
    for path in options.wav[:1]:
        Recording.open(path, options.track)  # before the models, which take seconds

    from a3t.editor import Editor
    from a3t.source.alignments import default_folder

    for path in options.wav:
        offer_recogniser(path, options.text, options.alignment, options.recogniser)
    editor = Editor.load(progress=show_progress, cache_dir=default_folder())
    with no_empty_folders([options.out_dir] if options.out_dir else []):
        if options.out_dir:
            options.out_dir.mkdir(parents=True, exist_ok=True)
        _clean_each(editor, want, options)


def _clean_each(editor: Editor, want: Cleaning, options: argparse.Namespace) -> None:
    """Clean each recording; InputError at the end if one could not be cleaned."""
    failed = 0
    nowhere = set(want.hidden)  # what no recording says
    for path in options.wav:
        try:
            nowhere &= _clean(editor, path, want, options)
        except InputError as error:
            if len(options.wav) == 1:
                raise
            complain(str(error))
            failed += 1
    if failed:
        raise InputError(f"{failed} of {len(options.wav)} recordings could not be cleaned.")
    if nowhere:
        raise InputError(not_named(sorted(nowhere), "No transcript has"))


def _output(options: argparse.Namespace, path: Path) -> Path:
    """Return the path of a recording's result, unless that is a project's own output."""
    folder = options.out_dir or path.parent
    return options.out or default_output(folder / path.name)


def _check_outputs(options: argparse.Namespace) -> None:
    """Raise InputError if two recordings would be written to one file."""
    sources: dict[Path, Path] = {}
    for path in options.wav:
        out = _output(options, path)
        earlier = sources.setdefault(out.resolve(), path)
        if earlier.resolve() != path.resolve():
            raise InputError(
                f"{earlier} and {path} would both be written to {out}: clean them one by one, into "
                "folders of their own."
            )


def _clean(editor: Editor, path: Path, want: Cleaning, options: argparse.Namespace) -> set[str]:
    """Clean a recording, and return the words to hide that it doesn't say.

    Raises InputError for one recording alone that lacks any.
    """
    from a3t.commands.editing.edit_doubts import music_doubt
    from a3t.rendering.verification import hidden_words_warning

    job, found = _found(editor, path, want, options)
    if len(options.wav) == 1:
        found.check_named()
    missing = set(found.unnamed)
    chosen = found.chosen(listed(options.only), listed(options.excepted))
    if options.json:
        entries = [each.shown() | {"chosen": each in chosen} for each in found.found]
        print(json.dumps(entries, indent=1))
    elif options.plan:
        say("") if len(options.wav) == 1 else say(f"{path}:")
        print(found.describe(chosen))
    else:
        say(f"{path}:\n{found.describe(chosen)}")
    if options.plan or not chosen:
        return missing
    wanted = found.request(chosen)
    job = replace(job, request=replace(wanted, others=job.request.others))
    job.check_files()
    check_replaced(job.out, tracks=job.sounds[job.out])
    plan = editor.plan(found.source, job.request)
    if doubt := music_doubt(plan):
        say(doubt)
    results = job.make(editor, plan)
    if doubt := hidden_words_warning(results[0]):
        say(doubt)

    def report(exported: list[Path]) -> None:
        output, rate = results[0].map.samples.output_length, job.recording.sample_rate
        shorter = (job.recording.samples - output) / rate
        change = f"{shorter:.2f} s shorter" if shorter else "as long as before"
        say(f"Written: {job.out} ({output / rate:.2f} s, {change})")
        for file in (*results[0].track_outputs(job.out), *exported):
            say(f"Written: {file}")

    write_and_report(lambda: job.write(results, not options.no_provenance), report)
    return missing


def _found(
    editor: Editor, path: Path, want: Cleaning, options: argparse.Namespace
) -> tuple[ProjectEdit, Findings]:
    """Find what can be removed from a recording's current version.

    The edit that is returned with it does not remove anything yet.
    """
    from a3t.plan.request import EditRequest, OtherRecording, pronunciations_of, tracks_of
    from a3t.projects.project import find_project

    recording = Recording.open(path, options.track)
    if about := recording.about_track:
        say(about)
    out = _output(options, path)
    text = text_argument(options.text) if options.text is not None else None
    project = find_project(recording, out if options.out or options.out_dir else None)
    history, seen = None, record_state(out)
    others: tuple[OtherRecording, ...] = ()
    if project is not None:
        recording, out = project.source, project.out
        history, seen = project.history, project.seen
        text = project.text if text is None else text
    current = None if history is None else EditRequest.from_json(history.current)
    earlier_tracks = current.tracks if current else ()
    own, names = user_words(options)
    found = editor.findings(
        recording,
        want,
        text=text,
        alignment=options.alignment,
        recogniser=options.recogniser,
        pronunciations=pronunciations_of(own),
        names=names,
        tracks=tracks_of((*earlier_tracks, *options.tracks)),
    )
    if current is not None:
        found = replace(found, said=current.new_transcript, earlier=current.cuts)
        others = current.others
    named = (options.alignment, options.dict, options.words, file_named(options.text))
    inputs = input_files(recording.path, text, *named)
    request = EditRequest(new_text=found.said.text, others=others, tracks=found.tracks)
    job = ProjectEdit(recording, request, out, history, inputs, options.export, (seen,))
    return job, found
