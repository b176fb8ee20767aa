"""The errors of the aligner's boundaries.

flite's voices, whose segment times are exact; clean, in noise, in a room, at other levels and
rates. Errors are found minus true times, in ms; also seconds of alignment for a second of speech on
one core.

The boundary network was trained on other sentences by the same voices, so --boundaries takes
weights that were trained without the --voice that is measured.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from alignment.network import boundaries
from alignment.result import Alignment
from evaluation.harness.declared_tables import Column, Row, Rows, Table, rate
from evaluation.harness.measurement import Measurement, Setting, repeated
from training.alignment.distortions import CONDITIONS
from training.alignment.flite import (
    PAUSE,
    SENTENCES,
    VOICES,
    SyntheticUtterance,
    require_flite,
    speak,
)
from training.programs import counts, option


def boundary_errors(alignment: Alignment, utterance: SyntheticUtterance) -> np.ndarray:
    """Found minus true, seconds: each phone's start, and its end where a pause follows; (n,)."""
    found = [phone for word in alignment.spoken for phone in word.phones]
    true: list[tuple[str, float, float, bool]] = []
    clock = 0.0
    for symbol, end in utterance.phones:
        if symbol == PAUSE:
            if true:
                true[-1] = (*true[-1][:3], True)
        else:
            true.append((symbol, clock, end, False))
        clock = end
    errors: list[float] = []
    for phone, (symbol, start, end, before_pause) in zip(found, true, strict=True):
        assert phone.symbol.rstrip("012") == symbol
        errors.append(phone.start - start)
        if before_pause:
            errors.append(phone.end - end)
    return np.array(errors)


def spoken(voices: Sequence[str], sentences: int) -> list[SyntheticUtterance]:
    """A number of sentences by each voice; AlignmentError if flite is missing."""
    require_flite()
    return [speak(sentence, voice) for voice in voices for sentence in SENTENCES[:sentences]]


def utterances(setting: Setting) -> list[tuple[str, SyntheticUtterance]]:
    """Every utterance under every condition."""
    options = setting.options
    if options.boundaries:
        boundaries.BOUNDARY_WEIGHTS = options.boundaries
    said = spoken(options.voice or VOICES, options.sentences)
    return [(name, each) for name in options.condition or CONDITIONS for each in said]


def align_utterance(item: tuple[str, SyntheticUtterance], setting: Setting) -> Iterator[Row]:
    name, utterance = item
    samples, rate = CONDITIONS[name](utterance.samples, utterance.rate)
    started = time.process_time()
    aligned = setting.aligner.align(samples, rate, utterance.words, utterance.pronunciations)
    yield {
        "condition": name,
        "errors": 1000 * boundary_errors(aligned, utterance),
        "processor": time.process_time() - started,
        "seconds": len(utterance.samples) / utterance.rate,
    }


def _errors(rows: Rows) -> np.ndarray:
    return np.concatenate([row["errors"] for row in rows])


MEASUREMENT = Measurement(
    utterances,
    align_utterance,
    [
        Table(
            (
                Column("boundaries", lambda rows: len(_errors(rows))),
                Column("mean", lambda rows: float(np.abs(_errors(rows)).mean()), ".1f"),
                Column("median", lambda rows: float(np.median(np.abs(_errors(rows)))), ".1f"),
                Column("bias", lambda rows: float(_errors(rows).mean()), ".1f"),
                *(
                    Column(
                        f"within {limit} ms",
                        lambda rows, limit=limit: float((np.abs(_errors(rows)) <= limit).mean()),  # type: ignore[misc]
                        ".1%",
                    )
                    for limit in (10, 20, 50)
                ),
                rate("times real time", "processor", "seconds", ".3f", per=1),
            ),
            ("condition",),
        )
    ],
    (
        *counts(sentences=len(SENTENCES)),
        repeated("--voice", VOICES, choices=VOICES),
        repeated("--condition", [*CONDITIONS], choices=[*CONDITIONS]),
        option(
            "--boundaries", type=Path, metavar="FILE",
            help="weights of training.alignment.train_boundaries",
        ),
    ),
    unit="utterance",
)  # fmt: skip
