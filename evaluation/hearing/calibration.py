"""The share of boundaries within the spreads that the aligner states; two in three should be.

boundaries: flite's voices, clean, in noise at 10 dB and in a room. What
alignment.network.boundaries says was fitted to the first two voices; the table is of
the others (--voice chooses). The boundary network was trained on other sentences by all four.

pauses: boundaries beside pauses in held-out clips, clean and as before, against where the sound of
the clean clip begins or ends, by its level alone; with --chosen of the half that the spreads were
fitted to. Nobody has labelled these: the truth is the first or last time at which the level is for
16 ms within START or END dB of the word's own loudest. Both levels were taken for which the
aligner's mean errors have the direction and size that hand labels of other recordings gave (words
begin 17 to 23 ms early, end 8 to 12 ms late), so what is measured is the scatter, not the bias.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.signal import butter, sosfiltfilt

from alignment import Alignment, Word
from alignment.network.boundaries import spreads
from alignment.network.phone_network import features, posteriors
from alignment.waveform import model_waveform
from evaluation.harness.declared_tables import Column, Row, Rows, Table, count, mean, share
from evaluation.harness.measurement import CHOSEN, Measurement, Setting, repeated
from evaluation.hearing.boundary_errors import spoken
from evaluation.hearing.planting import Spoken, held_out_clips
from training.alignment.distortions import CONDITIONS as DISTORTIONS
from training.alignment.flite import VOICES, SyntheticUtterance
from training.alignment.train_boundaries import true_times
from training.programs import counts, option

STEP, WINDOW, HOLD = 0.002, 0.01, 0.016  # seconds
LOWEST = 70.0  # Hz
START, END = 30.0, 27.5  # dB below the word's peak
CLEAR = 35.0  # dB from the pause's floor to that peak, at least
SHORTEST = 0.1  # seconds of a pause
NEAR = 0.25  # seconds of a pause beside the word, and of the word, in which the edge is looked for


class SoundEdge(NamedTuple):
    """The beginning (`is_start`) or the end of the sound of a spoken word, seconds."""

    word: int
    is_start: bool
    time: float


def levels(samples: np.ndarray, rate: int) -> np.ndarray:
    """The level in dB every STEP seconds, (n,)."""
    filtered = sosfiltfilt(butter(4, LOWEST, "highpass", fs=rate, output="sos"), samples)
    window = np.hanning(round(WINDOW * rate))
    power = np.convolve(np.square(filtered), window / window.sum(), mode="same")
    places = np.arange(0, len(samples) - 1, rate * STEP).round().astype(int)
    return 10 * np.log10(power[places] + 1e-12)


def sound_edges(samples: np.ndarray, rate: int, aligned: Alignment) -> Iterator[SoundEdge]:
    """The edges beside pauses that are long, quiet and hold nothing unwritten."""
    level = levels(samples.astype(float), rate)
    number = -1
    for place, word in enumerate(aligned.words):
        if word.is_pause:
            continue
        number += 1
        peak = float(np.percentile(_cut(level, word.start, word.end), 95))
        for is_start in (True, False):
            beside = place - 1 if is_start else place + 1
            if not 0 <= beside < len(aligned.words):
                continue
            pause = aligned.words[beside]
            time = _edge(level, word, pause, peak, is_start)
            if time is not None:
                yield SoundEdge(number, is_start, time)


def _edge(level: np.ndarray, word: Word, pause: Word, peak: float, is_start: bool) -> float | None:
    if not pause.is_pause or pause.unwritten or pause.duration < SHORTEST:
        return None
    quarter = pause.duration / 4
    floor = float(np.median(_cut(level, pause.start + quarter, pause.end - quarter)))
    if peak - floor < CLEAR:
        return None
    inside = min(0.3, 0.8 * word.duration)
    reach = min(NEAR, pause.duration / 2)
    if is_start:
        begin = pause.end - reach
        stretch = _cut(level, begin, word.start + inside)
    else:
        begin = pause.start + reach
        stretch = _cut(level, word.end - inside, begin)[::-1]
    loud = stretch > peak - (START if is_start else END)
    count = round(HOLD / STEP)
    held = np.convolve(loud.astype(int), np.ones(count, int), mode="valid") == count
    if not held.any():
        return None
    passed = int(held.argmax()) * STEP
    return begin + passed if is_start else begin - passed


def _cut(level: np.ndarray, start: float, end: float) -> np.ndarray:
    first = round(start / STEP)
    return level[first : max(round(end / STEP), first + 5)]


CONDITIONS = ("clean", "noise 10 dB", "room")
REPORTED = VOICES[2:]  # the others were fitted to
PAUSES, BOUNDARIES = "pauses", "boundaries"


def recordings(setting: Setting) -> list[Any]:
    options = setting.options
    if options.what == PAUSES:
        return list(held_out_clips(options.clips, 6, not options.chosen))
    return list(spoken(options.voice or REPORTED, options.sentences))


def calibrate(item: Spoken | SyntheticUtterance, setting: Setting) -> Iterator[Row]:
    """Each boundary's spread, and how far from the truth it is, ms."""
    found = beside_pauses(item, setting) if isinstance(item, Spoken) else boundaries(item, setting)
    for group, stated, error in found:
        yield {
            "group": group,
            "spread": 1000 * stated,
            "error": 1000 * error,
            "within": error <= stated,
        }


def boundaries(
    utterance: SyntheticUtterance, setting: Setting
) -> Iterator[tuple[str, float, float]]:
    """All phone boundaries, each with its spread and error."""
    for name in CONDITIONS:
        samples, rate = DISTORTIONS[name](utterance.samples, utterance.rate)
        found = setting.aligner.align(
            samples, rate, utterance.words, utterance.pronunciations, check=False
        )
        scores = posteriors(features(model_waveform(samples, rate)))
        symbols = [phone.symbol for phone in found.phones]
        times = np.array([phone.end for phone in found.phones[:-1]])
        errors = np.abs(true_times(utterance, symbols) - times)
        for stated, error in zip(spreads(found, scores), errors, strict=True):
            yield "phones", float(stated), float(error)


def beside_pauses(said: Spoken, setting: Setting) -> Iterator[tuple[str, float, float]]:
    """The starts and ends of words beside pauses, each with its spread and error."""
    clean = setting.align(said.samples, said.rate, said.words)
    edges = list(sound_edges(said.samples, said.rate, clean))
    for condition in CONDITIONS:
        samples, rate = DISTORTIONS[condition](said.samples, said.rate)
        found = setting.align(samples, rate, said.words, check=False)
        stated = {phone.end: phone.spread for phone in found.phones[:-1]}
        for word, is_start, time in edges:
            at = found.spoken[word].start if is_start else found.spoken[word].end
            if at in stated:
                yield "starts" if is_start else "ends", stated[at], abs(at - time)


def _two_of_three(rows: Rows) -> float:
    return float(np.quantile([row["error"] for row in rows], 2 / 3))


COLUMNS = (
    count("boundaries"),
    mean("spread, ms", "spread", ".1f"),
    share("within", "within", ".0f"),
    Column("two of three are within", _two_of_three, ".1f"),
)
MEASUREMENT = Measurement(
    recordings,
    calibrate,
    [Table(COLUMNS, ("group",)), Table(COLUMNS)],
    (
        option("what", choices=(BOUNDARIES, PAUSES), nargs="?", default=BOUNDARIES),
        *counts(clips=60, sentences=12),
        CHOSEN,
        repeated("--voice", REPORTED, choices=VOICES),
    ),
    unit="recording",
    legend="Within: per cent, with 95 % intervals; spreads and errors in ms.",
)
