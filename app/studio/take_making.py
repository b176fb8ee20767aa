"""Makes one take of one edit, in the worker's process.

Only the surroundings of an edit are looked at, as `a3t.source.passages` does for long recordings,
so an edit takes as long in an hour of speech as in a minute. A take is kept as the samples that
replace a stretch of the original, so any choice of takes can be put together later, exactly.
"""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import soundfile

from a3t.audio.patches import Patch
from a3t.audio.recording import Recording
from a3t.audio.traits import MatchedTraits
from a3t.errors import InputError
from a3t.grid import FRAMES_PER_SECOND, seconds_of
from a3t.plan.cuts import Cut
from a3t.plan.edit_plan import EditPlan
from a3t.plan.planned_edit import PlannedEdit
from a3t.plan.request import EditRequest
from a3t.rendering.candidates import VARIATIONS, variant
from a3t.rendering.edited import EditedRecording
from a3t.text.transcript import Transcript
from alignment import Word
from alignment.atomic import staging
from alignment.result import shift_word
from alignment.retiming import covering
from app.studio.listening import editor_step
from app.studio.pcm_sound import end_of, played, start_of
from app.studio.take_orders import TakeOrder

if TYPE_CHECKING:
    from a3t.editor import Editor

WHOLE = 40.0  # seconds; a shorter recording is looked at as a whole
CONTEXT = (8.0, 14.0)  # seconds on each side of an edit, up to a pause
RAMP = 0.015  # seconds over which a take's level is brought to the first take's
MOST_LEVELLING = 6.0  # dB


def make_take(editor: Editor, order: TakeOrder, folder: Path) -> dict[str, Any]:
    """Makes the take and writes its folder; returns its take.json. Raises the editor's errors."""
    with tempfile.TemporaryDirectory() as scratch:
        start, clip = _clip(order, Path(scratch))
        plan = _plan(editor, order, start / clip.sample_rate, clip)
        result = _rendered(editor, order, plan) if plan.edits else None
        editor_step(editor, "save")
        return _written(order, start, result.plan if result else plan, result, folder)


