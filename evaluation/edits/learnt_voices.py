"""Edits of long recordings, before and after learning the recording's voice.

Successive clips of one voice are joined; the same edits are made by the model as it ships and with
the recording learnt first, and compared edit by edit.
"""

from __future__ import annotations

from collections.abc import Iterator

from a3t.errors import InputError
from evaluation.edits.conditions import CLEAN
from evaluation.edits.edits_table import LEGEND, PairedEdits, edits_report
from evaluation.edits.experiment import STRETCH, measure_edit
from evaluation.edits.listing import ListedEdit
from evaluation.edits.long_recordings import EDITS, MOST_RECORDINGS, write_long
from evaluation.harness.declared_tables import Figures, Row, Rows
from evaluation.harness.estimates import Interval
from evaluation.harness.measurement import CORPORA, HALF, LEARN, MODEL, Measurement, Setting
from training.programs import counts, option


def long_edits(setting: Setting) -> list[ListedEdit]:
    """Edits of so many voices, recordings of each and edits of a voice."""
    options = setting.options
    if not 0.1 <= options.minutes <= 60:
        raise InputError("--minutes goes from 0.1 to 60.")
    edits, setting.known["clips"] = write_long(
        setting.clips,
        options.set,
        options.minutes,
        setting.folder / "recordings",
        options.voices,
        options.recordings,
        options.edits,
    )
    return edits


def measure(edit: ListedEdit, setting: Setting) -> Iterator[Row]:
    """An edit, and the same with the recording's voice learnt."""
    clip = setting.known["clips"][edit.clip]
    before = [row | {"learnt": False} for row in measure_edit(edit, clip, [CLEAN], setting)]
    yield from before
    after = measure_edit(edit, clip, [CLEAN], setting, setting.options.adapt, before)
    yield from (row | {"learnt": True, "recording": edit.clip} for row in after)


def halves(rows: Rows) -> tuple[list[Row], list[Row]]:
    """After learning, and before."""
    learnt = [row for row in rows if row["learnt"]]
    return learnt, [row for row in rows if not row["learnt"]]


def report(rows: Rows, setting: Setting) -> str:
    cost = figures(rows)["seconds"]
    return f"{edits_report(*halves(rows))}\n{cost:.0f} s of the processor for each recording.\n"


def figures(rows: Rows) -> Figures:
    """The effect of learning, and its cost."""
    after, before = halves(rows)
    spent = sum(row.get("processor", 0.0) for row in after if row["stretch"] != STRETCH)
    recordings = len({row["recording"] for row in after})
    found: Figures = {"seconds": spent / recordings, "recordings": recordings}
    for measure in ("similarity", "dnsmos"):
        values = PairedEdits(after).changes(PairedEdits(before), measure)
        found[measure] = Interval.of(values)
        found[f"{measure}.higher"] = Interval.share(sum(v > 0 for v in values), len(values))
    return found


MEASUREMENT = Measurement(
    long_edits,
    measure,
    options=(
        HALF,
        option("--minutes", type=float, default=1.0, metavar="M", help="length of each recording"),
        option("--voices", type=int, metavar="N", help="default: all with enough speech"),
        *counts(recordings=MOST_RECORDINGS, edits=EDITS),
        LEARN,
        *MODEL,
        CORPORA,
    ),
    unit="edit",
    report=report,
    figured=figures,
    legend=LEGEND,
)
