"""Approximate times of the words of a transcript with times, such as subtitles."""

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
    """True if a file can hold a transcript with times: a .srt, a .vtt or Whisper's .json."""
    return path.suffix.lower() in TRANSCRIPTS


def times_of(alignment: Alignment) -> Times:
    """The times of an alignment's words, which are exact."""
    return [(word.start, word.end) for word in alignment.spoken]


def times_in(path: Path, transcript: Transcript) -> Times | None:
    """The time of each word of the transcript read from ``path``; None without usable times.

    A cue's characters are assumed to be spoken at an even rate. Raises AlignmentError if the file
    can't be read.
    """
    cues = [cue for cue in read_cues(path) if cue.text]
    starts = [cue.start for cue in cues]
    if not cues or not all(map(math.isfinite, starts)) or sorted(starts) != starts:
        return None
    following = [*starts[1:], math.inf]
    cues = [  # a cue that overlaps the next one ends where that begins
        Cue(cue.start, max(cue.start, min(cue.end, limit)), cue.text)
        for cue, limit in zip(cues, following, strict=True)
    ]
    # The tokens must be the cues' text, character for character, apart from whitespace.
    tokens = {word.token: _characters(word.written) for word in transcript.words}
    if not math.isfinite(cues[-1].end) or sum(tokens.values()) != sum(
        _characters(cue.text) for cue in cues
    ):
        return None
    token_ends = dict(zip(tokens, accumulate(tokens.values()), strict=True))
    edges = list(accumulate((_characters(cue.text) for cue in cues), initial=0))

    def time(character: int, within: int) -> float:
        """The time in seconds before a character, in the cue that holds character ``within``."""
        k = bisect_right(edges, within) - 1
        share = (character - edges[k]) / (edges[k + 1] - edges[k])
        return cues[k].start + share * (cues[k].end - cues[k].start)

    result = []
    for word in transcript.words:
        last = token_ends[word.token]
        first = last - tokens[word.token]
        result.append((time(first, first), time(last, last - 1)))
    return result


def _characters(text: str) -> int:
    return sum(not character.isspace() for character in text)
