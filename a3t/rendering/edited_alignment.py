"""When each word of an edited recording is said."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

import numpy as np

from a3t.grid import seconds_of
from a3t.plan.revision import word_map
from a3t.rendering.edited import EditedRecording
from alignment import Alignment, Phone, Word
from alignment.result import covering, retimed, shift_word

MIN_WORD_S = 0.001  # seconds a word lasts at least


def edited_alignment(result: EditedRecording) -> Alignment:
    """Align the result: all words of its new text, in order, and the pauses between them.

    Kept words are shifted by the length that the edits before them added; new words are where the
    plan put them. Words of a long recording that were not aligned are where its transcript has
    them, shifted alike, or spread over the time between the aligned ones where it has no times;
    they have no phones, and a confidence of 0.
    """
    plan, spans = result.plan, result.map
    shifts = [spans.seconds(samples) for samples in spans.samples.shifts]
    aligned = plan.source.alignment
    kept = dict(plan.words.kept_places())
    past = _edits_past(result)
    near = {new: shift_word(aligned.spoken[old], shifts[past[old]]) for old, new in kept.items()}
    for k in range(len(plan.edits)):
        near |= _made(result, k, shifts[k])
    near |= _taken(result)
    numbers = new_numbers(result)
    placed = {numbers[k]: word for k, word in near.items()} | _unaligned(result, past, shifts)
    text = plan.revised_text.spoken
    words = _in_order(_with_missing(text, placed, spans.output_seconds), spans.output_seconds)
    pauses = (shift_word(each, shift) for each, shift in _kept_pauses(aligned, kept, past, shifts))
    return covering(words, spans.output_seconds, aligned.score, pauses)


def _edits_past(result: EditedRecording) -> list[int]:
    """Return the number of edits before each of the aligned words."""
    ends = [edit.old[1] for edit in result.plan.edits]
    return [bisect_right(ends, k) for k in range(len(result.plan.text.words))]


def new_numbers(result: EditedRecording) -> list[int]:
    """Return the place in the whole new text of each word of the plan's."""
    plan = result.plan
    whole = word_map(plan.revision.whole.edits, len(plan.source.text.words))
    ranges = (whole.output_span(span) for span in plan.source.ranges)
    return [k for first, last in ranges for k in range(first, last)]


def _unaligned(
    result: EditedRecording, past: Sequence[int], shifts: Sequence[float]
) -> dict[int, Word]:
    """Return the words outside the aligned ranges whose times the transcript has."""
    source = result.plan.source
    if source.times is None:
        return {}
    whole = word_map(result.plan.revision.whole.edits, len(source.text.words))
    aligned = [k for first, last in source.ranges for k in range(first, last)]
    edits = {old: past[k] for k, old in enumerate(aligned)}
    words: dict[int, Word] = {}
    number = 0
    for old, new in whole.kept_places():
        if old in edits:
            number = edits[old]
            continue
        if aligned and old > aligned[-1]:
            number = len(shifts) - 1
        start, end = (time + shifts[number] for time in source.times[old])
        words[new] = Word(source.text.words[old].text, start, end, 0.0)
    return words


def _with_missing(text: Sequence[str], placed: Mapping[int, Word], seconds: float) -> list[Word]:
    """Return all words of a text; those that are nowhere lie between their neighbours.

    They share the time there by their letters.
    """
    words: list[Word] = []
    k = 0
    while k < len(text):
        if k in placed:
            words.append(placed[k])
            k += 1
            continue
        stop = next((j for j in range(k, len(text)) if j in placed), len(text))
        start = words[-1].end if words else 0.0
        end = max(placed[stop].start if stop < len(text) else seconds, start)
        letters = [0, *accumulate(len(word) for word in text[k:stop])]
        edges = [start + (end - start) * count / letters[-1] for count in letters]
        words += [Word(text[j], edges[j - k], edges[j - k + 1], 0.0) for j in range(k, stop)]
        k = stop
    return words


