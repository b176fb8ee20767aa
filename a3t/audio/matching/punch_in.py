"""Give speech that was recorded for an edit the sound of its new place: level, spectrum and noise.

Another day's microphone, distance and room show in the mean spectra of both recordings' speech,
noise taken off, best where both say the same words. What a recording has more of noise is taken off
as by Wiener's filter, what it lacks is added as room tone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import soxr

from a3t.audio.analysis.room_tone import RoomTone
from a3t.audio.matching.match_options import MatchedTraits
from a3t.audio.matching.sound_matching import raise_floor
from a3t.audio.matching.spectra import (
    FRAME_SECONDS,
    OVERLAP,
    band_power,
    inner_power,
    nearby,
    on_bins,
    sound_of,
    spectra,
    thirds_of_octaves,
)
from a3t.audio.reading.recording import Recording
from alignment import Phone, Word

ENOUGH_SECONDS = 20.0  # of speech, those nearest the edit
SHAPE_DB = 12.0  # by so much a band may be changed beside the level
SMOOTHED = 3  # bands over which that is even
MAX_LEVEL_DB = 40.0
MOST_CUT_DB = 60.0  # where a recording has no sound
EVEN = 9  # frames of 6 ms over which power is taken
SURE = 4.0  # standard deviations above its mean that noise reaches
EMPTY = 1e-14  # power


@dataclass(frozen=True, eq=False)
class SpeechSound:
    """Mean powers of a recording's speech without its noise, and of its noise: (bands,) each, in
    frames of `spectra` at ``rate``; and of its stressed vowels, or all words without any, which
    tell the level even of a single word."""

    rate: int
    vowels: float
    speech: np.ndarray
    noise: np.ndarray

    @classmethod
    def of(
        cls, recording: Recording, words: Sequence[Word], tone: RoomTone, near: int, rate: int
    ) -> SpeechSound:
        """Measure ``words``, the nearest to sample ``near`` first, and the room tone there."""
        place, left, chosen = near / recording.sample_rate, ENOUGH_SECONDS, []
        for word in sorted(words, key=lambda each: abs(each.start - place)):
            if left > 0:
                chosen.append(word)
                left -= word.duration
        noise = _mean_power([tone.sound(tone.rate).mean(axis=1)], tone.rate, rate)

        def power(spans: Sequence[Word | Phone]) -> np.ndarray:
            sounds = (recording.samples_between(each.start, each.end) for each in spans)
            mono = [recording.mono(*span) for span in sounds]
            return np.maximum(_mean_power(mono, recording.sample_rate, rate) - noise, EMPTY)

        stressed = [p for word in chosen for p in word.phones if p.symbol[-1] in "12"]
        bands = thirds_of_octaves(rate)
        vowels = float(power(stressed or chosen) @ (bands[:, 1] - bands[:, 0]))
        return cls(rate, vowels, power(chosen), noise)


def _mean_power(sounds: Iterable[np.ndarray], own_rate: int, rate: int) -> np.ndarray:
    """(bands,): the mean power of the frames of sounds (n,), resampled to ``rate``."""
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
    """Speech, (n, channels), with the level, and as ``match`` has it the spectrum and the noise, of
    the place that it comes to; ``tone`` is the room's there."""
    rate, bands = own.rate, thirds_of_octaves(own.rate)
    gain = 10 ** (_gains(own, wanted, match) / 10)
    frames = spectra(samples, rate) * _on_each(np.sqrt(gain), rate)
    if match.room_tone:
        noise = own.noise * gain
        kept = np.clip(wanted.noise / np.maximum(noise, EMPTY), 0.0, 1.0)
        power = band_power(np.square(np.abs(frames)).mean(axis=2), bands)
        even = nearby(power, EVEN, 0).mean(axis=-1)
        values = np.maximum((bands[:, 1] - bands[:, 0]) * FRAME_SECONDS, 1) * EVEN / OVERLAP
        highest = 1 + SURE / np.sqrt(values)  # that a mean of so many of noise reaches
        share = 1 - highest * (1 - kept) * noise / np.maximum(even, EMPTY)
        frames = frames * np.sqrt(_on_each(np.maximum(share, kept), rate))
    sound = sound_of(frames, len(samples), rate)
    if match.room_tone and tone is not None:
        sound = raise_floor(sound, tone, seed)
    return np.asarray(sound / max(1.0, float(np.abs(sound).max(initial=0.0))))


def _on_each(values: np.ndarray, rate: int) -> np.ndarray:
    """(bands,) or (frames, bands) -> (frames, bins, 1)."""
    return on_bins(np.atleast_2d(values), thirds_of_octaves(rate), rate)[..., None]


def _gains(own: SpeechSound, wanted: SpeechSound, match: MatchedTraits) -> np.ndarray:
    """(bands,) dB that bring one recording's speech to another's."""
    level = float(np.clip(10 * np.log10(wanted.vowels / own.vowels), -MAX_LEVEL_DB, MAX_LEVEL_DB))
    shape = 10 * np.log10(wanted.speech / own.speech) - level
    heard = own.speech > own.noise / 2
    shape = np.where(heard, shape, np.minimum(shape, 0.0))  # no noise is made louder
    even = nearby(shape, SMOOTHED, 0).mean(axis=-1).clip(-SHAPE_DB, SHAPE_DB)
    gains = level + (even if match.spectrum else 0.0 * even)
    silent = wanted.speech <= wanted.noise / 2
    limit = 10 * np.log10(np.maximum(wanted.noise, EMPTY) / own.speech)
    if match.bandwidth:
        gains = np.where(silent | (shape < -2 * SHAPE_DB), np.minimum(gains, limit), gains)
    return np.asarray(np.maximum(gains, level - MOST_CUT_DB))
