"""Clips that training did not hear, aligned and ready to be reconstructed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from itertools import islice, zip_longest

import numpy as np

from a3t.audio.mel import log_mel
from a3t.corpora import Clip, is_unseen, split_of
from a3t.errors import InputError
from a3t.evaluation.reconstruction import Item
from a3t.training.data import LEAST_SCORE
from a3t.training.extract import extract
from a3t.training.waveforms import decode

SECONDS = (2.0, 12.0)


def held_out(clips: Iterable[Clip], seen: bool) -> list[Clip]:
    """Test clips of 2 to 12 s by voices that training heard, or by those it did not.

    In a fixed order that takes from each corpus in turn, and within a corpus from each voice: the
    first n are as various as they can be, and a larger n contains a smaller one.
    """
    corpora: dict[str, dict[str, list[Clip]]] = {}
    for clip in sorted(clips, key=lambda clip: _digest(clip.name)):
        known = not is_unseen(clip.voice)
        if split_of(clip) == "test" and known == seen and SECONDS[0] <= clip.seconds <= SECONDS[1]:
            corpora.setdefault(clip.corpus, {}).setdefault(clip.voice, []).append(clip)
    return _in_turn([_in_turn(list(voices.values())) for voices in corpora.values()])


def _in_turn(lists: list[list[Clip]]) -> list[Clip]:
    """The first of each list, then the second of each, …"""
    return [clip for turn in zip_longest(*lists) for clip in turn if clip is not None]


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


def make_item(clip: Clip) -> Item | None:
    """Decode and align a clip; None if text and sound match too badly to train on, too."""
    coded, rate = decode(clip)
    wave = coded.astype(np.float32) / 32768.0
    try:
        features = extract(clip, wave)
    except ValueError:
        return None
    if float(features["score"]) < LEAST_SCORE:
        return None
    return Item(
        name=clip.name,
        voice=clip.voice,
        seen=not is_unseen(clip.voice),
        rate=rate,
        samples=wave,
        mel=log_mel(wave).numpy(),
        phones=features["phones"].astype(np.int64),
        durations=features["durations"].astype(np.int64),
        words=features["words"].astype(np.int64),
    )


def draw_items(clips: Iterable[Clip], count: int) -> Iterator[Item]:
    """`count` items, half by voices that training heard and half by others.

    Raises InputError if there are not that many.
    """
    clips = list(clips)
    for seen, share in ((True, (count + 1) // 2), (False, count // 2)):
        found = 0
        for item in islice(filter(None, map(make_item, held_out(clips, seen))), share):
            found += 1
            yield item
        if found < share:
            kind = "heard" if seen else "did not hear"
            raise InputError(
                f"The corpora have {found} usable test clips by voices that training {kind}, not"
                f" {share}: ask for fewer clips or add a corpus."
            )
