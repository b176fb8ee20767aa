"""Figures 4.6 and 4.7 of the thesis, for any runs and models: reconstruction and attention.

reconstruction.png shows a recording's mel, and below it the same with the middle third of its
phones filled by each system; attention.png the attention of some phones' frames to these phones in
each encoder's last layer, averaged over heads. T frames, L phones.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from a3t.errors import InputError
from a3t.model.a3t import A3T
from a3t.model.conformer import Batch
from a3t.text.phones import PHONES
from evaluation.clips import FEATURES, HeldOutClip, open_gap
from evaluation.systems.interface import Gap, System
from evaluation.systems.named import system_at
from evaluation.systems.networks import A3TSystem
from training.corpora.decoding import decode_floats
from training.features.clip_features import ClipError, Job, extract_clip
from training.programs import Program, option

SHOWN = 11  # phones in the picture, as in the thesis


@dataclass(frozen=True)
class Attention:
    """Each frame's attention to each phone, averaged over heads.

    weights (T, L); phones: L symbols; edges (L + 1,): the first frame of each phone, and T.
    """

    weights: np.ndarray
    phones: tuple[str, ...]
    edges: np.ndarray

    def around(self, first: int, last: int) -> Attention:
        """Return the part for the phones [first, last), widened to SHOWN, and their frames."""
        wider = max(0, SHOWN - (last - first))
        first = max(0, first - wider // 2)
        last = min(len(self.phones), max(last, first + SHOWN))
        start, end = self.edges[first], self.edges[last]
        return Attention(
            self.weights[start:end, first:last],
            self.phones[first:last],
            self.edges[first : last + 1],
        )


def attention(network: A3T, batch: Batch) -> Tensor:
    """Return the attention of each frame to each phone in the encoder's last layer, (T, L)."""
    maps: list[Tensor] = []
    with torch.inference_mode():
        network(batch, maps)
    T = batch.mel.shape[1]
    return maps[len(network.encoder) - 1][0].mean(0)[:T, T:]


def draw_attentions(shown: Mapping[str, Attention], path: Path) -> None:
    """Draw several below each other, each by its name, on one scale of colours."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 3.6 * len(shown) + 0.4), layout="constrained")
    highest = max(float(each.weights.max(initial=0.0)) for each in shown.values())
    grid = figure.subplots(len(shown), 1, squeeze=False)[:, 0]
    for axes, (name, each) in zip(grid, shown.items(), strict=True):
        start = each.edges[0]
        axes.imshow(
            each.weights.T, aspect="auto", origin="lower", interpolation="nearest", vmin=0.0,
            vmax=highest,
        )  # fmt: skip
        axes.set_yticks(range(len(each.phones)), each.phones)
        axes.set_xticks(each.edges[:-1] - start - 0.5, [str(edge) for edge in each.edges[:-1]])
        axes.set(ylabel="phone", title=name)
        axes.tick_params(axis="x", rotation=90)
    grid[-1].set_xlabel("frame (12.5 ms; ticks at the beginning of each phone)")
    figure.suptitle("Attention of frames to phones, encoder's last layer, mean over heads")
    figure.colorbar(grid[-1].images[0], ax=list(grid))
    figure.savefig(path, dpi=150)


def read_clip(wav: Path, text: str) -> HeldOutClip:
    """Align a recording; InputError if that fails."""
    try:
        features = extract_clip(Job(wav.stem, "", wav, text, "network", pitch=False))
    except ClipError as error:
        raise InputError(f"{wav} can't be used: {error.sentence}") from None
    samples, rate = decode_floats(wav)
    parts = (features[name] for name in FEATURES)
    return HeldOutClip(wav.stem, "", False, rate, samples, *parts)


def attention_in_the_middle(system: A3TSystem, gap: Gap) -> Attention:
    """Return the attention of the frames of some phones in the gap's middle to these phones.

    It is within what the network is shown.
    """
    batch, left = system.batch(gap)
    weights = attention(system.model, batch).numpy()
    symbols = tuple(PHONES[k] for k in batch.phones[0].tolist())
    owner = batch.frame_phone[0].numpy()
    edges = np.searchsorted(owner[owner >= 0], np.arange(len(symbols) + 1))
    middle = int(owner[sum(gap.frame_span) // 2 - left])
    found = Attention(weights, symbols, edges).around(middle, middle + 1)
    return replace(found, edges=found.edges + left)


def draw_reconstructions(systems: Sequence[System], clip: HeldOutClip, path: Path) -> None:
    """Draw figure 4.6: the recording, and below it what each system fills its middle third with."""
    from matplotlib.figure import Figure

    gap = middle_gap(clip)
    panels = [("recording", clip.mel)]
    for system in systems:
        panels.append((system.name, system.output(gap).mel))
    figure = Figure(figsize=(10, 2.2 * len(panels) + 0.6), layout="constrained")
    low, high = float(clip.mel.min()), float(clip.mel.max())
    grid = figure.subplots(len(panels), 1, sharex=True)
    for letter, axes, (title, mel) in zip("abcdefghijkl", grid, panels, strict=False):
        axes.imshow(mel.T, aspect="auto", origin="lower", vmin=low, vmax=high)
        for edge in gap.frame_span:
            axes.axvline(edge - 0.5, color="red")
        axes.set(title=f"({letter}) {title}", ylabel="mel bin")
    grid[-1].set_xlabel("frame (12.5 ms)")
    figure.savefig(path, dpi=120)


def middle_gap(clip: HeldOutClip) -> Gap:
    """Return the clip without the frames of the middle third of its phones."""
    return open_gap(clip, clip.region, clip.durations[slice(*clip.region)])


def draw(checkpoints: Sequence[str], wav: Path, text: str, out: Path) -> None:
    """Draw figures 4.6 and 4.7 into reconstruction.png and attention.png.

    The first has a panel for each run or model, the second one for each A3T that is given text.
    """
    clip = read_clip(wav, text)
    if len(clip.phones) < 3:
        raise InputError(f"{wav} has {len(clip.phones)} phones: too few to mask a third.")
    if len(checkpoints) > 11:
        raise InputError("At most eleven checkpoints fit a figure.")
    systems = [system_at(name) for name in checkpoints]
    out.mkdir(parents=True, exist_ok=True)
    draw_reconstructions(systems, clip, out / "reconstruction.png")
    maps = {
        system.name: attention_in_the_middle(system, middle_gap(clip))
        for system in systems
        if isinstance(system, A3TSystem) and not system.speech_only
    }
    if maps:
        draw_attentions(maps, out / "attention.png")


def run(options: argparse.Namespace) -> None:
    """Draw the figures; raises InputError."""
    draw(options.checkpoints, options.wav, options.text, options.out)


main = Program(
    run,
    option(
        "checkpoints", nargs="+",
        help="models or training runs, EditSpeech's and FastSpeech 2's too; one panel each",
    ),
    option("wav", type=Path, help="a recording; its middle third is filled"),
    option("--text", required=True, help="the words of the recording"),
    option("--out", type=Path, required=True, metavar="FOLDER"),
    name="evaluation figures",
)  # fmt: skip
