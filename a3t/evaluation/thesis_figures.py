"""Figures 4.6 and 4.7 of the thesis, for any checkpoint: reconstruction and attention.

reconstruction.png shows a recording's mel, and the same with the middle third of its phones filled;
attention.png the attention of some phones' frames to these phones in the encoder's last layer,
averaged over heads.
"""

from __future__ import annotations

from pathlib import Path

from a3t.errors import InputError
from a3t.evaluation.aligned import AlignedMel
from a3t.evaluation.attention import Attention, attention, draw_attention
from a3t.evaluation.systems.networks import load_a3t
from a3t.model.a3t import A3T
from a3t.text.phones import PHONES
from a3t.training.extract import ClipError, Job, extract_clip


def read_clip(wav: Path, text: str) -> AlignedMel:
    """Align a recording; InputError if that fails."""
    try:
        features = extract_clip(Job(wav.stem, "", wav, text, "pocketsphinx", pitch=False))
    except ClipError as error:
        raise InputError(f"{wav} can't be used: {error.sentence}") from None
    return AlignedMel(features["mel"], features["phones"], features["durations"])


def attention_in_the_middle(network: A3T, clip: AlignedMel) -> Attention:
    """The attention of the frames of some phones in the middle to these phones."""
    weights = attention(network, clip.batch()).numpy()
    symbols = tuple(PHONES[k] for k in clip.phones)
    middle = len(symbols) // 2
    return Attention(weights, symbols, clip.edges).around(middle, middle + 1)


def draw_reconstruction(network: A3T, clip: AlignedMel, path: Path) -> None:
    """Figure 4.6: the recording, and the same with its middle third filled."""
    from matplotlib.figure import Figure

    filled = network.fill(clip.batch())[0].numpy()
    first, last = (int(clip.edges[k]) for k in clip.region)
    figure = Figure(figsize=(10, 5), layout="constrained")
    low, high = float(clip.mel.min()), float(clip.mel.max())
    rows = (("recording", clip.mel), ("middle third filled in", filled))
    for axes, (title, mel) in zip(figure.subplots(2, 1, sharex=True), rows, strict=True):
        axes.imshow(mel.T, aspect="auto", origin="lower", vmin=low, vmax=high)
        axes.axvline(first - 0.5, color="red")
        axes.axvline(last - 0.5, color="red")
        axes.set(title=title, ylabel="mel bin")
    axes.set_xlabel("frame (12.5 ms)")
    figure.savefig(path, dpi=150)


def draw(checkpoint: str, wav: Path, text: str, out: Path) -> None:
    """Draw both figures."""
    clip = read_clip(wav, text)
    if len(clip.phones) < 3:
        raise InputError(f"{wav} has {len(clip.phones)} phones: too few to mask a third.")
    network, _ = load_a3t(checkpoint)
    out.mkdir(parents=True, exist_ok=True)
    draw_reconstruction(network, clip, out / "reconstruction.png")
    draw_attention(attention_in_the_middle(network, clip), out / "attention.png")
