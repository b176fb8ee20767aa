"""Recorded speech put elsewhere: a patch whose samples are the recording's own but for its joints.

Each joint is made as a deletion's: in the silence beside the words, where there is any, where the
sound changes least, and there where both sides correlate most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count, pairwise

import numpy as np
import soxr

from a3t.audio.analysis.pause_sounds import speech_power
from a3t.audio.analysis.room_tone import find_room_tone, room_tone
from a3t.audio.matching.sound_matching import SpeechSound, in_sound_of
from a3t.audio.output.patches import Patch, read_patched
from a3t.audio.splicing.seams import (
    FADE_MS,
    LAG_MS,
    Overlap,
    Surroundings,
    best_places,
    best_seam,
    crossfade,
    fade_in,
    fade_out,
)
from a3t.grid import samples_of
from a3t.plan.edit_plan import EditPlan, PlannedEdit, ReusedSpeech
from a3t.plan.request import MAX_GAIN_DB
from a3t.rendering.edited import EditedRecording, ReusedExcerpt
from a3t.spans import Margins, Span

ENOUGH_SHARED_S = 1.0  # seconds of words that two recordings have in common
JOINT_CONTEXT_S = 0.1  # seconds beside a piece, in which a joint may lie
# Seconds by which a joint may move in silence, and without any.
JOINT_RADIUS_S, NARROW_RADIUS_S = 0.03, 0.0125


@dataclass(frozen=True, eq=False)
class _Piece:
    """A sound with its surroundings; the samples [first, last) are to be moved.

    room: by how many samples the joints at either end may move. source: which origin it is of, the
    sample there that its first one is, and how many of its samples one there is.
    """

    around: Surroundings
    raw: np.ndarray
    first: int
    last: int
    room: Margins
    origin: int = -1
    source: int = 0
    ratio: float = 1.0
    exact: bool = False

    def source_of(self, sample: int) -> int:
        """Return the sample of its origin's result that one of its own is."""
        return self.source + round(sample / self.ratio)


def moved_patch(
    plan: EditPlan, edit: PlannedEdit, origins: Sequence[EditedRecording]
) -> tuple[Patch, tuple[ReusedExcerpt, ...]]:
    """Return the patch that puts the speech that an edit takes in its place, and its excerpts."""
    recording, rate = plan.recording, plan.recording.sample_rate
    places = recording.samples_in(edit.source)
    around = Surroundings.read(recording, *places)
    fade = round(FADE_MS * rate / 1000)
    at_start, at_end = places[0] < fade, recording.samples - places[1] < fade
    room = [max(samples_of(frames, rate), fade) for frames in edit.overlap]
    pieces: list[_Piece] = []
    for taken in edit.taken:
        before, after = taken.pauses
        pieces += [_tone(plan, places[0], before)] if before else []
        pieces.append(_speech(plan, edit, taken, origins[taken.origin]))
        pieces += [_tone(plan, places[1], after)] if after else []
    here, there = (place - around.start for place in places)
    whole, raw = replace(around, start=0), around.samples + around.constant
    left = _Piece(whole, raw, 0, here, (0, room[0]))
    right = _Piece(whole, raw, there, len(raw), (room[1], 0))
    chain = [*([] if at_start else [left]), *pieces, *([] if at_end else [right])]
    joints = [_joint(a, b, fade, rate, a is left, b is right) for a, b in pairwise(chain)]
    # Where each piece begins and ends, the cross-fades left out.
    begins = [0 if at_start else None, *(joint.there.stop for joint in joints)]
    if at_start:
        begins[0] = pieces[0].first
    ends = [*(joint.first for joint in joints), pieces[-1].last if at_end else None]
    parts: list[np.ndarray] = []
    excerpts: list[ReusedExcerpt] = []
    place = 0
    for k, piece in enumerate(chain):
        if piece is not left and piece is not right:
            begin, end = begins[k], ends[k]
            assert begin is not None and end is not None
            parts.append(piece.raw[begin : max(end, begin)])
            if piece.origin >= 0:  # where it fades in or out it isn't as it was
                begin += fade if at_start and not k else 0
                end -= fade if at_end and k == len(chain) - 1 else 0
                span = piece.source_of(begin), piece.source_of(max(end, begin))
                inside = place + (fade if at_start and not k else 0)
                excerpts.append(ReusedExcerpt(piece.origin, span, inside, piece.exact))
            place += len(parts[-1])
        if k < len(joints):
            joint = joints[k]
            old, new = piece.raw[joint.first : joint.last], chain[k + 1].raw[joint.there]
            constant = around.constant
            parts.append(crossfade(old - constant, new - constant) + constant)
            place += len(parts[-1])
    samples = np.concatenate(parts)
    samples = fade_in(samples, fade) if at_start else samples
    samples = fade_out(samples, fade) if at_end else samples
    first = 0 if at_start else joints[0].first + around.start
    last = recording.samples if at_end else joints[-1].there.stop + around.start
    return Patch((first, last), samples), tuple(excerpts)


def _joint(a: _Piece, b: _Piece, fade: int, rate: int, from_place: bool, to_place: bool) -> Overlap:
    """Return the overlap from one piece to the next: the first's samples, their offset there.

    The recording itself is left before the place and entered again after it, so that nothing of it
    is heard twice.
    """
    room, half = min(a.room[1], b.room[0]), fade // 2
    leaving = a.last - room, a.last if from_place else a.last + room
    entering = b.first if to_place else b.first - room, b.first + room
    asked = a.last, b.first
    best = best_places(a.around.mono, leaving, b.around.mono, entering, asked, rate)
    leave, enter = best or asked
    if best:  # no farther than the cross-fade needs
        room = fade - half
    for _ in range(2):  # where a sound ends too soon, it is left sooner
        offset = enter - leave
        first = max(leave - room, 0, -offset)
        last = min(leave + room, len(a.around.mono), len(b.around.mono) - offset)
        if from_place:
            last = min(last, a.last + half)
        if to_place:
            first = max(first, b.first - half - offset)
        lacking = fade - (last - first)
        if lacking <= 0:
            break
        leave = max(leave - lacking, 0)
    overlap = Overlap(first, last, offset)
    lag = round(LAG_MS * rate / 1000)
    return best_seam(overlap, a.around, b.around.mono, fade, lag, leave - half)


