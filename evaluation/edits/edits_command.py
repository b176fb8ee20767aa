"""New words against natural speech of the same recordings: listed edits of unseen voices.

The list (`listing`) has two halves of voices; "choose" is for making choices. The page's legend
explains its rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

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
    read_rows,
    repeated,
)
from evaluation.harness.report_files import markdown_table
from training.programs import option

OF_PATCHES = ("joint_dip", "joint_flux", "joint_jump", "plcmos")
WORST = ("level", "similarity", "f0_range", "dnsmos")
SHOWN = 6  # worst cases per measure
SPREAD = ("level", "level_at_phones")  # measures whose spread counts as well as their mean


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
        """A measure of each patch, NaN where there is none."""
        return [row.get(name, math.nan) for row in self.patches.values()]

    def every(self, name: str) -> list[float]:
        """A measure of each natural stretch."""
        return [row[name] for key in self.patches for row in self.natural[key]]

    def means(self, name: str) -> list[float]:
        """A measure's mean over the natural stretches of each edit."""
        return [_mean(_known([row[name] for row in self.natural[key]])) for key in self.patches]

    def differences(self, name: str) -> list[float]:
        """Patch minus the mean of its natural stretches."""
        return [a - b for a, b in zip(self.patch(name), self.means(name), strict=True)]

    def changes(self, earlier: PairedEdits, name: str) -> list[float]:
        """The change of a measure of the patches since an earlier run, where both have it."""
        both = [key for key in self.patches if key in earlier.patches]
        found = [
            self.patches[key].get(name, math.nan) - earlier.patches[key].get(name, math.nan)
            for key in both
        ]
        return [value for value in found if not math.isnan(value)]


def _key(row: Row) -> tuple[str, str]:
    return row["edit"], row["condition"]


def edit_figures(rows: Rows) -> Figures:
    """For each condition and measure: of patches, of natural speech, and the difference; that of
    similarity by corpus too."""
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
        own["joints"] = 100 * max(_mean(_known(pairs.patch(name))) for name in OF_PATCHES[:3])
        own["least-similar"] = min(_known(pairs.patch("similarity")), default=math.nan)
        found |= {f"{figure_name(condition)}.{key}": value for key, value in own.items()}
    return found


def edits_report(rows: Rows, earlier: Rows = ()) -> str:
    """A table for each condition, the worst cases; and what changed since an ``earlier`` run of the
    same edits, if there was one."""
    parts = []
    for condition in dict.fromkeys(row["condition"] for row in rows):
        pairs, before = PairedEdits(rows, condition), PairedEdits(earlier, condition)
        parts.append(f"## {condition[0].upper()}{condition[1:]} ({len(pairs.patches)} edits)\n")
        parts.append(_table(pairs))
        if before.patches.keys() & pairs.patches.keys():
            parts.append(_changes(pairs, before))
    return "\n".join([*parts, _worst(PairedEdits(rows))])


def _table(pairs: PairedEdits) -> str:
    lines = []
    for name in MEASURES:
        shown = (_shown(pairs.patch(name), name), _shown(pairs.every(name), name))
        lines.append((name, *shown, f"{Interval.of(pairs.differences(name)):+.2f}"))
    for name in OF_PATCHES:
        value = _mean(_known(pairs.patch(name)))
        own = f"{value:.1%} above the 95th percentile" if name != "plcmos" else f"{value:.2f}"
        lines.append((name, own, "–", "–"))
    return markdown_table(["measure", "patch", "natural", "patch − natural (95 %)"], lines)


def _changes(pairs: PairedEdits, before: PairedEdits) -> str:
    """Each patch's measures minus those of the same edit's patch in an earlier run."""
    lines = []
    for name in (*MEASURES, *OF_PATCHES):
        found = pairs.changes(before, name)
        higher = f"{sum(value > 0 for value in found)} of {len(found)}"
        lines.append((name, f"{Interval.of(found):+.3f}", higher))
    return "Now minus earlier:\n\n" + markdown_table(["measure", "(95 %)", "higher"], lines)


def _known(values: Sequence[float]) -> list[float]:
    return [value for value in values if not math.isnan(value)]


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if len(values) else math.nan


def _shown(values: Sequence[float], name: str) -> str:
    valid = _known(values)
    if not valid:
        return "–"
    text = f"{np.mean(valid):.2f}"
    if name in SPREAD:
        text += f", SD {np.std(valid):.2f}, worst {max(valid, key=abs):+.1f}"
    return text


def _worst(pairs: PairedEdits) -> str:
    lines = ["## The worst cases\n"]
    for name in WORST:
        found = zip(pairs.differences(name), pairs.patches, strict=True)
        known = [(value, key) for value, key in found if not math.isnan(value)]
        known.sort(key=lambda pair: -abs(pair[0]) if name == "level" else pair[0])
        cases = ", ".join(
            f"{edit} {condition} ({value:+.2f})" for value, (edit, condition) in known[:SHOWN]
        )
        lines.append(f"- {name}: {cases}")
    return "\n".join(lines) + "\n"


LEGEND = """\
Patch: the new words alone. Natural: up to three stretches of the same length in the same
recording, beginning with a word. Level: speech of the stretch minus that of the second before and
after, dB; "at phones": minus the rest of the recording at equal phone classes. Similarity: cosine
of Resemblyzer's embeddings of the stretch and the rest. F0: semitones; offset of the median, 10th
to 90th percentile. Voiced: share of frames minus the rest's at equal phones. Middle and high: 2.5–4
and 4–7.5 kHz relative to below 1 kHz, minus the rest's at equal phones, dB. Detail: second
differences of the mel across bins over the rest's. DNSMOS: OVRL, SIG and P.808 of the stretch
alone. Joints: share of joints at which a measure exceeds the 95th percentile of the same
recording's natural places. PLCMOS is reported but not used for choices, because it is saturated."""


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
