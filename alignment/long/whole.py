"""A long recording, aligned as a whole or only where a few words are spoken.

As a whole: the text's places are found roughly (`alignment.long.pieces`), then aligned piece by
piece. The recording is read twice, block by block, so memory doesn't grow with it: once for the
anchors, once for the pieces. A piece that can't be aligned, or in which the text isn't heard, is
tried once more together with its neighbours; its words then keep scores below 0.5, and the rest
stands.

A few words, given roughly when they are spoken:

    window = align_window(aligner, recording, words, pronunciations, 4711, 4713)
    window.alignment.spoken[4711 - window.first]    # its clock begins at window.start

The times may come from subtitles, from Whisper or from an earlier alignment; a second more or less
does not matter. Only the window is read, so a long recording costs no more than a short one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from alignment.aligner import Aligner, Pronunciations, Readable
from alignment.boolean_runs import runs_of
from alignment.errors import AlignmentError
from alignment.long.pieces import SEARCH_FRAME_S, Piece, find_anchors, pieces
from alignment.parallel import run_jobs
from alignment.result import (
    DOUBTFUL_BELOW,
    Alignment,
    Word,
    pause,
    shift_word,
    spread_evenly,
    stretch_word,
)

# Pieces up to this length are aligned; longer ones, in which nothing was found, are not.
ALIGNABLE_S = 90.0

DOUBTED_RUN = 4  # words in a row below 0.5 that are named

AlignPiece = Callable[[np.ndarray, int, Sequence[str], Pronunciations], Alignment]
EDIT_CONTEXT_S = 4.0
CONTEXT_TRIES = 3  # the context doubles from one to the next
# A cut is moved to the quietest stretch of this length within reach, in seconds.
QUIET_S, CUT_REACH_S = 0.06, 0.5


@dataclass(frozen=True, slots=True)
class _Job:
    piece: Piece
    samples: np.ndarray
    sample_rate: int
    words: Sequence[str]
    pronunciations: Pronunciations


def align_long(
    align: AlignPiece,
    recording: Readable,
    words: Sequence[str],
    pronunciations: Pronunciations,
    workers: int = 1,
) -> Alignment:
    """Align one piece after the other with ``align``, in ``workers`` processes; refuse nothing.

    ``align`` gives scores below 0.5, or raises ValueError, where the words are not heard. The
    result's score is the mean of its pieces', each weighing as much as it has words.
    """
    phones = [pronunciations[word][0] for word in words]
    planned = pieces(find_anchors(recording, phones), len(words))

    def aligned(parts: Iterable[Piece]) -> dict[Piece, Alignment]:
        jobs = (_job(piece, recording, words, pronunciations) for piece in parts)
        done = run_jobs(partial(_align, align), jobs, workers)
        return {each.job.piece: each.result for each in done if each.result is not None}

    alignments = aligned(piece for piece in planned if _alignable(piece))
    for joined, parts in list(_joined(planned, alignments)):
        again = aligned([joined])
        if joined in again and again[joined].score >= DOUBTFUL_BELOW:
            at = planned.index(parts[0])
            planned[at : at + len(parts)] = [joined]
            alignments |= again
    return _whole(recording, planned, alignments, words, phones)


def doubtful_runs(alignment: Alignment) -> list[tuple[int, int]]:
    """Return runs of at least DOUBTED_RUN words [first, end) that are not heard as written."""
    doubted = np.array([word.score < DOUBTFUL_BELOW for word in alignment.spoken])
    return [(first, end) for first, end in runs_of(doubted) if end - first >= DOUBTED_RUN]


def _alignable(piece: Piece) -> bool:
    return piece.words > 0 and piece.seconds <= ALIGNABLE_S


def _job(
    piece: Piece, recording: Readable, words: Sequence[str], pronunciations: Pronunciations
) -> _Job:
    rate = recording.sample_rate
    samples = recording.mono(*_samples(piece, recording))
    texts = words[piece.first : piece.end]
    return _Job(piece, samples, rate, texts, {word: pronunciations[word] for word in texts})


def _samples(piece: Piece, recording: Readable) -> tuple[int, int]:
    """Return the piece's first and last sample in the recording; the last piece ends with it."""
    frame = SEARCH_FRAME_S * recording.sample_rate
    start, stop = round(piece.start * frame), round(piece.stop * frame)
    near_end = recording.samples - stop < 2 * frame
    return start, recording.samples if near_end else stop


def _align(align: AlignPiece, job: _Job) -> Alignment:
    return align(job.samples, job.sample_rate, job.words, job.pronunciations)


