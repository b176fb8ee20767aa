"""The networks as ONNX files, for programs that embed the editor without torch.

python -m a3t.convert.onnx --out FOLDER [--model NAME_OR_PATH] [--vocoder NAME_OR_PATH]

Writes a3t.onnx, durations.onnx and vocoder.onnx. The numbers of frames T and phones L are dynamic:

- a3t: mel (T, 80) log10, masked (T,) bool, phones (L,) ids, frame_phone (T,) each frame's phone
  -> filled (T, 80), in which unmasked frames are unchanged
- durations: phones (L,), edges (L,) from `a3t.model.variance.durations.word_edges` -> frames (L,)
- vocoder: mel (T, 80), and white noise (300 T,) of power one if it draws texture -> samples
  (300 T,) at 24 kHz
"""

from __future__ import annotations

if __name__ == "__main__":  # before the other imports, which are slow
    from a3t.errors import end_at_once

    end_at_once()

import argparse
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from a3t.audio.analysis.mel import MELS, WINDOW
from a3t.audio.output.files import atomic_path
from a3t.console import run
from a3t.errors import InputError
from a3t.grid import HOP
from a3t.model.a3t import A3T
from a3t.model.embeddings import Batch
from a3t.model.loading import load_networks
from a3t.model.variance.durations import DurationPredictor
from a3t.vocoder import load_vocoder
from a3t.vocoder.builtin import BuiltinVocoder
from a3t.vocoder.framing import BINS
from a3t.vocoder.spectral import SpectralVocoder
from a3t.vocoder.texture import aperiodicity, pulsed, textured

OPSET = 18


def _length(values: Tensor) -> Tensor:
    """(n,) -> (1,): n, computed so that a trace doesn't make it a constant."""
    return torch.ones_like(values, dtype=torch.int64).sum()[None]


class Filling(nn.Module):
    """`A3T.fill` for one clip."""

    def __init__(self, model: A3T) -> None:
        super().__init__()
        self.model = model

    def forward(self, mel: Tensor, masked: Tensor, phones: Tensor, frame_phone: Tensor) -> Tensor:
        frames, count = _length(masked), _length(phones)
        batch = Batch(mel[None], masked[None], phones[None], frame_phone[None], frames, count)
        return torch.where(masked[:, None], self.model(batch).mel[0], mel)


class Durations(nn.Module):
    """`DurationPredictor.frames` for one text."""

    def __init__(self, predictor: DurationPredictor) -> None:
        super().__init__()
        self.predictor = predictor

    def forward(self, phones: Tensor, edges: Tensor) -> Tensor:
        return self.predictor(phones[None], edges[None], _length(phones))[0].exp().clamp(1.0, 80.0)


