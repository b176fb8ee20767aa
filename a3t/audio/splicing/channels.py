"""Channels and tracks in step: those in which a speaker is heard, and what the others become.

A podcast often has a channel for each speaker, found by the levels while one of them speaks. An
edit changes the speaker's; its changes of length are mirrored on what was recorded at the same
time: what is cut there is cut here; what becomes longer there becomes as much longer here, with
room tone; what keeps its length changes nothing. So both stay in step to the sample outside the
changes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from a3t.audio.output.patches import Patch, read_patched
from a3t.audio.reading.formats import to_float
from a3t.audio.reading.recording import Recording
from a3t.audio.splicing.seams import (
    FADE_MS,
    Overlap,
    Surroundings,
    best_seam,
    crossfade,
    fade_in,
    fade_out,
    quietest_point,
)
from a3t.audio.splicing.splicing import PAUSE_FADE_S, put_pause
from a3t.spans import Span, SpanMap, SpanPair
from alignment import Alignment

SPEAKER_REACH_S = 15.0  # seconds on either side of a place in which words tell
LEVEL_FRAME_S = 0.02  # seconds
FLOOR_FRAMES_SHARE = 0.1  # of a channel's frames are no louder than its room
LISTENING_SHARE = 0.25  # of a speaker's words through which the others are surely silent
MIN_ABOVE_FLOOR = 4.0  # as a ratio of powers: a voice that is no louder isn't heard in a channel
MIN_CROSSTALK = 10**-3.5  # or one that is so much below the speaker's own channel
SILENT_POWER = 1e-12


Seconds = tuple[float, float]  # [start, end)


def speaking_channels(
    recording: Recording, alignment: Alignment, said: Sequence[Seconds]
) -> tuple[int, ...]:
    """Return the channels in which words, or what else is said, are heard.

    They are all of a recording's, unless each speaker has a channel of their own: then those alone.
    said: when they are said, in order.
    """
    every = tuple(range(recording.channels))
    if len(every) == 1 or not said:
        return every
    start, end = max(0.0, said[0][0] - SPEAKER_REACH_S), said[-1][1] + SPEAKER_REACH_S
    powers = _powers(recording, *recording.samples_between(start, end))
    floors = np.quantile(powers, FLOOR_FRAMES_SHARE, axis=0)
    loudest = int(np.median(_during(said, powers, start), axis=0).argmax())
    words = [(w.start, w.end) for w in alignment.spoken if start <= w.start and w.end <= end]
    near = _during(words or said, powers, start)
    speaker_powers = near[near.argmax(axis=1) == loudest]
    if not len(speaker_powers):
        return every
    heard = np.quantile(speaker_powers, LISTENING_SHARE, axis=0)
    limit = np.maximum(
        MIN_ABOVE_FLOOR * floors, MIN_CROSSTALK * np.median(speaker_powers[:, loudest])
    )
    alone = heard <= np.maximum(limit, SILENT_POWER)
    return tuple(c for c in every if c == loudest or not alone[c])


def _powers(recording: Recording, first: int, last: int) -> np.ndarray:
    """Return each channel's power, its constant part left out, (frames, channels)."""
    sound = to_float(recording.read(first, last))
    sound -= sound.mean(axis=0)
    size = min(round(LEVEL_FRAME_S * recording.sample_rate), len(sound))
    whole = len(sound) // size * size
    return np.square(sound[:whole]).reshape(-1, size, sound.shape[1]).mean(axis=1)


def _during(times: Sequence[Seconds], powers: np.ndarray, start: float) -> np.ndarray:
    """Average the power in each of some stretches, (n, channels); frames begin at ``start``."""
    last = len(powers) - 1
    frames = [[round((second - start) / LEVEL_FRAME_S) for second in stretch] for stretch in times]
    spans = [(min(first, last), max(end, min(first, last) + 1)) for first, end in frames]
    return np.array([powers[first:end].mean(axis=0) for first, end in spans])


