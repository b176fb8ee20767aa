"""Where in a recording each word of a transcript with times is spoken, roughly."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

from a3t.text.transcript import Transcript
from alignment.records import Alignment
from alignment.subtitles import TRANSCRIPTS, Cue, read_cues

Times = Sequence[tuple[float, float]]  # seconds [start, end) of each spoken word


def has_times(path: Path) -> bool:
    """Whether a file is a transcript with times: a .srt, .vtt or Whisper's .json."""
    return path.suffix.lower() in TRANSCRIPTS


def times_of(alignment: Alignment) -> Times:
    """Of an alignment's words; these are exact."""
    return [(word.start, word.end) for word in alignment.spoken]


def times_in(path: Path, transcript: Transcript) -> Times | None:
    """Of each word of the transcript, which was read from `path`; None if it has no usable times.

    The letters of a cue are taken to be spoken evenly. Raises AlignmentError if it can't be read.
    """
    cues = [cue for cue in read_cues(path) if cue.text]
    ends = [time for cue in cues for time in (cue.start, cue.end)]
    if not cues or not all(map(math.isfinite, ends)) or sorted(ends) != ends:
        return None
    # The written tokens are the cues' text, sign for sign; only the spaces may have changed.
    tokens = {word.token: _signs(word.written) for word in transcript.words}
    if sum(tokens.values()) != sum(_signs(cue.text) for cue in cues):
        return None
    reached = dict(zip(tokens, accumulate(tokens.values()), strict=True))
    clock = _Clock(cues)
    return [
        (clock.time(reached[word.token] - tokens[word.token]), clock.time(reached[word.token]))
        for word in transcript.words
    ]


def _signs(text: str) -> int:
    return sum(not sign.isspace() for sign in text)


class _Clock:
    """Seconds at each sign of all cues, counted on without the spaces."""

    def __init__(self, cues: Sequence[Cue]) -> None:
        self.cues = cues
        self.reached = list(accumulate((_signs(cue.text) for cue in cues), initial=0))
        self.at = 0

    def time(self, sign: int) -> float:
        """The time before a sign; asked for in rising order, but for one step back."""
        self.at = max(0, self.at - 1)
        while self.at + 1 < len(self.cues) and self.reached[self.at + 1] <= sign:
            self.at += 1
        cue, first = self.cues[self.at], self.reached[self.at]
        share = (sign - first) / (self.reached[self.at + 1] - first)
        return cue.start + min(1.0, share) * (cue.end - cue.start)
