"""Many edits from one list, by `a3t edit --manifest edits.tsv --out-dir DIR`.

`manifest` describes the list. An edit is skipped if its output exists, was made from the same line
and is newer than its recording, so that an interrupted batch can be resumed with the same command.
DIR/report.tsv records the outcome of every line.

Reads a list of edits: one line per edit, with the options of the single command.

.csv: as spreadsheets write it, with column names in the first line. .tsv: the same, separated by
tabs and without quoting. .jsonl: one JSON object per line. Columns are named after options (`wav`,
`new_text`, `text`, `out`, `seed`, `speed` …); an option that a line omits has its value from the
command line. Files are relative to the list's folder, outputs to --out-dir.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import io
import json
import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from a3t import __version__
from a3t.audio.output.files import (
    atomic_path,
    check_no_link,
    check_target,
    no_empty_folders,
    sha256_of,
)
from a3t.audio.output.records import record_path
from a3t.audio.output.writing import default_output
from a3t.commands.editing.edit_options import files_read, project_edit
from a3t.commands.editing.edit_options import parser as edit_parser
from a3t.commands.options import check_replaced
from a3t.console import Parser, say
from a3t.errors import InputError
from a3t.projects.export.export_kinds import export_files
from alignment.atomic import recover
from alignment.parallel import connect, run_jobs

if TYPE_CHECKING:
    from a3t.editor import Editor


MAX_LIST_BYTES = 200_000_000  # bytes

# Options that apply to the whole list, and options that a line can't have.
WHOLE = {
    "manifest", "out_dir", "jobs", "scheduler", "model", "vocoder", "voice", "device", "others",
    "tracks",
}  # fmt: skip
NO_EDIT = {"replay", "plan", "json", "yes", "history", "undo", "redo"}
FILES = ("wav", "alignment", "dict", "words", "plan_file", "said")
YES, NO = ("yes", "true", "1"), ("no", "false", "0")

# A line's number, from 1, and its cells by column, or the error in it.
Line = tuple[int, dict[str, str] | InputError]
REPORT = "report.tsv"
COLUMNS = ("line", "wav", "out", "became", "seconds", "doubtful", "reason")


@dataclass(frozen=True, slots=True)
class ManifestEdit:
    """A line of the list: its options, and a digest of them, which edit.json records."""

    line: int
    options: argparse.Namespace
    digest: str
    sources: tuple[Path, ...]  # its input files
    problem: str | None = None  # why it can't be made, if that is known in advance

    @property
    def done(self) -> bool:
        """True if its results exist, were made from this line and are newer than its inputs."""
        out: Path = self.options.out
        record = record_path(out)
        try:
            written = record.stat().st_mtime
            if any(path.stat().st_mtime > written for path in (out, *self.sources)):
                return False
            data = json.loads(record.read_bytes())
            if not isinstance(data, dict) or data.get("job") != self.digest:
                return False
            if not all(path.exists() for path in export_files(out, self.options.export)):
                return False
            # The process may have been killed between writing the record and its sound.
            return bool(data["output"]["sha256"] == sha256_of(out))
        except (OSError, ValueError, LookupError, TypeError, RecursionError):
            return False


def read_jobs(options: argparse.Namespace, parser: argparse.ArgumentParser) -> list[ManifestEdit]:
    """Read the list's edits.

    Raises InputError if it can't be read or two edits would write the same file. ``options`` are
    the command's own, ``parser`` the one that read them.
    """
    usual = vars(parser.parse_args([]))
    known = {name: usual[name] for name in usual if name not in WHOLE | NO_EDIT}
    line_parser = edit_parser(LineParser)
    manifest: Path = options.manifest
    jobs: list[ManifestEdit] = []
    written: dict[Path, int] = {}
    for line, row in _lines(manifest, known):
        job = _job(line, row, options, line_parser, known)
        target = job.options.out.with_suffix("")
        if job.problem is None and target in written:
            raise InputError(
                f"{manifest}: lines {written[target]} and {line} would both write "
                f"{job.options.out.name}: give them an “out” each."
            )
        if job.problem is None:
            written[target] = line
        jobs.append(job)
    if not jobs:
        raise InputError(f"{manifest} has no edits in it.")
    return jobs


class LineParser(Parser):
    """A parser of one line, whose errors don't end the program."""

    def error(self, message: str) -> NoReturn:
        """Raise InputError."""
        raise InputError(f"{message[:1].upper()}{message[1:]}.")


