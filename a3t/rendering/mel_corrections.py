"""Corrections of filled mel by the speech around it: of its level, and of the network's bias.

A network trained with L1 predicts an average, which is too quiet, and in unfamiliar conditions it
is off by several dB more. The recording's phones around an edit show how loud each class of phones
is there; all filled frames of an edit are shifted most of the way to that level.

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

from a3t.grid import FRAMES_PER_SECOND
from a3t.model.masking import Filler, MaskedMel, fill
from a3t.model.postnet import PAUSED, phone_class
from a3t.model.variance.adaptors import frame_energy
from a3t.spans import Span
from a3t.text.phones import PAUSE, is_vowel
from alignment.arpabet import strip_stress
from alignment.boolean_runs import runs_of

LEVEL_SHARE = 0.8  # of the way; chosen clean and on a telephone (docs/log.md)
REACH_FRAMES = 1.5 * FRAMES_PER_SECOND  # frames; the distance at which a neighbour's weight is 1/e
MAX_SHIFT = 0.6  # largest shift of a level in log10 units: 12 dB
MIN_LEVEL_FRAMES = 8.0  # weighted frames of a class; with fewer, it isn't used
# Frames from the level of a piece of speech to the next one's.
GLIDE_FRAMES = 0.25 * FRAMES_PER_SECOND
SONORANTS = frozenset("L M N NG R W Y".split())
BIAS_SHARE = 0.5  # of the bias; chosen on edits of other voices (docs/log.md)
BIAS_PARTS = 2  # in which the visible frames are filled
BLOCK_FRAMES = 24  # frames of a part in a row: 0.3 s, about a word
MIN_BLOCK_FRAMES = 8  # frames of a block, and …
MIN_SPEECH_SHARE = 0.5  # … the share of them that must not be a pause
MIN_BIAS_FRAMES = 6  # frames of a class; with fewer, it isn't used
PRIOR_FRAMES = 10  # frames for which no difference is assumed
SMOOTHED_BINS = 9  # of a binomial mean, over which a spectrum's difference is smoothed


def loudness_class(symbol: str) -> str | None:
    """Return a class of phones of similar loudness; None for phones of too variable level."""
    if symbol == PAUSE:
        return None
    if is_vowel(symbol):
        return "unstressed" if symbol.endswith("0") else "stressed"
    return "sonorant" if strip_stress(symbol) in SONORANTS else None


def levelled(
    mel: Tensor, masked: np.ndarray, symbols: Sequence[str], phone_of_frame: np.ndarray
) -> Tensor:
    """Adjust the level of each masked run of filled mel to its neighbours': (N, 80) log10.

    mel: (N, 80), filled. masked: (N,) bool, the filled frames. symbols: the window's phones.
    phone_of_frame: (N,) the index of each frame's phone.
    """
    energy = frame_energy(mel[None])[0].numpy()
    kinds = _kinds(symbols, phone_of_frame)
    result = mel.clone()
    for first, last in runs_of(masked):
        gain = _gain(energy, kinds, ~masked, first, last)
        result[first:last] += float(np.clip(LEVEL_SHARE * gain, -MAX_SHIFT, MAX_SHIFT))
    return result


def lacking_gain(
    mel: Tensor, masked: np.ndarray, symbols: Sequence[str], phone_of_frame: np.ndarray, span: Span
) -> float:
    """Return the log10 gain that a ``span`` lacks beside the visible frames of its classes.

    It is 0 without evidence. The arguments are those of `levelled`.
    """
    energy = frame_energy(mel[None])[0].numpy()
    return _gain(energy, _kinds(symbols, phone_of_frame), ~masked, *span)


class SpeechLevel:
    """Adjusts the level of speech that is made piece by piece to that of its prompt.

    All that was made so far is compared with the whole prompt, class by class, so that the level
    settles; from one piece to the next it glides.
    """

    def __init__(self, prompt: Tensor, symbols: Sequence[str], phone_of_frame: np.ndarray) -> None:
        """Measure the prompt, (T, 80) log10, the first frames; the other two are of all frames."""
        self.kinds = _kinds(symbols, phone_of_frame)
        self.own = _Powers()
        self.own.add(prompt, self.kinds[: len(prompt)])
        self.made = _Powers()
        self.gain: float | None = None

    def levelled(self, mel: Tensor, first: int) -> Tensor:
        """Adjust the next frames (n, 80) log10, which begin at frame ``first``."""
        self.made.add(mel, self.kinds[first : first + len(mel)])
        gain = float(np.clip(self.made.gain_to(self.own), -MAX_SHIFT, MAX_SHIFT))
        before = gain if self.gain is None else self.gain
        self.gain = gain
        glide = torch.arange(1, len(mel) + 1) / GLIDE_FRAMES
        return mel + (before + (gain - before) * glide.clamp(max=1.0))[:, None]


class _Powers:
    """The mean power of each class of phones, added up piece by piece."""

    def __init__(self) -> None:
        self.sums: dict[str, float] = {}
        self.counts: dict[str, int] = {}

    def add(self, mel: Tensor, kinds: np.ndarray) -> None:
        power = 10.0 ** (2 * frame_energy(mel[None])[0].numpy().astype(np.float64))
        for kind in set(kinds.tolist()) - {""}:
            here = kinds == kind
            self.sums[kind] = self.sums.get(kind, 0.0) + float(power[here].sum())
            self.counts[kind] = self.counts.get(kind, 0) + int(here.sum())

    def gain_to(self, other: _Powers) -> float:
        """Return the log10 gain that these lack beside the others; 0 without evidence."""
        gain, total = 0.0, 0
        for kind, count in self.counts.items():
            if other.counts.get(kind, 0) >= MIN_LEVEL_FRAMES:
                ratio = other.sums[kind] / other.counts[kind] / (self.sums[kind] / count)
                gain += count * 0.5 * float(np.log10(ratio))
                total += count
        return gain / total if total else 0.0


def _kinds(symbols: Sequence[str], phone_of_frame: np.ndarray) -> np.ndarray:
    """Return each frame's class of loudness, "" for none."""
    return np.array([loudness_class(symbol) or "" for symbol in symbols])[phone_of_frame]


