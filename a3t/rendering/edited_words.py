"""Where the words are after an edit, and alignments put together of words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from a3t.grid import seconds_of
from a3t.plan.records import EditPlan
from a3t.text.transcript import Transcript
from alignment import Alignment, Phone, Word, pause

SNAP = 0.005  # seconds; boundaries nearer than this are one


def after_edit(
    plan: EditPlan, record: Mapping[str, Any], whole: Alignment | None = None
) -> Alignment:
    """Where every word is in the edited recording; `record` is its edit.json, `whole` says where
    all words were: of a long recording the plan knows only those around the edits.

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
        clock = seconds_of(edit.source[0]) + total
        for phone in edit.phones:
            end = clock + seconds_of(phone.frames)
            if phone.word in phones:
                phones[phone.word].append(Phone(phone.symbol, clock, end))
            clock = end
        for number, own in phones.items():
            text = plan.new_text.spoken[number]
            words.append(Word(text, own[0].start, own[-1].end, 1.0, tuple(own)))
        total += (_length(told["output"]) - _length(told["source"])) / rate
        shifts.append((seconds_of(sum(edit.source) / 2), total))
        duration += _length(told["output"]) - _length(told["source"])
    # The plan's words in the whole.
    planned = [k for words in plan.passages for k in range(*words)] if whole else []
    whole = whole or plan.alignment
    gone = {planned[k] if planned else k for edit in plan.edits for k in range(*edit.old)}
    for k, word in enumerate(whole.spoken):
        if k not in gone:
            middle = (word.start + word.end) / 2
            shift = max(
                ((place, moved) for place, moved in shifts if place <= middle), default=(0.0, 0.0)
            )[1]
            words.append(scaled(word, word.start + shift, word.end + shift))
    words.sort(key=lambda word: word.start + word.end)
    for k in range(1, len(words)):  # joints may lie a few milliseconds inside a neighbour
        if words[k].start < words[k - 1].end:
            meeting = (words[k].start + words[k - 1].end) / 2
            words[k - 1] = scaled(words[k - 1], words[k - 1].start, meeting)
            words[k] = scaled(words[k], meeting, words[k].end)
    return covering(words, duration / rate, whole.score)


def covering(spoken: Sequence[Word], duration: float, score: float) -> Alignment:
    """An alignment of these words in order, with pauses wherever there is nothing between them."""
    words: list[Word] = []
    clock = 0.0
    for word in spoken:
        if word.start - clock > SNAP:
            words.append(pause(clock, word.start))
        elif word.start != clock:
            word = scaled(word, clock, word.end)
        words.append(word)
        clock = word.end
    if duration - clock > SNAP:
        words.append(pause(clock, duration))
    elif words and clock != duration:
        words[-1] = scaled(words[-1], words[-1].start, duration)
    return Alignment(tuple(words), duration, score)


def scaled(word: Word, start: float, end: float) -> Word:
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


def shown_words(text: Transcript) -> list[str]:
    """What subtitles show for each spoken word: the written token, once."""
    tokens = [word.token for word in text.words]
    return [
        "" if k and tokens[k - 1] == word.token else word.written
        for k, word in enumerate(text.words)
    ]


def _length(span: Sequence[int]) -> int:
    return int(span[1]) - int(span[0])
