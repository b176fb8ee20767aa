"""Give a patch the sound of its place: the traits of the recording around it.

A vocoder and a model can't know some of them. The mel ends at 7.6 kHz, the vocoder at 12 kHz, and
from 7 kHz on it is too quiet. What the recording has above, it has in the words beside the edit as
well: they are put through the same vocoder, and what must be done to this copy to get the recording
back is done to the patch too.

Speech that was recorded for an edit (a punch-in) has another day's microphone, distance and room.
They show in the mean spectra of both recordings' speech, noise taken off, best where both say the
same words. What a recording has more of noise is taken off as by Wiener's filter, what it lacks is
added as room tone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import soxr

from a3t.audio.analysis.background import SteadyTones
from a3t.audio.analysis.room_tone import RoomTone
from a3t.audio.matching.reverberation import Reverberation
from a3t.audio.matching.spectra import (
    OVERLAPPING,
    SPECTRUM_FRAME_S,
    band_power,
    decibels,
    frame_size,
    frequencies,
    inner_power,
    nearby,
    on_bins,
    sound_of,
    spectra,
    thirds_of_octaves,
)
from a3t.audio.matching.traits import MatchedTraits
from a3t.audio.reading.recording import Recording
from a3t.grid import SAMPLE_RATE
from alignment import Phone, Word

MATCHED_TOP_HZ = 7000.0  # Hz: above, the mel says little and from 7.6 kHz on nothing
VOCODER_TOP_HZ = 11_500.0  # Hz: from here on the vocoder has less and less, above 12 kHz nothing
FADE_HZ = 500.0  # over which its sound gives way to noise
RESAMPLED = 0.888  # of half a rate below the vocoder's: from here on resampling has a slope
BAND_HZ = 1000.0  # Hz: the width of a band above the mel
LOWEST_THIRD_HZ = 200.0  # Hz: the lowest third of an octave that tells of a frame
RIDGE = 0.01  # penalty of the regression, against features of variance 1
GAINS_DB = (-60.0, 12.0)  # what may be done to the vocoder's own top
CEILING_DB = 10.0  # by so much a patch may be louder in a band than the words beside it ever are
NEARBY_BINS = 7  # of 40 Hz: so far may a harmonic lie from where the neighbours have theirs
NEARBY_FRAMES = 7  # of 6 ms
INAUDIBLE_ROOM_DB = 25.0  # below speech a room's noise is let be
# Times below the room's power must a patch be: noise itself is now and then below.
MIN_ROOM_TO_PATCH = 3.0
MIN_NEIGHBOUR_FRAMES = 40  # of neighbours: from fewer nothing is learnt
CEILING_SHARE = 0.98  # of the peak: what is above lies at a clipped recording's ceiling
# Of the samples, so many lie there in a clipped recording; in others the peak is reached by a few.
MIN_CLIPPED_SHARE = 0.003
ENOUGH_SPEECH_S = 20.0  # of speech, those nearest the edit
SHAPE_DB = 12.0  # by so much a band may be changed beside the level
SMOOTHED_BANDS = 3  # bands over which that is even
MAX_LEVEL_DB = 40.0
MAX_CUT_DB = 60.0  # where a recording has no sound
EVEN_FRAMES = 9  # frames of 6 ms over which power is taken
NOISE_DEVIATIONS = 4.0  # standard deviations above its mean that noise reaches
MIN_POWER = 1e-14  # power


@dataclass(frozen=True, eq=False)
class Neighbour:
    """A stretch beside an edit, as it was recorded and as the vocoder says it: (n,) each, mono."""

    real: np.ndarray
    copy: np.ndarray


@dataclass(frozen=True, eq=False)
class SoundMatcher:
    """Matches a patch to the traits of a recording's sound.

    neighbours: what stands beside it, from which its spectrum is learnt; tone: the room's, None
    if it is not wanted; seed: of the noise that is made; steady: tones that go on through it;
    reverberation: the decay of the room.
    """

    match: MatchedTraits
    neighbours: Sequence[Neighbour]
    tone: RoomTone | None
    seed: int
    steady: SteadyTones | None = None
    reverberation: Reverberation | None = None

    def with_spectrum(self, sound: np.ndarray, rate: int) -> np.ndarray:
        """Give the patch's sound (n,), at the recording's rate, its bandwidth and spectrum."""
        return give_spectrum(sound, rate, self.neighbours, self.match, self.seed)

    def with_reverberation(self, before: np.ndarray, sound: np.ndarray) -> np.ndarray:
        """Give the patch's sound (n,) the recording's reverberation, after ``before`` (m,)."""
        if self.reverberation is None:
            return sound
        return self.reverberation.heard_in(before, sound, self.seed)

    def clipped(self, sound: np.ndarray) -> np.ndarray:
        """Cut the patch's sound (n,) off where its neighbours are, if they are clipped."""
        ceiling = clipping_ceiling(stretch.real for stretch in self.neighbours)
        return sound if ceiling is None else np.clip(sound, -ceiling, ceiling)

    def with_steady_tones(self, sound: np.ndarray, leave: int, enter: int) -> np.ndarray:
        """Replace the tones in the patch's sound (n, channels) by those that go on through it.

        Its sample s is the recording's s - leave at its start, s - enter at its end.
        """
        return self.steady.through(sound, leave, enter) if self.steady else sound

    def with_noise_floor(self, sound: np.ndarray, level: float) -> np.ndarray:
        """Give the patch's sound (n, channels) the recording's noise floor.

        Only if that is heard beside speech of this level (RMS).
        """
        if self.tone is None or self.tone.level.max() < level * 10 ** (-INAUDIBLE_ROOM_DB / 20):
            return sound
        return raise_floor(sound, self.tone, self.seed)


