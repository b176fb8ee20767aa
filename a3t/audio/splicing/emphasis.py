"""Emphasis: raise the pitch and energy of some words within this speaker's range.

By WORLD (Morise, Yokomori & Ozawa 2016): the words are analysed, their pitch moved, and synthesised
anew; all else of the sound stays as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType

import numpy as np

from a3t.audio.analysis.world_pitch import load_world, pitch
from a3t.audio.splicing.seams import rms
from a3t.errors import InputError
from a3t.grid import SAMPLE_RATE
from a3t.spans import Span

MAX_SEMITONES = 4.0
MAX_DB = 4.0
# The percentile of a speaker's pitch, and of their loudness, that nothing goes beyond.
BOUND_PERCENT = 95
PERIOD_MS = 5.0
LOUDNESS_S = 0.05
EMPHASIS_FADE_S = 0.015
MIN_VOICED_FRAMES = 20  # analysis frames, 0.1 s; of less voice no range can be told


@dataclass(frozen=True)
class Raised:
    """The amounts by which a word was raised."""

    semitones: float
    decibels: float


def require_world() -> ModuleType:
    """Return pyworld; without it InputError says what to do."""
    try:
        return load_world()
    except ImportError as error:
        raise InputError(
            "Emphasis needs pyworld, which is not installed: pip install 'a3t[voice]', or omit the "
            "asterisks."
        ) from error


def emphasise(
    samples: np.ndarray, spans: Sequence[Span], voice: np.ndarray
) -> tuple[np.ndarray, tuple[Raised, ...]]:
    """Return the sound (n,) with the words in ``spans`` (samples) raised, and by how much each was.

    All at 24 kHz, float, full scale at 1. ``voice``: the speaker's own speech nearby, (m,); the
    words go as high and as loud as its 95th percentile, and by MAX_SEMITONES and MAX_DB at most.
    Outside the spans and their fades nothing changes. Raises InputError without pyworld.
    """
    world = require_world()
    wave = np.asarray(samples, np.float64)
    hertz, times = pitch(wave, PERIOD_MS)
    range_hz, _ = pitch(voice, PERIOD_MS)
    highest = (
        np.percentile(range_hz[range_hz > 0], BOUND_PERCENT)
        if (range_hz > 0).sum() >= MIN_VOICED_FRAMES
        else 0.0
    )
    loudest = np.percentile(_loudness(voice), BOUND_PERCENT)
    raised = []
    rise = np.zeros(len(wave))  # semitones, sample by sample
    for first, last in spans:
        inside = hertz[(times >= first / SAMPLE_RATE) & (times < last / SAMPLE_RATE)]
        semitones = 0.0
        if (inside > 0).any() and highest > 0:
            room = 12 * np.log2(highest / np.percentile(inside[inside > 0], BOUND_PERCENT))
            semitones = float(np.clip(room, 0.0, MAX_SEMITONES))
        level = _loudness(wave[first:last]).max(initial=1e-9)
        decibels = float(np.clip(20 * np.log10(max(loudest, 1e-9) / level), 0.0, MAX_DB))
        rise = np.maximum(rise, semitones * _weight(len(wave), first, last))
        raised.append(Raised(semitones, decibels))
    moved = hertz * 2 ** (np.interp(times * SAMPLE_RATE, np.arange(len(wave)), rise) / 12)
    envelope = world.cheaptrick(wave, hertz, times, SAMPLE_RATE)
    noise = world.d4c(wave, hertz, times, SAMPLE_RATE)
    new = world.synthesize(moved, envelope, noise, SAMPLE_RATE, PERIOD_MS)
    new = np.pad(new[: len(wave)], (0, max(0, len(wave) - len(new))))
    result = wave.copy()
    for (first, last), word in zip(spans, raised, strict=True):
        weight = _weight(len(wave), first, last)
        level = rms(wave[first:last]) / max(rms(new[first:last]), 1e-9)  # WORLD's is a little off
        made = new * level if word.semitones > 0 else wave
        result += weight * (made * 10 ** (word.decibels / 20) - result)
    return result.astype(np.float32), tuple(raised)


def _loudness(wave: np.ndarray) -> np.ndarray:
    """Return the RMS of each LOUDNESS_S, (k,)."""
    size = round(LOUDNESS_S * SAMPLE_RATE)
    count = max(1, len(wave) // size)
    return np.array([rms(piece) for piece in np.array_split(np.asarray(wave), count)])


def _weight(length: int, first: int, last: int) -> np.ndarray:
    """Return 1 within [first, last), falling to 0 outside along a raised cosine, (length,)."""
    fade = round(EMPHASIS_FADE_S * SAMPLE_RATE)
    distance = np.maximum(first - np.arange(length), np.arange(length) - (last - 1))
    return 0.5 + 0.5 * np.cos(np.pi * np.clip(distance / fade, 0.0, 1.0))
