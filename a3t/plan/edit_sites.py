"""The place of each word edit and of each cut on the grid."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, floor
from operator import itemgetter

from a3t.grid import FRAMES_PER_SECOND, seconds_of
from a3t.plan.request import Cut, ReusedWords
from a3t.plan.word_grid import WordFrames
from a3t.spans import Margins, Span, SpanMap
from a3t.text.comparison.edit_script import WordEdit
from a3t.text.transcript import Transcript, turns_of

# Words that begin a phrase: nobody pauses after them.
LEADING_ON = frozenset(
    "a an the and or but nor so yet that which who whom whose when where while if though although "
    "because as than of in on at by for from to with into onto over under after before through "
    "my your his her its our their this these those some any no every each very quite too".split()
)
MIN_GAP_FRAMES = 2  # frames between two edits; fewer leave no room for two joints


@dataclass(frozen=True)
class PlacedEdit:
    """A word edit on the grid: the frames that it removes, and the pauses that it adds.

    label, beside: of a cut (`a3t.plan.request`), what stands for its sound, and the number of
    frames between it and the words on either side. recorded: where its new words are recorded, if
    anywhere.
    """

    edit: WordEdit
    frames: Span
    # The added pauses: number of new words before it -> seconds, 0 for this speaker's usual length.
    pauses: Mapping[int, float] = field(default_factory=dict)
    label: str = ""
    beside: Margins | None = None
    recorded: tuple[ReusedWords, ...] = ()

    @property
    def is_spoken(self) -> bool:
        """True if it has new words that are made."""
        return self.edit.new[0] < self.edit.new[1] and not self.recorded


def merge_touching(script: Sequence[WordEdit], words: WordFrames) -> list[WordEdit]:
    """Merge edits between which too few frames are kept for two joints."""
    result: list[WordEdit] = []
    for edit in script:
        if result:
            last = result[-1]
            first_frame = words.pause_before(last.old[1])[0]
            if words.pause_before(edit.old[0])[1] - first_frame < MIN_GAP_FRAMES:
                old, new = (last.old[0], edit.old[1]), (last.new[0], edit.new[1])
                result[-1] = WordEdit("replace", old, new)
                continue
        result.append(edit)
    return result


def place_edits(
    script: Sequence[WordEdit],
    words: WordFrames,
    text: Transcript,
    new_text: Transcript,
    pauses: Mapping[int, float] | None = None,
) -> list[PlacedEdit]:
    """Place the edits of a script on the grid, in order.

    pauses: those that the new text adds.
    """
    result = []
    for edit in script:
        site = _site(edit, words, text, new_text)
        asked = range(edit.new[0], edit.new[1] + 1)
        here = {k: pauses[k] for k in asked if pauses and k in pauses}
        frames = site.frames
        if here and edit.op == "delete":  # the pause takes the place of the words alone
            first, last = edit.old
            frames = words.spans[first][0], words.spans[last - 1][1]
        result.append(PlacedEdit(edit, frames, {**site.pauses, **here}))
    return result


def _site(edit: WordEdit, words: WordFrames, text: Transcript, new_text: Transcript) -> PlacedEdit:
    (first, last), (new_first, new_last) = edit.old, edit.new
    if edit.op == "delete":
        return PlacedEdit(edit, _deleted(first, last, words))
    if new_first == new_last:  # a pause alone, placed in the middle of the existing one
        gap = words.pause_before(first)
        return PlacedEdit(edit, (sum(gap) // 2, sum(gap) // 2))
    inside = {
        word + 1: 0.0 for word in range(new_first, new_last - 1) if new_text.words[word].pause_after
    }
    wants_after = new_text.words[new_last - 1].pause_after and new_last < len(new_text.words)
    if edit.op == "replace":
        # Pauses beside the replaced words stay; one is added only where punctuation newly asks for
        # it and there is none. Where the old text asked as well, this speaker went on without.
        start, end = words.spans[first][0], words.spans[last - 1][1]
        pause = words.pause_before(last)
        asked = text.words[last - 1].pause_after
        after = wants_after and pause[0] == pause[1] and not asked
        return PlacedEdit(edit, (start, end), inside | ({new_last: 0.0} if after else {}))
    return _inserted(edit, words, new_text, inside, wants_after)


def _inserted(
    edit: WordEdit,
    words: WordFrames,
    new_text: Transcript,
    inside: dict[int, float],
    wants_after: bool,
) -> PlacedEdit:
    """Place an insertion beside an existing pause.

    The pause stays on the side where the new text has it. If it has it on neither side, the new
    words end what was said before the pause, unless the last of them leads on to what follows.
    """
    gap = words.pause_before(edit.old[0])
    at_start, at_end = edit.old[0] == 0, edit.old[0] == len(words.spans)
    wants_before = edit.new[0] > 0 and new_text.words[edit.new[0] - 1].pause_after
    here = gap[0] < gap[1]
    leads_on = new_text.words[edit.new[1] - 1].text.lower() in LEADING_ON
    if at_start:
        place, before, after = gap[1], False, wants_after
    elif at_end:
        place, before, after = gap[0], wants_before, False
    elif not wants_before and (wants_after or not leads_on):
        place, before, after = gap[0], False, wants_after and not here
    else:
        place, before, after = gap[1], wants_before and not here, wants_after
    beside = ({edit.new[0]: 0.0} if before else {}) | ({edit.new[1]: 0.0} if after else {})
    return PlacedEdit(edit, (place, place), inside | beside)


def _deleted(first: int, last: int, words: WordFrames) -> Span:
    """Return the frames to delete with words.

    They include the shorter of two pauses that would meet. Sound without a word stays, whichever
    word it belongs to.
    """
    start, end = words.spans[first][0], words.spans[last - 1][1]
    before, after = words.pause_before(first), words.pause_before(last)
    if first == 0 or last == len(words.spans):
        return start, end  # the silence at the recording's ends stays
    if before[0] < before[1] and after[0] < after[1]:
        # Of two equally long pauses the one after the words goes.
        meeting = ((last, after, (start, after[1])), (first, before, (before[0], end)))
        silent = [
            (gap[1] - gap[0], span) for word, gap, span in meeting if word not in words.unwritten
        ]
        if silent:
            return min(silent, key=itemgetter(0))[1]
    return start, end


@dataclass(frozen=True)
class OwnTurn:
    """The speaker's turn that an edit stands in.

    frames: of the turn. words: all that its speaker says in the recording; none where nobody is
    named.
    """

    frames: Span
    words: frozenset[int] = frozenset()


def turns_at(
    sites: Sequence[PlacedEdit], text: Transcript, new_text: Transcript, words: WordFrames
) -> list[OwnTurn]:
    """Return the turn of each site's new words.

    The speaker's name in the new text decides. A deletion belongs to the turn that it begins in.
    """
    turns = turns_of(text)
    if len(turns) < 2:
        return [OwnTurn((0, words.frames))] * len(sites)
    firsts, lasts = [turn.first for turn in turns], [turn.last for turn in turns]
    said: dict[str | None, list[int]] = {}
    for turn in turns:
        said.setdefault(turn.speaker, []).extend(range(turn.first, turn.last))
    words_of = {speaker: frozenset(own) for speaker, own in said.items()}

    def turn_at(site: PlacedEdit) -> OwnTurn:
        first, last = site.edit.new
        name = new_text.words[first].speaker if first < last else None
        begin, end = site.edit.old
        near = turns[bisect_left(lasts, begin) : bisect_right(firsts, end)]
        own = next((turn for turn in near if turn.speaker == name), near[0])
        edges = [sum(words.pause_before(word)) // 2 for word in (own.first, own.last)]
        start = 0 if own is turns[0] else edges[0]
        stop = words.frames if own is turns[-1] else edges[1]
        return OwnTurn((start, stop), words_of[own.speaker])

    return [turn_at(site) for site in sites]


def place_cuts(
    cuts: Sequence[Cut], sites: Sequence[PlacedEdit], words: WordFrames, new_words: SpanMap
) -> list[PlacedEdit]:
    """Add cuts to the sites of a text's edits, in order.

    A cut stays between two words. One that touches deleted words joins that deletion; one beside
    new words, which bring their own pauses, is dropped.
    """
    starts = [first for first, _ in words.spans]
    found = list(sites)
    for cut in cuts:
        frames = (ceil(cut.start * FRAMES_PER_SECOND), floor(cut.end * FRAMES_PER_SECOND))
        lacking = MIN_GAP_FRAMES - (frames[1] - frames[0])
        if cut.action == "mute" and lacking > 0:  # a click; some of the silence beside it as well
            frames = frames[0] - (lacking + 1) // 2, frames[1] + lacking // 2
        beside = bisect_left(found, frames, key=lambda site: site.frames)
        near = [p for p in found[max(beside - 1, 0) : beside + 1] if _touches(frames, p.frames)]
        if near:
            words_go = (p.edit.op == "delete" and p.edit.old[0] < p.edit.old[1] for p in near)
            if all(words_go):
                found[found.index(near[0])] = _with_deletion(near[0], frames, words)
            continue
        before = bisect_left(starts, sum(frames) / 2)
        gap = words.pause_before(before)
        frames = max(frames[0], gap[0]), min(frames[1], gap[1])
        if frames[1] - frames[0] < MIN_GAP_FRAMES:
            continue
        word = new_words.output_of(before) if before < new_words.length else new_words.output_length
        edit = WordEdit("delete", (before, before), (word, word))
        pauses = {word: seconds_of(frames[1] - frames[0])} if cut.action == "mute" else {}
        room = (frames[0] - gap[0], gap[1] - frames[1])
        found.insert(beside, PlacedEdit(edit, frames, pauses, cut.label, room))
    return found


def _touches(one: Span, other: Span) -> bool:
    return one[0] < other[1] + MIN_GAP_FRAMES and other[0] < one[1] + MIN_GAP_FRAMES


def _with_deletion(site: PlacedEdit, frames: Span, words: WordFrames) -> PlacedEdit:
    """Extend a deletion by a cut beside it, or to a cut around it.

    A muted deletion is muted for that long.
    """
    first, last = site.edit.old
    before, after = words.pause_before(first), words.pause_before(last)
    frames = max(frames[0], before[0]), min(frames[1], after[1])
    if frames[0] >= frames[1]:  # beyond the next word
        return site
    if not (frames[0] <= before[1] and after[0] <= frames[1]):
        frames = min(site.frames[0], frames[0]), max(site.frames[1], frames[1])
    pauses = {word: seconds_of(frames[1] - frames[0]) for word in site.pauses}
    room = (frames[0] - before[0], after[1] - frames[1])
    return replace(site, frames=frames, pauses=pauses, beside=room)


def room_beside(site: PlacedEdit, overlap: Margins) -> Margins:
    """Limit the overlap of a cut's joints to the silence beside it.

    At least one frame remains on each side.
    """
    if site.beside is None:
        return overlap
    before, after = site.beside
    return min(overlap[0], max(before, 1)), min(overlap[1], max(after, 1))
