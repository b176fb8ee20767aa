"""What listeners would say of speech by itself: Microsoft's DNSMOS (Reddy et al. 2022)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from a3t.evaluation.metrics import resampled
from a3t.evaluation.packages import eval_package

LEAST = 0.1  # seconds of sound without which nothing is said
WINDOW = 144_161  # samples of 16 kHz that the network hears at once, 9.01 s and one more


def speech_mos(samples: npt.ArrayLike, sample_rate: int) -> dict[str, float]:
    """DNSMOS of mono samples: "dnsmos" is OVRL of P.835, "dnsmos_sig" its SIG, "dnsmos_p808" that
    of P.808; 1 (bad) to 5. Shorter sounds are repeated to the 9 s that the network hears, as the
    package does, but not beyond: it would judge up to nine windows of the same sound.

    NaN for what is silent or shorter than `LEAST`.
    """
    signal = resampled(samples, sample_rate, 16_000).astype(np.float32)
    if len(signal) < LEAST * 16_000 or not signal.any():
        return dict.fromkeys(("dnsmos", "dnsmos_sig", "dnsmos_p808"), float("nan"))
    with eval_package("speechmos"):
        from speechmos import dnsmos
    if len(signal) < WINDOW:
        signal = np.resize(signal, WINDOW)
    found = dnsmos.run(np.clip(signal, -1.0, 1.0), 16_000)
    return {
        "dnsmos": float(found["ovrl_mos"]),
        "dnsmos_sig": float(found["sig_mos"]),
        "dnsmos_p808": float(found["p808_mos"]),
    }
