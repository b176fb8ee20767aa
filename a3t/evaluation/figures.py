"""Figures 4.6 and 4.7 of the thesis from any checkpoint: reconstruction, and attention.

python -m a3t.evaluation.figures small clip.wav --text "What it says." --out folder

Writes reconstruction.png (the recording's mel, and the middle third of its phones filled) and
attention.png (the encoder's last layer, mean over heads: the frames of some phones against those
phones). The checkpoint is a shipped model's name, a packed or converted folder, or the folder of a
training run, the plain loop's or ESPnet's.  T frames, L phones, N = T + L.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from a3t.console import run
from a3t.errors import InputError
from a3t.evaluation.attention import Attention, attention, draw_attention
from a3t.evaluation.systems import load_a3t
from a3t.model.a3t import A3T
from a3t.model.embeddings import Batch
from a3t.text.phones import PHONES
from a3t.training.espnet.dump import ClipError, Job, features
from a3t.training.espnet.pack import AVERAGE, read_average


@dataclass(frozen=True)
class Clip:
    """An aligned recording: mel (T, 80), phones and their frames (L,) each."""

    mel: np.ndarray
    phones: np.ndarray
    durations: np.ndarray

    @property
    def edges(self) -> np.ndarray:
        """The first frame of each phone, and T; (L + 1,)."""
        return np.concatenate([[0], np.cumsum(self.durations)])

    @property
    def third(self) -> tuple[int, int]:
        """The middle third of the phones, [first, last)."""
        third = len(self.phones) // 3
        return third, max(third + 1, len(self.phones) - third)

    def batch(self) -> Batch:
        """Its middle third masked."""
        owner = np.repeat(np.arange(len(self.phones)), self.durations)
        first, last = self.third
        masked = (owner >= first) & (owner < last)
        return Batch(
            torch.from_numpy(self.mel)[None],
            torch.from_numpy(masked)[None],
            torch.from_numpy(self.phones)[None],
            torch.from_numpy(owner)[None],
            torch.tensor([len(self.mel)]),
            torch.tensor([len(self.phones)]),
        )


def read_clip(wav: Path, text: str) -> Clip:
    """Align a recording; InputError if it can't be."""
    try:
        made = features(Job(wav.stem, wav, text, wav.parent, "pocketsphinx", pitch=False))
    except ClipError as error:
        raise InputError(f"{wav} can't be used: {error.sentence}") from None
    ids, durations = (made[key].astype(np.int64) for key in ("phones", "durations"))
    return Clip(made["mel"].astype(np.float32), ids, durations)


def read_network(checkpoint: str) -> A3T:
    """The network of any kind of checkpoint; InputError if it is none."""
    folder = Path(checkpoint)
    if (folder / AVERAGE).exists():
        config, weights = read_average(folder)
        network = A3T.from_config(config)
        network.load_state_dict(weights)
        return network.eval()
    return load_a3t(checkpoint)[0]


def attention_in_the_middle(network: A3T, clip: Clip) -> Attention:
    """The frames of some phones in the middle against those phones."""
    weights = attention(network, clip.batch()).numpy()
    symbols = tuple(PHONES[k] for k in clip.phones)
    middle = len(symbols) // 2
    return Attention(weights, symbols, clip.edges).around(middle, middle + 1)


def draw_reconstruction(network: A3T, clip: Clip, path: Path) -> None:
    """Figure 4.6: the recording, and its middle third filled."""
    from matplotlib.figure import Figure

    filled = network.fill(clip.batch())[0].numpy()
    first, last = (int(clip.edges[k]) for k in clip.third)
    figure = Figure(figsize=(10, 5), layout="constrained")
    low, high = float(clip.mel.min()), float(clip.mel.max())
    rows = (("recording", clip.mel), ("middle third filled", filled))
    for axes, (title, mel) in zip(figure.subplots(2, 1, sharex=True), rows, strict=True):
        axes.imshow(mel.T, aspect="auto", origin="lower", vmin=low, vmax=high)
        axes.axvline(first - 0.5, color="red")
        axes.axvline(last - 0.5, color="red")
        axes.set(title=title, ylabel="mel bin")
    axes.set_xlabel("frame (12.5 ms)")
    figure.savefig(path, dpi=150)


def draw(checkpoint: str, wav: Path, text: str, out: Path) -> None:
    """Both pictures."""
    clip = read_clip(wav, text)
    if len(clip.phones) < 3:
        raise InputError(f"{wav} has {len(clip.phones)} phones: too few to mask a third of them.")
    network = read_network(checkpoint)
    out.mkdir(parents=True, exist_ok=True)
    draw_reconstruction(network, clip, out / "reconstruction.png")
    draw_attention(attention_in_the_middle(network, clip), out / "attention.png")


def main(arguments: Sequence[str] | None = None) -> int:
    """0 done, 1 something can't be used (one sentence says what)."""
    parser = argparse.ArgumentParser(prog="python -m a3t.evaluation.figures", description=__doc__)
    parser.add_argument("checkpoint")
    parser.add_argument("wav", type=Path)
    parser.add_argument("--text", required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(arguments)
    return run(lambda: draw(options.checkpoint, options.wav, options.text, options.out))


if __name__ == "__main__":
    sys.exit(main())
