"""From a training checkpoint to weights that ship: safetensors with a card."""

from __future__ import annotations

import argparse
import inspect
from dataclasses import asdict
from pathlib import Path

import torch

from a3t.errors import InputError
from a3t.grid import SAMPLE_RATE, seconds_of
from a3t.learning.loop import CHECKPOINT
from a3t.pretrained import save_checkpoint
from a3t.vocoder.builtin import SpectralVocoder
from training.configuration import read_config, settings
from training.corpora.attribution import attribution
from training.programs import Program, option
from training.vocoder.vocoder_data import WindowConfig
from training.vocoder.vocoder_discriminators import DiscriminatorConfig, vocoder_weights
from training.vocoder.vocoder_losses import VocoderLossConfig

CARD = """# vocoder-small

The built-in vocoder: log10 mel (80 bins, 80-7600 Hz, hop 300, {rate} Hz) to waveform.
{parameters:,} parameters, {blocks} ConvNeXt blocks of {width} at the frame rate{combs};
then {updates} multiplicative updates that make the magnitudes agree with the mel;{texture}{pulses}
{iterations} Griffin-Lim steps from these phases, which relax the magnitudes by
{relaxation:.0%}, and an inverse STFT.{refined}
A frame depends on {reach} frames on either side.

Trained for {steps:,} steps of {batch} windows of {seconds:.1f} s by
`python -m training.vocoder` on the "train" clips of `training.corpora.split_of`, with the losses of
`training.vocoder.vocoder_losses` (weights: {losses}). These weights are the running average.

{scores}
Limits: English read speech, mostly women's voices at 24 kHz. Above 8 kHz, where LibriSpeech ends,
it was trained on three women and on home recordings. The mel ends at 7600 Hz; everything above is
invented.

Use: edit recordings of yourself, or of people who agree to the result, and tell your listeners.

Licence of the weights: Apache-2.0. {attribution}
"""


PULSES = """
in voiced frames below 8 kHz the phases are mixed with those of the voice's pulses (share {:g});"""
REFINED = "\nAt last convolutions of {} channels over frames and bins refine the sound."
CORPORA = ["librispeech", "ljspeech", "kathleen", "vctk", "commonvoice"]


def export(run_folder: Path, folder: Path, scores: str = "") -> str:
    """Write the averaged weights of a run as ``folder``; returns their sha256.

    ``scores`` is text for the card. Raises InputError if the run has no checkpoint.
    """
    checkpoint = run_folder / CHECKPOINT
    if not checkpoint.is_file():
        raise InputError(f"There is no checkpoint {checkpoint}: train first.")
    state = torch.load(checkpoint, map_location="cpu", weights_only=True)
    config = read_config(run_folder / "config.yaml")
    given = config.get("vocoder") or {}
    # All of them are written down: a default that changes must not change what ships.
    known = inspect.signature(SpectralVocoder).parameters
    vocoder = {name: given.get(name, known[name].default) for name in known}
    model = SpectralVocoder(**vocoder)
    model.load_state_dict(vocoder_weights(state["average"]))
    tensors = {
        name: value.half() if value.dim() > 1 else value
        for name, value in model.state_dict().items()
    }
    windows = settings(WindowConfig, config.get("data"))
    weights = asdict(settings(VocoderLossConfig, config.get("loss")))
    del weights["unrolled"]  # which is no weight
    against = settings(DiscriminatorConfig, config.get("discriminators"))
    if against.channels:
        weights |= {"adversarial": against.adversarial, "matching": against.matching}
    card = CARD.format(
        rate=SAMPLE_RATE,
        parameters=sum(p.numel() for p in model.parameters()),
        blocks=len(model.blocks),
        width=model.head.in_features,
        combs=f", harmonics by {model.harmonics.classes} pitches" if model.harmonics else "",
        updates=model.mel_updates,
        texture=texture_of(model),
        pulses=PULSES.format(model.pulse_phases) if model.pulse_phases else "",
        iterations=model.iterations,
        relaxation=model.relaxation,
        refined=REFINED.format(given["refined"]) if model.refinement else "",
        reach=model.receptive_frames,
        steps=state["step"],
        batch=windows.batch,
        seconds=seconds_of(windows.frames),
        losses=", ".join(f"{name} {weight:g}" for name, weight in weights.items() if weight),
        scores=scores and scores.strip() + "\n",
        attribution=attribution(CORPORA),
    )
    config = {**config, "vocoder": vocoder, "steps": state["step"]}
    return save_checkpoint(folder, config, tensors, card)


def texture_of(model: SpectralVocoder) -> str:
    """Word for the card the texture that a vocoder draws."""
    if not model.texture:
        return ""
    low, high = model.texture
    pulses = ", in pulses with the voice" if model.pulses else ""
    return f"\nnoise from {low:g} to {high:g} Hz on where no harmonic stands out{pulses};"


def work(options: argparse.Namespace) -> None:
    """Export the run that the options name."""
    scores = options.scores.read_text() if options.scores else ""
    print(export(options.out, options.to, scores))


main = Program(
    work,
    option("--out", type=Path, required=True, help="the training run's folder"),
    option("--to", type=Path, required=True, help="folder to write"),
    option("--scores", type=Path, help="text file for the card"),
    name="training.vocoder export",
)
