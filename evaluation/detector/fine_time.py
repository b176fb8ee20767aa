"""Statistics of a sound within a period of its voice, which spectra of whole frames don't show.

Where the vocal folds close, the sound rises in all bands at once: their envelopes move with the
pitch, peaks stand out, and the lowest harmonics keep together.
"""

from __future__ import annotations

import numpy as np

from a3t.audio.analysis.pitch_modulation import BANDS_HZ
from a3t.audio.analysis.world_pitch import pitch
from a3t.grid import SAMPLE_RATE

Floats = np.ndarray

PERIOD_MS = 5.0  # between two places that are measured
WINDOW = 960  # samples, 40 ms: some periods of a low voice
MIN_PLACES = 4  # voiced ones, of a stretch and of what surrounds it
STATISTICS = (
    *(f"modulation {low / 1000:g} to {high / 1000:g} kHz" for low, high in BANDS_HZ),
    "log peak over RMS",
    "phase of harmonic 2",
    "phase of harmonic 3",
)


def fine_time_features(samples: Floats, first: int, last: int) -> Floats | None:
    """Return the `STATISTICS` of samples [first, last), and by how much they exceed the rest's.

    ``samples``: (n,) at 24 kHz; the result is (12,), or None if the stretch or the rest is hardly
    voiced. Modulation: how far a band's envelope moves with the pitch, 0 to about 1. Phase of a
    harmonic: the length of the mean vector of its phase less so many times the first's, 0 to 1.
    """
    places, measured = fine_time(samples)
    half = WINDOW // 2
    inside = (places >= first + half) & (places < last - half)
    outside = (places < first - half) | (places >= last + half)
    if min(inside.sum(), outside.sum()) < MIN_PLACES:
        return None
    own, others = _means(measured[inside]), _means(measured[outside])
    return np.concatenate([own, own - others])


def fine_time(samples: Floats) -> tuple[Floats, Floats]:
    """Return the voiced places of a sound (n,) at 24 kHz, (k,) samples, and values (k, 8) there.

    These are the modulations, the peak over the RMS, and of harmonics 2 and 3 the cosine and the
    sine of the phase less that of so many times the first's.
    """
    samples = np.asarray(samples, np.float64)
    hertz, times = pitch(samples, PERIOD_MS)
    centres = np.round(times * SAMPLE_RATE).astype(int)
    half = WINDOW // 2
    voiced = (hertz > 0) & (centres >= half) & (centres + half <= len(samples))
    centres, hertz = centres[voiced], hertz[voiced]
    if not len(centres):
        return centres, np.empty((0, len(BANDS_HZ) + 5))
    pieces = centres[:, None] + np.arange(-half, half)
    window = np.hanning(WINDOW)
    cycles = hertz[:, None] * np.arange(-half, half) / SAMPLE_RATE
    first, second, third = (window * np.exp(-2j * np.pi * k * cycles) for k in (1, 2, 3))
    columns = []
    for band in BANDS_HZ:
        envelope = _envelope(samples, band)[pieces]
        columns.append(2 * np.abs((envelope * first).sum(1)) / (envelope @ window + 1e-12))
    own = samples[pieces]
    rms = np.sqrt(np.square(own).mean(axis=1))
    columns.append(np.log(np.abs(own).max(axis=1) / (rms + 1e-12) + 1e-12))
    fundamental = np.angle((own * first).sum(1))
    for k, turns in ((2, second), (3, third)):
        turn = np.angle((own * turns).sum(1)) - k * fundamental
        columns += [np.cos(turn), np.sin(turn)]
    return centres, np.stack(columns, axis=1)


def _means(measured: Floats) -> Floats:
    """Return the `STATISTICS` of values (k, 8)."""
    means, plain = measured.mean(axis=0), len(BANDS_HZ) + 1
    return np.append(means[:plain], np.hypot(means[plain::2], means[plain + 1 :: 2]))


def _envelope(samples: Floats, band_hz: tuple[int, int]) -> Floats:
    """Return the level of a band (n,), sample by sample."""
    spectrum = np.fft.fft(samples)
    hertz = np.fft.fftfreq(len(samples), 1 / SAMPLE_RATE)
    inside = (hertz >= band_hz[0]) & (hertz < band_hz[1])
    return np.asarray(2 * np.abs(np.fft.ifft(spectrum * inside)))