def _clip(order: TakeOrder, scratch: Path) -> tuple[int, Recording]:
    """The stretch of the recording that is looked at, and the sample at which it begins."""
    recording = order.recording
    rate = recording.sample_rate
    if recording.seconds <= WHOLE:
        return 0, recording
    step = rate // math.gcd(rate, FRAMES_PER_SECOND)  # samples that are whole frames
    begin, end = _span(order)
    start = max(0, min(round(begin * rate) // step * step, recording.samples))
    stop = min(recording.samples, -(-round(end * rate) // step) * step)
    samples = recording.read(start, stop)
    path = scratch / "clip.wav"
    subtype = recording.subtype if recording.subtype in _WAV else "FLOAT"
    soundfile.write(path, samples, rate, subtype, format="WAV")
    return start, Recording(path, rate, recording.channels, len(samples), subtype, "WAV")


_WAV = ("PCM_16", "PCM_24", "PCM_32", "PCM_U8", "FLOAT", "DOUBLE")


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


def _plan(editor: Editor, order: TakeOrder, start: float, clip: Recording) -> EditPlan:
    inside = [
        k
        for k, token in enumerate(order.tokens)
        if start_of(token) >= start - 0.02 and end_of(token) <= start + clip.seconds + 0.02
    ]
    first, last = inside[0], inside[-1] + 1
    if not (first <= order.first and order.last <= last):
        raise InputError("The words around this change are not known yet: wait a moment.")
    kept = order.tokens[first:last]
    words = [shift_word(Word.from_json(w), -start) for token in kept for w in token["words"]]
    words[0] = replace(words[0], start=max(words[0].start, 0.0))
    pauses = [shift_word(Word.from_json(pause), -start) for pause in order.pauses]
    aligned = covering(words, clip.seconds, 1.0, pauses)
    settings = order.settings
    margin, reach = (settings["margin"] / 1000, 0.075)
    narrow = min(order.room) / 2  # half the way to the next edit, whose takes do the same
    if narrow < margin + reach:
        margin, reach = min(margin, narrow / 2), max(0.025, narrow / 2)
    texts = [token["text"] for token in kept]
    if Transcript.from_text(" ".join(texts), max_words=None).spoken != tuple(w.text for w in words):
        texts = [" ".join(w["text"] for w in token["words"]) for token in kept]
    new = [*texts[: order.first - first], order.text, *texts[order.last - first :]]
    request = EditRequest(
        new_text=" ".join(filter(None, new)),
        text=" ".join(texts),
        alignment=aligned,
        speed=min(max(settings["speed"] * order.wish.pace, 0.25), 4.0),
        fit=settings["fit"] and order.wish.duration is None and order.wish.lengths is None,
        duration=order.wish.duration,
        lengths=order.wish.lengths,
        margin=margin,
        reach=reach,
        match=MatchedTraits.of(settings["match"]),
        pronunciations=order.pronunciations,
        cuts=_cuts(order.cut, start, clip.seconds),
        moves=False,
        seed=settings["seed"] + order.number // len(VARIATIONS),
    )
    return editor.plan(clip, request)


def _cuts(cut: Cut | None, start: float, seconds: float) -> tuple[Cut, ...]:
    """The cut on the clock of a clip that begins at `start`."""
    if cut is None:
        return ()
    return (replace(cut, start=max(cut.start - start, 0.0), end=min(cut.end - start, seconds)),)


def _rendered(editor: Editor, order: TakeOrder, plan: EditPlan) -> EditedRecording:
    number = order.number % len(VARIATIONS)
    if order.number == 0 or not order.wish.varied:
        result = editor.make(plan)[0]
    else:
        result = variant(plan, number, editor.render, editor.durations).result
    if order.level is None:
        return result
    gain = float(np.clip(order.level - level_of(result), -MOST_LEVELLING, MOST_LEVELLING))
    return replace(result, patches=tuple(_levelled(p, gain, result) for p in result.patches))


def level_of(result: EditedRecording) -> float:
    """dB of the samples that were made, all edits together; -100 for none."""
    made = [p.samples for p, e in zip(result.patches, result.plan.edits, strict=True) if e.words]
    total = np.concatenate([np.zeros((1, 1)), *(np.mean(each, 1, keepdims=True) for each in made)])
    return float(10 * np.log10(np.mean(np.square(total)) + 1e-10))


def _levelled(patch: Patch, gain: float, result: EditedRecording) -> Patch:
    """The patch at another level, but for its ends, which are the recording's own."""
    ramp = min(round(RAMP * result.recording.sample_rate), len(patch.samples) // 4)
    shape = np.ones(len(patch.samples))
    if ramp:
        rise = 0.5 - 0.5 * np.cos(np.pi * np.arange(ramp) / ramp)
        shape[:ramp], shape[len(shape) - ramp :] = rise, rise[::-1]
    factor = 1 + (10 ** (gain / 20) - 1) * shape
    return replace(patch, samples=patch.samples * factor[:, None])


def _written(
    order: TakeOrder, start: int, plan: EditPlan, result: EditedRecording | None, folder: Path
) -> dict[str, Any]:
    patches = result.patches if result is not None else ()
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
    }
    if result is not None:
        record |= {
            "level": level_of(result),
            "doubtful": list(result.doubtful),
            "model": result.model,
            "vocoder": result.vocoder,
            "voice": result.voice,
            "candidate": result.candidate,
            "scores": [[[w.word, w.score] for w in words] for words in result.scores or ()],
            "mix": _mix(order, start, plan),
        }
    folder.parent.mkdir(parents=True, exist_ok=True)
    with staging(folder.parent) as stage:
        made = stage / "take"
        made.mkdir()
        channels = patches[0].samples.shape[1] if patches else 1
        samples = np.concatenate([np.zeros((0, channels)), *(p.samples for p in patches)])
        np.save(made / "patch.npy", samples, allow_pickle=False)
        (made / "sound.pcm").write_bytes(played(samples))
        (made / "take.json").write_text(json.dumps(record), encoding="utf-8")
        made.rename(folder)
    return record


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


def _mix(order: TakeOrder, start: int, plan: EditPlan) -> dict[str, Any]:
    """What `app.studio.mixdown` needs to put this take's edits beside those of others."""
    frames = start * FRAMES_PER_SECOND // plan.recording.sample_rate
    inside = order.tokens
    places: list[tuple[int, int]] = [
        (int(token["id"]), k) for token in inside for k in range(len(token["words"]))
    ]
    spoken = [word["text"] for token in inside for word in token["words"]]
    first = _offset(spoken, plan)
    edits = []
    for edit in plan.edits:
        place = first + edit.old[0]
        anchor = places[place] if place < len(places) else (places[-1][0], places[-1][1] + 1)
        own = range(*edit.new)
        edits.append(
            {
                "plan": _moved(edit, frames).to_json(),
                "sources": [
                    None if phone.source is None else phone.source + frames for phone in edit.phones
                ],
                "anchor": list(anchor),
                "old": edit.old[1] - edit.old[0],
                "new": [asdict(plan.new_text.words[k]) for k in own],
                "phones": [list(plan.pronunciations[k]) for k in own],
            }
        )
    cut = None if order.cut is None else order.cut.to_json()
    return {
        "edits": edits,
        "rate": plan.rate,
        "cut": cut,
        "said": plan.request.to_json()["asked"]["pronunciations"],
    }


def _offset(spoken: list[str], plan: EditPlan) -> int:
    """Which of the order's spoken words is the plan's first one."""
    words = list(plan.text.spoken)
    starts = [k for k in range(len(spoken) - len(words) + 1) if spoken[k : k + len(words)] == words]
    if not starts:
        raise InputError("The words around this change are not known yet: wait a moment.")
    return starts[0]


def _moved(edit: PlannedEdit, frames: int) -> PlannedEdit:
    first, last = edit.source
    return replace(edit, source=(first + frames, last + frames))
