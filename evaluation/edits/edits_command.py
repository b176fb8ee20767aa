"""New words against natural speech of the same recordings: listed edits of unseen voices.

The list (`listing`) has two halves of voices; "choose" is for making choices. The page's legend
explains its rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from evaluation.edits.conditions import CONDITIONS
from evaluation.edits.edits_table import LEGEND, edit_figures, edits_report
from evaluation.edits.experiment import measure_edit
from evaluation.edits.listing import ListedEdit, find_clips, read_list
from evaluation.harness.declared_tables import Row, Rows
from evaluation.harness.measurement import (
    CORPORA,
    HALF,
    MODEL,
    Measurement,
    Setting,
    read_rows,
    repeated,
)
from training.programs import option


def listed(setting: Setting) -> list[ListedEdit]:
    """The edits of a half; InputError if the corpora lack a clip."""
    edits = [edit for edit in read_list() if edit.set == setting.options.set]
    setting.known["clips"] = find_clips(edits, setting.clips)
    return edits[: setting.options.edits]


def measure(edit: ListedEdit, setting: Setting) -> Iterator[Row]:
    options, clip = setting.options, setting.known["clips"][edit.clip]
    conditions = options.condition or [*CONDITIONS]
    return measure_edit(edit, clip, conditions, setting, earlier(setting))


def earlier(setting: Setting) -> Rows:
    """The rows of --against."""
    if "earlier" not in setting.known:
        folder = setting.options.against
        setting.known["earlier"] = read_rows(folder) if folder else []
    rows: Rows = setting.known["earlier"]
    return rows


MEASUREMENT = Measurement(
    listed,
    measure,
    options=(
        HALF,
        repeated("--condition", [*CONDITIONS], choices=[*CONDITIONS]),
        option("--edits", type=int, metavar="N", help="only the first N"),
        option(
            "--against", type=Path, metavar="FOLDER",
            help="folder of an earlier run of the same edits: compare its patches with "
            "these, and reuse its measures of natural speech",
        ),
        *MODEL, CORPORA,
    ),
    unit="edit",
    report=lambda rows, setting: edits_report(rows, earlier(setting)),
    figured=edit_figures,
    legend=LEGEND,
)  # fmt: skip
