"""Held-out clips, aligned and ready to be reconstructed: frames T, phones P."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import TypeVar

import numpy as np

from a3t.errors import InputError
from a3t.grid import HOP
from evaluation.systems.interface import Gap, Ints, Mel, Sound
from training.corpora import Clip
from training.corpora.decoding import decode_floats
from training.corpora.kaldi import read_directory
from training.corpora.shared_split import listed_split, seconds_of_sound
from training.features.clip_features import align, features
from training.features.corpus_batches import LEAST_SCORE
from training.features.split_list import HELD_OUT, SPLIT_FILE, SplitList, read_split

T = TypeVar("T")

SECONDS = (2.0, 12.0)
FEATURES = ("mel", "phones", "durations", "words")  # of a clip, by the names of its features
LOW_RATE = 16_000  # at which what has nothing above 8 kHz is compared


@dataclass(frozen=True)
class HeldOutClip:
    """A clip to reconstruct: T frames, P phones, whose frames are contiguous from frame 0."""

    name: str
    voice: str
    seen: bool  # whether the speaker is in the training data (the prompt never is)
    rate: int  # at which it was recorded: 24 kHz (or more) or 16 kHz
    samples: Sound  # (n,) at 24 kHz, whatever the recording's rate
    mel: Mel  # (T, 80) log10
    phones: Ints  # (P,) ids
    durations: Ints  # (P,) frames, in total at most T
    words: Ints  # (P,) each phone's word, -1 for a pause

    @property
    def region(self) -> tuple[int, int]:
        """The middle third of the phones, [first, last)."""
        third = len(self.phones) // 3
        return third, len(self.phones) - third

    def frames(self, phones: tuple[int, int]) -> tuple[int, int]:
        """Return the frames [first, last) of the phones [first, last)."""
        ends = np.concatenate([[0], np.cumsum(self.durations)])
        return int(ends[phones[0]]), int(ends[phones[1]])


Vocoder = Callable[[Mel], Sound]  # (T, 80) -> (300 T,)
Predictor = Callable[[HeldOutClip, tuple[int, int]], Ints]  # frames of the phones [first, last)


def open_gap(
    item: HeldOutClip,
    phones: tuple[int, int],
    durations: Ints,
    new: tuple[Ints, Ints] | None = None,
) -> Gap:
    """Replace the phones' frames in the clip with a gap of the new durations.

    ``new``: all phones and their words after an edit, if it has others than the clip.
    """
    ids, words = new or (item.phones, item.words)
    count = phones[1] - phones[0] + len(ids) - len(item.phones)
    if len(durations) != count or (durations < 0).any() or not durations.any():
        raise InputError(f"{item.name}: the durations do not match the masked phones.")
    first, last = item.frames(phones)
    length = int(durations.sum())
    hole = np.zeros((length, item.mel.shape[1]), dtype=np.float32)
    mel = np.concatenate([item.mel[:first], hole, item.mel[last:]])
    timing = np.concatenate([item.durations[: phones[0]], durations, item.durations[phones[1] :]])
    rest = np.delete(item.samples, slice(first * HOP, last * HOP))
    return Gap(mel, ids, timing, (first, first + length), words, rest, item.name)


def recipe_clips(data: Path) -> tuple[list[Clip], SplitList]:
    """Return the test clips of a recipe's data directories, and its list of all clips.

    Raises InputError if the folder has no list or no test clip.
    """
    split = read_split(data)
    if split is None:
        raise InputError(f"{data} has no {SPLIT_FILE}: prepare the corpus again (stage 2).")
    clips = []
    for folder in (data / name for name in sorted(HELD_OUT) if (data / name).is_dir()):
        for utterance in read_directory(folder):
            listed = split.by_name.get(utterance.name)
            if listed and listed.split in HELD_OUT and utterance.sound and utterance.text:
                corpus, _, speaker = listed.voice.partition("-")
                seconds = seconds_of_sound(utterance.sound)
                where = (utterance.sound, utterance.text, seconds)
                clips.append(Clip(corpus, speaker, *where, utterance.name))
    if not clips:
        raise InputError(f"{data} has no test clip with sound and text.")
    return clips, split


def held_out(
    clips: Iterable[Clip], seen: bool, split: Callable[[Clip], str] = listed_split
) -> list[Clip]:
    """Return the test clips of 2 to 12 s by voices in the training data, or those by others.

    ``split`` tells a clip's split, by default that of the shipped models. The clips' fixed order
    takes from each corpus in turn, and within a corpus from each voice in turn: the first n are as
    varied as possible, and a larger n includes a smaller one.
    """
    corpora: dict[str, dict[str, list[Clip]]] = {}
    kind = "test" if seen else "test_unseen"
    for clip in by_hash(clips):
        if split(clip) == kind and SECONDS[0] <= clip.seconds <= SECONDS[1]:
            corpora.setdefault(clip.corpus, {}).setdefault(clip.voice, []).append(clip)
    return in_turn([in_turn(voices.values()) for voices in corpora.values()])


def in_turn(lists: Iterable[Sequence[T]]) -> list[T]:
    """List the first of each list, then the second of each, and so on."""
    return [each for turn in zip_longest(*lists) for each in turn if each is not None]


def by_hash(clips: Iterable[Clip]) -> list[Clip]:
    """Order clips by the hashes of their names: it looks random, and is always the same."""
    return sorted(clips, key=lambda clip: hashlib.sha256(clip.name.encode()).hexdigest())


def align_clip(clip: Clip, seen: bool) -> HeldOutClip | None:
    """Decode and align a clip; None if its text and sound match too badly for training.

    ``seen``: whether its speaker is in the training data.
    """
    wave, rate = decode_floats(clip.path)
    try:
        extracted = features(wave, align(clip.text, wave))
    except ValueError:
        return None
    if extracted["score"] < LEAST_SCORE:
        return None
    parts = (extracted[name] for name in FEATURES)
    return HeldOutClip(clip.name, clip.voice, seen, rate, wave, *parts)
