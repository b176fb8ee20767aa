"""From a training checkpoint to weights that ship: safetensors with a card."""

from __future__ import annotations

import argparse
import inspect
from pathlib import Path
from typing import Any

import torch
import yaml

from a3t.errors import InputError
from a3t.pretrained import save_checkpoint
from a3t.training.export import ATTRIBUTION
from a3t.vocoder.spectral import SpectralVocoder

CARD = """# vocoder-small

The built-in vocoder: log10 mel (80 bins, 80-7600 Hz, hop 300, {rate} Hz) to waveform.
{parameters:,} parameters, {blocks} ConvNeXt blocks of {width} at the frame rate; then {updates}
multiplicative updates that make the magnitudes agree with the mel, {iterations} Griffin-Lim steps
from the network's phase, in which the magnitudes give way by {relaxation:.0%}, and an inverse STFT.
Frames {reach} to either side of a frame are heard.

Trained for {steps:,} steps of {batch} windows of {seconds:.1f} s by
`python -m a3t.training.vocoder`, on spectral losses (STFT and mel at several resolutions,
magnitude) {phase}over the clips that `a3t.corpora.split_of` calls "train". These weights
are the running average.

{scores}
Limits: English read speech, mostly women's voices at 24 kHz; above 8 kHz it has heard three women
only, since LibriSpeech ends there. The mel says nothing above 7600 Hz: what is there is invented.

Use: edit recordings of yourself or of people who have agreed to what you make of them, and tell
those who listen that a recording was edited.

Licence of the weights: Apache-2.0. {attribution}
"""


def export(
    checkpoint: Path, folder: Path, vocoder: dict[str, Any], half: bool = True, scores: str = ""
) -> str:
    """Write the averaged weights of ``checkpoint`` as ``folder``; returns their sha256.

    ``vocoder`` holds the constructor's arguments; ``half`` stores 16-bit floats; ``scores`` is
    text for the card. Raises InputError if there is no checkpoint.
    """
    if not checkpoint.is_file():
        raise InputError(f"There is no checkpoint {checkpoint}: train first.")
    state = torch.load(checkpoint, map_location="cpu", weights_only=True)
    # All of them are written down: a default that changes must not change what ships.
    given = inspect.signature(SpectralVocoder).parameters
    vocoder = {name: vocoder.get(name, given[name].default) for name in given}
    model = SpectralVocoder(**vocoder)
    model.load_state_dict(state["average"])
    tensors = {
        name: value.half() if half and value.dim() > 1 else value
        for name, value in model.state_dict().items()
    }
    plan = state["schedule"]
    card = CARD.format(
        rate=24000,
        parameters=sum(p.numel() for p in model.parameters()),
        blocks=len(model.blocks),
        width=model.head.in_features,
        updates=model.mel_updates,
        iterations=model.iterations,
        relaxation=model.relaxation,
        reach=model.receptive_frames,
        steps=state["step"],
        batch=plan["batch"],
        seconds=plan["frames"] / 80,
        phase="and anti-wrapping phase losses, " if plan["phase"] else "",
        scores=scores and scores.strip() + "\n",
        attribution=ATTRIBUTION,
    )
    config = {"vocoder": vocoder, "training": {"steps": state["step"], **plan}}
    return save_checkpoint(folder, config, tensors, card)


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m a3t.training.vocoder export")
    parser.add_argument("--out", type=Path, required=True, help="the training run's folder")
    parser.add_argument("--to", type=Path, required=True, help="folder to write")
    parser.add_argument("--config", type=Path, help="YAML whose key vocoder has the arguments")
    parser.add_argument("--scores", type=Path, help="text file for the card")
    parser.add_argument("--full", action="store_true", help="32-bit floats")
    options = parser.parse_args(arguments)
    config = yaml.safe_load(options.config.read_text()) if options.config else {}
    scores = options.scores.read_text() if options.scores else ""
    digest = export(
        options.out / "checkpoint.pt",
        options.to,
        config.get("vocoder") or {},
        not options.full,
        scores,
    )
    print(f"{options.to}: {digest}")
