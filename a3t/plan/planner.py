"""Plan an edit: the frames to remove, the phones to add, and their durations.

Durations are this speaker's, the requested ones, or a plan file's. Section 4.3.5 of He Bai's
thesis, "Novel Methods for Natural Language Modeling and Pretraining" (University of Waterloo,
2023), extended to any number of edits.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate, groupby, pairwise
from types import MappingProxyType

from a3t.errors import InputError
from a3t.grid import FRAMES_PER_SECOND, frames_of, seconds_of
from a3t.model.variance.durations import DurationPredictor, rate_ratio, whole_frames
from a3t.plan.edit_limits import check_edit_length, shortened
from a3t.plan.edit_plan import EditPlan, PlannedEdit, PlannedPhone, PlannedWord, ReusedSpeech
from a3t.plan.edit_sites import (
    PlacedEdit,
    merge_touching,
    place_cuts,
    place_edits,
    room_beside,
    turns_at,
)
from a3t.plan.edit_windows import windows_around
from a3t.plan.punch_in import punched_in
from a3t.plan.request import EditRequest
from a3t.plan.reuse import RecordedTexts, chosen_words, origins_of, with_room
from a3t.plan.revision import Revision, word_map
from a3t.plan.usual_pauses import usual_pauses
from a3t.plan.word_grid import GridPhone, WordFrames, on_grid
from a3t.source.records import AlignedRecording
from a3t.spans import Margins
from a3t.text.phones import PAUSE
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from alignment.confidence.doubts import places_of_unwritten

PAUSE_FRAMES = (8, 40)  # bounds of a predicted pause: 0.1 to 0.5 s
OWN_PAUSE_FRAMES = (8, 80)  # bounds of this speaker's usual pause: 0.1 to 1 s
ENOUGH_PHONES = 20  # of a speaker's own, to know their rate
MAX_SPEED_RATIO = 2.5  # nobody speaks faster or slower than usual by more than this factor
ANOTHER_PLAN = (
    "The plan file belongs to another edit: print it again with --plan --json, and change only the "
    "seconds of its words."
)


def make_plan(
    source: AlignedRecording,
    request: EditRequest,
    revision: Revision,
    pronunciations: Sequence[Sequence[str]],
    durations: DurationPredictor,
    others: Sequence[AlignedRecording] = (),
) -> EditPlan:
    """Plan the edits that make the recording say the new text.

    ``source`` has the alignment of the revision's old words; ``pronunciations`` has one entry for
    each new word; ``others`` are the request's other recordings. Raises InputError if the
    alignment belongs to another text, if an edit has more than a minute of new words, or if they
    can't fit the time they are given.
    """
    text, new_text, alignment = revision.text, revision.new_text, source.alignment
    if [word.text for word in alignment.spoken] != list(text.spoken):
        raise InputError(
            "The words of the alignment and the text differ: give the text that was aligned."
        )
    frames = source.recording.frames
    grid = on_grid(alignment, frames)
    spoken = len(text.spoken)
    words = WordFrames.of(grid, spoken, frames, places_of_unwritten(alignment))
    usual = usual_pauses(text, grid)
    texts = [text, *(other.text for other in others)]
    wanted = _sites(request, revision, words, texts, others)
    plan_origin = _planned_in((source, *others), request, durations)
    moved = revision.moved
    origins, taken, sites = origins_of(wanted, texts, new_text, plan_origin, usual, moved)
    _check_lengths(sites, pronunciations, new_text)
    moments = timeline(grid, sites, pronunciations, new_text, usual)
    turns = turns_at(sites, text, new_text, words)
    own = {k: turn.words for k, turn in enumerate(turns) if turn.words}
    slots = _slots(sites, request)
    made, rate = timed(moments, grid, durations, request, slots, new_text, own)
    planned = tuple(
        _planned_edit(site, beside, made.get(k, TimedPhones()), taken.get(k, ()), request, revision)
        for k, (site, beside) in enumerate(zip(sites, _beside(sites, frames), strict=True))
    )
    for edit in planned:
        if edit.is_spoken:  # silence needs no network
            check_edit_length(edit.frames, edit.new_words)
    windows = windows_around(planned, grid, frames, [turn.frames for turn in turns])
    return EditPlan(
        source,
        request,
        revision,
        tuple(map(tuple, pronunciations)),
        grid,
        planned,
        windows,
        rate,
        source_edits=origins,
        others=tuple(others),
    )


def _sites(
    request: EditRequest,
    revision: Revision,
    words: WordFrames,
    texts: Sequence[Transcript],
    others: Sequence[AlignedRecording],
) -> list[PlacedEdit]:
    """Place the revision's edits and the request's cuts, and mark new words that are recorded.

    others: the request's other recordings.
    """
    text, new_text = revision.text, revision.new_text
    script = merge_touching(revision.edits, words)
    sites = place_edits(script, words, text, new_text, revision.pauses)
    found = RecordedTexts(tuple(texts))
    recorded = found.matches(script, new_text, revision.moved, request.moves)
    recorded |= chosen_words(request.recorded, script, texts, new_text)
    recorded |= punched_in(script, new_text, request.others, others) if others else {}
    if recorded:
        sites = [
            with_room(site, recorded[k], words) if k in recorded else site
            for k, site in enumerate(sites)
        ]
    if request.cuts:
        sites = place_cuts(request.cuts, sites, words, word_map(script, len(text.spoken)))
    return sites


def _check_lengths(
    sites: Sequence[PlacedEdit], pronunciations: Sequence[Sequence[str]], new_text: Transcript
) -> None:
    """Raise InputError for more new words than an edit may have.

    Predicting their durations would allocate memory for all of them.
    """
    for site in sites:
        if not site.recorded:
            first, last = site.edit.new
            phones = sum(map(len, pronunciations[first:last]))
            check_edit_length(phones, new_text.written(first, last))


def _beside(sites: Sequence[PlacedEdit], frames: int) -> list[Margins]:
    """Return the number of kept frames before and after each edit that it may use.

    Two edits share those between them; those at the file's ends belong to one.
    """
    gaps = [after.frames[0] - before.frames[1] for before, after in pairwise(sites)]
    before = [sites[0].frames[0], *(gap // 2 for gap in gaps)] if sites else []
    after = [*(gap // 2 for gap in gaps), frames - sites[-1].frames[1]] if sites else []
    return list(zip(before, after, strict=True))


def _planned_edit(
    site: PlacedEdit,
    beside: Margins,
    new: TimedPhones,
    taken: tuple[ReusedSpeech, ...],
    request: EditRequest,
    revision: Revision,
) -> PlannedEdit:
    """Return the edit at a site, with as many of the frames ``beside`` it as requested."""
    edit, new_text = site.edit, revision.new_text
    margin = frames_of(request.margin) if site.is_spoken else 0
    before, after = (min(margin, side // 2) for side in beside)
    reach = frames_of(request.reach)
    overlap = min(reach, beside[0] - before), min(reach, beside[1] - after)
    return PlannedEdit(
        op="replace" if new.phones and edit.op == "delete" else edit.op,
        old=edit.old,
        new=edit.new,
        old_words=site.label or revision.text.written(*edit.old),
        new_words=new_text.written(*edit.new) or _pause_mark(site),
        source=site.frames,
        phones=new.phones,
        margin=(before, after),
        overlap=room_beside(site, overlap),
        scale=new.scale,
        words=new.words,
        taken=taken,
    )


def _planned_in(
    sources: Sequence[AlignedRecording], request: EditRequest, durations: DurationPredictor
) -> Callable[[int, Revision], EditPlan]:
    """Return a planner of revisions of the recording (number 0) or of another one (from 1)."""

    def planned(number: int, revision: Revision) -> EditPlan:
        source = replace(sources[number], text=revision.text, passages=())
        pronouncer = Pronouncer(dict(request.pronunciations))
        spoken = pronouncer.as_recorded(revision.new_text, source.alignment.spoken)
        inner = request.for_words(revision.text.text, revision.new_text.text)
        return make_plan(source, inner, revision, spoken, durations)

    return planned


def replan(plan: EditPlan, request: EditRequest, durations: DurationPredictor) -> EditPlan:
    """Plan the same edits again for another request."""
    revision, spoken = plan.revision, plan.pronunciations
    return make_plan(plan.source, request, revision, spoken, durations, plan.others)


def _slots(sites: Sequence[PlacedEdit], request: EditRequest) -> dict[int, int]:
    """Return the required length in frames of edits with new words, by index."""
    spoken = [k for k, site in enumerate(sites) if site.is_spoken]
    if request.fit:
        found = ((k, sites[k]) for k in spoken if sites[k].edit.op == "replace")
        return {k: site.frames[1] - site.frames[0] for k, site in found}
    if request.duration is None:
        return {}
    if len(spoken) != 1:
        raise InputError(
            f"A duration needs all new words in one place, and they are in {len(spoken)}: set each "
            "word's duration in a plan file instead."
        )
    return {spoken[0]: frames_of(request.duration)}


def _pause_mark(site: PlacedEdit) -> str:
    """Return the marks of the pauses that an edit without words adds; "" for a deletion."""
    return " ".join(f"[pause {x:g}]" if x else "[pause]" for x in site.pauses.values())


@dataclass(frozen=True)
class TimelinePhone:
    """A phone of the edited speech before its duration is decided.

    edit: index of the edit that it belongs to, -1 if it is kept. word: index of its word in the new
    text, -1 for a pause. given: the frames of a pause whose length is requested or this speaker's
    usual one, else None. fixed: whether its length was requested, so that no rate applies.
    """

    edit: int
    symbol: str
    word: int
    given: float | None = None
    fixed: bool = False


@dataclass(frozen=True)
class TimedPhones:
    """An edit's phones with their frames.

    words: its words and pauses. scale: the factor that fits them to a given time.
    """

    phones: tuple[PlannedPhone, ...] = ()
    words: tuple[PlannedWord, ...] = ()
    scale: float = 1.0


def timeline(
    grid: Sequence[GridPhone],
    sites: Sequence[PlacedEdit],
    pronunciations: Sequence[Sequence[str]],
    new_text: Transcript,
    usual: Mapping[str, float],
) -> list[TimelinePhone]:
    """List all phones of the edited speech, in order; ``usual``: this speaker's pauses, in frames.

    Punctuation adds no pause where this speaker makes none.
    """
    marked = {place for place, _ in new_text.pauses}
    result: list[TimelinePhone] = []
    shift = 0  # of kept words: index in the new text minus index in the old one
    remaining = deque(enumerate(sites))

    def made_pause(k: int, before: int, seconds: float) -> TimelinePhone:
        if seconds > 0:
            return TimelinePhone(k, PAUSE, -1, seconds * FRAMES_PER_SECOND, fixed=True)
        mark = (new_text.words[before - 1].mark if before else "") or ","
        # An explicit [pause] doesn't depend on whether this speaker pauses at punctuation.
        length = usual.get(mark) or max(usual.values(), default=0.0) or None
        return TimelinePhone(k, PAUSE, -1, length)

    def is_heard(before: int) -> bool:
        mark = new_text.words[before - 1].mark if before else ""
        return usual.get(mark, 1.0) > 0

    def new_moments(k: int, site: PlacedEdit) -> None:
        if site.recorded:  # nothing is made
            return
        first, last = site.edit.new
        for word in range(first, last + 1):
            wanted = site.label or word in marked
            if word in site.pauses and (wanted or is_heard(word)):
                result.append(made_pause(k, word, site.pauses[word]))
            if word < last:
                result.extend(TimelinePhone(k, symbol, word) for symbol in pronunciations[word])

    removed = 0  # up to this frame nothing is kept
    for phone in grid:
        while remaining and phone.first >= remaining[0][1].frames[0]:
            k, site = remaining.popleft()
            new_moments(k, site)
            shift = site.edit.new[1] - site.edit.old[1]
            removed = max(removed, site.frames[1])
        if phone.first >= removed:
            word = phone.word + shift if phone.word >= 0 else -1
            result.append(TimelinePhone(-1, phone.symbol, word))
    for k, site in remaining:
        new_moments(k, site)
    return result


def timed(
    moments: Sequence[TimelinePhone],
    grid: Sequence[GridPhone],
    durations: DurationPredictor,
    request: EditRequest,
    slots: Mapping[int, int],
    new_text: Transcript,
    own: Mapping[int, frozenset[int]] = MappingProxyType({}),
) -> tuple[dict[int, TimedPhones], float]:
    """Give each edit's phones their frames; return these and the recording's rate.

    slots: edit -> the frames that it must take. own: edit -> the recorded words of its speaker,
    whose rate it has, if the speakers are named. Raises InputError if words can't be spoken in the
    time that they are given.
    """
    old = durations.frames([p.symbol for p in grid], [p.word for p in grid])
    spoken = [k for k, phone in enumerate(grid) if phone.word >= 0]
    whole = rate_ratio([grid[k].frames for k in spoken], [old[k] for k in spoken]) / request.speed

    phones_of: dict[int, list[int]] = defaultdict(list)
    for k in spoken if own else ():
        phones_of[grid[k].word].append(k)

    @cache
    def rate_of(words: frozenset[int]) -> float:
        said = [k for word in sorted(words) for k in phones_of.get(word, ())]
        if len(said) < ENOUGH_PHONES:
            return whole
        return rate_ratio([grid[k].frames for k in said], [old[k] for k in said]) / request.speed

    edits = sorted({moment.edit for moment in moments} - {-1})
    if not edits:
        return {}, whole
    predicted = durations.frames([m.symbol for m in moments], [m.word for m in moments])
    if request.lengths is not None and len(request.lengths) != len(edits):
        raise InputError(ANOTHER_PLAN)
    of_edit: defaultdict[int, list[tuple[TimelinePhone, float]]] = defaultdict(list)
    for moment, length in zip(moments, predicted, strict=True):
        of_edit[moment.edit].append((moment, length))
    result = {}
    for number, k in enumerate(edits):
        said, ratio = [moment for moment, _ in of_edit[k]], rate_of(own.get(k, frozenset()))
        expected = [_length(m, length, ratio * request.speed) for m, length in of_edit[k]]
        lengths = [_length(m, length, ratio) for m, length in of_edit[k]]
        scale = 1.0
        if k in slots:
            fixed = sum(x for m, x in zip(said, lengths, strict=True) if m.fixed)
            scale = (slots[k] - fixed) / max(sum(lengths) - fixed, 1e-9)
            _check_scale(scale, said, new_text)
            lengths = [x if m.fixed else x * scale for m, x in zip(said, lengths, strict=True)]
        frames, units = whole_frames(lengths), _units(said)
        if request.lengths is not None:
            frames = _fit_to_plan(frames, units, request.lengths[number])
        words = []
        for unit in units:
            inside, moment = slice(unit.start, unit.stop), said[unit.start]
            total = sum(frames[inside])
            text = new_text.words[moment.word].text if moment.word >= 0 else ""
            emphasis = moment.word in new_text.emphasis
            words.append(PlannedWord(text, total, total / sum(expected[inside]), emphasis))
            if request.lengths is not None:
                _check_scale(words[-1].scale, said[inside], new_text)
        phones = zip(said, frames, strict=True)
        made = tuple(PlannedPhone(m.symbol, count, m.word) for m, count in phones)
        result[k] = TimedPhones(made, tuple(words), scale)
    return result, whole


def _length(moment: TimelinePhone, predicted: float, ratio: float) -> float:
    """Return the frames of a new phone at this speaker's rate."""
    if moment.given is None:
        return scaled(moment.symbol, predicted, ratio)
    if moment.fixed:
        return moment.given
    return min(max(moment.given, OWN_PAUSE_FRAMES[0]), OWN_PAUSE_FRAMES[1])


