"""The network's spectral bias in a recording, estimated around an edit and removed from the fill.

What is visible around an edit is masked, half at a time, and filled as well: there the truth is
known. By how much each class of phones is off in its mean spectrum, that much it probably is in the
new words, too.

N frames, on the grid of `a3t.grid`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from a3t.model.a3t import A3T
from a3t.model.masking import MaskedMel, fill
from a3t.model.postnet import PAUSED, phone_class
from a3t.model.variance.adaptors import frame_energy
from alignment.boolean_runs import runs_of

BIAS_SHARE = 0.5  # of the bias; chosen on edits of other voices (docs/log.md)
PARTS = 2  # in which the visible frames are filled
BLOCK = 24  # frames of a part in a row: 0.3 s, about a word
LEAST = 8  # frames of a block, and …
SPEECH = 0.5  # … the share of them that must not be a pause
BIAS_FRAMES = 6  # frames of a class; with fewer, it isn't used
PRIOR = 10  # frames for which no difference is assumed
BINS = 9  # of a binomial mean, over which a spectrum's difference is smoothed


class SpectralBias:
    """A model's bias in a recording's mean spectra, by class of phones."""

    def __init__(self, model: A3T, item: MaskedMel, symbols: Sequence[str]) -> None:
        """``item``: the recording's mel, of which what is visible is filled, and its phones, whose
        symbols these are. The model fills it twice."""
        self.kind_of_phone = np.array([phone_class(symbol) for symbol in symbols])
        self.spectra: dict[str, Tensor] = {}  # (80,) each
        of_frame = self.kind_of_phone[item.phone_of_frame]
        blocks = _visible_blocks(item.masked, of_frame)
        differences, kinds = [], []
        for part in range(PARTS):
            if own := blocks[part::PARTS]:
                frames = np.concatenate(own)
                masked = item.masked.copy()
                masked[frames] = True
                filled = fill(model, replace(item, masked=masked, rise=None))
                differences.append(_shape(item.mel[frames]) - _shape(filled[frames]))
                kinds.append(of_frame[frames])
        if not differences:
            return
        difference, kind = torch.cat(differences), np.concatenate(kinds)
        for name in set(kind.tolist()) - {PAUSED}:
            own_kind = difference[torch.from_numpy(kind == name)]
            if len(own_kind) >= BIAS_FRAMES:
                mean = _smoothed(own_kind.mean(0))
                self.spectra[name] = mean * len(own_kind) / (len(own_kind) + PRIOR)

    def taken_off(self, mel: Tensor, phone_of_frame: np.ndarray) -> Tensor:
        """Filled frames (n, 80) log10, and whose phones they are (n,): moved by a share of the bias
        of each frame's class; each frame stays as loud as it is."""
        kinds = self.kind_of_phone[phone_of_frame]
        result = mel.clone()
        for name, spectrum in self.spectra.items():
            result[torch.from_numpy(kinds == name)] += BIAS_SHARE * spectrum
        return result + (frame_energy(mel[None]) - frame_energy(result[None]))[0][:, None]


def unbiased(model: A3T, item: MaskedMel, symbols: Sequence[str], filled: Tensor) -> Tensor:
    """The model's fill of an item, (N, 80) log10, without its bias in what is visible."""
    moved = SpectralBias(model, item, symbols).taken_off(filled, item.phone_of_frame)
    return torch.where(torch.from_numpy(item.masked)[:, None], moved, filled)


def _visible_blocks(masked: np.ndarray, classes: np.ndarray) -> list[np.ndarray]:
    """The visible frames in blocks of successive ones, without those that are mostly a pause."""
    runs = [np.arange(first, last) for first, last in runs_of(~masked)]
    blocks = [run[k : k + BLOCK] for run in runs for k in range(0, len(run), BLOCK)]
    return [
        block
        for block in blocks
        if len(block) >= LEAST and (classes[block] != PAUSED).mean() > SPEECH
    ]


def _shape(mel: Tensor) -> Tensor:
    """log10 mel (n, 80) whose frames all have one level."""
    return mel - frame_energy(mel[None])[0][:, None]


def _smoothed(spectrum: Tensor) -> Tensor:
    """(80,) -> (80,): the binomial mean of nine bins."""
    weights = torch.tensor([math.comb(BINS - 1, k) / 2 ** (BINS - 1) for k in range(BINS)])
    padded = F.pad(spectrum[None, None], (BINS // 2, BINS // 2), mode="replicate")
    return F.conv1d(padded, weights[None, None])[0, 0]
