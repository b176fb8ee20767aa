"""Two people told apart by their sound: python -m evaluation.hearing.joined_speakers --seed 1

Reads clips of the corpora that A3T_CORPORA names, and joins those of two voices, each said in one
or several turns of one to three clips, with half a second between the turns. The words are given
and aligned; who says them is told from the sound (`a3t.source.diarisation`), with the number of
speakers known and not. Prints the share of words, and of their seconds, that the wrong one is said
to speak (for the naming that suits best), and how often the number is right. Recordings of one
voice alone are among them.

Voices whose names have an even checksum are for choosing thresholds (--choosing), the others for
reporting.
"""

from __future__ import annotations

import random
import sys
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile
import soxr
from scipy.optimize import linear_sum_assignment

from a3t.audio.reading.recording import Recording
from a3t.editor import Editor
from a3t.source import diarisation as told
from a3t.text.transcript import Transcript
from alignment import AlignmentError
from evaluation.harness.programs import program_parser
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


def main(arguments: Sequence[str] | None = None) -> int:
    parser = program_parser("hearing.joined_speakers", __doc__, count=20, seed=1)
    parser.add_argument("--choosing", action="store_true", help="voices to choose thresholds by")
    parser.add_argument("--apart", type=float, nargs="*", default=[told.APART])
    options = parser.parse_args(arguments)
    editor = Editor.load()
    rows: dict[tuple[object, int], list[tuple[float, float, bool]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        wav = Path(folder) / "talk.wav"
        clips = read_corpora(corpora_root())
        for said in drawn(clips, options.count, options.seed, options.choosing):
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
            for way in ("known", *options.apart):
                if way != "known":
                    told.APART = way
                count = said.voices if way == "known" else None
                found = told.speakers_by_sound(recording, aligned, transcript, count)
                row = (
                    wrong(found, right, np.ones(len(right))),
                    wrong(found, right, seconds),
                    max(found) + 1 == said.voices,
                )
                rows.setdefault((way, said.voices), []).append(row)
    print(
        "| number of speakers | voices | recordings | words wrong | seconds wrong | number right |"
    )
    print("|---|---|---|---|---|---|")
    for (way, voices), own in sorted(rows.items(), key=str):
        words, times, right_number = np.mean(np.array(own, float), axis=0)
        name = way if way == "known" else f"from the sound ({way:g})"
        print(
            f"| {name} | {voices} | {len(own)} | {words:.1%} | {times:.1%} | {right_number:.0%} |"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
