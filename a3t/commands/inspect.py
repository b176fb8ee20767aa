"""Name the synthetic parts of a file, by `a3t inspect FILE`.

It reports what was written into the file when it was edited or spoken. Where that is lost, as
by conversion, it searches the sound for a3t's watermark.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from a3t.commands.options import option
from a3t.console import Parser, run
from a3t.errors import InputError


def main(arguments: list[str]) -> int:
    """Run `a3t inspect` and return the exit code."""
    parser = Parser(
        prog="a3t inspect",
        description="List the parts of a file that a3t synthesised or cut.",
        epilog="Exit codes: 0 success, 1 unreadable file, 2 wrong usage.",
    )
    option(parser, "file FILE")
    option(parser, "--json", "print JSON")
    options = parser.parse_args(arguments)
    return run(lambda: show(options.file, options.json))


def show(path: Path, as_json: bool) -> None:
    """Print the file's provenance; raises InputError if it isn't a sound file."""
    from a3t.audio.output.provenance import provenance_of

    provenance = provenance_of(path)
    found, unsearched = (None, "") if provenance.traces else _searched(path)
    if as_json:
        account = asdict(provenance) | {"watermarks": found}
        print(json.dumps(account, indent=1, ensure_ascii=False))
        return
    if found:
        print(f"{path} has no record of synthetic parts, but the watermark of a3t's new words at")
        for start, end in found:
            print(f"{start:10.2f} – {end:.2f} s")
        return
    if not provenance.traces:
        without = unsearched or "It has no watermark of a3t's either."
        print(
            f"{path} has no record of synthetic parts. {without} That proves nothing: both can be "
            "removed, and other programs leave none."
        )
        return
    parts = sum(trace.synthetic for trace in provenance.traces)
    seconds = provenance.samples / provenance.sample_rate
    print(
        f"{path}: {provenance.synthetic_seconds:.2f} of {seconds:.2f} s are synthetic, "
        f"in {parts} {'part' if parts == 1 else 'parts'}."
    )
    for trace in provenance.traces:
        what = f"“{trace.words}”" if trace.words else "" if trace.synthetic else "(a cut)"
        made = "recorded elsewhere" if trace.moved else trace.models
        print(f"{trace.start:10.3f} – {trace.end:.3f} s  {what}  {made}".rstrip())
    if not provenance.intact:
        print("The file's length has changed since a3t wrote it: the times may be wrong.")


def _searched(path: Path) -> tuple[list[tuple[float, float]] | None, str]:
    """Search a sound file for watermarks, and return their seconds.

    Where it can't be searched, as it is silent or too short, return None and a sentence that says
    why.
    """
    from a3t.audio.output.watermark import watermarks_in
    from a3t.audio.reading.recording import Recording

    try:
        recording = Recording.open(path)
    except InputError as error:
        return None, f"It wasn't searched for a watermark: {error}"
    return watermarks_in(recording), ""
