"""The built-in vocoder as the editor uses it: weights from a folder, checked, one mel at a time.

The last touch on a vocoder's sound: a small network that sees its spectrogram bin by bin.

A spectrum of 601 bins that is a linear map of 256 features has no local structure of its own, and
steps towards consistency smooth what there was. So at the end convolutions over frames and bins see
the whole sound, and drawn noise beside it, and say by how much each bin grows, how it turns, and
how much noise is added. They are trained against discriminators (`training.vocoder`), as a
generator of images that refines a draft is (Shrivastava et al. 2017, "Learning from simulated and
unsupervised images through adversarial training").

The built-in vocoder: a convolutional network at the frame rate, then an inverse STFT.

The idea is Vocos' (Siuzdak 2023): nothing is computed at the sample rate but one inverse Fourier
transform, so it is one to two orders faster on a CPU than generators that upsample. The network
says magnitude and phase of each frame. Two old methods then do what a small network does badly:
multiplicative updates make the magnitudes agree with the mel, and a few Griffin-Lim steps from the
network's phase, in voiced frames mixed with that of the voice's pulses (`a3t.vocoder.pulses`), make
neighbouring frames agree with one another. In these steps the magnitudes give
way as well, as far as the mel lets them: what the network blurred no sound could have. Where speech
is noise, the texture that the network's means lack is drawn first (`a3t.vocoder.texture`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from a3t.audio.analysis.mel import MEL_WINDOW_SAMPLES, MELS, N_FFT, mel_filters
from a3t.errors import InputError
from a3t.grid import HOP
from a3t.model.threads import on_threads
from a3t.spans import Span
from a3t.vocoder.base import check_mel, placed_normal
from a3t.vocoder.pulses import PULSES_REACH, Pulses, pulses_of, with_pulses
from a3t.vocoder.stft import BINS, SHARED_FRAMES, griffin_lim, modulus, spectrum, unit, waveform
from a3t.vocoder.texture import (
    CONTRAST_SIZE,
    MEAN_MAGNITUDE,
    PULSE_REACH_FRAMES,
    Harmonics,
    aperiodicity,
    likely_pitch,
    local_contrast,
    pulse_band,
    pulsed,
    textured,
)

SHOWN_CHANNELS = 10  # channels that the network is shown of the sound, beside those of the features
HINTS, HINT_BINS = 4, 20  # channels of the vocoder's features, for each band of so many bins
LAYERS = ((1, 1), (2, 1), (1, 2), (2, 4), (1, 1))  # dilations of frames, of bins
REFINEMENT_KERNEL = (3, 5)  # frames, bins
COARSE_BINS, COARSE_LAYERS = 8, 2  # bins that the coarse path takes together, and its layers
BRANCH = 1  # the layer after which the coarse path is added
LEAKY_SLOPE = 0.1
CENTRE, SPREAD = -4.5, 3.0  # bring log magnitudes to even strength
MAX_LOG_GAIN = 2.0  # natural log, at most
# Of the convolutions, which sum alike on any number of them; the rest has one.
CONVOLUTION_THREADS = 2

REFINED_FRAMES = (
    REFINEMENT_KERNEL[0] // 2 * (1 + sum(frames for frames, _ in LAYERS) + COARSE_LAYERS)
    + CONTRAST_SIZE[0] // 2
    + 2 * SHARED_FRAMES
)
"""Frames on either side that a refined frame's samples depend on."""
# What the network may say of a magnitude, natural log: a full-scale sine has log 300 = 5.7.
LOG_MAGNITUDES = (-12.0, 7.0)


