"""Who speaks where each speaker has a track, by its level."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path

import numpy as np

from a3t.audio.output.files import sha256_of
from a3t.projects.store.pcm_sound import PcmSound
from a3t.projects.store.project_state import SpeakerTrack
from a3t.projects.store.words import Token, with_speakers
from a3t.text.normaliser.unspoken import is_name

MARGIN_S = 0.03  # beside a word in which its speaker is heard as well


def speaker_name(file: str, taken: Sequence[str]) -> str:
    """Return a speaker's name, of a track's file if it is one that none of the ``taken`` is."""
    letters = re.sub(r"[\W\d_]+", " ", Path(file).stem).strip().upper()
    is_good = is_name(letters) and letters not in taken
    return letters if is_good else f"Speaker {len(taken) + 1}"


def first_track(source: Path, name: str) -> tuple[SpeakerTrack, ...]:
    """Return a recording as the first of several tracks."""
    return (SpeakerTrack(speaker_name(name, ()), sha256=sha256_of(source)),)


def with_track(
    tracks: Sequence[SpeakerTrack], folder: Path, source: Path, name: str
) -> tuple[SpeakerTrack, ...]:
    """Return the tracks with another one, whose file waits in the project's folder to be joined."""
    file = f"track-{len(tracks)}{source.suffix.lower()}"
    shutil.copyfile(source, folder / file)
    called = speaker_name(name, [track.name for track in tracks])
    return (*tracks, SpeakerTrack(called, file, sha256=sha256_of(source)))


def said_on_tracks(
    sound: PcmSound, tracks: Sequence[SpeakerTrack], tokens: tuple[Token, ...]
) -> tuple[Token, ...]:
    """Return the tokens, each said by whoever's track it is loudest on.

    That is beside the level of their speech. Tokens whose speakers are named already stay.
    """
    if not tokens or any(token.speaker for token in tokens):
        return tokens
    rate = sound.sample_rate
    first = max(0, round((tokens[0].start - MARGIN_S) * rate))
    last = min(sound.samples, round((max(token.end for token in tokens) + MARGIN_S) * rate))
    samples = sound.read(first, last).astype(np.float32) / 32768
    loudest = loudest_tracks(samples, first / rate, rate, tracks, tokens)
    names = {token.id: tracks[k].name for token, k in zip(tokens, loudest, strict=True)}
    return tuple(with_speakers(tokens, names))


def loudest_tracks(
    samples: np.ndarray,
    start: float,
    rate: int,
    tracks: Sequence[SpeakerTrack],
    tokens: Sequence[Token],
) -> list[int]:
    """Return the track on which each token is loudest, beside the level of its speech.

    samples: (n, channels) at ``rate`` Hz, which begin at second ``start``.
    """
    levels = track_powers(samples, tracks) / [track.level for track in tracks]
    found = []
    for token in tokens:
        begin = max(0, round((token.start - MARGIN_S - start) * rate))
        end = max(begin + 1, round((token.end + MARGIN_S - start) * rate))
        found.append(int(np.argmax(levels[begin:end].mean(axis=0))))
    return found


def track_powers(samples: np.ndarray, tracks: Sequence[SpeakerTrack]) -> np.ndarray:
    """Return the power of each sample on each track, (n, tracks), of (n, channels)."""
    return np.stack([np.square(own).mean(axis=1) for own in parts_of(samples, tracks)], axis=1)


def parts_of(samples: np.ndarray, tracks: Sequence[SpeakerTrack]) -> Iterator[np.ndarray]:
    """Yield the channels of each track."""
    for track, last in zip(tracks, accumulate(each.channels for each in tracks), strict=True):
        yield samples[:, last - track.channels : last]
