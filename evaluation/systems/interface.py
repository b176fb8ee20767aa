"""The input and output of every system, whether it edits, reconstructs or speaks.

The three tasks are one: a recording's mel with a gap in it, the phones of the whole sentence, and
how many frames each of them has. Identity reconstruction hides the gap's true frames; an edit has
new phones there; speech by a prompt has all of its phones in a gap at the end (thesis, sections
4.3.5 and 4.3.6). N frames, P phones.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from a3t.errors import InputError
from a3t.grid import SAMPLE_RATE
from evaluation.metrics import speaker_embedding

Mel = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Sound = npt.NDArray[np.float32]
Range = tuple[int, int]  # [first, last)

VOICE_SECONDS = 8.0  # of a recording that the speaker embedding is taken from


@dataclass(frozen=True)
class Gap:
    """A mel with a gap to fill, and the phones of the sentence with their durations."""

    mel: Mel  # (N, 80) log10, zeros in the gap
    phones: Ints  # (P,) ids
    durations: Ints  # (P,) frames, in total at most N
    frame_span: Range  # the masked frames, [first, last)
    words: Ints  # (P,) each phone's word, -1 for a pause
    sound: Sound = field(default_factory=lambda: np.zeros(0, np.float32))
    """The recording at 24 kHz without what is hidden, (n,): whose voice it is."""
    clip: str = ""

    @property
    def visible(self) -> Mel:
        """The frames outside the gap, (N - gap, 80)."""
        first, last = self.frame_span
        return np.concatenate([self.mel[:first], self.mel[last:]])

    @property
    def length(self) -> int:
        """Frames of the gap."""
        return self.frame_span[1] - self.frame_span[0]

    @cached_property
    def frame_phone(self) -> Ints:
        """(N,) the index of each frame's phone, -1 behind the last one."""
        owner = np.repeat(np.arange(len(self.phones)), self.durations)
        result = np.full(len(self.mel), -1, dtype=np.int64)
        result[: len(owner)] = owner
        return result

    @property
    def phone_span(self) -> Range:
        """The phones that have frames in the gap, [first, last)."""
        inside = self.frame_phone[slice(*self.frame_span)]
        inside = inside[inside >= 0]
        return (int(inside[0]), int(inside[-1]) + 1) if len(inside) else (0, 0)

    @cached_property
    def voice(self) -> npt.NDArray[np.float32]:
        """The speaker embedding (256,) of what is visible; zeros if there is no speech in it."""
        return voice_vector(self.sound)


def voice_vector(sound: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """Embed the speaker, (256,), of a recording's first seconds at 24 kHz; zeros for silence.

    It has an x-vector's part (Snyder et al. 2018), by Resemblyzer's encoder (Wan et al. 2018).
    """
    samples = np.asarray(sound)[: round(VOICE_SECONDS * SAMPLE_RATE)]
    try:
        return speaker_embedding(samples, SAMPLE_RATE).astype(np.float32)
    except InputError:
        if len(samples) and samples.any():
            raise
        return np.zeros(256, np.float32)


@dataclass(frozen=True)
class Output:
    """A gap filled by a system: the mel of the whole clip (N, 80).

    region: the frames of the output that fill the gap. made: those that are the system's, at least
    the region; outside of them the recording remains.
    """

    region: Range
    made: Range
    mel: Mel


class System(ABC):
    """A system: it fills a gap, given the rest of the mel, the phones and their durations."""

    name: str

    @abstractmethod
    def fill(self, gap: Gap) -> Mel:
        """Fill the gap's frames, (last - first, 80)."""

    def output(self, gap: Gap) -> Output:
        """Return the clip with the gap filled; InputError if the filled frames are not as many."""
        first, last = gap.frame_span
        filled = np.asarray(self.fill(gap), dtype=np.float32)
        if filled.shape != (last - first, gap.mel.shape[1]) or not np.isfinite(filled).all():
            raise InputError(
                f"{gap.clip}: {self.name} gave {filled.shape} for a gap of {last - first} frames,"
                " or values that are not finite."
            )
        return Output(
            gap.frame_span,
            gap.frame_span,
            np.concatenate([gap.mel[:first], filled, gap.mel[last:]]),
        )