def _in_order(words: Sequence[Word], seconds: float) -> list[Word]:
    """Return the words one after the other within ``seconds``, as near to their times as can be.

    Where two overlap, they meet in the middle.
    """
    if not words:
        return []
    shortest = min(MIN_WORD_S, seconds / (2 * len(words)))
    room = np.repeat(np.arange(len(words)), 2) * shortest + np.tile([0, shortest], len(words))
    times = np.array([[word.start, word.end] for word in words]).ravel()
    free = np.clip(times - room, 0.0, seconds - room[-1])
    ascending = np.maximum.accumulate(free) + np.minimum.accumulate(free[::-1])[::-1]
    ordered = ascending / 2 + room
    moved = np.abs(ordered - times) > 1e-9
    edges = np.where(moved, ordered, times).tolist()
    return [
        retimed(word, edges[2 * k], edges[2 * k + 1]) if moved[2 * k : 2 * k + 2].any() else word
        for k, word in enumerate(words)
    ]


def _kept_pauses(
    source: Alignment, kept: Mapping[int, int], past: Sequence[int], shifts: Sequence[float]
) -> Iterator[tuple[Word, float]]:
    """Yield the pauses in which nothing was edited, each with the seconds by which it is moved."""
    count = len(past)
    number = 0
    for word in source.words:
        if not word.is_pause:
            number += 1
            continue
        beside = {k for k in (number - 1, number) if 0 <= k < count}
        edits = {past[k] for k in beside}
        if number == count:
            edits.add(len(shifts) - 1)
        if number == 0:
            edits.add(0)
        if beside <= kept.keys() and len(edits) == 1:
            yield word, shifts[edits.pop()]


def made_spans(result: EditedRecording) -> list[tuple[float, float]]:
    """Return [start, end) in the result of the new words that were made, in seconds.

    The regenerated margins are left out.
    """
    shifts = result.map.samples.shifts
    starts = [
        seconds_of(edit.source[0]) + result.map.seconds(shifts[k])
        for k, edit in enumerate(result.plan.edits)
    ]
    spans = [
        (start, start + edit.seconds)
        for start, edit in zip(starts, result.plan.edits, strict=True)
        if edit.is_spoken
    ]
    elsewhere = [made_spans(origin) for origin in result.source_edits]
    for k in range(len(result.excerpts)):
        for excerpt, (first, last), shift in result.placed(k):
            spans += [
                (max(first, start) + shift, min(last, end) + shift)  # a joint may lie in a word
                for start, end in elsewhere[excerpt.origin]
                if first < end and start < last
            ]
    return sorted(spans)


def _taken(result: EditedRecording) -> dict[int, Word]:
    """Return the words that are taken from elsewhere, at their new times, by their numbers."""
    origins = [edited_alignment(origin).spoken for origin in result.source_edits]
    words: dict[int, Word] = {}
    for k, excerpts in enumerate(result.excerpts):
        if not excerpts:
            continue
        taken = result.plan.edits[k].taken
        for speech, (_, _, shift) in zip(taken, result.placed(k), strict=True):
            taken_words, numbers = origins[speech.origin][slice(*speech.words)], range(*speech.new)
            if len(taken_words) == len(numbers):  # else the transcript was corrected there since
                own = (shift_word(word, shift) for word in taken_words)
                words |= dict(zip(numbers, own, strict=True))
    return words


def _made(result: EditedRecording, k: int, shift: float) -> dict[int, Word]:
    """Return the new words of edit ``k`` by their numbers.

    Its source is shifted by ``shift`` seconds.
    """
    edit, spoken = result.plan.edits[k], result.plan.new_text.spoken
    phones: dict[int, list[Phone]] = {number: [] for number in range(*edit.new)}
    clock = seconds_of(edit.source[0]) + shift
    for phone in edit.phones:
        end = clock + seconds_of(phone.frames)
        if phone.word in phones:
            phones[phone.word].append(Phone(phone.symbol, clock, end))
        clock = end
    return {
        number: Word(
            spoken[number], word_phones[0].start, word_phones[-1].end, 1.0, tuple(word_phones)
        )
        for number, word_phones in phones.items()
        if word_phones  # what is taken from elsewhere has none here
    }
