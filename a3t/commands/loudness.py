"""Measure loudness by EBU R128, and make copies at another one, by `a3t loudness IN …`.

A copy is louder or quieter as a whole, so none of its samples are those of IN: it is the last step,
for listeners. Every edit is made from the recording as it was.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from a3t import __version__
from a3t.audio.analysis.loudness import PEAK_DB, loudness
from a3t.audio.output.metadata import comment_of
from a3t.audio.output.writing import check_output, write_edited
from a3t.audio.reading.recording import Recording
from a3t.commands.options import check_replaced, option
from a3t.console import EXIT_CODES, Parser, run, say

PODCAST = -16.0  # LUFS


def main(arguments: list[str]) -> int:
    """Run `a3t loudness` and return the exit code."""
    parser = Parser(
        prog="a3t loudness",
        description="Measure loudness by EBU R128, and write a copy at another loudness.",
        epilog=EXIT_CODES,
    )
    option(parser, "wav IN", "a recording or a film")
    option(parser, "--track N", "audio track, if the file has several")
    about = f"write a copy at this loudness; {PODCAST:g} is usual for podcasts, -23 for radio"
    option(parser, "--to LUFS", about)
    about = (
        f"highest true peak of the copy (default: {PEAK_DB:g}), even if the copy is then quieter"
    )
    option(parser, "--peak DB", about, default=PEAK_DB)
    option(parser, "--out OUT", "default: {stem}.loud.wav beside IN")
    option(parser, "--yes", "replace OUT even if a3t did not make it")
    option(parser, "--json", "print JSON")
    options = parser.parse_args(arguments)
    if options.out and options.to is None:
        parser.error("--out needs --to")
    return run(lambda: show(options))


def show(options: argparse.Namespace) -> None:
    """Measure, and write the copy with --to; raises InputError."""
    recording = Recording.open(options.wav, options.track)
    if about := recording.about_track:
        say(about)
    out: Path | None = None
    if options.to is not None:
        path: Path = options.wav
        out = options.out or path.with_name(f"{path.stem}.loud.wav")
        check_output(recording, out)
        check_replaced(out, yes=options.yes)
    found = loudness(recording)
    if options.to is not None:
        gain = found.gain_to(options.to, options.peak)
    print(json.dumps(asdict(found)) if options.json else found)
    if out is None:
        return
    before = comment_of(recording.path)
    ours = f"a3t {__version__} wrote this file: a copy at another loudness"
    write_edited(
        recording, (), out, before if ours in before else f"{before}\n{ours}".strip(), gain
    )
    now = loudness(Recording.open(out))
    say(f"Written: {out} ({now}; {gain:+.1f} dB)")
    if now.integrated < options.to - 0.2:
        say(
            f"Any louder, its peaks would exceed {options.peak:g} dB: use a limiter, or another "
            "--peak."
        )
