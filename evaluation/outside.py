"""Edits and their originals rated by a program from outside, such as NISQA or AASIST.

The program is run once for each folder, without a shell; `{folder}` in its arguments becomes the
folder, and its standard output must have a line for each file with the file's name and, after it,
a number. `python -m evaluation edits --out FOLDER` keeps both folders, `sources` and `edited`.
"""

from __future__ import annotations

import argparse
import math
import re
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path

from a3t.errors import InputError
from evaluation.harness.estimates import Interval
from evaluation.harness.report_files import markdown_table
from training.programs import Program, option

FOLDER = "{folder}"
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.])")
MOST_BYTES = 50_000_000  # of what a program writes


def ratings(command: Sequence[str], folder: Path, beside: Path | None = None) -> dict[str, float]:
    """The number that a program gives each WAV file of a folder, by the file's name.

    command: the program and its arguments, one of which holds `{folder}`. beside: the directory in
    which it runs. InputError if it can't be run, fails, or leaves a file out.
    """
    names = sorted(path.name for path in folder.glob("*.wav"))
    if not names:
        raise InputError(f"{folder} has no WAV files to rate.")
    if not any(FOLDER in part for part in command):
        raise InputError(f"The program has no {FOLDER} among its arguments: say where it belongs.")
    arguments = [part.replace(FOLDER, str(folder.resolve())) for part in command]
    try:
        done = subprocess.run(arguments, cwd=beside, capture_output=True, check=False)
    except OSError as error:
        raise InputError(f"{arguments[0]} can't be run: {error.strerror}.") from None
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        last = lines[-1] if lines else "it said nothing"
        raise InputError(f"{arguments[0]} ended with {done.returncode}: {last}")
    found: dict[str, float] = {}
    for line in done.stdout[:MOST_BYTES].decode(errors="replace").splitlines():
        # The longest name in a line is the file's: "b.wav" also stands in "a b.wav".
        own = max((name for name in names if name in line), key=len, default=None)
        number = own and NUMBER.search(line, line.index(own) + len(own))
        if own and number:
            found[own] = float(number.group())
    if missing := [name for name in names if name not in found]:
        raise InputError(f"The program gave {len(missing)} files no number, such as {missing[0]}.")
    return found


def compared(original: dict[str, float], edited: dict[str, float]) -> str:
    """The mean of the originals and the edits of the same names, and their difference, as a table;
    InputError if no name is in both."""
    both = sorted(original.keys() & edited.keys())
    if not both:
        raise InputError("The two folders have no file of the same name.")
    columns = [original[name] for name in both], [edited[name] for name in both]
    shift = Interval.of(b - a for a, b in zip(*columns, strict=True))
    spread = math.sqrt(sum((b - a - shift.value) ** 2 for a, b in zip(*columns, strict=True)))
    error = spread / math.sqrt(len(both) * max(len(both) - 1, 1))
    cells = [f"{Interval.of(column):.3f}" for column in columns]
    lower = sum(b < a for a, b in zip(*columns, strict=True))
    return markdown_table(
        ["files", "original", "edited", "shift", "± standard error", "lower"],
        [[str(len(both)), *cells, f"{shift:+.3f}", f"{error:.3f}", f"{lower} of {len(both)}"]],
    )


def work(options: argparse.Namespace) -> None:
    command = shlex.split(options.program)
    folders = options.original, options.edited
    print(compared(*(ratings(command, folder, options.beside) for folder in folders)))


main = Program(
    work,
    option("--original", type=Path, required=True, metavar="FOLDER"),
    option("--edited", type=Path, required=True, metavar="FOLDER"),
    option("--program", required=True, metavar="COMMAND", help=f"with {FOLDER} where it belongs"),
    option("--beside", type=Path, metavar="FOLDER", help="where the program runs"),
    name="evaluation outside",
    about=__doc__,
)
