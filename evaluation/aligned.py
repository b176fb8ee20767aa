"""An aligned recording, with the middle third of its phones to be masked and filled."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from a3t.model.embeddings import Batch


@dataclass(frozen=True)
class AlignedMel:
    """mel (T, 80) log10; ids of the phones and their durations in frames, (L,) each, from 0 on."""

    mel: np.ndarray
    phones: np.ndarray
    durations: np.ndarray

    @property
    def edges(self) -> np.ndarray:
        """(L + 1,): the first frame of each phone, and the end of the last one."""
        return np.concatenate([[0], np.cumsum(self.durations)])

    @property
    def region(self) -> tuple[int, int]:
        """The middle third of the phones, [first, last)."""
        third = len(self.phones) // 3
        return third, max(third + 1, len(self.phones) - third)

    def batch(self) -> Batch:
        """A batch of this clip alone."""
        owner = np.full(len(self.mel), -1)
        owner[: self.edges[-1]] = np.repeat(np.arange(len(self.phones)), self.durations)
        first, last = self.region
        return Batch(
            torch.from_numpy(self.mel)[None],
            torch.from_numpy((owner >= first) & (owner < last))[None],
            torch.from_numpy(self.phones)[None],
            torch.from_numpy(owner)[None],
            torch.tensor([len(self.mel)]),
            torch.tensor([len(self.phones)]),
        )
