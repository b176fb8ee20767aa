"""Identity reconstruction: the middle third of a clip's phones is masked, filled and compared.

The experiment of the thesis's tables 4.2-4.4, for any clips, systems and vocoders. All systems are
treated alike: the clip's own mel with the region filled in, a window of it through one vocoder, and
the region compared with the recording. Copy-synthesis, the unchanged mel, shows the cost of the
vocoder alone; the mean spectrum shows the cost of knowing nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from a3t.errors import InputError
from a3t.grid import HOP, SAMPLE_RATE
from evaluation import cepstra, metrics
from evaluation.systems.interface import Gap, Ints, Mel, System

# Rates at which the MCD is computed. A 16 kHz recording has nothing above 8 kHz: its MCD at 24 kHz
# compares the vocoder's guess with an empty band, so its own rate is the fair one.
RATES = (SAMPLE_RATE, 16_000)
SHORTEST_VOICE = 0.5  # seconds; too little to recognise a speaker in less


@dataclass(frozen=True)
class HeldOutClip:
    """A clip to reconstruct: T frames, P phones, whose frames are contiguous from frame 0."""

    name: str
    voice: str
    seen: bool  # whether the speaker is in the training data (the prompt never is)
    rate: int  # at which it was recorded: 24 kHz (or more) or 16 kHz
    samples: npt.NDArray[np.float32]  # (n,) at 24 kHz, whatever the recording's rate
    mel: Mel  # (T, 80) log10
    phones: Ints  # (P,) ids
    durations: Ints  # (P,) frames, in total at most T
    words: Ints  # (P,) each phone's word, -1 for a pause

    @property
    def region(self) -> tuple[int, int]:
        """The middle third of the phones, [first, last)."""
        third = len(self.phones) // 3
        return third, len(self.phones) - third

    def frames(self, phones: tuple[int, int]) -> tuple[int, int]:
        """The frames [first, last) of the phones [first, last)."""
        ends = np.concatenate([[0], np.cumsum(self.durations)])
        return int(ends[phones[0]]), int(ends[phones[1]])


Vocoder = Callable[[Mel], npt.NDArray[np.float32]]  # (T, 80) -> (300 T,)
Predictor = Callable[[HeldOutClip, tuple[int, int]], Ints]  # frames of the phones [first, last)


@dataclass(frozen=True)
class ReconstructionRow:
    """One system on one clip. Distances are in dB except mel_l1; NaN for undefined figures."""

    clip: str
    voice: str
    seen: bool
    durations: str  # "given" or "predicted"
    system: str
    frames: int  # of the region in the output
    true_frames: int  # of the region in the recording
    mcd: float  # standard, time-warped, at the recording's own rate
    mcd_unwarped: float  # the same, frame by frame; only for given durations
    mcd_24k: float  # standard, time-warped, all clips at 24 kHz
    mcd_16k: float  # standard, time-warped, all clips at 16 kHz
    mel_distance: float  # mel-cepstral distance of the mels, no vocoder; warped if predicted
    mel_l1: float  # log10 units; only for given durations
    detail: float  # fine structure of the filled mel, 1 as in the recording
    plcmos: float  # 1 to 5, of the region in its surroundings; NaN without the extra `eval`
    similarity: float  # cosine of the speaker embeddings of region and clip; NaN likewise
    first_implementation: float  # MCD of A3T's authors, for comparison with the thesis


def reconstruct(
    items: Sequence[HeldOutClip],
    systems: Mapping[str, System],
    vocoder: Vocoder,
    predictor: Predictor | None = None,
    *,
    context: int = 60,
) -> Iterator[ReconstructionRow]:
    """All rows of the experiment, clip by clip.

    Copy-synthesis comes first, then every system with given durations, then, if there is a
    ``predictor``, every system with predicted ones. The region is vocoded and analysed together
    with ``context`` frames on each side. Raises InputError if the output of a system or of the
    vocoder has the wrong length.
    """
    for item in items:
        phones = item.region
        span = item.frames(phones)
        truth = _Truth(item, span, context)
        yield truth.row("copy-synthesis", "given", item.mel[span[0] : span[1]], vocoder)
        timings = {"given": item.durations[phones[0] : phones[1]]}
        if predictor is not None:
            timings["predicted"] = np.asarray(predictor(item, phones), dtype=np.int64)
        for name, timing in timings.items():
            gap = open_gap(item, phones, timing)
            for system, filler in systems.items():
                yield truth.row(system, name, np.asarray(filler.fill(gap), np.float32), vocoder)


def open_gap(item: HeldOutClip, phones: tuple[int, int], durations: Ints) -> Gap:
    """Replace the phones' frames in the clip with a gap of the new durations."""
    if len(durations) != phones[1] - phones[0] or (durations < 0).any() or not durations.any():
        raise InputError(f"{item.name}: the durations do not match the masked phones.")
    first, last = item.frames(phones)
    length = int(durations.sum())
    hole = np.zeros((length, item.mel.shape[1]), dtype=np.float32)
    mel = np.concatenate([item.mel[:first], hole, item.mel[last:]])
    timing = np.concatenate([item.durations[: phones[0]], durations, item.durations[phones[1] :]])
    hidden = slice(first * HOP, last * HOP)
    return Gap(
        mel,
        item.phones,
        timing,
        (first, first + length),
        item.words,
        np.delete(item.samples, hidden),
        item.name,
    )


