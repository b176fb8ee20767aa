"""Align every recording of a folder: in parallel, and resumable.

    a3t align corpus FOLDER [--out FOLDER] [--ending .TextGrid] [--jobs N]
    a3t align corpus FOLDER --scheduler tcp://host:8786

Each recording needs its text beside it, of any kind in docs/formats.md. The alignments lie beside
the recordings, or in the same sub-folders of --out. One that is newer than its recording and text
is kept. Failures are listed in alignment-failures.tsv with their reasons. With --scheduler the
workers of a Dask cluster do the work: each needs this package, and the folders at the same path.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from a3t.commands.options import option, transcript_argument
from a3t.console import EXIT_CODES, Parser, say
from a3t.errors import InputError
from a3t.source.transcripts import SIDECARS
from alignment import Alignment, load_aligner
from alignment.aligner import Readable
from alignment.atomic import write_whole
from alignment.errors import AlignmentError
from alignment.formats.alignment_files import check_format, has_phones, write_alignment
from alignment.formats.dictionary import Dictionary
from alignment.parallel import run_jobs

if TYPE_CHECKING:
    from a3t.audio.reading.recording import Recording
    from a3t.source.records import FoundTranscript
    from a3t.text.pronunciation.pronouncer import Pronouncer

RECORDINGS = (".wav", ".flac", ".ogg", ".opus", ".mp3", ".aif", ".aiff")
REPORT = "alignment-failures.tsv"


def transcript_of(
    recording: Recording, text: str | None, pronouncer: Pronouncer
) -> FoundTranscript:
    """Return the text as given, of a file (@FILE), beside the recording, or recognised."""
    from a3t.source.transcripts import find_transcript

    return find_transcript(recording, transcript_argument(text), None, pronouncer)


def pronunciations_of(words: Iterable[str], own: Dictionary) -> dict[str, list[tuple[str, ...]]]:
    """Return the pronunciations of some words: a person's own, or else the known ones."""
    from a3t.text.pronunciation.pronouncer import Pronouncer

    return Pronouncer(own).choices(words)


@dataclass(frozen=True, slots=True)
class Task:
    """A recording to align."""

    recording: Path
    text: Path | None
    out: Path

    @property
    def done(self) -> bool:
        """True if the output exists and is newer than its sources."""
        if self.text is None or not self.out.is_file():
            return False
        made = self.out.stat().st_mtime
        return all(made >= path.stat().st_mtime for path in (self.recording, self.text))


def corpus_parser() -> argparse.ArgumentParser:
    """Return a parser of the options of `align_folder`, beside those of the aligner."""
    about = "Align every recording of a folder with the text beside it."
    result = Parser(prog="a3t align corpus", description=about, epilog=EXIT_CODES)
    option(result, "folder FOLDER", "the recordings, in it and in folders below it")
    option(result, "--out FOLDER", "folder for the results (default: beside the recordings)")
    endings = (".TextGrid", ".json", ".ctm")
    about = "kind of file: .TextGrid (default), .json or .ctm"
    option(result, "--ending ENDING", about, choices=endings, default=endings[0])
    about = "number of processes (default: one per core)"
    option(result, "--jobs N", about, default=os.cpu_count() or 1)
    option(result, "--scheduler ADDRESS", "run on a Dask cluster, e.g. tcp://host:8786")
    return result


def find_tasks(folder: Path, out: Path, ending: str) -> list[Task]:
    """List the recordings below ``folder``, in order, each with the text beside it."""
    tasks = []
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() not in RECORDINGS or not path.is_file():
            continue
        texts = (path.with_suffix(suffix) for suffix in SIDECARS)
        text = next((each for each in texts if each.is_file() and not has_phones(each)), None)
        target = (out / path.relative_to(folder)).with_suffix(ending)
        tasks.append(Task(path, text, target))
    return tasks


def align_one(task: Task, aligner: str, own: Dictionary) -> str | None:
    """Align one recording and write the result; None, or the sentence that says what failed."""
    try:
        recording, words = _read(task)
        alignment = load_aligner(aligner).align_recording(
            recording, words, pronunciations_of(words, own)
        )
        _write(alignment, task)
    except (ValueError, OSError, MemoryError) as error:
        return _sentence(error)
    return None


