"""The recording's phones on the frames of `a3t.grid`, this speaker's pauses, and the place of each
word edit and of each cut among them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import ceil, floor
from operator import itemgetter
from statistics import median

from a3t.errors import InputError
from a3t.grid import FRAMES_PER_SECOND, frames_of, seconds_of
from a3t.plan.request import Cut, ReusedWords
from a3t.spans import Margins, Span, SpanMap
from a3t.text.comparison.edit_script import WordEdit
from a3t.text.phones import PAUSE
from a3t.text.transcript import MARKS, Transcript, turns_of
from alignment import Alignment

GAP = 0.1  # seconds; a longer gap between two words is a pause, a shorter one is rounding


@dataclass(frozen=True, slots=True)
class GridPhone:
    """A phone on the grid: frames [first, last), and its spoken word's index (-1 for a pause)."""

    symbol: str
    first: int
    last: int
    word: int

    @property
    def frames(self) -> int:
        return self.last - self.first


def on_grid(alignment: Alignment, frames: int) -> tuple[GridPhone, ...]:
    """The alignment's phones on frames [0, ``frames``): no gaps, at least one frame per phone.

    Stretches that the alignment leaves out become pauses. Raises InputError if there are more
    phones than frames.
    """
    symbols: list[tuple[str, int]] = []
    ends: list[float] = []
    spoken = 0
    end = 0.0
    for word in alignment.words:
        if word.start - end > GAP:
            symbols.append((PAUSE, -1))
            ends.append(word.start)
        end = word.end
        for phone in word.phones:
            symbols.append((phone.symbol, -1 if word.is_pause else spoken))
            ends.append(phone.end)
        spoken += not word.is_pause
    if alignment.duration - end > GAP:
        symbols.append((PAUSE, -1))
        ends.append(alignment.duration)
    edges = frame_edges([0.0, *ends], frames)
    return tuple(
        GridPhone(symbol, first, last, word)
        for (symbol, word), first, last in zip(symbols, edges, edges[1:], strict=False)
    )


def frame_edges(seconds: Sequence[float], frames: int) -> list[int]:
    """Ascending times as strictly ascending frames, from 0 to ``frames``."""
    count = len(seconds) - 1
    if count > frames:
        raise InputError(
            f"The text has {count} phones but the recording has only {frames} frames of 12.5 ms: "
            "check that the text belongs to the recording."
        )
    edges = [frames_of(time) for time in seconds]
    edges[0], edges[-1] = 0, frames
    for k in range(1, count):  # at least one frame each, going right …
        edges[k] = max(edges[k], edges[k - 1] + 1)
    for k in range(count - 1, 0, -1):  # … and going left
        edges[k] = min(edges[k], edges[k + 1] - 1)
    return edges


PAUSES = (4, 160)  # frames; shorter is a stop's closure, longer a break or unaligned speech
_ENOUGH = 3  # places of a kind that are needed to know this speaker's habit
_INSTEAD = {"?": ".", "—": ",", ":": ","}  # a similar kind, for a kind with too few places


def usual_pauses(text: Transcript, grid: Sequence[GridPhone]) -> dict[str, float]:
    """This speaker's median pause in frames after each of MARKS; 0 where they make none.

    A kind with too few places in the recording falls back on a similar kind, and then on the median
    of all pauses, which is also used for a text without punctuation. Empty if the recording has no
    pauses. Silence at the recording's ends doesn't count.
    """
    pauses = _pauses(text, grid)
    if not pauses:
        return {}
    of_kind: dict[str, list[int]] = {mark: [] for mark in MARKS}
    for index, word in enumerate(text.words[:-1]):
        if word.mark:
            of_kind[word.mark].append(pauses.get(index, 0))
    overall = float(median(pauses.values()))
    result: dict[str, float] = {}
    for mark in MARKS:
        similar = [*of_kind[mark]]
        if len(similar) < _ENOUGH and mark in _INSTEAD:
            similar += of_kind[_INSTEAD[mark]]
        result[mark] = _usual(similar, overall)
    return result


