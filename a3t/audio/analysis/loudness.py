"""EBU R128 loudness of a recording, and the gain that brings it to a level.

FFmpeg's meter (`ebur128`, through PyAV) measures: the integrated loudness in LUFS, gated as the
recommendation has it, the loudness range in LU and the true peak in dB of full scale.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import av
import av.filter
import numpy as np

from a3t.audio.reading.formats import Native, to_float
from a3t.audio.reading.recording import Recording
from a3t.errors import InputError

SILENT_LUFS = -70.0  # LUFS; below it the meter's gate lets nothing through
LEVELS_LUFS = (-40.0, -5.0)  # LUFS that can be asked for
LAYOUT_NAMES = {1: "mono", 2: "stereo", 3: "3.0", 4: "quad", 5: "5.0", 6: "5.1", 7: "6.1", 8: "7.1"}
PEAK_DB = -1.0  # dB of full scale, the highest true peak
LEAST_PEAK = 1e-5  # of full scale


@dataclass(frozen=True, slots=True)
class Loudness:
    """integrated: LUFS. range: LU. peak: the true peak, dB of full scale."""

    integrated: float
    range: float
    peak: float

    def gain_to(self, level: float, highest: float = PEAK_DB) -> float:
        """Return the dB that bring it to ``level`` LUFS with a peak of at most ``highest`` dB.

        Raises InputError for a level out of range, or if nothing is loud enough to be measured.
        """
        if not LEVELS_LUFS[0] <= level <= LEVELS_LUFS[1]:
            raise InputError(
                f"A loudness of {level:g} LUFS is out of range: use {LEVELS_LUFS[0]:g} to "
                f"{LEVELS_LUFS[1]:g}."
            )
        if not -20 <= highest <= 0:
            raise InputError(f"A peak of {highest:g} dB is out of range: use -20 to 0.")
        if self.integrated <= SILENT_LUFS:
            raise InputError("The recording is too quiet to change its loudness.")
        return min(level - self.integrated, highest - self.peak)

    def __str__(self) -> str:
        """Return the figures with their units."""
        return (
            f"{self.integrated:.1f} LUFS, range {self.range:.1f} LU, true peak {self.peak:.1f} dB"
        )


def loudness(recording: Recording) -> Loudness:
    """Measure a recording, block by block; InputError if it has more than eight channels."""
    if recording.channels not in LAYOUT_NAMES:
        raise InputError(f"The loudness of {recording.channels} channels can't be measured.")
    return measured_loudness(recording.blocks(), recording.sample_rate, recording.channels)


def measured_loudness(blocks: Iterable[Native], rate: int, channels: int) -> Loudness:
    """Measure blocks of samples (n, channels) at ``rate`` Hz."""
    graph = av.filter.Graph()
    layout = LAYOUT_NAMES[channels]
    chain = [
        graph.add_abuffer(sample_rate=rate, format="dbl", layout=layout),
        graph.add("ebur128", "peak=true:metadata=1"),
        graph.add("abuffersink"),
    ]
    graph.link_nodes(*chain).configure()
    readings: dict[str, str] = {}
    place = 0
    for block in blocks:
        samples = np.ascontiguousarray(to_float(block).reshape(1, -1))
        frame = av.AudioFrame.from_ndarray(samples, format="dbl", layout=layout)
        frame.sample_rate, frame.pts = rate, place
        place += len(block)
        graph.push(frame)
        readings |= _pulled(graph)
    graph.push(None)
    readings |= _pulled(graph)
    peak = max(float(readings.get("lavfi.r128.true_peak", 0.0)), LEAST_PEAK)
    return Loudness(
        float(readings.get("lavfi.r128.I", SILENT_LUFS)),
        float(readings.get("lavfi.r128.LRA", 0.0)),
        float(20 * np.log10(peak)),
    )


def _pulled(graph: av.filter.Graph) -> dict[str, str]:
    """Return the meter's readings since it was last asked."""
    readings: dict[str, str] = {}
    while True:
        try:
            readings |= dict(graph.pull().metadata)  # type: ignore[union-attr]
        except (av.BlockingIOError, av.EOFError):
            return readings
