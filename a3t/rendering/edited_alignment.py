"""The alignment of an edited recording, so that it can be edited again without aligning it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from a3t.grid import seconds_of
from a3t.rendering.edited import EditedRecording
from alignment import Alignment, Phone, Word
from alignment.result import covering, retimed, shift_word


def edited_alignment(result: EditedRecording) -> Alignment:
    """The alignment of the result; of a long recording, of the words around the edits.

    Kept words are shifted by the length that the edits before them added; new words are where the
    plan put them.
    """
    plan, spans = result.plan, result.map
    shifts = [spans.seconds(samples) for samples in spans.samples.shifts]
    places = [seconds_of(sum(edit.source) / 2) for edit in plan.edits]
    words = [word for k in range(len(plan.edits)) for word in _made(result, k, shifts[k])]
    words += _taken(result)
    source = plan.alignment
    kept = [old for old, _ in plan.words.kept_places()]
    for word in (source.spoken[k] for k in kept):
        past = bisect_right(places, (word.start + word.end) / 2)
        words.append(retimed(word, word.start + shifts[past], word.end + shifts[past]))
    words.sort(key=lambda word: word.start + word.end)
    for k in range(1, len(words)):  # a joint may lie a few milliseconds inside a neighbour
        if words[k].start < words[k - 1].end:
            boundary = (words[k].start + words[k - 1].end) / 2
            words[k - 1] = retimed(words[k - 1], words[k - 1].start, boundary)
            words[k] = retimed(words[k], boundary, words[k].end)
    pauses = [shift_word(each, shift) for each, shift in _kept_pauses(source, kept, places, shifts)]
    return covering(words, spans.output_seconds, source.score, pauses)


def _kept_pauses(
    source: Alignment, kept: Sequence[int], places: Sequence[float], shifts: Sequence[float]
) -> Iterator[tuple[Word, float]]:
    """The pauses in which nothing was edited, each with the seconds by which it is moved."""
    count, words = len(source.spoken), set(kept)
    number = 0
    for word in source.words:
        if not word.is_pause:
            number += 1
            continue
        past = bisect_right(places, word.start)
        beside = {k for k in (number - 1, number) if 0 <= k < count}
        if beside <= words and past == bisect_right(places, word.end):
            yield word, shifts[past]


def made_spans(result: EditedRecording) -> list[tuple[float, float]]:
    """The [start, end) of the new words that were made, in the result, in seconds, without the
    regenerated margins."""
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
                (start + shift, end + shift)
                for start, end in elsewhere[excerpt.origin]
                if first <= start and end <= last
            ]
    return sorted(spans)


def _taken(result: EditedRecording) -> Iterator[Word]:
    """The words that are taken from elsewhere, at their new times."""
    origins = [edited_alignment(origin).spoken for origin in result.source_edits]
    for k, excerpts in enumerate(result.excerpts):
        if not excerpts:
            continue
        taken = result.plan.edits[k].taken
        for speech, (_, _, shift) in zip(taken, result.placed(k), strict=True):
            for word in origins[speech.origin][slice(*speech.words)]:
                yield shift_word(word, shift)


def _made(result: EditedRecording, k: int, shift: float) -> list[Word]:
    """The new words of edit ``k``, whose source is shifted by ``shift`` seconds."""
    edit, spoken = result.plan.edits[k], result.plan.new_text.spoken
    phones: dict[int, list[Phone]] = {number: [] for number in range(*edit.new)}
    clock = seconds_of(edit.source[0]) + shift
    for phone in edit.phones:
        end = clock + seconds_of(phone.frames)
        if phone.word in phones:
            phones[phone.word].append(Phone(phone.symbol, clock, end))
        clock = end
    return [
        Word(spoken[number], own[0].start, own[-1].end, 1.0, tuple(own))
        for number, own in phones.items()
        if own  # what is taken from elsewhere has none here
    ]
