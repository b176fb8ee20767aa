"""Filling masked mel at inference: one pass, or piece by piece where the mask is long.

N frames, L phones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from a3t.model.a3t import A3T
from a3t.model.embeddings import Batch
from a3t.text.phones import PAUSE_ID

ONE_PASS = 320  # masked frames filled at once, 4 s: about the longest that training masks
PIECE = 200  # masked frames of a piece of a longer mask
PROMPT = 600  # frames of the recording's own speech that every piece hears …
RECENT = 60  # … frames of the piece before, for continuity …
AHEAD = 40  # … and masked frames after it, filled again with the next piece


@dataclass(frozen=True)
class MaskedMel:
    """A mel with masked frames, and whose phone each frame is."""

    mel: Tensor  # (N, 80) log10; masked frames may hold anything
    masked: np.ndarray  # (N,) bool
    phones: Sequence[int]  # (L,) ids
    phone_of_frame: np.ndarray  # (N,) rising indices into phones
    rise: np.ndarray | None = None  # (N,) octaves added to the predicted pitch

    def batch(self, frames: np.ndarray) -> Batch:
        """These frames (rising indices) and their phones, as a batch of one."""
        own = self.phone_of_frame[frames]
        kept, place = np.unique(own, return_inverse=True)
        ids = [self.phones[k] for k in kept]
        return Batch(
            mel=self.mel[frames][None],
            masked=torch.from_numpy(self.masked[frames])[None],
            phones=torch.tensor([ids]),
            frame_phone=torch.from_numpy(place.astype(np.int64))[None],
            frames=torch.tensor([len(frames)]),
            phone_count=torch.tensor([len(kept)]),
            rise=None if self.rise is None else torch.from_numpy(self.rise[frames]).float()[None],
        )


def fill(model: A3T, item: MaskedMel) -> Tensor:
    """The mel with its masked frames filled, (N, 80); all other frames as they were."""
    *_, (_, mel) = fill_in_pieces(model, item)
    return mel


def fill_in_pieces(model: A3T, item: MaskedMel) -> Iterator[tuple[int, Tensor]]:
    """The same piece by piece: the frame up to which all is filled, and the mel so far."""
    device = next(model.parameters()).device
    everything = np.arange(len(item.masked))
    if item.masked.sum() <= ONE_PASS:
        yield len(everything), model.fill(item.batch(everything).to(device))[0].cpu()
        return

    mel, masked = item.mel.clone(), item.masked.copy()
    own = ~item.masked
    while masked.any():
        work = replace(item, mel=mel, masked=masked)
        todo = np.flatnonzero(masked)
        last = _piece_end(item, todo)
        piece = todo[todo < last]
        chosen = np.zeros(len(masked), bool)
        chosen[piece] = True
        chosen[todo[todo >= last][:AHEAD]] = True
        chosen[np.flatnonzero(~masked[: piece[0]])[-RECENT:]] = True
        # The own speech nearest to the piece, on both sides of it where there is some.
        distance = np.where(own, np.abs(everything - piece[0]), len(own) * 2)
        chosen[np.argsort(distance, kind="stable")[: min(PROMPT, int(own.sum()))]] = True
        frames = np.flatnonzero(chosen)
        filled = model.fill(work.batch(frames).to(device))[0].cpu()
        done = np.isin(frames, piece)
        mel[frames[done]] = filled[done]
        masked[piece] = False
        yield last, mel


def _piece_end(item: MaskedMel, todo: np.ndarray) -> int:
    """The frame where a piece that begins with the first masked frame stops: after a pause in its
    second half if there is one, or at the last phone's end."""
    if len(todo) <= PIECE + AHEAD:
        return int(todo[-1]) + 1
    last = int(todo[PIECE])
    of_frame = item.phone_of_frame[todo[0] : last + 1]
    before = todo[0] + np.flatnonzero(np.diff(of_frame)) + 1
    if not len(before):
        return last
    ends_pause = np.array([item.phones[item.phone_of_frame[k - 1]] == PAUSE_ID for k in before])
    rested = before[ends_pause & (before > todo[PIECE // 2])]
    return int(rested[-1] if len(rested) else before[-1])
