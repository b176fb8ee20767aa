"""Diarisation: who speaks where, by clustering voice vectors of stretches of speech.

Resemblyzer's encoder (Wan et al. 2018, "Generalized end-to-end loss for speaker verification")
gives a vector for each 1.6 s of speech; scikit-learn's agglomerative clustering puts together the
stretches whose vectors are alike. A stretch ends at a pause or at the end of a sentence: where two
people change places without either, it is missed.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.spans import Span
from a3t.text.transcript import Transcript
from alignment import Alignment

RATE = 16_000  # Hz, the encoder's
PER_SECOND = 4  # vectors
BLOCK = 60.0  # seconds that are encoded at once
WINDOW = 1.6  # seconds of a vector
MIN_PAUSE_SECONDS = 0.15  # seconds
SURE = 1.0  # seconds; the vector of a shorter stretch says little
APART = 0.34  # cosine distance of two speakers' stretches
MIN_SPEECH_SECONDS = 2.0  # seconds that a speaker says in all
MAX_SPEAKERS = 20


def speakers_by_sound(
    recording: Recording, alignment: Alignment, text: Transcript, count: int | None = None
) -> list[int]:
    """Return the number of each spoken word's speaker, from 0 in the order in which they begin.

    ``count``: how many there are, if that is known. Raises InputError for a count that can't be.
    Needs `require_packages`.
    """
    if count is not None and not 1 <= count <= MAX_SPEAKERS:
        raise InputError(f"{count} speakers can't be told apart: give 1 to {MAX_SPEAKERS}.")
    stretches = stretches_of(alignment, text)
    vectors, times = voice_vectors(recording)
    own = np.stack([_mean(vectors, times, *_times(each, alignment)) for each in stretches])
    lengths = np.array([_length(each, alignment) for each in stretches])
    labels = _clustered(own, lengths, count)
    result = [0] * len(alignment.spoken)
    for (first, last), label in zip(stretches, labels, strict=True):
        result[first:last] = [int(label)] * (last - first)
    order = {label: number for number, label in enumerate(dict.fromkeys(result))}
    return [order[label] for label in result]


def stretches_of(alignment: Alignment, text: Transcript) -> list[Span]:
    """Return the runs of words [first, last) between pauses and ends of sentences."""
    spoken = alignment.spoken
    ends = [
        k + 1
        for k in range(len(spoken))
        if k + 1 == len(spoken)
        or spoken[k + 1].start - spoken[k].end >= MIN_PAUSE_SECONDS
        or text.words[k].mark in (".", "?")
    ]
    return list(zip([0, *ends], ends, strict=False))


def voice_vectors(recording: Recording) -> tuple[np.ndarray, np.ndarray]:
    """Return unit vectors (n, 256) and the seconds (n,) of the middle of each."""
    encoder = _encoder()
    level = _level(recording)
    vectors, times = [], []
    step = round(BLOCK * RATE)
    samples = round(recording.seconds * RATE)
    overlap = round(WINDOW * RATE)
    for start in range(0, max(samples - overlap // 2, 1), step):
        wave = recording.resampled(start, min(start + step + overlap, samples), RATE) * level
        _, partials, slices = encoder.embed_utterance(wave, return_partials=True, rate=PER_SECOND)
        vectors.append(partials)
        times += [(start + (each.start + each.stop) / 2) / RATE for each in slices]
    return np.concatenate(vectors), np.array(times)


def _level(recording: Recording) -> float:
    """Return the factor that brings the first minutes to the encoder's training level."""
    sound = recording.mono(0, min(recording.samples, round(300 * recording.sample_rate)))
    rms = float(np.sqrt(np.mean(np.square(sound, dtype=np.float64))))
    return 10 ** (-30 / 20) / max(rms, 1e-6)


def _clustered(vectors: np.ndarray, lengths: np.ndarray, count: int | None) -> np.ndarray:
    """Label each stretch: the long ones are clustered, the short ones join the nearest."""
    sure = np.flatnonzero(lengths >= SURE)
    if len(sure) < 2:
        sure = np.arange(len(vectors))
    labels = np.zeros(len(vectors), int)
    if count == 1 or len(vectors) < 2:
        return labels
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from sklearn.cluster import AgglomerativeClustering
    wanted: dict[str, Any] = {"n_clusters": min(count, len(sure))} if count else {
        "n_clusters": None, "distance_threshold": APART
    }  # fmt: skip
    found = AgglomerativeClustering(metric="cosine", linkage="average", **wanted).fit(vectors[sure])
    said = {n: lengths[sure][found.labels_ == n].sum() for n in set(found.labels_.tolist())}
    kept = [n for n, seconds in said.items() if count or seconds >= MIN_SPEECH_SECONDS]
    kept = kept or [max(said, key=lambda n: said[n])]
    centres = np.stack([vectors[sure][found.labels_ == n].mean(axis=0) for n in kept])
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    return np.asarray((vectors @ centres.T).argmax(axis=1))


def _times(words: Span, alignment: Alignment) -> tuple[float, float]:
    spoken = alignment.spoken
    return spoken[words[0]].start, spoken[words[1] - 1].end


def _length(words: Span, alignment: Alignment) -> float:
    start, end = _times(words, alignment)
    return end - start


def _mean(vectors: np.ndarray, times: np.ndarray, start: float, end: float) -> np.ndarray:
    """Return a stretch's vector: of those that lie within it, or else of the nearest."""
    inside = (times >= start + WINDOW / 4) & (times <= end - WINDOW / 4)
    if not inside.any():
        inside = np.arange(len(times)) == np.abs(times - (start + end) / 2).argmin()
    mean = vectors[inside].mean(axis=0)
    return np.asarray(mean / max(float(np.linalg.norm(mean)), 1e-9))


def _encoder() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it imports what setuptools and scipy have deprecated
        from resemblyzer import VoiceEncoder
    return VoiceEncoder("cpu", verbose=False)


def tells_speakers() -> bool:
    """Return whether Resemblyzer and scikit-learn are here."""
    return bool(find_spec("resemblyzer") and find_spec("sklearn"))


def require_packages() -> None:
    """Raise InputError if Resemblyzer or scikit-learn is missing."""
    if not tells_speakers():
        raise InputError(
            "Telling speakers apart needs Resemblyzer and scikit-learn: pip install "
            "'a3t[speakers]'."
        )


def numbered(speakers: Sequence[int]) -> list[str]:
    """Return the speakers' names, as a transcript has them."""
    return [f"Speaker {number + 1}" for number in speakers]
