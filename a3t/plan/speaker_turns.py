"""Whose turn an edit stands in, where a transcript names its speakers."""

from __future__ import annotations

from dataclasses import dataclass

from a3t.plan.places import Place, WordFrames
from a3t.text.speakers import turns_of
from a3t.text.transcript import Transcript

Range = tuple[int, int]  # [first, last)


@dataclass(frozen=True)
class OwnTurn:
    """The frames of the turn that an edit stands in, and all words that its speaker says in the
    recording; no words where nobody is named."""

    frames: Range
    words: frozenset[int] = frozenset()


def turn_at(place: Place, text: Transcript, new_text: Transcript, words: WordFrames) -> OwnTurn:
    """The turn that the new words at a place belong to, by the name that the new text has there; a
    deletion's is the one that it begins in."""
    turns = turns_of(text)
    if len(turns) < 2:
        return OwnTurn((0, words.frames))
    first, last = place.edit.new
    name = new_text.words[first].speaker if first < last else None
    begin, end = place.edit.old
    near = [turn for turn in turns if turn.first <= end and begin <= turn.last]
    own = next((turn for turn in near if turn.speaker == name), near[0])
    edges = [sum(words.pause_before(word)) // 2 for word in (own.first, own.last)]
    start = 0 if own is turns[0] else edges[0]
    stop = words.frames if own is turns[-1] else edges[1]
    said = (range(turn.first, turn.last) for turn in turns if turn.speaker == own.speaker)
    return OwnTurn((start, stop), frozenset(word for each in said for word in each))
