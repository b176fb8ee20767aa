"""All systems over all tasks: resumable, in parallel, and with every failure counted.

``figures.jsonl`` gets a line for each task and system as soon as it is judged. A run that is
repeated does what is missing, what failed, and what is out of date: by other weights, another
vocoder, other durations, or a measure that has changed since.
"""

from __future__ import annotations

import hashlib
import math
import multiprocessing
import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
import torch
from tqdm import tqdm

from a3t.errors import InputError
from a3t.grid import SAMPLE_RATE
from a3t.pretrained import WEIGHTS, checkpoint_folder
from a3t.vocoder import load_vocoder
from a3t.voice.kernel.loop import CHECKPOINT
from evaluation.harness.report_files import json_line, read_lines, write_text
from evaluation.systems.interface import System
from evaluation.systems.named import ABLATIONS, BASELINES, base_name, load_system, run_folder
from evaluation.systems.networks import as_vocoder
from evaluation.tables.judging import GapJudge, Made, copy_synthesis, make, recorded
from evaluation.tables.tasks import EDIT, GIVEN, GapTask

FIGURES = "figures.jsonl"
RECORDING, COPY = "recording", "copy-synthesis"  # judged beside the systems
REFERENCES = (RECORDING, COPY)
MEASURED = 3  # raised when a measure changes: what was measured before is then measured anew

Versions = Mapping[tuple[str, str], str]  # of tasks and systems, by their names


@dataclass(frozen=True)
class ComparisonRow:
    """One system on one task: its figures, or why it has none. ``version`` is other when anything
    is other that they depend on."""

    task: str
    kind: str
    detail: str
    voice: str
    seen: bool
    system: str
    version: str
    figures: dict[str, float] = field(default_factory=dict)
    error: str = ""

    def to_json(self) -> str:
        """A line; figures to five digits, those that are not numbers as null."""
        figures = {k: None if math.isnan(v) else float(f"{v:.5g}") for k, v in self.figures.items()}
        return json_line(asdict(self) | {"figures": figures})

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> ComparisonRow:
        """The inverse of `to_json`."""
        figures = {k: math.nan if v is None else float(v) for k, v in row["figures"].items()}
        return cls(**{**row, "figures": figures})


def read_figures(folder: Path) -> list[ComparisonRow]:
    """The rows of a folder, the last of each task and system. InputError if a line is none."""
    try:
        rows = [ComparisonRow.from_json(line) for line in read_lines(folder / FIGURES)]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InputError(f"{folder / FIGURES} has no figures of this command.") from None
    return list({(row.task, row.system): row for row in rows}.values())


@dataclass(frozen=True)
class Systems:
    """The systems to compare, and where they are. ``more``: see `named.load_system`."""

    runs: Path
    names: tuple[str, ...]
    vocoder: str = "builtin"
    more: Mapping[str, str] = field(default_factory=dict)

    def version(self, name: str) -> str:
        """A string that changes with a system's weights; "" if it has none."""
        if name in self.more:
            return _version_of(self.more[name])
        folder = "fastspeech2" if name in BASELINES else run_folder(name)
        path = self.runs / folder / CHECKPOINT if folder else None
        if path is None or not path.is_file():
            return ""
        return hashlib.sha256(path.read_bytes()).hexdigest()

    def versions(self, tasks: Sequence[GapTask]) -> dict[tuple[str, str], str]:
        """For each task and system, 12 digits of a sha256 of everything its figures depend on."""
        vocoder = load_vocoder(self.vocoder)
        with_all = f"{MEASURED} {vocoder.name} {vocoder.sha256}"
        own = {name: self.version(name) for name in (*REFERENCES, *self.names)}
        found = {}
        for task in tasks:
            of_task = f"{with_all} {task.version}"
            for name, version in own.items():
                digest = hashlib.sha256(f"{of_task} {version}".encode()).hexdigest()
                found[task.name, name] = digest[:12]
        return found


def _version_of(where: str) -> str:
    """The version of a shipped model or a model's folder."""
    files = [checkpoint_folder(where) / name for name in (WEIGHTS, CHECKPOINT)]
    found = [path.read_bytes() for path in files if path.is_file()]
    return hashlib.sha256(b"".join(found)).hexdigest()


