"""A3T's Post-Net (thesis, section 4.3.4), and two post-filters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from a3t.audio.analysis.mel import bin_centres
from a3t.model.conformer import Batch, Layout, MaskedBatchNorm
from a3t.model.variance.adaptors import frame_energy
from a3t.text.phones import PHONES, is_vowel

# Hz at which the strengths of the first post-filter are given; between them they go evenly.
STRENGTHS_AT_HZ = (200.0, 500.0, 1000.0, 1500.0, 2000.0, 3000.0, 4500.0, 6000.0, 7300.0)
STEADY_FROM_HZ = (5500.0, 7300.0)  # Hz, between which the detail begins to be steadied
CLASSES = {
    "liquid": "L R W Y",
    "nasal": "M N NG",
    "stop": "P T K B D G",
    "fricative": "CH JH S Z SH ZH F TH HH V DH",
}
VOWEL, PAUSED = "vowel", "pause"  # the class of all other phones


class PostNet(nn.Module):
    """Five convolutions that refine the filled mel, (B, T, 80) -> (B, T, 80) (section 4.3.4)."""

    def __init__(self, mels: int, channels: int, kernel: int, layers: int, dropout: float) -> None:
        super().__init__()
        sizes = [mels] + [channels] * (layers - 1) + [mels]
        self.convolutions = nn.ModuleList(
            nn.Conv1d(a, b, kernel, padding=kernel // 2, bias=False)
            for a, b in zip(sizes, sizes[1:], strict=False)
        )
        self.norms = nn.ModuleList(MaskedBatchNorm(size) for size in sizes[1:])
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, frames: Layout) -> Tensor:
        """Correct x (B, T, 80) by convolutions over its frames."""
        last = len(self.norms) - 1
        for i, (conv, norm) in enumerate(zip(self.convolutions, self.norms, strict=True)):
            assert isinstance(conv, nn.Conv1d)
            x = norm(frames.convolve(conv, x), frames.valid)
            x = self.dropout(x if i == last else torch.tanh(x))
        return x


class PostFilter(nn.Module):
    """The last steps on a filled mel: `widened`, then `sharpened`.

    Args:
        spread: of `widened`.
        sharpen: strengths of `sharpened`: one number, or for each class of phones ("vowel",
            "pause" and those of ``CLASSES``) those at the frequencies ``STRENGTHS_AT_HZ``.
        steady: of `sharpened`.
    """

    def __init__(
        self, spread: float, sharpen: float | Mapping[str, Sequence[float]], steady: float
    ) -> None:
        super().__init__()
        self.spread, self.steady = spread, steady
        self.strength = None if isinstance(sharpen, Mapping) else sharpen
        self.idle = spread == 1.0 and not sharpen
        self.strengths: Tensor  # (73, 80), of each phone
        if isinstance(sharpen, Mapping):
            hertz, at = np.log(bin_centres()), np.log(STRENGTHS_AT_HZ)
            rows = [np.interp(hertz, at, sharpen[phone_class(phone)]) for phone in PHONES]
            strengths = torch.from_numpy(np.stack(rows)).float().to(torch.get_default_device())
            self.register_buffer("strengths", strengths, persistent=False)

    def forward(self, mel: Tensor, batch: Batch) -> Tensor:
        """Widen and sharpen the filled frames of a mel (B, T, 80)."""
        wide = widened(mel, batch.masked, self.spread) if self.spread != 1.0 else mel
        if self.strength is not None:
            return sharpened(wide, self.strength, self.steady) if self.strength else wide
        phones = batch.phones.gather(1, batch.frame_phone.clamp(min=0))
        return sharpened(wide, self.strengths[phones], self.steady)


def phone_class(symbol: str) -> str:
    """Return a class of phones whose fills are alike: `VOWEL`, one of `CLASSES`, or `PAUSED`."""
    if is_vowel(symbol):
        return VOWEL
    return next((name for name, phones in CLASSES.items() if symbol in phones.split()), PAUSED)


def sharpened(mel: Tensor, strength: Tensor | float, steady: float = 0.0) -> Tensor:
    """Deepen the valleys between a log10 mel's peaks (B, T, 80), each frame as loud as before.

    Not in the thesis. What a regression fills is smooth, and statistical synthesis has long
    emphasised formants after the fact: Yoshimura et al. 2005, "Incorporating a mixed excitation
    model and postfilter into HMM-based text-to-speech synthesis". Here the difference from the
    binomial mean of five bins is added once more, ``strength`` times: a number, or (B, T, 80). The
    blur differs: fricatives have it everywhere, vowels only where harmonics aren't predicted.

    ``steady``: how much of the difference in the frames before and after counts at the highest
    frequencies, where what is filled flickers more than any sound under a window of 50 ms can.
    """
    padded = F.pad(mel, (2, 2), mode="replicate")
    shifted = [padded[..., k : k + mel.shape[-1]] for k in range(5)]
    mean = sum(w * bins for w, bins in zip((1, 4, 6, 4, 1), shifted, strict=True)) / 16
    detail = even = mel - mean
    if steady:
        share = np.interp(np.log(bin_centres()), np.log(STEADY_FROM_HZ), (0.0, steady))
        beside = torch.from_numpy(share).to(mel)
        before, after = detail[:, :1], detail[:, -1:]
        around = torch.cat([before, detail[:, :-1]], 1) + torch.cat([detail[:, 1:], after], 1)
        even = (detail + beside * around) / (1 + 2 * beside)
    sharp = mel - detail + (1 + strength) * even
    return sharp + (frame_energy(mel) - frame_energy(sharp))[..., None]


def widened(mel: Tensor, masked: Tensor, factor: float) -> Tensor:
    """Widen each bin's distances from its mean over the masked frames by ``factor``.

    mel (B, T, 80) log10, masked (B, T). Not in the thesis. A regression's spectra vary too little
    from frame to frame as well. Synthesis by statistics gives its trajectories their variance back:
    Toda and Tokuda 2007, "A speech parameter generation algorithm considering global variance for
    HMM-based speech synthesis".
    """
    inside = masked[..., None]
    count = inside.sum(1, keepdim=True).clamp(min=1)
    mean = (mel * inside).sum(1, keepdim=True) / count
    return torch.where(inside, mean + factor * (mel - mean), mel)
