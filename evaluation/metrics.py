"""The metrics of the evaluation, each with its definition, unit and source.

The mel-cepstral distortions are in `cepstra`; this module has the distances between log-mels, the
errors of pitch, voicing and words, and the wrappers around PESQ, STOI, DNSMOS, PLCMOS and the
speaker encoder.
Networks that listen without a reference hear all sounds at one level.
Signals are mono, (n,), in [-1, 1]; log-mels are (frames, bins) in log10 units.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from a3t.errors import InputError
from evaluation.cepstra import Floats, as_signal, warp_path
from evaluation.packages import eval_package
from training.pretraining_objective import cepstra


def mel_l1(reference: npt.ArrayLike, other: npt.ArrayLike) -> float:
    """Return the mean absolute difference of two log-mels (frames, bins), in log10 units.

    It is training's loss.
    """
    a, b = np.asarray(reference, dtype=np.float64), np.asarray(other, dtype=np.float64)
    if a.ndim != 2 or a.shape != b.shape or len(a) == 0:
        raise InputError(
            f"Two log-mels of one shape (frames, bins) are needed, not {a.shape} and {b.shape}."
        )
    return float(np.abs(a - b).mean())


def detail(reference: npt.ArrayLike, other: npt.ArrayLike) -> float:
    """Return a log-mel's fine structure across bins by the reference's; below 1 is blurred.

    It is measured by the mean absolute second difference across bins, which is high for harmonics
    and noise, and low for an average of many spectra. The two (frames, bins) may differ in length.
    """
    true, actual = (
        np.abs(np.diff(np.asarray(mel, float), n=2)).mean() for mel in (reference, other)
    )
    return float(actual / true) if true > 0 else float("nan")


def mel_cepstral_distance(reference: npt.ArrayLike, other: npt.ArrayLike) -> float:
    """Return the mean `cepstral_distance` of two log-mels (frames, bins) in dB, without a vocoder.

    Their frames are paired by `warp_path` on these cepstra. The scale is that of the MCD, but
    smoothing and frequency range differ, so don't compare the two.
    """
    a, b = (cepstra(torch.from_numpy(np.asarray(mel, float))).numpy() for mel in (reference, other))
    pairs = warp_path(a, b)
    return float(np.linalg.norm(a[pairs[:, 0]] - b[pairs[:, 1]], axis=1).mean())


def fundamental_error(reference: Floats, other: Floats) -> tuple[float, float]:
    """Return the F0 RMSE and the V/UV error of statistical synthesis (e.g. Zen et al. 2009).

    They are the RMSE in cents over the frames voiced in both of two F0 tracks in Hz (0 where
    unvoiced), NaN if there are none, and the share of frames whose voicing differs.
    """
    frames = min(len(reference), len(other))
    a, b = reference[:frames], other[:frames]
    both = (a > 0) & (b > 0)
    voicing = float(((a > 0) != (b > 0)).mean())
    if not both.any():
        return float("nan"), voicing
    return float(np.sqrt(((1200.0 * np.log2(b[both] / a[both])) ** 2).mean())), voicing


def resampled(samples: npt.ArrayLike, sample_rate: int, target_rate: int) -> Floats:
    """Resample the signal to ``target_rate`` Hz (soxr, high quality)."""
    if sample_rate == target_rate:
        return as_signal(samples)
    import soxr

    result: Floats = soxr.resample(as_signal(samples), sample_rate, target_rate)
    return result


LEVEL = 0.05  # root mean square, full scale at 1, at which networks without a reference listen


def at_one_level(samples: Floats) -> Floats:
    """Bring a signal (n,) to the root mean square `LEVEL`, its rare higher peaks cut at full scale.

    Networks that were trained on speech of many levels hear the level all the same: half as loud,
    the same speech gains up to 0.2 of DNSMOS's OVRL, and a voice resembles itself by 0.96 only.
    """
    power = float(np.mean(np.square(samples))) if len(samples) else 0.0
    return np.clip(samples * (LEVEL / np.sqrt(power)), -1.0, 1.0) if power > 0 else samples


def pesq_wideband(reference: npt.ArrayLike, other: npt.ArrayLike, sample_rate: int) -> float:
    """Return the wideband PESQ (ITU-T P.862.2) of two signals of equal timing.

    It is 1.04 (bad) to 4.64 (identical), compared at 16 kHz, so nothing above 8 kHz counts. Raises
    InputError if PESQ finds no speech.
    """
    with eval_package("pesq"):
        from pesq import PesqError, pesq
    a, b = (resampled(signal, sample_rate, 16000) for signal in (reference, other))
    try:
        # float32: the package scales by the reference's maximum and rounds to 16 bits itself.
        return float(pesq(16000, a.astype(np.float32), b.astype(np.float32), "wb"))
    except PesqError:
        raise InputError("PESQ found no speech in one of the two signals.") from None


LEAST = 0.1  # seconds; shorter sounds are not rated
WINDOW = 144_161  # samples of the network's input at 16 kHz: 9.01 s and one more


def speech_mos(samples: npt.ArrayLike, sample_rate: int) -> dict[str, float]:
    """Return DNSMOS (Reddy et al. 2022) of mono samples (n,), 1 (bad) to 5.

    "dnsmos" is P.835's OVRL, "dnsmos_sig" its SIG, "dnsmos_p808" the P.808 rating. All are rated
    at one level (`at_one_level`), since OVRL rises as the same speech gets quieter.

    Shorter sounds are repeated to fill the network's input of 9 s, as the package does, but only
    once: it would rate up to nine windows of the same sound. NaN if the sound is silent or shorter
    than `LEAST`.
    """
    signal = at_one_level(resampled(samples, sample_rate, 16_000)).astype(np.float32)
    if len(signal) < LEAST * 16_000 or not signal.any():
        return dict.fromkeys(("dnsmos", "dnsmos_sig", "dnsmos_p808"), float("nan"))
    with eval_package("speechmos"):
        from speechmos import dnsmos
    if len(signal) < WINDOW:
        signal = np.resize(signal, WINDOW)
    ratings = dnsmos.run(signal, 16_000)
    return {
        "dnsmos": float(ratings["ovrl_mos"]),
        "dnsmos_sig": float(ratings["sig_mos"]),
        "dnsmos_p808": float(ratings["p808_mos"]),
    }


@lru_cache(maxsize=1)
def _concealment_judge() -> Any:
    with eval_package("speechmos"):
        from speechmos.plcmos import PLCMOS
    return PLCMOS()


def concealment_mos(samples: npt.ArrayLike, sample_rate: int) -> float:
    """Predict the listener rating, 1 (bad) to 5, of speech with filled gaps: PLCMOS 2.

    Diener et al. 2023; trained on packet loss concealment; needs no reference; works at 16 kHz. It
    averages fifteen raters that the package draws at random; here every signal meets the same ones.
    """
    judge = _concealment_judge()
    signal = resampled(samples, sample_rate, 16000)
    peak = float(np.abs(signal).max(initial=0.0))
    if peak == 0:
        raise InputError("No speech was found, so its quality can't be rated.")
    # The package draws from numpy's global generator: others' draws go on as if it had not.
    state = np.random.get_state()
    np.random.seed(0)
    try:
        return float(judge(signal * (0.7 / peak))["plcmos"])
    finally:
        np.random.set_state(state)


def stoi(reference: npt.ArrayLike, other: npt.ArrayLike, sample_rate: int) -> float:
    """Return the short-time objective intelligibility, 0..1 (Taal et al. 2011).

    Equal timing is assumed; the longer signal is truncated. Raises InputError for less than about
    0.4 s of speech.
    """
    with eval_package("pystoi"):
        from pystoi import stoi as measure
    a, b = as_signal(reference), as_signal(other)
    samples = min(len(a), len(b))
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="Not enough STFT frames")
        try:
            return float(measure(a[:samples], b[:samples], sample_rate))
        except RuntimeWarning:
            raise InputError(
                "STOI needs about 0.4 s of speech; without silence the signals have less than that."
            ) from None


@lru_cache(maxsize=1)
def _speaker_encoder() -> Any:
    with eval_package("Resemblyzer"):
        from resemblyzer import VoiceEncoder
    return VoiceEncoder("cpu", verbose=False)


def speaker_embedding(samples: npt.ArrayLike, sample_rate: int) -> Floats:
    """Embed a speaker, (256,) of unit length: GE2E (Wan et al. 2018) as trained by Resemblyzer.

    Long silences are removed, and the speech that remains is heard at one level (`at_one_level`),
    so neither its gain nor its pauses matter. The encoder works on windows of 1.6 s; shorter speech
    is padded and gives a less reliable embedding. Raises InputError if no speech is found.
    """
    encoder = _speaker_encoder()
    from resemblyzer.audio import trim_long_silences

    wave = at_one_level(resampled(samples, sample_rate, 16000))
    if wave.any():
        wave = at_one_level(trim_long_silences(wave))
    if not wave.any():
        raise InputError("No speech was found, so the speaker can't be identified.")
    return np.asarray(encoder.embed_utterance(wave.astype(np.float32)), dtype=np.float64)


def speaker_similarity(reference: npt.ArrayLike, other: npt.ArrayLike, sample_rate: int) -> float:
    """Return the cosine of two speaker embeddings, 0..1: about 0.9 for one speaker, 0.6 for two."""
    a, b = (speaker_embedding(signal, sample_rate) for signal in (reference, other))
    return float(a @ b)


def figure_or_nan(measure: Callable[..., float], *arguments: Any) -> float:
    """Return the result of ``measure``, or NaN if it raises InputError.

    That is too little speech, say, or a missing package.
    """
    try:
        return measure(*arguments)
    except InputError:
        return float("nan")


def word_error_rate(reference: Sequence[str], hypothesis: Sequence[str]) -> float:
    """Return the edit distance over the number of reference words.

    Words are compared literally, so normalise both alike. Raises InputError for an empty reference.
    """
    if not reference:
        raise InputError("A word error rate needs at least one reference word.")
    with eval_package("rapidfuzz"):
        from rapidfuzz.distance import Levenshtein
    return Levenshtein.distance(reference, hypothesis) / len(reference)