def _gain(
    energy: np.ndarray, kinds: np.ndarray, visible: np.ndarray, first: int, last: int
) -> float:
    """Return the log10 gain that frames [first, last) lack; 0 without evidence.

    ``energy`` is (N,) log10. Mean powers are compared class by class, since they determine
    loudness.
    """
    power = 10.0 ** (2 * energy.astype(np.float64))
    place = np.arange(len(energy))
    distance = np.maximum(np.maximum(first - place, place - last), 0)
    weights = np.exp(-distance / REACH_FRAMES) * visible
    gain, total = 0.0, 0.0
    for kind in set(kinds[first:last]) - {""}:
        here = first + np.flatnonzero(kinds[first:last] == kind)
        alike = weights * (kinds == kind)
        if alike.sum() >= MIN_LEVEL_FRAMES:
            expected = float((alike * power).sum() / alike.sum())
            gain += len(here) * 0.5 * float(np.log10(expected / power[here].mean()))
            total += len(here)
    return gain / total if total else 0.0


class SpectralBias:
    """A model's bias in a recording's mean spectra, by class of phones."""

    def __init__(self, model: Filler, item: MaskedMel, symbols: Sequence[str]) -> None:
        """Measure the bias in a recording's mel by filling what is visible, twice.

        ``item``: that mel and its phones, whose symbols ``symbols`` are.
        """
        self.kind_of_phone = np.array([phone_class(symbol) for symbol in symbols])
        self.spectra: dict[str, Tensor] = {}  # (80,) each
        of_frame = self.kind_of_phone[item.phone_of_frame]
        blocks = _visible_blocks(item.masked, of_frame)
        differences, kinds = [], []
        for part in range(BIAS_PARTS):
            if part_blocks := blocks[part::BIAS_PARTS]:
                frames = np.concatenate(part_blocks)
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
            if len(own_kind) >= MIN_BIAS_FRAMES:
                mean = _smoothed(own_kind.mean(0))
                self.spectra[name] = mean * len(own_kind) / (len(own_kind) + PRIOR_FRAMES)

    def taken_off(self, mel: Tensor, phone_of_frame: np.ndarray) -> Tensor:
        """Move filled frames (n, 80) log10 by a share of the bias of each frame's class.

        ``phone_of_frame``: whose they are, (n,). Each frame stays as loud as it is.
        """
        kinds = self.kind_of_phone[phone_of_frame]
        result = mel.clone()
        for name, spectrum in self.spectra.items():
            result[torch.from_numpy(kinds == name)] += BIAS_SHARE * spectrum
        return result + (frame_energy(mel[None]) - frame_energy(result[None]))[0][:, None]


def unbiased(model: Filler, item: MaskedMel, symbols: Sequence[str], filled: Tensor) -> Tensor:
    """Return the model's fill of an item, (N, 80) log10, without its bias in what is visible."""
    moved = SpectralBias(model, item, symbols).taken_off(filled, item.phone_of_frame)
    return torch.where(torch.from_numpy(item.masked)[:, None], moved, filled)


def _visible_blocks(masked: np.ndarray, classes: np.ndarray) -> list[np.ndarray]:
    """Return the visible frames in blocks of successive ones, but those that are mostly a pause."""
    runs = [np.arange(first, last) for first, last in runs_of(~masked)]
    blocks = [run[k : k + BLOCK_FRAMES] for run in runs for k in range(0, len(run), BLOCK_FRAMES)]
    return [
        block
        for block in blocks
        if len(block) >= MIN_BLOCK_FRAMES and (classes[block] != PAUSED).mean() > MIN_SPEECH_SHARE
    ]


def _shape(mel: Tensor) -> Tensor:
    """Bring all frames of a log10 mel (n, 80) to one level."""
    return mel - frame_energy(mel[None])[0][:, None]


def _smoothed(spectrum: Tensor) -> Tensor:
    """Return the binomial mean of nine bins, (80,) -> (80,)."""
    weights = torch.tensor(
        [math.comb(SMOOTHED_BINS - 1, k) / 2 ** (SMOOTHED_BINS - 1) for k in range(SMOOTHED_BINS)]
    )
    padded = F.pad(spectrum[None, None], (SMOOTHED_BINS // 2, SMOOTHED_BINS // 2), mode="replicate")
    return F.conv1d(padded, weights[None, None])[0, 0]
