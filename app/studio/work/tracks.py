"""Tracks of a conversation joined to one recording, and its mix and tracks written, in the worker.

One recording keeps them in step, whatever is done to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import soundfile as sf

from a3t.audio.output.muxing import picture_lead
from a3t.audio.output.writing import MAX_WAV_BYTES
from a3t.audio.reading.formats import is_lossy, quantise, sample_format, to_float
from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.projects.store.project_state import SpeakerTrack
from app import texts
from app.studio.speaker_tracks import parts_of
from app.studio.work.listening import editor_step

if TYPE_CHECKING:
    from a3t.editor import Editor

MAX_CHANNELS = 8  # of a recording
FRAME_S, BLOCK_S = 0.05, 30
SPEECH_SHARE = 0.99  # of a track's frames are below the level of its speech
SILENT_POWER = 1e-9


class TrackShape(NamedTuple):
    """How many channels a track has, and the power of its speech."""

    channels: int
    level: float


def join_tracks(editor: Editor, paths: Sequence[Path], out: Path) -> list[TrackShape]:
    """Write tracks that began at the same time as the channels of one recording.

    It has the highest of their rates; silence follows the shorter ones. Raises InputError if one
    can't be used.
    """
    editor_step(editor, "read")
    tracks = [Recording.open(path) for path in paths]
    if len({track.sha256 for track in tracks}) < len(tracks):
        raise InputError(texts.OWN_TRACK)
    if any(picture_lead(track) is not None for track in tracks):
        raise InputError(texts.FILM_AMONG_TRACKS)
    if sum(track.channels for track in tracks) > MAX_CHANNELS:
        raise InputError(texts.TOO_MANY_CHANNELS.format(most=MAX_CHANNELS))
    rate = max(track.sample_rate for track in tracks)
    formats = [track.format for track in tracks]
    bits = [0 if each.is_float else each.bits or 0 for each in formats]
    is_float = min(bits) == 0 or any(is_lossy(track.subtype) for track in tracks)
    subtype = "FLOAT" if is_float else f"PCM_{max(16, *bits)}"
    kind, channels = sample_format(subtype), sum(track.channels for track in tracks)
    length = round(max(track.seconds for track in tracks) * rate)
    container = "WAV" if length * channels * kind.width < MAX_WAV_BYTES else "RF64"
    powers: list[list[np.ndarray]] = [[] for _ in tracks]
    with sf.SoundFile(out, "w", rate, channels, subtype, format=container) as file:
        for start in range(0, length, BLOCK_S * rate):
            stop = min(start + BLOCK_S * rate, length)
            blocks = [_read(track, start, stop, rate) for track in tracks]
            for own, block in zip(powers, blocks, strict=True):
                own.append(_powers(block, round(FRAME_S * rate)))
            file.write(quantise(np.concatenate(blocks, axis=1), kind))
    levels = [float(np.quantile(np.concatenate(own), SPEECH_SHARE)) for own in powers]
    return [
        TrackShape(track.channels, max(level, SILENT_POWER))
        for track, level in zip(tracks, levels, strict=True)
    ]


def _read(track: Recording, start: int, stop: int, rate: int) -> np.ndarray:
    """Read samples [start, stop) at a rate, (stop - start, channels), with silence at the end."""
    if track.sample_rate == rate:
        stop, last = min(stop, track.samples), stop
        block = to_float(track.read(min(start, stop), stop))
        return np.pad(block, ((0, last - start - len(block)), (0, 0)))
    own = [track.one_channel(channel) for channel in range(track.channels)]
    return np.stack([each.resampled(start, stop, rate) for each in own], axis=1).astype(float)


def _powers(block: np.ndarray, size: int) -> np.ndarray:
    """Measure the power of each whole frame of a block, at least of one."""
    whole = max(len(block) // size, 1)
    frames = np.square(block[: whole * size]).mean(axis=1)
    return np.array([part.mean() for part in np.array_split(frames, whole)])


def mixed(
    recording: Recording, tracks: Sequence[SpeakerTrack], muted: Sequence[int], out: Path
) -> None:
    """Write the mix of all tracks but the ``muted`` ones, as the page plays it.

    It is softer where it would be clipped otherwise.
    """
    kept = [number for number in range(len(tracks)) if number not in muted]
    stereo = any(tracks[number].channels == 2 for number in kept)

    def blocks() -> Iterator[np.ndarray]:
        for block in recording.blocks():
            own = [*parts_of(to_float(block), tracks)]
            sides = np.zeros((len(block), 2 if stereo else 1))
            for number in kept:
                is_pair = own[number].shape[1] == 2
                sides += own[number] if is_pair else own[number].mean(axis=1, keepdims=True)
            yield sides

    peak = max((float(np.abs(block).max(initial=0)) for block in blocks()), default=0.0)
    gain, kind = 1 / max(peak, 1.0), sample_format(recording.subtype)
    _write(recording, out, 2 if stereo else 1, (quantise(each * gain, kind) for each in blocks()))


def alone(recording: Recording, tracks: Sequence[SpeakerTrack], number: int, out: Path) -> None:
    """Write one of the tracks, its samples as they are."""
    blocks = ([*parts_of(block, tracks)][number] for block in recording.blocks())
    _write(recording, out, tracks[number].channels, blocks)


def _write(recording: Recording, out: Path, channels: int, blocks: Iterator[np.ndarray]) -> None:
    how = recording.sample_rate, channels, recording.subtype
    with sf.SoundFile(out, "w", *how, format="W64") as file:  # of any length
        for block in blocks:
            file.write(block)
