"""Makes one take of one edit, in the worker's process.

Only the surroundings of an edit are looked at, as `a3t.source.alignments` does for long recordings,
so an edit takes as long in an hour of speech as in a minute. A take is kept as the samples that
replace a stretch of the original, so any choice of takes can be put together later, exactly, and
with it how it was made (`a3t.projects.takes`).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate, chain
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from a3t.audio.output.patches import Patch, audio_slice, whole_frames
from a3t.audio.reading.formats import to_float
from a3t.errors import InputError
from a3t.grid import seconds_of
from a3t.plan.edit_plan import EditPlan, PlannedEdit
from a3t.plan.request import Cut, PlacedWords
from a3t.projects.store.folder import REQUEST, TAKE_FILE
from a3t.projects.store.pcm_sound import played
from a3t.projects.store.words import HeardWords, Token, lines_of
from a3t.projects.take_record import Mix, NewWord, PatchSpan, Pronunciation, ShownTake, TakeRecord
from a3t.projects.takes import Take, aligned_stretch, level_of, made_edits
from a3t.rendering.candidates import VARIATIONS, recorded_requests
from a3t.rendering.edited import EditedRecording
from a3t.rendering.verification import hidden_words_warning
from a3t.source.records import LONG
from a3t.spans import Span
from a3t.text.pronunciation.letter_to_sound import sounded
from a3t.text.pronunciation.pronouncer import Pronouncer
from alignment.atomic import staging
from app import texts
from app.studio.speaker_tracks import MARGIN_S, loudest_tracks, track_powers
from app.studio.work.listening import editor_step
from app.studio.work.take_orders import NEAR, TakeJob

if TYPE_CHECKING:
    from a3t.editor import Editor

CONTEXT_S = (8.0, 14.0)  # seconds on each side of an edit, up to a pause
MAX_RECORDED = 2  # takes of words that are recorded elsewhere
ROOM = 0.5  # seconds beyond the words that are looked at
SPEECH_FRAME_S = 0.05
SPEECH_POWER = 0.03  # of a track's level: a microphone hears less of others


def make_take(editor: Editor, job: TakeJob, folder: Path) -> TakeRecord:
    """Make the take, write its folder, and return its record; raises the editor's errors."""
    stretch = _stretch(job)
    with audio_slice(job.recording, stretch) as clip:
        take = _take(job, stretch)
        try:
            plan = take.plan(editor, clip)
        except InputError:
            if not take.request.fit:
                raise
            take = take.asking(fit=False)  # too little time
            plan = take.plan(editor, clip)
        result = take.render(editor, plan) if plan.edits else None
        editor_step(editor, "save")
        return _written(job, take, result.plan if result else plan, result, folder)


def make_whole_text(editor: Editor, jobs: Sequence[tuple[TakeJob, Path]], new_text: str) -> None:
    """Make a text that has all the jobs' changes, and write its share to each job's folder.

    A change whose edits are another's, too, gets none. The jobs have all tokens of the recording.
    Raises the editor's errors.
    """
    job = jobs[0][0]
    heard = HeardWords(tuple(job.tokens), tuple(job.pauses)).aligned(job.recording)
    request = replace(job.request, text=heard.text.text, new_text=new_text)
    order = Take((0, job.recording.samples), request, heard.alignment)
    result = order.render(editor, order.plan(editor, job.recording))
    editor_step(editor, "save")
    words = [*accumulate((len(token.words) for token in job.tokens), initial=0)]
    old = [edit.old for edit in result.plan.edits]
    for job, folder in jobs:
        first, last = words[job.first], words[job.last]
        share = [k for k, (a, b) in enumerate(old) if first <= a and b <= last]
        beside = [k for k, (a, b) in enumerate(old) if a < last and first < b]
        if share and set(beside) <= set(share):
            take = replace(order, share=(share[0], share[-1] + 1))
            part = take.own_part(result)
            _written(job, take, part.plan, part, folder)


def make_recorded(editor: Editor, job: TakeJob, folder: Path) -> int:
    """Make takes of a few new words that are recorded elsewhere in the job's surroundings.

    Writes their folders below an edit's, and returns how many. Raises the editor's errors.
    """
    stretch = _wide_stretch(job)
    count = 0
    with audio_slice(job.recording, stretch) as clip:
        take = _take(job, stretch)
        plan = take.asking(moves=True).plan(editor, clip)  # what is recorded elsewhere, too
        for request, _ in recorded_requests(plan, editor.render(plan), MAX_RECORDED):
            own = take.asking(recorded=request.recorded)
            plan = own.plan(editor, clip)
            if any(edit.taken for edit in plan.edits):
                number = job.number + count
                made = replace(job, number=number), own, plan, own.render(editor, plan)
                _written(*made, folder / str(number))
                count += 1
    return count


