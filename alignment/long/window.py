"""Align a few words of a long recording, given roughly when they are spoken.

    window = align_window(aligner, recording, words, pronunciations, 4711, 4713)
    window.alignment.spoken[4711 - window.first]    # its clock begins at window.start

The times may come from subtitles, from Whisper or from an earlier alignment; a second more or less
does not matter. Only the window is read, so a long recording costs no more than a short one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from alignment.aligner import Aligner, Pronunciations, Readable
from alignment.errors import AlignmentError
from alignment.result import Alignment, Word, shift_word, stretch_word

CONTEXT_SECONDS = 4.0
TRIES = 3  # the context doubles from one to the next

# A cut is moved to the quietest stretch of this length within reach, in seconds.
QUIET_SECONDS, CUT_REACH = 0.06, 0.5


@dataclass(frozen=True)
class TimedWord:
    """A word and roughly when it is spoken, in seconds."""

    text: str
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class AlignedWindow:
    """A part of a recording with its alignment.

    `alignment`: its clock begins at `start` and it covers [start, stop) with no gap; `start` and
    `stop`: samples of the recording; `first`: which of the transcript's words its first one is.
    """

    alignment: Alignment
    start: int
    stop: int
    first: int


def align_window(
    aligner: Aligner,
    recording: Readable,
    words: Sequence[TimedWord | Word],
    pronunciations: Pronunciations,
    first: int,
    last: int,
    context_seconds: float = CONTEXT_SECONDS,
) -> AlignedWindow:
    """`words[first]` to `words[last]`, both included, with about `context_seconds` on either side.

    `words`: the whole transcript, in order. The window ends where the recording does, or beside a
    word: the outermost words, which take what a cut left of their neighbours, are not given back.
    Raises AlignmentError when the words are not heard there, IndexError for other positions.
    """
    if not 0 <= first <= last < len(words):
        raise IndexError(f"there are no words {first} to {last} among {len(words)}")
    for attempt in range(TRIES):
        begin, stop = _with_context(words, first, last, context_seconds * 2**attempt)
        cuts = _cuts(recording, words, begin, stop)
        texts = [word.text for word in words[begin:stop]]
        try:
            samples = recording.mono(*cuts)
            alignment = aligner.align(samples, recording.sample_rate, texts, pronunciations)
            break
        except AlignmentError:
            if attempt == TRIES - 1 or stop - begin == len(words):
                raise
    whole = AlignedWindow(alignment, *cuts, begin)
    return _trimmed(whole, recording, first, last, len(words))


def _with_context(
    words: Sequence[TimedWord | Word], first: int, last: int, context: float
) -> tuple[int, int]:
    """The words [begin, stop) that lie within the context, at least one more on either side."""
    begin, stop = first, last + 1
    while begin > 0 and (begin == first or words[begin].start > words[first].start - context):
        begin -= 1
    while stop < len(words) and (
        stop == last + 1 or words[stop - 1].end < words[last].end + context
    ):
        stop += 1
    return begin, stop


def _cuts(
    recording: Readable, words: Sequence[TimedWord | Word], begin: int, stop: int
) -> tuple[int, int]:
    """Samples between which words[begin:stop] are spoken, cut where it is quiet."""
    left, right = 0, recording.samples
    if begin > 0:
        left = _quietest(recording, (words[begin - 1].end + words[begin].start) / 2)
    if stop < len(words):
        right = _quietest(recording, (words[stop - 1].end + words[stop].start) / 2)
    if right <= left:
        raise AlignmentError(
            f'The time given for "{words[begin].text}" is out of order or outside the '
            "recording: align it again."
        )
    return left, right


def _quietest(recording: Readable, seconds: float) -> int:
    """The middle of the quietest stretch near that time, a sample."""
    rate = recording.sample_rate
    start = min(max(round((seconds - CUT_REACH) * rate), 0), recording.samples)
    stop = min(max(round((seconds + CUT_REACH) * rate), 0), recording.samples)
    length = round(QUIET_SECONDS * rate)
    if stop - start <= length:
        return (start + stop) // 2
    energy = np.cumsum(np.square(recording.mono(start, stop), dtype=np.float64))
    return start + int(np.argmin(energy[length:] - energy[:-length])) + length // 2


def _trimmed(
    window: AlignedWindow, recording: Readable, first: int, last: int, count: int
) -> AlignedWindow:
    """Without the outermost words, unless they were asked for or begin or end the recording."""
    rate = recording.sample_rate
    kept = list(window.alignment.words)
    start, stop, begin = window.start, window.stop, window.first
    end = begin + len(window.alignment.spoken)
    if 0 < begin < first:
        kept = kept[1 + next(k for k, word in enumerate(kept) if word.text) :]
        start += round(kept[0].start * rate)
        begin += 1
    if last + 1 < end < count:
        kept = kept[: len(kept) - 1 - next(k for k, word in enumerate(kept[::-1]) if word.text)]
        stop = window.start + round(kept[-1].end * rate)
    clock = (start - window.start) / rate
    duration = (stop - start) / rate
    moved = [shift_word(word, -clock) for word in kept]
    moved[0] = stretch_word(moved[0], 0.0, moved[0].end)
    moved[-1] = stretch_word(moved[-1], moved[-1].start, duration)
    return AlignedWindow(
        replace(window.alignment, words=tuple(moved), duration=duration), start, stop, begin
    )
