"""Listen to a reading for its errors, by `a3t check IN --text @SCRIPT`.

Words that are omitted, added, repeated or misread, fillers, long pauses, noises, and clipped
sound; exit code 1 if there are any.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING

from a3t.commands.options import (
    add_recogniser_option,
    file_named,
    option,
    transcript_argument,
)
from a3t.console import BAD_INPUT, Parser, run, say, show_progress

if TYPE_CHECKING:
    from a3t.source.proof import Remark


def parser() -> argparse.ArgumentParser:
    """Return the parser of `a3t check`."""
    result = Parser(
        prog="a3t check",
        description="List where a reading departs from its script: omitted, added, repeated and "
        "misread words, fillers, long pauses, noises, clipped sound.",
        epilog="Exit codes: 0 nothing found, 1 something found or unusable input, 2 wrong usage.",
    )
    option(result, "wav IN", "a recording, or the chapters of a book", nargs="+")
    about = "the script, or @FILE; of a whole book, each recording finds its own part"
    option(result, "--text TEXT", about, required=True)
    option(result, "--track N", "the audio track, if a file has several")
    add_recogniser_option(result)
    option(result, "--longest S", "the longest pause that isn't listed (default: 2)", default=2.0)
    option(result, "--csv FILE", "also write the list as CSV")
    option(result, "--labels FILE", "also write Audacity's labels (of one recording)")
    option(result, "--json", "print the list as JSON")
    return result


def main(arguments: list[str]) -> int:
    """Run `a3t check` and return the exit code."""
    options = parser().parse_args(arguments)
    if options.labels and len(options.wav) > 1:
        parser().error("--labels is for one recording: use --csv")
    found: list[bool] = []
    code = run(lambda: found.append(check(options)))
    return code or (BAD_INPUT if found[0] else 0)


def check(options: argparse.Namespace) -> bool:
    """Carry out the parsed command; whether anything was found. Raises InputError."""
    from a3t.audio.output.files import atomic_path, check_target
    from a3t.audio.reading.recording import Recording
    from a3t.plan.options import CleaningOptions, option_of
    from a3t.source.alignments import AlignmentStore, default_folder
    from a3t.source.proof import remarks, stretch_of
    from alignment.aligners.network_aligner import NetworkAligner
    from alignment.recognition import whisper_model

    option_of(CleaningOptions, "longest").check(options.longest)
    for out in filter(None, (options.csv, options.labels)):
        check_target(out, *options.wav, file_named(options.text))
    book = transcript_argument(options.text)
    assert book is not None  # it must be given
    model = whisper_model(options.recogniser)
    recordings = [Recording.open(path, options.track) for path in options.wav]
    for about in filter(None, (each.about_track for each in recordings)):
        say(about)
    store = AlignmentStore(NetworkAligner(), default_folder())
    listed: list[tuple[Path, Remark]] = []
    for recording in recordings:
        show_progress("transcribe")
        script = stretch_of(recording, book, model)
        show_progress("check")
        own = remarks(recording, script, store, model, options.longest)
        listed += [(recording.path, each) for each in own]
        if not options.json:
            count = "1 remark" if len(own) == 1 else f"{len(own) or 'no'} remarks"
            say(f"{recording.path}: {count}")
            for each in own:
                print(each)
    if options.json:
        entries = [{"file": str(path), **each.to_json()} for path, each in listed]
        print(json.dumps(entries, indent=1, ensure_ascii=False))
    if options.csv:
        with atomic_path(options.csv) as part:
            part.write_text(_table(listed), encoding="utf-8")
    if options.labels:
        lines = [f"{e.start:.6f}\t{e.end:.6f}\t{_label(e)}\n" for _, e in listed]
        with atomic_path(options.labels) as part:
            part.write_text("".join(lines), encoding="utf-8")
    return bool(listed)


def _table(listed: list[tuple[Path, Remark]]) -> str:
    file = io.StringIO()
    table = csv.writer(file)
    table.writerow(("file", "kind", "start", "end", "written", "said", "sure"))
    for path, each in listed:
        entry = each.to_json()
        table.writerow([path, *(entry[k] for k in "kind start end written said sure".split())])
    return file.getvalue()


def _label(remark: Remark) -> str:
    said = f": {remark.said}" if remark.said else ""
    written = f" ({remark.written})" if remark.written else ""
    return f"{remark.kind}{said}{written}"
