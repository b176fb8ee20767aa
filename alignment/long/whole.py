"""Long recordings: the text's places are found roughly, then aligned piece by piece.

The recording is read twice, block by block, so memory doesn't grow with it: once for the anchors,
once for the pieces (alignment.long.pieces). A piece that can't be aligned, or in which the text
isn't heard, is tried once more together with its neighbours; its words then keep scores below 0.5,
and the rest stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from alignment.aligner import Pronunciations, Readable
from alignment.boolean_runs import runs_of
from alignment.long.pieces import SECONDS, Piece, find_anchors, pieces
from alignment.parallel import run_jobs
from alignment.result import Alignment, Word, pause, shift_word, spread_evenly, stretch_word

# Pieces up to this length are aligned; longer ones, in which nothing was found, are not.
ALIGNABLE_SECONDS = 90.0

DOUBTED_RUN = 4  # words in a row below 0.5 that are named

AlignPiece = Callable[[np.ndarray, int, Sequence[str], Pronunciations], Alignment]


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
    """`align` of one piece after the other, in `workers` processes; nothing is refused.

    `align` gives scores below 0.5, or raises ValueError, where the words are not heard. The
    result's score is the mean of its pieces', each weighing as much as it has words.
    """
    phones = [pronunciations[word][0] for word in words]
    planned = pieces(find_anchors(recording, phones), len(words))

    def aligned(parts: Iterable[Piece]) -> dict[Piece, Alignment]:
        jobs = (_job(piece, recording, words, pronunciations) for piece in parts)
        done = run_jobs(partial(_align, align), jobs, workers)
        return {each.job.piece: each.result for each in done if each.result is not None}

    found = aligned(piece for piece in planned if _alignable(piece))
    for joined, parts in list(_joined(planned, found)):
        again = aligned([joined])
        if joined in again and again[joined].score >= 0.5:
            at = planned.index(parts[0])
            planned[at : at + len(parts)] = [joined]
            found |= again
    return _whole(recording, planned, found, words, phones)


def doubtful_runs(alignment: Alignment) -> list[tuple[int, int]]:
    """Words [first, end) in a row, at least DOUBTED_RUN of them, that are not heard as written."""
    doubted = np.array([word.score < 0.5 for word in alignment.spoken])
    return [(first, end) for first, end in runs_of(doubted) if end - first >= DOUBTED_RUN]


def _alignable(piece: Piece) -> bool:
    return piece.words > 0 and piece.seconds <= ALIGNABLE_SECONDS


def _job(
    piece: Piece, recording: Readable, words: Sequence[str], pronunciations: Pronunciations
) -> _Job:
    rate = recording.sample_rate
    samples = recording.mono(*_samples(piece, recording))
    texts = words[piece.first : piece.end]
    return _Job(piece, samples, rate, texts, {word: pronunciations[word] for word in texts})


def _samples(piece: Piece, recording: Readable) -> tuple[int, int]:
    """The piece's first and last sample in the recording; the last piece ends with it."""
    frame = SECONDS * recording.sample_rate
    start, stop = round(piece.start * frame), round(piece.stop * frame)
    near_end = recording.samples - stop < 2 * frame
    return start, recording.samples if near_end else stop


def _align(align: AlignPiece, job: _Job) -> Alignment:
    return align(job.samples, job.sample_rate, job.words, job.pronunciations)


def _joined(
    planned: Sequence[Piece], found: dict[Piece, Alignment]
) -> Iterator[tuple[Piece, list[Piece]]]:
    """Each piece that failed, with its neighbours, if these can have what it lacks."""
    last = -1
    for at, piece in enumerate(planned):
        failed = piece not in found or found[piece].score < 0.5
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
    found: dict[Piece, Alignment],
    words: Sequence[str],
    phones: Sequence[Sequence[str]],
) -> Alignment:
    """The pieces one after the other, from 0 to the recording's end."""
    result: list[Word] = []
    weighed = 0.0
    rate = recording.sample_rate
    for piece in planned:
        start, stop = (sample / rate for sample in _samples(piece, recording))
        alignment = found.get(piece)
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
    """The alignment without confidence where the text isn't heard, though words fit by chance."""
    if alignment.score >= 0.5:
        return alignment
    words = (
        word if word.is_pause else replace(word, score=round(word.score / 2, 4))
        for word in alignment.words
    )
    return replace(alignment, words=tuple(words))
