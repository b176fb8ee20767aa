"""Measures of a stretch of speech in a recording, synthetic or natural.

A stretch is compared with the rest of its recording. As their words differ, some measures are taken
"at equal phones": each frame is compared with the mean of the rest's frames of its phone class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from a3t.audio.analysis.mel import bin_centres, log_mel
from a3t.grid import FRAMES_PER_SECOND, HOP, SAMPLE_RATE
from a3t.spans import Span
from a3t.text.phones import is_vowel
from evaluation import metrics
from evaluation.joints import QUIET, sound_class
from training.features.clip_features import taught_pitch

Floats = np.ndarray

NEAR = FRAMES_PER_SECOND  # frames on each side with which a stretch's level is compared
VOICED = 6  # least voiced frames for a pitch measure
ENOUGH = 4  # least frames of a phone class in the rest for a comparison
LOW, MIDDLE, HIGH = (0.0, 1000.0), (2500.0, 4000.0), (4000.0, 7500.0)  # Hz

MEASURES = (
    "level",  # dB, the stretch's speech minus that of the second before and after
    "level_at_phones",  # dB, mean log mel minus the rest's at equal phones
    "similarity",  # cosine of Resemblyzer's embeddings of the stretch and the rest
    "f0_offset",  # semitones, median minus the rest's
    "f0_range",  # semitones, 90th minus 10th percentile
    "voiced",  # share of voiced frames minus the rest's at equal phones
    "middle",  # dB, 2.5 to 4 kHz relative to below 1 kHz, minus the rest's at equal phones
    "high",  # dB, 4 to 7.5 kHz relative to below 1 kHz, minus the rest's at equal phones
    "detail",  # second differences of the mel across bins, over the rest's at equal phones
    "dnsmos",  # OVRL of the stretch alone, 1 to 5 (Reddy et al. 2022)
    "dnsmos_sig",
    "dnsmos_p808",
)


@dataclass(frozen=True)
class LabelledPhone:
    """A phone of a sound: frames [first, last).

    ``word`` is -1 for a pause; ``sure``: whether the aligner is sure of its word.
    """

    symbol: str
    first: int
    last: int
    word: int
    sure: bool = True

    @property
    def kind(self) -> str:
        """Its phone class; stressed and unstressed vowels are separate classes."""
        name = sound_class(self.symbol)
        return f"{name} {self.symbol[-1] != '0'}" if name == "vowel" else name


@dataclass(frozen=True)
class LabelledSound:
    """Mono samples (n,) at 24 kHz, and the phones in them."""

    samples: Floats
    phones: Sequence[LabelledPhone]

    @cached_property
    def mel(self) -> Floats:
        """(T, 80) log10."""
        mel: Floats = log_mel(self.samples).numpy()
        return mel

    @cached_property
    def f0(self) -> Floats:
        """The log2 Hz, (T,), 0 where unvoiced, as networks are taught it.

        At home pyworld's is often an octave off, and a range is of its ends.
        """
        return taught_pitch(self.samples, len(self.mel))

    @cached_property
    def power(self) -> Floats:
        """(T,) mean square of each frame's samples."""
        padded = np.pad(self.samples.astype(np.float64), (0, HOP))[: len(self.mel) * HOP]
        padded = np.pad(padded, (0, len(self.mel) * HOP - len(padded)))
        return np.asarray(np.square(padded).reshape(-1, HOP).mean(axis=1))

    @cached_property
    def kinds(self) -> Floats:
        """(T,) each frame's phone class."""
        kinds = np.full(len(self.mel), "pause", dtype=object)
        for phone in self.phones:
            kinds[phone.first : phone.last] = phone.kind
        return kinds

    @cached_property
    def detail(self) -> Floats:
        """(T,) mean absolute second difference across bins."""
        return np.asarray(np.abs(np.diff(self.mel, n=2, axis=1)).mean(axis=1))

    def cut(self, span: Span) -> Floats:
        """Return the samples of a span."""
        return self.samples[span[0] * HOP : span[1] * HOP]


