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


def main(arguments: list[str]) -> int:
    """Run `a3t inspect` and return the exit code."""
    parser = Parser(
        prog="a3t inspect",
        description="List the parts of a file that a3t synthesised or cut.",
        epilog="Exit codes: 0 success, 1 unreadable file, 2 wrong usage.",
    )
    option(parser, "file FILE", "a sound file or a film")
    option(parser, "--json", "print JSON")
    options = parser.parse_args(arguments)
    return run(lambda: show(options.file, options.json))


def show(path: Path, as_json: bool) -> None:
    """Print the file's provenance; raises InputError if it isn't a sound file."""
    from a3t.audio.output.inspection import account_of, searched
    from a3t.audio.output.provenance import provenance_of

    if not as_json:
        print(account_of(path))
        return
    provenance = provenance_of(path)
    found, _ = (None, "") if provenance.traces else searched(path)
    account = asdict(provenance) | {"watermarks": found}
    print(json.dumps(account, indent=1, ensure_ascii=False))
