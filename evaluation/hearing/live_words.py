"""Words shown while they are said: how many are wrong, how late they come, how often they change.

Reads the corpora that A3T_CORPORA names: voices of which nothing was trained or chosen
(`planting.is_reported`; --chosen takes the other half). A stream is up to three clips of one voice,
one after the other, heard in blocks of 40 ms. A word's lag is from its end, by the aligner, to when
it stands where it stays (shown) and to when it can't change any more (final); words that are wrong
have none. Changes: words shown that are gone or others after the next block, of 100 final ones. The
computing time is not part of the lag; it is reported separately.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

import numpy as np
from rapidfuzz.distance import Levenshtein

from alignment import AlignmentError
from alignment.recognition.live import LiveRecogniser, LiveWords, Pace
from alignment.recognition.network_recogniser import (
    RecognisedWord,
    general_model,
    heard_freely,
    mean_scores,
    words_of,
)
from alignment.waveform import MODEL_RATE, model_waveform
from evaluation.harness.declared_tables import ALL, Column, Figures, Row, Rows, Table, rate, total
from evaluation.harness.measurement import CHOSEN, Measurement, Setting, repeated
from evaluation.hearing.planting import LONGEST, SHORTEST, aligner_held_out, heard
from training.corpora import Clip
from training.programs import counts, option

JOINED = 3  # clips in a stream
BLOCK = 0.04  # seconds that come at once


@dataclass(frozen=True)
class SpokenStream:
    """One voice's speech: `samples` (n,) at 16 kHz, the `words`, and the end of each, seconds."""

    corpus: str
    samples: np.ndarray
    words: tuple[str, ...]
    ends: tuple[float, ...]


def streams(setting: Setting) -> list[SpokenStream]:
    """Draw a number of streams, of all corpora in turn and, within one, of all its voices."""
    count, draw = setting.options.streams, random.Random(setting.options.seed)
    clips = aligner_held_out(not setting.options.chosen)
    left: dict[str, dict[str, list[Clip]]] = {}
    for clip in clips:
        if SHORTEST <= clip.seconds <= LONGEST:
            left.setdefault(clip.corpus, {}).setdefault(clip.speaker, []).append(clip)
    taken: list[list[Clip]] = []
    for voices in left.values():
        for each in voices.values():
            draw.shuffle(each)
    while left and len(taken) < count:
        for corpus in sorted(left)[: count - len(taken)]:
            voice = draw.choice(sorted(left[corpus]))
            own = left[corpus][voice]
            taken.append(own[:JOINED])
            del own[:JOINED]
            if not own:
                del left[corpus][voice]
            if not left[corpus]:
                del left[corpus]
    return [stream for each in taken if (stream := joined(each, setting))]


def joined(clips: Sequence[Clip], setting: Setting) -> SpokenStream | None:
    """Join the clips; None if the aligner doubts what one of them says."""
    import soxr

    parts: list[np.ndarray] = []
    words: list[str] = []
    ends: list[float] = []
    at = 0.0
    for clip in clips:
        spoken = heard(clip)
        try:
            aligned = setting.align(spoken.samples, spoken.rate, spoken.words)
        except AlignmentError:
            return None
        parts.append(soxr.resample(spoken.samples, spoken.rate, MODEL_RATE))
        words += [word.lower() for word in spoken.words]
        ends += [at + word.end for word in aligned.spoken]
        at += len(parts[-1]) / MODEL_RATE
    return SpokenStream(clips[0].corpus, np.concatenate(parts), tuple(words), tuple(ends))


class Shown(NamedTuple):
    """After so many seconds of sound: the words shown, the first `final` of which are final."""

    seconds: float
    words: tuple[str, ...]
    final: int


System = Callable[[SpokenStream], Iterator[tuple[float, LiveWords]]]


def live(pace: Pace) -> System:
    """Return the live recogniser as a system."""

    def system(stream: SpokenStream) -> Iterator[tuple[float, LiveWords]]:
        recogniser = LiveRecogniser(MODEL_RATE, pace)
        for seconds, block in blocks(stream.samples):
            yield seconds, recogniser.hear(block)
        yield seconds, recogniser.end()

    return system


def offline(stream: SpokenStream) -> Iterator[tuple[float, LiveWords]]:
    """Recognise by the recogniser that hears the whole."""
    words = recognised(stream.samples)
    yield len(stream.samples) / MODEL_RATE, LiveWords(words)


def recognised(samples: np.ndarray) -> tuple[RecognisedWord, ...]:
    """Return the words that are heard freely; none where there are none."""
    try:
        found = heard_freely(mean_scores(model_waveform(samples, MODEL_RATE)))
        return tuple(words_of(found, general_model()[0].words))
    except AlignmentError:
        return ()


def blocks(samples: np.ndarray) -> Iterator[tuple[float, np.ndarray]]:
    """Yield each block, with the seconds heard up to its end."""
    size = round(BLOCK * MODEL_RATE)
    for first in range(0, len(samples), size):
        block = samples[first : first + size]
        yield (first + len(block)) / MODEL_RATE, block