def _joined(
    planned: Sequence[Piece], found: dict[Piece, Alignment]
) -> Iterator[tuple[Piece, list[Piece]]]:
    """Yield each piece that failed, with its neighbours, if these can have what it lacks."""
    last = -1
    for at, piece in enumerate(planned):
        failed = piece not in found or found[piece].score < DOUBTFUL_BELOW
        if not failed or not piece.words or piece.foreign or at <= last:
            continue
        parts = [part for part in planned[max(at - 1, last + 1) : at + 2] if not part.foreign]
        whole = Piece(parts[0].start, parts[-1].stop, parts[0].first, parts[-1].end)
        if len(parts) > 1 and _alignable(whole):
            last = at + 1
            yield whole, parts


def _whole(
    recording: Readable,
    planned: Sequence[Piece],
    alignments: dict[Piece, Alignment],
    words: Sequence[str],
    phones: Sequence[Sequence[str]],
) -> Alignment:
    """Join the pieces' alignments, from 0 to the recording's end."""
    result: list[Word] = []
    weighed = 0.0
    rate = recording.sample_rate
    for piece in planned:
        start, stop = (sample / rate for sample in _samples(piece, recording))
        alignment = alignments.get(piece)
        if alignment is None:
            texts = words[piece.first : piece.end]
            parts = spread_evenly(texts, phones[piece.first : piece.end], start, stop)
            parts = parts or [pause(start, stop, 0.0 if piece.foreign else 1.0)]
        else:
            weighed += alignment.score * piece.words
            parts = [shift_word(word, start) for word in _honest(alignment).words]
            parts[-1] = stretch_word(parts[-1], parts[-1].start, stop)
        clock = result[-1].end if result else 0.0
        if result and _is_plain_pause(result[-1]) and _is_plain_pause(parts[0]):
            before = result.pop()
            score = min(before.score, parts[0].score)
            parts[0] = pause(before.start, parts[0].end, score)
        else:
            parts[0] = stretch_word(parts[0], clock, parts[0].end)
        result += parts
    return Alignment(tuple(result), result[-1].end, round(weighed / len(words), 4))


def _is_plain_pause(word: Word) -> bool:
    return word.is_pause and not word.unwritten


def _honest(alignment: Alignment) -> Alignment:
    """Halve the confidences where the text isn't heard, though words fit by chance."""
    if alignment.score >= DOUBTFUL_BELOW:
        return alignment
    words = (
        word if word.is_pause else replace(word, score=round(word.score / 2, 4))
        for word in alignment.words
    )
    return replace(alignment, words=tuple(words))


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
    context_seconds: float = EDIT_CONTEXT_S,
) -> AlignedWindow:
    """Align words [first, last], with about `context_seconds` on either side.

    `words`: the whole transcript, in order. The window ends where the recording does, or beside a
    word: the outermost words, which take what a cut left of their neighbours, are not given back.
    Raises AlignmentError when the words are not heard there, IndexError for other positions.
    """
    if not 0 <= first <= last < len(words):
        raise IndexError(f"there are no words {first} to {last} among {len(words)}")
    for attempt in range(CONTEXT_TRIES):
        begin, stop = _with_context(words, first, last, context_seconds * 2**attempt)
        cuts = _cuts(recording, words, begin, stop)
        texts = [word.text for word in words[begin:stop]]
        try:
            samples = recording.mono(*cuts)
            alignment = aligner.align(samples, recording.sample_rate, texts, pronunciations)
            break
        except AlignmentError:
            if attempt == CONTEXT_TRIES - 1 or stop - begin == len(words):
                raise
    whole = AlignedWindow(alignment, *cuts, begin)
    return _trimmed(whole, recording, first, last, len(words))


def _with_context(
    words: Sequence[TimedWord | Word], first: int, last: int, context: float
) -> tuple[int, int]:
    """Return the words [begin, stop) within the context, at least one more on either side."""
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
    """Return the samples between which words[begin:stop] are spoken, cut where it is quiet."""
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
    """Return the middle sample of the quietest stretch near that time."""
    rate = recording.sample_rate
    start = min(max(round((seconds - CUT_REACH_S) * rate), 0), recording.samples)
    stop = min(max(round((seconds + CUT_REACH_S) * rate), 0), recording.samples)
    length = round(QUIET_S * rate)
    if stop - start <= length:
        return (start + stop) // 2
    energy = np.cumsum(np.square(recording.mono(start, stop), dtype=np.float64))
    return start + int(np.argmin(energy[length:] - energy[:-length])) + length // 2


def _trimmed(
    window: AlignedWindow, recording: Readable, first: int, last: int, count: int
) -> AlignedWindow:
    """Drop the outermost words, unless they were asked for or begin or end the recording."""
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
