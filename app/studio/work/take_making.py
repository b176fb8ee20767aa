"""Makes one take of one edit, in the worker's process.

Only the surroundings of an edit are looked at, as `a3t.source.passages` does for long recordings,
so an edit takes as long in an hour of speech as in a minute. A take is kept as the samples that
replace a stretch of the original, so any choice of takes can be put together later, exactly, and
with it how it was made (`a3t.projects.takes`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from a3t.audio.output.audio_slice import audio_slice, whole_frames
from a3t.audio.output.patches import Patch
from a3t.errors import InputError
from a3t.grid import seconds_of
from a3t.plan.cleaning.cuts import Cut
from a3t.plan.edit_plan import EditPlan
from a3t.projects.takes import Take, aligned_stretch, level_of, made_edits
from a3t.rendering.candidates import VARIATIONS
from a3t.rendering.edited import EditedRecording
from a3t.rendering.recorded_takes import recorded_requests
from a3t.spans import Span
from a3t.text.pronunciation.as_it_sounds import sounded
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from alignment import Word
from alignment.atomic import staging
from app.studio.storage.folders import REQUEST
from app.studio.storage.heard_tokens import end_of, lines_of, start_of
from app.studio.storage.pcm_sound import played
from app.studio.work.listening import editor_step
from app.studio.work.take_orders import TakeOrder

if TYPE_CHECKING:
    from a3t.editor import Editor

WHOLE = 40.0  # seconds; a shorter recording is looked at as a whole
CONTEXT = (8.0, 14.0)  # seconds on each side of an edit, up to a pause
MOST_RECORDED = 2  # takes of words that are recorded elsewhere
ROOM = 0.5  # seconds beyond the words that are looked at


def make_take(editor: Editor, order: TakeOrder, folder: Path) -> dict[str, Any]:
    """Makes the take and writes its folder; returns its take.json. Raises the editor's errors."""
    stretch = _stretch(order)
    with audio_slice(order.recording, stretch) as clip:
        take = _take(order, stretch)
        try:
            plan = take.plan(editor, clip)
        except InputError:
            if not take.request.fit:
                raise
            take = replace(take, request=replace(take.request, fit=False))  # too little time
            plan = take.plan(editor, clip)
        result = take.render(editor, plan) if plan.edits else None
        editor_step(editor, "save")
        return _written(order, take, result.plan if result else plan, result, folder)


def make_recorded(editor: Editor, order: TakeOrder, folder: Path) -> int:
    """Makes takes of a few new words that are recorded elsewhere in the order's surroundings, and
    writes their folders below an edit's; returns how many. Raises the editor's errors."""
    rate, step = order.recording.sample_rate, whole_frames(order.recording.sample_rate)
    first, last = start_of(order.tokens[0]), end_of(order.tokens[-1])
    start = max(0, round((first - ROOM) * rate)) // step * step
    stretch = start, min(order.recording.samples, round((last + ROOM) * rate))
    count = 0
    with audio_slice(order.recording, stretch) as clip:
        take = _take(order, stretch)
        looked = replace(take, request=replace(take.request, moves=True))
        plan = looked.plan(editor, clip)  # what is recorded elsewhere, too
        for request, _ in recorded_requests(plan, editor.render(plan), MOST_RECORDED):
            own = replace(take, request=replace(take.request, recorded=request.recorded))
            plan = own.plan(editor, clip)
            if any(edit.taken for edit in plan.edits):
                number = order.number + count
                made = replace(order, number=number), own, plan, own.render(editor, plan)
                _written(*made, folder / str(number))
                count += 1
    return count


