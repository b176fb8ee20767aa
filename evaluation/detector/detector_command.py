"""Can new words be told from the recording, and by what?"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from a3t.errors import InputError
from evaluation.detector.detector_material import (
    CONTROL,
    COPY,
    FINE_TIME,
    NATURAL,
    OTHER,
    PATCH,
    draw_edits,
    make_stretches,
)
from evaluation.detector.fine_time import FEATURES as FINE_FEATURES
from evaluation.detector.spectral_statistics import FEATURES
from evaluation.detector.telling_apart import alone, told_apart
from evaluation.edits.conditions import CLEAN, CONDITIONS
from evaluation.edits.listing import ListedEdit
from evaluation.harness.declared_tables import Column, Figures, Row, Rows, Table, figure_name
from evaluation.harness.estimates import Interval
from evaluation.harness.measurement import CORPORA, HALF, MODEL, Measurement, Setting, repeated
from evaluation.harness.report_files import markdown_table
from training.programs import counts

PAIRS = ((PATCH, NATURAL), (COPY, NATURAL), (PATCH, COPY), (CONTROL, NATURAL))
BELOW = {"all bands": 8000, "below 7 kHz": 7000, "below 2.5 kHz": 2500}  # Hz
JUDGED = (*BELOW, FINE_TIME)
CLEAR = "below 7 kHz"
DIVISIONS = 10  # of natural stretches from natural ones, at random
SHOWN = 8  # single statistics
LEAST_VOICES = 3


def edits_to_tell(setting: Setting) -> list[ListedEdit]:
    setting.known["clips"] = {clip.name: clip for clip in setting.clips}
    return draw_edits(setting.clips, setting.options.set, setting.options.edits)


def figures(rows: Rows) -> Figures:
    """The areas of every pair in every band."""
    return {
        figure_name(made, real, band): area_of(rows, made, real, band)
        for made, real in PAIRS
        for band in JUDGED
    }


def report(rows: Rows, setting: Setting) -> str:
    """The classifier's results, by bands, statistics, conditions and corpora.
    InputError if the stretches are of too few voices."""
    voices = {row["voice"] for row in rows}
    if len(voices) < LEAST_VOICES:
        raise InputError(
            f"A detector needs stretches of {LEAST_VOICES} voices, not of {len(voices)}: "
            "add a corpus, or more edits."
        )
    told = [
        [f"{made} – {real}", *(f"{area_of(rows, made, real, band):.3f}" for band in JUDGED)]
        for made, real in PAIRS
    ]
    told.append([f"{NATURAL} – {NATURAL}", *_divided(rows)])
    most = [
        (f"{made} – {real}", statistic, f"{area:.3f}")
        for made, real in PAIRS[:3]
        for area, statistic in _strongest(rows, made, real)
    ]
    columns = [
        Column("patches", lambda rows: sum(row["kind"] == PATCH for row in rows)),
        *(Column(f"{made} – {real}", _area(made, real), ".3f") for made, real in PAIRS),
    ]
    return "\n".join(
        (
            markdown_table(["told apart", *JUDGED], told),
            "Single statistics that tell most, below 7 kHz:\n",
            markdown_table(["told apart", "statistic", "area"], most),
            "Below 7 kHz, part by part:\n",
            *(Table(columns, (part,)).markdown(rows) for part in ("condition", "corpus")),
        )
    )


def _area(made: str, real: str) -> Callable[[Rows], Interval]:
    return lambda rows: area_of(rows, made, real, CLEAR)


def area_of(rows: Rows, made: str, real: str, band: str) -> Interval:
    """Return the area under the curve for two kinds by what ``JUDGED`` names; none for too few
    voices."""
    chosen = [row for row in rows if row["kind"] in (made, real)]
    return _told(chosen, np.array([row["kind"] == made for row in chosen], bool), band)


def _told(chosen: list[Row], made: np.ndarray, band: str) -> Interval:
    if band == FINE_TIME:  # not of what is hardly voiced
        voiced = [row.get(FINE_TIME) is not None for row in chosen]
        made = made[np.array(voiced, bool)]
        chosen = [row for row, kept in zip(chosen, voiced, strict=True) if kept]
    if len({row["voice"] for row in chosen}) < LEAST_VOICES or made.all() or not made.any():
        return Interval.of(())
    if band == FINE_TIME:
        features = np.array([row[FINE_TIME] for row in chosen])
    else:
        own = [k for k, feature in enumerate(FEATURES) if feature.band[1] <= BELOW[band]]
        features = np.array([row["features"] for row in chosen])[:, own]
    return told_apart(features, made, [row["voice"] for row in chosen])


def _divided(rows: Rows) -> list[str]:
    """Natural stretches told from the others of the same edits, though nothing tells them."""
    other = {(r["edit"], r["condition"]) for r in rows if r["kind"] == OTHER}
    chosen = [
        row
        for row in rows
        if row["kind"] in (NATURAL, OTHER) and (row["edit"], row["condition"]) in other
    ]
    draw = np.random.default_rng(0)
    pairs = {key: k for k, key in enumerate(sorted(other))}
    pair = np.array([pairs[row["edit"], row["condition"]] for row in chosen])
    first = np.array([row["kind"] == NATURAL for row in chosen])
    divisions = [draw.random(len(pairs))[pair] < 0.5 for _ in range(DIVISIONS)]
    cells = []
    for band in JUDGED:
        areas = [_told(chosen, first ^ swapped, band).value for swapped in divisions]
        cells.append(f"{np.mean(areas):.3f} ± {np.std(areas):.3f}")
    return cells


def _strongest(rows: Rows, made: str, real: str) -> list[tuple[float, str]]:
    chosen = [row for row in rows if row["kind"] in (made, real)]
    is_made = np.array([row["kind"] == made for row in chosen])
    areas = [
        (alone(np.array([row["features"][k] for row in chosen]), is_made), str(feature))
        for k, feature in enumerate(FEATURES)
        if feature.band[1] <= BELOW[CLEAR]
    ]
    voiced = np.array([row.get(FINE_TIME) is not None for row in chosen])
    if len(set(is_made[voiced])) == 2:
        fine = np.array([row[FINE_TIME] for row in chosen if row.get(FINE_TIME) is not None])
        areas += [
            (alone(values, is_made[voiced]), name)
            for values, name in zip(fine.T, FINE_FEATURES, strict=True)
        ]
    return sorted(areas, key=lambda pair: -pair[0])[:SHOWN]


LEGEND = """\
Areas under the ROC curve with 95 % intervals (a bootstrap over voices): 0.5 is not told apart, 1
always. A logistic regression on 160 statistics of a stretch's log spectrum (512 samples at 16 kHz,
every 10 ms), inside and against its clip, judges each voice by what it has learnt of the others.
Fine time: the same on 12 statistics of what happens within a period of the voice: how far the
envelopes of three bands move with it, the peak over the RMS, and how much the phases of the second
and third harmonic keep to the first's; of stretches that are voiced.
Patch: new words. Copy: the clip's own mel through the vocoder, put in a stretch's place as a patch
is. Control: the clip's own sound to 24 kHz and back, likewise. Natural – natural: two stretches of
each clip, divided at random ten times; the mean and the deviation. Clips are at their own rates.
"""

MEASUREMENT = Measurement(
    edits_to_tell,
    make_stretches,
    options=(
        HALF,
        repeated("--condition", [CLEAN], choices=[*CONDITIONS]),
        *counts(edits=120),
        *MODEL,
        CORPORA,
    ),
    unit="edit",
    report=report,
    figured=figures,
    legend=LEGEND,
)
