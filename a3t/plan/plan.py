"""The EditPlan: which frames go, which phones come, how long they take, and who sees what.

Thesis, section 4.3.5, with the edit script in place of one span (method.md, fault 6).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from a3t.errors import InputError
from a3t.plan.durations import DurationPredictor, rate_ratio, whole_frames
from a3t.plan.grid import on_grid
from a3t.plan.places import Place, WordFrames, merge_touching, place_edits
from a3t.plan.windows import windows_around
from a3t.records import USUAL, Asked, EditPlan, GridPhone, PlannedEdit, PlannedPhone
from a3t.text.edit_script import edit_script
from a3t.text.phones import PAUSE
from a3t.text.transcript import Transcript
from alignment.records import Alignment

SECOND = 80  # frames
OVERLAP = 6  # frames free for the joint on either side, 75 ms
PAUSE_FRAMES = (8, 40)  # a made pause: 0.1 to 0.5 s
TIGHTEST = 2.5  # beyond this much faster or slower nobody speaks
LONGEST_EDIT = 4800  # frames made in one piece, a minute: attention's memory grows with the square

Pronunciation = Sequence[str]


def make_plan(
    text: Transcript,
    new_text: Transcript,
    alignment: Alignment,
    pronunciations: Sequence[Pronunciation],
    durations: DurationPredictor,
    frames: int,
    asked: Asked = USUAL,
) -> EditPlan:
    """Plan the edits that make the recording say ``new_text``.


    ``pronunciations`` has one entry for each spoken word of ``new_text``; ``frames`` is the
    recording's length on the grid. Raises InputError if the alignment is another text's, if an edit
    has more than a minute of new words, if they can't fit, or if nothing would be left.
    """
    if [word.text for word in alignment.spoken] != list(text.spoken):
        raise InputError(
            "The alignment's words are not the text's: give the text that was aligned."
        )
    grid = on_grid(alignment, frames)
    words = WordFrames.of(grid, len(text.spoken), frames)
    script = merge_touching(edit_script(text.spoken, new_text.spoken), words)
    places = place_edits(script, words, text, new_text)
    timeline = _timeline(grid, places, pronunciations)
    slots = {k: p.frames[1] - p.frames[0] for k, p in enumerate(places) if p.edit.op == "replace"}
    phones, rate, scales = _timed(
        timeline, grid, durations, asked.speed, slots if asked.fit else {}
    )
    for k, scale in scales.items():
        if not 1 / TIGHTEST <= scale <= TIGHTEST:
            named = shortened(new_text.written(*places[k].edit.new))
            raise InputError(
                f"“{named}” would take {1 / scale:.1f} times as long as what it replaces: change "
                "the words, or let the recording's length change."
            )

    edits = []
    limits = [(a.frames[1], b.frames[0]) for a, b in pairwise(places)]
    gaps = [places[0].frames[0] if places else 0, *(b - a for a, b in limits)]
    gaps.append(frames - places[-1].frames[1] if places else 0)
    for k, place in enumerate(places):
        # Two edits share what lies between them; the file's ends are shared with nobody.
        left = gaps[k] if k == 0 else gaps[k] // 2
        right = gaps[k + 1] if k == len(places) - 1 else gaps[k + 1] // 2
        made = tuple(phones.get(k, ()))  # a deletion makes none
        remade = tuple(
            min(round(asked.margin * SECOND), side // 2) if made else 0 for side in (left, right)
        )
        overlap = tuple(
            min(OVERLAP, side - m) for side, m in zip((left, right), remade, strict=True)
        )
        edits.append(
            PlannedEdit(
                op=place.edit.op,
                old=place.edit.old,
                new=place.edit.new,
                old_words=text.written(*place.edit.old),
                new_words=new_text.written(*place.edit.new),
                source=place.frames,
                phones=made,
                margin=remade,  # type: ignore[arg-type]
                overlap=overlap,  # type: ignore[arg-type]
                scale=scales.get(k, 1.0),
            )
        )
    planned = tuple(edits)
    for edit in planned:
        if sum(phone.frames for phone in edit.phones) > LONGEST_EDIT:
            raise InputError(
                f"The new words “{shortened(edit.new_words)}” would take more than a minute: make "
                "them in several edits."
            )
    windows = windows_around(planned, grid, frames)
    return EditPlan(text, new_text, alignment, grid, frames, planned, windows, rate, asked)


def shortened(words: str, letters: int = 40) -> str:
    """The beginning of a long text, for a message."""
    return words if len(words) <= letters else f"{words[:letters].rsplit(' ', 1)[0]} …"


def _timeline(
    grid: Sequence[GridPhone], places: Sequence[Place], pronunciations: Sequence[Pronunciation]
) -> list[tuple[int, PlannedPhone]]:
    """All phones of the edited speech with the edit they belong to (-1: kept), frames 0 if new."""
    result: list[tuple[int, PlannedPhone]] = []
    shift = 0  # new word index minus old word index of what is kept
    remaining = list(enumerate(places))

    def new_phones(k: int, place: Place) -> None:
        first, last = place.edit.new
        if place.pause_before:
            result.append((k, PlannedPhone(PAUSE, 0, -1)))
        for word in range(first, last):
            result.extend((k, PlannedPhone(s, 0, word)) for s in pronunciations[word])
            if word in place.pauses_after:
                result.append((k, PlannedPhone(PAUSE, 0, -1)))

    for phone in grid:
        while remaining and phone.first >= remaining[0][1].frames[0]:
            k, place = remaining.pop(0)
            new_phones(k, place)
            shift = place.edit.new[1] - place.edit.old[1]
        gone = any(p.frames[0] <= phone.first < p.frames[1] for p in places)
        if not gone:
            word = phone.word + shift if phone.word >= 0 else -1
            result.append((-1, PlannedPhone(phone.symbol, phone.frames, word, phone.first)))
    for k, place in remaining:
        new_phones(k, place)
    return result


def _timed(
    timeline: Sequence[tuple[int, PlannedPhone]],
    grid: Sequence[GridPhone],
    durations: DurationPredictor,
    speed: float,
    slots: Mapping[int, int],
) -> tuple[Mapping[int, list[PlannedPhone]], float, Mapping[int, float]]:
    """The new phones of each edit with their frames, and the ratio they were scaled by.

    An edit with a slot is scaled once more, to so many frames; the last result says by how much.
    """
    made: dict[int, list[PlannedPhone]] = {k: [] for k, _ in timeline if k >= 0}
    old = durations.frames([p.symbol for p in grid], [p.word for p in grid])
    spoken = [k for k, phone in enumerate(grid) if phone.word >= 0]
    ratio = rate_ratio([grid[k].frames for k in spoken], [old[k] for k in spoken]) / speed
    scales: dict[int, float] = {}
    if not made:
        return made, ratio, scales
    new = durations.frames([p.symbol for _, p in timeline], [p.word for _, p in timeline])
    for k in made:
        own = [(p, new[n]) for n, (edit, p) in enumerate(timeline) if edit == k]
        lengths = [scaled(p.symbol, length, ratio) for p, length in own]
        if k in slots:
            scales[k] = slots[k] / sum(lengths)
            lengths = [length * scales[k] for length in lengths]
        for (phone, _), frames in zip(own, whole_frames(lengths), strict=True):
            made[k].append(PlannedPhone(phone.symbol, frames, phone.word))
    return made, ratio, scales


def scaled(symbol: str, frames: float, ratio: float) -> float:
    """A predicted duration at this speaker's rate; a pause stays within natural bounds."""
    if symbol != PAUSE:
        return frames * ratio
    return min(max(frames * ratio, PAUSE_FRAMES[0]), PAUSE_FRAMES[1])
