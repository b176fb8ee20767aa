"""The scores of a network that looks ahead to the end of a segment, on sound as it comes.

`training.live.train_segments` makes such networks; `python -m evaluation live --segments` compares
them.
"""

from __future__ import annotations

import numpy as np
import torch

from alignment.network.phone_network import INDEX, SLOWER, STRIDE, with_tract
from alignment.recognition.live import EDGE, REACH, RunningBands
from alignment.recognition.network_recogniser import TRACTS
from alignment.result import PAUSE
from alignment.waveform import MODEL_RATE
from training.live.segmented_network import ROWS, SegmentedNetwork
from training.live.train_segments import HALF, LONGEST, fixed_ends, pause_ends

BACK = round(REACH / 0.04)  # times 40 ms that the network looks back


class SegmentedScores:
    """Scores segment by segment, of sound at 16 kHz; `kind` as train_segments has it."""

    def __init__(self, kind: str, network: SegmentedNetwork) -> None:
        self.kind, self.network = kind, network
        self.bands = RunningBands(MODEL_RATE)
        self.done = 0  # times 40 ms
        self.silent = np.zeros(0, bool)
        self.ends = np.zeros(0, np.float32)

    @torch.no_grad()
    def hear(self, samples: np.ndarray, last: bool = False) -> np.ndarray:
        """The scores (T, 40) of the segments that have ended with these samples."""
        self.bands.hear(samples, last)
        known = max((self.bands.stop - EDGE) // ROWS, 0)
        if known > len(self.ends):
            self._decide(known)
        ended = np.flatnonzero(self.ends[self.done :])
        stop = self.done + int(ended[-1]) + 1 if len(ended) else self.done
        rows = self.bands.stop if last else stop * ROWS
        if rows <= self.done * ROWS:
            return np.zeros((0, len(INDEX)), np.float32)
        first = max(self.done - BACK, 0)
        window = self.bands.window(first * ROWS, min(rows + EDGE, self.bands.stop))
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
        """Logits of phones and scores of sequences, both (T, 40)."""
        frames = torch.from_numpy(window.astype(np.float32))[None]
        logits, scores = self.network(frames, torch.from_numpy(ends)[None])
        return logits[0].numpy(), scores[0].numpy()

    def _decide(self, known: int) -> None:
        """Decide where segments end, up to `known`."""
        first = max(len(self.ends) - BACK, self.bands.first // ROWS, 0)
        window = self.bands.window(first * ROWS, min(known * ROWS + EDGE, self.bands.stop))
        new = slice(len(self.ends) - first, known - first)
        if self.kind == "fixed":
            found = fixed_ends(known)[len(self.ends) :]
        elif self.kind == "pauses":
            ends = np.append(self.ends[first:], np.zeros(known - len(self.ends) + 1, np.float32))
            phones = self._run(window, ends)[0].argmax(axis=1)[SLOWER - 1 :: SLOWER]
            self.silent = np.append(self.silent, (phones == INDEX[PAUSE])[new])
            found = pause_ends(self.silent)[len(self.ends) :]
        else:
            frames = torch.from_numpy(window.astype(np.float32))[None]
            found = (self.network.boundary(frames)[0].numpy() >= HALF).astype(np.float32)[new]
        self.ends = np.append(self.ends, found)
        since = np.flatnonzero(self.ends)
        if known - (since[-1] + 1 if len(since) else 0) >= LONGEST:
            self.ends[-1] = 1.0
