"""Many edits from one list: a3t edit --manifest edits.tsv --out-dir DIR

`manifest` describes the list. An edit is skipped if its output exists, was made from the same line
and is newer than its recording, so that an interrupted batch can be resumed with the same command.
DIR/report.tsv records the outcome of every line.
"""

from __future__ import annotations

import argparse
import csv
import json
import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from a3t.audio.output.files import atomic_path
from a3t.commands.editing.edit_options import project_edit
from a3t.commands.editing.manifest import ManifestEdit, read_jobs
from a3t.console import say
from a3t.errors import InputError, UnsureError
from alignment.atomic import remove_abandoned
from alignment.parallel import run_jobs

if TYPE_CHECKING:
    from a3t.editor import Editor

REPORT = "report.tsv"
COLUMNS = ("line", "wav", "out", "became", "seconds", "doubtful", "reason")

# An editor makes one edit at a time; a cluster's worker may have several threads.
_turn = threading.Lock()


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a line: became "made", "kept" or "failed"; doubtful: its inaudible words."""

    line: int
    wav: Path
    out: Path
    became: str
    seconds: float = 0.0
    doubtful: str = ""
    reason: str = ""


def edit_all(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Carry out the list; raises InputError if it can't be read or an edit failed."""
    workers = (os.cpu_count() or 1) if options.jobs is None else options.jobs
    if workers < 1:
        raise InputError("--jobs must be at least 1.")
    jobs = read_jobs(options, parser)
    options.out_dir.mkdir(parents=True, exist_ok=True)
    report = options.out_dir / REPORT
    rows: list[Outcome] = []
    begun = time.monotonic()
    try:
        for row in _rows(jobs, workers, options.scheduler):
            rows.append(row)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            "Interrupted: finished edits are kept; run the same command again to continue."
        ) from None
    finally:
        write_report(report, rows)
        for folder in {job.options.out.parent for job in jobs}:
            remove_abandoned(folder)
    made, kept, failed = (
        sum(row.became == became for row in rows) for became in ("made", "kept", "failed")
    )
    rate = made / max(time.monotonic() - begun, 1e-9) * 60
    pace = f" ({rate:.1f} per minute)" if made else ""
    say(f"{made} made{pace}, {kept} already there, {failed} failed.")
    if options.json:
        counts = {"made": made, "kept": kept, "failed": failed}
        print(json.dumps(counts | {"made_per_minute": round(rate, 1)}))
    if failed:
        raise InputError(f"{failed} of {len(rows)} edits failed: {report} says why.")


def _rows(jobs: list[ManifestEdit], workers: int, scheduler: str | None) -> Iterator[Outcome]:
    from tqdm import tqdm

    waiting: list[ManifestEdit] = []
    with tqdm(total=len(jobs), unit="edit", disable=None) as progress:
        for job in jobs:
            if job.problem is not None:
                yield _row(job, "failed", reason=job.problem)
            elif job.done:
                yield _row(job, "kept")
            else:
                waiting.append(job)
                continue
            progress.update()
        for done in run_jobs(carry_out, waiting, workers, scheduler):
            yield done.result or _row(done.job, "failed", reason=_sentence(done.error))
            progress.update()


def carry_out(job: ManifestEdit) -> Outcome:
    """Make and write one line's edit; raises InputError."""
    from a3t.commands.editing.edit_doubts import doubts_of, refuse_doubts
    from a3t.projects.delivery import write

    options = job.options
    begun = time.monotonic()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    edit = project_edit(options)
    with _turn:
        editor = _editor(options.model, options.vocoder, options.device, options.voice)
        try:
            plan = edit.plan(editor)
        except UnsureError as error:
            if options.strict or not options.yes:
                raise
            edit = edit.with_text(error.text)
            plan = edit.plan(editor)
        if options.strict:
            refuse_doubts(doubts_of(plan, options.voice))
        results = edit.make(editor, plan)
    provenance, note = not options.no_provenance, {"job": job.digest}
    write(results, edit.out, edit.exports, provenance, lambda result: note, edit.inputs, edit.seen)
    seconds = round(time.monotonic() - begun, 2)
    return _row(job, "made", seconds, " ".join(results[0].doubtful))


@cache
def _editor(model: str, vocoder: str, device: str, voice: str | None) -> Editor:
    """This process's editor."""
    from a3t.editor import Editor
    from a3t.source.alignment_cache import default_folder

    if parent := multiprocessing.parent_process():
        _follow(parent.sentinel)
    return Editor.load(model, vocoder, device, cache_dir=default_folder(), voice=voice)


def _follow(parent: int) -> None:
    """Leave Ctrl-C to the parent process, and end this worker if the parent is killed."""

    def watch() -> None:
        multiprocessing.connection.wait([parent])
        os._exit(1)

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=watch, daemon=True).start()


def _row(
    job: ManifestEdit, became: str, seconds: float = 0.0, doubtful: str = "", reason: str = ""
) -> Outcome:
    return Outcome(job.line, job.options.wav, job.options.out, became, seconds, doubtful, reason)


def _sentence(error: Exception | None) -> str:
    text = " ".join(str(error).split())
    expected = isinstance(error, InputError | OSError)
    return text if expected and text else f"{type(error).__name__}: {text}"


def write_report(path: Path, rows: list[Outcome]) -> None:
    """Write a line for each edit that has an outcome, in the list's order."""
    with (
        atomic_path(path) as temporary,
        temporary.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file,
    ):
        table = csv.writer(file, delimiter="\t", lineterminator="\n")
        table.writerow(COLUMNS)
        for row in sorted(rows, key=lambda row: row.line):
            table.writerow([getattr(row, column) for column in COLUMNS])
