"""Where in a recording each word of a transcript with times is spoken, roughly."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

from a3t.text.transcript import Transcript
from alignment import Alignment
from alignment.formats.subtitles import TRANSCRIPTS, Cue, read_cues

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
    starts = [cue.start for cue in cues]
    if not cues or not all(map(math.isfinite, starts)) or sorted(starts) != starts:
        return None
    following = [*starts[1:], math.inf]
    cues = [  # one that is still shown with the next one ends where that begins
        Cue(cue.start, max(cue.start, min(cue.end, limit)), cue.text)
        for cue, limit in zip(cues, following, strict=True)
    ]
    # The written tokens are the cues' text, sign for sign; only the spaces may have changed.
    tokens = {word.token: _signs(word.written) for word in transcript.words}
    if not math.isfinite(cues[-1].end) or sum(tokens.values()) != sum(
        _signs(cue.text) for cue in cues
    ):
        return None
    reached = dict(zip(tokens, accumulate(tokens.values()), strict=True))
    signs = list(accumulate((_signs(cue.text) for cue in cues), initial=0))

    def time(sign: int, within: int) -> float:
        """Seconds before a sign, in the cue that holds the sign `within`."""
        k = bisect_right(signs, within) - 1
        share = (sign - signs[k]) / (signs[k + 1] - signs[k])
        return cues[k].start + share * (cues[k].end - cues[k].start)

    result = []
    for word in transcript.words:
        last = reached[word.token]
        first = last - tokens[word.token]
        result.append((time(first, first), time(last, last - 1)))
    return result


def _signs(text: str) -> int:
    return sum(not sign.isspace() for sign in text)
