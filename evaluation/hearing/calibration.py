"""The share of boundaries within the spreads that the aligner states; two in three should be.

boundaries: flite's voices, clean, in noise at 10 dB and in a room. What
alignment.network.boundaries says was fitted to the first two voices; the table is of
the others (--voice chooses). The boundary network was trained on other sentences by all four.

pauses: boundaries beside pauses in held-out clips, clean and as before, against where the sound of
the clean clip begins or ends (evaluation.hearing.sound_edges); with --chosen of the half that the
spreads were fitted to.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from alignment.network.boundaries import spreads
from alignment.network.phone_network import features, posteriors
from alignment.waveform import model_waveform
from evaluation.harness.declared_tables import Column, Row, Rows, Table, count, mean, share
from evaluation.harness.measurement import CHOSEN, Measurement, Setting, repeated
from evaluation.hearing.boundary_errors import spoken
from evaluation.hearing.planting import Spoken, held_out_clips
from evaluation.hearing.sound_edges import sound_edges
from training.alignment.distortions import CONDITIONS as DISTORTIONS
from training.alignment.flite import VOICES, SyntheticUtterance
from training.alignment.train_boundaries import true_times
from training.programs import counts, option

CONDITIONS = ("clean", "noise 10 dB", "room")
REPORTED = VOICES[2:]  # the others were fitted to
PAUSES, BOUNDARIES = "pauses", "boundaries"


def recordings(setting: Setting) -> list[Any]:
    options = setting.options
    if options.what == PAUSES:
        return list(held_out_clips(options.clips, 6, not options.chosen))
    return list(spoken(options.voice or REPORTED, options.sentences))


def calibrate(item: Spoken | SyntheticUtterance, setting: Setting) -> Iterator[Row]:
    """Each boundary's spread, and how far from the truth it is, ms."""
    found = beside_pauses(item, setting) if isinstance(item, Spoken) else boundaries(item, setting)
    for group, stated, error in found:
        yield {
            "group": group,
            "spread": 1000 * stated,
            "error": 1000 * error,
            "within": error <= stated,
        }


def boundaries(
    utterance: SyntheticUtterance, setting: Setting
) -> Iterator[tuple[str, float, float]]:
    """All phone boundaries, each with its spread and error."""
    for name in CONDITIONS:
        samples, rate = DISTORTIONS[name](utterance.samples, utterance.rate)
        found = setting.aligner.align(
            samples, rate, utterance.words, utterance.pronunciations, check=False
        )
        scores = posteriors(features(model_waveform(samples, rate)))
        symbols = [phone.symbol for phone in found.phones]
        times = np.array([phone.end for phone in found.phones[:-1]])
        errors = np.abs(true_times(utterance, symbols) - times)
        for stated, error in zip(spreads(found, scores), errors, strict=True):
            yield "phones", float(stated), float(error)


def beside_pauses(said: Spoken, setting: Setting) -> Iterator[tuple[str, float, float]]:
    """The starts and ends of words beside pauses, each with its spread and error."""
    clean = setting.align(said.samples, said.rate, said.words)
    edges = list(sound_edges(said.samples, said.rate, clean))
    for condition in CONDITIONS:
        samples, rate = DISTORTIONS[condition](said.samples, said.rate)
        found = setting.align(samples, rate, said.words, check=False)
        stated = {phone.end: phone.spread for phone in found.phones[:-1]}
        for word, is_start, time in edges:
            at = found.spoken[word].start if is_start else found.spoken[word].end
            if at in stated:
                yield "starts" if is_start else "ends", stated[at], abs(at - time)


def _two_of_three(rows: Rows) -> float:
    return float(np.quantile([row["error"] for row in rows], 2 / 3))


COLUMNS = (
    count("boundaries"),
    mean("spread, ms", "spread", ".1f"),
    share("within", "within", ".0f"),
    Column("two of three are within", _two_of_three, ".1f"),
)
MEASUREMENT = Measurement(
    recordings,
    calibrate,
    [Table(COLUMNS, ("group",)), Table(COLUMNS)],
    (
        option("what", choices=(BOUNDARIES, PAUSES), nargs="?", default=BOUNDARIES),
        *counts(clips=60, sentences=12),
        CHOSEN,
        repeated("--voice", REPORTED, choices=VOICES),
    ),
    unit="recording",
    legend="Within: per cent, with 95 % intervals; spreads and errors in ms.",
)
