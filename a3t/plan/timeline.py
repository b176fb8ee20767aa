"""The duration of each new phone: this speaker's, the requested one, or a plan file's."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate, groupby, pairwise
from types import MappingProxyType

from a3t.errors import InputError
from a3t.grid import FRAMES_PER_SECOND, frames_of, seconds_of
from a3t.model.variance.durations import DurationPredictor, rate_ratio, whole_frames
from a3t.plan.edit_limits import shortened
from a3t.plan.edit_sites import EditSite
from a3t.plan.phone_grid import GridPhone
from a3t.plan.planned_edit import PlannedPhone, PlannedWord
from a3t.plan.request import EditRequest
from a3t.text.phones import PAUSE
from a3t.text.transcript import Transcript

PAUSE_FRAMES = (8, 40)  # bounds of a predicted pause: 0.1 to 0.5 s
OWN_PAUSE_FRAMES = (8, 80)  # bounds of this speaker's usual pause: 0.1 to 1 s
ENOUGH_PHONES = 20  # of a speaker's own, to know their rate
TIGHTEST = 2.5  # nobody speaks faster or slower than usual by more than this factor

ANOTHER_PLAN = (
    "The plan file belongs to another edit: print it again with --plan --json, and change only the "
    "seconds of its words."
)


@dataclass(frozen=True)
class Moment:
    """A phone of the edited speech; it has 0 frames if its duration is still to be decided.

    edit: index of the edit that it belongs to, -1 if it is kept. given: the frames of a pause whose
    length is requested or this speaker's usual one, else None. fixed: whether its length was
    requested, so that no rate applies.
    """

    edit: int
    phone: PlannedPhone
    given: float | None = None
    fixed: bool = False


@dataclass(frozen=True)
class Timed:
    """An edit's phones with their frames, its words, and the scale that fits them to a given
    time."""

    phones: tuple[PlannedPhone, ...] = ()
    words: tuple[PlannedWord, ...] = ()
    scale: float = 1.0


def timeline(
    grid: Sequence[GridPhone],
    sites: Sequence[EditSite],
    pronunciations: Sequence[Sequence[str]],
    new_text: Transcript,
    usual: Mapping[str, float],
) -> list[Moment]:
    """All phones of the edited speech, in order; ``usual``: this speaker's pauses, in frames.

    Punctuation adds no pause where this speaker makes none.
    """
    marked = {place for place, _ in new_text.pauses}
    result: list[Moment] = []
    shift = 0  # of kept words: index in the new text minus index in the old one
    remaining = deque(enumerate(sites))

    def made_pause(k: int, before: int, seconds: float) -> Moment:
        phone = PlannedPhone(PAUSE, 0, -1)
        if seconds > 0:
            return Moment(k, phone, seconds * FRAMES_PER_SECOND, fixed=True)
        mark = (new_text.words[before - 1].mark if before else "") or ","
        # An explicit [pause] doesn't depend on whether this speaker pauses at punctuation.
        return Moment(k, phone, usual.get(mark) or max(usual.values(), default=0.0) or None)

    def is_heard(before: int) -> bool:
        mark = new_text.words[before - 1].mark if before else ""
        return usual.get(mark, 1.0) > 0

    def new_moments(k: int, site: EditSite) -> None:
        if site.recorded:  # nothing is made
            return
        first, last = site.edit.new
        for word in range(first, last + 1):
            wanted = site.label or word in marked
            if word in site.pauses and (wanted or is_heard(word)):
                result.append(made_pause(k, word, site.pauses[word]))
            if word < last:
                result.extend(Moment(k, PlannedPhone(s, 0, word)) for s in pronunciations[word])

    removed = 0  # up to this frame nothing is kept
    for phone in grid:
        while remaining and phone.first >= remaining[0][1].frames[0]:
            k, site = remaining.popleft()
            new_moments(k, site)
            shift = site.edit.new[1] - site.edit.old[1]
            removed = max(removed, site.frames[1])
        if phone.first >= removed:
            word = phone.word + shift if phone.word >= 0 else -1
            result.append(Moment(-1, PlannedPhone(phone.symbol, phone.frames, word)))
    for k, site in remaining:
        new_moments(k, site)
    return result


def timed(
    moments: Sequence[Moment],
    grid: Sequence[GridPhone],
    durations: DurationPredictor,
    request: EditRequest,
    slots: Mapping[int, int],
    new_text: Transcript,
    own: Mapping[int, frozenset[int]] = MappingProxyType({}),
) -> tuple[dict[int, Timed], float]:
    """Each edit's phones and words with their frames, and the recording's rate.

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
    predicted = durations.frames([m.phone.symbol for m in moments], [m.phone.word for m in moments])
    if request.lengths is not None and len(request.lengths) != len(edits):
        raise InputError(ANOTHER_PLAN)
    of_edit: defaultdict[int, list[tuple[Moment, float]]] = defaultdict(list)
    for moment, length in zip(moments, predicted, strict=True):
        of_edit[moment.edit].append((moment, length))
    result = {}
    for number, k in enumerate(edits):
        said, ratio = of_edit[k], rate_of(own.get(k, frozenset()))
        expected = [_length(moment, length, ratio * request.speed) for moment, length in said]
        lengths = [_length(moment, length, ratio) for moment, length in said]
        scale = 1.0
        if k in slots:
            fixed = sum(x for (m, _), x in zip(said, lengths, strict=True) if m.fixed)
            scale = (slots[k] - fixed) / max(sum(lengths) - fixed, 1e-9)
            _check_scale(scale, [m.phone for m, _ in said], new_text)
            pairs = zip(said, lengths, strict=True)
            lengths = [x if m.fixed else x * scale for (m, _), x in pairs]
        phones = [
            replace(moment.phone, frames=frames)
            for (moment, _), frames in zip(said, whole_frames(lengths), strict=True)
        ]
        if request.lengths is not None:
            phones = _fit_to_plan(phones, request.lengths[number])
        words = _words(phones, expected, new_text)
        if request.lengths is not None:
            for word, unit in zip(words, _units(phones), strict=True):
                _check_scale(word.scale, phones[unit.start : unit.stop], new_text)
        result[k] = Timed(tuple(phones), words, scale)
    return result, whole


