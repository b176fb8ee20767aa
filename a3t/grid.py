"""The clocks that everything shares, and every conversion between them.

Speech is worked on at 24 kHz, in frames of 300 samples. Frame t stands for samples
[300 t, 300 t + 300) and is centred on sample 300 t; a second has 80 frames. These are the features
of ESPnet's VCTK recipes, for which vocoders are released. A recording keeps its own rate: what is
said of "a rate" below is about samples of that clock.
"""

from __future__ import annotations

SAMPLE_RATE = 24_000  # Hz
HOP = 300  # samples of a frame
FRAMES_PER_SECOND = SAMPLE_RATE // HOP


def seconds_of(frames: float) -> float:
    """How long some frames take, or when a frame begins."""
    return frames / FRAMES_PER_SECOND


def frames_of(seconds: float) -> int:
    """The whole number of frames nearest to a time."""
    return round(seconds * FRAMES_PER_SECOND)


def samples_of(frames: float, rate: int) -> int:
    """The sample at a rate nearest to where a frame begins."""
    return round(frames * HOP * rate / SAMPLE_RATE)


def grid_samples(samples: int, rate: int) -> int:
    """The whole 24 kHz samples in so many samples at a rate."""
    return samples * SAMPLE_RATE // rate


def grid_frames(samples: int, rate: int) -> int:
    """How many frames the mel of so many samples at a rate has: the last one begins in them."""
    return 1 + grid_samples(samples, rate) // HOP


def floor_at_rate(position: int, rate: int) -> int:
    """The last sample at a rate that is not after a position of the 24 kHz clock."""
    return position * rate // SAMPLE_RATE


def ceil_at_rate(position: int, rate: int) -> int:
    """The first sample at a rate that is not before a position of the 24 kHz clock."""
    return -(-position * rate // SAMPLE_RATE)


def nearest_at_rate(position: int, rate: int) -> int:
    """The sample at a rate nearest to a position of the 24 kHz clock."""
    return (2 * position * rate + SAMPLE_RATE) // (2 * SAMPLE_RATE)
