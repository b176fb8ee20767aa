"""The model's view of each edit: a few seconds of context, as in training."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from a3t.plan.edit_plan import EditPlan, PlannedEdit, PlannedPhone, Window
from a3t.plan.word_grid import GridPhone
from a3t.spans import Span

CONTEXT = 240  # frames of the recording around an edit, 3 s in total

MAX_WINDOW_FRAMES = 480  # most frames of a window with several edits, 6 s

ENOUGH = 80  # frames of a speaker's own turn, a second

TOGETHER = 80  # frames; edits within a second of each other are filled together


def windows_around(
    edits: Sequence[PlannedEdit],
    grid: Sequence[GridPhone],
    frames: int,
    turns: Sequence[Span] = (),
) -> tuple[Window, ...]:
    """Group the edits that need the model, and give each group its context.

    The context is split evenly between the two sides unless one has too little; it starts and ends
    at phone boundaries and never reaches into another window's edit, nor into another speaker's
    turn (``turns``: for each edit, the frames of its own), unless its own has less than `ENOUGH`.
    """
    turns = turns or [(0, frames)] * len(edits)
    groups: list[list[int]] = []
    for k, edit in enumerate(edits):
        if not edit.is_spoken:
            continue
        if groups:
            first, last = edits[groups[-1][0]], edits[groups[-1][-1]]
            near = edit.source[0] - last.source[1] <= TOGETHER
            near &= not any(edits[j].taken for j in range(groups[-1][-1] + 1, k))
            near &= turns[k] == turns[groups[-1][-1]]
            made = sum(edits[j].frames for j in groups[-1]) + edit.frames
            if near and edit.source[1] - first.source[0] + made <= MAX_WINDOW_FRAMES - CONTEXT:
                groups[-1].append(k)
                continue
        groups.append([k])
    return tuple(_window(group, edits, grid, frames, turns[group[0]]) for group in groups)


def _window(
    group: list[int],
    edits: Sequence[PlannedEdit],
    grid: Sequence[GridPhone],
    frames: int,
    turn: Span,
) -> Window:
    first, last = edits[group[0]].source[0], edits[group[-1]].source[1]
    inner = range(group[0], group[-1] + 1)
    left_limit = edits[group[0] - 1].source[1] if group[0] > 0 else 0
    right_limit = edits[group[-1] + 1].source[0] if group[-1] + 1 < len(edits) else frames
    if min(first, turn[1]) - turn[0] + turn[1] - max(last, turn[0]) >= ENOUGH:
        left_limit, right_limit = max(left_limit, turn[0]), min(right_limit, turn[1])
        left_limit, right_limit = min(left_limit, first), max(right_limit, last)
    # Whole phones, as far as what is regenerated reaches, even if a cut or a turn ends in one.
    begin = max(edits[group[0]].remade[0] - edits[group[0]].overlap[0], 0)
    end = min(edits[group[-1]].remade[1] + edits[group[-1]].overlap[1], frames)
    left_limit = min([left_limit, *(p.first for p in grid[_within(grid, begin, begin)])])
    right_limit = max([right_limit, *(p.last for p in grid[_within(grid, end - 1, end - 1)])])
    # The context also ends at deleted frames, which are not part of the new speech.
    left = min(CONTEXT // 2, first - left_limit)
    right = min(CONTEXT - left, right_limit - last)
    left = min(CONTEXT - right, first - left_limit)
    before, after = _within(grid, left_limit, first), _within(grid, last - 1, right_limit)
    starts = [p.first for p in grid[before] if left_limit <= p.first <= first]
    ends = [p.last for p in grid[after] if last <= p.last <= right_limit]
    start = min(starts, key=lambda frame: abs(frame - (first - left)), default=first)
    stop = min(ends, key=lambda frame: abs(frame - (last + right)), default=last)
    return Window((min(start, first), max(stop, last)), tuple(inner))


def _within(grid: Sequence[GridPhone], first: int, last: int) -> slice:
    """Return the slice of phones with frames in [first, last]; ``grid`` is in order."""
    begin = bisect_right(grid, first, key=lambda phone: phone.first)
    return slice(max(begin - 1, 0), bisect_right(grid, last, key=lambda phone: phone.first))


@dataclass(frozen=True)
class WindowFrames:
    """A window of the edited speech, frame by frame: phones that are kept, and new ones."""

    phones: tuple[GridPhone | PlannedPhone, ...]
    source: np.ndarray  # (N,) index of the recording's frame, -1 for a new one
    masked: np.ndarray  # (N,) bool, the frames that the model fills
    spans: dict[int, Span]  # edit -> frames of its new phones

    @classmethod
    def of(
        cls,
        phones: Sequence[GridPhone | PlannedPhone],
        spans: dict[int, Span] | None = None,
        remade: Sequence[Span] = (),
    ) -> WindowFrames:
        """Lay phones out in frames; new phones and ``remade`` source frames are masked."""
        pieces = [
            np.arange(phone.first, phone.last)
            if isinstance(phone, GridPhone)
            else np.full(phone.frames, -1)
            for phone in phones
        ]
        source = np.concatenate([np.zeros(0, np.int64), *pieces])
        masked = source < 0
        for first, last in remade:
            masked |= (first <= source) & (source < last)
        return cls(tuple(phones), source, masked, spans or {})

    @property
    def phone_of_frame(self) -> np.ndarray:
        """(N,) the index of each frame's phone."""
        return np.repeat(np.arange(len(self.phones)), [phone.frames for phone in self.phones])


def lay_out(plan: EditPlan, window: Window) -> WindowFrames:
    """Lay out a window after the edit: kept phones, new ones in their places, margins masked."""
    phones: list[GridPhone | PlannedPhone] = []
    spans: dict[int, Span] = {}
    edits = list(window.edits)
    place = 0

    def add_edit(k: int) -> None:
        nonlocal place
        spans[k] = (place, place + plan.edits[k].frames)
        phones.extend(plan.edits[k].phones)
        place = spans[k][1]

    removed = [plan.edits[k].source for k in edits]
    for phone in plan.phones[_within(plan.phones, *window.source)]:
        while edits and phone.first >= plan.edits[edits[0]].source[0]:
            add_edit(edits.pop(0))
        inside = window.source[0] <= phone.first < window.source[1]
        if inside and not any(first <= phone.first < last for first, last in removed):
            phones.append(phone)
            place += phone.frames
    for k in edits:
        add_edit(k)
    made = [plan.edits[k] for k in window.edits if plan.edits[k].is_spoken]
    return WindowFrames.of(phones, spans, [edit.remade for edit in made])
