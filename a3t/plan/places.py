"""Where in the recording each edit of the words takes place, and which pauses come with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from a3t.plan.phone_grid import GridPhone
from a3t.text.edit_script import WordEdit
from a3t.text.transcript import Transcript

LEAST_GAP = 2  # frames between two edits; with fewer there is no room for two joints


@dataclass(frozen=True)
class WordFrames:
    """Frames [first, last) of each spoken word; between words there may be a pause."""

    spans: tuple[tuple[int, int], ...]
    frames: int

    @classmethod
    def of(cls, grid: Sequence[GridPhone], words: int, frames: int) -> WordFrames:
        spans = [(frames, 0)] * words
        for phone in grid:
            if phone.word >= 0:
                first, last = spans[phone.word]
                spans[phone.word] = min(first, phone.first), max(last, phone.last)
        return cls(tuple(spans), frames)

    def pause_before(self, word: int) -> tuple[int, int]:
        """Frames between word - 1 (or the start) and word (or the end); often empty."""
        first = self.spans[word - 1][1] if word > 0 else 0
        last = self.spans[word][0] if word < len(self.spans) else self.frames
        return first, last


@dataclass(frozen=True)
class Place:
    """An edit of words on the grid: the frames that go, and the pauses made with the new words."""

    edit: WordEdit
    frames: tuple[int, int]
    # Seconds of the pauses made with the new words, by the number of new words before each; 0 for
    # one as long as this speaker's usually are.
    pauses: Mapping[int, float] = field(default_factory=dict)


def merge_touching(script: Sequence[WordEdit], words: WordFrames) -> list[WordEdit]:
    """Join edits whose kept words in between are too short to keep."""
    result: list[WordEdit] = []
    for edit in script:
        if result:
            last = result[-1]
            first_frame = words.pause_before(last.old[1])[0]
            if words.pause_before(edit.old[0])[1] - first_frame < LEAST_GAP:
                old, new = (last.old[0], edit.old[1]), (last.new[0], edit.new[1])
                result[-1] = WordEdit("replace", old, new)
                continue
        result.append(edit)
    return result


def place_edits(
    script: Sequence[WordEdit],
    words: WordFrames,
    new_text: Transcript,
    pauses: Mapping[int, float] | None = None,
) -> list[Place]:
    """The script's edits on the grid, in order; ``pauses`` are those that are put in."""
    result = []
    for edit in script:
        place = _place(edit, words, new_text)
        here = {k: x for k, x in (pauses or {}).items() if edit.new[0] <= k <= edit.new[1]}
        result.append(replace(place, pauses={**place.pauses, **here}))
    return result


def _place(edit: WordEdit, words: WordFrames, new_text: Transcript) -> Place:
    (first, last), (new_first, new_last) = edit.old, edit.new
    if edit.op == "delete":
        return Place(edit, _deleted(first, last, words))
    if new_first == new_last:  # nothing but a pause, in the middle of one that is there
        gap = words.pause_before(first)
        return Place(edit, (sum(gap) // 2, sum(gap) // 2))
    inside = {
        word + 1: 0.0 for word in range(new_first, new_last - 1) if new_text.words[word].pause_after
    }
    wants_after = new_text.words[new_last - 1].pause_after and new_last < len(new_text.words)
    if edit.op == "replace":
        # Pauses beside the replaced words stay; only what punctuation asks for and is not there
        # is made.
        start, end = words.spans[first][0], words.spans[last - 1][1]
        pause = words.pause_before(last)
        after = wants_after and pause[0] == pause[1]
        return Place(edit, (start, end), inside | ({new_last: 0.0} if after else {}))
    return _inserted(edit, words, new_text, inside, wants_after)


def _inserted(
    edit: WordEdit,
    words: WordFrames,
    new_text: Transcript,
    inside: dict[int, float],
    wants_after: bool,
) -> Place:
    """An insertion beside an existing pause leaves it on the side where the new text has one."""
    gap = words.pause_before(edit.old[0])
    at_start, at_end = edit.old[0] == 0, edit.old[0] == len(words.spans)
    wants_before = edit.new[0] > 0 and new_text.words[edit.new[0] - 1].pause_after
    here = gap[0] < gap[1]
    if at_start:
        place, before, after = gap[1], False, wants_after
    elif at_end:
        place, before, after = gap[0], wants_before, False
    elif wants_before:
        place, before, after = gap[1], not here, wants_after
    else:
        place, before, after = gap[0], False, wants_after and not here
    beside = ({edit.new[0]: 0.0} if before else {}) | ({edit.new[1]: 0.0} if after else {})
    return Place(edit, (place, place), inside | beside)


def _deleted(first: int, last: int, words: WordFrames) -> tuple[int, int]:
    """The words go; of two pauses that would meet, the shorter goes with them."""
    start, end = words.spans[first][0], words.spans[last - 1][1]
    before, after = words.pause_before(first), words.pause_before(last)
    if first == 0 or last == len(words.spans):
        return start, end  # the recording's own silence at its ends stays
    if before[0] < before[1] and after[0] < after[1]:
        if before[1] - before[0] < after[1] - after[0]:
            return before[0], end
        return start, after[1]
    return start, end