def listened(system: System, stream: SpokenStream) -> Row:
    """Return a system's counts for a stream: words, wrong ones, shown words that changed.

    With them lags, seconds, of each right word; and the text that was heard.
    """
    started = time.process_time()
    history: list[Shown] = []
    final: list[str] = []
    for seconds, words in system(stream):
        final += [word.text for word in words.final]
        all_shown = (*final, *(word.text for word in words.provisional))
        if not history or (all_shown, len(final)) != history[-1][1:]:
            history.append(Shown(seconds, all_shown, len(final)))
    spent = time.process_time() - started
    right = list(matches(stream.words, final))
    shown_at, final_at = lags(history, len(final))
    return {
        "corpus": stream.corpus,
        "words": len(stream.words),
        "wrong": Levenshtein.distance(stream.words, final),
        "changed": sum(lost(a.words, b.words) for a, b in zip(history, history[1:], strict=False)),
        "shown": [round(shown_at[b] - stream.ends[a], 2) for a, b in right],
        "final": [round(final_at[b] - stream.ends[a], 2) for a, b in right],
        "seconds": len(stream.samples) / MODEL_RATE,
        "processor": spent,
        "found": " ".join(final),
    }


def lost(before: Sequence[str], after: Sequence[str]) -> int:
    """Count the words shown before that are not there any more.

    Words that come last in the shorter are only fewer if they are gone.
    """
    same = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    return len(before) - sum(each.size for each in same)


def lags(history: Sequence[Shown], count: int) -> tuple[list[float], list[float]]:
    """Return the times from which each final word stood where it stays, and was final.

    It stands once all before it does too.
    """
    words = history[-1].words if history else ()
    shown, final = [0.0] * count, [0.0] * count
    for now in history:
        same = next(
            (k for k, (a, b) in enumerate(zip(now.words, words, strict=False)) if a != b),
            min(len(now.words), len(words)),
        )
        for k in range(count):
            if k >= same:
                shown[k] = 0.0
            elif not shown[k]:
                shown[k] = now.seconds
            if k < now.final and not final[k]:
                final[k] = now.seconds
    return shown, final


def matches(said: Sequence[str], found: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Return the places of words that are right, in both."""
    for a, b, size in SequenceMatcher(None, said, found, autojunk=False).get_matching_blocks():
        yield from ((a + k, b + k) for k in range(size))


OFFLINE, LIVE = "offline", "live"


def systems_on_streams(setting: Setting) -> Iterator[tuple[str, System, SpokenStream]]:
    """Pair every stream with every system."""
    names = setting.options.system or (OFFLINE, LIVE)
    systems: dict[str, System] = {OFFLINE: offline} if OFFLINE in names else {}
    usual = Pace().settled
    for settled in setting.options.settled or [usual]:
        lag = "" if settled == usual else f", {settled} s"
        if LIVE in names:
            systems[f"{LIVE}{lag}"] = live(Pace(settled=settled))
    heard_by_all = streams(setting)
    for name, system in systems.items():
        yield from ((name, system, stream) for stream in heard_by_all)


def listen(item: tuple[str, System, SpokenStream], setting: Setting) -> Iterator[Row]:
    """Have a system listen to a stream, and measure what it shows."""
    name, system, stream = item
    yield {"system": name, **listened(system, stream)}


def _lag(head: str, name: str, share: float | None = None) -> Column:
    """Measure the lags' mean, or the one that a share of them doesn't exceed."""

    def figure(rows: Rows) -> float:
        every = [lag for row in rows for lag in row[name]]
        return float(np.mean(every) if share is None else np.quantile(every, share))

    return Column(head, figure, ".2f")


TABLE = Table(
    (
        total("words", "words"),
        rate("wrong", "wrong", "words"),
        _lag("shown", "shown"),
        _lag("shown of 90", "shown", 0.9),
        _lag("final", "final"),
        _lag("final of 90", "final", 0.9),
        rate("changes", "changed", "words", ".0f"),
        rate("times real time", "processor", "seconds", ".2f", per=1),
    ),
    ("system",),
    "corpus",
)


def figures(rows: Rows) -> Figures:
    """Report the table's, and how many more words are wrong than for who hears the whole."""
    found = TABLE.figures(rows)
    wrong = [found.get(f"{name}.{ALL}.wrong") for name in (LIVE, OFFLINE)]
    if isinstance(wrong[0], float) and isinstance(wrong[1], float):
        found["behind"] = wrong[0] - wrong[1]
    return found


MEASUREMENT = Measurement(
    systems_on_streams,
    listen,
    [TABLE],
    (
        *counts(streams=40, seed=3),
        repeated("--system", (OFFLINE, LIVE), choices=(OFFLINE, LIVE)),
        option(
            "--settled", type=float, action="append", help="seconds after which a word is final"
        ),
        CHOSEN,
    ),
    unit="stream",
    figured=figures,
    legend="Wrong words, per cent. Lags in seconds: mean, and what 90 % of the words don't exceed.",
)
