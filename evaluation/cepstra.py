"""Mel-cepstra, dynamic time warping and mel-cepstral distortion (MCD).

There are two distortions. `cepstral_distortion` of `mel_cepstra` is the standard one, on which
reports rely. `first_implementation_distance` reproduces the computation of A3T's authors, odd
settings included, only for comparison with tables 4.2-4.4 of He Bai's thesis, "Novel Methods for
Natural Language Modeling and Pretraining" (University of Waterloo, 2023).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from a3t.errors import InputError
from evaluation.packages import eval_package

Floats = npt.NDArray[np.float64]

FRAME_MS = 5.0
ORDER = 24
F0_FLOOR, F0_CEILING = 71.0, 800.0  # Hz; 71 is CheapTrick's own floor at its default FFT size
# All-pass constants that bring the frequency axis closest to the mel scale (SPTK's table).
ALL_PASS = {
    8000: 0.312,
    16000: 0.41,
    22050: 0.455,
    24000: 0.466,
    32000: 0.504,
    44100: 0.544,
    48000: 0.554,
}
# RMS of a difference of one-sided cepstra -> dB: 20/ln 10 for ln amplitude -> dB, 1/sqrt 2 for the
# mean square of a cosine (Kubichek 1993).
DECIBELS = 10.0 / np.log(10.0) * np.sqrt(2.0)


def all_pass_constant(sample_rate: int) -> float:
    """Return the all-pass constant for ``sample_rate`` in Hz; InputError if the table has none."""
    try:
        return ALL_PASS[sample_rate]
    except KeyError:
        rates = ", ".join(str(rate) for rate in ALL_PASS)
        raise InputError(
            f"There is no all-pass constant for {sample_rate} Hz: resample to one of {rates} Hz."
        ) from None


def as_signal(samples: npt.ArrayLike) -> Floats:
    """Return mono samples as contiguous float64 (n,); raise InputError for anything else."""
    signal = np.ascontiguousarray(samples, dtype=np.float64)
    if signal.ndim != 1 or len(signal) == 0:
        raise InputError(f"A metric needs mono samples, not an array of shape {signal.shape}.")
    if not np.isfinite(signal).all():
        raise InputError("The samples contain NaN or infinite values, so metrics are undefined.")
    return signal


def fundamental(
    samples: npt.ArrayLike,
    sample_rate: int,
    *,
    frame_ms: float = FRAME_MS,
    floor: float = F0_FLOOR,
    ceiling: float = F0_CEILING,
) -> tuple[Floats, Floats]:
    """Return F0 in Hz, 0 where unvoiced, and times in s, each (frames,): Harvest (Morise 2017)."""
    with eval_package("pyworld"):
        import pyworld

    f0, times = pyworld.harvest(
        as_signal(samples), sample_rate, f0_floor=floor, f0_ceil=ceiling, frame_period=frame_ms
    )
    return f0, times


def spectral_envelope(
    samples: npt.ArrayLike, sample_rate: int, pitch: tuple[Floats, Floats] | None = None
) -> Floats:
    """Return WORLD's power envelope every 5 ms: (frames, fft/2 + 1). Frame i is centred on 5 i ms.

    Harvest between 71 and 800 Hz, then CheapTrick (Morise 2015) at its default FFT size. ``pitch``
    is the result of `fundamental` for the same signal at any rate, to avoid running Harvest again.
    """
    with eval_package("pyworld"):
        import pyworld

    f0, times = fundamental(samples, sample_rate) if pitch is None else pitch
    return pyworld.cheaptrick(as_signal(samples), f0, times, sample_rate)


@lru_cache(maxsize=16)
def _warping(bins: int, order: int, alpha: float) -> Floats:
    """Return the linear map from cepstra (bins) to mel-cepstra, a (bins, order + 1) matrix.

    It is the frequency transformation of Oppenheim and Johnson (1972), which feeds the cepstrum,
    last coefficient first, through a chain of all-pass sections; row k is the response to a
    cepstrum that is 1 at k and 0 elsewhere.
    """
    from scipy.signal import lfilter

    state = np.zeros((order + 1, bins))  # the chain's state for each unit input
    for coefficient in range(bins - 1, -1, -1):
        previous = state
        state = np.empty_like(previous)
        state[0] = alpha * previous[0]
        state[0, coefficient] += 1.0
        if order >= 1:
            state[1] = (1.0 - alpha**2) * previous[0] + alpha * previous[1]
        if order >= 2:  # state[m] = previous[m - 1] + alpha * (previous[m] - state[m - 1])
            inputs = previous[1:-1] + alpha * previous[2:]
            state[2:], _ = lfilter([1.0], [1.0, alpha], inputs, axis=0, zi=-alpha * state[1:2])
    return np.ascontiguousarray(state.T)


def mel_cepstrum(power: npt.ArrayLike, order: int, alpha: float) -> Floats:
    """Return mel-cepstra (frames, order + 1) with c0, from power spectra (frames, fft/2 + 1).

    ln|H(w)| = sum_m c_m cos(m w~) on the warped axis w~: the one-sided cepstrum of the log power
    spectrum, passed through an all-pass chain with constant ``alpha``. Equal to SPTK's `sp2mc`.
    """
    spectrum = np.asarray(power, dtype=np.float64)
    bins = spectrum.shape[-1]
    cepstrum = np.fft.irfft(np.log(spectrum), axis=-1)[..., :bins]
    cepstrum[..., 0] /= 2.0
    cepstrum[..., -1] /= 2.0  # the Nyquist coefficient has no mirror image
    return cepstrum @ _warping(bins, order, alpha)


def mel_cepstra(
    samples: npt.ArrayLike, sample_rate: int, pitch: tuple[Floats, Floats] | None = None
) -> Floats:
    """Return mel-cepstra every 5 ms, warped as suits the rate: (frames, 25), c0 first."""
    envelope = spectral_envelope(samples, sample_rate, pitch)
    return mel_cepstrum(envelope, ORDER, all_pass_constant(sample_rate))


def warp_path(first: npt.ArrayLike, second: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Warp (n, d) and (m, d) in time, exactly: (length, 2) pairs of frame indices.

    Euclidean distance; steps (1,1), (1,0), (0,1) of equal weight; both ends fixed; no band.
    Computed by anti-diagonals, whose cells depend only on the two anti-diagonals before.
    """
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    n, m = len(a), len(b)
    if n == 0 or m == 0:
        raise InputError("There is nothing to align: one of the signals has no frames.")
    squares = (a**2).sum(1)[:, None] + (b**2).sum(1)[None] - 2.0 * a @ b.T
    cost = np.sqrt(np.maximum(squares, 0.0))
    total = np.full((n + 1, m + 1), np.inf)
    total[0, 0] = 0.0
    for diagonal in range(n + m - 1):
        rows = np.arange(max(0, diagonal - m + 1), min(n, diagonal + 1))
        cols = diagonal - rows
        best = np.minimum(total[rows, cols], total[rows, cols + 1])
        total[rows + 1, cols + 1] = cost[rows, cols] + np.minimum(best, total[rows + 1, cols])
    i, j = n, m
    path = [(n - 1, m - 1)]
    while (i, j) != (1, 1):
        before = ((i - 1, j - 1), (i - 1, j), (i, j - 1))
        i, j = min(before, key=lambda cell: total[cell])
        path.append((i - 1, j - 1))
    return np.array(path[::-1], dtype=np.int64)


