"""Two people told apart by their sound.

Clips of two voices are joined, each said in one or several turns of one to three clips, with half a
second between the turns. The words are given and aligned; the sound alone decides who says them
(`a3t.source.diarisation`), with the number of speakers known and not. Measured are the shares of
words, and of their seconds, that the wrong one is said to speak (for the naming that suits best),
and how often the number is right. Recordings of one voice alone are among them.

Voices whose names have an even checksum are for choosing thresholds (--chosen), the others for
reporting.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile
import soxr
from scipy.optimize import linear_sum_assignment

from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.source.diarisation import speakers_by_sound
from a3t.text.transcript import Transcript
from evaluation.harness.declared_tables import Row, Table, count, mean
from evaluation.harness.measurement import CHOSEN, Measurement, Setting
from training.corpora import Clip
from training.programs import counts

RATE = 16_000
LEAST, MOST = 1.5, 8.0  # seconds of a clip
TURNS = 8


@dataclass(frozen=True)
class Said:
    """Clips in turn, each with the number of its voice."""

    clips: tuple[tuple[Clip, int], ...]
    voices: int

    def written(self, path: Path) -> tuple[str, list[int]]:
        """Write the joined sound; return its text, and the voice of each word."""
        parts: list[np.ndarray] = []
        texts, voices = [], []
        for clip, voice in self.clips:
            sound, rate = soundfile.read(str(clip.path), always_2d=True)
            sound = soxr.resample(sound.mean(axis=1), rate, RATE)
            sound *= 0.05 / max(float(np.sqrt(np.mean(sound**2))), 1e-6)
            parts += [sound, np.random.default_rng(0).normal(0, 1e-4, RATE // 2)]
            text = f"{clip.text.strip().rstrip('.,;:')}."
            texts.append(text)
            voices += [voice] * len(Transcript.from_text(text).words)
        soundfile.write(path, np.concatenate(parts), RATE)
        return " ".join(texts), voices


def drawn(setting: Setting) -> Iterator[Said]:
    """Draw a number of recordings of two voices, and a fifth as many of one."""
    count, draw = setting.options.count, random.Random(setting.options.seed)
    of_voice: dict[tuple[str, str], list[Clip]] = {}
    for clip in setting.clips:
        own_half = zlib.crc32(clip.speaker.encode()) % 2 == (0 if setting.options.chosen else 1)
        if own_half and LEAST <= clip.seconds <= MOST and len(clip.text.split()) >= 3:
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
    """Return the share of the weights that the wrong one has, under the best naming."""
    shared = np.zeros((max(found) + 1, max(right) + 1))
    np.add.at(shared, (np.array(found), np.array(right)), weights)
    best = linear_sum_assignment(-shared)
    return float(1 - shared[best].sum() / weights.sum())


def tell_apart(said: Said, setting: Setting) -> Iterator[Row]:
    """Tell a recording's voices apart, with their number known and not."""
    text, right = said.written(wav := setting.folder / "talk.wav")
    recording = Recording.open(wav)
    aligned = setting.editor.align(recording, text)
    transcript = Transcript.from_text(text)
    if len(transcript.words) != len(right):
        raise InputError("Its clips' texts are read otherwise beside each other.")
    seconds = np.array([word.duration for word in aligned.spoken])
    for known in (True, False):
        found = speakers_by_sound(recording, aligned, transcript, said.voices if known else None)
        yield {
            "number": "known" if known else "from the sound",
            "voices": said.voices,
            "words": 100 * wrong(found, right, np.ones(len(right))),
            "seconds": 100 * wrong(found, right, seconds),
            "number right": 100 * (max(found) + 1 == said.voices),
        }


MEASUREMENT = Measurement(
    drawn,
    tell_apart,
    [
        Table(
            (
                count("recordings"),
                mean("words wrong", "words", ".1f"),
                mean("seconds wrong", "seconds", ".1f"),
                mean("number right", "number right", ".0f"),
            ),
            ("number", "voices"),
        )
    ],
    (*counts(count=20, seed=1), CHOSEN),
    unit="recording",
    legend="Per cent, with 95 % intervals.",
)