def _job(
    line: int,
    row: Mapping[str, str] | InputError,
    options: argparse.Namespace,
    parser: argparse.ArgumentParser,
    usual: Mapping[str, Any],
) -> ManifestEdit:
    folder, into = options.manifest.resolve().parent, options.out_dir.resolve()
    given = argparse.Namespace(**vars(options))
    given.wav, given.out, problem = None, None, None
    sources: tuple[Path, ...] = ()
    try:
        if isinstance(row, InputError):
            raise row
        strange = sorted(row.keys() - usual.keys())
        if strange:
            raise InputError(_strange(strange[0], usual))
        text = "plan_file" if row.get("plan_file") and not row.get("new_text") else "new_text"
        missing = [name for name in ("wav", text) if not row.get(name)]
        if missing:
            raise InputError(f"“{missing[0]}” is missing.")
        arguments = [part for name in row for part in _argument(name, row[name], usual, folder)]
        parser.parse_args(arguments, given)
        given.out = (into / (given.out or default_output(given.wav.name))).resolve()
        if into not in given.out.parents:
            problem = f"{given.out} is not in {into}: “out” names a file there."
        sources = files_read(given)
    except InputError as error:
        problem = str(error)
    except (OSError, ValueError):  # a NUL in a name, one too long, none at all ("/")
        problem = "It has names that no file can have: check “wav” and “out”."
    given.wav = given.wav or folder  # for the report
    if problem is not None and (given.out is None or into not in given.out.parents):
        given.out = into / f"line {line}"  # for the report; it is not written
    apart = (WHOLE | NO_EDIT) - {"model", "vocoder", "voice"}
    values = {name: str(value) for name, value in vars(given).items() if name not in apart}
    digest = hashlib.sha256(json.dumps([__version__, values]).encode()).hexdigest()
    return ManifestEdit(line, given, digest, sources, problem)


def _argument(name: str, value: str, usual: Mapping[str, Any], folder: Path) -> list[str]:
    """Return a cell as command-line arguments; none if it is empty."""
    option = f"--{name.replace('_', '-')}"
    if value == "":
        return []
    if isinstance(usual[name], bool):
        if value.lower() not in YES + NO:
            raise InputError(f"“{name}” must be yes or no, not “{value}”.")
        return [option] if value.lower() in YES else []
    if name in FILES:
        value = str(folder / value)
    elif value.startswith("@"):
        value = f"@{folder / value[1:]}"
    return [f"{option}={value}"]


def _strange(name: str, usual: Mapping[str, Any]) -> str:
    columns = ", ".join(sorted(usual))
    return f"“{name}” is not an option of an edit; columns may be {columns}."


def _lines(manifest: Path, usual: Mapping[str, Any]) -> Iterator[Line]:
    ending = manifest.suffix.lower()
    if ending not in (".csv", ".tsv", ".jsonl"):
        raise InputError(
            f"{manifest} is not a list of edits: its name must end in .csv, .tsv or .jsonl."
        )
    try:
        if manifest.stat().st_size > MAX_LIST_BYTES:
            raise InputError(f"{manifest} is too large for a list of edits: split it.")
        text = manifest.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"{manifest} can't be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise InputError(f"{manifest} is not UTF-8 text: save it as UTF-8.") from None
    if ending == ".jsonl":
        return _objects(text.split("\n"))
    return _table(manifest, _quoted(manifest, text) if ending == ".csv" else _tabbed(text), usual)


Row = tuple[int, list[str]]  # its line, from 1, and its cells


def _tabbed(text: str) -> Iterator[Row]:
    # A quotation mark is an ordinary character here and may be unpaired.
    for number, line in enumerate(text.split("\n"), 1):
        yield number, [cell.strip() for cell in line.split("\t")]


def _quoted(manifest: Path, text: str) -> Iterator[Row]:
    """Read rows as spreadsheets write them: with semicolons where commas are for decimals."""
    first = text.partition("\n")[0]
    separator = max(",;\t", key=first.count)
    number, rows = 1, csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        for cells in rows:
            yield number, [" ".join(cell.split()) for cell in cells]
            number = rows.line_num + 1
    except csv.Error as error:
        raise InputError(f"{manifest}, line {number}: {error}: save it as CSV again.") from None


def _table(manifest: Path, rows: Iterator[Row], usual: Mapping[str, Any]) -> Iterator[Line]:
    names = [name.lower() for name in next(rows, (1, [""]))[1]]
    if not any(names):
        return
    if strange := sorted(set(names) - usual.keys()):
        raise InputError(f"{manifest}, line 1: {_strange(strange[0], usual)}")
    if twice := [name for name in names if names.count(name) > 1]:
        raise InputError(f"{manifest}, line 1: “{twice[0]}” names two columns: omit one.")
    for number, cells in rows:
        if any(cells) and len(cells) > len(names):
            yield number, InputError("It has more cells than columns.")
        elif any(cells):
            yield number, dict(zip(names, cells, strict=False))


def _objects(lines: list[str]) -> Iterator[Line]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict) or any(isinstance(v, list | dict) for v in row.values()):
            yield number, InputError("It is not a JSON object of plain values.")
        else:
            yield number, {name: "" if v is None else str(v) for name, v in row.items()}


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
    if options.scheduler:
        connect(options.scheduler).close()  # or nothing is written
    folders = [job.options.out.parent for job in jobs if job.problem is None]
    with no_empty_folders([options.out_dir, *folders]):
        _make_all(jobs, workers, options)


def _make_all(jobs: list[ManifestEdit], workers: int, options: argparse.Namespace) -> None:
    """Make the edits and write the report; raises InputError if one failed."""
    options.out_dir.mkdir(parents=True, exist_ok=True)
    report = options.out_dir / REPORT
    check_target(report, options.manifest)
    check_no_link(report)
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
        recover()
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
    from a3t.projects.project_edit import write

    options = job.options
    begun = time.monotonic()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    edit = project_edit(options)
    for sound, tracks in edit.sounds.items():
        check_replaced(sound, ask=False, tracks=tracks)
    with _turn:
        editor = _editor(options.model, options.vocoder, options.device, options.voice)
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
    """Return this process's editor."""
    from a3t.editor import Editor
    from a3t.source.alignments import default_folder

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