def _wide_stretch(job: TakeJob) -> Span:
    """Return the samples of all the job's tokens."""
    rate, step = job.recording.sample_rate, whole_frames(job.recording.sample_rate)
    first, last = job.tokens[0].start, job.tokens[-1].end
    start = max(0, round((first - ROOM) * rate)) // step * step
    return start, min(job.recording.samples, round((last + ROOM) * rate))


def _stretch(job: TakeJob) -> Span:
    """Return the samples that are looked at."""
    recording = job.recording
    own = {token.id for token in job.tokens[job.first : job.last]}
    if job.request.moves or not own.issuperset(chain(*(each.tokens for each in job.recorded))):
        return _wide_stretch(job)  # up to where the words are recorded
    if recording.seconds <= LONG:
        return 0, recording.samples
    rate = recording.sample_rate
    step = whole_frames(rate)
    begin, end = _span(job)
    start = max(0, min(round(begin * rate) // step * step, recording.samples))
    return start, min(recording.samples, -(-round(end * rate) // step) * step)


def _span(job: TakeJob) -> tuple[float, float]:
    """Return the seconds around the edit, up to the widest pause within CONTEXT_S.

    Where there are no words known, that is as far as it goes.
    """
    times = [(token.start, token.end) for token in job.tokens]
    duration = job.recording.seconds
    here = times[job.first][0] if job.first < len(times) else times[-1][1]
    there = times[job.last - 1][1] if job.last > job.first else here
    left = [0.0] + [(a[1] + b[0]) / 2 for a, b in zip(times, times[1:], strict=False)]
    width = [0.0] + [b[0] - a[1] for a, b in zip(times, times[1:], strict=False)]
    near, far = CONTEXT_S
    before = [k for k, at in enumerate(left) if here - far <= at <= here - near]
    after = [k for k, at in enumerate(left) if there + near <= at <= there + far]
    begin = left[max(before, key=lambda k: width[k])] if before else max(0.0, here - far)
    end = left[max(after, key=lambda k: width[k])] if after else min(duration, there + far)
    return begin, end


def _inside(job: TakeJob, stretch: Span) -> tuple[int, int]:
    """Return the job's tokens [first, last) that lie in the stretch."""
    start, end = (sample / job.recording.sample_rate for sample in stretch)
    inside = [
        k
        for k, token in enumerate(job.tokens)
        if token.start >= start - 0.02 and token.end <= end + 0.02
    ]
    if not inside or not (inside[0] <= job.first and job.last <= inside[-1] + 1):
        raise InputError(texts.WORDS_TO_COME)
    return inside[0], inside[-1] + 1


def _take(job: TakeJob, stretch: Span) -> Take:
    """Return the take to be made."""
    first, last = _inside(job, stretch)
    kept = job.tokens[first:last]
    start, end = (sample / job.recording.sample_rate for sample in stretch)
    words = [word for token in kept for word in token.words]
    aligned = aligned_stretch(words, job.pauses, start, end - start)
    margin, reach = job.request.margin, job.request.reach
    narrow = min(job.room) / 2  # half the way to the next edit, whose takes do the same
    if narrow < margin + reach:
        margin, reach = min(margin, narrow / 2), max(0.025, narrow / 2)
    here = (job.first - first, job.last - first)
    text, new_text, starts = lines_of([(each.speaker, each.said) for each in kept], *here, job.text)
    like = job.number if job.base is None else job.base
    request = replace(
        job.timed_request,
        new_text=new_text,
        text=text,
        margin=margin,
        reach=reach,
        cuts=_cuts(job.cut, start, end - start),
        seed=job.request.seed + like // len(VARIATIONS),
        placed=_placed(job, kept, here, starts),
        channels=own_channels(job),
    )
    said = request.transcript
    if said is None or said.spoken != tuple(word.text for word in words):
        plain = [("", " ".join(word.text for word in token.words)) for token in kept]
        text, new_text, starts = lines_of(plain, *here, job.text)
        placed = _placed(job, kept, here, starts, [len(said.split()) for _, said in plain])
        request = replace(request, text=text, new_text=new_text, placed=placed)
    variation = like % len(VARIATIONS) if job.varied or job.base is not None else 0
    return Take(stretch, request, aligned, variation, job.level)


def own_channels(job: TakeJob) -> tuple[int, ...]:
    """Return the channels of the tracks of those whose words change; () if nobody's do.

    Two may speak at once, and a speaker may be called otherwise than the track: a speaker's track
    is the one on which most of their words nearby are loudest.
    """
    if len(job.tracks) < 2 or (job.cut is not None and job.first == job.last):
        return ()
    moved = {each for words in job.recorded for each in words.tokens}
    changed = {*range(job.first, job.last)} or {max(0, job.first - 1)}
    names = {t.speaker for k, t in enumerate(job.tokens) if k in changed or t.id in moved}
    rate, tokens = job.recording.sample_rate, [t for t in job.tokens if t.speaker in names]
    here = job.tokens[min(job.first, len(job.tokens) - 1)].start
    tokens.sort(key=lambda token: abs(token.start - here))
    votes: dict[str, Counter[int]] = {name: Counter() for name in names}
    for token in tokens[: NEAR * len(names)]:
        first = max(0, round((token.start - MARGIN_S) * rate))
        last = min(job.recording.samples, round((token.end + MARGIN_S) * rate))
        samples = to_float(job.recording.read(first, last))
        (loudest,) = loudest_tracks(samples, first / rate, rate, job.tracks, [token])
        votes[token.speaker][loudest] += 1
    own = {count.most_common(1)[0][0] for count in votes.values() if count}
    ends = [0, *accumulate(track.channels for track in job.tracks)]
    return tuple(c for k in sorted(own) for c in range(ends[k], ends[k + 1]))


def speech_cut_beside(job: TakeJob, channels: Sequence[int], spans: Sequence[PatchSpan]) -> str:
    """Return a sentence if another track's speech becomes shorter with a change, else ""."""
    ends = [*accumulate(track.channels for track in job.tracks)]
    others = [k for k, end in enumerate(ends) if end - 1 not in channels]
    for (first, last), length in ((span.source, span.length) for span in spans):
        if not (channels and others) or length >= last - first:
            continue
        powers = track_powers(to_float(job.recording.read(first, last)), job.tracks)
        size = max(1, min(len(powers), round(SPEECH_FRAME_S * job.recording.sample_rate)))
        frames = powers[: len(powers) // size * size].reshape(-1, size, len(ends)).mean(axis=1)
        if any(frames[:, k].max() > SPEECH_POWER * job.tracks[k].level for k in others):
            return texts.CUT_BESIDE
    return ""


def _placed(
    job: TakeJob,
    kept: Sequence[Token],
    here: tuple[int, int],
    starts: Sequence[int],
    widths: Sequence[int] = (),
) -> tuple[PlacedWords, ...]:
    """Return the recorded words of the new text: those that stay, and those in their place.

    kept: the tokens, of which those in `here` are replaced. starts: as `lines_of` says. widths: how
    many written words each is.
    """
    (first, last), ids = here, {token.id: k for k, token in enumerate(kept)}
    spoken = [*accumulate((len(token.words) for token in kept), initial=0)]
    widths = widths or [len(token.said.split()) for token in kept]
    text = starts[first] if job.text else 0
    stay = {*enumerate(starts[:first]), *enumerate(starts[first + bool(job.text) :], last)}
    tokens = [*stay]
    for each in job.recorded:
        at = text + each.at
        for identity in each.tokens:
            tokens.append((ids[identity], at))
            at += widths[ids[identity]]
    places = [replace(each, new=(text + each.new[0], text + each.new[1])) for each in job.taken]
    for k, at in sorted(tokens, key=itemgetter(1)):
        new, old, stays = (at, at + widths[k]), (spoken[k], spoken[k + 1]), (k, at) in stay
        ends = [(p.new[1], p.old[1], p.text, p.stays) for p in places[-1:]]
        if ends == [(at, old[0], 0, stays)]:
            new, old = (places[-1].new[0], new[1]), (places.pop().old[0], old[1])
        places.append(PlacedWords(new, old, 0, stays))
    return tuple(sorted(places, key=attrgetter("new")))


def _cuts(cut: Cut | None, start: float, seconds: float) -> tuple[Cut, ...]:
    """Return the cut on the clock of a clip that begins at `start`."""
    if cut is None:
        return ()
    return (replace(cut, start=max(cut.start - start, 0.0), end=min(cut.end - start, seconds)),)


def _written(
    job: TakeJob, take: Take, plan: EditPlan, result: EditedRecording | None, folder: Path
) -> TakeRecord:
    patches, start = (result.patches if result is not None else ()), take.stretch[0]
    hidden = hidden_words_warning(result) if result is not None else ""
    spans = tuple(
        PatchSpan((p.source[0] + start, p.source[1] + start), len(p.samples)) for p in patches
    )
    beside = speech_cut_beside(job, take.request.channels, spans)
    shown = ShownTake(
        number=job.number,
        pace=job.pace,
        duration=job.duration,
        base=job.base,
        spans=spans,
        words=tuple(each for k in range(len(patches)) for each in _words(plan, patches, k)),
        seconds=sum(len(p.samples) for p in patches) / plan.recording.sample_rate,
        doubts=(*map(str, plan.doubts), *filter(None, [hidden, beside])),
        guessed=dict(plan.guessed),
        lengths=tuple(tuple(w.seconds for w in edit.words) for edit in plan.edits if edit.words),
        offered={word: _offered(word) for word in plan.guessed},
    )
    record = _record(shown, job, take, result) if result and patches else TakeRecord(**vars(shown))
    folder.parent.mkdir(parents=True, exist_ok=True)
    with staging(folder.parent) as stage:
        made = stage / "take"
        made.mkdir()
        channels = patches[0].samples.shape[1] if patches else 1
        samples = np.concatenate([np.zeros((0, channels)), *(p.samples for p in patches)])
        np.save(made / "patch.npy", samples, allow_pickle=False)
        (made / "sound.pcm").write_bytes(played(samples, job.channels))
        (made / REQUEST).write_text(json.dumps(take.pinned(plan).to_json()), encoding="utf-8")
        while True:  # another lane may have made a take meanwhile
            (made / TAKE_FILE).write_text(json.dumps(record.to_json()), encoding="utf-8")
            try:
                made.rename(folder.parent / str(record.number))
                break
            except OSError:
                if not (folder.parent / str(record.number)).is_dir():
                    raise
                record = replace(record, number=record.number + 1)
    return record


def _record(shown: ShownTake, job: TakeJob, take: Take, result: EditedRecording) -> TakeRecord:
    """Return the record of a take in which something was made."""
    asked = result.plan.request.pronunciations
    edits = made_edits(result, take.stretch, partial(_anchor, job, take))
    recorded, other = (None, "") if job.said else _recorded(result, take.stretch[0])
    shown = replace(
        shown,
        level=level_of(result),
        doubtful=tuple(result.doubtful),
        recorded=recorded,
        other=other,
        punch_in=job.said is not None,
    )
    return TakeRecord(
        **vars(shown),
        model=result.model,
        vocoder=result.vocoder,
        voice=result.voice,
        scores=tuple(tuple((w.word, w.score) for w in words) for words in result.scores or ()),
        mix=Mix(
            tuple(made.edit for made in edits),
            result.plan.rate,
            job.cut,
            {word: tuple(" ".join(way) for way in ways) for word, ways in asked},
        ),
    )


def _anchor(job: TakeJob, take: Take, edit: PlannedEdit) -> tuple[int, int]:
    """Return the token, and the word within it, at which an edit begins."""
    inside = job.tokens
    places = [(token.id, k) for token in inside for k in range(len(token.words))]
    before = inside[: _inside(job, take.stretch)[0]]
    place = sum(len(token.words) for token in before) + edit.old[0]
    return places[place] if place < len(places) else (places[-1][0], places[-1][1] + 1)


def _recorded(result: EditedRecording, start: int) -> tuple[float | None, str]:
    """Return the second at which the first of the words taken from elsewhere is recorded.

    With it comes the other file, if it is in one.
    """
    taken = [excerpt for own in result.excerpts for excerpt in own]
    if not taken:
        return None, ""
    first, where = taken[0].source[0], result.source_edits[taken[0].origin].recording
    if where.path == result.recording.path:
        return (first + start) / where.sample_rate, ""
    return first / where.sample_rate, where.path.name


def _words(plan: EditPlan, patches: Sequence[Patch], k: int) -> list[NewWord]:
    """Return an edit's new words, with their span and their seconds from its beginning.

    Each is told which of the take's lengths is its own.
    """
    edit, rate = plan.edits[k], plan.recording.sample_rate
    clock = seconds_of(edit.source[0]) - patches[k].source[0] / rate
    spoken = plan.new_text.spoken
    found: list[NewWord] = []
    place = sum(bool(each.words) for each in plan.edits[:k])
    unit, before = -1, None
    for phone in edit.phones:
        unit += phone.word != before or phone.word < 0
        before = phone.word
        end = clock + seconds_of(phone.frames)
        if edit.new[0] <= phone.word < edit.new[1]:
            if found and found[-1].word == phone.word:
                found[-1] = replace(found[-1], end=end)
            else:
                text = spoken[phone.word]
                found.append(NewWord(k, phone.word, text, clock, end, (place, unit)))
        clock = end
    return found


def _offered(word: str) -> tuple[Pronunciation, ...]:
    """Return other ways to say a word that was guessed."""
    ways = Pronouncer().offered(word)
    return tuple(Pronunciation(sounded(way), " ".join(way)) for way in ways)