def run_comparison(
    tasks: Sequence[GapTask], systems: Systems, out: Path, jobs: int = 1, sounds: bool = True
) -> list[ComparisonRow]:
    """All rows, those of earlier runs among them. InputError if a process is killed or a system
    can't be loaded; what is done by then is kept."""
    out.mkdir(parents=True, exist_ok=True)
    names = [*REFERENCES, *systems.names]
    versions = systems.versions(tasks)
    done = {
        (row.task, row.system)
        for row in read_figures(out)
        if not row.error and row.version == versions.get((row.task, row.system))
    }
    wanted = [
        (task.name, name)
        for task in tasks
        for name in names
        if task.kind == GIVEN or base_name(name) not in ABLATIONS
    ]
    missing = set(wanted) - done
    work = [(task, [n for n in names if (task.name, n) in missing]) for task in tasks]
    work = [(task, own) for task, own in work if own]
    bar = tqdm(total=len(missing), unit="result", disable=None)
    folder = out / "sounds" if sounds else None
    with open(out / FIGURES, "a", encoding="utf-8") as file, bar:
        try:
            for rows in _judged(work, systems, versions, folder, jobs):
                file.writelines(row.to_json() for row in rows)
                file.flush()
                bar.update(len(rows))
        except KeyboardInterrupt:
            raise KeyboardInterrupt(
                "Interrupted: what was measured is kept, and the same command goes on from there."
            ) from None
    pairs = set(wanted)
    return [row for row in read_figures(out) if (row.task, row.system) in pairs]


def _judged(
    work: Sequence[tuple[GapTask, list[str]]],
    systems: Systems,
    versions: Versions,
    folder: Path | None,
    jobs: int,
) -> Iterator[list[ComparisonRow]]:
    """The rows of each task, as they are done."""
    if jobs <= 1 or len(work) <= 1:
        judge = _Worker(systems, versions, folder)
        for task, missing in work:
            yield list(judge.rows(task, missing))
        return
    context = multiprocessing.get_context("spawn")  # torch's threads don't survive a fork
    arguments = (systems, versions, folder)
    try:
        with ProcessPoolExecutor(jobs, context, _start, arguments) as pool:
            waiting: list[Future[list[ComparisonRow]]] = [
                pool.submit(_rows, task, missing) for task, missing in work
            ]
            for each in as_completed(waiting):
                yield each.result()
    except BrokenProcessPool:
        raise InputError(
            "A process was killed, or could not load its systems, perhaps for lack of memory: run"
            " the command again with fewer --jobs; what is done is kept."
        ) from None


class _Worker:
    """One process's systems, loaded when they are first wanted."""

    def __init__(self, systems: Systems, versions: Versions, folder: Path | None) -> None:
        torch.set_num_threads(1)
        self.systems, self.versions, self.folder = systems, versions, folder
        self.vocoder = as_vocoder(load_vocoder(systems.vocoder))
        self.loaded: dict[str, System] = {}

    def _system(self, name: str) -> System:
        if name not in self.loaded:
            self.loaded[name] = load_system(name, self.systems.runs, self.systems.more)
        return self.loaded[name]

    def rows(self, task: GapTask, names: Sequence[str]) -> Iterator[ComparisonRow]:
        judge = GapJudge(task)
        for name in names:
            key = (task.name, task.kind, task.detail, task.voice, task.seen, name)
            version = self.versions[task.name, name]
            try:
                figures, made = self._figures(judge, task, name)
            # A system may be anybody's, and fail in its own way: that is a result too.
            except Exception as error:
                reason = str(error) if isinstance(error, InputError) else repr(error)
                yield ComparisonRow(*key, version, error=reason)
                continue
            if self.folder is not None:
                write_sound(made, self.folder / file_name(name), task.name)
            yield ComparisonRow(*key, version, figures)

    def _figures(self, judge: GapJudge, task: GapTask, name: str) -> tuple[dict[str, float], Made]:
        if name not in REFERENCES:
            made, seconds = make(task, self._system(name), self.vocoder)
            return judge.figures(made) | {"seconds": seconds}, made
        made = recorded(task) if name == RECORDING else copy_synthesis(task, self.vocoder)
        figures = judge.figures(made, task.before if task.kind == EDIT else None)
        for meaningless in ("duration_ms", "outside"):
            figures.pop(meaningless, None)
        return figures, made


_worker: _Worker | None = None


def _start(systems: Systems, versions: Versions, folder: Path | None) -> None:
    global _worker
    _worker = _Worker(systems, versions, folder)


def _rows(task: GapTask, names: Sequence[str]) -> list[ComparisonRow]:
    assert _worker is not None
    return list(_worker.rows(task, names))


def file_name(text: str) -> str:
    """A name for a folder: letters, digits, points and dashes."""
    return re.sub(r"[^\w.-]+", "-", text).strip("-").lower()


def write_sound(made: Made, folder: Path, name: str) -> None:
    """The whole clip as FLAC, 16 bit at 24 kHz, and where its gap is, in samples."""
    folder.mkdir(parents=True, exist_ok=True)
    samples = np.clip(made.sound, -1.0, 1.0)
    soundfile.write(folder / f"{name}.flac", samples, SAMPLE_RATE, subtype="PCM_16")
    write_text(folder / f"{name}.json", json_line({"region": list(made.region)}))
