"""A room's reverberation as a floor: the decay after a sound, learnt from the recording.

In a room no sound stops at once: the power in a band stays above a share of what was heard there
before, which decays. How large the share is and how fast it decays is found by its being a floor of
the recording itself; of a dry recording the floor is inaudible. In a patch what is lacking is added
as noise, which late reverberation resembles (Lebart, Boucher and Denbigh 2001, "A new method based
on spectral subtraction for speech dereverberation"); so the last word before an edit goes on
sounding through the joint as well.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from a3t.audio.analysis.room_tone import RoomTone
from a3t.audio.matching.spectra import (
    OVERLAPPING,
    band_power,
    frame_size,
    inner_power,
    on_bins,
    sound_of,
    spectra,
    thirds_of_octaves,
)
from a3t.audio.reading.formats import to_float
from a3t.audio.reading.recording import Recording

ROOM_SIDE_S = 4.0  # seconds on either side of an edit from which the room is learnt
LATE_FRAMES = OVERLAPPING + 1  # frames after a sound that are not its reverberation
TIMES_S = np.array([0.15, 0.2, 0.3, 0.4, 0.55, 0.75, 1.0])  # seconds of a fall by 60 dB, tried
MAX_SPREAD_RATIO = 1.15  # times the least spread; so much is as good
FALLING = 0.5  # of the power that was there LATE_FRAMES frames before
LOW = 0.1  # the share of falling frames whose fall tells a room from a dry recording
BELOW = 0.3  # the share of falling frames that may lie below the floor
MIN_FLOOR_TO_NOISE = 2.0  # times the noise's power that the floor of a dry recording would have
# Falling frames of all bands together; 3 s of speech without noise have 2,000.
MIN_FALLING_FRAMES = 1000
MIN_BAND_FRAMES = 40  # falling ones of a band; with fewer, all bands speak for it
# DB; what is reverberated less is dry (rooms of half a second: -8 to -13; none: -25).
DRY_DB = -18.0
MAX_SHARE_DB = -3.0  # dB; no room adds more


@dataclass(frozen=True, eq=False)
class Reverberation:
    """A room's floor: a sound's power in a band is heard again ``LATE_FRAMES`` later.

    It then has ``shares`` (bands,) of the power, and falls by 60 dB in ``seconds``. rate: Hz.
    """

    rate: int
    shares: np.ndarray
    seconds: float

    def heard_in(self, before: np.ndarray, sound: np.ndarray, seed: int) -> np.ndarray:
        """Add the room's reverberation to a sound (n,) after ``before`` (m,), where it has less.

        What it has itself stays.
        """
        whole = np.concatenate([before, sound])
        frames = spectra(whole, self.rate)
        bands = thirds_of_octaves(self.rate)
        power = band_power(np.square(np.abs(frames)), bands)
        floor = _floors(power, self.shares, _falls(np.array([self.seconds]), self.rate)[0])
        lacking = np.sqrt(np.clip(floor - power, 0.0, None))
        noise = spectra(np.random.default_rng(seed).standard_normal(len(whole)), self.rate)
        noise /= np.sqrt(frame_size(self.rate))
        added = sound_of(noise * on_bins(lacking, bands, self.rate), len(whole), self.rate)
        return np.asarray(sound + added[len(before) :])


def find_reverberation(
    recording: Recording, first: int, last: int, tone: RoomTone | None
) -> Reverberation | None:
    """Measure the reverberation beside the recording's samples [first, last).

    None if the recording is dry, or too little is heard. ``tone`` is the noise that isn't part of
    it.
    """
    rate = recording.sample_rate
    reach = round(ROOM_SIDE_S * rate)
    spans = [(max(0, first - reach), first), (last, min(recording.samples, last + reach))]
    bands = thirds_of_octaves(rate)
    noise = _noise_in(bands, tone, rate)
    measured = [np.empty((0, len(TIMES_S), len(bands)))]
    for start, end in spans:
        mono = to_float(recording.read(start, end)).mean(axis=1)
        if len(mono) > (3 * OVERLAPPING + LATE_FRAMES) * frame_size(rate) // OVERLAPPING:
            power = band_power(inner_power([mono - mono.mean()], rate), bands)
            measured.append(_over_the_past(power, noise, rate))
    ratios = np.concatenate(measured)
    known = np.asarray(np.isfinite(ratios).all(axis=1))  # (frames, bands)
    if known.sum() < MIN_FALLING_FRAMES:
        return None
    every = np.moveaxis(ratios, 1, 2)[known]  # (n, times)
    spread = np.ptp(np.quantile(every, [LOW, 1 - LOW], axis=0), axis=0)
    best = int(np.flatnonzero(spread <= MAX_SPREAD_RATIO * spread.min())[-1])
    if np.quantile(every[:, best], LOW) < DRY_DB:
        return None
    shares = np.full(len(bands), np.quantile(every[:, best], BELOW))
    for band in np.flatnonzero(known.sum(axis=0) >= MIN_BAND_FRAMES):
        shares[band] = np.quantile(ratios[known[:, band], best, band], BELOW)
    return Reverberation(rate, 10 ** (np.minimum(shares, MAX_SHARE_DB) / 10), float(TIMES_S[best]))


def _over_the_past(power: np.ndarray, noise: np.ndarray, rate: int) -> np.ndarray:
    """Return the dB of falling frames above what decays from the past, (frames, times, bands).

    NaN where they don't fall, or where noise would hide how dry they are.
    """
    over = np.maximum(power - noise, 0.01 * noise)
    past = _past(over, _falls(TIMES_S, rate))
    falling = np.zeros(power.shape, bool)
    falling[LATE_FRAMES:] = power[LATE_FRAMES:] < FALLING * power[:-LATE_FRAMES]
    told = falling[:, None] & (past * 10 ** (DRY_DB / 10) > MIN_FLOOR_TO_NOISE * noise) & (past > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(told, 10 * np.log10(over[:, None] / past), np.nan)


def _falls(seconds: np.ndarray, rate: int) -> np.ndarray:
    """Return the factor from one frame's power to the next's for a fall by 60 dB in ``seconds``."""
    step = frame_size(rate) / OVERLAPPING / rate
    return np.asarray(10 ** (-6 * step / seconds))


def _past(power: np.ndarray, falls: np.ndarray) -> np.ndarray:
    """Return decayed means of what came `LATE_FRAMES` or more before, (frames, falls, bands)."""
    result = np.zeros((len(power), len(falls), power.shape[1]))
    state, fall = result[0].copy(), falls[:, None]
    for frame in range(LATE_FRAMES, len(power)):
        state = fall * state + (1 - fall) * power[frame - LATE_FRAMES]
        result[frame] = state
    return result


def _floors(power: np.ndarray, shares: np.ndarray, fall: float) -> np.ndarray:
    """Return what the power may not be below after what came before, (frames, bands).

    What came before has been raised to its own floor.
    """
    heard, result = power.copy(), np.zeros_like(power)
    state = np.zeros(power.shape[1])
    for frame in range(LATE_FRAMES, len(power)):
        state = fall * state + (1 - fall) * heard[frame - LATE_FRAMES]
        result[frame] = shares * state
        heard[frame] = np.maximum(power[frame], result[frame])
    return result


def _noise_in(bands: np.ndarray, tone: RoomTone | None, rate: int) -> np.ndarray:
    """Return the noise's power in frames of `spectra`, (bands,)."""
    if tone is None:
        return np.zeros(len(bands))
    mono = tone.sound(rate, 0).mean(axis=1).astype(np.float64)
    return band_power(inner_power([mono], rate), bands).mean(axis=0)
