"""Name the synthetic parts of a file: a3t inspect FILE

It reports what was written into the file when it was edited or spoken; it doesn't analyse the
sound.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from a3t.commands.options import option
from a3t.console import Parser, run


def main(arguments: list[str]) -> int:
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
    if as_json:
        print(json.dumps(asdict(provenance), indent=1, ensure_ascii=False))
        return
    if not provenance.traces:
        print(
            f"{path} has no record of synthetic parts, which proves nothing: records can be "
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