def give_spectrum(
    sound: np.ndarray, rate: int, neighbours: Sequence[Neighbour], match: MatchedTraits, seed: int
) -> np.ndarray:
    """Give the patch's sound (n,) the bandwidth and the spectrum of its neighbours, (n,).

    All at the recording's rate, full scale at 1. Without enough neighbours nothing changes.
    """
    real = inner_power([stretch.real for stretch in neighbours], rate)
    copy = inner_power([stretch.copy for stretch in neighbours], rate)
    if len(real) < MIN_NEIGHBOUR_FRAMES or not match.learns:
        return sound
    frames = spectra(sound, rate)
    power = np.square(np.abs(frames))
    top = _bands(BAND_HZ, min(MATCHED_TOP_HZ, _vocoder_top(rate)), rate / 2)
    if len(top):
        levels = _predicted(_features(copy, rate), _levels(real, top, rate), _features(power, rate))
        fine = decibels(real.mean(axis=0), rate)
        fine -= _on_bins(
            _levels(real.mean(axis=0)[None], top, rate), top.mean(axis=1), frequencies(rate)
        )[0]
        frames = _with_top(frames, top, levels, fine, rate, match, seed)
    if match.bandwidth:
        allowed = nearby(_loudest(real, 0.98, rate), NEARBY_BINS, 0).max(axis=-1)
        above = _loudest(np.square(np.abs(frames)), 0.9, rate) - allowed
        # What is a little too loud may be a louder word; what is far too loud has no business here.
        frames = frames * 10 ** (-np.clip(2 * (above - CEILING_DB), 0.0, np.maximum(above, 0)) / 20)
    return sound_of(frames, len(sound), rate)


def raise_floor(sound: np.ndarray, tone: RoomTone, seed: int) -> np.ndarray:
    """Add room tone to the patch's sound (n, channels) where it is quieter than the room.

    Frame by frame and bin by bin, only as much is added as is lacking.
    """
    noise = spectra(tone.sound(len(sound), seed), tone.rate)
    room = np.square(np.abs(noise)).mean(axis=0)  # (bins, channels)
    power = np.square(np.abs(spectra(sound, tone.rate)))
    power = nearby(power, NEARBY_FRAMES, 0).mean(axis=-1)
    power, room = (nearby(values, NEARBY_BINS, -2).mean(axis=-1) for values in (power, room))
    lacking = 1 - MIN_ROOM_TO_PATCH * power / np.maximum(room, 1e-30)
    shape = np.sqrt(np.clip(lacking, 0.0, 1.0)) * (room > 0)
    return np.asarray(sound + sound_of(noise * shape, len(sound), tone.rate))


def _with_top(
    frames: np.ndarray,
    top: np.ndarray,
    levels: np.ndarray,
    fine: np.ndarray,
    rate: int,
    match: MatchedTraits,
    seed: int,
) -> np.ndarray:
    """Give the frames (n, bins) the ``levels`` (n, bands), dB, in the bands ``top`` above the mel.

    As far as the vocoder's own sound reaches, it is made as loud as that; above it comes noise,
    whose bins stand out of their bands by ``fine`` (bins,), dB.
    """
    hertz, centres, end = frequencies(rate), top.mean(axis=1), _vocoder_top(rate)
    made = np.clip((end - hertz) / FADE_HZ + 1, 0.0, 1.0)  # of the vocoder's sound
    if match.spectrum:
        change = levels - _levels(np.square(np.abs(frames)), top, rate)
        change = np.where(centres < VOCODER_TOP_HZ, np.clip(change, *GAINS_DB), 0.0)
        # From none at the mel's end to the first band's in its middle, then from middle to middle.
        change = _on_bins(np.c_[0 * change[:, :1], change], np.r_[top[0, 0], centres], hertz)
        frames = frames * 10 ** (change * (made > 0) / 20)
    if match.bandwidth and hertz[-1] > end + FADE_HZ:
        shape = 10 ** ((_on_bins(levels, centres, hertz) + fine) / 20) * np.sqrt(1 - made**2)
        samples = len(frames) * frame_size(rate) // OVERLAPPING
        noise = np.random.default_rng(seed).standard_normal(samples)
        frames = frames * made + spectra(noise, rate)[: len(frames)] * shape * np.sqrt(
            frame_size(rate)
        )
    return frames


