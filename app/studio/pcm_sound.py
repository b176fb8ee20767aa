"""The samples that the page plays and draws, and the words that are spoken in them.

A *token* is a written word with its spoken words and their times in seconds:

    {"id": 300007, "text": "$5,", "pause": true,
     "words": [{"text": "five", "start": 1.2, "end": 1.5, "score": 0.9, "phones": […]}, …]}
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

Token = dict[str, Any]

IDS = 100_000  # ids of one part's tokens: more than a part can have
PEAKS = 500  # pairs a second at the finest of the LEVELS, each a quarter of the one before
LEVELS = 5


@dataclass(frozen=True)
class PcmSound:
    """16-bit samples as `ingest` leaves them, readable by windows like a recording."""

    path: Path
    sample_rate: int
    channels: int
    samples: int

    def mono(self, start: int = 0, stop: int | None = None) -> np.ndarray:
        """Samples [start, stop), the mean of the channels, float32 with full scale at 1."""
        stop = self.samples if stop is None else stop
        count = max(0, stop - start) * self.channels
        raw = np.fromfile(self.path, "<i2", count, offset=2 * start * self.channels)
        mixed: np.ndarray = raw.reshape(-1, self.channels).mean(axis=1) / 32768
        return mixed.astype(np.float32)


def places_of(tokens: Sequence[Token]) -> dict[int, int]:
    """Where each token is, by its id."""
    return {token["id"]: k for k, token in enumerate(tokens)}


def start_of(token: Token) -> float:
    """Seconds."""
    return float(token["words"][0]["start"])


def end_of(token: Token) -> float:
    """Seconds."""
    return float(token["words"][-1]["end"])


def shown(token: Token) -> list[Any]:
    """A token as the page needs it: id, text, start and end in seconds, score, pause after it."""
    score = min(word["score"] for word in token["words"])
    times = (round(start_of(token), 4), round(end_of(token), 4))
    return [token["id"], token["text"], *times, round(score, 3), int(token["pause"])]


def level_sizes(samples: int, rate: int) -> list[int]:
    """How many pairs each level of peaks.bin has."""
    sizes = [-(-samples * PEAKS // rate)]
    while len(sizes) < LEVELS:
        sizes.append(-(-sizes[-1] // 4))
    return sizes
