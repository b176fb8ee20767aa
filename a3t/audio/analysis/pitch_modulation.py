"""How far the envelopes of a voice's bands move with its pitch: its pulses, as recorded.

Where the vocal folds close, the sound rises in all bands at once. How far depends on the voice, the
room and the noise, so every recording has its own measure.
"""

from __future__ import annotations

import numpy as np

from a3t.grid import SAMPLE_RATE

BANDS_HZ = ((500, 1500), (1500, 3500), (3500, 7000))  # whose envelopes are measured
WINDOW_SAMPLES = 960  # 40 ms: some periods of a low voice
DECIMATION = 5  # of sounds below 900 Hz and of envelopes
STEP_SAMPLES = 240  # from place to place, 10 ms
FIRST_HARMONICS_HZ = (60.0, 900.0)  # in which the pitch is looked for
PITCH_HZ = (70.0, 400.0)
MIN_CORRELATION = 0.5  # of a voice with itself one period later
MAX_DB_BELOW = 25.0  # of a place's level below the 95th percentile
MIN_PLACES = 10  # voiced ones


def pitch_modulation(samples: np.ndarray) -> np.ndarray | None:
    """Return the modulation at the pitch in each of `BANDS_HZ`, (3,), about 0 to 1.

    ``samples``: mono (n,) at 24 kHz. None where hardly any are voiced.
    """
    samples = np.asarray(samples, np.float64)[: len(samples) // DECIMATION * DECIMATION]
    if len(samples) < WINDOW_SAMPLES:
        return None
    rate, size = SAMPLE_RATE / DECIMATION, WINDOW_SAMPLES // DECIMATION
    window, every = np.hanning(size), STEP_SAMPLES // DECIMATION
    spectrum = np.fft.fft(samples)
    low = _pieces(_band(spectrum, FIRST_HARMONICS_HZ).real[::DECIMATION], size, every)
    hertz, voiced = _pitch(low * window, window, rate)
    if voiced.sum() < MIN_PLACES:
        return None
    seconds = np.arange(-(size // 2), size - size // 2) / rate
    turning = window * np.exp(-2j * np.pi * hertz[voiced, None] * seconds)
    result = []
    for band in BANDS_HZ:
        envelope = np.abs(_band(spectrum, band)).reshape(-1, DECIMATION).mean(axis=1)
        pieces = _pieces(envelope, size, every)[voiced]
        moving = 2 * np.abs((pieces * turning).sum(axis=1))
        result.append((moving / (pieces @ window + 1e-12)).mean())
    return np.array(result)


def _band(spectrum: np.ndarray, band_hz: tuple[float, float]) -> np.ndarray:
    """Return the analytic signal (n,) of a band of a sound with this spectrum (n,)."""
    hertz = np.fft.fftfreq(len(spectrum), 1 / SAMPLE_RATE)
    inside = (hertz >= band_hz[0]) & (hertz < band_hz[1])
    return np.asarray(2 * np.fft.ifft(spectrum * inside))


def _pieces(values: np.ndarray, size: int, every: int) -> np.ndarray:
    """Return a view (places, size) of values (n,)."""
    return np.lib.stride_tricks.sliding_window_view(values, size)[::every]


def _pitch(pieces: np.ndarray, window: np.ndarray, rate: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the pitch of windowed pieces in Hz by their autocorrelation, and what is voiced."""
    size = pieces.shape[1]
    length = 2 ** (2 * size - 1).bit_length()

    def autocorrelation(values: np.ndarray) -> np.ndarray:
        return np.fft.irfft(np.square(np.abs(np.fft.rfft(values, length))))[..., :size]

    own, of_window = autocorrelation(pieces), autocorrelation(window)
    power = own[:, 0] + 1e-12
    alike = own / power[:, None] / (of_window / of_window[0])
    lags = np.arange(int(rate / PITCH_HZ[1]), int(rate / PITCH_HZ[0]) + 1)
    # Of lags that are equally good, the shortest.
    best = lags[(alike[:, lags] - 0.0008 * (lags - lags[0])).argmax(axis=1)]
    before, here, after = (alike[np.arange(len(best)), best + k] for k in (-1, 0, 1))
    bend = before - 2 * here + after
    offset = np.where(bend < 0, (before - after) / (2 * np.minimum(bend, -1e-12)), 0.0)
    level = 10 * np.log10(power)
    voiced = (here > MIN_CORRELATION) & (level > np.percentile(level, 95) - MAX_DB_BELOW)
    return rate / (best + offset.clip(-0.5, 0.5)), voiced
