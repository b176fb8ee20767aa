"""Turn a synthesis at 24 kHz, or the recording alone, into a Patch without a seam.

The synthesis overlaps the recording by a margin on either side: there the model has spoken
context that the recording holds too. In each margin the two are cross-faded over 15 ms where they
correlate most, the synthesis moved by up to 6.5 ms, so that they run in phase; or where it is
quiet. A deletion joins the recording with itself in the same way. A pause is the recording's own
room tone; over words that nobody is to hear lies a tone.

A codec of few bits (MP3, AAC, Opus) leaves its own holes and roughness in a spectrum. A patch
without them stands out, so it is coded once like the recording: by the same codec, at
nearly its bit rate, between the recording's own sound.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, cast

import numpy as np
import soundfile

from a3t.audio.analysis.background import find_steady_tones
from a3t.audio.analysis.room_tone import room_tone
from a3t.audio.matching.sound_matching import SoundMatcher
from a3t.audio.output.patches import Patch
from a3t.audio.reading.containers import audio_stream
from a3t.audio.reading.formats import to_float
from a3t.audio.reading.recording import Recording
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
    gain_match,
    quietest_point,
    resample_patch,
    rms,
    spread_channels,
)
from a3t.errors import InputError
from a3t.grid import HOP, ceil_at_rate, floor_at_rate, nearest_at_rate
from a3t.spans import Margins, Span
from alignment import Alignment

if TYPE_CHECKING:
    from av.audio.stream import AudioStream


PATCH_ENCODERS = {"mp3": "libmp3lame", "aac": "aac", "opus": "libopus"}
# Bits a second of a channel from which Opus needs no SILK, which dims the top.
CELT_BITS_PER_S = 24_000
MAX_BITS_PER_S = 160_000  # bits a second of a channel: above, coding leaves nothing to be heard
# The vocoder learnt from recordings of so many bits a second of a channel and more, and brings part
# of their texture itself. So from there on a patch gets more bits, this many times (docs/log.md).
LEARNT_BITS_PER_S, MORE_BITS = 40_000, 1.2
CODEC_CONTEXT_S = 0.5  # seconds of the recording on either side, which set the encoder going
MAX_DELAY_S = 0.2  # seconds that a codec may delay the sound
MIN_CORRELATION = 0.7  # the least correlation of a patch with its coded self
RADIUS_MS = 30.0  # how far a deletion looks for a quiet point
PAUSE_FADE_S = 0.01
PAUSE_RADIUS_S = 0.03  # how far the pause may move to where it is quiet
BLEEP_HZ = 1000.0  # Hz of the tone, as broadcasters have it
BLEEP_RAMP_S = 0.005  # seconds
BLEEP_AROUND_S = 2.0  # seconds of the recording whose level it takes
MAX_BLEEP = 0.25  # amplitude, full scale at 1


def coded_like(recording: Recording, patch: Patch) -> Patch:
    """Return the patch as the recording's own codec leaves it.

    It stays as it was if that codec is lossless, of high bit rate, or none that FFmpeg's libraries
    encode. Its ends stay the recording's.
    """
    coding = lossy_coding(recording)
    if coding is None or not len(patch.samples):
        return patch
    rate, context = recording.sample_rate, round(CODEC_CONTEXT_S * recording.sample_rate)
    first, last = patch.source
    before = to_float(recording.read(max(0, first - context), first))
    after = to_float(recording.read(last, min(recording.samples, last + context)))
    whole = np.concatenate([before, patch.samples, after])
    coded = _in_step(_coded(whole, rate, *coding), whole, round(MAX_DELAY_S * rate))
    if coded is None:
        return patch
    here = slice(len(before), len(before) + len(patch.samples))
    fade = max(1, min(round(FADE_MS * rate / 1000), len(patch.samples) // 2))
    place = np.arange(len(patch.samples)) + 0.5
    share = np.clip(np.minimum(place, place[::-1]) / fade, 0.0, 1.0)[:, None]
    return Patch(patch.source, patch.samples * (1 - share) + coded[here] * share)


def lossy_coding(recording: Recording) -> tuple[str, int] | None:
    """Return FFmpeg's encoder for a patch of a recording, and its bits a second, or None."""
    import av

    if not recording.format.is_float:  # what is decoded from a lossy codec are floats
        return None
    try:
        with av.open(str(recording.path)) as container:
            stream, _ = audio_stream(container, recording.path, recording.track)
            encoder = PATCH_ENCODERS.get(stream.codec_context.codec.canonical_name)
            bits = stream.bit_rate or container.bit_rate or 0
    except (av.error.FFmpegError, OSError):
        return None
    if encoder is None or not 0 < bits < MAX_BITS_PER_S * recording.channels:
        return None
    if bits >= LEARNT_BITS_PER_S * recording.channels:
        bits = round(MORE_BITS * bits)
    rates = av.codec.Codec(encoder, "w").audio_rates
    return (encoder, bits) if rates is None or recording.sample_rate in rates else None


