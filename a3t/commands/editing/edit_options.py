"""The options of `a3t edit`, in groups, and the edit that they describe."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from a3t.commands.options import (
    Options,
    add_expert_options,
    add_export_option,
    add_recogniser_option,
    add_tracks_option,
    add_voice_options,
    file_named,
    option,
    table_options,
    text_argument,
    user_words,
)
from a3t.console import EXIT_CODES, Parser
from a3t.errors import InputError
from a3t.plan.options import EditOptions

if TYPE_CHECKING:
    from a3t.plan.request import EditRequest
    from a3t.projects.project_edit import ProjectEdit


class Once(argparse.Action):
    """An argument that can be given in two ways, but not in both."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Set the values; refuse one that is given twice."""
        for value in values if isinstance(values, list) else [values]:
            if getattr(namespace, self.dest, None) is not None:
                parser.error(f"{self.metavar} is given twice")
            setattr(namespace, self.dest, value)


def parser(kind: type[Parser] = Parser) -> Parser:
    """Return the parser of `a3t edit`, of this kind."""
    result = kind(
        prog="a3t edit",
        usage="a3t edit IN --new-text TEXT [--text TEXT] [--out OUT] [options]",
        description="Change what a recording says.",
        epilog=f"A TEXT may be @FILE. {EXIT_CODES}",
    )
    _everyday(result.add_argument_group("everyday"))
    _new_words(result.add_argument_group("what the new words are like"))
    _history(result.add_argument_group("history"))
    _files(result.add_argument_group("files"))
    _many_edits(result.add_argument_group("many edits"))
    _experts(result.add_argument_group("experts"))
    return result


def _everyday(group: Options) -> None:
    option(group, "wav IN", "the recording to edit", nargs="*", action=Once)
    option(group, "--wav IN", "IN, as an option", action=Once)
    option(group, "--new-text TEXT", "what the recording should say")
    about = (
        "what it says now (default: the transcript beside IN, docs/formats.md, otherwise speech "
        "recognition)"
    )
    option(group, "--text TEXT", about)
    option(group, "--out OUT", "the result (default: {stem}.edited.wav beside IN)")
    option(group, "--plan", "print the plan, render nothing")
    about = "of the listed differences from a recognised text make these (1,3), all or none"
    option(group, "--changes NUMBERS", about)
    about = "edit without asking; of these differences make the likely ones"
    option(group, "--yes", about)
    about = (
        "refuse the edit if a word next to it is doubtful or speech there is missing from the text"
    )
    option(group, "--strict", about)


def _new_words(group: Options) -> None:
    add_voice_options(group, EditOptions)
    about = (
        "take words from another recording of this speaker, with its transcript beside it or "
        "recognised; may be repeated"
    )
    option(group, "--from FILE", about, action="append", default=[], dest="others")
    about = (
        "take the new words from this recording, in which the speaker reads them, alone or in "
        "their sentence; may be repeated"
    )
    option(group, "--said FILE", about, action="append", default=[])
    about = (
        "let a speech server that you run say the new words in their sentence, and take them from "
        "that: an OpenAI-compatible address like http://localhost:8880/v1?voice=NAME"
    )
    option(group, "--said-by URL", about)


def _history(group: Options) -> None:
    about = "restore the version of OUT before its last edit (IN: OUT or its source)"
    option(group, "--undo", about)
    option(group, "--redo", "reverse an --undo")
    option(group, "--history", "list OUT's versions")
    option(group, "--replay EDIT_JSON", "make the recorded edit again", type=Path)


def _files(group: Options) -> None:
    about = "audio track to edit, if the file has several (default: the main one)"
    option(group, "--track N", about)
    about = "the times of the words: a TextGrid, JSON, subtitles … (default: a3t aligns IN)"
    option(group, "--alignment FILE", about)
    add_tracks_option(group)
    add_recogniser_option(group)
    add_export_option(group)
    option(group, "--json", "print edit.json, or the plan, as JSON")
    about = "don't list the synthetic parts in the file"
    option(group, "--no-provenance", about)


def _many_edits(group: Options) -> None:
    about = (
        "a .csv, .tsv or .jsonl file with one edit per line; its columns are named after "
        "these options (wav, new_text …)"
    )
    option(group, "--manifest LIST", about, type=Path)
    option(group, "--out-dir DIR", "folder for the results")
    option(group, "--jobs N", "number of parallel edits (default: one per core)")
    option(group, "--scheduler ADDRESS", "run on a Dask cluster, e.g. tcp://host:8786")


def _experts(group: Options) -> None:
    about = (
        "take the texts and the duration of each new word from this file; print one with "
        "--plan --json"
    )
    option(group, "--plan-file PLAN_JSON", about, type=Path)
    add_expert_options(group, EditOptions)


def edit_request(options: argparse.Namespace) -> EditRequest:
    """Make the request of `a3t edit`'s options; raise InputError for a value out of range."""
    from a3t.plan.request import EditRequest, OtherRecording, pronunciations_of, tracks_of
    from a3t.projects.project_edit import PlanFile
    from a3t.source.differences import parsed_changes

    if options.plan_file and options.new_text is not None:
        raise InputError("A plan file has its own new text: omit the one given beside it.")
    times = [f"--{name}" for name in ("fit", "duration", "plan_file") if getattr(options, name)]
    if options.speed != 1 and times:
        raise InputError(
            f"--speed sets the pace of the new words and {times[0].replace('_', '-')} their time: "
            "omit one of them."
        )
    fields = PlanFile.read(options.plan_file).requested if options.plan_file else {}
    if "new_text" not in fields:
        fields["new_text"] = text_argument(options.new_text)
    if options.text is not None:
        fields["text"] = text_argument(options.text)
    changes = parsed_changes(options.changes) if options.changes is not None else None
    if changes is None and options.yes and not options.strict:
        changes = "ticked"
    own, names = user_words(options)
    return EditRequest(
        **fields,
        **table_options(options, EditOptions),
        alignment=options.alignment,
        recogniser=options.recogniser,
        changes=changes,
        pronunciations=pronunciations_of(own),
        names=names,
        others=(
            *(OtherRecording(path) for path in options.others),
            *(OtherRecording(path, punch_in=True) for path in options.said),
        ),
        tracks=tracks_of(options.tracks),
    )


def project_edit(options: argparse.Namespace) -> ProjectEdit:
    """Make the edit that parsed options describe; raise InputError if they can't be used."""
    from a3t.audio.output.writing import default_output
    from a3t.audio.reading.recording import Recording
    from a3t.audio.splicing.emphasis import require_world
    from a3t.projects.project import record_state
    from a3t.projects.project_edit import ProjectEdit

    request = edit_request(options)
    recording = Recording.open(options.wav, options.track)
    if request.new_transcript.emphasis:
        require_world()
    out = options.out or default_output(options.wav)
    for other in request.others:
        Recording.open(other.path)  # before the models, which take seconds
    edit = ProjectEdit(
        recording,
        request,
        out,
        inputs=files_read(options),
        exports=options.export,
        seen=(record_state(out),),
        plan_file=options.plan_file,
    )
    if not options.plan:
        edit.check_files()
    return edit


def files_read(options: argparse.Namespace) -> tuple[Path, ...]:
    """Return the files that an edit's options name, and transcripts beside its recording."""
    from a3t.projects.project_edit import input_files

    named = (
        options.alignment,
        options.dict,
        options.words,
        options.plan_file,
        *options.others,
        *options.said,
        file_named(options.text),
        file_named(options.new_text),
    )
    return input_files(options.wav, options.text, *named)
