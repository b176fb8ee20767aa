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

import argparse
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

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
from evaluation.harness.programs import add_counts, markdown_table
from evaluation.hearing.planting import (
    Spoken,
    held_out_clips,
    replaced,
    vocabulary,
)
from training.alignment.degradation import RATE, music

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


def counted(clips: list[Spoken]) -> Iterator[tuple[str, int, int]]:
    """For each text: the kind of word, how many there are, and how many are left out."""
    pool = vocabulary(clips)
    for number, spoken in enumerate(clips):
        draw, words = random.Random(number), list(spoken.words)
        change = replaced(words, pool, draw)
        gone = left_out(change.of(words), spoken.samples, spoken.rate)
        yield "misheard", 1, int(change.start in gone)
        yield "right, without any", len(words) - 1, len(set(gone) - {change.start})
        for kind in LEVELS:
            invented = draw.choice(SENTENCES).split()
            sound = background(kind, spoken, draw.uniform(1.5, 4), number)
            behind = draw.random() < 0.5
            order = [spoken.samples, sound] if behind else [sound, spoken.samples]
            text = words + invented if behind else invented + words
            first = len(words) if behind else 0
            gone = left_out(text, np.concatenate(order), spoken.rate)
            bad = [k for k in gone if first <= k < first + len(invented)]
            yield f"invented in {kind}", len(invented), len(bad)
            yield f"right, beside {kind}", len(words), len(gone) - len(bad)


def really_invented(clips: list[Spoken], model: Path) -> Iterator[tuple[str, int, int]]:
    """The same for words that a Whisper model invents before or behind each clip, as it hears them
    there, and for its words for the clip itself."""
    whisper = load_whisper(model)
    for number, spoken in enumerate(clips):
        draw = random.Random(number)
        for kind in LEVELS:
            sound = background(kind, spoken, draw.uniform(3, 12), number)
            behind = draw.random() < 0.5
            order = [spoken.samples, sound] if behind else [sound, spoken.samples]
            samples = np.concatenate(order)
            written = heard_by_whisper(whisper, samples, spoken.rate)
            edits = minimal_script(spoken.words, written.transcript.spoken)
            count = len(written.transcript.spoken)
            beside = [
                edit.new
                for edit in edits
                if edit.op == "insert" and (edit.new[1] == count if behind else edit.new[0] == 0)
            ]
            invented = {word for first, last in beside for word in range(first, last)}
            gone = set(left_out(list(written.transcript.spoken), samples, spoken.rate))
            yield f"invented in {kind}", len(invented), len(gone & invented)
            yield f"heard, beside {kind}", count - len(invented), len(gone - invented)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add_counts(parser, clips=60)
    parser.add_argument("--recogniser", default="network", metavar="NAME", help="a Whisper model")
    parser.add_argument("--chosen", action="store_true", help="measure the clips used for choices")


def run(options: argparse.Namespace) -> None:
    """Print the table."""
    words: Counter[str] = Counter()
    gone: Counter[str] = Counter()
    clips = held_out_clips(options.clips, 6, not options.chosen)
    model = whisper_model(options.recogniser)
    for kind, count, out in really_invented(clips, model) if model else counted(clips):
        words[kind] += count
        gone[kind] += out
    lines = [(k, n, f"{gone[k]} ({gone[k] / max(n, 1):.1%})") for k, n in sorted(words.items())]
    print(markdown_table(["words", "", "left out"], lines))