def _length(moment: Moment, predicted: float, ratio: float) -> float:
    """Frames of a new phone at this speaker's rate."""
    if moment.given is None:
        return scaled(moment.phone.symbol, predicted, ratio)
    if moment.fixed:
        return moment.given
    return min(max(moment.given, OWN_PAUSE_FRAMES[0]), OWN_PAUSE_FRAMES[1])


def scaled(symbol: str, frames: float, ratio: float) -> float:
    """A predicted duration at this speaker's rate; a pause stays within natural bounds."""
    if symbol != PAUSE:
        return frames * ratio
    return min(max(frames * ratio, PAUSE_FRAMES[0]), PAUSE_FRAMES[1])


def _units(phones: Sequence[PlannedPhone]) -> list[range]:
    """The index ranges of each word's phones and of each pause."""
    units, start = [], 0
    for _, group in groupby(enumerate(phones), lambda p: (p[1].word, p[0] * (p[1].word < 0))):
        count = len(list(group))
        units.append(range(start, start + count))
        start += count
    return units


def _frames(phones: Sequence[PlannedPhone], unit: range) -> int:
    return sum(phones[k].frames for k in unit)


def _words(
    phones: Sequence[PlannedPhone], expected: Sequence[float], new_text: Transcript
) -> tuple[PlannedWord, ...]:
    """The words and pauses that the phones form, each scaled against its ``expected`` frames."""
    words = []
    for unit in _units(phones):
        word, frames = phones[unit.start].word, _frames(phones, unit)
        scale = frames / sum(expected[unit.start : unit.stop])
        text = new_text.words[word].text if word >= 0 else ""
        words.append(PlannedWord(text, frames, scale, word in new_text.emphasis))
    return tuple(words)


def _fit_to_plan(phones: Sequence[PlannedPhone], lengths: Sequence[float]) -> list[PlannedPhone]:
    """The phones, with each word and pause lasting as many seconds as a plan file says."""
    units = _units(phones)
    if len(units) != len(lengths):
        raise InputError(ANOTHER_PLAN)
    result = list(phones)
    for unit, seconds in zip(units, lengths, strict=True):
        frames, old = frames_of(seconds), _frames(phones, unit)
        if frames < len(unit):
            raise InputError(
                f"{len(unit)} phones can't be spoken in {seconds:g} s: give that word at least "
                f"{seconds_of(len(unit)):.2f} s in the plan file."
            )
        if frames == old:
            continue
        # One frame each; the others are shared out in the old proportions.
        spare = [(phones[k].frames - 1) or 0.5 for k in unit]
        share = (frames - len(unit)) / sum(spare)
        edges = [round(total * share) for total in accumulate(spare, initial=0)]
        for k, (start, end) in zip(unit, pairwise(edges), strict=True):
            result[k] = replace(phones[k], frames=1 + end - start)
    return result


def _check_scale(scale: float, phones: Sequence[PlannedPhone], new_text: Transcript) -> None:
    words = [phone.word for phone in phones if phone.word >= 0]
    if not words or 1 / TIGHTEST <= scale <= TIGHTEST:
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
