"""Blind, randomised pages for a listening test, from the sounds that a comparison kept.

MOS: each sound alone, rated from 1 (bad) to 5 (excellent): ITU-T P.800's absolute category rating.
SMOS: the same scale for the similarity of its voice and the recording's (thesis, table 4.6). Speech
from a prompt is heard without the prompt. A page contains its sounds, shows opaque names, draws an
order for each listener, keeps the ratings when it is closed, and gives a CSV file at the end.
``key.json`` says which name is whose, for the person who runs the test.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import html
import io
import json
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path

import numpy as np
import soundfile

from a3t.errors import InputError
from a3t.grid import SAMPLE_RATE
from evaluation.harness.measurement import ROWS, read_rows
from evaluation.harness.report_files import write_text
from evaluation.tables.comparison import RECORDING, file_name
from evaluation.tables.tasks import PROMPT
from training.programs import Program, counts, option

KEY = "key.json"
PAGE = Path(__file__).with_name("page.html")
LEVEL = 0.05  # RMS to which all sounds are brought, so that loudness is nobody's advantage
MOST_SOUNDS = 400  # in a page, which holds them all
KINDS = {"mos": 1, "smos": 2}  # of tests, with the sounds of a trial


@dataclass(frozen=True)
class Trial:
    """A question to a listener: one sound (MOS), or a sound and the recording (SMOS)."""

    name: str  # opaque
    task: str
    system: str


def make_test(
    sounds: Path,
    systems: Sequence[str],
    out: Path,
    kind: str = "mos",
    tasks: int = 10,
    seed: int = 0,
    of: str | None = None,
) -> Path:
    """Write ``OUT/KIND.html`` and the key; returns the page's path.

    ``sounds`` is a comparison's folder of them, ``of`` the kind of its tasks that are wanted (all).
    As many tasks as are asked for are drawn from those that every system has a sound of. InputError
    if a system, or all tasks, are missing, or if the folder holds the key of another test.
    """
    names = common_tasks(sounds, systems if kind == "mos" else [*systems, RECORDING])
    kinds = task_kinds(sounds)
    names = [name for name in names if of is None or kinds.get(name) == of]
    if not names:
        raise InputError(f"{sounds} has no task of the kind {of} that all of these systems did.")
    draw = random.Random(seed)
    chosen = draw.sample(names, min(tasks, len(names)))
    trials = _trials(chosen, systems, draw)
    if len(trials) * KINDS[kind] > MOST_SOUNDS:
        raise InputError(f"{len(trials)} trials are too many for a page: ask for fewer tasks.")
    shown = []
    for trial in trials:
        heard = (trial.system, RECORDING)[: KINDS[kind]]
        alone = kinds.get(trial.task) == PROMPT
        players = [_sound(sounds, system, trial.task, alone) for system in heard]
        shown.append({"name": trial.name, "sounds": players})
    data = json.dumps({"kind": kind, "test": _digest(f"{seed} {trials}"), "trials": shown})
    page = PAGE.read_text(encoding="utf-8").replace("{{TITLE}}", html.escape(kind.upper()))
    page = page.replace("{{DATA}}", data.replace("<", "\\u003c"))
    key = {"kind": kind, "systems": list(systems), "trials": [asdict(trial) for trial in trials]}
    written = json.dumps(key, indent=1)
    if (out / KEY).exists() and (out / KEY).read_text(encoding="utf-8") != written:
        raise InputError(
            f"{out} holds another test, whose ratings nobody could read without its key: choose"
            " another folder."
        )
    write_text(out / f"{kind}.html", page)
    write_text(out / KEY, written)
    return out / f"{kind}.html"


def task_kinds(sounds: Path) -> dict[str, str]:
    """Return the kind of each task, by the rows that the comparison kept beside its sounds."""
    if not (sounds.parent / ROWS).is_file():
        return {}
    return {row["task"]: row["kind"] for row in read_rows(sounds.parent)}


def common_tasks(sounds: Path, systems: Sequence[str]) -> list[str]:
    """Return the tasks that every system has a sound of, sorted; InputError if there are none."""
    own = {x: {path.stem for path in (sounds / file_name(x)).glob("*.flac")} for x in systems}
    for system, names in own.items():
        if not names:
            raise InputError(f"{sounds} has no sounds of {system!r}.")
    found = set.intersection(*own.values())
    if not found:
        raise InputError(f"{sounds} has no task that all of these systems did.")
    return sorted(found)


def _trials(tasks: Sequence[str], systems: Sequence[str], draw: random.Random) -> list[Trial]:
    """Return all trials in a random order."""
    pairs = list(product(tasks, systems))
    draw.shuffle(pairs)
    salt = draw.random()
    return [Trial(_digest(f"{salt} {k}"), *pair) for k, pair in enumerate(pairs)]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:10]


def _sound(sounds: Path, system: str, task: str, alone: bool) -> str:
    """Encode a sound as a data URI: Ogg Vorbis, at one level for all.

    ``alone``: what fills the gap.
    """
    path = sounds / file_name(system) / f"{task}.flac"
    try:
        samples, rate = soundfile.read(str(path), dtype="float32")
    except (OSError, RuntimeError):
        raise InputError(f"{path} can't be read as sound.") from None
    if rate != SAMPLE_RATE or samples.ndim != 1:
        raise InputError(f"{path} is not of one channel at {SAMPLE_RATE} Hz.")
    if alone:
        first, last = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))["region"]
        samples = samples[first:last]
    loud = float(np.sqrt(np.square(samples).mean()))
    samples = samples * min(LEVEL / max(loud, 1e-6), 0.99 / max(float(np.abs(samples).max()), 1e-6))
    stream = io.BytesIO()
    soundfile.write(stream, samples, rate, format="OGG", subtype="VORBIS")
    return "data:audio/ogg;base64," + base64.b64encode(stream.getvalue()).decode()


def run(options: argparse.Namespace) -> None:
    """Make the page; raises InputError."""
    arguments = (options.sounds, options.system, options.out, options.kind)
    print(make_test(*arguments, options.tasks, options.seed, options.of))


main = Program(
    run,
    option("sounds", type=Path, help="the folder `sounds` of a table"),
    option(
        "--system", action="append", required=True, metavar="NAME",
        help="a system by its name in the table (repeatable); 'recording' is the ceiling",
    ),
    option(
        "--kind", choices=[*KINDS], default="mos",
        help="mos: naturalness; smos: similarity to the recording's voice (default: mos)",
    ),
    option(
        "--of", metavar="KIND",
        help="only tasks of this kind (default: all): 'predicted' is table 4.4, 'edit' 4.5, "
        "'prompt' 4.6 and 4.7",
    ),
    *counts(tasks=10, seed=0),
    option(
        "--out", type=Path, required=True, metavar="FOLDER",
        help="folder for the page and its key.json, one per test",
    ),
    name="evaluation listening",
)  # fmt: skip