def _coded(samples: np.ndarray, rate: int, encoder: str, bits: int) -> np.ndarray:
    """Encode and decode samples (n, channels): (m, channels), with the codec's delay."""
    import av

    layout = {1: "mono", 2: "stereo"}.get(samples.shape[1], f"{samples.shape[1]} channels")
    file, opus = io.BytesIO(), encoder == PATCH_ENCODERS["opus"]
    with av.open(file, "w", format="ogg" if opus else "matroska") as target:
        celt = opus and bits >= CELT_BITS_PER_S * samples.shape[1]
        options = {"application": "lowdelay"} if celt else {}
        stream = cast(
            "AudioStream", target.add_stream(encoder, rate=rate, layout=layout, options=options)
        )
        stream.bit_rate = bits
        packed = np.ascontiguousarray(samples, np.float32).reshape(1, -1)
        frame = av.AudioFrame.from_ndarray(packed, "flt", layout)
        frame.sample_rate, frame.time_base, frame.pts = rate, Fraction(1, rate), 0
        target.mux(stream.encode(frame))
        target.mux(stream.encode(None))
    file.seek(0)
    if opus:  # FFmpeg decodes it at 48 kHz alone, and resampling has a slope
        return np.asarray(soundfile.read(file, always_2d=True)[0])
    with av.open(file, "r") as source:
        resampler = av.AudioResampler("flt", layout, rate)
        frames = [out for each in source.decode(audio=0) for out in resampler.resample(each)]
        frames += resampler.resample(None)
    pieces = [frame.to_ndarray().reshape(-1, samples.shape[1]) for frame in frames]
    return np.concatenate(pieces).astype(np.float64) if pieces else np.empty((0, samples.shape[1]))


def _in_step(coded: np.ndarray, samples: np.ndarray, most: int) -> np.ndarray | None:
    """Move the coded samples by at most ``most`` to where they are most like the others.

    They become as many; None if they are not alike anywhere.
    """
    mono, other = samples.mean(axis=1), coded.mean(axis=1)
    size = 1 << (len(mono) + len(other) + 2 * most).bit_length()
    spectrum = np.fft.rfft(other, size) * np.conj(np.fft.rfft(mono, size))
    agreement = np.fft.irfft(spectrum, size)
    lags = np.r_[np.arange(most + 1), np.arange(-most, 0)]
    lag = int(lags[np.argmax(agreement[lags])])
    moved = np.zeros_like(samples)
    start, stop = max(0, -lag), min(len(samples), len(coded) - lag)
    if start >= stop:
        return None
    moved[start:stop] = coded[start + lag : stop + lag]
    power = float(np.sqrt(np.square(mono).sum() * np.square(moved.mean(axis=1)).sum()))
    return moved if power > 0 and float(agreement[lag]) > MIN_CORRELATION * power else None