def _vocoder_top(rate: int) -> float:
    """Return the frequency up to which the vocoder's sound reaches at a rate, Hz."""
    return VOCODER_TOP_HZ if rate >= SAMPLE_RATE else min(VOCODER_TOP_HZ, RESAMPLED * rate / 2)


def _bands(width: float, first: float, last: float) -> np.ndarray:
    """Return where each band begins and ends, (bands, 2) Hz; the last may be narrower."""
    edges = np.arange(first, last - width / 4, width)
    return np.stack([edges, np.append(edges[1:], last)], axis=1) if len(edges) else np.empty((0, 2))


def _levels(power: np.ndarray, bands: np.ndarray, rate: int) -> np.ndarray:
    """Return the mean power of a bin in each band, (frames, bands) dB of full scale."""
    hertz = frequencies(rate)
    means = [power[:, (low <= hertz) & (hertz < high)].mean(axis=1) for low, high in bands]
    return decibels(np.stack(means, axis=1), rate)


def _features(power: np.ndarray, rate: int) -> np.ndarray:
    """Return the levels in thirds of an octave up to the vocoder's top, (frames, features) dB."""
    edges = LOWEST_THIRD_HZ * 2 ** (
        np.arange(1 + int(3 * np.log2(VOCODER_TOP_HZ / LOWEST_THIRD_HZ))) / 3
    )
    edges = edges[edges < rate / 2]
    return _levels(power, np.stack([edges[:-1], edges[1:]], axis=1), rate)


