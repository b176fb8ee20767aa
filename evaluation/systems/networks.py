"""A3T and its shapes as a system, and what reads trained networks from a model or a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor

from a3t.learning.loop import CHECKPOINT
from a3t.model.a3t import A3T
from a3t.model.conformer import Batch
from a3t.model.loading import network_of
from a3t.model.variance.durations import DurationPredictor, whole_frames
from a3t.pretrained import checkpoint_folder, load_checkpoint
from a3t.text.phones import PHONES
from a3t.vocoder.base import Vocoder as BaseVocoder
from evaluation.clips import HeldOutClip, Predictor, Vocoder
from evaluation.systems.interface import Gap, Ints, Mel, Range, System
from training.configuration import load_fitting
from training.export import AVERAGE, read_run

TRIMMED = 2  # ratios at each end that the speaker's rate leaves out

Network = TypeVar("Network", bound=torch.nn.Module)


def read_weights(name_or_path: str | Path) -> tuple[Mapping[str, Any], Mapping[str, Tensor], str]:
    """Read configuration, tensors and a display name, of a shipped model or of a run's folder.

    For a training run these are the averaged weights, which are the ones that ship. Raises
    InputError if the folder holds neither.
    """
    folder = checkpoint_folder(name_or_path)
    if (folder / CHECKPOINT).is_file() or (folder / AVERAGE).is_file():
        config, weights, history = read_run(folder)
        return config, weights, f"{folder.name}, {history}"
    config, tensors, sha256 = load_checkpoint(folder)
    return config, tensors, f"{folder.name} (sha256 {sha256[:12]})"


def load_a3t(name_or_path: str | Path) -> tuple[A3T, str]:
    """Load a network in inference mode, and its display name."""
    config, tensors, name = read_weights(name_or_path)
    return _in_inference(network_of(config), tensors, name), name


def load_durations(name_or_path: str | Path) -> tuple[DurationPredictor, str]:
    """Load a duration predictor in inference mode, and its display name."""
    config, tensors, name = read_weights(name_or_path)
    return _in_inference(DurationPredictor.from_config(config), tensors, name), name


def _in_inference(network: Network, tensors: Mapping[str, Tensor], name: str) -> Network:
    load_fitting(network, {key: value.float() for key, value in tensors.items()}, name)
    return network.eval()


class A3TSystem(System):
    """A3T, or a shape of it: one forward pass, with the whole clip as context."""

    def __init__(
        self,
        model: A3T,
        name: str = "A3T",
        speech_only: bool = False,
        longest: int | None = None,
    ) -> None:
        """Take a network, its name, and what it is shown.

        ``speech_only``: without the text, for networks that were trained without. ``longest``:
        frames that the network is shown, the gap in their middle, where its training never saw
        more: rows of the alignment embedding behind those of its crops would be untrained.
        """
        self.model, self.name, self.speech_only = model.eval(), name, speech_only
        self.longest = longest

    def fill(self, gap: Gap) -> Mel:
        """Fill the gap's frames by the network."""
        batch, left = self.batch(gap)
        first, last = gap.frame_span
        filled: Mel = self.model.fill(batch)[0, first - left : last - left].numpy()
        return filled

    def batch(self, gap: Gap) -> tuple[Batch, int]:
        """Return the network's input, and the frame of the clip at which it begins."""
        left, right = (0, len(gap.mel)) if self.longest is None else around(gap, self.longest)
        first, last = gap.frame_span
        masked = np.zeros(len(gap.mel), dtype=bool)
        masked[first:last] = True
        phones, owner = gap.phones, gap.frame_phone
        if self.speech_only:
            phones, owner = phones[:0], np.full_like(owner, -1)
        owner = owner[left:right]
        inside = owner[owner >= 0]
        if len(inside):
            phones = phones[inside[0] : inside[-1] + 1]
            owner = np.where(owner >= 0, owner - inside[0], -1)
        batch = Batch(
            mel=torch.from_numpy(gap.mel[left:right])[None],
            masked=torch.from_numpy(masked[left:right])[None],
            phones=torch.from_numpy(phones)[None],
            frame_phone=torch.from_numpy(owner)[None],
            frames=torch.tensor([right - left]),
            phone_count=torch.tensor([len(phones)]),
        )
        return batch, left


def around(gap: Gap, longest: int) -> Range:
    """Return the frames [left, right) around a gap, at most ``longest`` and never less than it.

    They begin and end between phones, as crops in training do.
    """
    first, last = gap.frame_span
    room = max(0, longest - gap.length) // 2
    edges = np.unique([0, *np.cumsum(gap.durations), len(gap.mel)])
    left = int(min(edges[edges >= first - room].min(), first))
    right = int(max(edges[edges <= last + room].max(), last))
    return left, right


def mean_ratio(spoken: Sequence[float], predicted: Sequence[float]) -> float:
    """Return the mean of the phones' ratios, spoken over predicted, two at each end left out.

    The speaker's rate of section 4.3.5 as the authors' code takes it: 1 for fewer than five phones.
    """
    ratios = sorted(true / expected for true, expected in zip(spoken, predicted, strict=True))
    return float(np.mean(ratios[TRIMMED:-TRIMMED])) if len(ratios) > 2 * TRIMMED else 1.0


def duration_predictor(predictor: DurationPredictor) -> Predictor:
    """Return a predictor of the masked phones' durations, scaled to the speaker (4.3.5).

    The scale is `mean_ratio` of the visible phones without pauses, so it doesn't depend on the
    masked ones. Pauses (`sp`) in the region are given, but not their lengths.
    """

    def predict(item: HeldOutClip, span: tuple[int, int]) -> Ints:
        symbols = [PHONES[k] for k in item.phones]
        frames = np.array(predictor.frames(symbols, item.words.tolist()))
        visible = item.words >= 0
        visible[span[0] : span[1]] = False
        ratio = mean_ratio(item.durations[visible].tolist(), frames[visible].tolist())
        inside = frames[span[0] : span[1]]
        spoken = item.words[span[0] : span[1]] >= 0
        return np.array(whole_frames(np.where(spoken, inside * ratio, inside).tolist()), np.int64)

    return predict


def as_vocoder(vocoder: BaseVocoder) -> Vocoder:
    """Wrap a vocoder to take and return NumPy arrays."""

    def vocode(mel: Mel) -> Mel:
        samples: Mel = vocoder(torch.from_numpy(np.ascontiguousarray(mel))).numpy()
        return samples

    return vocode