def cepstral_distortion(reference: npt.ArrayLike, other: npt.ArrayLike) -> float:
    """Return the mel-cepstral distortion in dB (Kubichek 1993) of two mel-cepstra.

    They are (n, order + 1) and (m, order + 1), of which c0 is left out, so that level doesn't
    matter: 10/ln 10 * sqrt(2 sum_{m>=1} d_m^2) for each pair of frames of `warp_path`, averaged
    over the pairs. Silent frames count too.
    """
    a = np.asarray(reference, dtype=np.float64)[:, 1:]
    b = np.asarray(other, dtype=np.float64)[:, 1:]
    pairs = warp_path(a, b)
    distance = np.sqrt(((a[pairs[:, 0]] - b[pairs[:, 1]]) ** 2).sum(1))
    return float(DECIBELS * distance.mean())


def region_frames(frames: Floats, span: tuple[float, float] | None) -> Floats:
    """Return the frames whose times lie in [start, end) seconds."""
    if span is None:
        return frames
    first, last = (round(seconds * 1000.0 / FRAME_MS) for seconds in span)
    return frames[max(first, 0) : last]


def first_implementation_distance(reference: Floats, other: Floats) -> float:
    """Return the distance in dB of two results of `first_implementation_cepstra`, including c0."""
    pairs = warp_path(other, reference)
    difference = other[pairs[:, 0]] - reference[pairs[:, 1]]
    return float(DECIBELS * np.sqrt((difference**2).sum(1)).mean())


def first_implementation_cepstra(samples: npt.ArrayLike, sample_rate: int) -> Floats:
    """Return the cepstra (frames, 81) of a masked region, cut out, as A3T's authors computed them.

    Its mistakes are kept: the frame shift of 300 samples is taken as 300 milliseconds, so
    that a second of speech gives about four frames; the order is 80; the all-pass constant is 0.41
    at every rate; c0, and hence level, counts; Harvest's ceiling is 7600 Hz. As in their script (an
    old one of ESPnet's), the signal is high-pass filtered at 70 Hz with 255 taps, the FFT size is
    1024, and frames more than 20 dB below the signal's mean power are dropped. The script's warping
    was FastDTW, an approximation; here it is exact, which on so few frames gives the same or a
    slightly lower distance.
    """
    with eval_package("pyworld"):
        import pyworld
    from scipy.signal import firwin, lfilter

    # The script read 16-bit files without scaling them.
    high_pass = firwin(255, 70 / (sample_rate // 2), pass_zero=False)
    signal = np.ascontiguousarray(lfilter(high_pass, 1, as_signal(samples) * 32768.0))
    f0, times = fundamental(signal, sample_rate, frame_ms=300.0, floor=80.0, ceiling=7600.0)
    power = pyworld.cheaptrick(signal, f0, times, sample_rate, fft_size=1024)
    level = power[:, 0] + power[:, -1] + 2.0 * power[:, 1:-1].sum(1)
    loud = 10.0 * np.log10(level / level.mean()) > -20.0
    return mel_cepstrum(power, 80, 0.41)[loud]
