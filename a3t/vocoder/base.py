"""The interface of vocoders, and what can be done with any of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from a3t.audio.analysis.mel import MELS
from a3t.errors import InputError
from a3t.grid import HOP
from a3t.spans import Span


class Vocoder(Protocol):
    """Mel to waveform, frame by frame on the one grid.

    ``name`` is what the edit's record says; ``sha256`` that of the weights, None where there are
    none; ``receptive_frames`` how many frames on either side of a frame its samples depend on.
    """

    name: str
    sha256: str | None

    @property
    def receptive_frames(self) -> int:
        """Frames on either side that a frame's samples depend on."""
        ...

    def __call__(
        self,
        mel: Tensor,
        first_frame: int = 0,
        seed: int = 0,
        finished: Sequence[Span] | None = None,
        pulse_gain: Tensor | None = None,
    ) -> Tensor:
        """Make samples (300 T,) float32 at 24 kHz, on the CPU, of a log10 mel (T, 80) float32.

        ``first_frame`` is the place of the mel's first frame in the whole: a vocoder that needs
        noise draws it by ``seed`` and place, so that a part sounds as it does within the whole.
        Outside the frames ``finished``, if they are named, it may return a draft, which is cheaper.
        ``pulse_gain`` (`a3t.vocoder.pulses`) is of no consequence where pulses aren't made.
        Raises InputError for a mel that is empty, of another width or not finite.
        """
        ...


def check_mel(mel: Tensor) -> Tensor:
    """Return the mel (T, 80) as float32, or raise InputError saying what is wrong with it."""
    if mel.dim() != 2 or mel.shape[1] != MELS:
        raise InputError(
            f"A mel has the shape (frames, {MELS}), not {tuple(mel.shape)}; "
            "use a3t.audio.analysis.mel.log_mel to make one."
        )
    if mel.shape[0] == 0:
        raise InputError("The mel is empty: there is nothing to turn into sound.")
    if not bool(torch.isfinite(mel).all()):
        raise InputError("The mel holds values that are not finite (NaN or infinity).")
    return mel.float()


def vocode_span(vocoder: Vocoder, mel: Tensor, first: int, last: int, seed: int = 0) -> Tensor:
    """Return samples (300 (last - first),) of frames [first, last) of the mel (T, 80).

    Only these frames and the vocoder's receptive context are computed; the samples equal those of
    vocoding the whole. Raises InputError if the span is empty or reaches outside the mel.
    """
    frames = len(mel)
    if not 0 <= first < last <= frames:
        raise InputError(f"The span [{first}, {last}) is not inside the mel of {frames} frames.")
    begin = max(0, first - vocoder.receptive_frames)
    end = min(frames, last + vocoder.receptive_frames)
    samples = vocoder(mel[begin:end], begin, seed)
    return samples[(first - begin) * HOP : (last - begin) * HOP]


def placed_uniform(seed: int, first_row: int, rows: int, width: int) -> np.ndarray:
    """Draw numbers in [0, 1), (rows, width), that depend on the seed and the row's place only.

    Rows [2, 5) of a draw from row 0 are the rows of a draw from row 2: what a vocoder needs whose
    noise must not change with the span. Philox is a counter, so any row can be reached at once.
    """
    blocks = -(-width // 4)  # Philox makes four numbers at a time
    generator = np.random.Philox(key=seed)
    generator.advance(first_row * blocks)
    values = np.random.Generator(generator).random((rows, blocks * 4))
    return values[:, :width]


def placed_normal(seed: int, first_row: int, rows: int, width: int) -> np.ndarray:
    """Draw normal noise like `placed_uniform`, with deviation one (Box and Muller 1958)."""
    values = placed_uniform(seed, first_row, rows, 2 * width)
    radius = np.sqrt(-2.0 * np.log1p(-values[:, :width]))
    return np.asarray(radius * np.cos(2 * np.pi * values[:, width:]))