def measure_stretch(
    sound: LabelledSound, span: Span, source: LabelledSound, removed: Span
) -> dict[str, float]:
    """Take the `MEASURES` of a span of a sound, NaN where one is undefined.

    The rest is the ``source`` without the span ``removed``: for new words the recording without
    what they replace, for a natural stretch the recording without the stretch.
    """
    inside = slice(*span)
    speech = sound.kinds != "pause"
    rest = np.ones(len(source.mel), bool)
    rest[slice(*removed)] = False
    voiced = sound.f0[inside][sound.f0[inside] > 0]
    rest_f0 = source.f0[rest & (source.f0 > 0)]
    figures = dict.fromkeys(MEASURES, float("nan"))
    near = np.zeros(len(sound.mel), bool)
    near[max(0, span[0] - NEAR) : span[1] + NEAR] = True
    near[inside] = False
    figures["level"] = _level(sound.power[inside][speech[inside]]) - _level(
        sound.power[near & speech]
    )
    own = sound.cut(span)
    others = np.concatenate(
        [source.samples[: removed[0] * HOP], source.samples[removed[1] * HOP :]]
    )
    figures["similarity"] = metrics.figure_or_nan(
        metrics.speaker_similarity, others, own, SAMPLE_RATE
    )
    if len(voiced) >= VOICED and len(rest_f0) >= VOICED:
        figures["f0_offset"] = 12 * float(np.median(voiced) - np.median(rest_f0))
        figures["f0_range"] = 12 * float(np.ptp(np.percentile(voiced, [10, 90])))
    figures |= _at_equal_phones(sound, span, source, rest)
    figures |= metrics.speech_mos(own, SAMPLE_RATE)
    return figures


def natural_stretches(source: LabelledSound, frames: int, avoid: Span, count: int) -> list[Span]:
    """Return up to ``count`` stretches of so many frames that begin with a word.

    They lie apart from a span and, as far as there is room, from each other: mostly speech, with a
    whole vowel in it, as every new word has, and no word that the aligner doubts: else a stop's
    silence would be natural speech at -30 dB.
    """
    starts = [
        phone.first
        for before, phone in zip([None, *source.phones], source.phones, strict=False)
        if phone.word >= 0 and (before is None or before.word != phone.word)
    ]
    speech = source.kinds != "pause"

    def usable(first: int, last: int) -> bool:
        inside = [p for p in source.phones if p.first < last and p.last > first and p.word >= 0]
        return (
            last <= len(source.mel)
            and (last <= avoid[0] or first >= avoid[1])
            and bool(speech[first:last].mean() >= 0.8)
            and all(phone.sure for phone in inside)
            and any(is_vowel(p.symbol) and first <= p.first and p.last <= last for p in inside)
        )

    spans = [(first, first + frames) for first in starts if usable(first, first + frames)]
    chosen: list[Span] = []
    for span in spans:
        if not chosen or span[0] >= chosen[-1][1]:
            chosen.append(span)
    if len(chosen) > count:
        chosen = [chosen[k] for k in np.linspace(0, len(chosen) - 1, count).round().astype(int)]
    return chosen


def _level(power: Floats) -> float:
    return 10 * float(np.log10(power.mean() + QUIET)) if len(power) else float("nan")


def _at_equal_phones(
    sound: LabelledSound, span: Span, source: LabelledSound, rest: Floats
) -> dict[str, float]:
    differences, details, expected, voices = [], [], [], []
    for kind in set(sound.kinds[slice(*span)]) - {"pause"}:
        here = np.flatnonzero(sound.kinds[slice(*span)] == kind) + span[0]
        there = rest & (source.kinds == kind)
        if there.sum() < ENOUGH:
            continue
        differences.append(sound.mel[here] - source.mel[there].mean(axis=0))
        details.append(sound.detail[here])
        expected.append(np.full(len(here), source.detail[there].mean()))
        voices.append((sound.f0[here] > 0) - (source.f0[there] > 0).mean())
    if not differences:
        return {}
    mean = 20 * np.concatenate(differences).mean(axis=0)  # (80,) dB
    centres = bin_centres()
    low, middle, high = (
        float(mean[(centres >= first) & (centres < last)].mean())
        for first, last in (LOW, MIDDLE, HIGH)
    )
    return {
        "level_at_phones": float(mean.mean()),
        "middle": middle - low,
        "high": high - low,
        "detail": float(np.concatenate(details).mean() / np.concatenate(expected).mean()),
        "voiced": float(np.concatenate(voices).mean()),
    }
