"""Which parts of a file were made by a machine: python -m a3t.inspect FILE

It tells what was written into the file when it was edited or spoken; it doesn't judge the sound.
"""

from __future__ import annotations

if __name__ == "__main__":  # before the other imports, which take their time
    from a3t.errors import end_at_once

    end_at_once()

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from a3t.console import run


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="a3t inspect",
        description="List the parts of a file that a3t made.",
        epilog="Exit codes: 0 done, 1 the file can't be read, 2 wrong usage.",
    )
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--json", action="store_true", help="print it as JSON")
    options = parser.parse_args(arguments)
    return run(lambda: show(options.file, options.json))


def show(path: Path, as_json: bool) -> None:
    """Print what the file tells; raises InputError if it is no sound."""
    from a3t.audio.provenance import provenance_of

    told = provenance_of(path)
    if as_json:
        print(json.dumps(asdict(told), indent=1, ensure_ascii=False))
        return
    if not told.traces:
        print(f"{path} tells of no parts that a3t made.")
        return
    made = [trace for trace in told.traces if trace.synthetic]
    print(
        f"{path}: {told.synthetic_seconds:.2f} of {told.samples / told.sample_rate:.2f} s were "
        f"made by a machine, in {len(made)} {'part' if len(made) == 1 else 'parts'}."
    )
    for trace in told.traces:
        what = f"“{trace.words}”" if trace.words else "" if trace.synthetic else "(a cut)"
        print(f"{trace.start:10.3f} – {trace.end:.3f} s  {what}  {trace.models}".rstrip())
    if not told.intact:
        print("Its length was changed since this was written: the times may no longer be right.")


if __name__ == "__main__":
    sys.exit(main())
