"""Every metric between two recordings, as JSON."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import soundfile

from a3t.audio.analysis.mel import log_mel
from a3t.errors import InputError
from a3t.grid import SAMPLE_RATE
from evaluation import cepstra, metrics
from evaluation.speech_quality import speech_mos


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("reference", type=Path)
    parser.add_argument("other", type=Path)


def run(options: argparse.Namespace) -> None:
    """Print the metrics; raises InputError."""
    signals = []
    for path in (options.reference, options.other):
        try:
            samples, rate = soundfile.read(str(path), always_2d=True)
        except (OSError, RuntimeError):
            raise InputError(f"{path} can't be read as sound.") from None
        signals.append((samples.mean(axis=1), int(rate)))
    rate = max((r for _, r in signals if r in cepstra.ALL_PASS), default=SAMPLE_RATE)
    one, two = (metrics.resampled(samples, own, rate) for samples, own in signals)
    pitch = metrics.pitch_error(one, two, rate, dtw=True)
    mels = [log_mel(metrics.resampled(x, rate, SAMPLE_RATE)).numpy() for x in (one, two)]
    figures: dict[str, float | None] = {
        "mcd_db": metrics.mel_cepstral_distortion(one, two, rate),
        "f0_rmse_cents": pitch.cents,
        "f0_rmse_hz": pitch.hertz,
        "voicing_error": pitch.voicing,
        "first_implementation_mcd_db": metrics.first_implementation_mcd(one, two, rate),
        "mel_distance_db": metrics.mel_cepstral_distance(*mels, dtw=True),
        "detail": metrics.detail(*mels),
        "speaker_similarity": metrics.speaker_similarity(one, two, rate),
    }
    for name, signal in (("reference", one), ("other", two)):
        figures |= {f"{name}_{k}": v for k, v in speech_mos(signal, rate).items()}
    if abs(len(one) - len(two)) <= 0.02 * rate:  # PESQ and STOI need equal timing
        samples = min(len(one), len(two))
        one, two = one[:samples], two[:samples]
        figures["pesq_wb"] = metrics.pesq_wideband(one, two, rate)
        figures["stoi"] = metrics.stoi(one, two, rate)
    figures = {k: None if v is None or np.isnan(v) else round(v, 4) for k, v in figures.items()}
    print(json.dumps({"sample_rate": rate, **figures}, indent=2))
