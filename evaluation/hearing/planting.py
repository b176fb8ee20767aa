"""Texts that almost match a clip: errors and edits planted at random, by a seed."""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import soundfile

from a3t.text.transcript import Transcript
from training.corpora import Clip, corpora_root, read_corpora

SHORTEST, LONGEST = 2.0, 10.0  # seconds: a sentence or two
FEWEST = 6  # words

HELD_OUT = Path(__file__).with_name("aligner_held_out.txt")  # names of sound files


@dataclass(frozen=True, slots=True)
class Spoken:
    """A clip with its spoken words; ``samples``: mono float32, (n,), at ``rate`` Hz."""

    clip: Clip
    words: tuple[str, ...]
    samples: np.ndarray
    rate: int


@dataclass(frozen=True, slots=True)
class PlantedChange:
    """Replaces the words [start, stop) of a text with ``new``."""

    start: int
    stop: int
    new: tuple[str, ...]

    def of(self, words: Sequence[str]) -> list[str]:
        """Return the words with the change made."""
        return [*words[: self.start], *self.new, *words[self.stop :]]


def chosen(clips: Sequence[Clip], count: int, seed: int) -> list[Clip]:
    """``count`` random clips, from all corpora in turn and, within one, from all its voices.

    A larger count begins with the same clips.
    """
    draw = random.Random(seed)
    voices: dict[str, dict[str, list[Clip]]] = {}
    for clip in clips:
        if SHORTEST <= clip.seconds <= LONGEST and len(clip.text.split()) >= FEWEST:
            voices.setdefault(clip.corpus, {}).setdefault(clip.speaker, []).append(clip)
    result: list[Clip] = []
    while len(result) < count and voices:
        for corpus in sorted(voices)[: count - len(result)]:
            speakers = voices[corpus]
            speaker = draw.choice(sorted(speakers))
            clips_left = speakers[speaker]
            result.append(clips_left.pop(draw.randrange(len(clips_left))))
            if not clips_left:
                del speakers[speaker]
            if not speakers:
                del voices[corpus]
    return result


def aligner_held_out(reported: bool | None = None) -> list[Clip]:
    """Return the clips of A3T_CORPORA that no network of the aligner heard in training.

    No weight was fitted to them either. All, or those of one half (`is_reported`).
    """
    names = set(HELD_OUT.read_text(encoding="utf-8").split())
    clips = [clip for clip in all_clips() if clip.path.stem in names]
    return [clip for clip in clips if reported is None or is_reported(clip) == reported]


@cache
def all_clips() -> list[Clip]:
    """Return the clips of A3T_CORPORA."""
    return read_corpora(corpora_root())


def recorded_at_home(folder: Path, reported: bool) -> list[Clip]:
    """Return the clips of another release of Common Voice in a folder, of one half (`is_reported`).

    They are by voices that A3T_CORPORA lacks; no network of ours heard them.
    """
    known = {clip.voice for clip in all_clips()}
    strange = [clip for clip in read_corpora(folder) if clip.voice not in known]
    return [clip for clip in strange if is_reported(clip) == reported]


# Of three readers whom no network heard, one is for choosing; Common Voice's voices are halved.
CHOOSING, REPORTING = ("2416",), ("3664", "3947")


def is_reported(clip: Clip) -> bool:
    """Return whether a held-out clip is of the half that figures are reported of.

    The other half is for choosing thresholds and the like. No unseen voice is in both.
    """
    if clip.speaker in CHOOSING + REPORTING:
        return clip.speaker in REPORTING
    name = clip.speaker if clip.corpus == "commonvoice" else clip.path.stem
    return zlib.crc32(name.encode()) % 2 == 1


def heard(clip: Clip) -> Spoken:
    """Decode a clip, and turn its text into spoken words."""
    samples, rate = soundfile.read(str(clip.path), dtype="float32", always_2d=True)
    words = Transcript.from_text(clip.text.lower()).spoken
    return Spoken(clip, words, samples.mean(axis=1), rate)


def held_out_clips(count: int, seed: int, reported: bool | None = None) -> list[Spoken]:
    """Decode a number of the clips of `aligner_held_out`, drawn by `chosen`."""
    return [heard(clip) for clip in chosen(aligner_held_out(reported), count, seed)]


def vocabulary(clips: Sequence[Spoken]) -> list[str]:
    """Return all words of all clips, with repetitions, from which planted words are drawn."""
    return [word for spoken in clips for word in spoken.words]


def others(
    pool: Sequence[str], words: Sequence[str], draw: random.Random, count: int
) -> tuple[str, ...]:
    """``count`` words of the pool that are not among ``words``."""
    return tuple(draw.choices([word for word in pool if word not in words], k=count))


Planter = Callable[[Sequence[str], Sequence[str], random.Random, int], PlantedChange]


def replaced(
    words: Sequence[str], pool: Sequence[str], draw: random.Random, count: int = 1
) -> PlantedChange:
    """Replace ``count`` words with as many others."""
    start = draw.randint(0, len(words) - count)
    return PlantedChange(start, start + count, others(pool, words, draw, count))


def inserted(
    words: Sequence[str], pool: Sequence[str], draw: random.Random, count: int = 1
) -> PlantedChange:
    """Insert ``count`` words between two of the text's."""
    start = draw.randint(1, len(words) - 1)
    return PlantedChange(start, start, others(pool, words, draw, count))


def deleted(
    words: Sequence[str], pool: Sequence[str], draw: random.Random, count: int = 1
) -> PlantedChange:
    """Delete ``count`` words."""
    start = draw.randint(0, len(words) - count)
    return PlantedChange(start, start + count, ())


PLANTERS: tuple[Planter, ...] = (replaced, inserted, deleted)


def edit_of(words: Sequence[str], pool: Sequence[str], number: int, seed: int) -> PlantedChange:
    """Draw one edit of one to three words, whose kind depends on ``number``."""
    draw = random.Random(f"{seed}-{number}")
    # Corpora take turns in groups of four, so change kinds more slowly: then each meets each.
    return PLANTERS[number // 4 % 3](words, pool, draw, draw.randint(1, 3))
