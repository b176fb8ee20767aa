"""`python -m evaluation reconstruction`: the middle third of held-out clips, masked and filled.

The experiment of the thesis's tables 4.2 to 4.4 for one model. Copy-synthesis shows the cost of the
vocoder alone; the mean spectrum shows the cost of knowing nothing.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from a3t.errors import InputError
from evaluation.clips import HeldOutClip, draw_clips, stored_clips
from evaluation.harness.measurement import CORPORA, INTO, MODEL
from evaluation.harness.report_files import write_report
from evaluation.systems import networks
from evaluation.systems.named import FLOORS, facts_of
from evaluation.tables import thesis_tables
from evaluation.tables.comparison import COPY, Systems, run_comparison
from evaluation.tables.tasks import GIVEN, PREDICTED, reconstructions
from training.corpora import corpora_root, read_corpora
from training.features.store import Store
from training.programs import Program, counts, option

NAME = "A3T"


def run(options: argparse.Namespace) -> None:
    """Carry out the parsed command; raises InputError."""
    if options.clips < 2:
        raise InputError("At least two clips are needed: one by a seen and one by an unseen voice.")
    predict, durations_name = None, "none"
    if timing := options.durations or networks.durations_beside(options.model):
        network, durations_name = networks.load_durations(timing)
        predict = networks.duration_predictor(network)
    clips = list(_test_clips(options))
    tasks = [task for clip in clips for task in reconstructions(clip, (), predict, clip.own_rate)]
    if not tasks:
        raise InputError(f"{options.features} has no test clip of 2 to 12 s.")
    compared = Systems(options.out, (NAME, *FLOORS), options.vocoder, {NAME: str(options.model)})
    rows = run_comparison(tasks, compared, options.out, sounds=False)
    specs = [
        thesis_tables.TableSpec(
            kind, f"Durations {kind}", kind, (COPY, NAME, *FLOORS),
            ("mcd", "mcd_first", "mel_distance", "detail", "plcmos", "similarity"),
            (thesis_tables.SEEN, thesis_tables.UNSEEN),
        )
        for kind in dict.fromkeys(task.kind for task in tasks)
    ]  # fmt: skip
    seen = sum(clip.seen for clip in clips)
    page = [
        "# Identity reconstruction of the middle third\n",
        f"- {len(clips)} held-out clips, {seen} by voices in the training data",
        f"- {facts_of(NAME, options.model)}",
        f"- Durations by {durations_name}; vocoder: {options.vocoder}",
        "- MCD at the recording's own rate: 24 kHz, or 16 kHz if it has nothing above 8 kHz\n",
        *(thesis_tables.markdown(thesis_tables.fill_table(spec, rows)) for spec in specs),
        thesis_tables.margins(rows),
        thesis_tables.failures(rows),
    ]
    lengths = {
        kind: sum(task.gap.length for task in tasks if task.kind == kind)
        for kind in (GIVEN, PREDICTED)
    }
    if predict is not None:
        ratio = lengths[PREDICTED] / lengths[GIVEN]
        page.append(f"Predicted over true length of the regions: {ratio:.2f}.\n")
    write_report(options.out, "reconstruction", "\n".join([*page, thesis_tables.LEGEND, ""]))


def _test_clips(options: argparse.Namespace) -> Iterator[HeldOutClip]:
    """Test clips, half by seen and half by unseen voices; a recipe may have no unseen ones."""
    if (options.data is None) != (options.features is None):
        raise InputError("--data and --features belong together: give both.")
    if options.data is None:
        clips = read_corpora(options.corpora or corpora_root())
        yield from draw_clips(clips, options.clips)
        return
    splits = {clip.split for clip in Store(options.features).clips}
    halves = [split for split in ("test", "test_unseen") if split in splits]
    for split in halves:
        yield from stored_clips(options.data, options.features, split, options.clips // len(halves))


main = Program(
    run,
    option("--durations", metavar="NAME_OR_PATH", help="default: the model's own"),
    option("--data", type=Path, help="a recipe's data directories, instead of corpora"),
    option("--features", type=Path, help="the features extracted from --data"),
    *counts(clips=16),
    *MODEL,
    CORPORA,
    INTO,
    name="evaluation reconstruction",
)
