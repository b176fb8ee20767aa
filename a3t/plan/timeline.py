"""How long each new phone takes: as this speaker would, as was asked, or as a plan file says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from a3t.errors import InputError
from a3t.grid import FRAMES_PER_SECOND, frames_of, seconds_of
from a3t.model.durations import DurationPredictor
from a3t.plan.edit_plan import PlannedPhone, PlannedWord
from a3t.plan.phone_grid import GridPhone
from a3t.plan.places import Place
from a3t.plan.request import EditRequest
from a3t.plan.speaker_pauses import pause_kind
from a3t.plan.speaking_rate import rate_ratio, whole_frames
from a3t.text.phones import PAUSE
from a3t.text.transcript import Transcript

PAUSE_FRAMES = (8, 40)  # a pause that the predictor makes: 0.1 to 0.5 s
OWN_PAUSE_FRAMES = (8, 80)  # one as long as this speaker's others: 0.1 to 1 s
TIGHTEST = 2.5  # beyond this much faster or slower nobody speaks

ANOTHER_PLAN = (
    "The plan file is of another edit: print it anew with --plan --json, and change nothing in it "
    "but the seconds of the words."
)


@dataclass(frozen=True)
class Moment:
    """A phone of the edited speech; frames 0 if still to be timed.

    ``edit`` is the edit that it belongs to, -1 if it is kept. ``given`` are the frames of a pause
    that is as long as was asked for, or as this speaker's usually are, whose rate is ``fixed``.
    """

    edit: int
    phone: PlannedPhone
    given: float | None = None
    fixed: bool = False


@dataclass(frozen=True)
class Timed:
    """An edit's phones with their frames, its words, and the scale that a given time took."""

    phones: tuple[PlannedPhone, ...] = ()
    words: tuple[PlannedWord, ...] = ()
    scale: float = 1.0


def timeline(
    grid: Sequence[GridPhone],
    places: Sequence[Place],
    pronunciations: Sequence[Sequence[str]],
    new_text: Transcript,
    usual: Mapping[str, float],
) -> list[Moment]:
    """All phones of the edited speech in order."""
    result: list[Moment] = []
    shift = 0  # new word index minus old word index of what is kept
    remaining = list(enumerate(places))

    def made_pause(k: int, before: int, seconds: float) -> Moment:
        phone = PlannedPhone(PAUSE, 0, -1)
        if seconds > 0:
            return Moment(k, phone, seconds * FRAMES_PER_SECOND, fixed=True)
        kind = pause_kind(new_text.words[before - 1]) if before else ","
        return Moment(k, phone, usual.get(kind))

    def new_moments(k: int, place: Place) -> None:
        first, last = place.edit.new
        for word in range(first, last + 1):
            if word in place.pauses:
                result.append(made_pause(k, word, place.pauses[word]))
            if word < last:
                result.extend(Moment(k, PlannedPhone(s, 0, word)) for s in pronunciations[word])

    for phone in grid:
        while remaining and phone.first >= remaining[0][1].frames[0]:
            k, place = remaining.pop(0)
            new_moments(k, place)
            shift = place.edit.new[1] - place.edit.old[1]
        if not any(p.frames[0] <= phone.first < p.frames[1] for p in places):
            word = phone.word + shift if phone.word >= 0 else -1
            result.append(Moment(-1, PlannedPhone(phone.symbol, phone.frames, word, phone.first)))
    for k, place in remaining:
        new_moments(k, place)
    return result


