"""Blind, randomised pages for a listening test, from the sounds that a comparison kept.

MOS: each sound alone, rated from 1 (bad) to 5 (excellent), as ITU-T P.800 has absolute category
rating. ABX: two systems' sounds and the recording X; which of them is nearer to it. A page holds
its sounds itself, shows opaque names, draws its own order for each listener, keeps what was rated
when it is closed, and gives a CSV file at the end. Which name is whose stands in ``key.json``,
which is for whoever runs the test.
"""

from __future__ import annotations

import base64
import hashlib
import html
import io
import json
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import soundfile

from a3t.audio.files import atomic_path
from a3t.errors import InputError
from a3t.evaluation.tables.comparison import RECORDING, file_name
from a3t.grid import SAMPLE_RATE

KEY = "key.json"
PAGE = Path(__file__).with_name("page.html")
LEVEL = 0.05  # RMS to which all sounds are brought, so that loudness is nobody's advantage
MOST_SOUNDS = 400  # in a page, which holds them all


@dataclass(frozen=True)
class Trial:
    """What a listener judges: one sound (MOS), or two, by two systems, and X (ABX)."""

    name: str  # opaque
    task: str
    systems: tuple[str, ...]  # one, or those behind A and B


def make_test(
    sounds: Path,
    systems: Sequence[str],
    out: Path,
    kind: str = "mos",
    tasks: int = 10,
    seed: int = 0,
) -> Path:
    """Write ``OUT/mos.html`` or ``OUT/abx.html`` and the key; returns the page's path.

    ``sounds`` is a comparison's folder of them. As many tasks as are asked for are drawn from those
    that every system has a sound of; in ABX, of each pair of systems. InputError if a system, or
    all tasks, are missing.
    """
    if kind not in ("mos", "abx"):
        raise InputError(f"A test is mos or abx, not {kind}.")
    if kind == "abx" and len(systems) < 2:
        raise InputError("ABX compares two systems at least.")
    names = common_tasks(sounds, [*systems, RECORDING] if kind == "abx" else systems)
    draw = random.Random(seed)
    chosen = draw.sample(names, min(tasks, len(names)))
    trials = _trials(kind, chosen, systems, draw)
    if len(trials) * (3 if kind == "abx" else 1) > MOST_SOUNDS:
        raise InputError(f"{len(trials)} trials are too many for a page: ask for fewer tasks.")
    shown = []
    for trial in trials:
        players = [_sound(sounds, system, trial.task) for system in trial.systems]
        if kind == "abx":
            players.append(_sound(sounds, RECORDING, trial.task))
        shown.append({"name": trial.name, "sounds": players})
    out.mkdir(parents=True, exist_ok=True)
    data = json.dumps({"kind": kind, "test": _digest(f"{seed} {trials}"), "trials": shown})
    page = PAGE.read_text(encoding="utf-8").replace("{{TITLE}}", html.escape(kind.upper()))
    page = page.replace("{{DATA}}", data.replace("<", "\\u003c"))
    key = {"kind": kind, "systems": list(systems), "trials": [asdict(trial) for trial in trials]}
    for name, text in ((f"{kind}.html", page), (KEY, json.dumps(key, indent=1))):
        with atomic_path(out / name) as temporary:
            temporary.write_text(text, encoding="utf-8")
    return out / f"{kind}.html"


def common_tasks(sounds: Path, systems: Sequence[str]) -> list[str]:
    """The tasks that every system has a sound of, sorted; InputError if there are none."""
    found: set[str] | None = None
    for system in systems:
        own = {path.stem for path in (sounds / file_name(system)).glob("*.flac")}
        if not own:
            raise InputError(f"{sounds} has no sounds of {system!r}.")
        found = own if found is None else found & own
    if not found:
        raise InputError(f"{sounds} has no task that all of these systems did.")
    return sorted(found)


def _trials(
    kind: str, tasks: Sequence[str], systems: Sequence[str], draw: random.Random
) -> list[Trial]:
    """All trials, in a random order; in ABX each pair is A and B equally often, to within one."""
    pairs: list[tuple[str, tuple[str, ...]]] = []
    if kind == "mos":
        pairs = [(task, (system,)) for task in tasks for system in systems]
    else:
        for one, other in combinations(systems, 2):
            turned = [k % 2 == 0 for k in range(len(tasks))]
            draw.shuffle(turned)
            pairs += [
                (task, (one, other) if straight else (other, one))
                for task, straight in zip(tasks, turned, strict=True)
            ]
    draw.shuffle(pairs)
    salt = draw.random()
    return [Trial(_digest(f"{salt} {k}"), task, own) for k, (task, own) in enumerate(pairs)]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:10]


def _sound(sounds: Path, system: str, task: str) -> str:
    """A sound as a data URI: Ogg Vorbis, at one level for all."""
    path = sounds / file_name(system) / f"{task}.flac"
    try:
        samples, rate = soundfile.read(str(path), dtype="float32")
    except (OSError, RuntimeError):
        raise InputError(f"{path} can't be read as sound.") from None
    if rate != SAMPLE_RATE or samples.ndim != 1:
        raise InputError(f"{path} is not of one channel at {SAMPLE_RATE} Hz.")
    loud = float(np.sqrt(np.square(samples).mean()))
    samples = samples * min(LEVEL / max(loud, 1e-6), 0.99 / max(float(np.abs(samples).max()), 1e-6))
    stream = io.BytesIO()
    soundfile.write(stream, samples, rate, format="OGG", subtype="VORBIS")
    return "data:audio/ogg;base64," + base64.b64encode(stream.getvalue()).decode()
