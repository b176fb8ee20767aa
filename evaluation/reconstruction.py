"""The middle third of held-out clips, masked and filled.

The experiment of the thesis's tables 4.2 to 4.4 for one model. Copy-synthesis shows the cost of the
vocoder alone; the mean spectrum shows the cost of knowing nothing.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from a3t.errors import InputError
from a3t.pretrained import checkpoint_folder
from evaluation.clips import HeldOutClip, draw_clips, recipe_clips, stored_clips
from evaluation.harness.declared_tables import Rows
from evaluation.harness.measurement import CORPORA, Measurement, Setting
from evaluation.systems import networks
from evaluation.systems.heard import refuse_heard
from evaluation.systems.named import FLOORS, facts_of
from evaluation.tables import thesis_tables
from evaluation.tables.comparison import COPY, TaskOfSystem, compared, judge, version_key
from evaluation.tables.table_command import failed, page_of
from evaluation.tables.tasks import GIVEN, PREDICTED, reconstructions
from training.corpora import corpora_root, read_corpora
from training.features.store import Store
from training.programs import counts, option

NAME = "A3T"


def results(setting: Setting) -> list[TaskOfSystem]:
    """Every clip by the model and by systems that know nothing, for each kind of durations."""
    options = setting.options
    if options.clips < 2:
        raise InputError("At least two clips are needed: one by a seen and one by an unseen voice.")
    predict, durations_name, folder = None, "none", checkpoint_folder(options.system)
    if timing := options.durations or networks.durations_beside(folder):
        network, durations_name = networks.load_durations(timing)
        predict = networks.duration_predictor(network)
    clips = list(_test_clips(options))
    tasks = [task for clip in clips for task in reconstructions(clip, (), predict, clip.own_rate)]
    if not tasks:
        raise InputError(f"{options.features} has no test clip of 2 to 12 s.")
    lengths = {
        kind: sum(task.gap.length for task in tasks if task.kind == kind)
        for kind in dict.fromkeys(task.kind for task in tasks)
    }
    seen = sum(clip.seen for clip in clips)
    setting.known |= {"kinds": [*lengths]}
    setting.known["facts"] = [
        f"{len(clips)} held-out clips, {seen} by voices in the training data",
        facts_of(NAME, folder),
        f"Durations by {durations_name}; vocoder: {options.vocoder}",
        "MCD at the recording's own rate: 24 kHz, or 16 kHz if it has nothing above 8 kHz",
    ]
    if predict is not None:
        ratio = lengths[PREDICTED] / lengths[GIVEN]
        setting.known["facts"].append(f"Predicted over true length of the regions: {ratio:.2f}")
    systems = {NAME: folder, **dict.fromkeys(FLOORS)}
    return list(compared(tasks, systems, options.vocoder, setting))


def report(rows: Rows, setting: Setting) -> str:
    specs = [
        thesis_tables.TableSpec(
            kind, f"Durations {kind}", kind, (COPY, NAME, *FLOORS),
            ("mcd", "mcd_first", "mel_distance", "detail", "plcmos", "similarity"),
            (thesis_tables.SEEN, thesis_tables.UNSEEN),
        )
        for kind in setting.known["kinds"]
    ]  # fmt: skip
    return page_of(setting.known["facts"], specs, [*rows, *failed(setting)])


def _test_clips(options: argparse.Namespace) -> Iterator[HeldOutClip]:
    """Test clips, half by seen and half by unseen voices; a recipe may have no unseen ones."""
    if (options.data is None) != (options.features is None):
        raise InputError("Give --data and --features together.")
    if options.data is None:
        yield from draw_clips(read_corpora(options.corpora or corpora_root()), options.clips)
        return
    splits = {clip.split for clip in Store(options.features).clips}
    halves = [split for split in ("test", "test_unseen") if split in splits]
    clips = [
        clip
        for split in halves
        for clip in stored_clips(
            options.data, options.features, split, options.clips // len(halves)
        )
    ]
    names = {clip.name for clip in clips}
    listed = [clip for clip in recipe_clips(options.data)[0] if clip.name in names]
    model = checkpoint_folder(options.system)
    refuse_heard(NAME, model, listed)
    if timing := options.durations or networks.durations_beside(model):
        refuse_heard("The duration predictor", checkpoint_folder(timing), listed)
    yield from clips


MEASUREMENT = Measurement(
    results,
    judge,
    options=(
        option("--model", dest="system", default="small", metavar="NAME_OR_PATH"),
        option("--vocoder", default="builtin", metavar="NAME_OR_PATH"),
        option("--durations", metavar="NAME_OR_PATH", help="default: the model's own"),
        option("--data", type=Path, help="a recipe's data directories, instead of corpora"),
        option("--features", type=Path, help="the features extracted from --data"),
        *counts(clips=16),
        CORPORA,
    ),
    unit="result",
    report=report,
    legend=thesis_tables.LEGEND,
    key=version_key,
)
