"""The thesis's tables 4.2 to 4.7, or all of them, from trained systems.

Beside the report the folder gets every result's sound.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path

from a3t.errors import InputError
from a3t.learning.loop import CHECKPOINT
from a3t.pretrained import checkpoint_folder
from evaluation.clips import recipe_clips
from evaluation.harness.declared_tables import Rows
from evaluation.harness.measurement import Measurement, Setting
from evaluation.systems import networks
from evaluation.systems.heard import refuse_heard
from evaluation.systems.named import (
    BASELINES,
    DURATIONS,
    FLOORS,
    RUNS,
    SHIPPED,
    base_name,
    facts_of,
    systems_in,
)
from evaluation.tables import thesis_tables
from evaluation.tables.comparison import (
    REFERENCES,
    TaskOfSystem,
    compared,
    file_name,
    judge,
    version_key,
)
from evaluation.tables.tasks import EDIT, GIVEN, PREDICTED, PROMPT, GapTask, TaskMaker
from training.features.split_list import SPLIT_FILE
from training.programs import counts, option

NUMBERS = (*thesis_tables.TABLES, "all")


def further_systems(options: argparse.Namespace) -> dict[str, str]:
    """Return the systems of --system, and the shipped one, by name.

    Raises InputError if one isn't NAME=MODEL.
    """
    found = {SHIPPED: "small"}
    for each in options.system:
        name, equals, where = each.partition("=")
        if not (name and equals and where):
            raise InputError(f"--system {each}: write NAME=MODEL.")
        if name in found:
            raise InputError(f"--system {each}: {name} was given twice.")
        found[name] = where
    return found


def refuse_taken_names(there: Iterable[str], more: Iterable[str]) -> None:
    """Raise InputError if a further system is called like another and would pass for it."""
    taken = {file_name(name) for name in (*there, *REFERENCES)}
    for name in more:
        if file_name(name) in taken or not file_name(name):
            raise InputError(
                f"--system {name}: another system has this name: choose a different one."
            )
        taken.add(file_name(name))


def results(setting: Setting) -> list[TaskOfSystem]:
    """Pair every task of the tables with every system."""
    options, known = setting.options, setting.known
    if options.runs is not None and not options.runs.is_dir():
        raise InputError(f"There is no folder of trained systems {options.runs}.")
    specs = thesis_tables.specs_of(options.number)
    there, more = systems_in(options.runs), further_systems(options)
    refuse_taken_names(there, more)
    named = {name for spec in specs for name in spec.systems}
    others = [n for n in there if base_name(n) not in {*RUNS.values(), *BASELINES, *FLOORS}]
    wanted = {n: folder for n, folder in there.items() if n in others or base_name(n) in named}
    wanted |= {name: checkpoint_folder(where) for name, where in more.items()}
    test_clips, split = recipe_clips(options.data)
    clips = [clip for clip in test_clips if options.voice in (None, clip.voice)]
    if not clips:
        some = ", ".join(sorted({clip.voice for clip in test_clips})[:5])
        raise InputError(f"There is no clip by the voice {options.voice}: there are {some} …")
    own = {name: folder for name, folder in wanted.items() if folder is not None}
    for name, folder in own.items():
        if name != SHIPPED:
            refuse_heard(name, folder, clips)
    try:
        refuse_heard(SHIPPED, own[SHIPPED], clips)
        without = []
    except InputError as error:
        wanted.pop(SHIPPED)
        without = [f"Not in these tables: {error}"]
    durations = own_durations(options)
    refuse_heard("The duration predictor", checkpoint_folder(durations), clips)
    predictor, durations_name = networks.load_durations(durations)
    maker = TaskMaker(
        clips, lambda clip: split.by_name[clip.name].split, predictor, setting.left_out
    )
    tasks = tasks_of(maker, {spec.kind for spec in specs}, options)
    absent = sorted(named - {*there, *more, *REFERENCES})
    known |= {"specs": specs, "more": [*map(base_name, others), *more], "sounds": True}
    known["facts"] = [
        *facts_of_all(wanted),
        f"Durations by {durations_name}, scaled to the speaker; vocoder: {options.vocoder}",
        f"Tasks: {len(tasks)}; voices: {len({task.voice for task in tasks})}",
        f"Held out by {options.data / SPLIT_FILE}, sha256 {split.digest[:12]}",
        *without,
        *([f"Not trained, so not in these tables: {', '.join(absent)}"] if absent else []),
    ]
    return list(compared(tasks, wanted, options.vocoder, setting))


def own_durations(options: argparse.Namespace) -> str | Path:
    """Return the predictor asked for, else the one trained beside the systems, else the shipped."""
    if options.durations:
        return str(options.durations)
    beside = options.runs and options.runs / DURATIONS
    return beside if beside and (beside / CHECKPOINT).is_file() else DURATIONS


def facts_of_all(systems: Mapping[str, Path | None]) -> list[str]:
    """Describe each of them that is a network of its own in a line."""
    own = {name: folder for name, folder in systems.items() if name not in BASELINES}
    return [facts_of(name, folder) for name, folder in own.items() if folder is not None]


def tasks_of(maker: TaskMaker, kinds: set[str], options: argparse.Namespace) -> list[GapTask]:
    """Return the tasks of these kinds, as many as the options say."""
    made = (
        ({GIVEN, PREDICTED}, maker.reconstruction, options.clips),
        ({EDIT}, maker.edits, options.edits),
        ({PROMPT}, maker.prompts, options.prompts),
    )
    found = chain.from_iterable(make(count) for these, make, count in made if these & kinds)
    return [task for task in found if task.kind in kinds]


def report(rows: Rows, setting: Setting) -> str:
    """Write the tables; what failed on a task is counted in them, and in no mean."""
    specs, facts = setting.known["specs"], setting.known["facts"]
    return page_of(facts, specs, [*rows, *failed(setting)], setting.known["more"])


def failed(setting: Setting) -> Rows:
    """Return the rows of what failed."""
    return [item.facts | {"error": why} for item, why in setting.left_out if item is not None]


def page_of(
    facts: Sequence[str],
    specs: Sequence[thesis_tables.TableSpec],
    rows: Rows,
    more: Sequence[str] = (),
) -> str:
    """Write the page of several tables."""
    tables = [thesis_tables.table_of(spec, rows, more) for spec in specs]
    if any(spec.kind in (GIVEN, PREDICTED) for spec in specs):
        tables.append(thesis_tables.margins(rows))
    return "\n".join(
        [*(f"- {fact}" for fact in facts), "", *tables, thesis_tables.seeds_table(rows)]
    )


MEASUREMENT = Measurement(
    results,
    judge,
    options=(
        option("number", choices=NUMBERS, metavar="NUMBER", help=", ".join(NUMBERS)),
        option(
            "--runs", type=Path, metavar="FOLDER",
            help="folder of trainings, such as a recipe's exp (default: only those of --system)",
        ),
        option(
            "--system", action="append", default=[], metavar="NAME=MODEL",
            help="another model (repeatable)",
        ),
        option("--vocoder", default="builtin", metavar="NAME_OR_PATH"),
        option(
            "--durations", metavar="NAME_OR_PATH",
            help="default: FOLDER/durations of --runs, else the shipped predictor",
        ),
        option(
            "--data", type=Path, required=True,
            help="a recipe's data directories: its test clips are measured",
        ),
        *counts(clips=8, edits=12, prompts=6),
        option("--voice", metavar="NAME", help="only this voice, such as kathleen-kathleen"),
    ),
    unit="result",
    report=report,
    legend=thesis_tables.LEGEND,
    key=version_key,
)  # fmt: skip