def make_patch(
    recording: Recording,
    synthesis: np.ndarray,
    replaced: Span,
    margins: Margins,
    *,
    matcher: SoundMatcher | None = None,
    lag_ms: float = LAG_MS,
) -> Patch:
    """Make the Patch that puts ``synthesis`` in the place of ``replaced``.

    synthesis: (n,) float32 at 24 kHz, full scale at 1. replaced: samples [a, b) of the recording's
    clock at 24 kHz (frame t begins at 300 t); a == b inserts. margins: how many samples at either
    end of ``synthesis`` speak what the recording says before a and after b, so synthesis[0] lies at
    a - margins[0]. Where the edit touches the recording's start (a == 0) or end there is no margin
    (0), and the patch fades in or out there. Speech as long as what it replaces keeps the
    recording's length, to the sample. The patch's level follows the recording's in the margins, and
    stays below full scale; with a ``matcher`` it takes on more of the recording's sound. Raises
    ValueError if the margins don't fit.
    """
    rate = recording.sample_rate
    fade = max(1, _samples(FADE_MS, rate))
    keeps_length = len(synthesis) - sum(margins) == replaced[1] - replaced[0]
    sound, left, right = _on_the_recordings_clock(recording, synthesis, replaced, margins, fade)
    around = Surroundings.read(recording, left.first, right.last)
    if matcher:
        sound = matcher.with_spectrum(sound, rate)
    sound = _at_its_level(sound, left, right, around)
    if matcher:
        sound = matcher.with_reverberation(around.mono[: left.first - around.start], sound)
        sound = matcher.clipped(sound)

    def seams(lag: int) -> tuple[Overlap, Overlap]:
        leave = best_seam(left, around, sound, fade, lag, prefer=left.last - fade)
        # What the first joint moved, the second moves along with, so that the length stays true.
        moved = leave.offset - left.offset if len(right) else 0
        later = replace(right, offset=right.offset + moved)
        if keeps_length:  # then only its place is free
            first = max(later.first, -later.offset)
            last = max(first, min(later.last, len(sound) - later.offset))
            lag, later = 0, replace(later, first=first, last=last)
        return leave, best_seam(later, around, sound, fade, lag, right.first, entering=False)

    leave, enter = seams(_samples(lag_ms, rate))
    if leave.there.stop > enter.there.start:  # so short that the lags make the fades cross
        leave, enter = seams(0)

    new = spread_channels(sound, around.samples)
    if matcher:
        new = matcher.with_steady_tones(new, leave.offset, enter.offset)
        new = matcher.with_noise_floor(new, rms(around.mono))
    new *= min(1.0, around.ceiling / max(float(np.abs(new).max()), 1e-9))
    samples = np.concatenate(
        [
            crossfade(around.samples[around.here(leave)], new[leave.there]),
            new[leave.there.stop : enter.there.start],
            crossfade(new[enter.there], around.samples[around.here(enter)]),
        ]
    )
    samples = samples if len(leave) else fade_in(samples, fade)
    samples = samples if len(enter) else fade_out(samples, fade)
    patch = Patch((leave.first, enter.last), samples + around.constant)
    return coded_like(recording, patch) if matcher and matcher.match.coding else patch


