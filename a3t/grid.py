"""The shared sample and frame clocks, and every conversion between them.

Speech is processed at 24 kHz, in frames of 300 samples: 80 frames per second. Frame t stands for
samples [300 t, 300 t + 300) and its analysis window is centred on sample 300 t. These are the
features of ESPnet's VCTK recipes, for which pretrained vocoders exist. A recording keeps its own
sample rate, which is the ``rate`` of the functions below, in Hz.
"""

from __future__ import annotations

SAMPLE_RATE = 24_000  # Hz
HOP = 300  # samples per frame
FRAMES_PER_SECOND = SAMPLE_RATE // HOP


def seconds_of(frames: float) -> float:
    """Return the duration of frames in seconds, or the time at which a frame begins."""
    return frames / FRAMES_PER_SECOND


def frames_of(seconds: float) -> int:
    """Round a time to whole frames."""
    return round(seconds * FRAMES_PER_SECOND)


def samples_of(frames: float, rate: int) -> int:
    """Return the sample, at ``rate``, nearest to the beginning of a frame."""
    return round(frames * HOP * rate / SAMPLE_RATE)


def grid_samples(samples: int, rate: int) -> int:
    """Return the number of whole 24 kHz samples in ``samples`` samples at ``rate``."""
    return samples * SAMPLE_RATE // rate


def grid_frames(samples: int, rate: int) -> int:
    """Return the number of mel frames of ``samples`` samples at ``rate``.

    The last frame begins within them.
    """
    return 1 + grid_samples(samples, rate) // HOP


def floor_at_rate(position: int, rate: int) -> int:
    """Return the last sample, at ``rate``, not after a 24 kHz sample position."""
    return position * rate // SAMPLE_RATE


def ceil_at_rate(position: int, rate: int) -> int:
    """Return the first sample, at ``rate``, not before a 24 kHz sample position."""
    return -(-position * rate // SAMPLE_RATE)


def nearest_at_rate(position: int, rate: int) -> int:
    """Return the sample, at ``rate``, nearest to a 24 kHz sample position."""
    return (2 * position * rate + SAMPLE_RATE) // (2 * SAMPLE_RATE)
