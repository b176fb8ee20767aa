"""Pauses with the recording's own room tone, and a tone over words that nobody is to hear."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from a3t.audio.analysis.background import find_steady_tones
from a3t.audio.analysis.room_tone import room_tone
from a3t.audio.output.patches import Patch
from a3t.audio.reading.formats import to_float
from a3t.audio.reading.recording import Recording
from a3t.audio.splicing.seams import crossfade, quietest_point
from a3t.spans import Span
from alignment import Alignment

FADE_SECONDS = 0.01
RADIUS_SECONDS = 0.03  # how far the pause may move to where it is quiet
FREQUENCY = 1000.0  # Hz of the tone, as broadcasters have it
RAMP = 0.005  # seconds
AROUND = 2.0  # seconds of the recording whose level it takes
LOUDEST = 0.25  # amplitude, full scale at 1


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


def with_bleep(patch: Patch, recording: Recording, span: Span) -> Patch:
    """A patch of silence with a tone over samples [first, last) of the recording, at the level of
    the sound around it."""
    rate, (first, last) = recording.sample_rate, span
    reach = round(AROUND * rate)
    around = recording.mono(max(0, first - reach), min(recording.samples, last + reach))
    level = float(np.sqrt(np.mean(np.square(around, dtype=np.float64))))
    place = np.arange(last - first)
    ends = np.minimum(place + 0.5, place[::-1] + 0.5) / (RAMP * rate)
    tone = np.sin(2 * np.pi * FREQUENCY * place / rate) * np.clip(ends, 0.0, 1.0)
    samples = patch.samples.copy()
    begin = first - patch.source[0]
    samples[begin : begin + len(tone)] += min(np.sqrt(2) * level, LOUDEST) * tone[:, None]
    return replace(patch, samples=samples)
