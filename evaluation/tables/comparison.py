"""All systems over all tasks, as items of a measurement.

Rows belong to a task and a system as they are: other weights, another vocoder, other durations or a
measure that has changed since make them anew.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import soundfile
import torch

from a3t.errors import InputError
from a3t.grid import SAMPLE_RATE
from a3t.vocoder import load_vocoder
from evaluation.harness.declared_tables import Row
from evaluation.harness.measurement import Setting
from evaluation.harness.report_files import json_line, write_text
from evaluation.systems.named import ABLATIONS, base_name, load_system, version_of
from evaluation.systems.networks import as_vocoder
from evaluation.tables.judging import GapJudge, Made, copy_synthesis, make, recorded
from evaluation.tables.tasks import EDIT, GIVEN, GapTask

RECORDING, COPY = "recording", "copy-synthesis"  # judged beside the systems
REFERENCES = (RECORDING, COPY)
MEASURED = 3  # raised when a measure changes: what was measured before is then measured anew


class TaskOfSystem(NamedTuple):
    """A task for a system; ``version`` changes with anything that its figures depend on."""

    name: str
    task: GapTask
    system: str
    version: str

    @property
    def facts(self) -> Row:
        """What a row says of the task and the system."""
        task = self.task
        facts = {"task": task.name, "kind": task.kind, "edit": task.detail, "voice": task.voice}
        return facts | {"seen": task.seen, "system": self.system}


def version_key(item: TaskOfSystem) -> str:
    """Return the key by which an item's rows are kept."""
    return f"{item.name} {item.version}"


def compared(
    tasks: Sequence[GapTask], systems: Mapping[str, Path | None], vocoder: str, setting: Setting
) -> Iterator[TaskOfSystem]:
    """Pair every task with every system, its network's folder at hand, and the references.

    The rows of tables 4.2 and 4.3 alone get given durations alone.
    """
    torch.set_num_threads(1)
    loaded = load_vocoder(vocoder)
    setting.known |= {"vocoder": as_vocoder(loaded), "folders": systems}
    versions = {name: version_of(systems.get(name)) for name in (*REFERENCES, *systems)}
    for task in tasks:
        for name, version in versions.items():
            if task.kind == GIVEN or base_name(name) not in ABLATIONS:
                facts = f"{MEASURED} {loaded.name} {loaded.sha256} {task.version} {version}"
                digest = hashlib.sha256(facts.encode()).hexdigest()[:12]
                yield TaskOfSystem(f"{task.name}, {name}", task, name, digest)


def judge(item: TaskOfSystem, setting: Setting) -> Iterator[Row]:
    """Return the figures of a system on a task.

    A system may be anybody's, and fail in its own way: that is an InputError too.
    """
    try:
        figures, made = figures_of(item.task, item.system, setting)
    except Exception as error:
        raise InputError(str(error) if isinstance(error, InputError) else repr(error)) from None
    if "sounds" in setting.known:
        folder = setting.folder / "sounds" / file_name(item.system)
        write_sound(made, folder, item.task.name)
    yield item.facts | figures


def figures_of(task: GapTask, name: str, setting: Setting) -> tuple[Row, Made]:
    """Make a system's sound for a task, and judge it."""
    known = setting.known
    if known.get("judged") is not task:  # one task's systems follow each other
        known |= {"judged": task, "judge": GapJudge(task)}
    if name not in REFERENCES:
        if ("system", name) not in known:
            known["system", name] = load_system(name, known["folders"][name])
        made, seconds = make(task, known["system", name], known["vocoder"])
        return known["judge"].figures(made) | {"seconds": seconds}, made
    made = recorded(task) if name == RECORDING else copy_synthesis(task, known["vocoder"])
    figures = known["judge"].figures(made, task.before if task.kind == EDIT else None)
    figures.pop("outside", None)
    return figures, made


def file_name(text: str) -> str:
    """Return a name for a folder: letters, digits, points and dashes."""
    return re.sub(r"[^\w.-]+", "-", text).strip("-").lower()


def write_sound(made: Made, folder: Path, name: str) -> None:
    """Write the whole clip as FLAC, 16 bit at 24 kHz, and where its gap is, in samples."""
    folder.mkdir(parents=True, exist_ok=True)
    samples = np.clip(made.sound, -1.0, 1.0)
    soundfile.write(folder / f"{name}.flac", samples, SAMPLE_RATE, subtype="PCM_16")
    write_text(folder / f"{name}.json", json_line({"region": list(made.region)}))