class _Truth:
    """The reference for all comparisons of one clip, analysed once."""

    def __init__(self, item: HeldOutClip, span: tuple[int, int], context: int) -> None:
        self.item, self.span = item, span
        self.left = max(0, span[0] - context)
        self.right = min(len(item.mel), span[1] + context)
        samples = item.samples[self.left * HOP : self.right * HOP]
        region = item.samples[span[0] * HOP : span[1] * HOP]
        self.first = cepstra.first_implementation_cepstra(region, SAMPLE_RATE)
        self.cepstra = self._analyse(samples, span[1] - span[0])

    def _similarity(self, region: npt.NDArray[np.float64]) -> float:
        if len(region) < SHORTEST_VOICE * SAMPLE_RATE:
            return float("nan")
        return float(self._voice @ metrics.speaker_embedding(region, SAMPLE_RATE))

    @cached_property
    def _voice(self) -> cepstra.Floats:
        return metrics.speaker_embedding(self.item.samples, SAMPLE_RATE)

    def _analyse(self, samples: npt.ArrayLike, frames: int) -> dict[int, cepstra.Floats]:
        """Mel-cepstra of the region at each rate; Harvest runs once for all."""
        signals = {rate: metrics.resampled(samples, SAMPLE_RATE, rate) for rate in RATES}
        pitch = cepstra.fundamental(signals[16_000], 16_000)
        start = (self.span[0] - self.left) * HOP / SAMPLE_RATE
        region = (start, start + frames * HOP / SAMPLE_RATE)
        return {
            rate: cepstra.region_frames(cepstra.mel_cepstra(signal, rate, pitch), region)
            for rate, signal in signals.items()
        }

    def row(self, system: str, timing: str, filled: Mel, vocoder: Vocoder) -> ReconstructionRow:
        """Vocode the filled region with its context and compute all figures."""
        item, (first, last) = self.item, self.span
        same_length = timing == "given"
        if filled.ndim != 2 or (same_length and len(filled) != last - first):
            raise InputError(f"{item.name}: {system} gave {filled.shape} for the gap.")
        window = np.concatenate([item.mel[self.left : first], filled, item.mel[last : self.right]])
        samples = np.asarray(vocoder(window), dtype=np.float64)
        if samples.shape != (len(window) * HOP,):
            raise InputError(f"The vocoder gave {samples.shape} for {len(window)} frames.")
        start = (first - self.left) * HOP
        region = samples[start : start + len(filled) * HOP]
        first_cepstra = cepstra.first_implementation_cepstra(region, SAMPLE_RATE)
        other = self._analyse(samples, len(filled))

        def distortion(rate: int, dtw: bool = True) -> float:
            return cepstra.cepstral_distortion(self.cepstra[rate], other[rate], dtw=dtw)

        own = SAMPLE_RATE if item.rate >= SAMPLE_RATE else 16_000
        true = item.mel[first:last]
        return ReconstructionRow(
            clip=item.name,
            voice=item.voice,
            seen=item.seen,
            durations=timing,
            system=system,
            frames=len(filled),
            true_frames=last - first,
            mcd=distortion(own),
            mcd_unwarped=distortion(own, dtw=False) if same_length else float("nan"),
            mcd_24k=distortion(SAMPLE_RATE),
            mcd_16k=distortion(16_000),
            mel_distance=metrics.mel_cepstral_distance(true, filled, dtw=not same_length),
            mel_l1=metrics.mel_l1(true, filled) if same_length else float("nan"),
            detail=metrics.detail(true, filled),
            plcmos=metrics.figure_or_nan(metrics.concealment_mos, samples, SAMPLE_RATE),
            similarity=metrics.figure_or_nan(self._similarity, region),
            first_implementation=cepstra.first_implementation_distance(self.first, first_cepstra),
        )
