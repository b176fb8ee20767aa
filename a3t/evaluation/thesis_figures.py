"""Figures 4.6 and 4.7 of the thesis, for any checkpoints: reconstruction and attention.

reconstruction.png shows a recording's mel, and below it the same with the middle third of its
phones filled by each network; attention.png the attention of some phones' frames to these phones in
each encoder's last layer, averaged over heads.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from a3t.errors import InputError
from a3t.evaluation.aligned import AlignedMel
from a3t.evaluation.attention import Attention, attention, draw_attentions
from a3t.evaluation.runs import speech_only
from a3t.evaluation.systems.named import RUNS
from a3t.evaluation.systems.networks import load_a3t, read_weights
from a3t.model.a3t import A3T
from a3t.text.phones import PHONES
from a3t.training.clip_features import ClipError, Job, extract_clip


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


def draw_reconstructions(
    systems: Sequence[tuple[str, A3T, bool]], clip: AlignedMel, path: Path
) -> None:
    """Figure 4.6: the recording, and below it what each network fills its middle third with. A
    system is a name, a network, and whether it is given no text."""
    from matplotlib.figure import Figure

    first, last = (int(clip.edges[k]) for k in clip.region)
    panels = [("recording", clip.mel)]
    for name, network, without_text in systems:
        fill = speech_only(network.fill) if without_text else network.fill
        panels.append((name, fill(clip.batch())[0].numpy()))
    figure = Figure(figsize=(10, 2.2 * len(panels) + 0.6), layout="constrained")
    low, high = float(clip.mel.min()), float(clip.mel.max())
    grid = figure.subplots(len(panels), 1, sharex=True)
    for letter, axes, (title, mel) in zip("abcdefghijkl", grid, panels, strict=False):
        axes.imshow(mel.T, aspect="auto", origin="lower", vmin=low, vmax=high)
        for edge in (first, last):
            axes.axvline(edge - 0.5, color="red")
        axes.set(title=f"({letter}) {title}", ylabel="mel bin")
    grid[-1].set_xlabel("frame (12.5 ms)")
    figure.savefig(path, dpi=120)


def draw(checkpoints: Sequence[str], wav: Path, text: str, out: Path) -> None:
    """Draw figure 4.6 with a panel for each checkpoint, and figure 4.7 with one for each that is
    given text, into reconstruction.png and attention.png."""
    clip = read_clip(wav, text)
    if len(clip.phones) < 3:
        raise InputError(f"{wav} has {len(clip.phones)} phones: too few to mask a third.")
    if len(checkpoints) > 11:
        raise InputError("At most eleven checkpoints fit a figure.")
    systems = []
    for name in checkpoints:
        network, _ = load_a3t(name)
        config = read_weights(name)[0]
        shown = RUNS.get(Path(name).name, Path(name).name)
        systems.append((shown, network, (config.get("data") or {}).get("speech_only") is not None))
    out.mkdir(parents=True, exist_ok=True)
    draw_reconstructions(systems, clip, out / "reconstruction.png")
    maps = {n: attention_in_the_middle(network, clip) for n, network, mute in systems if not mute}
    if maps:
        draw_attentions(maps, out / "attention.png")
