"""New words against natural speech of the same recordings: listed edits of unseen voices.

The list (`listing`) has two halves of voices; "choose" is for making choices. The page's legend
explains its rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from evaluation.edits.conditions import CONDITIONS
from evaluation.edits.experiment import PATCH, STRETCH, measure_edit
from evaluation.edits.listing import ListedEdit, find_clips, read_list
from evaluation.edits.segment_metrics import MEASURES
from evaluation.harness.declared_tables import Figures, Row, Rows, figure_name
from evaluation.harness.estimates import Interval
from evaluation.harness.measurement import (
    CORPORA,
    HALF,
    MODEL,
    Measurement,
    Setting,
    repeated,
)
from training.programs import option

JOINTS = ("joint_dip", "joint_flux", "joint_jump")


class PairedEdits:
    """The patches of some edits, each with the natural stretches of the same recording."""

    def __init__(self, rows: Rows, condition: str | None = None) -> None:
        wanted = [row for row in rows if condition in (None, row["condition"])]
        self.patches = {_key(row): row for row in wanted if row["stretch"] == PATCH}
        self.natural: dict[tuple[str, str], list[Row]] = {key: [] for key in self.patches}
        for row in wanted:
            if row["stretch"] == STRETCH:
                self.natural.setdefault(_key(row), []).append(row)

    def patch(self, name: str) -> list[float]:
        """Return a measure of each patch, NaN where there is none."""
        return [row.get(name, math.nan) for row in self.patches.values()]

    def every(self, name: str) -> list[float]:
        """Return a measure of each natural stretch."""
        return [row[name] for key in self.patches for row in self.natural[key]]

    def means(self, name: str) -> list[float]:
        """Average a measure over the natural stretches of each edit."""
        return [_mean(_known([row[name] for row in self.natural[key]])) for key in self.patches]

    def differences(self, name: str) -> list[float]:
        """Subtract from each patch the mean of its natural stretches."""
        return [a - b for a, b in zip(self.patch(name), self.means(name), strict=True)]

    def changes(self, earlier: PairedEdits, name: str) -> list[float]:
        """Return how a measure of the patches changed since an earlier run, where both have it."""
        both = [key for key in self.patches if key in earlier.patches]
        found = [
            self.patches[key].get(name, math.nan) - earlier.patches[key].get(name, math.nan)
            for key in both
        ]
        return [value for value in found if not math.isnan(value)]


def _key(row: Row) -> tuple[str, str]:
    return row["edit"], row["condition"]


def edit_figures(rows: Rows) -> Figures:
    """Report each measure under each condition: of patches, natural speech, and the difference.

    That of similarity is by corpus too.
    """
    found: Figures = {"voices": len({row["voice"] for row in rows})}
    for condition in dict.fromkeys(row["condition"] for row in rows):
        pairs, own = PairedEdits(rows, condition), Figures()
        own["edits"] = len(pairs.patches)
        for name in MEASURES:
            both = np.array([pairs.patch(name), pairs.means(name)])
            both = both[:, ~np.isnan(both).any(axis=0)]  # so that the difference is the means'
            own[f"{name}.ours"], own[f"{name}.natural"] = map(_mean, both)
            own[f"{name}.difference"] = Interval.of(both[0] - both[1])
        by_corpus: dict[str, list[float]] = {}
        for row, value in zip(pairs.patches.values(), pairs.differences("similarity"), strict=True):
            by_corpus.setdefault(row["voice"].partition("-")[0], []).append(value)
        for corpus, values in by_corpus.items():
            own[f"similarity.{corpus}"] = Interval.of(values)
        for part, levels in (("ours", pairs.patch("level")), ("natural", pairs.every("level"))):
            valid = _known(levels)
            own[f"spread.{part}"] = float(np.std(valid))
            own[f"worst.{part}"] = max(valid, key=abs, default=math.nan)
        own["joints"] = 100 * max(_mean(_known(pairs.patch(name))) for name in JOINTS)
        own["least-similar"] = min(_known(pairs.patch("similarity")), default=math.nan)
        found |= {f"{figure_name(condition)}.{key}": value for key, value in own.items()}
    return found


def _known(values: Sequence[float]) -> list[float]:
    return [value for value in values if not math.isnan(value)]


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if len(values) else math.nan


LEGEND = """\
Patch: the new words alone. Natural: up to three stretches of the same length in the same
recording, beginning with a word. Level: speech of the stretch minus that of the second before and
after, dB; "at phones": minus the rest of the recording at equal phone classes. Similarity: cosine
of Resemblyzer's embeddings of the stretch and the rest. F0: semitones; offset of the median, 10th
to 90th percentile. Voiced: share of frames minus the rest's at equal phones. Middle and high: 2.5–4
and 4–7.5 kHz relative to below 1 kHz, minus the rest's at equal phones, dB. Detail: second
differences of the mel across bins over the rest's. DNSMOS: OVRL, SIG and P.808 of the stretch
alone. Joints: share of joints at which a measure exceeds the 95th percentile of the same
recording's natural places."""


def listed(setting: Setting) -> list[ListedEdit]:
    """List the edits of a half; raise InputError if the corpora lack a clip."""
    edits = [edit for edit in read_list() if edit.set == setting.options.set]
    setting.known["clips"] = find_clips(edits, setting.clips)
    return edits[: setting.options.edits]


def measure(edit: ListedEdit, setting: Setting) -> Iterator[Row]:
    """Make and measure an edit under the conditions asked for."""
    conditions = setting.options.condition or [*CONDITIONS]
    return measure_edit(edit, setting.known["clips"][edit.clip], conditions, setting)


MEASUREMENT = Measurement(
    listed,
    measure,
    options=(
        HALF,
        repeated("--condition", [*CONDITIONS], choices=[*CONDITIONS]),
        option("--edits", type=int, metavar="N", help="only the first N"),
        *MODEL, CORPORA,
    ),
    unit="edit",
    figured=edit_figures,
    legend=LEGEND,
)  # fmt: skip
