"""Sound between words that an edit cuts, or mutes with the recording's own room tone."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, floor

from a3t.errors import InputError
from a3t.grid import FRAMES_PER_SECOND, seconds_of
from a3t.plan.edit_limits import check_edits
from a3t.plan.edit_sites import MIN_GAP_FRAMES, PlacedEdit, WordFrames
from a3t.plan.json_values import MAX_RECORDING_SECONDS
from a3t.spans import Margins, Span, SpanMap
from a3t.text.comparison.edit_script import WordEdit
from alignment.serialisation import Record

KINDS = ("filler", "repeat", "noise", "pause")
RETAKE = "retake"
ALL_KINDS = (*KINDS, RETAKE, "breath", "click")  # those that are looked for on request as well
NAMED = "word"  # the kind of a word that is to be hidden
ACTIONS = ("cut", "mute")
BLEEP = "bleep"  # what else may become of a word


@dataclass(frozen=True, slots=True)
class Cut(Record):
    """Seconds [start, end) of a recording between two of its words, what is there (one of
    ALL_KINDS), and what becomes of it (one of ACTIONS); or of NAMED words, muted or with a BLEEP.
    Raises InputError for anything else."""

    kind: str
    action: str
    start: float
    end: float

    def __post_init__(self) -> None:
        hides = self.kind == NAMED and self.action in ("mute", BLEEP)
        known = hides or (self.kind in ALL_KINDS and self.action in ACTIONS)
        if not known or not 0 <= self.start < self.end <= MAX_RECORDING_SECONDS:
            raise InputError(
                f"“{self.action} {self.kind} {self.start:g}–{self.end:g} s” is no cut: give one of "
                f"{', '.join(ACTIONS)}, one of {', '.join(ALL_KINDS)}, and a start before its end."
            )

    @property
    def label(self) -> str:
        """The text that stands for it where an edit's words are shown."""
        if self.kind == "pause":
            return f"[{self.end - self.start:.2f} s of a pause]"
        return f"[{self.kind}]"


def check_cuts(cuts: Sequence[Cut]) -> None:
    """InputError unless they are in order, apart, and not too many."""
    check_edits(len(cuts))
    if any(one.end > other.start for one, other in zip(cuts, cuts[1:], strict=False)):
        raise InputError("The cuts overlap or are out of order: sort them by time.")


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