def cut_out(
    recording: Recording,
    first: int,
    last: int,
    room: int | None = None,
) -> Patch:
    """Make the Patch that deletes about the recording's samples [first, last).

    Both cuts move by up to 30 ms, at most ``room`` samples, to the pair of places between which the
    sound changes least (`a3t.audio.splicing.seams`), the second by up to 6.5 ms more to where the
    two sides correlate most, and are cross-faded. Where there is no room for that, each moves to
    the quietest point, and both together to where they correlate. At the recording's start or end
    there is one cut, which fades in or out. Raises InputError if nothing would be left, ValueError
    if [first, last) is not a span of the recording.
    """
    if not 0 <= first < last <= recording.samples:
        raise ValueError(f"[{first}, {last}) is not a span of [0, {recording.samples})")
    if last - first == recording.samples:
        raise InputError("The edit would delete the whole recording: keep at least one word.")
    rate = recording.sample_rate
    around = Surroundings.read(recording, first, last)
    mono, start, middle = around.mono, around.start, (first + last) // 2
    radius = _samples(RADIUS_MS, rate)
    radius = radius if room is None else min(radius, room)
    fade = max(1, _samples(FADE_MS, rate))
    leave = start + quietest_point(mono[: middle - start], first - start, radius, rate)
    enter = middle + quietest_point(mono[middle - start :], last - middle, radius, rate)

    if first == 0:
        kept = around.samples[enter - start : enter - start + fade]
        return Patch((0, enter + len(kept)), fade_in(kept, fade) + around.constant)
    if last == recording.samples:
        kept = around.samples[max(0, leave - start - fade) : leave - start]
        return Patch((leave - len(kept), last), fade_out(kept, fade) + around.constant)
    half = fade // 2
    ends = (
        (first - radius, min(first + radius, middle)),
        (max(last - radius, middle), last + radius),
    )
    leaving, entering = ((a - start, b - start) for a, b in ends)
    asked = first - start, last - start
    if best := best_places(mono, leaving, mono, entering, asked, rate):
        leave, enter = (place + start for place in best)
        back, ahead = half, fade - half
    else:  # the two cuts move together, within the radius and what there is, to the best seam
        back = min(radius, leave - start, enter - middle)
        ahead = min(radius, middle - leave, start + len(mono) - enter)
    overlap = Overlap(leave - back, leave + ahead, enter - leave - start)
    seam = best_seam(overlap, around, mono, fade, _samples(LAG_MS, rate), leave - fade // 2)
    samples = crossfade(around.samples[around.here(seam)], around.samples[seam.there])
    return Patch((seam.first, seam.there.stop + start), samples + around.constant)


def _samples(milliseconds: float, rate: int) -> int:
    return round(milliseconds * rate / 1000)


def _on_the_recordings_clock(
    recording: Recording, synthesis: np.ndarray, replaced: Span, margins: Margins, fade: int
) -> tuple[np.ndarray, Overlap, Overlap]:
    """Return the sound at the recording's rate and its overlaps; empty at the file's ends."""
    rate = recording.sample_rate
    (a, b), (before, after) = replaced, margins
    if not 0 <= before <= a <= b or after < 0 or before + after > len(synthesis):
        raise ValueError(f"margins {margins} don't fit [{a}, {b}) and {len(synthesis)} samples")
    sound, start = resample_patch(synthesis, a - before, rate)
    # The number of samples by which the recording continues later after the patch.
    shift = nearest_at_rate(a - before + len(synthesis) - after - b, rate)
    end = recording.samples
    left = Overlap(start, max(start, min(floor_at_rate(a, rate), end)), -start)
    first = min(ceil_at_rate(b, rate), end)
    last = min(floor_at_rate(b + after, rate), end, len(sound) + start - shift)
    right = Overlap(first, max(first, last), shift - start)
    # Less than a frame at the end is no place for a margin.
    if len(right) < fade and end - first <= ceil_at_rate(HOP, rate):
        right = replace(right, first=end, last=end)
    if (left.last > 0 and not len(left)) or (right.first < end and not len(right)):
        raise ValueError(f"[{a}, {b}) lies inside the recording and needs margins on both sides")
    return sound, left, right


def _at_its_level(
    sound: np.ndarray, left: Overlap, right: Overlap, around: Surroundings
) -> np.ndarray:
    """Make the sound (n,) as loud as both margins, changing evenly in dB between them."""
    gains = gain_match(
        (around.mono[around.here(left)], sound[left.there]),
        (around.mono[around.here(right)], sound[right.there]),
        rms(around.mono),
    )
    centres = [(overlap.there.start + overlap.there.stop) / 2 for overlap in (left, right)]
    return sound * 10 ** (np.interp(np.arange(len(sound)), centres, gains) / 20)


def put_pause(
    recording: Recording, alignment: Alignment, source: Span, samples: int, seed: int = 0
) -> Patch:
    """Make the Patch that puts so many samples of room tone in the place of ``source``.

    source: samples [first, last) of the recording; if they are none, the pause goes to the quietest
    place nearby and the recording becomes longer by exactly ``samples``.
    """
    first, last = source
    if first == last:
        first = last = _quiet_place(recording, first)
    fade = round(PAUSE_FADE_S * recording.sample_rate)
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
    """Put room tone in the patch's samples [first, last) of each of ``spans``.

    It is cross-faded inside them; spans too short for two fades stay as they are.
    """
    fade = round(PAUSE_FADE_S * recording.sample_rate)
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
    return Patch(patch.source, made)


def _between(before: np.ndarray, tone: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Cross-fade the tone (n, channels) from what is before it and to what is after it."""
    middle = tone[len(before) : len(tone) - len(after)]
    parts = [middle]
    if len(before):
        parts.insert(0, crossfade(before, tone[: len(before)]))
    if len(after):
        parts.append(crossfade(tone[len(tone) - len(after) :], after))
    return np.concatenate(parts)


def _quiet_place(recording: Recording, place: int) -> int:
    """Return the quietest sample near ``place``; a recording's start and end are kept."""
    if place in (0, recording.samples):
        return place
    radius = round(PAUSE_RADIUS_S * recording.sample_rate)
    first, last = max(0, place - 2 * radius), min(recording.samples, place + 2 * radius)
    mono = recording.mono(first, last)
    return first + quietest_point(mono, place - first, radius, recording.sample_rate)


def with_bleep(patch: Patch, recording: Recording, span: Span) -> Patch:
    """Add a tone over samples [first, last) of the recording to a patch of silence.

    Its level is that of the sound around it.
    """
    rate, (first, last) = recording.sample_rate, span
    reach = round(BLEEP_AROUND_S * rate)
    around = recording.mono(max(0, first - reach), min(recording.samples, last + reach))
    level = float(np.sqrt(np.mean(np.square(around, dtype=np.float64))))
    place = np.arange(last - first)
    ends = np.minimum(place + 0.5, place[::-1] + 0.5) / (BLEEP_RAMP_S * rate)
    tone = np.sin(2 * np.pi * BLEEP_HZ * place / rate) * np.clip(ends, 0.0, 1.0)
    samples = patch.samples.copy()
    begin = first - patch.source[0]
    samples[begin : begin + len(tone)] += min(np.sqrt(2) * level, MAX_BLEEP) * tone[:, None]
    return Patch(patch.source, samples)
