"""The features of one clip: its alignment on the grid, its log-mel, its pitch.

Frame t has the pitch at sample 300 t. `taught_pitch` is what networks are taught: it agrees better
with the phones on what is voiced (docs/log.md) than `a3t.audio.analysis.world_pitch`.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import torch

from a3t.audio.analysis.mel import log_mel
from a3t.grid import HOP, SAMPLE_RATE
from a3t.plan.word_grid import on_grid
from a3t.text.phones import PAUSE, phone_ids
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from alignment import Aligner, Alignment, load_aligner
from training.corpora.decoding import decode_floats
from training.features.corpus_batches import LEAST_SCORE
from training.features.degrade import degraded_mels
from training.features.store import COPY, OPTIONAL

LOW, HIGH = 60.0, 450.0  # Hz, where RAPT and SWIPE' look
SWIPE_THRESHOLD = 0.25  # strength of pitch; RAPT decides what is voiced
AGREED = 0.2  # octaves within which the two trackers agree
ASTRAY = 0.7  # octaves from the median of what they agree on: an octave wrong
ENOUGH = 10  # frames, for that median


def taught_pitch(samples: np.ndarray, frames: int) -> np.ndarray:
    """Return log2 of F0 in Hz, 0 where unvoiced, (frames,), for mono samples (n,) at 24 kHz.

    Voiced is what RAPT (Talkin 1995) calls so; there the pitch is that of SWIPE' (Camacho and
    Harris 2008), which errs by an octave less often. Where that hears none it is RAPT's, moved
    by octaves towards the rest if it is far from it. RAPT's voicing depends a little, by a frame
    in a hundred or two, on what the process has tracked before.
    """
    with warnings.catch_warnings():  # pkg_resources, which it imports, is deprecated
        warnings.simplefilter("ignore")
        import pysptk

    wave = np.asarray(samples, dtype=np.float64) * 32768.0  # RAPT expects 16-bit values
    if len(wave) < SAMPLE_RATE // 10 or not wave.any():
        return np.zeros(frames, np.float32)
    swipe = np.asarray(
        pysptk.swipe(wave, SAMPLE_RATE, HOP, min=LOW, max=HIGH, threshold=SWIPE_THRESHOLD)
    )
    # RAPT's frames stand for the sound half a hop after their places.
    rapt = np.asarray(
        pysptk.rapt(wave.astype(np.float32), SAMPLE_RATE, HOP // 2, min=LOW, max=HIGH)
    )
    rapt = rapt[np.clip(2 * np.arange(len(swipe)) - 1, 0, len(rapt) - 1)]
    first, second = (np.log2(np.maximum(hertz, 1.0)) for hertz in (swipe, rapt))
    found = np.where(swipe > 0, first, second)
    agreed = (swipe > 0) & (rapt > 0) & (np.abs(first - second) < AGREED)
    if agreed.sum() > ENOUGH:
        away = found - np.median(first[agreed])
        astray = (swipe <= 0) & (np.abs(away) > ASTRAY)
        found = np.where(astray, found - np.round(away), found)
    found = np.where(rapt > 0, found, 0.0)
    return np.pad(found, (0, max(0, frames - len(found))))[:frames].astype(np.float32)


SECONDS = (0.1, 20.0)  # shortest and longest clip
SPEECH_FRAMES = 8  # 0.1 s, between two places where speech without text may be cut
SECONDS_APART = 0.1  # tolerated between a clip and its alignment: containers round lengths


@dataclass(frozen=True)
class Job:
    """A clip whose features are to be extracted, and how."""

    name: str
    voice: str
    sound: Path
    text: str | None  # None: speech without text
    aligner: str
    pitch: bool
    alignment: Alignment | None = None
    degraded: int = 0  # number of degraded copies
    others: tuple[Path, ...] = ()  # recordings for background speech in those copies


class ClipError(Exception):
    """A clip is left out: the kind of fault, and a sentence about it."""

    def __init__(self, kind: str, sentence: str) -> None:
        super().__init__(kind, sentence)
        self.kind, self.sentence = kind, sentence


@cache
def named_aligner(name: str) -> Aligner:
    """Load an aligner once in a process."""
    return load_aligner(name)


@cache
def _pronouncer() -> Pronouncer:
    return Pronouncer()


def align(text: str, wave: np.ndarray, aligner: str = "network") -> Alignment:
    """Align a text with its recording, mono (n,) at 24 kHz; ValueError if that fails."""
    words = Transcript.from_text(text).spoken
    pronunciations = {word: _pronouncer().candidates(word) for word in words}
    # Whether the text is what is spoken is decided by the score, not here.
    more = {} if aligner == "mfa" else {"check": False}
    return named_aligner(aligner).align(wave, SAMPLE_RATE, words, pronunciations, **more)


def features(wave: np.ndarray, alignment: Alignment, pitch: bool = False) -> dict[str, np.ndarray]:
    """Return the features of an aligned recording, mono (n,) at 24 kHz.

    They are ``mel`` (T, 80), ``phones``, ``durations`` and ``words`` (L,), ``score`` () and,
    optionally, ``pitch`` (T,). Raises ValueError if there are more phones than frames.
    """
    mel = log_mel(wave).numpy()
    phones = on_grid(alignment, len(mel))
    found = {
        "mel": mel,
        "phones": np.array(phone_ids(p.symbol for p in phones), np.int64),
        "durations": np.array([p.frames for p in phones], np.int64),
        "words": np.array([p.word for p in phones], np.int64),
        "score": np.array(alignment.score),
    }
    return found | ({OPTIONAL: taught_pitch(wave, len(mel))} if pitch else {})


def speech_features(wave: np.ndarray, pitch: bool = False) -> dict[str, np.ndarray]:
    """Return the features of a recording without text: pauses of `SPEECH_FRAMES`, to cut between.

    The arrays are those of `features`.
    """
    mel = log_mel(wave).numpy()
    places = np.arange(0, len(mel), SPEECH_FRAMES)
    found = {
        "mel": mel,
        "phones": np.full(len(places), phone_ids([PAUSE])[0], np.int64),
        "durations": np.diff(places, append=len(mel)),
        "words": np.full(len(places), -1),
        "score": np.array(1.0),
    }
    return found | ({OPTIONAL: taught_pitch(wave, len(mel))} if pitch else {})


def extract_clip(job: Job) -> dict[str, np.ndarray]:
    """Return the `features` of one clip; raise ClipError if it can't be used."""
    try:
        wave, _ = decode_floats(job.sound)
    except (OSError, RuntimeError) as error:  # soundfile's errors are RuntimeErrors
        raise ClipError("unreadable", f"{job.sound}: {error}") from None
    seconds = len(wave) / SAMPLE_RATE
    if seconds < SECONDS[0] or len(wave) < 4 * HOP:
        raise ClipError("too short", f"{seconds:.2f} s, less than {SECONDS[0]} s")
    if seconds > SECONDS[1]:
        raise ClipError("too long", f"{seconds:.1f} s, more than {SECONDS[1]:.0f} s")
    if job.alignment and abs(job.alignment.duration - seconds) > SECONDS_APART:
        raise ClipError("not aligned", "the alignment is that of another recording")
    try:
        if job.text is None:
            found = speech_features(wave, job.pitch)
        else:
            alignment = job.alignment or align(job.text, wave, job.aligner)
            found = features(wave, alignment, job.pitch)
    except ValueError as error:
        raise ClipError("not aligned", str(error)) from None
    if found["score"] < LEAST_SCORE:
        raise ClipError("not aligned", f"sound and text hardly match (score {found['score']:.2f})")
    copies = degraded_mels(job.name, wave, job.degraded, job.others)
    return found | {f"{COPY}{number}": mel for number, mel in enumerate(copies, 1)}


def make(job: Job) -> dict[str, np.ndarray] | ClipError:
    """Return a clip's features in a worker, or the reason why it can't be used."""
    torch.set_num_threads(1)  # one process a core
    try:
        return extract_clip(job)
    except ClipError as failure:
        return failure
    except Exception as error:  # one clip that breaks a library must not stop the others
        return ClipError("failed", f"{type(error).__name__}: {error}")
