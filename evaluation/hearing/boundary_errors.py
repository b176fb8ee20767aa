"""The errors of the aligner's boundaries.

flite's voices, whose segment times are exact; clean, in noise, in a room, at other levels and
rates. Prints, per condition: boundaries, mean, median and bias (found - true) in ms, the share
within 10, 20 and 50 ms, failures, and seconds of alignment for a second of speech on one core.

The boundary network was trained on other sentences by the same voices, so --boundaries takes
weights that were trained without the --voice that is measured.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from alignment.aligner import Aligner
from alignment.aligners.network_aligner import NetworkAligner
from alignment.errors import AlignmentError
from alignment.network import boundaries
from alignment.result import Alignment
from evaluation.harness.programs import add_counts, markdown_table
from training.alignment.distortions import CONDITIONS, Distortion
from training.alignment.flite import (
    PAUSE,
    SENTENCES,
    VOICES,
    SyntheticUtterance,
    require_flite,
    speak,
)


@dataclass(frozen=True, slots=True)
class BoundaryFigures:
    """`errors`: found minus true time of each boundary, seconds, (n,)."""

    errors: np.ndarray
    failures: int
    seconds: float
    speech_seconds: float

    def to_json(self) -> dict[str, float]:
        size = np.abs(self.errors) * 1000 if len(self.errors) else np.array([np.nan])
        return {
            "boundaries": len(self.errors),
            "mean": float(size.mean()),
            "median": float(np.median(size)),
            "bias": float(self.errors.mean() * 1000) if len(self.errors) else float("nan"),
            **{f"within {limit}": float(np.mean(size <= limit)) for limit in (10, 20, 50)},
            "failures": self.failures,
            "x real time": self.seconds / max(self.speech_seconds, 1e-9),
        }


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


def measure(
    aligner: Aligner, utterances: Sequence[SyntheticUtterance], distort: Distortion
) -> BoundaryFigures:
    """All utterances under one condition."""
    errors: list[np.ndarray] = []
    failures, spent, speech = 0, 0.0, 0.0
    for utterance in utterances:
        samples, rate = distort(utterance.samples, utterance.rate)
        speech += len(utterance.samples) / utterance.rate
        started = time.process_time()
        try:
            alignment = aligner.align(samples, rate, utterance.words, utterance.pronunciations)
        except AlignmentError:
            failures += 1
            continue
        finally:
            spent += time.process_time() - started
        errors.append(boundary_errors(alignment, utterance))
    return BoundaryFigures(np.concatenate([*errors, np.zeros(0)]), failures, spent, speech)


HEAD = "condition,boundaries,mean,median,bias,< 10 ms,< 20,< 50,failures,× real time".split(",")


def row(name: str, figures: BoundaryFigures) -> list[str]:
    """A line of the table."""
    values = figures.to_json()
    sizes = [f"{values[name]:.1f}" for name in ("mean", "median", "bias")]
    shares = [f"{values[f'within {limit}']:.1%}" for limit in (10, 20, 50)]
    rest = [f"{values['failures']:.0f}", f"{values['x real time']:.3f}"]
    return [name, f"{values['boundaries']:.0f}", *sizes, *shares, *rest]


def spoken(voices: Sequence[str], sentences: int) -> list[SyntheticUtterance]:
    """So many sentences by each voice; AlignmentError if flite is missing."""
    require_flite()
    return [speak(sentence, voice) for voice in voices for sentence in SENTENCES[:sentences]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add_counts(parser, sentences=len(SENTENCES))
    parser.add_argument("--voice", action="append", choices=VOICES)
    parser.add_argument("--condition", action="append", choices=list(CONDITIONS))
    parser.add_argument(
        "--boundaries",
        type=Path,
        metavar="FILE",
        help="weights of training.alignment.train_boundaries",
    )


def run(options: argparse.Namespace) -> None:
    """Print the table; raises AlignmentError."""
    utterances = spoken(options.voice or VOICES, options.sentences)
    if options.boundaries:
        boundaries.WEIGHTS = options.boundaries
    aligner, lines = NetworkAligner(), []
    for name in options.condition or CONDITIONS:
        lines.append(row(name, measure(aligner, utterances, CONDITIONS[name])))
    print(markdown_table(HEAD, lines))