def timed(
    moments: Sequence[Moment],
    grid: Sequence[GridPhone],
    durations: DurationPredictor,
    request: EditRequest,
    slots: Mapping[int, int],
    new_text: Transcript,
) -> tuple[dict[int, Timed], float]:
    """Each edit's phones and words with their frames, and the speaker's rate.

    An edit with a slot takes so many frames. Raises InputError where that can't be spoken.
    """
    old = durations.frames([p.symbol for p in grid], [p.word for p in grid])
    spoken = [k for k, phone in enumerate(grid) if phone.word >= 0]
    ratio = rate_ratio([grid[k].frames for k in spoken], [old[k] for k in spoken]) / request.speed
    edits = sorted({moment.edit for moment in moments} - {-1})
    if not edits:
        return {}, ratio
    predicted = durations.frames([m.phone.symbol for m in moments], [m.phone.word for m in moments])
    if request.lengths is not None and len(request.lengths) != len(edits):
        raise InputError(ANOTHER_PLAN)
    result = {}
    for number, k in enumerate(edits):
        own = [(m, length) for m, length in zip(moments, predicted, strict=True) if m.edit == k]
        expected = [_length(moment, length, ratio * request.speed) for moment, length in own]
        lengths = [_length(moment, length, ratio) for moment, length in own]
        scale = 1.0
        if k in slots:
            fixed = sum(x for (m, _), x in zip(own, lengths, strict=True) if m.fixed)
            scale = (slots[k] - fixed) / max(sum(lengths) - fixed, 1e-9)
            _check_scale(scale, [m.phone for m, _ in own], new_text)
            lengths = [x if m.fixed else x * scale for (m, _), x in zip(own, lengths, strict=True)]
        phones = [
            replace(moment.phone, frames=frames)
            for (moment, _), frames in zip(own, whole_frames(lengths), strict=True)
        ]
        if request.lengths is not None:
            phones = _as_given(phones, request.lengths[number])
        words = _words(phones, expected, new_text)
        if request.lengths is not None:
            for word, unit in zip(words, _units(phones), strict=True):
                _check_scale(word.scale, phones[unit.start : unit.stop], new_text)
        result[k] = Timed(tuple(phones), words, scale)
    return result, ratio


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
    """The places of each word's phones and of each pause."""
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
    """The words and pauses that the phones are, each against the frames expected of it."""
    words = []
    for unit in _units(phones):
        word, frames = phones[unit.start].word, _frames(phones, unit)
        scale = frames / sum(expected[unit.start : unit.stop])
        text = new_text.words[word].text if word >= 0 else ""
        words.append(PlannedWord(text, frames, scale, word in new_text.emphasis))
    return tuple(words)


def _as_given(phones: Sequence[PlannedPhone], wanted: Sequence[float]) -> list[PlannedPhone]:
    """The phones with each word and pause in the seconds that a plan file has for it."""
    units = _units(phones)
    if len(units) != len(wanted):
        raise InputError(ANOTHER_PLAN)
    result = list(phones)
    for unit, seconds in zip(units, wanted, strict=True):
        frames, old = frames_of(seconds), _frames(phones, unit)
        if frames < len(unit):
            raise InputError(
                f"A word of {len(unit)} sounds can't be said in {seconds:g} s: give it at least "
                f"{seconds_of(len(unit)):.2f} s in the plan file."
            )
        if frames == old:
            continue
        # One frame each, and the others shared as before.
        spare = [(phones[k].frames - 1) or 0.5 for k in unit]
        share = (frames - len(unit)) / sum(spare)
        edges = [round(sum(spare[:k]) * share) for k in range(len(unit) + 1)]
        for k, (start, end) in zip(unit, pairwise(edges), strict=True):
            result[k] = replace(phones[k], frames=1 + end - start)
    return result


def _check_scale(scale: float, phones: Sequence[PlannedPhone], new_text: Transcript) -> None:
    words = [phone.word for phone in phones if phone.word >= 0]
    if not words or 1 / TIGHTEST <= scale <= TIGHTEST:
        return
    named = shortened(new_text.written(words[0], words[-1] + 1))
    if 0 < scale < 1:
        reason = f"would take {1 / scale:.1f} times as long as the time there is for it"
    elif scale > 1:
        reason = f"would have to be spoken {scale:.1f} times as slowly as this speaker speaks"
    else:
        reason = "has no time left beside its pauses"
    raise InputError(
        f"“{named}” {reason}: change the words, give them another time, or let the recording's "
        "length change."
    )


def shortened(words: str, letters: int = 40) -> str:
    """The beginning of a long text, for a message."""
    return words if len(words) <= letters else f"{words[:letters].rsplit(' ', 1)[0]} …"
