"""Statistics of a sound within a period of its voice, which spectra of whole frames don't show."""

from __future__ import annotations

import numpy as np

from a3t.audio.analysis.world_pitch import pitch
from a3t.errors import InputError

Floats = np.ndarray

RATE = 24_000  # Hz
BANDS = ((500, 1500), (1500, 3500), (3500, 7000))  # Hz, whose envelopes are looked at
PERIOD_MS = 5.0  # between two places that are measured
WINDOW = 960  # samples, 40 ms: some periods of a low voice
LEAST_PLACES = 4  # voiced ones, of a stretch and of what surrounds it
STATISTICS = (
    *(f"modulation at the pitch, {low / 1000:g} to {high / 1000:g} kHz" for low, high in BANDS),
    "peak over RMS",
    "phase of harmonic 2 against the first",
    "phase of harmonic 3 against the first",
)
FEATURES = (
    *(f"{name}, inside" for name in STATISTICS),
    *(f"{name}, minus outside" for name in STATISTICS),
)


def fine_time(samples: Floats) -> tuple[Floats, Floats]:
    """Return where a sound (n,) at 24 kHz is voiced, in samples, (k,), and what is measured there.

    The second, (k, 8), holds the modulations, the logarithm of the peak over the RMS, and of both
    harmonics the cosine and the sine of the phase less that of so many times the first's.
    """
    samples = np.asarray(samples, np.float64)
    hertz, times = pitch(samples, PERIOD_MS)
    centres = np.round(times * RATE).astype(int)
    half = WINDOW // 2
    voiced = (hertz > 0) & (centres >= half) & (centres + half <= len(samples))
    centres, hertz = centres[voiced], hertz[voiced]
    if not len(centres):
        return centres, np.empty((0, len(BANDS) + 5))
    envelopes = [_envelope(samples, band) for band in BANDS]
    window, place = np.hanning(WINDOW), np.arange(-half, WINDOW - half)
    rows = []
    for centre, f0 in zip(centres, hertz, strict=True):
        own = slice(centre - half, centre + half)
        turns = [np.exp(-2j * np.pi * k * f0 / RATE * place) * window for k in (1, 2, 3)]
        row = [2 * abs(e[own] @ turns[0]) / (e[own] @ window + 1e-12) for e in envelopes]
        piece = samples[own]
        row.append(np.log(np.abs(piece).max() / (np.sqrt(np.square(piece).mean()) + 1e-12) + 1e-12))
        one, *others = (np.angle(piece @ turn) for turn in turns)
        for k, angle in zip((2, 3), others, strict=True):
            row += [np.cos(angle - k * one), np.sin(angle - k * one)]
        rows.append(row)
    return centres, np.array(rows)


def fine_features(places: Floats, measured: Floats, first: int, last: int) -> Floats:
    """Return the ``FEATURES`` (12,) of samples [first, last) at 24 kHz by what `fine_time` gave.

    A harmonic's phase counts by how much it agrees from place to place: the length of its mean
    vector. Raises InputError if the stretch, or what is around it, is hardly voiced.
    """
    half = WINDOW // 2
    inside = (places >= first + half) & (places < last - half)
    outside = (places < first - half) | (places >= last + half)
    if min(inside.sum(), outside.sum()) < LEAST_PLACES:
        raise InputError(f"Samples {first} to {last}, or those around them, are hardly voiced.")
    own, others = _means(measured[inside]), _means(measured[outside])
    return np.concatenate([own, own - others])


def _means(measured: Floats) -> Floats:
    means, plain = measured.mean(axis=0), len(BANDS) + 1
    return np.append(means[:plain], np.hypot(means[plain::2], means[plain + 1 :: 2]))


def _envelope(samples: Floats, band: tuple[int, int]) -> Floats:
    """Return how strong a band is (n,), sample by sample."""
    spectrum = np.fft.fft(samples)
    hertz = np.fft.fftfreq(len(samples), 1 / RATE)
    return np.asarray(2 * np.abs(np.fft.ifft(spectrum * ((hertz >= band[0]) & (hertz < band[1])))))