def _speech(
    plan: EditPlan, edit: PlannedEdit, taken: ReusedSpeech, origin: EditedRecording
) -> _Piece:
    """Return speech of an origin at the recording's rate, channels and level."""
    source, recording = origin.recording, plan.recording
    first, last = origin_span(taken, origin)
    reach = round(JOINT_CONTEXT_S * source.sample_rate)
    begin = max(first - reach, 0)
    end = min(last + reach, origin.map.samples.output_length)
    samples = read_patched(source, origin.patches, begin, end)
    ratio = recording.sample_rate / source.sample_rate
    same = source.path == recording.path and source.track == recording.track
    exact = same and not taken.decibels
    if ratio != 1:
        samples = soxr.resample(samples, source.sample_rate, recording.sample_rate)
    if source.channels != recording.channels:
        samples = samples.mean(axis=1, keepdims=True).repeat(recording.channels, axis=1)
    gain = taken.decibels
    if taken.punch_in:
        samples, gain = _in_place(plan, edit, taken, origin, samples), 0.0
    if gain is None:
        gain = 0.0 if same else _speech_level(plan) - _speech_level(origin.plan)
    samples = _louder(samples, min(max(gain, -MAX_GAIN_DB), MAX_GAIN_DB))
    constant = samples.mean(axis=0)
    bare = samples - constant
    around = Surroundings(0, recording.sample_rate, bare, bare.mean(axis=1), constant, 1.0)
    rate = recording.sample_rate
    rooms = [
        round(min(max(samples_of(frames, rate), NARROW_RADIUS_S * rate), JOINT_RADIUS_S * rate))
        for frames in taken.silent
    ]
    edges = [round((sample - begin) * ratio) for sample in (first, last)]
    return _Piece(
        around, samples, edges[0], edges[1], (rooms[0], rooms[1]), taken.origin, begin, ratio, exact
    )


def _in_place(
    plan: EditPlan,
    edit: PlannedEdit,
    taken: ReusedSpeech,
    origin: EditedRecording,
    samples: np.ndarray,
) -> np.ndarray:
    """Give words that were recorded for the edit the sound of their new place.

    The words that stand beside them in both recordings tell it, if these are enough, else all.
    """
    recording, read = plan.recording, origin.recording
    spoken, read_words = plan.alignment.spoken, origin.plan.alignment.spoken
    kept = {new: old for old, new in plan.words.kept_places()}
    before = zip(range(taken.new[0])[::-1], range(taken.words[0])[::-1], strict=False)
    after = zip(count(taken.new[1]), range(taken.words[1], len(read_words)), strict=False)
    pairs = []
    for side in (before, after):
        for new, there in side:
            if new not in kept or read_words[there].text != spoken[kept[new]].text:
                break
            pairs.append((spoken[kept[new]], read_words[there]))
    shared = sum(word.duration for word, _ in pairs) >= ENOUGH_SHARED_S
    here = tuple(word for word, _ in pairs) if shared else spoken
    read_there = tuple(word for _, word in pairs) if shared else read_words
    rate, places = recording.sample_rate, recording.samples_in(edit.source)
    near, middle = sum(places) // 2, sum(origin_span(taken, origin)) // 2
    tone = find_room_tone(recording, plan.alignment, near)
    wanted = SpeechSound.of(recording, here, tone, near, rate)
    own_tone = find_room_tone(read, origin.plan.alignment, middle)
    sound = SpeechSound.of(read, read_there, own_tone, middle, rate)
    return in_sound_of(
        samples, sound, wanted, tone, plan.request.match, plan.request.seed + edit.source[0]
    )


def origin_span(taken: ReusedSpeech, origin: EditedRecording) -> Span:
    """Return the samples of an origin's result that are taken, before joints move."""
    first, last = origin.recording.samples_in(taken.frames)
    before, after = (origin.map.samples.shifts[edits] for edits in taken.edits)
    return first + before, last + after


def _tone(plan: EditPlan, near: int, frames: int) -> _Piece:
    """Return a pause of the recording's room tone."""
    recording, rate = plan.recording, plan.recording.sample_rate
    reach, length = round(JOINT_CONTEXT_S * rate), samples_of(frames, rate)
    near = min(near, recording.samples - 1)
    tone = room_tone(recording, plan.alignment, length + 2 * reach, plan.request.seed, near)
    constant = Surroundings.read(recording, near, near + 1).constant
    bare = tone.astype(np.float64)
    around = Surroundings(0, rate, bare, bare.mean(axis=1), constant, 1.0)
    room = round(JOINT_RADIUS_S * rate)
    return _Piece(around, bare + constant, reach, reach + length, (room, room))


def _louder(samples: np.ndarray, decibels: float) -> np.ndarray:
    """Bring samples (n, channels) to another level, but never above full scale."""
    if not decibels:
        return samples
    gain, peak = 10 ** (decibels / 20), float(np.abs(samples).max(initial=1e-9))
    return samples * (min(gain, max(1.0, 1.0 / peak)) if gain > 1 else gain)


def _speech_level(plan: EditPlan) -> float:
    """Return the level of a recording's words, dB of full scale."""
    return float(10 * np.log10(speech_power(plan.recording, plan.alignment) + 1e-12))
