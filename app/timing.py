"""Where the words are: after a person has moved one, and after an edit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from a3t.audio.mel import HOP, SAMPLE_RATE
from a3t.errors import InputError
from a3t.records import EditPlan
from alignment.records import Alignment, Phone, Word, pause

FRAME = HOP / SAMPLE_RATE  # seconds; no phone is shorter than one frame of the grid
SNAP = 0.005  # seconds; boundaries nearer than this are one


def move_word(alignment: Alignment, number: int, start: float, end: float) -> Alignment:
    """The spoken word `number` (from 0) at [start, end) seconds; its phones keep their shares.

    A neighbour that is in the way gives way. Raises InputError if there is no such word, or if a
    word would have less than one frame (12.5 ms) for each of its phones.
    """
    spoken = list(alignment.spoken)
    if not 0 <= number < len(spoken):
        raise InputError("There is no such word in the recording: choose it again.")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise InputError("A word's times are numbers of seconds: type them again.")
    word = spoken[number]
    spoken[number] = _fitted(word, max(start, 0.0), min(end, alignment.duration))
    if number > 0 and spoken[number - 1].end > spoken[number].start:
        before = spoken[number - 1]
        spoken[number - 1] = _fitted(before, before.start, spoken[number].start)
    if number + 1 < len(spoken) and spoken[number + 1].start < spoken[number].end:
        after = spoken[number + 1]
        spoken[number + 1] = _fitted(after, spoken[number].end, after.end)
    return covering(spoken, alignment.duration, alignment.score)


def after_edit(plan: EditPlan, record: Mapping[str, Any]) -> Alignment:
    """Where every word is in the edited recording; `record` is its edit.json.

    Kept words are moved by what the edits before them added, new words stand where the plan put
    them. So the result can be edited again at once, with the times that a person has corrected.
    """
    rate = record["source"]["sample_rate"]
    duration = float(record["source"]["samples"])
    shifts: list[tuple[float, float]] = []  # from a place in the source on, in seconds
    words: list[Word] = []
    total = 0.0
    for edit, told in zip(plan.edits, record["edits"], strict=True):
        phones: dict[int, list[Phone]] = {number: [] for number in range(*edit.new)}
        clock = edit.source[0] * FRAME + total
        for phone in edit.phones:
            end = clock + phone.frames * FRAME
            if phone.word in phones:
                phones[phone.word].append(Phone(phone.symbol, clock, end))
            clock = end
        for number, own in phones.items():
            text = plan.new_text.spoken[number]
            words.append(Word(text, own[0].start, own[-1].end, 1.0, tuple(own)))
        total += (_length(told["output"]) - _length(told["source"])) / rate
        shifts.append((sum(edit.source) / 2 * FRAME, total))
        duration += _length(told["output"]) - _length(told["source"])
    gone = {k for edit in plan.edits for k in range(*edit.old)}
    for k, word in enumerate(plan.alignment.spoken):
        if k not in gone:
            middle = (word.start + word.end) / 2
            shift = max(
                ((place, moved) for place, moved in shifts if place <= middle), default=(0.0, 0.0)
            )[1]
            words.append(_scaled(word, word.start + shift, word.end + shift))
    words.sort(key=lambda word: word.start + word.end)
    for k in range(1, len(words)):  # joints may lie a few milliseconds inside a neighbour
        if words[k].start < words[k - 1].end:
            meeting = (words[k].start + words[k - 1].end) / 2
            words[k - 1] = _scaled(words[k - 1], words[k - 1].start, meeting)
            words[k] = _scaled(words[k], meeting, words[k].end)
    return covering(words, duration / rate, plan.alignment.score)


def covering(spoken: Sequence[Word], duration: float, score: float) -> Alignment:
    """An alignment of these words in order, with pauses wherever there is nothing between them."""
    words: list[Word] = []
    clock = 0.0
    for word in spoken:
        if word.start - clock > SNAP:
            words.append(pause(clock, word.start))
        elif word.start != clock:
            word = _scaled(word, clock, word.end)
        words.append(word)
        clock = word.end
    if duration - clock > SNAP:
        words.append(pause(clock, duration))
    elif words and clock != duration:
        words[-1] = _scaled(words[-1], words[-1].start, duration)
    return Alignment(tuple(words), duration, score)


def _fitted(word: Word, start: float, end: float) -> Word:
    if end - start < len(word.phones) * FRAME:
        raise InputError(
            f"“{word.text}” needs at least {len(word.phones) * FRAME:.3f} s, and {end - start:.3f} "
            "s are left for it: move the boundary less."
        )
    return _scaled(word, start, end)


def _scaled(word: Word, start: float, end: float) -> Word:
    """The word in other times, its phones in proportion."""
    if (start, end) == (word.start, word.end):
        return word
    factor = (end - start) / (word.end - word.start)
    edges = [start + (phone.start - word.start) * factor for phone in word.phones[1:]]
    edges = [start, *edges, end]
    phones = tuple(
        Phone(phone.symbol, edges[k], edges[k + 1], phone.score)
        for k, phone in enumerate(word.phones)
    )
    return Word(word.text, start, end, word.score, phones)


def _length(span: Sequence[int]) -> int:
    return int(span[1]) - int(span[0])
