"""The scores of a network that looks ahead to the end of a segment, on sound as it comes.

`train_segments` makes such networks; evaluation.hearing.live_words --segments compares them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from alignment.network.phone_network import (
    INDEX,
    SEQUENCE_WEIGHTS,
    SLOWER,
    STRIDE,
    load_weights,
    with_tract,
)
from alignment.network.running import REACH, RunningBands
from alignment.recognition.network_recogniser import TRACTS
from alignment.result import PAUSE
from alignment.waveform import MODEL_RATE
from training.alignment.segments import segmented_network
from training.alignment.train_segments import LONGEST, fixed_ends, pause_ends

ROWS = STRIDE * SLOWER  # of the bands in 40 ms
SEEN = 3  # rows that the first layer looks ahead
BACK = round(REACH / 0.04)  # times 40 ms that the network looks back
HALF = 0.5  # the probability from which a segment ends


def load_segmented(path: Path) -> Any:
    """A network that `train_segments` has saved."""
    import torch

    model = segmented_network(load_weights(SEQUENCE_WEIGHTS))
    model.load_state_dict(torch.load(path, weights_only=True)["model"])
    return model.eval()


class SegmentedScores:
    """Scores segment by segment, of sound at 16 kHz; `kind` as train_segments has it."""

    def __init__(self, kind: str, model: Any) -> None:
        self.kind, self.model = kind, model
        self.bands = RunningBands(MODEL_RATE)
        self.done = 0  # times 40 ms
        self.silent = np.zeros(0, bool)
        self.ends = np.zeros(0, np.float32)
        self.segments = 0

    def hear(self, samples: np.ndarray, last: bool = False) -> np.ndarray:
        """The scores (T, 40) of the segments that have ended with these samples."""
        import torch

        self.bands.hear(samples, last)
        known = max((self.bands.stop - SEEN) // ROWS, 0)
        with torch.no_grad():
            if known > len(self.ends):
                self._decide(known)
            ended = np.flatnonzero(self.ends[self.done :])
            stop = self.done + int(ended[-1]) + 1 if len(ended) else self.done
            rows = self.bands.stop if last else stop * ROWS
            if rows <= self.done * ROWS:
                return np.zeros((0, 40), np.float32)
            self.segments += len(ended)
            first = max(self.done - BACK, 0)
            window = self.bands.window(first * ROWS, min(rows + SEEN, self.bands.stop))
            ends = np.zeros(-(-len(window) // ROWS) + 1, np.float32)
            own = self.ends[first:][: len(ends)]
            ends[: len(own)] = own
            each = [self._run(with_tract(window, tract), ends)[1] for tract in TRACTS]
        begin = (self.done - first) * SLOWER
        count = -(-rows // STRIDE) - self.done * SLOWER
        self.done = -(-rows // ROWS)
        self.bands.forget((self.done - BACK) * ROWS)
        return np.asarray(np.mean(each, axis=0))[begin : begin + count]

    def _run(self, window: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        import torch

        frames = torch.from_numpy(window.astype(np.float32))[None]
        logits, scores = self.model(frames, torch.from_numpy(ends)[None])
        return logits[0].numpy(), scores[0].numpy()

    def _decide(self, known: int) -> None:
        """Where segments end, up to `known`."""
        import torch

        first = max(len(self.ends) - BACK, self.bands.first // ROWS, 0)
        window = self.bands.window(first * ROWS, min(known * ROWS + SEEN, self.bands.stop))
        if self.kind == "fixed":
            found = fixed_ends(known, 0)[len(self.ends) :]
        elif self.kind == "pauses":
            ends = np.append(self.ends[first:], np.zeros(known - len(self.ends) + 1, np.float32))
            phones = self._run(window, ends)[0].argmax(axis=1)[SLOWER - 1 :: SLOWER]
            new = (phones == INDEX[PAUSE])[len(self.ends) - first : known - first]
            self.silent = np.append(self.silent, new)
            found = pause_ends(self.silent)[len(self.ends) :]
        else:
            frames = torch.from_numpy(window.astype(np.float32))[None]
            chances = self.model.probabilities(frames)[0].numpy()
            found = (chances >= HALF).astype(np.float32)[len(self.ends) - first : known - first]
        self.ends = np.append(self.ends, found)
        since = np.flatnonzero(self.ends)
        if known - (since[-1] + 1 if len(since) else 0) >= LONGEST:
            self.ends[-1] = 1.0