def _usual(frames: Sequence[int], overall: float) -> float:
    """The median of a kind's pauses, 0 if most places have none; if there are few pauses, it is
    drawn towards ``overall``."""
    pauses = [length for length in frames if length]
    if len(frames) >= _ENOUGH and 2 * len(pauses) < len(frames):
        return 0.0
    missing = max(_ENOUGH - len(pauses), 0)
    return float(median([*pauses, *[overall] * missing]))


def _pauses(text: Transcript, grid: Sequence[GridPhone]) -> Mapping[int, int]:
    """The frames of the pause after each word that has one, except the last word."""
    return {
        before.word: phone.frames
        for before, phone in pairwise(grid)
        if 0 <= before.word < len(text.words) - 1
        and phone.word < 0
        and PAUSES[0] <= phone.frames <= PAUSES[1]
    }


MIN_GAP_FRAMES = 2  # frames between two edits; fewer leave no room for two joints


@dataclass(frozen=True)
class WordFrames:
    """Frames [first, last) of each spoken word; there may be pauses between words, and before
    some (`unwritten`, by number) sound that has no word."""

    spans: tuple[Span, ...]
    frames: int
    unwritten: frozenset[int] = frozenset()

    @classmethod
    def of(
        cls,
        grid: Sequence[GridPhone],
        words: int,
        frames: int,
        unwritten: frozenset[int] = frozenset(),
    ) -> WordFrames:
        spans = [(frames, 0)] * words
        for phone in grid:
            if phone.word >= 0:
                first, last = spans[phone.word]
                spans[phone.word] = min(first, phone.first), max(last, phone.last)
        return cls(tuple(spans), frames, unwritten)

    def pause_before(self, word: int) -> Span:
        """The frames between word - 1 (or the start) and word (or the end); often empty."""
        first = self.spans[word - 1][1] if word > 0 else 0
        last = self.spans[word][0] if word < len(self.spans) else self.frames
        return first, last


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
    """The script's edits on the grid, in order; ``pauses`` are those that the new text adds."""
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
    """An insertion next to an existing pause, which stays on the side where the new text has it;
    if on neither, what is inserted stands next to the word that follows."""
    gap = words.pause_before(edit.old[0])
    at_start, at_end = edit.old[0] == 0, edit.old[0] == len(words.spans)
    wants_before = edit.new[0] > 0 and new_text.words[edit.new[0] - 1].pause_after
    here = gap[0] < gap[1]
    if at_start:
        place, before, after = gap[1], False, wants_after
    elif at_end:
        place, before, after = gap[0], wants_before, False
    elif wants_after and not wants_before:
        place, before, after = gap[0], False, not here
    else:
        place, before, after = gap[1], wants_before and not here, wants_after
    beside = ({edit.new[0]: 0.0} if before else {}) | ({edit.new[1]: 0.0} if after else {})
    return PlacedEdit(edit, (place, place), inside | beside)


def _deleted(first: int, last: int, words: WordFrames) -> Span:
    """The frames of deleted words, with the shorter of two pauses that would meet; sound without a
    word stays, whichever word it belongs to."""
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
    """The frames of the turn that an edit stands in, and all words that its speaker says in the
    recording; no words where nobody is named."""

    frames: Span
    words: frozenset[int] = frozenset()


def turns_at(
    sites: Sequence[PlacedEdit], text: Transcript, new_text: Transcript, words: WordFrames
) -> list[OwnTurn]:
    """The turn of each site's new words, by the name in the new text; a deletion's is the one that
    it begins in."""
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
    """The sites of a text's edits and of the cuts, in order.

    A cut keeps to the frames between two words. One that touches deleted words goes with them; one
    beside new words, which bring their own pauses, is left out.
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
    """A deletion that takes a cut beside it along, or all of a cut around it and no more; what is
    muted is muted for as long."""
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
    """The frames beside a cut that its joints may use: those before the next words, at least one
    of them."""
    if site.beside is None:
        return overlap
    before, after = site.beside
    return min(overlap[0], max(before, 1)), min(overlap[1], max(after, 1))