def _read(task: Task) -> tuple[Readable, Sequence[str]]:
    if task.text is None:
        raise InputError("It has no transcript beside it: add one that ends in .txt.")
    from a3t.audio.reading.recording import Recording
    from a3t.text.pronunciation.pronouncer import Pronouncer

    recording = Recording.open(task.recording)
    return recording, transcript_of(recording, f"@{task.text}", Pronouncer()).transcript.spoken


def _write(alignment: Alignment, task: Task) -> None:
    task.out.parent.mkdir(parents=True, exist_ok=True)
    check_format(task.out)
    write_alignment(alignment, task.out)


def _sentence(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _one_by_one(
    tasks: Sequence[Task], options: argparse.Namespace, own: Dictionary
) -> Iterator[tuple[Task, str | None]]:
    """Yield each task with its failure, from this machine's cores or the cluster."""
    function = partial(align_one, aligner=options.aligner, own=own)
    for done in run_jobs(function, tasks, options.jobs, options.scheduler):
        yield done.job, done.result if done.error is None else _sentence(done.error)


def _by_montreal(
    tasks: Sequence[Task], options: argparse.Namespace, own: Dictionary
) -> Iterator[tuple[Task, str | None]]:
    """Yield each task with its failure, from one run of MFA, which knows speakers by folder."""
    from alignment.aligners.montreal import MontrealAligner

    folders = {folder: k for k, folder in enumerate(sorted({t.out.parent for t in tasks}))}
    names = {f"speaker{folders[task.out.parent]}/{k}": task for k, task in enumerate(tasks)}
    ready: dict[str, tuple[Readable, Sequence[str]]] = {}
    for name, task in names.items():
        try:
            ready[name] = _read(task)
        except (ValueError, OSError) as error:
            yield task, _sentence(error)
    said = pronunciations_of(sorted({w for _, words in ready.values() for w in words}), own)
    found = MontrealAligner().align_corpus(ready, said, options.jobs)
    for name, result in found.items():
        if isinstance(result, AlignmentError):
            yield names[name], _sentence(result)
            continue
        try:
            _write(result, names[name])
            yield names[name], None
        except (ValueError, OSError) as error:
            yield names[name], _sentence(error)


def align_folder(options: argparse.Namespace, own: Dictionary) -> None:
    """Carry out the parsed command; raises InputError, also if a recording failed."""
    if not options.folder.is_dir():
        raise InputError(f"There is no folder {options.folder}: check its name.")
    if options.jobs < 1:
        raise InputError("--jobs must be at least 1.")
    load_aligner(options.aligner)
    out = options.out or options.folder
    folder = options.folder.resolve()  # a worker on another machine has another working folder
    tasks = find_tasks(folder, out.resolve(), options.ending)
    if not tasks:
        raise InputError(
            f"{options.folder} has no recordings ({' '.join(RECORDINGS)}): give another folder."
        )
    waiting = [task for task in tasks if not task.done]
    failures: list[tuple[str, str]] = []
    together = options.aligner == "mfa" and options.scheduler is None
    results = (_by_montreal if together else _one_by_one)(waiting, options, own)
    for count, (task, failure) in enumerate(results, 1):
        if failure is not None:
            failures.append((str(task.recording.relative_to(folder)), failure))
        if sys.stderr.isatty():
            print(f"\r{count} of {len(waiting)}", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty() and waiting:
        print(file=sys.stderr)
    _report(out / REPORT, sorted(failures))
    done = (
        f"{len(waiting) - len(failures)} aligned, {len(tasks) - len(waiting)} already there, "
        f"{len(failures)} failed"
    )
    if failures:
        raise InputError(f"{done}: see {out / REPORT}.")
    say(f"{done}.")


def _report(path: Path, failures: Sequence[tuple[str, str]]) -> None:
    """Write recording and reason, a line each; no file when nothing failed."""
    if not failures:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = "".join(f"{name}\t{reason}\n" for name, reason in failures)
    write_whole(path, lambda part: part.write_text(f"recording\treason\n{lines}", "utf-8"))
