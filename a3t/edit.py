"""Change what a recording says: python -m a3t.edit --wav IN --new-text TEXT

Only the words that differ are made anew; everything else stays as it was recorded.
"""

from __future__ import annotations

if __name__ == "__main__":  # before the other imports, which take their time
    from a3t.errors import end_at_once

    end_at_once()

import argparse
import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from a3t.audio.traits import ALL_TRAITS
from a3t.console import (
    EXPORTS,
    add_common_arguments,
    export_kinds,
    matching,
    run,
    say,
    show_progress,
)

if TYPE_CHECKING:
    from a3t.projects.history import History
    from a3t.rendering.edited import EditedRecording


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(
        prog="a3t edit",
        description="Change what a recording says.",
        epilog="A TEXT may be @FILE. Exit codes: 0 done, 1 the input can't be used, 2 wrong usage.",
    )
    result.add_argument("--wav", type=Path, metavar="IN")
    result.add_argument("--new-text", metavar="TEXT", help="what it shall say")
    result.add_argument(
        "--text",
        metavar="TEXT",
        help="what it says (default: that of IN's .txt, .lab, .TextGrid, .srt, .vtt or .json, else "
        "it is recognised)",
    )
    result.add_argument(
        "--recogniser", choices=("auto", "pocketsphinx", "whisper"), default="auto",
        help="who hears what nobody typed (auto: whisper if it is installed and has a model)",
    )  # fmt: skip
    result.add_argument(
        "--yes", action="store_true",
        help="don't ask whether what was recognised is right, or whether to edit doubtful words",
    )  # fmt: skip
    result.add_argument(
        "--strict", action="store_true",
        help="make nothing where a word at the edit is doubtful, or speech there has no text",
    )  # fmt: skip
    result.add_argument(
        "--out", type=Path, metavar="OUT", help="default: {stem}.edited.wav beside IN"
    )
    result.add_argument(
        "--alignment", type=Path, metavar="FILE", help="a TextGrid or JSON, or a .srt or .vtt"
    )
    result.add_argument(
        "--fit", action="store_true", help="the new words take the time of those they replace"
    )
    result.add_argument(
        "--duration", type=float, metavar="S", help="the new words in exactly S seconds"
    )
    result.add_argument(
        "--plan-file", type=Path, metavar="PLAN_JSON",
        help="each new word in the seconds that this has for it; --plan --json prints one to edit",
    )  # fmt: skip
    result.add_argument(
        "--margin", type=float, default=25.0, metavar="MS",
        help="how much of the words beside an edit is made anew with it (25)",
    )  # fmt: skip
    result.add_argument(
        "--match", type=matching, default=ALL_TRAITS, metavar="KINDS",
        help="what the new words get of its sound: bandwidth,spectrum,room (default: all) or none",
    )  # fmt: skip
    result.add_argument(
        "--candidates", type=int, default=1, metavar="N",
        help="make N that differ, the best as OUT, the others as OUT's stem.2, .3 …",
    )  # fmt: skip
    result.add_argument(
        "--replay", type=Path, metavar="EDIT_JSON", help="make the edit again that this tells of"
    )
    result.add_argument(
        "--export", type=export_kinds, default=(), metavar="KINDS",
        help=f"write these beside OUT as well, of the result: {', '.join(EXPORTS)}",
    )  # fmt: skip
    result.add_argument(
        "--undo", action="store_true",
        help="make OUT what it was before its last edit (IN: OUT or what it was made of)",
    )  # fmt: skip
    result.add_argument("--redo", action="store_true", help="take an --undo back")
    result.add_argument("--history", action="store_true", help="list OUT's versions")
    result.add_argument(
        "--no-provenance", action="store_true",
        help="don't write into the file which parts of it a machine made",
    )  # fmt: skip
    result.add_argument("--plan", action="store_true", help="print the plan, render nothing")
    result.add_argument("--json", action="store_true", help="print edit.json")
    add_common_arguments(result)
    many = result.add_argument_group("many edits from one list")
    many.add_argument(
        "--manifest", type=Path, metavar="LIST",
        help="a .tsv or .jsonl, an edit a line, its columns these options' names (wav, new_text …)",
    )  # fmt: skip
    many.add_argument("--out-dir", type=Path, metavar="DIR", help="where the outputs go")
    many.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, metavar="N",
        help="how many edits are made at once (one for each core)",
    )  # fmt: skip
    many.add_argument(
        "--scheduler", metavar="ADDRESS", help="make them on a Dask cluster, tcp://host:8786"
    )
    return result


def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    if options.manifest:
        if not options.out_dir or options.wav or options.new_text is not None:
            parser().error("--manifest needs --out-dir, and has recordings and texts of its own")
        return run(lambda: edit_list(options))
    if options.replay:
        return run(lambda: again(options))
    if options.wav and (options.undo or options.redo or options.history):
        return run(lambda: go_back(options))
    if not options.wav or (options.new_text is None and not options.plan_file):
        parser().error("--wav and --new-text are needed (or --replay)")
    return run(lambda: edit(options))


