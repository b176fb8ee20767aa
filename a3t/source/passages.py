"""The passages of a long recording around its edits, so that an edit's cost depends only on them.

A passage is a stretch of speech with its words. The plan has only the words of the passages, as if
the text had no others; the rest of the recording is never aligned. Approximate times of the words,
as subtitles have them, tell where the passages are.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from a3t.spans import Span
from a3t.text.comparison.edit_script import WordEdit
from a3t.text.transcript import Transcript
from alignment import Alignment, Word
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


LONG = 40.0  # seconds; a shorter recording is one passage
CONTEXT = 6.0  # seconds of speech on each side of an edit
APART = 10.0  # seconds between two passages; closer ones are merged
PAUSE_WITHIN = 3.0  # seconds beyond the context in which to look for a pause to begin or end at


@dataclass(frozen=True)
class Passages:
    """An alignment of some ranges of the text's words, in order, with gaps between the ranges."""

    alignment: Alignment
    words: tuple[Span, ...]

    def is_whole(self, text: Transcript) -> bool:
        """True if they hold every word of the text."""
        return self.words == ((0, len(text.words)),)


def ranges_around(edits: Sequence[WordEdit], times: Times) -> tuple[Span, ...]:
    """The words of each passage: those spoken within CONTEXT of an edit, up to a pause if there is
    one nearby. Passages close to each other are merged."""
    ranges: list[Span] = []
    for edit in edits:
        first, last = _widened(edit.old, times)
        if ranges and times[first][0] <= times[ranges[-1][1] - 1][1] + APART:
            ranges[-1] = (ranges[-1][0], max(ranges[-1][1], last))
        else:
            ranges.append((first, last))
    return tuple(ranges) or (_widened((0, 0), times),)


def words_between(times: Times, span: tuple[float, float]) -> Span:
    """The words that lie between two times in seconds, which may be none."""
    first = bisect_left(times, span[0], key=lambda time: time[0])
    last = bisect_right(times, span[1], key=lambda time: time[1])
    return first, max(first, last)


def _widened(words: Span, times: Times) -> Span:
    start = times[words[0]][0] if words[0] < len(times) else times[-1][1]
    end = times[words[1] - 1][1] if words[1] > 0 else 0.0
    before = [k for k in range(words[0]) if times[k][0] >= start - CONTEXT - PAUSE_WITHIN]
    after = [k for k in range(words[1], len(times)) if times[k][1] <= end + CONTEXT + PAUSE_WITHIN]
    # At least one word on each side, however long the silence in between.
    before, after = before or [*range(words[0])][-1:], after or [*range(words[1], len(times))][:1]
    first = _at_a_pause(
        [k for k in before if times[k][0] <= start - CONTEXT],
        lambda k: times[k][0] - times[k - 1][1] if k else PAUSE_WITHIN,
        min(before, default=words[0]),
    )
    last = _at_a_pause(
        [k for k in after if times[k][1] >= end + CONTEXT],
        lambda k: times[k + 1][0] - times[k][1] if k + 1 < len(times) else PAUSE_WITHIN,
        max(after, default=words[1] - 1),
    )
    return first, last + 1


def _at_a_pause(places: Sequence[int], gap: Callable[[int], float], otherwise: int) -> int:
    """The place with the widest gap, or ``otherwise`` if there are no places."""
    return max(places, key=gap, default=otherwise)


def cut(alignment: Alignment, ranges: Sequence[Span]) -> Passages:
    """The passages of a whole alignment, with the pauses next to them."""
    words: list[Word] = []
    spoken = -1
    last_spoken = len(alignment.spoken) - 1
    for word in alignment.words:
        if not word.is_pause:
            spoken += 1
        inside = any(first <= spoken < last for first, last in ranges)
        if word.is_pause:  # it follows word `spoken`; keep it next to either neighbour
            ahead = any(first == spoken + 1 <= last_spoken for first, last in ranges)
            inside = inside or ahead
        if inside:
            words.append(word)
    return Passages(Alignment(tuple(words), alignment.duration, alignment.score), tuple(ranges))
