"""Two people told apart by their sound.

Clips of two voices are joined, each said in one or several turns of one to three clips, with half a
second between the turns. The words are given and aligned; the sound alone decides who says them
(`a3t.source.diarisation`), with the number of speakers known and not. Prints the share of words,
and of their seconds, that the wrong one is said to speak (for the naming that suits best), and how
often the number is right. Recordings of one voice alone are among them.

Voices whose names have an even checksum are for choosing thresholds (--choosing), the others for
reporting.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import soundfile
import soxr
from scipy.optimize import linear_sum_assignment

from a3t.audio.reading.recording import Recording
from a3t.editor import Editor
from a3t.source.diarisation import speakers_by_sound
from a3t.text.transcript import Transcript
from alignment import AlignmentError
from evaluation.harness.programs import add_counts, markdown_table
from training.corpora import Clip, corpora_root, read_corpora

RATE = 16_000
LEAST, MOST = 1.5, 8.0  # seconds of a clip
TURNS = 8


@dataclass(frozen=True)
class Said:
    """Clips in turn, each with the number of its voice."""

    clips: tuple[tuple[Clip, int], ...]
    voices: int

    def written(self, path: Path) -> tuple[str, list[int]]:
        """Writes the joined sound; its text, and the voice of each word."""
        parts: list[np.ndarray] = []
        texts, voices = [], []
        for clip, voice in self.clips:
            sound, rate = soundfile.read(str(clip.path), always_2d=True)
            sound = soxr.resample(sound.mean(axis=1), rate, RATE)
            sound *= 0.05 / max(float(np.sqrt(np.mean(sound**2))), 1e-6)
            parts += [sound, np.random.default_rng(0).normal(0, 1e-4, RATE // 2)]
            text = f"{clip.text.strip().rstrip('.,;:')}."
            texts.append(text)
            voices += [voice] * len(Transcript.from_text(text, max_words=None).words)
        soundfile.write(path, np.concatenate(parts), RATE)
        return " ".join(texts), voices


def drawn(clips: Sequence[Clip], count: int, seed: int, choosing: bool) -> Iterator[Said]:
    """``count`` recordings of two voices, and a fifth as many of one."""
    draw = random.Random(seed)
    of_voice: dict[tuple[str, str], list[Clip]] = {}
    for clip in clips:
        chosen = zlib.crc32(clip.speaker.encode()) % 2 == (0 if choosing else 1)
        if chosen and LEAST <= clip.seconds <= MOST and len(clip.text.split()) >= 3:
            of_voice.setdefault((clip.corpus, clip.speaker), []).append(clip)
    voices = sorted(voice for voice, own in of_voice.items() if len(own) >= 4)
    for number in range(count + count // 5):
        pair = draw.sample(voices, 1 if number >= count else 2)
        turns: list[tuple[Clip, int]] = []
        for turn in range(TURNS):
            voice = turn % len(pair)
            own = of_voice[pair[voice]]
            turns += [(clip, voice) for clip in draw.sample(own, min(draw.randint(1, 2), len(own)))]
        yield Said(tuple(turns), len(pair))


def wrong(found: Sequence[int], right: Sequence[int], weights: np.ndarray) -> float:
    """The share of the weights that the wrong one has, under the best naming."""
    shared = np.zeros((max(found) + 1, max(right) + 1))
    np.add.at(shared, (np.array(found), np.array(right)), weights)
    best = linear_sum_assignment(-shared)
    return float(1 - shared[best].sum() / weights.sum())


class ToldApart(NamedTuple):
    """A recording: whether the number of its voices was given, their number, the shares of words
    and of seconds that are wrong, and whether the number is right."""

    known: bool
    voices: int
    words: float
    seconds: float
    number: bool


def tell_apart(editor: Editor, count: int, seed: int, choosing: bool) -> Iterator[ToldApart]:
    """Each recording, with the number known and not; those that can't be aligned are left out."""
    clips = read_corpora(corpora_root())
    with tempfile.TemporaryDirectory() as folder:
        wav = Path(folder) / "talk.wav"
        for said in drawn(clips, count, seed, choosing):
            text, right = said.written(wav)
            recording = Recording.open(wav)
            try:
                aligned = editor.align(recording, text)
            except AlignmentError:
                continue
            transcript = Transcript.from_text(text, max_words=None)
            if len(transcript.words) != len(right):  # read otherwise beside each other
                continue
            seconds = np.array([word.duration for word in aligned.spoken])
            for known in (True, False):
                number = said.voices if known else None
                found = speakers_by_sound(recording, aligned, transcript, number)
                shares = (wrong(found, right, np.ones(len(right))), wrong(found, right, seconds))
                yield ToldApart(known, said.voices, *shares, max(found) + 1 == said.voices)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add_counts(parser, count=20, seed=1)
    parser.add_argument(
        "--choosing", action="store_true", help="measure the voices used for thresholds"
    )


def run(options: argparse.Namespace) -> None:
    """Print the table."""
    rows = list(tell_apart(Editor.load(), options.count, options.seed, options.choosing))
    lines = []
    for known, voices in sorted({row[:2] for row in rows}, reverse=True):
        own = [row for row in rows if row[:2] == (known, voices)]
        words, times, number = np.mean([row[2:] for row in own], axis=0)
        shares = (f"{words:.1%}", f"{times:.1%}", f"{number:.0%}")
        lines.append(("known" if known else "from the sound", voices, len(own), *shares))
    head = "number of speakers,voices,recordings,words wrong,seconds wrong,number right"
    print(markdown_table(head.split(","), lines))
