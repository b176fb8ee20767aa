"""Held-out clips, aligned and ready to be reconstructed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from itertools import islice, zip_longest
from pathlib import Path

from a3t.errors import InputError
from a3t.grid import seconds_of
from a3t.voice.kernel.batches import LEAST_SCORE
from evaluation.reconstruction import HeldOutClip
from training.clip_features import align, features
from training.corpora import Clip, is_unseen, split_of
from training.corpora.decoding import decode_floats
from training.corpora.kaldi import read_list
from training.store import Store

SECONDS = (2.0, 12.0)


def held_out(clips: Iterable[Clip], seen: bool) -> list[Clip]:
    """Test clips of 2 to 12 s, by voices in the training data or by others.

    Their fixed order takes from each corpus in turn, and within a corpus from each voice in turn:
    the first n are as varied as possible, and a larger n includes a smaller one.
    """
    corpora: dict[str, dict[str, list[Clip]]] = {}
    for clip in sorted(clips, key=lambda clip: _digest(clip.name)):
        of_kind = split_of(clip) == "test" and seen != is_unseen(clip.voice)
        if of_kind and SECONDS[0] <= clip.seconds <= SECONDS[1]:
            corpora.setdefault(clip.corpus, {}).setdefault(clip.voice, []).append(clip)
    return _in_turn([_in_turn(list(voices.values())) for voices in corpora.values()])


def _in_turn(lists: list[list[Clip]]) -> list[Clip]:
    """The first of each list, then the second of each, …"""
    return [clip for turn in zip_longest(*lists) for clip in turn if clip is not None]


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


def align_clip(clip: Clip) -> HeldOutClip | None:
    """Decode and align a clip; None if its text and sound match too badly for training."""
    wave, rate = decode_floats(clip.path)
    try:
        extracted = features(wave, align(clip.text, wave))
    except ValueError:
        return None
    if extracted["score"] < LEAST_SCORE:
        return None
    return HeldOutClip(
        name=clip.name,
        voice=clip.voice,
        seen=not is_unseen(clip.voice),
        rate=rate,
        samples=wave,
        mel=extracted["mel"],
        phones=extracted["phones"],
        durations=extracted["durations"],
        words=extracted["words"],
    )


def stored_clips(data: Path, store_folder: Path, split: str, count: int) -> Iterator[HeldOutClip]:
    """Evenly spaced clips of 2 to 12 s of a feature store's split, with their sound from the data
    directory ``data/SPLIT``."""
    store = Store(store_folder)
    fitting = [
        clip
        for clip in store.of_split(split)
        if SECONDS[0] <= seconds_of(clip.frames) <= SECONDS[1] and clip.phones >= 6
    ]
    sounds = read_list(data / split / "wav.scp") if fitting else {}
    for clip in fitting[:: max(1, len(fitting) // count)][:count]:
        wave, rate = decode_floats(Path(sounds[clip.name]))
        stored = store.read(clip)
        yield HeldOutClip(
            name=clip.name,
            voice=clip.voice,
            seen=split == "test",
            rate=rate,
            samples=wave,
            mel=stored.mel,
            phones=stored.phones,
            durations=stored.durations,
            words=stored.words,
        )


def draw_clips(clips: Iterable[Clip], count: int) -> Iterator[HeldOutClip]:
    """`count` clips, half by voices in the training data and half by others.

    Raises InputError if there are fewer.
    """
    clips = list(clips)
    for seen, share in ((True, (count + 1) // 2), (False, count // 2)):
        usable = 0
        for item in islice(filter(None, map(align_clip, held_out(clips, seen))), share):
            usable += 1
            yield item
        if usable < share:
            kind = "seen" if seen else "unseen"
            raise InputError(
                f"The corpora have only {usable} usable test clips by {kind} voices, not {share}:"
                " choose fewer clips or add a corpus."
            )
