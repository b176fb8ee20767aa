"""A recording as input of the acoustic models: 16 kHz, 16-bit, at one level."""

from __future__ import annotations

import numpy as np

from alignment.errors import AlignmentError

MODEL_RATE = 16_000
MIN_MODEL_RATE_HZ = 8_000  # a telephone's; what lies above 4 kHz is then the floor of noise
SHORTEST_RECORDING_S = 0.1
LONGEST_SEARCH_S = 900.0

_PEAK = 0.7 * 32767
# Digital silence has no logarithm: noise 70 dB below the peak keeps it finite.
_NOISE_RMS = _PEAK * 10 ** (-70 / 20)


def model_waveform(samples: np.ndarray, sample_rate: int) -> np.ndarray:
    """Return the recording as int16 at 16 kHz with a peak of 0.7, shape (about n * 16000 / rate,).

    ``samples``: mono, shape (n,), float. The same samples always give the same result.
    Raises AlignmentError for what can't be aligned: not mono, below 8 kHz, empty or shorter than
    0.1 s, longer than 15 minutes, NaN or infinite samples, nothing but silence.
    """
    samples = np.asarray(samples)
    require_usable(samples, sample_rate)
    seconds = len(samples) / sample_rate
    if seconds < SHORTEST_RECORDING_S:
        raise AlignmentError(
            f"The recording lasts {seconds:.2f} s, which is too short to hold a word: "
            f"use at least {SHORTEST_RECORDING_S} s."
        )
    if seconds > LONGEST_SEARCH_S:
        raise AlignmentError(
            f"The recording lasts {seconds / 60:.0f} minutes (the limit is "
            f"{LONGEST_SEARCH_S / 60:.0f}): cut it into parts."
        )
    if float(np.abs(samples - samples.mean(dtype=np.float64)).max()) < 1e-6:
        raise AlignmentError("The recording is silent: check the file or the channel.")
    scaled = normalise_level(samples, sample_rate)
    return np.clip(np.rint(scaled), -32768, 32767).astype(np.int16)


def require_usable(samples: np.ndarray, sample_rate: int) -> None:
    """Raise AlignmentError for samples that are not mono, below 8 kHz, NaN or infinite."""
    if samples.ndim != 1:
        raise AlignmentError(f"One channel is needed, not an array of {samples.ndim} dimensions.")
    if sample_rate < MIN_MODEL_RATE_HZ:
        raise AlignmentError(
            f"The recording has {sample_rate} Hz, and the acoustic model needs at least "
            f"{MIN_MODEL_RATE_HZ}: use a recording made at a higher rate."
        )
    if not np.isfinite(samples).all():
        raise AlignmentError("The recording has NaN or infinite samples: export it again.")


def normalise_level(samples: np.ndarray, sample_rate: int) -> np.ndarray:
    """Return finite mono samples (n,) at 16 kHz, float32, with a floor of noise.

    Their mean is 0 and their peak 0.7 of int16's.
    """
    signal = samples.astype(np.float32)
    signal = signal - signal.mean()
    if sample_rate != MODEL_RATE:
        import soxr

        signal = soxr.resample(signal, sample_rate, MODEL_RATE, quality="HQ")
    peak = max(float(np.abs(signal).max(initial=0.0)), 1e-9)
    noise = np.random.default_rng(0).standard_normal(len(signal), dtype=np.float32)
    return signal * np.float32(_PEAK / peak) + noise * np.float32(_NOISE_RMS)