def mirrored(track: Recording, changes: SpanMap, rate: int, seed: int = 0) -> tuple[Patch, ...]:
    """Return the patches that keep a track in step with a recording that changes.

    changes: of that recording's samples, at ``rate`` Hz. Each patch lies within the span that it
    mirrors, as far as the track goes. Where the rates differ, the tracks stay within half a sample
    of each other.
    """
    patches: list[Patch] = []
    growth = done = 0  # of the recording, and of the track
    for change in changes.changes:
        growth += change.growth
        first, last = (_at(place, rate, track) for place in change.source)
        by = round(growth * track.sample_rate / rate) - done
        if not by or first >= track.samples:
            continue
        if by < 0:
            patch = _shorter(track, (first, max(last, first - by)), -by)
        else:
            patch = _longer(track, (first, last), by, seed)
        if patch is not None:
            patches.append(patch)
        done += by
    return tuple(patches)


def on_channels(
    recording: Recording, patch: Patch, channels: Sequence[int], seed: int = 0
) -> Patch:
    """Put the patch on some of the recording's channels alone.

    The others keep their samples, and its change of length is mirrored on each. The patch has these
    channels, or all of the recording's.
    """
    if len(channels) == recording.channels:
        return patch
    chosen = patch.samples
    chosen = chosen if chosen.shape[1] == len(channels) else chosen[:, list(channels)]
    first, length = patch.source[0], len(chosen)
    change = SpanPair(patch.source, (first, first + length))
    changes = SpanMap((change,), recording.samples)
    result = np.empty((length, recording.channels))
    result[:, list(channels)] = chosen
    for channel in set(range(recording.channels)) - set(channels):
        alone = recording.one_channel(channel)
        patches = mirrored(alone, changes, recording.sample_rate, seed)
        result[:, [channel]] = read_patched(alone, patches, first, first + length)
    return Patch(patch.source, result)


def _at(place: int, rate: int, track: Recording) -> int:
    """Return the place of a sample at another track's rate."""
    return min(round(place * track.sample_rate / rate), track.samples)


def _shorter(track: Recording, span: Span, by: int) -> Patch | None:
    """Return the patch that takes so many samples out of a span, where the joint is heard least."""
    first, last = span[0], min(span[1], track.samples)
    by = min(by, last - first)
    fade = min(round(FADE_MS * track.sample_rate / 1000), last - first - by)
    if by == track.samples:  # nothing would be left
        return None
    around = Surroundings.read(track, first, last)
    if first == 0 or last == track.samples:
        keep = (by, by + fade) if first == 0 else (last - by - fade, last - by)
        samples = around.samples[keep[0] - around.start : keep[1] - around.start]
        faded = fade_in(samples, fade) if first == 0 else fade_out(samples, fade)
        span = (0, keep[1]) if first == 0 else (keep[0], last)
        return Patch(span, faded + around.constant)
    start = around.start
    seam = Overlap(first, last - by, by - start)
    if fade:
        seam = best_seam(seam, around, around.mono, fade, 0, (first + last - by - fade) // 2)
    samples = crossfade(around.samples[around.here(seam)], around.samples[seam.there])
    return Patch((seam.first, seam.there.stop + start), samples + around.constant)


def _longer(track: Recording, span: Span, by: int, seed: int) -> Patch:
    """Return the patch that puts so many samples of room tone in the quietest place of a span."""
    rate, (first, last) = track.sample_rate, span
    fade = round(PAUSE_FADE_S * rate)
    low, high = first + fade, last - fade - 1
    place = (first + last) // 2
    if low < high:
        mono = track.mono(low, high)
        place = low + quietest_point(mono, len(mono) // 2, len(mono), rate)
    place = min(place, track.samples - 1)
    # With one sample replaced the pause stays where it is put.
    return put_pause(track, Alignment((), track.seconds), (place, place + 1), by + 1, seed)
