"""The speaker in whose turn an edit stands, where a transcript names speakers."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from a3t.plan.edit_sites import Place, WordFrames
from a3t.text.transcript import Transcript, turns_of

Range = tuple[int, int]  # [first, last)


@dataclass(frozen=True)
class OwnTurn:
    """The frames of the turn that an edit stands in, and all words that its speaker says in the
    recording; no words where nobody is named."""

    frames: Range
    words: frozenset[int] = frozenset()


def turns_at(
    places: Sequence[Place], text: Transcript, new_text: Transcript, words: WordFrames
) -> list[OwnTurn]:
    """The turn of each place's new words, by the name in the new text; a deletion's is the one that
    it begins in."""
    turns = turns_of(text)
    if len(turns) < 2:
        return [OwnTurn((0, words.frames))] * len(places)
    firsts, lasts = [turn.first for turn in turns], [turn.last for turn in turns]
    said: dict[str | None, list[int]] = {}
    for turn in turns:
        said.setdefault(turn.speaker, []).extend(range(turn.first, turn.last))
    words_of = {speaker: frozenset(own) for speaker, own in said.items()}

    def turn_at(place: Place) -> OwnTurn:
        first, last = place.edit.new
        name = new_text.words[first].speaker if first < last else None
        begin, end = place.edit.old
        near = turns[bisect_left(lasts, begin) : bisect_right(firsts, end)]
        own = next((turn for turn in near if turn.speaker == name), near[0])
        edges = [sum(words.pause_before(word)) // 2 for word in (own.first, own.last)]
        start = 0 if own is turns[0] else edges[0]
        stop = words.frames if own is turns[-1] else edges[1]
        return OwnTurn((start, stop), words_of[own.speaker])

    return [turn_at(place) for place in places]
