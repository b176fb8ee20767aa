"""What the networks hear in a recording, computed once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from alignment.network.phone_network import features, posteriors, posteriors_and_sequence_scores

RECENT = 8  # recordings, a minute each at most, whose outputs are kept


@dataclass(frozen=True, slots=True)
class Acoustics:
    """Both networks' outputs for a recording.

    frames: (K, BANDS). scores: the phone network's log posteriors, (T, 40). second: the sequence
    network's, which count where boundaries are corrected. sequences: its scores of sequences,
    (T, 40).
    """

    frames: np.ndarray
    scores: np.ndarray
    second: np.ndarray
    sequences: np.ndarray

    @staticmethod
    def of(samples: np.ndarray) -> Acoustics:
        """Return both networks' outputs for 16 kHz mono samples (n,); the latest are kept."""
        return _acoustics(samples.tobytes(), samples.dtype.str)


@lru_cache(RECENT)
def _acoustics(samples: bytes, dtype: str) -> Acoustics:
    frames = features(np.frombuffer(samples, dtype))
    outputs = frames, posteriors(frames), *posteriors_and_sequence_scores(frames)
    for each in outputs:
        each.setflags(write=False)
    return Acoustics(*outputs)