def _predicted(features: np.ndarray, levels: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Predict the levels (m, bands) for the features ``wanted`` (m, k), by ridge regression.

    It is fitted to ``features`` (n, k) and ``levels`` (n, bands), and never goes beyond these.
    """
    centre, mean = features.mean(axis=0), levels.mean(axis=0)
    known = features - centre
    variance = max(float(np.square(known).mean()), 1e-6)  # of silence there is none
    penalty = RIDGE * len(known) * variance * np.eye(known.shape[1])
    weights = np.linalg.solve(known.T @ known + penalty, known.T @ (levels - mean))
    predicted = mean + (wanted - centre) @ weights
    return np.asarray(np.clip(predicted, levels.min(axis=0), levels.max(axis=0)))


def _loudest(power: np.ndarray, share: float, rate: int) -> np.ndarray:
    """Return the level, (bins,) dB, that a bin is below in a share of the frames.

    A bin is averaged with its neighbours.
    """
    smooth = np.pad(power, [(0, 0), (1, 1)], mode="edge")
    smooth = 0.25 * smooth[:, :-2] + 0.5 * smooth[:, 1:-1] + 0.25 * smooth[:, 2:]
    return decibels(np.quantile(smooth, share, axis=0), rate)


def _on_bins(values: np.ndarray, centres: np.ndarray, hertz: np.ndarray) -> np.ndarray:
    """Interpolate (frames, points) in straight lines between the centres, (frames, bins)."""
    place = np.interp(hertz, centres, np.arange(len(centres)))
    below = np.minimum(place.astype(int), max(len(centres) - 2, 0))
    above = np.minimum(below + 1, len(centres) - 1)
    share = place - below
    return np.asarray(values[:, below] * (1 - share) + values[:, above] * share)


def clipping_ceiling(pieces: Iterable[np.ndarray]) -> float | None:
    """Return the level that the samples (n,) of pieces are cut off at; None if they aren't."""
    samples = np.abs(np.concatenate([*pieces, np.empty(0)]))
    peak = float(samples.max(initial=0.0))
    if peak == 0.0 or float((samples >= CEILING_SHARE * peak).mean()) < MIN_CLIPPED_SHARE:
        return None
    return peak


@dataclass(frozen=True, eq=False)
class SpeechSound:
    """Mean powers of a recording's speech without its noise, and of its noise: (bands,) each.

    They are taken in frames of `spectra` at ``rate``. vowels: the power of its stressed vowels, or
    all words without any, which tell the level even of a single word.
    """

    rate: int
    vowels: float
    speech: np.ndarray
    noise: np.ndarray

    @classmethod
    def of(
        cls, recording: Recording, words: Sequence[Word], tone: RoomTone, near: int, rate: int
    ) -> SpeechSound:
        """Measure ``words``, the nearest to sample ``near`` first, and the room tone there."""
        place, left, chosen = near / recording.sample_rate, ENOUGH_SPEECH_S, []
        for word in sorted(words, key=lambda each: abs(each.start - place)):
            if left > 0:
                chosen.append(word)
                left -= word.duration
        noise = _mean_power([tone.sound(tone.rate).mean(axis=1)], tone.rate, rate)

        def power(spans: Sequence[Word | Phone]) -> np.ndarray:
            sounds = (recording.samples_between(each.start, each.end) for each in spans)
            mono = [recording.mono(*span) for span in sounds]
            return np.maximum(_mean_power(mono, recording.sample_rate, rate) - noise, MIN_POWER)

        stressed = [p for word in chosen for p in word.phones if p.symbol[-1] in "12"]
        bands = thirds_of_octaves(rate)
        vowels = float(power(stressed or chosen) @ (bands[:, 1] - bands[:, 0]))
        return cls(rate, vowels, power(chosen), noise)


def _mean_power(sounds: Iterable[np.ndarray], own_rate: int, rate: int) -> np.ndarray:
    """Average the power of the frames of sounds (n,), resampled to ``rate``, (bands,)."""
    bare = (each.astype(np.float64) - each.mean(dtype=np.float64) for each in sounds if len(each))
    alike = [soxr.resample(each, own_rate, rate) for each in bare]
    power, bands = inner_power(alike, rate), thirds_of_octaves(rate)
    if alike and not len(power):  # all are too short
        power = np.square(np.abs(np.concatenate([spectra(each, rate) for each in alike])))
    return band_power(power, bands).mean(axis=0) if len(power) else np.zeros(len(bands))


def in_sound_of(
    samples: np.ndarray,
    own: SpeechSound,
    wanted: SpeechSound,
    tone: RoomTone | None,
    match: MatchedTraits,
    seed: int,
) -> np.ndarray:
    """Give speech, (n, channels), the level of the place that it comes to.

    As ``match`` has it, the spectrum and the noise too; ``tone`` is the room's there.
    """
    rate, bands = own.rate, thirds_of_octaves(own.rate)
    gain = 10 ** (_gains(own, wanted, match) / 10)
    frames = spectra(samples, rate) * _on_each(np.sqrt(gain), rate)
    if match.room_tone:
        noise = own.noise * gain
        kept = np.clip(wanted.noise / np.maximum(noise, MIN_POWER), 0.0, 1.0)
        power = band_power(np.square(np.abs(frames)).mean(axis=2), bands)
        even = nearby(power, EVEN_FRAMES, 0).mean(axis=-1)
        values = (
            np.maximum((bands[:, 1] - bands[:, 0]) * SPECTRUM_FRAME_S, 1)
            * EVEN_FRAMES
            / OVERLAPPING
        )
        highest = 1 + NOISE_DEVIATIONS / np.sqrt(values)  # that a mean of so many of noise reaches
        share = 1 - highest * (1 - kept) * noise / np.maximum(even, MIN_POWER)
        frames = frames * np.sqrt(_on_each(np.maximum(share, kept), rate))
    sound = sound_of(frames, len(samples), rate)
    if match.room_tone and tone is not None:
        sound = raise_floor(sound, tone, seed)
    return np.asarray(sound / max(1.0, float(np.abs(sound).max(initial=0.0))))


def _on_each(values: np.ndarray, rate: int) -> np.ndarray:
    """Spread (bands,) or (frames, bands) over the bins, (frames, bins, 1)."""
    return on_bins(np.atleast_2d(values), thirds_of_octaves(rate), rate)[..., None]


def _gains(own: SpeechSound, wanted: SpeechSound, match: MatchedTraits) -> np.ndarray:
    """Return the gains, (bands,) dB, that bring one recording's speech to another's."""
    level = float(np.clip(10 * np.log10(wanted.vowels / own.vowels), -MAX_LEVEL_DB, MAX_LEVEL_DB))
    shape = 10 * np.log10(wanted.speech / own.speech) - level
    heard = own.speech > own.noise / 2
    shape = np.where(heard, shape, np.minimum(shape, 0.0))  # no noise is made louder
    even = nearby(shape, SMOOTHED_BANDS, 0).mean(axis=-1).clip(-SHAPE_DB, SHAPE_DB)
    gains = level + (even if match.spectrum else 0.0 * even)
    silent = wanted.speech <= wanted.noise / 2
    limit = 10 * np.log10(np.maximum(wanted.noise, MIN_POWER) / own.speech)
    if match.bandwidth:
        gains = np.where(silent | (shape < -2 * SHAPE_DB), np.minimum(gains, limit), gains)
    return np.asarray(np.maximum(gains, level - MAX_CUT_DB))
