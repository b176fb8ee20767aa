"""Live words: the network recogniser on sound that still arrives.

The network hears small pieces, each with the sound before it and a little of the sound after it;
the search continues with each. The likeliest words are shown at once, and may change; a word is
settled, for good, when it is a while ago or a pause follows. evaluation.hearing.live_words measures
it against the recogniser that hears the whole recording.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from alignment.network.running import RunningScores
from alignment.recognition.beam_search import BeamSearch, Search
from alignment.recognition.network_recogniser import (
    TRACTS,
    RecognisedWord,
    general_model,
    words_of,
)
from alignment.recognition.rescoring import Rescoring
from alignment.recognition.word_network import load_word_network

LATE = 2.0  # seconds


@dataclass(frozen=True, slots=True)
class Pace:
    """Delays before words are shown, in seconds.

    Sound is heard in pieces of `chunk`, a multiple of 0.04, when `ahead` more has come. A word is
    settled when the search is `settled` after its end, or `paused` if nothing was said since; where
    nobody has spoken for `resting`, the search starts again.
    """

    chunk: float = 0.2
    ahead: float = 0.58
    settled: float = 0.8
    paused: float = 0.4
    resting: float = 1.0


@dataclass(frozen=True, slots=True)
class LiveWords:
    """The words that more sound has shown, lower case: those that are `final` since the last time,
    and all after them as they are heard until now; whether a pause follows the final ones."""

    final: tuple[RecognisedWord, ...] = ()
    provisional: tuple[RecognisedWord, ...] = ()
    pause: bool = False


class Scores(Protocol):
    """The network's output for sound as it arrives."""

    def hear(self, samples: np.ndarray, last: bool = False) -> np.ndarray:
        """The scores (T, 40) of what can be told after these samples, T even but for the last."""


class LiveRecogniser:
    """Hears samples as they come, mono, float, (n,), at `sample_rate` Hz, 8 kHz or more; its memory
    does not grow. The words do not depend on how many samples come at once.

    Raises AlignmentError for another rate.
    """

    def __init__(
        self,
        sample_rate: int,
        pace: Pace | None = None,
        scores: Scores | None = None,
        options: Search | None = None,
    ) -> None:
        self.pace, self.sample_rate = pace or Pace(), sample_rate
        self._scores = scores or RunningScores(
            sample_rate, self.pace.chunk, self.pace.ahead, TRACTS
        )
        general, _, tree, ahead = general_model()
        self._words = general.words
        self._beam = BeamSearch(tree, ahead, general, options, keeps_lattice=True)
        self._rescoring = Rescoring(load_word_network(), general)
        self._since = 0.0  # the end of the last word, or where the search began anew, seconds
        self._piece = round(self.pace.chunk * sample_rate)
        self._waiting = np.zeros(0, np.float32)
        self._provisional: tuple[RecognisedWord, ...] = ()
        self._is_late = False

    def hear(self, samples: np.ndarray, behind: float = 0.0) -> LiveWords:
        """The words as they are heard after these samples; `behind`: seconds of sound that have
        come and wait to be heard. From LATE on, words are no longer rescored, until it caught up.
        """
        self._is_late = behind >= LATE
        self._waiting = np.append(self._waiting, samples.astype(np.float32))
        shown = LiveWords(provisional=self._provisional)
        while len(self._waiting) >= self._piece:
            piece, self._waiting = np.split(self._waiting, [self._piece])
            scores = self._scores.hear(piece)
            if len(scores):
                now = self._follow(scores, ended=False)
                shown = LiveWords((*shown.final, *now.final), now.provisional, now.pause)
        return shown

    def end(self) -> LiveWords:
        """The last words: nothing more is said."""
        return self._follow(self._scores.hear(self._waiting, last=True), ended=True)

    def _follow(self, scores: np.ndarray, ended: bool) -> LiveWords:
        beam, pace = self._beam, self.pace
        beam.hear(scores)
        path = beam.path(None if self._is_late else self._rescoring, ended=ended)
        found = beam.found(path)
        now = beam.steps * beam.step_seconds
        quiet = now - (found[-1].end if found else self._since) if beam.is_between else 0.0
        count = len(found)
        if not ended and quiet < pace.paused:
            count = sum(each.end <= now - pace.settled for each in found)
        if count and not ended:
            beam.settle(path[count - 1])
            self._rescoring = self._rescoring.after([each.word for each in found[:count]])
            self._since = found[count - 1].end
        elif quiet >= pace.resting:
            beam.rest()
            self._since = now
        final, self._provisional = (
            tuple(words_of(each, self._words)) for each in (found[:count], found[count:])
        )
        return LiveWords(final, self._provisional, ended or quiet >= pace.paused)