def scaled(symbol: str, frames: float, ratio: float) -> float:
    """Scale a predicted duration to this speaker's rate; a pause stays within natural bounds."""
    if symbol != PAUSE:
        return frames * ratio
    return min(max(frames * ratio, PAUSE_FRAMES[0]), PAUSE_FRAMES[1])


def _units(phones: Sequence[TimelinePhone]) -> list[range]:
    """Return the index range of each word and each pause among phones."""
    units, start = [], 0
    for _, group in groupby(enumerate(phones), lambda p: (p[1].word, p[0] * (p[1].word < 0))):
        count = len(list(group))
        units.append(range(start, start + count))
        start += count
    return units


def _fit_to_plan(
    frames: Sequence[int], units: Sequence[range], lengths: Sequence[float]
) -> list[int]:
    """Fit the phones to the seconds that a plan file gives each word and pause."""
    if len(units) != len(lengths):
        raise InputError(ANOTHER_PLAN)
    result = list(frames)
    for unit, seconds in zip(units, lengths, strict=True):
        inside, wanted = slice(unit.start, unit.stop), frames_of(seconds)
        if wanted < len(unit):
            raise InputError(
                f"{len(unit)} phones can't be spoken in {seconds:g} s: give that word at least "
                f"{seconds_of(len(unit)):.2f} s in the plan file."
            )
        if wanted == sum(frames[inside]):
            continue
        # One frame each; the others are shared out in the old proportions.
        spare = [(count - 1) or 0.5 for count in frames[inside]]
        share = (wanted - len(unit)) / sum(spare)
        edges = [round(total * share) for total in accumulate(spare, initial=0)]
        result[inside] = [1 + end - start for start, end in pairwise(edges)]
    return result


def _check_scale(scale: float, phones: Sequence[TimelinePhone], new_text: Transcript) -> None:
    words = [phone.word for phone in phones if phone.word >= 0]
    if not words or 1 / MAX_SPEED_RATIO <= scale <= MAX_SPEED_RATIO:
        return
    text = shortened(new_text.written(words[0], words[-1] + 1))
    if 0 < scale < 1:
        reason = f"would take {1 / scale:.1f} times as long as the time available"
    elif scale > 1:
        reason = f"would have to be spoken {scale:.1f} times as slowly as this speaker speaks"
    else:
        reason = "has no time left after its pauses"
    raise InputError(
        f"“{text}” {reason}: change the words, give them another duration, or let the recording's "
        "length change."
    )