def _stretch(order: TakeOrder) -> Span:
    """The samples that are looked at."""
    recording = order.recording
    if recording.seconds <= WHOLE:
        return 0, recording.samples
    rate = recording.sample_rate
    step = whole_frames(rate)
    begin, end = _span(order)
    start = max(0, min(round(begin * rate) // step * step, recording.samples))
    return start, min(recording.samples, -(-round(end * rate) // step) * step)


def _span(order: TakeOrder) -> tuple[float, float]:
    """Seconds around the edit, up to the widest pause within CONTEXT; where there are no words
    known, that is as far as it goes."""
    times = [(start_of(token), end_of(token)) for token in order.tokens]
    duration = order.recording.seconds
    if order.first < len(times):
        here = times[order.first][0]
    else:
        here = times[-1][1]
    there = times[order.last - 1][1] if order.last > order.first else here
    left = [0.0] + [(a[1] + b[0]) / 2 for a, b in zip(times, times[1:], strict=False)]
    width = [0.0] + [b[0] - a[1] for a, b in zip(times, times[1:], strict=False)]
    near, far = CONTEXT
    before = [k for k, at in enumerate(left) if here - far <= at <= here - near]
    after = [k for k, at in enumerate(left) if there + near <= at <= there + far]
    begin = left[max(before, key=lambda k: width[k])] if before else max(0.0, here - far)
    end = left[max(after, key=lambda k: width[k])] if after else min(duration, there + far)
    return begin, end


def _inside(order: TakeOrder, stretch: Span) -> tuple[int, int]:
    """The order's tokens [first, last) that lie in the stretch."""
    start, end = (sample / order.recording.sample_rate for sample in stretch)
    inside = [
        k
        for k, token in enumerate(order.tokens)
        if start_of(token) >= start - 0.02 and end_of(token) <= end + 0.02
    ]
    if not inside or not (inside[0] <= order.first and order.last <= inside[-1] + 1):
        raise InputError("The words around this change are not known yet: wait a moment.")
    return inside[0], inside[-1] + 1


def _take(order: TakeOrder, stretch: Span) -> Take:
    """The take to be made."""
    first, last = _inside(order, stretch)
    kept = order.tokens[first:last]
    start, end = (sample / order.recording.sample_rate for sample in stretch)
    words = [Word.from_json(word) for token in kept for word in token["words"]]
    pauses = [Word.from_json(pause) for pause in order.pauses]
    aligned = aligned_stretch(words, pauses, start, end - start)
    margin, reach = order.request.margin, order.request.reach
    narrow = min(order.room) / 2  # half the way to the next edit, whose takes do the same
    if narrow < margin + reach:
        margin, reach = min(margin, narrow / 2), max(0.025, narrow / 2)
    here = (order.first - first, order.last - first)
    text, new_text = lines_of(kept, *here, order.text)
    if Transcript.from_text(text).spoken != tuple(word.text for word in words):
        plain = [{"text": " ".join(word["text"] for word in token["words"])} for token in kept]
        text, new_text = lines_of(plain, *here, order.text)
    request = replace(
        order.wish.wanted(order.request),
        new_text=new_text,
        text=text,
        margin=margin,
        reach=reach,
        cuts=_cuts(order.cut, start, end - start),
        seed=order.request.seed + order.number // len(VARIATIONS),
    )
    variation = order.number % len(VARIATIONS) if order.wish.varied else 0
    return Take(stretch, request, aligned, variation, order.level)


def _cuts(cut: Cut | None, start: float, seconds: float) -> tuple[Cut, ...]:
    """The cut on the clock of a clip that begins at `start`."""
    if cut is None:
        return ()
    return (replace(cut, start=max(cut.start - start, 0.0), end=min(cut.end - start, seconds)),)


def _written(
    order: TakeOrder, take: Take, plan: EditPlan, result: EditedRecording | None, folder: Path
) -> dict[str, Any]:
    patches = result.patches if result is not None else ()
    start = take.stretch[0]
    record: dict[str, Any] = {
        "number": order.number,
        "pace": order.wish.pace,
        "duration": order.wish.duration,
        "spans": [
            {"source": [p.source[0] + start, p.source[1] + start], "length": len(p.samples)}
            for p in patches
        ],
        "lengths": [[word.seconds for word in edit.words] for edit in plan.edits if edit.words],
        "words": [each for k in range(len(patches)) for each in _words(plan, patches, k, order)],
        "seconds": sum(len(p.samples) for p in patches) / plan.recording.sample_rate,
        "doubts": [str(doubt) for doubt in plan.doubts],
        "guessed": plan.guessed,
        "offered": {word: _offered(word) for word in plan.guessed},
    }
    if result is not None:
        record |= {
            "level": level_of(result),
            "doubtful": list(result.doubtful),
            "model": result.model,
            "vocoder": result.vocoder,
            "recorded": _recorded(result, start),
            "voice": result.voice,
            "scores": [[[w.word, w.score] for w in words] for words in result.scores or ()],
            "mix": _mix(order, take, result),
        }
    folder.parent.mkdir(parents=True, exist_ok=True)
    with staging(folder.parent) as stage:
        made = stage / "take"
        made.mkdir()
        channels = patches[0].samples.shape[1] if patches else 1
        samples = np.concatenate([np.zeros((0, channels)), *(p.samples for p in patches)])
        np.save(made / "patch.npy", samples, allow_pickle=False)
        (made / "sound.pcm").write_bytes(played(samples))
        (made / REQUEST).write_text(json.dumps(take.to_json()), encoding="utf-8")
        while True:  # another lane may have made a take meanwhile
            (made / "take.json").write_text(json.dumps(record), encoding="utf-8")
            try:
                made.rename(folder.parent / str(record["number"]))
                break
            except OSError:
                if not (folder.parent / str(record["number"])).is_dir():
                    raise
                record["number"] += 1
    return record


def _recorded(result: EditedRecording, start: int) -> float | None:
    """The second at which the first of the words that are taken from elsewhere is recorded."""
    taken = [excerpt for own in result.excerpts for excerpt in own]
    return (taken[0].source[0] + start) / result.recording.sample_rate if taken else None


def _words(
    plan: EditPlan, patches: Sequence[Patch], k: int, order: TakeOrder
) -> list[dict[str, Any]]:
    """The new words of an edit: the span that they are in, seconds from its beginning, and which of
    the take's lengths is theirs."""
    edit, rate = plan.edits[k], plan.recording.sample_rate
    clock = seconds_of(edit.source[0]) - patches[k].source[0] / rate
    spoken = plan.new_text.spoken
    found: list[dict[str, Any]] = []
    place = sum(bool(each.words) for each in plan.edits[:k])
    unit, before = -1, None
    for phone in edit.phones:
        unit += phone.word != before or phone.word < 0
        before = phone.word
        end = clock + seconds_of(phone.frames)
        if edit.new[0] <= phone.word < edit.new[1]:
            if found and found[-1]["word"] == phone.word:
                found[-1]["end"] = end
            else:
                text = spoken[phone.word]
                times = {"start": clock, "end": end}
                where = {"span": k, "word": phone.word, "length": [place, unit]}
                found.append({**where, "text": text, **times})
        clock = end
    return found


def _mix(order: TakeOrder, take: Take, result: EditedRecording) -> dict[str, Any]:
    """The data with which `mixdown` puts this take's edits beside those of others."""
    inside = order.tokens
    places: list[tuple[int, int]] = [
        (int(token["id"]), k) for token in inside for k in range(len(token["words"]))
    ]
    before = inside[: _inside(order, take.stretch)[0]]
    first = sum(len(token["words"]) for token in before)
    edits = []
    for made in made_edits(result, take.stretch):
        place = first + made.edit.old[0]
        anchor = places[place] if place < len(places) else (places[-1][0], places[-1][1] + 1)
        edits.append(
            {
                "plan": made.edit.to_json(),
                "anchor": list(anchor),
                "old": made.edit.old[1] - made.edit.old[0],
                "new": [asdict(word) for word in made.words],
                "phones": [list(phones) for phones in made.pronunciations],
                "excerpts": [[*each.source, each.begin, each.exact] for each in made.excerpts],
            }
        )
    return {
        "edits": edits,
        "rate": result.plan.rate,
        "cut": None if order.cut is None else order.cut.to_json(),
        "said": result.plan.request.to_json()["asked"]["pronunciations"],
    }


def _offered(word: str) -> list[dict[str, str]]:
    """Other ways to say a word that was guessed, for people and in phones."""
    ways = Pronouncer().offered(word)
    return [{"said": sounded(way), "phones": " ".join(way)} for way in ways]
