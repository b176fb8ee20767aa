"""PocketSphinx's own opinion: what it hears without the text, against what the text says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from alignment.aligners.decoder import DecodedPhone
from alignment.confidence.scores import logistic

# A word's confidence: logistic in its distance, fitted to planted errors.
WORD_OFFSET = 2.26
WORD_DISTANCE = 0.078


@dataclass(frozen=True, slots=True)
class Evidence:
    """Of `frames` frames: the mean score above the loop's, and the share in which both agree."""

    frames: int
    distance: float
    agreement: float


class PhoneLoop:
    """What the phone loop heard, frame by frame."""

    def __init__(self, loop: Sequence[DecodedPhone]) -> None:
        frames = max((phone.start + phone.frames for phone in loop), default=0)
        self._scores = np.zeros(frames)
        self._symbols = np.full(frames, "", dtype="U5")
        for phone in loop:
            inside = slice(phone.start, phone.start + phone.frames)
            self._scores[inside] = phone.score / phone.frames
            self._symbols[inside] = phone.symbol

    def evidence(self, phones: Sequence[DecodedPhone]) -> Evidence:
        """For phones that the text has, together."""
        frames = sum(phone.frames for phone in phones)
        distance = agreeing = 0.0
        for phone in phones:
            inside = slice(phone.start, phone.start + phone.frames)
            distance += phone.score - self._scores[inside].sum()
            agreeing += np.count_nonzero(self._symbols[inside] == phone.symbol)
        return Evidence(frames, distance / frames, agreeing / frames)

    def silence(self, start: int, stop: int) -> float:
        """Share of the frames [start, stop) in which no speech is heard."""
        quiet = np.isin(self._symbols[start:stop], ("SIL", "+NSN+", "+SPN+", ""))
        return float(quiet.mean()) if len(quiet) else 1.0


def word_score(part: Evidence) -> float:
    """Confidence 0..1 in a word or a phone; below 0.5 it is doubtful."""
    return logistic(WORD_OFFSET + WORD_DISTANCE * part.distance)
