"""Inserted pauses, filled with the recording's own room tone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from a3t.audio.analysis.room_tone import room_tone
from a3t.audio.analysis.steady_tones import find_steady_tones
from a3t.audio.output.patches import Patch
from a3t.audio.reading.formats import to_float
from a3t.audio.reading.recording import Recording
from a3t.audio.splicing.crossfades import crossfade
from a3t.audio.splicing.seams import quietest_point
from a3t.spans import Span
from alignment import Alignment

FADE_SECONDS = 0.01
RADIUS_SECONDS = 0.03  # how far the pause may move to where it is quiet


def put_pause(
    recording: Recording, alignment: Alignment, source: Span, samples: int, seed: int = 0
) -> Patch:
    """The Patch that puts so many samples of room tone in the place of `source`.

    source: samples [first, last) of the recording; if they are none, the pause goes to the
    quietest place nearby and the recording becomes longer by exactly `samples`.
    """
    first, last = source
    if first == last:
        first = last = _quiet_place(recording, first)
    fade = round(FADE_SECONDS * recording.sample_rate)
    begin, end = max(0, first - fade), min(recording.samples, last + fade)
    length = samples + (first - begin) + (end - last)
    tone = room_tone(recording, alignment, length, seed, first).astype(np.float64)
    if steady := find_steady_tones(recording, begin, end):
        tone = steady.without(tone) + steady.across(length, -begin, length - end)
    before, after = (to_float(recording.read(*side)) for side in ((begin, first), (last, end)))
    return Patch((begin, end), _between(before, tone, after))


def quieted(
    patch: Patch,
    spans: Sequence[Span],
    recording: Recording,
    alignment: Alignment,
    seed: int = 0,
) -> Patch:
    """The patch with room tone in its samples [first, last) of each of `spans`, cross-faded inside
    them; spans too short for two fades stay as they are."""
    fade = round(FADE_SECONDS * recording.sample_rate)
    made = patch.samples.copy()
    going_on = 0.0 * made
    if steady := find_steady_tones(recording, *patch.source):
        going_on = steady.across(len(made), -patch.source[0], len(made) - patch.source[1])
    for first, last in spans:
        first, last = max(first, 0), min(last, len(made))
        if last - first < 3 * fade:
            continue
        tone = room_tone(recording, alignment, last - first, seed + first, patch.source[0])
        if steady:
            tone = steady.without(tone) + going_on[first:last]
        before, after = made[first : first + fade], made[last - fade : last]
        made[first:last] = _between(before, tone.astype(np.float64), after)
    return replace(patch, samples=made)


def _between(before: np.ndarray, tone: np.ndarray, after: np.ndarray) -> np.ndarray:
    """The tone (n, channels), cross-faded from what is before it and to what is after it."""
    middle = tone[len(before) : len(tone) - len(after)]
    parts = [middle]
    if len(before):
        parts.insert(0, crossfade(before, tone[: len(before)]))
    if len(after):
        parts.append(crossfade(tone[len(tone) - len(after) :], after))
    return np.concatenate(parts)


def _quiet_place(recording: Recording, place: int) -> int:
    """The quietest sample near `place`; the recording's start and end stay what they are."""
    if place in (0, recording.samples):
        return place
    radius = round(RADIUS_SECONDS * recording.sample_rate)
    first, last = max(0, place - 2 * radius), min(recording.samples, place + 2 * radius)
    mono = recording.mono(first, last)
    return first + quietest_point(mono, place - first, radius, recording.sample_rate)
