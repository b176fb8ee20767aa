"""How close the aligner's boundaries are to the true ones.

    python -m evaluation.hearing.boundary_errors

flite's voices, whose segment times are exact; clean, in noise, in a room, at other levels and
rates. Prints, per condition: boundaries, mean, median and bias (found - true) in ms, the share
within 10, 20 and 50 ms, failures, and seconds of alignment for a second of speech on one core.

Of 80 utterances by four voices, 2804 boundaries, mean / median in ms, the network aligner: clean
6.6 / 4.2, noise at 10 dB 8.9 / 5.7 and 5 dB 10.8 / 6.5, room 10.5 / 6.5, 0.011 x real time.
The boundary
network was trained on other sentences by the same voices: for a voice that it did not hear
(--boundaries) clean 8.1 / 5.4, 10 dB 10.5 / 6.7, 5 dB 12.3 / 7.6, room 11.7 / 7.7. The voices
disagree among themselves about glides and the ends of phrases by 10 to 20 ms.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from alignment import ALIGNERS, load_aligner
from alignment.aligner import Aligner
from alignment.errors import AlignmentError
from alignment.network import boundaries
from alignment.result import Alignment
from evaluation.harness.programs import program_parser
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


def row(name: str, figures: BoundaryFigures) -> str:
    values = figures.to_json()
    return (
        f"{name:12} {values['boundaries']:6.0f} {values['mean']:6.1f} {values['median']:6.1f} "
        f"{values['bias']:6.1f} {values['within 10']:6.1%} {values['within 20']:6.1%} "
        f"{values['within 50']:6.1%} {values['failures']:8.0f} {values['x real time']:6.3f}"
    )


HEAD = "condition    bounds   mean median   bias    <10    <20    <50 failures   time"


def run(options: argparse.Namespace) -> None:
    require_flite()
    if options.boundaries:
        boundaries.WEIGHTS = options.boundaries
    aligner = load_aligner(options.aligner)
    sentences = SENTENCES[: options.sentences]
    voices = options.voice or VOICES
    utterances = [speak(sentence, voice) for voice in voices for sentence in sentences]
    results = {}
    print(HEAD)
    for name, distort in CONDITIONS.items():
        if options.condition and name not in options.condition:
            continue
        figures = measure(aligner, utterances, distort)
        results[name] = figures.to_json()
        print(row(name, figures), flush=True)
    if options.out:
        options.out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = program_parser("hearing.boundary_errors", __doc__)
    parser.add_argument("--aligner", default=ALIGNERS[0], choices=ALIGNERS)
    parser.add_argument("--sentences", type=int, default=len(SENTENCES), metavar="N")
    parser.add_argument("--voice", action="append", choices=VOICES)
    parser.add_argument("--condition", action="append", choices=list(CONDITIONS))
    parser.add_argument(
        "--boundaries",
        type=Path,
        metavar="FILE",
        help="weights of training.alignment.train_boundaries",
    )
    parser.add_argument("--out", type=Path, metavar="FILE.json", help="the figures as JSON too")
    options = parser.parse_args(arguments)
    try:
        run(options)
    except AlignmentError as error:
        print(f"alignment: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
