"""Masking of phones: spans drawn so that every place is as likely as any other.

In the first implementation's code, masked and unmasked spans alternate, beginning with an unmasked
one, so that the first phone is never masked and the last always; but people edit beginnings and
endings as well.

Filling masked mel at inference: one pass, or piece by piece where the mask is long.

N frames, L phones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from a3t.model.conformer import Batch
from a3t.text.phones import PAUSE_ID

ONE_PASS_FRAMES = 320  # masked frames filled at once, 4 s: about the longest that training masks
PIECE_FRAMES = 200  # masked frames of a piece of a longer mask
PROMPT_FRAMES = 600  # frames of the recording's own speech that every piece hears …
RECENT_FRAMES = 60  # … frames of the piece before, for continuity …
AHEAD_FRAMES = 40  # … and masked frames after it, filled again with the next piece


class Filler(Protocol):
    """A network that fills masked mel; `a3t.model.a3t.A3T` is the shipped one."""

    def fill(self, batch: Batch) -> Tensor:
        """Return the mel (B, T, 80), its masked frames filled and all others as they were.

        The mel is log10, 80 bins, on the one grid; frame and phone numbers are those of `Batch`.
        """
        ...


@dataclass(frozen=True)
class MaskedMel:
    """A mel with masked frames, and whose phone each frame is."""

    mel: Tensor  # (N, 80) log10; masked frames may hold anything
    masked: np.ndarray  # (N,) bool
    phones: Sequence[int]  # (L,) ids
    phone_of_frame: np.ndarray  # (N,) rising indices into phones
    rise: np.ndarray | None = None  # (N,) octaves added to the predicted pitch

    def batch(self, frames: np.ndarray) -> Batch:
        """Return these frames (rising indices) and their phones, as a batch of one."""
        phone_numbers = self.phone_of_frame[frames]
        kept, place = np.unique(phone_numbers, return_inverse=True)
        ids = [self.phones[k] for k in kept]
        return Batch(
            mel=self.mel[frames][None],
            masked=torch.from_numpy(self.masked[frames])[None],
            phones=torch.tensor([ids]),
            frame_phone=torch.from_numpy(place.astype(np.int64))[None],
            frames=torch.tensor([len(frames)]),
            phone_count=torch.tensor([len(kept)]),
            rise=None if self.rise is None else torch.from_numpy(self.rise[frames]).float()[None],
        )


def fill(model: Filler, item: MaskedMel) -> Tensor:
    """Return the mel (N, 80), its masked frames filled and all others as they were."""
    *_, (_, filled) = fill_in_pieces(model, item)
    return filled


def fill_in_pieces(model: Filler, item: MaskedMel) -> Iterator[tuple[int, Tensor]]:
    """Fill piece by piece: yield the frame up to which all is filled, and the mel so far."""
    everything = np.arange(len(item.masked))
    if item.masked.sum() <= ONE_PASS_FRAMES:
        yield len(everything), model.fill(item.batch(everything))[0].cpu()
        return

    mel, masked = item.mel.clone(), item.masked.copy()
    recorded = ~item.masked
    while masked.any():
        work = replace(item, mel=mel, masked=masked)
        todo = np.flatnonzero(masked)
        last = _piece_end(item, todo)
        piece = todo[todo < last]
        chosen = np.zeros(len(masked), bool)
        chosen[piece] = True
        chosen[todo[todo >= last][:AHEAD_FRAMES]] = True
        chosen[np.flatnonzero(~masked[: piece[0]])[-RECENT_FRAMES:]] = True
        # The own speech nearest to the piece, on both sides of it where there is some.
        distance = np.where(recorded, np.abs(everything - piece[0]), len(recorded) * 2)
        chosen[np.argsort(distance, kind="stable")[: min(PROMPT_FRAMES, int(recorded.sum()))]] = (
            True
        )
        frames = np.flatnonzero(chosen)
        filled = model.fill(work.batch(frames))[0].cpu()
        done = np.isin(frames, piece)
        mel[frames[done]] = filled[done]
        masked[piece] = False
        yield last, mel


def _piece_end(item: MaskedMel, todo: np.ndarray) -> int:
    """Return the frame where a piece stops that begins with the first masked frame.

    It stops after a pause in its second half if there is one, or at the last phone's end.
    """
    if len(todo) <= PIECE_FRAMES + AHEAD_FRAMES:
        return int(todo[-1]) + 1
    last = int(todo[PIECE_FRAMES])
    of_frame = item.phone_of_frame[todo[0] : last + 1]
    before = todo[0] + np.flatnonzero(np.diff(of_frame)) + 1
    if not len(before):
        return last
    ends_pause = np.array([item.phones[item.phone_of_frame[k - 1]] == PAUSE_ID for k in before])
    rested = before[ends_pause & (before > todo[PIECE_FRAMES // 2])]
    return int(rested[-1] if len(rested) else before[-1])


def random_spans(count: int, masked: int, spans: int, rng: np.random.Generator) -> np.ndarray:
    """Draw exactly ``masked`` of ``count`` places, in ``spans`` runs where that many fit.

    The runs' lengths and the gaps between them are uniform random compositions; a gap before the
    first or after the last run may be empty. (count,) bool.
    """
    masked = min(max(masked, 1), count)
    spans = max(1, min(spans, masked, count - masked + 1))
    lengths = _composition(masked, spans, rng)
    # Inner gaps hold at least one place, the outer two may be empty: add one, compose, take it off.
    gaps = _composition(count - masked + 2, spans + 1, rng)
    gaps[0] -= 1
    gaps[-1] -= 1
    result = np.zeros(count, dtype=bool)
    place = 0
    for gap, length in zip(gaps, lengths, strict=False):
        result[place + gap : place + gap + length] = True
        place += gap + length
    return result


def _composition(total: int, parts: int, rng: np.random.Generator) -> np.ndarray:
    """Return a uniform random way to write ``total`` as ``parts`` positive summands."""
    cuts = np.sort(rng.choice(total - 1, parts - 1, replace=False)) + 1
    return np.diff(np.concatenate([[0], cuts, [total]]))


@dataclass(frozen=True)
class EditMasking:
    """Masks as the editor makes them: some words, several spans, or a whole target.

    Args:
        words: share of clips in which one run of whole words is masked.
        most_words: its greatest length.
        target: share in which all but a prompt at one side is masked, as prompt-based TTS does.
            The rest are random spans, ``ratio`` drawn from its range.
        ratio: range of the masked share of phones.
        mean_span: mean length of the random spans, in phones.
    """

    words: float = 0.45
    most_words: int = 8
    target: float = 0.2
    ratio: tuple[float, float] = (0.2, 0.8)
    mean_span: float = 8.0

    def draw(self, words: Sequence[int] | np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Draw the masked phones, (L,) bool, by the word of each, (L,), -1 for a pause."""
        kind = rng.random()
        index = np.asarray(words)
        if kind < self.words and (index >= 0).any():
            return self._word_run(index, rng)
        masked = max(1, round(rng.uniform(*self.ratio) * len(index)))
        if kind < self.words + self.target:
            result = np.zeros(len(index), dtype=bool)
            if rng.random() < 0.7:
                result[-masked:] = True
            else:
                result[:masked] = True
            return result
        return random_spans(len(index), masked, round(masked / self.mean_span), rng)

    def _word_run(self, index: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        spoken = np.unique(index[index >= 0])
        # Half the clip at most: without surroundings there is no voice to continue.
        longest = max(1, min(self.most_words, len(spoken) // 2))
        length = int(rng.integers(1, longest + 1))
        first = int(rng.integers(0, len(spoken) - length + 1))
        inside = np.flatnonzero((index >= spoken[first]) & (index <= spoken[first + length - 1]))
        result = np.zeros(len(index), dtype=bool)
        result[inside[0] : inside[-1] + 1] = True  # the pauses between the words as well
        return result
