"""Predicted listener ratings of speech without a reference: DNSMOS (Reddy et al. 2022)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evaluation.metrics import at_one_level, resampled
from evaluation.packages import eval_package

LEAST = 0.1  # seconds; shorter sounds are not rated
WINDOW = 144_161  # samples of the network's input at 16 kHz: 9.01 s and one more


def speech_mos(samples: npt.ArrayLike, sample_rate: int) -> dict[str, float]:
    """DNSMOS of mono samples (n,), 1 (bad) to 5: "dnsmos" is P.835's OVRL, "dnsmos_sig" its SIG,
    "dnsmos_p808" the P.808 rating. All are rated at one level (`at_one_level`), since OVRL rises
    as the same speech gets quieter.

    Shorter sounds are repeated to fill the network's input of 9 s, as the package does, but only
    once: it would rate up to nine windows of the same sound. NaN if the sound is silent or shorter
    than `LEAST`.
    """
    signal = at_one_level(resampled(samples, sample_rate, 16_000)).astype(np.float32)
    if len(signal) < LEAST * 16_000 or not signal.any():
        return dict.fromkeys(("dnsmos", "dnsmos_sig", "dnsmos_p808"), float("nan"))
    with eval_package("speechmos"):
        from speechmos import dnsmos
    if len(signal) < WINDOW:
        signal = np.resize(signal, WINDOW)
    ratings = dnsmos.run(signal, 16_000)
    return {
        "dnsmos": float(ratings["ovrl_mos"]),
        "dnsmos_sig": float(ratings["sig_mos"]),
        "dnsmos_p808": float(ratings["p808_mos"]),
    }
