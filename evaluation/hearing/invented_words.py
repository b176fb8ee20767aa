"""Words that nobody says, as Whisper invents them, and how many of them are left out.

Clips that no network of the aligner heard (A3T_CORPORA), of the half that figures are reported of,
or with --chosen of the other, on which the thresholds of a3t.source.recognised_transcript were
chosen. Silence, pink noise or music is put before or behind each, with a sentence of the kind that
Whisper is known to invent; and one of the clip's own words is replaced, as if misheard. Counted are
the invented words, the misheard ones and the right ones that are left out.

With a Whisper model as --recogniser nothing is planted: the model hears each clip with the same
sounds before or behind it, and counted are the words that it invents there.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import soxr

from a3t.source.recognised_transcript import (
    RecognisedTranscript,
    heard_by_whisper,
    without_invented,
)
from a3t.text.edit_script import minimal_script
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from alignment import AlignmentError
from alignment.recognition import whisper_model
from alignment.recognition.whisper import load_whisper
from evaluation.harness.declared_tables import Row, Table, rate, total
from evaluation.harness.measurement import CHOSEN, Measurement, Setting
from evaluation.hearing.planting import (
    PlantedChange,
    Spoken,
    held_out_clips,
    replaced,
    vocabulary,
)
from training.alignment.degradation import RATE, music
from training.programs import counts, option

SENTENCES = tuple(
    "thank you for watching|thanks for watching|please subscribe to my channel|bye bye|you|okay|so|"
    "i'll see you in the next video|thank you very much|thank you|the end|we'll be right back|"
    "and that's it for today|subtitles by the community".split("|")
)
LEVELS = {"silence": -45, "noise": -12, "music": 0}  # dB, against the clip


def background(kind: str, spoken: Spoken, seconds: float, seed: int) -> np.ndarray:
    """Sound without speech at the clip's rate, (n,)."""
    draw, count = np.random.default_rng(seed), round(seconds * spoken.rate)
    if kind == "music":
        sound = soxr.resample(music(round(seconds * RATE) + RATE, draw), RATE, spoken.rate)[:count]
    else:
        spectrum = np.fft.rfft(draw.standard_normal(count))
        power = 0.0 if kind == "silence" else 0.5
        sound = np.fft.irfft(spectrum / np.maximum(np.arange(len(spectrum)), 1.0) ** power, count)
    level = np.sqrt(np.mean(spoken.samples**2) / np.mean(sound**2)) * 10 ** (LEVELS[kind] / 20)
    return np.asarray(sound * level, np.float32)


def left_out(words: list[str], samples: np.ndarray, rate: int) -> list[int]:
    """The numbers of the words that are left out."""
    text = Transcript.from_text(" ".join(words), max_words=None)
    try:
        kept = without_invented(RecognisedTranscript(text), samples, rate, Pronouncer())
    except AlignmentError:
        return list(range(len(words)))
    rest = iter(kept.transcript.spoken)
    following = next(rest, None)
    gone = []
    for number, word in enumerate(words):
        if word == following:
            following = next(rest, None)
        else:
            gone.append(number)
    return gone


class MisheardClip(NamedTuple):
    """A clip, one of whose words is misheard."""

    name: str
    number: int
    spoken: Spoken
    misheard: PlantedChange
    draw: random.Random


def misheard_clips(setting: Setting) -> Iterator[MisheardClip]:
    clips = held_out_clips(setting.options.clips, 6, not setting.options.chosen)
    pool = vocabulary(clips)
    for number, spoken in enumerate(clips):
        draw = random.Random(number)
        change = PlantedChange(0, 0, ())
        if whisper_model(setting.options.recogniser) is None:
            change = replaced(spoken.words, pool, draw)
        yield MisheardClip(spoken.clip.name, number, spoken, change, draw)


def leave_out(item: MisheardClip, setting: Setting) -> Iterator[Row]:
    """For each kind of word how many there are, and how many are left out."""
    spoken, words = item.spoken, list(item.spoken.words)
    model = whisper_model(setting.options.recogniser)
    if model is None:
        gone = left_out(item.misheard.of(words), spoken.samples, spoken.rate)
        place = item.misheard.start
        yield _row("misheard", {place}, gone)
        yield _row("right, without any", set(range(len(words))) - {place}, gone)
    for kind in LEVELS:
        sentence = item.draw.choice(SENTENCES).split() if model is None else []
        longest = (1.5, 4) if model is None else (3, 12)
        sound = background(kind, spoken, item.draw.uniform(*longest), item.number)
        behind = item.draw.random() < 0.5
        samples = np.concatenate([spoken.samples, sound] if behind else [sound, spoken.samples])
        if model is None:
            text = words + sentence if behind else sentence + words
            first = len(words) if behind else 0
            invented = set(range(first, first + len(sentence)))
        else:
            written = heard_by_whisper(load_whisper(model), samples, spoken.rate)
            text = list(written.transcript.spoken)
            invented = set(_beside(words, text, behind))
        gone = left_out(text, samples, spoken.rate)
        yield _row(f"invented in {kind}", invented, gone)
        yield _row(f"right, beside {kind}", set(range(len(text))) - invented, gone)


def _beside(words: list[str], text: list[str], behind: bool) -> Iterator[int]:
    """The words of a text before the first of a clip's words, or ``behind`` the last."""
    for edit in minimal_script(words, text):
        if edit.op == "insert" and (edit.new[1] == len(text) if behind else edit.new[0] == 0):
            yield from range(*edit.new)


def _row(kind: str, words: set[int], gone: list[int]) -> Row:
    return {"kind": kind, "words": len(words), "gone": len(words & set(gone))}


MEASUREMENT = Measurement(
    misheard_clips,
    leave_out,
    [Table((total("words", "words"), rate("left out", "gone", "words")), ("kind",))],
    (
        *counts(clips=60),
        option("--recogniser", default="network", metavar="NAME", help="a Whisper model"),
        CHOSEN,
    ),
    legend="Left out: per cent of the words.",
)
