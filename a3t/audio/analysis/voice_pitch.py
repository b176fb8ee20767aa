"""The pitch of a voice, by autocorrelation and the likeliest path.

As RAPT does it (Talkin 1995, "A robust algorithm for pitch tracking"): a voice resembles itself a
period later. Dynamic programming weighs how much against how far the pitch leaps.
"""

from __future__ import annotations

import numpy as np

from a3t.grid import HOP, SAMPLE_RATE

LOWEST, HIGHEST = 60.0, 480.0  # Hz
RATE = 8000  # Hz, at which the sound is compared
STEP = HOP * RATE // SAMPLE_RATE  # samples from frame to frame at that rate
STATES = 36  # of pitch, an octave
TOP_HZ = (1000.0, 1500.0)  # between which the sound is faded out: above are formants
WINDOW = 240  # samples that are compared, 30 ms
VOICED = 0.55  # the likeness from which a frame is voiced
LONGEST_COST = 0.12  # of the longest period: twice a period is one as well
LEAP_COST = 2.0  # of an octave, from frame to frame
TURN_COST = 0.25  # of a voice's beginning or end
REACH = 8  # states that the pitch may leap from frame to frame
SILENCE = 1e-3  # of the sound's mean power: quieter frames are unvoiced


def track_pitch(samples: np.ndarray, frames: int) -> np.ndarray:
    """Return the pitch (frames,) in Hz of mono samples (n,) at 24 kHz, 0 where there is no voice.

    Frame t is centred on sample 300 t.
    """
    likeness = _likeness(samples, frames)
    longest = RATE / LOWEST
    count = round(np.log2(HIGHEST / LOWEST) * STATES) + 1
    lags = RATE / (LOWEST * 2.0 ** (np.arange(count) / STATES))
    below = np.floor(lags).astype(int)
    share = lags - below
    gains = likeness[:, below] * (1 - share) + likeness[:, below + 1] * share
    path = _best_path(gains - LONGEST_COST * lags / longest)
    pitch = np.zeros(frames)
    for t in np.flatnonzero(path < count):
        near = round(lags[path[t]])
        own = np.arange(max(near - 3, 2), min(near + 4, likeness.shape[1] - 1))
        k = int(own[np.argmax(likeness[t, own])])
        before, here, after = likeness[t, k - 1 : k + 2]
        bend = before - 2 * here + after
        moved = 0.5 * (before - after) / bend if bend < 0 else 0.0
        pitch[t] = RATE / (k + np.clip(moved, -0.5, 0.5))
    return pitch


def _likeness(samples: np.ndarray, frames: int) -> np.ndarray:
    """Return how alike each frame's sound is to itself so many samples later, (frames, lags)."""
    lags = int(RATE / LOWEST) + 3
    size = WINDOW + lags
    samples = np.asarray(samples, np.float64)
    samples = np.pad(samples, (0, -len(samples) % HOP))
    spectrum, length = np.fft.rfft(samples), len(samples) * RATE // SAMPLE_RATE
    hertz = np.fft.rfftfreq(len(samples), 1 / SAMPLE_RATE)
    spectrum *= np.clip((TOP_HZ[1] - hertz) / (TOP_HZ[1] - TOP_HZ[0]), 0.0, 1.0)
    low = np.fft.irfft(spectrum[: length // 2 + 1], length) * length / len(samples)
    middle = (WINDOW + lags // 2) // 2
    padded = np.pad(low, (middle, max(frames * STEP + size - length, 0)))
    pieces = np.lib.stride_tricks.sliding_window_view(padded, size)[::STEP][:frames]
    pieces = pieces - pieces.mean(axis=1, keepdims=True)
    points = 1 << (size + WINDOW - 1).bit_length()
    first = np.fft.rfft(pieces[:, :WINDOW], points)
    products = np.fft.irfft(np.fft.rfft(pieces, points) * first.conj(), points)[:, :lags]
    energy = np.pad(np.cumsum(np.square(pieces), axis=1), [(0, 0), (1, 0)])
    energies = energy[:, WINDOW : WINDOW + lags] - energy[:, :lags]
    floor = SILENCE * WINDOW * float(np.square(low).mean()) + 1e-12
    return np.asarray(products / (np.sqrt(energies[:, :1] * energies) + floor))


def _best_path(gains: np.ndarray) -> np.ndarray:
    """Return the likeliest state of each frame (frames, states), ``states`` without a voice."""
    frames, count = gains.shape
    steps = np.arange(-REACH, REACH + 1)
    costs = LEAP_COST * np.abs(steps)[:, None] / STATES
    total, silent = np.full(count, -TURN_COST), 0.0
    origin = np.zeros((frames, count + 1), int)
    for t in range(frames):
        padded = np.pad(total, REACH, constant_values=-np.inf)
        moved = np.stack([padded[REACH + s : REACH + s + count] for s in steps]) - costs
        best = moved.argmax(axis=0)
        stay = moved[best, np.arange(count)]
        begin = silent - TURN_COST
        end = int(total.argmax())
        origin[t, :count] = np.where(stay >= begin, np.arange(count) + steps[best], count)
        stops = float(total[end]) - TURN_COST > silent
        origin[t, count] = end if stops else count
        silent = max(silent, float(total[end]) - TURN_COST) + VOICED
        total = np.maximum(stay, begin) + gains[t]
    path = np.zeros(frames, int)
    state = count if silent >= total.max() else int(total.argmax())
    for t in range(frames - 1, -1, -1):
        path[t] = state
        state = int(origin[t, state])
    return path
