"""The features of one clip: its alignment on the grid, its log-mel, its pitch."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import torch

from a3t.audio.analysis.mel import log_mel
from a3t.grid import HOP, SAMPLE_RATE
from a3t.plan.edit_sites import on_grid
from a3t.text.phones import phone_ids
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from alignment import Aligner, Alignment, load_aligner
from training.corpora.decoding import decode_floats
from training.features.corpus_batches import LEAST_SCORE
from training.features.degrade import degraded_mels
from training.features.fundamental import taught_pitch
from training.features.store import COPY, OPTIONAL

SECONDS = (0.1, 20.0)  # shortest and longest clip
SECONDS_APART = 0.1  # tolerated between a clip and its alignment: containers round lengths


@dataclass(frozen=True)
class Job:
    """A clip whose features are to be extracted, and how."""

    name: str
    voice: str
    sound: Path
    text: str
    aligner: str
    pitch: bool
    alignment: Alignment | None = None
    degraded: int = 0  # number of degraded copies
    others: tuple[Path, ...] = ()  # recordings for background speech in those copies


class ClipError(Exception):
    """Why a clip is left out: the kind of fault, and a sentence about it."""

    def __init__(self, kind: str, sentence: str) -> None:
        super().__init__(kind, sentence)
        self.kind, self.sentence = kind, sentence


@cache
def named_aligner(name: str) -> Aligner:
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
    """The features of an aligned recording, mono (n,) at 24 kHz: ``mel`` (T, 80), ``phones``,
    ``durations`` and ``words`` (L,), ``score`` () and, optionally, ``pitch`` (T,).

    ValueError if there are more phones than frames.
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


def extract_clip(job: Job) -> dict[str, np.ndarray]:
    """The `features` of one clip; ClipError if it can't be used."""
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
        alignment = job.alignment or align(job.text, wave, job.aligner)
        found = features(wave, alignment, job.pitch)
    except ValueError as error:
        raise ClipError("not aligned", str(error)) from None
    if alignment.score < LEAST_SCORE:
        raise ClipError("not aligned", f"sound and text hardly match (score {alignment.score:.2f})")
    copies = degraded_mels(job.name, wave, job.degraded, job.others)
    return found | {f"{COPY}{number}": mel for number, mel in enumerate(copies, 1)}


def make(job: Job) -> dict[str, np.ndarray] | ClipError:
    """Worker: a clip's features, or the reason why it can't be used."""
    torch.set_num_threads(1)  # one process a core
    try:
        return extract_clip(job)
    except ClipError as failure:
        return failure
    except Exception as error:  # one clip that breaks a library must not stop the others
        return ClipError("failed", f"{type(error).__name__}: {error}")
