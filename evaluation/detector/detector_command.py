"""Measure whether new words can be told from the recording, and by what."""

from __future__ import annotations

import numpy as np

from a3t.errors import InputError
from evaluation.detector.detector_material import (
    CONTROL,
    COPY,
    FINE_TIME,
    NATURAL,
    PATCH,
    draw_edits,
    make_stretches,
)
from evaluation.detector.fine_time import STATISTICS
from evaluation.detector.spectral_statistics import FEATURES
from evaluation.detector.telling_apart import told_apart
from evaluation.edits.conditions import CLEAN, CONDITIONS
from evaluation.edits.listing import ListedEdit
from evaluation.harness.declared_tables import Figures, Rows, figure_name
from evaluation.harness.estimates import Interval
from evaluation.harness.measurement import CORPORA, HALF, MODEL, Measurement, Setting, repeated
from training.programs import counts

PAIRS = ((PATCH, NATURAL), (COPY, NATURAL), (PATCH, COPY), (CONTROL, NATURAL))
BELOW = {"all bands": 8000, "below 7 kHz": 7000, "below 2.5 kHz": 2500}  # Hz
LEAST_VOICES = 3


def edits_to_tell(setting: Setting) -> list[ListedEdit]:
    """Return the edits whose stretches are compared."""
    setting.known["clips"] = {clip.name: clip for clip in setting.clips}
    return draw_edits(setting.clips, setting.options.set, setting.options.edits)


def figures(rows: Rows) -> Figures:
    """Return the area of every pair by every band.

    Raises InputError if the stretches are of too few voices.
    """
    voices = {row["voice"] for row in rows}
    if len(voices) < LEAST_VOICES:
        raise InputError(
            f"A detector needs stretches of {LEAST_VOICES} voices, not of {len(voices)}: "
            "add a corpus, or more edits."
        )
    areas: Figures = {
        figure_name(made, real, by): area_of(rows, made, real, by)
        for made, real in PAIRS
        for by in (*BELOW, FINE_TIME)
    }
    statistics: Figures = {
        figure_name(kind, statistic): by_voice(rows, kind, number)
        for kind in (NATURAL, COPY, PATCH)
        for number, statistic in enumerate(STATISTICS)
    }
    return areas | statistics


def area_of(rows: Rows, made: str, real: str, by: str) -> Interval:
    """Return the area under the curve for two kinds, by a band's statistics or those in fine time.

    Those in fine time compare the stretches that are voiced; there is none for too few voices.
    """
    chosen = [row for row in rows if row["kind"] in (made, real)]
    if by == FINE_TIME:
        chosen = [row for row in chosen if row[FINE_TIME] is not None]
        features = np.array([row[FINE_TIME] for row in chosen])
    else:
        own = [k for k, feature in enumerate(FEATURES) if feature.band[1] <= BELOW[by]]
        features = np.array([row["features"] for row in chosen])[:, own]
    is_made = np.array([row["kind"] == made for row in chosen], bool)
    voices = [row["voice"] for row in chosen]
    if len(set(voices)) < LEAST_VOICES or is_made.all() or not is_made.any():
        return Interval.of(())
    return told_apart(features, is_made, voices)


def by_voice(rows: Rows, kind: str, number: int) -> Interval:
    """Return a kind's mean statistic in fine time; the interval is a bootstrap over voices."""
    voices: dict[str, list[float]] = {}
    for row in rows:
        if row["kind"] == kind and row[FINE_TIME] is not None:
            voices.setdefault(row["voice"], []).append(row[FINE_TIME][number])
    return Interval.of(float(np.mean(values)) for values in voices.values())


LEGEND = """\
Areas under the ROC curve with 95 % intervals (a bootstrap over voices): 0.5 is not told apart, 1
always. A logistic regression on 160 statistics of a stretch's log spectrum (512 samples at 16 kHz,
every 10 ms), inside and against its clip, judges each voice by what it has learnt of the others.
Patch: new words. Copy: the clip's own mel through the vocoder, put in a stretch's place as a patch
is. Control: the clip's own sound to 24 kHz and back, likewise. Clips are at their own rates.
Fine time: by what happens within a period of the voice. Modulation: how far a band's envelope moves
with the pitch. Phase: how far a harmonic keeps to so many times the first's phase. Means of voices.
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
    figured=figures,
    legend=LEGEND,
)
