"""The passages of a long recording around its edits, so that an edit's cost depends only on them.

A passage is a stretch of speech with its words. The plan has only the words of the passages, as if
the text had no others; the rest of the recording is never aligned. Approximate times of the words,
as subtitles have them, tell where the passages are.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from a3t.audio.reading.recording import Recording
from a3t.spans import Span
from a3t.text.comparison.edit_script import WordEdit
from a3t.text.transcript import Transcript, TranscriptWord
from alignment import Alignment, Word
from alignment.formats.transcripts.cues import TranscriptFile

Times = Sequence[tuple[float, float]]  # seconds [start, end) of each spoken word


def times_of(alignment: Alignment) -> Times:
    """The times of an alignment's words, which are exact."""
    return [(word.start, word.end) for word in alignment.spoken]


def times_in(file: TranscriptFile, transcript: Transcript) -> Times | None:
    """The time of each word of the transcript that was read from ``file``; None without usable
    times.

    A cue's letters are assumed to be spoken at an even rate. Words that stand in no cue, as where
    a program didn't hear them, get the time between their neighbours.
    """
    cues = [cue for cue in file.timed if _letters(cue.text)]
    if not cues:
        return None
    following = [*(cue.start for cue in cues[1:]), math.inf]
    ends = [  # a cue that overlaps the next one ends where that begins
        max(cue.start, min(cue.end, limit)) for cue, limit in zip(cues, following, strict=True)
    ]
    said = "".join(_letters(cue.text) for cue in cues)
    edges = list(accumulate((len(_letters(cue.text)) for cue in cues), initial=0))

    def time(letter: int, within: int) -> float:
        """The time in seconds before a letter, in the cue that holds letter ``within``."""
        k = bisect_right(edges, within) - 1
        share = (letter - edges[k]) / (edges[k + 1] - edges[k])
        return cues[k].start + share * (ends[k] - cues[k].start)

    tokens = {word.token: _letters(_without_name(word)) for word in transcript.words}
    places = _places(list(tokens.values()), said)
    if sum(place is not None for place in places) < PLACED * len(places):
        return None
    known = [
        None if place is None else (time(place[0], place[0]), time(place[1], place[1] - 1))
        for place in places
    ]
    spans = dict(zip(tokens, _filled(known, cues[-1].end), strict=True))
    return [spans[word.token] for word in transcript.words]


def _places(tokens: Sequence[str], said: str) -> list[Span | None]:
    """The letters [first, last) of each token in what is said, in order; None for those that
    aren't there."""
    places: list[Span | None] = []
    place = 0
    for k, token in enumerate(tokens):
        found = place if said.startswith(token, place) else -1
        if found < 0:  # with the next ones, since a short word is soon found elsewhere
            phrase = "".join(tokens[k : k + 3])
            found = said.find(phrase, place, place + len(phrase) + SKIPPED)
        places.append((found, found + len(token)) if found >= 0 and token else None)
        place = max(place, found + len(token))
    return places


def _filled(known: Sequence[tuple[float, float] | None], end: float) -> Times:
    """The times, those that are missing between their neighbours'."""
    result: list[tuple[float, float]] = []
    after: list[float] = []
    clock = end
    for each in reversed(known):
        after.append(clock)
        clock = each[0] if each else clock
    for each, following in zip(known, reversed(after), strict=True):
        before = result[-1][1] if result else 0.0
        result.append(each or (before, max(before, following)))
    return result


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _without_name(word: TranscriptWord) -> str:
    return word.written.removeprefix(f"{word.speaker}:") if word.speaker else word.written


PLACED = 0.8  # of a transcript's words must stand in its cues
SKIPPED = 400  # letters of the cues that the transcript may lack in one place
LONG = 40.0  # seconds; a shorter recording is one passage
CONTEXT = 6.0  # seconds of speech on each side of an edit
APART = 10.0  # seconds between two passages; closer ones are merged
PAUSE_WITHIN = 3.0  # seconds beyond the context in which to look for a pause to begin or end at


@dataclass(frozen=True)
class AlignedRecording:
    """A recording, what it says, and when.

    passages: the ranges of the text's words that the alignment has; empty if it has all of them.
    origin: where the text is from: "given", "recognised", "alignment", or a file's name; about: a
    sentence on how that was read. restored: whether its punctuation was.
    """

    recording: Recording
    text: Transcript
    alignment: Alignment
    passages: tuple[Span, ...] = ()
    origin: str = "given"
    about: str = ""
    restored: bool = False

    @property
    def ranges(self) -> tuple[Span, ...]:
        """The ranges of the text's words that the alignment has, be it all of them."""
        return self.passages or ((0, len(self.text.words)),)


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


def cut(alignment: Alignment, ranges: Sequence[Span]) -> Alignment:
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
    return Alignment(tuple(words), alignment.duration, alignment.score)