class Refinement(nn.Module):
    """Samples (B, 300 T) of a draft -> the same, refined. Unchanged before it is trained.

    ``features`` (B, T, width) are the vocoder's, ``periodicity`` (B, T, 601) its own, ``noise``
    (B, 300 T) white, of power one.
    """

    window: Tensor

    def __init__(self, width: int, channels: int) -> None:
        super().__init__()
        self.hints = nn.Linear(width, HINTS * -(-BINS // HINT_BINS))
        self.enter = nn.Conv2d(SHOWN_CHANNELS + HINTS, channels, REFINEMENT_KERNEL, padding=(1, 2))
        self.layers = nn.ModuleList(
            nn.Conv2d(
                channels,
                channels,
                REFINEMENT_KERNEL,
                padding=(apart, 2 * wide),
                dilation=(apart, wide),
            )
            for apart, wide in LAYERS
        )
        self.coarse = nn.ModuleList(
            nn.Conv2d(channels, channels, REFINEMENT_KERNEL, padding=(1, 2))
            for _ in range(COARSE_LAYERS)
        )
        self.leave = nn.Conv2d(channels, 3, 1)
        self.register_buffer("window", torch.hann_window(MEL_WINDOW_SAMPLES), persistent=False)
        for name, value in self.named_parameters():
            if name.endswith("bias") or name.startswith("leave"):
                nn.init.zeros_(value)
            elif value.dim() == 4:
                nn.init.kaiming_normal_(value, LEAKY_SLOPE)
        with torch.no_grad():
            for layer in (*self.layers, self.coarse[-1]):
                layer.weight *= 0.3  # each adds to what came before

    def forward(
        self, draft: Tensor, features: Tensor, periodicity: Tensor, noise: Tensor
    ) -> Tensor:
        """Refine a draft (B, 300 T) by what the network sees in its spectra."""
        with torch.autocast(draft.device.type, enabled=False):
            spectra = spectrum(draft, self.window)
            # Mirrored, the noise is another one: the draft's own texture was drawn from it.
            drawn = spectrum(noise, self.window).flip(-1) / MEAN_MAGNITUDE
            shown = _shown(spectra, drawn, periodicity)
        hints = self.hints(features).unflatten(-1, (HINTS, -1)).transpose(1, 2)
        hints = hints.repeat_interleave(HINT_BINS, dim=-1)[..., :BINS]
        x = torch.cat([shown, hints.to(shown.dtype)], dim=1)
        # In training so many threads as that has.
        with on_threads(torch.get_num_threads() if self.training else CONVOLUTION_THREADS):
            x = self._convolved(x.contiguous(memory_format=torch.channels_last))
        gain, turn, added = self.leave(x).float().unbind(1)
        with torch.autocast(draft.device.type, enabled=False):
            size = modulus(spectra)
            whole = torch.complex(torch.ones_like(turn), turn) * unit(spectra) + added * drawn
            refined = size * (MAX_LOG_GAIN * torch.tanh(gain / MAX_LOG_GAIN)).exp() * whole
            return waveform(refined, self.window)

    def _convolved(self, x: Tensor) -> Tensor:
        """Convolve up to the last layer, (B, C, T, 601)."""
        x = self.enter(x)
        for number, layer in enumerate(self.layers):
            x = x + layer(functional.leaky_relu(x, LEAKY_SLOPE))
            if number == BRANCH:
                x = x + self._wide(x)
        return functional.leaky_relu(x, LEAKY_SLOPE)

    def _wide(self, x: Tensor) -> Tensor:
        """Return the coarse path's share of (B, C, T, 601)."""
        y = functional.avg_pool2d(x, (1, COARSE_BINS), ceil_mode=True)
        for layer in self.coarse:
            y = layer(functional.leaky_relu(y, LEAKY_SLOPE))
        y = y.repeat_interleave(COARSE_BINS, dim=-1)[..., :BINS]
        return y.contiguous(memory_format=torch.channels_last)


def _shown(spectra: Tensor, drawn: Tensor, periodicity: Tensor) -> Tensor:
    """Return what the network is shown of a sound, (B, SHOWN_CHANNELS, T, 601).

    The texture of the log magnitudes and its square, the log magnitudes, the turns from frame to
    frame and from bin to bin, the noise, periodicity, and the bins' heights.
    """
    logs = (modulus(spectra) + 1e-4).log()
    texture = local_contrast(logs)
    direction = unit(spectra)
    bins = torch.arange(BINS, device=logs.device)
    # A steady sine of a bin's own frequency turns by this much in a hop: by quarters of a circle.
    quarters = torch.tensor([1, -1j, -1, 1j], dtype=spectra.dtype, device=logs.device)
    along = functional.pad(
        direction[:, 1:] * direction[:, :-1].conj() * quarters[bins % 4], (0, 0, 1, 0)
    )
    across = functional.pad(direction[..., 1:] * direction[..., :-1].conj() * -1, (1, 0))
    height = torch.linspace(-1.0, 1.0, BINS, device=logs.device).expand_as(logs)
    shown = [
        texture,
        texture.square() - 0.3,
        (logs - CENTRE) / SPREAD,
        along.real,
        along.imag,
        across.real,
        drawn.real,
        drawn.imag,
        periodicity,
        height,
    ]
    return torch.stack(shown, dim=1)


class ConvNeXtBlock(nn.Module):
    """x + scale * W2 gelu(W1 norm(depthwise x)), all (B, T, C) -> (B, T, C)."""

    def __init__(self, width: int, hidden: int, kernel: int, scale: float) -> None:
        super().__init__()
        self.mix_time = nn.Conv1d(width, width, kernel, padding=kernel // 2, groups=width)
        self.norm = nn.LayerNorm(width, eps=1e-6)
        self.widen = nn.Linear(width, hidden)
        self.narrow = nn.Linear(hidden, width)
        self.scale = nn.Parameter(torch.full((width,), scale))

    def forward(self, x: Tensor) -> Tensor:
        """Run the block on x (B, T, C)."""
        y = self.mix_time(x.transpose(1, 2)).transpose(1, 2)  # B, T, C
        y = self.narrow(nn.functional.gelu(self.widen(self.norm(y))))
        return x + self.scale * y


class Spectra(NamedTuple):
    """The network's output for a mel's frames.

    ``magnitude`` (B, T, 601); ``cosine`` and ``sine`` of the phase, alike; ``pitch``
    (B, T, classes + 1), the logits of the classes of pitch, or None without them; ``periodicity``
    (B, T, 601), how far harmonics stand out, from 0 to 1; ``features`` (B, T, width), from which
    all that came.
    """

    magnitude: Tensor
    cosine: Tensor
    sine: Tensor
    pitch: Tensor | None
    periodicity: Tensor
    features: Tensor

    @property
    def phase(self) -> Tensor:
        """Complex, of modulus one."""
        return torch.complex(self.cosine, self.sine)


class SpectralVocoder(nn.Module):
    """Log10 mel (B, T, 80) -> samples (B, 300 T) at 24 kHz; 3.8 M parameters by default.

    The arguments are the configuration: ``mel_updates`` multiplicative updates of the magnitudes,
    then ``iterations`` Griffin-Lim steps with ``momentum``, in which the magnitudes go by
    ``relaxation`` (0: not at all; 1: all the way) towards those of a real sound, and back to the
    mel. Between the two frequencies of ``texture``, Hz, the share of drawn noise rises from none to
    all that isn't periodic; the noise follows the pulses of the voice with the exponent ``pulses``
    (0: it is steady). None of these has parameters, so they can be changed for weights that
    are trained. With ``pitches``, harmonics are drawn by so many classes of pitch
    (``a3t.vocoder.texture``); with ``refined``, a network of so many channels goes over the result
    (``a3t.vocoder.builtin``).
    """

    mean: Tensor
    std: Tensor
    window: Tensor
    filters: Tensor
    pulse_band: Tensor

    def __init__(
        self,
        width: int = 256,
        hidden: int = 768,
        blocks: int = 8,
        kernel: int = 7,
        mel_updates: int = 4,
        iterations: int = 16,
        momentum: float = 0.9,
        relaxation: float = 0.85,
        pitches: int = 0,
        texture: Sequence[float] | None = None,
        pulses: float = 0.0,
        refined: int = 0,
        pulse_phases: float = 0.0,
    ) -> None:
        super().__init__()
        self.pulse_phases = pulse_phases
        self.mel_updates = mel_updates
        self.iterations = iterations
        self.momentum = momentum
        self.relaxation = relaxation
        self.texture = (texture[0], texture[1]) if texture else None
        self.pulses = pulses
        self.kernel = kernel
        self.embed = nn.Conv1d(MELS, width, kernel, padding=kernel // 2)
        self.norm_in = nn.LayerNorm(width, eps=1e-6)
        self.blocks = nn.ModuleList(
            ConvNeXtBlock(width, hidden, kernel, 1.0 / blocks) for _ in range(blocks)
        )
        self.norm_out = nn.LayerNorm(width, eps=1e-6)
        self.head = nn.Linear(width, 3 * BINS)  # log magnitude, and a phase as a direction
        self.harmonics = Harmonics(width, pitches) if pitches else None
        self.refinement: Refinement | None = None
        self.register_buffer("mean", torch.zeros(MELS))
        self.register_buffer("std", torch.ones(MELS))
        self.register_buffer("window", torch.hann_window(MEL_WINDOW_SAMPLES), persistent=False)
        self.register_buffer("filters", mel_filters_at_bins(), persistent=False)
        self.register_buffer("pulse_band", pulse_band(), persistent=False)
        self.apply(_initialise)
        # Speech is quiet: start near its mean level, not at magnitude one.
        nn.init.constant_(self.head.bias[:BINS], -3.0)
        if self.harmonics is not None:
            self.harmonics.begin_silent()
        if refined:
            self.refinement = Refinement(width, refined)

    @property
    def receptive_frames(self) -> int:
        """Frames on either side that a frame's samples depend on."""
        network = (1 + len(self.blocks)) * (self.kernel // 2)
        drawn = PULSE_REACH_FRAMES + SHARED_FRAMES if self.texture and self.pulses else 0
        refined = REFINED_FRAMES if self.refinement is not None else 0
        pulses = PULSES_REACH + SHARED_FRAMES if self.pulse_phases else 0
        return network + pulses + drawn + SHARED_FRAMES + SHARED_FRAMES * self.iterations + refined

    def spectra(self, mel: Tensor) -> Spectra:
        """Predict magnitude and phase of each frame of a mel (B, T, 80), which don't agree yet."""
        x = (mel - self.mean) / self.std  # B, T, 80
        x = self.norm_in(self.embed(x.transpose(1, 2)).transpose(1, 2))  # B, T, C
        for block in self.blocks:
            x = block(x)
        x = self.norm_out(x)
        log_magnitude, real, imaginary = self.head(x).float().split(BINS, dim=-1)
        pitch, periodicity = None, torch.zeros_like(log_magnitude)
        if self.harmonics is not None:
            comb, pitch, periodicity = self.harmonics(x)
            log_magnitude = log_magnitude + comb.float()
        magnitude = log_magnitude.clamp(*LOG_MAGNITUDES).exp()
        with torch.autocast(mel.device.type, enabled=False):
            target = torch.pow(10.0, mel)
            magnitude = fit_to_mel(magnitude, target, self.filters, self.mel_updates)
        size = torch.sqrt(real**2 + imaginary**2 + 1e-8)
        return Spectra(magnitude, real / size, imaginary / size, pitch, periodicity.float(), x)

    def settling(self, magnitude: Tensor, mel: Tensor) -> Callable[[Tensor], Tensor] | None:
        """Return the rule by which magnitudes (B, T, 601) give way to those of a sound, or None."""
        if not self.relaxation:
            return None
        kept = magnitude ** (1 - self.relaxation)
        target = torch.pow(10.0, mel)

        def settle(sounding: Tensor) -> Tensor:
            # Never quite 0, where a root has no gradient.
            mixed = kept * (sounding + 1e-6) ** self.relaxation
            return fit_to_mel(mixed, target, self.filters, 1)

        return settle

    def sound(self, magnitude: Tensor, phase: Tensor, mel: Tensor, iterations: int) -> Tensor:
        """Return samples (B, 300 T) of what ``spectra`` gave for the mel, after iterations."""
        settle = self.settling(magnitude, mel)
        return griffin_lim(magnitude, phase, self.window, iterations, self.momentum, settle=settle)

    def forward(
        self,
        mel: Tensor,
        noise: Tensor | None = None,
        refined: Sequence[Span] | None = None,
        pulses: Pulses | None = None,
        first_frame: int = 0,
        pulse_gain: Tensor | None = None,
    ) -> Tensor:
        """Return the samples (B, 300 T) of a mel (B, T, 80).

        ``noise``: white, of power one, (B, 300 T), from which texture is drawn; without it there is
        none. ``refined``: the frames that are refined, all by default. ``pulses``: the voice's; by
        default those that the network hears in the mel, whose first frame is ``first_frame``.
        ``pulse_gain``: (T, 601), by how much their share is multiplied.
        """
        estimate = self.voiced(self.spectra(mel), pulses, first_frame, pulse_gain)
        return self.textured_sound(estimate, mel, noise, refined)

    def voiced(
        self,
        estimate: Spectra,
        pulses: Pulses | None = None,
        first_frame: int = 0,
        pulse_gain: Tensor | None = None,
    ) -> Spectra:
        """Return the spectra with the phases of ``pulses`` in their share.

        By default these are the pulses that the network hears.
        """
        if not self.pulse_phases or estimate.pitch is None:
            return estimate
        if pulses is None:
            pulses = pulses_of(likely_pitch(estimate.pitch.detach()), first_frame)
        share: float | Tensor = self.pulse_phases
        if pulse_gain is not None:
            share = (share * pulse_gain).clamp(max=1.0)
        mixed = with_pulses(estimate.phase, estimate.magnitude, pulses, share, self.window)
        return estimate._replace(cosine=mixed.real, sine=mixed.imag)

    def textured_sound(
        self,
        estimate: Spectra,
        mel: Tensor,
        noise: Tensor | None,
        refined: Sequence[Span] | None = None,
    ) -> Tensor:
        """Iterate and refine what ``spectra`` gave for the mel: samples (B, 300 T)."""
        magnitude, phase = estimate.magnitude, estimate.phase
        if self.texture and noise is not None:
            if self.pulses:
                with torch.no_grad():
                    draft = waveform(magnitude * phase * self.pulse_band, self.window)
                    noise = pulsed(noise, draft, self.pulses)
            share = aperiodicity(estimate.periodicity, self.texture)
            factors = textured(phase, share, spectrum(noise, self.window))
            magnitude, phase = magnitude * modulus(factors), unit(factors)
        draft = self.sound(magnitude, phase, mel, self.iterations)
        if self.refinement is None or noise is None:
            return draft
        if refined is None:
            return self.refinement(draft, estimate.features, estimate.periodicity, noise)
        frames, sound = mel.shape[1], draft.clone()
        for first, last in refined:
            begin, end = max(first - REFINED_FRAMES, 0), min(last + REFINED_FRAMES, frames)
            samples = slice(begin * HOP, end * HOP)
            finished = self.refinement(
                draft[:, samples],
                estimate.features[:, begin:end],
                estimate.periodicity[:, begin:end],
                noise[:, samples],
            )
            inner = slice((first - begin) * HOP, (last - begin) * HOP)
            sound[:, first * HOP : last * HOP] = finished[:, inner]
        return sound


def _initialise(module: nn.Module) -> None:
    if isinstance(module, nn.Conv1d | nn.Linear):
        nn.init.trunc_normal_(module.weight, std=0.02)
        if module.bias is not None:
            nn.init.zeros_(module.bias)


def mel_filters_at_bins() -> Tensor:
    """Return the mel filters for spectra of 601 bins, (80, 601).

    The mel is defined on 1025 bins; magnitudes there are read off the 601 by straight lines.
    """
    fine = N_FFT // 2 + 1
    place = torch.arange(fine) * (BINS - 1) / (fine - 1)
    below = place.floor().long().clamp(max=BINS - 2)
    share = place - below
    lines = torch.zeros(fine, BINS)
    lines[torch.arange(fine), below] = 1 - share
    lines[torch.arange(fine), below + 1] += share
    return mel_filters() @ lines


def fit_to_mel(magnitude: Tensor, target: Tensor, filters: Tensor, updates: int) -> Tensor:
    """Move magnitudes (B, T, 601) towards a mel (B, T, 80), not its log; ``filters`` (80, 601).

    A network blurs: its magnitudes say where the harmonics are, but have not quite the mel that was
    asked for. A few multiplicative updates of non-negative matrix factorisation (Lee and Seung
    2001, for the Kullback-Leibler distance, with the filters held fixed) repair that and keep the
    fine structure. They are frame by frame, differentiable, and cost next to nothing.

    Bins that no filter reaches (above 7600 Hz) stay as they are.
    """
    reach = filters.sum(0)  # 601
    inside = reach > 1e-5
    back = torch.where(inside, filters / reach.clamp(min=1e-5), 0.0)
    outside = (~inside).to(magnitude.dtype)
    for _ in range(updates):
        ratio = target / (magnitude @ filters.T + 1e-8)
        magnitude = magnitude * (ratio @ back + outside)
    return magnitude


class BuiltinVocoder:
    """A ``SpectralVocoder`` with its weights' name and sha256."""

    def __init__(
        self,
        model: SpectralVocoder,
        name: str = "builtin",
        sha256: str | None = None,
        device: str = "cpu",
    ) -> None:
        self.name = name
        self.sha256 = sha256
        self.model = model.to(device).eval()
        self._device = torch.device(device)

    @classmethod
    def load(
        cls, folder: Path | str, name: str | None = None, device: str = "cpu"
    ) -> BuiltinVocoder:
        """Read config.yaml and model.safetensors; InputError if they don't fit together."""
        from a3t.pretrained import load_checkpoint  # training needs no safetensors

        folder = Path(folder)
        config, tensors, sha256 = load_checkpoint(folder)
        settings = config.get("vocoder")
        if not isinstance(settings, dict):
            raise InputError(f"{folder}/config.yaml has no vocoder: it is not a vocoder's folder.")
        try:
            model = SpectralVocoder(**settings)
            model.load_state_dict({key: value.float() for key, value in tensors.items()})
        except (TypeError, RuntimeError) as error:
            first = str(error).splitlines()[0]
            raise InputError(f"The weights in {folder} are not this vocoder's: {first}") from None
        return cls(model, name or folder.name, sha256, device)

    @property
    def receptive_frames(self) -> int:
        """Frames on either side that a frame's samples depend on."""
        return self.model.receptive_frames

    @torch.inference_mode()
    def __call__(
        self,
        mel: Tensor,
        first_frame: int = 0,
        seed: int = 0,
        finished: Sequence[Span] | None = None,
        pulse_gain: Tensor | None = None,
    ) -> Tensor:
        """Turn a mel (T, 80) into samples (300 T,), as `Vocoder` has it."""
        mel = check_mel(mel.detach())
        if pulse_gain is not None:
            pulse_gain = pulse_gain.to(self._device)
        noise = torch.from_numpy(placed_normal(seed, first_frame, len(mel), HOP)).float()
        mel, noise = mel.to(self._device), noise.flatten().to(self._device)
        sound = self.model(mel[None], noise[None], finished, None, first_frame, pulse_gain)
        return sound[0].cpu().clone()