class Sounding(nn.Module):
    """`SpectralVocoder` for one mel in real arithmetic, with Fourier transforms as convolutions.

    ONNX has no complex numbers, and its own Fourier transform is slow unless the size is a power of
    two. The Griffin-Lim steps are those of `a3t.vocoder.framing`.
    """

    analysis: Tensor
    synthesis: Tensor
    energy: Tensor

    def __init__(self, model: SpectralVocoder) -> None:
        super().__init__()
        self.model = model
        turns = torch.outer(torch.arange(BINS), torch.arange(WINDOW)) % WINDOW  # exact in integers
        angles = turns.double() * (2 * torch.pi / WINDOW)
        window = torch.hann_window(WINDOW, dtype=torch.float64)
        waves = torch.cat([angles.cos(), -angles.sin()])[:, None] * window  # 2 * 601, 1, 1200
        # Every bin except the first and last also represents its mirror image.
        weight = torch.full((BINS,), 2.0 / WINDOW, dtype=torch.float64)
        weight[[0, -1]] = 1.0 / WINDOW
        self.register_buffer("analysis", waves.float())
        self.register_buffer("synthesis", (waves * weight.repeat(2)[:, None, None]).float())
        self.register_buffer("energy", (window**2).float()[None, None])

    def forward(self, mel: Tensor, noise: Tensor | None = None) -> Tensor:
        model = self.model
        magnitude, cosine, sine, _, periodicity = model.spectra(mel[None])
        phase = torch.cat([cosine, sine], dim=-1)
        if model.texture and noise is not None:
            if model.pulses:
                draft = self._waveform(magnitude * model.pulse_band, phase)
                noise = pulsed(noise[None], draft[0], model.pulses)[0]
            share = aperiodicity(periodicity, model.texture)
            phase = textured(phase, share, self._spectrum(noise[None, None]))
            size = _modulus(phase)
            magnitude, phase = magnitude * size, phase / size.repeat(1, 1, 2)
        settle = model.settling(magnitude, mel[None])
        samples = self._waveform(magnitude, phase)
        previous: Tensor | None = None
        for _ in range(model.iterations):
            consistent = self._spectrum(samples)
            leap = consistent
            if previous is not None:
                leap = consistent + model.momentum * (consistent - previous)
            previous = consistent
            if settle is not None:
                magnitude = settle(_modulus(consistent))
            samples = self._waveform(magnitude, leap / _modulus(leap).repeat(1, 1, 2))
        return samples[0, 0]

    def _spectrum(self, samples: Tensor) -> Tensor:
        """(1, 1, 300 T) -> (1, T, 2 * 601), real parts first."""
        padded = F.pad(samples, (WINDOW // 2, WINDOW // 2 - HOP))
        return F.conv1d(padded, self.analysis, stride=HOP).transpose(1, 2)

    def _waveform(self, magnitude: Tensor, phase: Tensor) -> Tensor:
        """Magnitude (1, T, 601), phase as cosines and sines (1, T, 2 * 601) -> (1, 1, 300 T)."""
        spectra = (magnitude.repeat(1, 1, 2) * phase).transpose(1, 2)
        total = F.conv_transpose1d(spectra, self.synthesis, stride=HOP)
        ones = torch.ones_like(spectra[:, :1])
        energy = F.conv_transpose1d(ones, self.energy, stride=HOP)
        begin, end = WINDOW // 2, WINDOW // 2 - HOP
        return total[..., begin:-end] / energy[..., begin:-end]


def _modulus(spectra: Tensor) -> Tensor:
    real, imaginary = spectra.split(BINS, dim=-1)
    return torch.sqrt(real**2 + imaginary**2 + 1e-16)


def export(
    module: nn.Module, inputs: dict[str, Tensor], free: dict[str, str], output: str, path: Path
) -> None:
    """Write a module as one ONNX file; ``free`` names the dynamic first axis of each input.

    Raises InputError if the package onnx is not installed.
    """
    try:
        import onnx  # noqa: F401  (torch needs it)
    except ImportError:
        raise InputError(
            'The export needs the package onnx: install it with `pip install "a3t[onnx]"`.'
        ) from None
    axes = {name: {0: axis} for name, axis in {**free, output: output}.items()}
    with atomic_path(path) as temporary, warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")  # the tracer's; tests run the files at other lengths
        torch.onnx.export(
            module.eval(),
            tuple(inputs.values()),
            str(temporary),
            input_names=list(inputs),
            output_names=[output],
            dynamic_axes=axes,
            opset_version=OPSET,
            dynamo=False,  # torch's newer exporter can't handle the model's scatters
        )


def export_filling(model: A3T, path: Path) -> None:
    frames, phones = 50, 7
    inputs = {
        "mel": torch.zeros(frames, MELS),
        "masked": torch.arange(frames) > 30,
        "phones": torch.arange(phones) + 2,
        "frame_phone": torch.arange(frames) * phones // frames,
    }
    free = {"mel": "T", "masked": "T", "phones": "L", "frame_phone": "T"}
    export(Filling(model), inputs, free, "filled", path)


def export_durations(predictor: DurationPredictor, path: Path) -> None:
    inputs = {"phones": torch.arange(7) + 2, "edges": torch.arange(7) % 4}
    export(Durations(predictor), inputs, {"phones": "L", "edges": "L"}, "frames", path)


def export_vocoder(model: SpectralVocoder, path: Path) -> None:
    inputs, free = {"mel": torch.zeros(50, MELS)}, {"mel": "T"}
    if model.texture:
        inputs["noise"], free["noise"] = torch.zeros(50 * HOP), "N"
    export(Sounding(model), inputs, free, "samples", path)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line: returns 0 when done, 1 if the input can't be used."""
    parser = argparse.ArgumentParser(
        prog="python -m a3t.convert.onnx",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--model", default="small", metavar="NAME_OR_PATH")
    parser.add_argument("--vocoder", default="builtin", metavar="NAME_OR_PATH")
    options = parser.parse_args(arguments)
    return run(lambda: _export_all(options))


def _export_all(options: argparse.Namespace) -> None:
    vocoder = load_vocoder(options.vocoder)
    if not isinstance(vocoder, BuiltinVocoder):
        raise InputError(f"{vocoder.name} can't be exported: only the built-in vocoder can.")
    networks = load_networks(options.model)
    options.out.mkdir(parents=True, exist_ok=True)
    export_filling(networks.model, options.out / "a3t.onnx")
    export_durations(networks.durations, options.out / "durations.onnx")
    export_vocoder(vocoder.model, options.out / "vocoder.onnx")
    print(f"{options.out}: a3t.onnx, durations.onnx, vocoder.onnx")


if __name__ == "__main__":
    sys.exit(main())
