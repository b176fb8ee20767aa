"""`python -m evaluation table NUMBER`: its options, and what it does."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from a3t.errors import InputError
from evaluation.harness.report_files import write_report
from evaluation.systems import networks
from evaluation.systems.named import SHIPPED, available, base_name, facts_of, training_of
from evaluation.tables import tasks, thesis_tables
from evaluation.tables.comparison import REFERENCES, Systems, file_name, run_comparison
from evaluation.tables.seeds import seeds_table
from evaluation.tables.tasks import EDIT, GIVEN, PREDICTED, PROMPT, GapTask, TaskMaker
from training.corpora import corpora_root
from training.programs import Program, option

NUMBERS = ("4.2", "4.3", "4.4", "4.5", "4.6", "4.7", "all")


def further_systems(options: argparse.Namespace) -> dict[str, str]:
    """The systems of --system, and the shipped one, by name; InputError if one isn't NAME=MODEL."""
    found = {} if options.no_shipped else {SHIPPED: "small"}
    for each in options.system:
        name, equals, where = each.partition("=")
        if not (name and equals and where):
            raise InputError(f"--system {each}: write NAME=MODEL.")
        if name in found:
            raise InputError(f"--system {each}: {name} was given twice.")
        found[name] = where
    return found


def refuse_taken_names(there: Sequence[str], more: Mapping[str, str]) -> None:
    """InputError if a further system is called like another, so that one would pass for both."""
    taken = {file_name(name) for name in (*there, *REFERENCES)}
    for name in more:
        if file_name(name) in taken or not file_name(name):
            raise InputError(
                f"--system {name}: another system has this name: choose a different one."
            )
        taken.add(file_name(name))


def run(options: argparse.Namespace) -> None:
    """Carry out the parsed command; raises InputError."""
    runs: Path = options.runs or options.out / "runs"
    if options.runs is not None and not runs.is_dir():
        raise InputError(f"There is no folder of trained systems {runs}.")
    specs = thesis_tables.specs_of(options.number)
    kinds = {spec.kind for spec in specs}
    more = further_systems(options)
    named = [name for spec in specs for name in spec.systems]
    there = available(runs)
    refuse_taken_names(there, more)
    wanted = [name for name in (*there, *more) if base_name(name) in named or name in more]
    predictor, durations_name = networks.load_durations(options.durations)
    predict = networks.duration_predictor(predictor)
    corpora = options.corpora or corpora_root()
    maker = tasks.TaskMaker(corpora, predictor, predict, options.voice)
    work = tasks_of(maker, kinds, options)
    if not work:
        why = "; ".join(f"{name}: {reason}" for name, reason in list(maker.left_out.items())[:3])
        raise InputError(f"{corpora} has no clip for these tables{why and ': ' + why}.")
    options.out.mkdir(parents=True, exist_ok=True)
    tasks.write_tasks(work, options.out / tasks.TASKS)
    systems = Systems(runs, tuple(wanted), options.vocoder, more)
    rows = run_comparison(work, systems, options.out, options.jobs, not options.no_sounds)
    tables = [thesis_tables.fill_table(spec, rows, tuple(more)) for spec in specs]
    absent = sorted(set(named) - set(there) - set(more) - {"recording", "copy-synthesis"})
    facts = [
        *training_of(runs),
        *(facts_of(name, where) for name, where in more.items()),
        f"Durations by {durations_name}, scaled to the speaker; vocoder: {options.vocoder}",
        f"Tasks: {len(work)}; voices: {len({task.voice for task in work})}",
    ]
    if absent:
        facts.append(f"Not trained, so not in these tables: {', '.join(absent)}")
    if maker.left_out:
        reasons = "; ".join(f"{name}: {why}" for name, why in sorted(maker.left_out.items()))
        facts.append(f"{len(maker.left_out)} clips or edits left out. {reasons}")
    text = [thesis_tables.margins(rows)] if kinds & {tasks.GIVEN, tasks.PREDICTED} else []
    text += filter(None, [seeds_table(rows), thesis_tables.failures(rows)])
    title = f"Table {options.number}" if options.number != "all" else "All systems, all measures"
    page = "\n".join(
        [f"# {title}\n", *(f"- {fact}" for fact in facts), ""]
        + [thesis_tables.markdown(table) for table in tables]
        + text
        + [thesis_tables.LEGEND, ""]
    )
    write_report(options.out, f"table-{options.number}", page)


def tasks_of(maker: TaskMaker, kinds: set[str], options: argparse.Namespace) -> list[GapTask]:
    """The tasks of these kinds, as many as the options say."""
    made: Sequence[tuple[set[str], Callable[[int], Any], int]] = (
        ({GIVEN, PREDICTED}, maker.reconstruction, options.clips),
        ({EDIT}, maker.edits, options.edits),
        ({PROMPT}, maker.prompts, options.prompts),
    )
    found = [task for these, make, count in made if these & kinds for task in make(count)]
    return [task for task in found if task.kind in kinds]


main = Program(
    run,
    option("number", choices=NUMBERS, metavar="NUMBER", help=", ".join(NUMBERS)),
    option(
        "--runs", type=Path, metavar="FOLDER",
        help="folder of trained systems (evaluation.systems.train_systems); default: only "
        "those of --system",
    ),
    option(
        "--system", action="append", default=[], metavar="NAME=MODEL",
        help="another model (repeatable)",
    ),
    option("--no-shipped", action="store_true", help="omit the shipped model"),
    option("--vocoder", default="builtin", metavar="NAME_OR_PATH"),
    option("--durations", default="durations", metavar="NAME_OR_PATH"),
    option(
        "--clips", type=int, default=8, metavar="N",
        help="clips to reconstruct, for seen and for unseen voices (default: 8)",
    ),
    option("--edits", type=int, default=12, metavar="N", help="listed edits to make"),
    option(
        "--prompts", type=int, default=6, metavar="N",
        help="sentences to speak, for seen and for unseen voices (default: 6)",
    ),
    option("--voice", metavar="NAME", help="only this voice, such as kathleen-kathleen"),
    option("--jobs", type=int, default=2, metavar="N", help="processes (default: 2)"),
    option("--no-sounds", action="store_true", help="keep no sounds"),
    option("--corpora", type=Path, help="folder of corpora (default: $A3T_CORPORA)"),
    option("--out", type=Path, required=True, metavar="FOLDER"),
    name="evaluation table",
)  # fmt: skip