def edit(options: argparse.Namespace) -> None:
    """Carry out the parsed command; raises InputError or AlignmentError."""
    # What can be refused at once is refused before the models are loaded.
    from a3t.projects.project_edit import ProjectEdit

    wanted = ProjectEdit.of(options)

    from a3t.editor import Editor
    from a3t.projects.confirmation import confirm_doubts, confirm_transcript, refuse_doubts
    from a3t.projects.project import find_project
    from a3t.source.alignment_cache import default_folder

    show_progress("read")
    if project := find_project(wanted.recording, options.out):
        wanted = wanted.continuing(project)
    names = (options.model, options.vocoder, options.device)
    editor = Editor.load(*names, show_progress, memory=default_folder())
    plan = editor.plan(wanted.recording, wanted.request)
    if wanted.request.text is None and options.alignment is None:
        confirm_transcript(plan, ask=not (options.plan or options.yes))
    if options.strict:
        refuse_doubts(plan)
    confirm_doubts(plan, ask=not (options.plan or options.yes))
    if options.plan:
        say("") if sys.stderr.isatty() else None
        print(json.dumps(plan.to_json(), indent=1) if options.json else plan.describe())
        return
    results = wanted.make(editor, plan)
    save(results, wanted.out, options, not options.no_provenance, wanted.notes)
    if wanted.history:
        count = len(wanted.history.versions[: wanted.history.place + 1]) + 1
        say(f"Version {count} of it; --undo goes back.")


def edit_list(options: argparse.Namespace) -> None:
    """Carry out --manifest; raises InputError."""
    from a3t.projects.batch import edit_all

    edit_all(options, parser())


def again(options: argparse.Namespace) -> None:
    """Carry out --replay; raises InputError or AlignmentError."""
    from a3t.audio.writing import default_output
    from a3t.projects.history import History
    from a3t.projects.replay import read_record, replay

    show_progress("read")
    result = replay(options.replay, options.wav, *models(options), options.device, show_progress)
    out = options.out or default_output(result.recording.path)
    save_version(result, History.of(read_record(options.replay)), out, options)


def go_back(options: argparse.Namespace) -> None:
    """Carry out --undo, --redo and --history; raises InputError."""
    from a3t.editor import Editor
    from a3t.projects.project import open_project
    from a3t.projects.replay import remake

    project = open_project(options.wav, options.out)
    if options.history:
        print(f"{project.out}, made of {project.source.path}")
        print(project.history.describe())
        return
    history = project.history.moved(-1 if options.undo else 1)
    model, vocoder = models(options)
    editor = Editor.load(
        model or history.current["model"]["name"],
        vocoder or history.current["vocoder"]["name"],
        options.device,
        show_progress,
    )
    save_version(remake(editor, project.source, history.chain()), history, project.out, options)


def models(options: argparse.Namespace) -> tuple[str | None, str | None]:
    """The model and the vocoder if they were named; else they are those of the edit.json."""
    usual = parser()
    model, vocoder = (
        None if getattr(options, name) == usual.get_default(name) else getattr(options, name)
        for name in ("model", "vocoder")
    )
    return model, vocoder


def save_version(
    result: EditedRecording, history: History, out: Path, options: argparse.Namespace
) -> None:
    """Write a version that was made again, and say so if it is not what it was."""
    from a3t.audio.files import sha256_of

    told = history.current
    provenance = told.get("provenance", True) and not options.no_provenance
    alone = len(history.versions) == 1
    notes = {} if alone else {**history.to_json(), "continues": told.get("continues")}
    save([result], out, options, provenance, lambda result: notes)
    before = told.get("output", {}).get("sha256")
    if before and before != sha256_of(out):
        say("It is not the same to the last bit: made by another version, or elsewhere.")


def save(
    results: list[EditedRecording],
    out: Path,
    options: argparse.Namespace,
    provenance: bool,
    notes: Callable[[EditedRecording], Mapping[str, Any]],
) -> None:
    """Write the results, the best as ``out``, and say what was done."""
    from a3t.audio.files import remove_abandoned
    from a3t.audio.provenance import provenance_of
    from a3t.projects.project_edit import write

    exported = write(results, out, options.export, provenance, notes)
    remove_abandoned(out.parent)
    best = results[0]
    if options.json:
        print(out.with_name(f"{out.stem}.edit.json").read_text(encoding="utf-8"), end="")
    else:
        say(best.plan.describe())
        say(f"Written: {out}" + (f" and {len(results) - 1} others" if len(results) > 1 else ""))
        for path in exported:
            say(f"Written: {path}")
    if best.plan.passages and {"textgrid", "labels", "srt", "vtt"} & set(options.export):
        say("Of a long recording the words around the edits are written, the others not.")
    if provenance and best.patches and not provenance_of(out).traces:
        say(f"A {out.suffix} file has no room to say which parts were made: keep its edit.json.")
    if best.doubtful:
        words = ", ".join(f"“{word}”" for word in best.doubtful)
        say(f"Listen to it: {words} can hardly be heard in the result.")


if __name__ == "__main__":
    sys.exit(main())
