"""Masking of phones: spans drawn so that every place is as likely as any other.

In the first implementation's code, masked and unmasked spans alternate, beginning with an unmasked
one, so that the first phone is never masked and the last always; but people edit beginnings and
endings as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


def random_spans(count: int, masked: int, spans: int, rng: np.random.Generator) -> np.ndarray:
    """Exactly ``masked`` of ``count`` places, in exactly ``spans`` runs where that many fit.

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
    """A uniform random way to write ``total`` as ``parts`` positive summands."""
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
        """``words`` (L,) word of each phone, -1 for a pause -> (L,) bool, True where masked."""
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
