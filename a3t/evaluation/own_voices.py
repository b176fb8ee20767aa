"""What adapting to a voice is worth: unseen speakers, before and after `a3t.voice`.

Of each speaker every other clip is material, up to so many seconds, and the middle thirds of the
others are filled, durations given, by the network as it ships and as it is adapted.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from a3t.corpora import Clip, is_unseen
from a3t.errors import InputError
from a3t.evaluation.clips import SECONDS, align_clip
from a3t.evaluation.reconstruction import (
    HeldOutClip,
    Vocoder,
    open_gap,
    reconstruct,
)
from a3t.evaluation.report import Mean
from a3t.evaluation.systems.interface import System
from a3t.evaluation.systems.networks import A3TSystem
from a3t.grid import frames_of
from a3t.model.a3t import A3T
from a3t.model.low_rank import apply_low_rank
from a3t.voice.adaptation import AdaptationConfig, adapt
from a3t.voice.material import VoicePiece, log_pitch_of

BEFORE, AFTER = "shipped", "adapted"


@dataclass(frozen=True)
class OwnVoiceRow:
    """One clip, filled by one network. similarity: cosine to the whole clip's speaker; mcd: dB;
    detail: 1 as in the recording; level: dB by which the filled mel is louder than the true one;
    processor_seconds: of the adaptation."""

    voice: str
    seconds: float  # of material
    clip: str
    system: str
    similarity: float
    mcd: float
    detail: float
    level: float
    processor_seconds: float


def speakers(clips: Iterable[Clip], material: float, tests: int) -> dict[str, list[Clip]]:
    """Unseen speakers with enough speech for so many seconds of material and so many tests, those
    with the most first."""
    fitting = [c for c in clips if is_unseen(c.voice) and SECONDS[0] <= c.seconds <= SECONDS[1]]
    fitting.sort(key=lambda clip: (clip.voice, clip.name))
    found = {voice: list(own) for voice, own in groupby(fitting, lambda clip: clip.voice)}
    enough = {
        voice: own
        for voice, own in found.items()
        if sum(clip.seconds for clip in own[::2]) >= material and len(own[1::2]) >= tests
    }
    return dict(sorted(enough.items(), key=lambda item: -len(item[1])))


def aligned(clips: Iterable[Clip], count: int) -> list[HeldOutClip]:
    """The first of these that align, so many."""
    found: list[HeldOutClip] = []
    for clip in clips:
        item = align_clip(clip)
        if item is not None and len(found) < count:
            found.append(item)
        if len(found) == count:
            break
    return found


def material_of(clips: Iterable[Clip], seconds: float) -> list[VoicePiece]:
    """So many seconds of aligned speech; the last clip's phones are cut off there."""
    pieces: list[VoicePiece] = []
    left = frames_of(seconds)
    for clip in clips:
        item = align_clip(clip) if left > 0 else None
        if item is None:
            continue
        ends = np.cumsum(item.durations)
        count = int(np.searchsorted(ends, left, side="right"))
        if count < 4:  # phones
            break
        frames = int(ends[count - 1])
        left -= frames
        pieces.append(
            VoicePiece(
                item.name.replace("/", "-"),
                np.asarray(item.mel[:frames], np.float32),
                item.phones[:count],
                item.durations[:count],
                item.words[:count],
                log_pitch_of(item.samples, frames),
                1.0,
            )
        )
    return pieces


def compare(
    network: A3T,
    vocoder: Vocoder,
    voice: str,
    pieces: Sequence[VoicePiece],
    tests: Sequence[HeldOutClip],
    config: AdaptationConfig,
) -> Iterator[OwnVoiceRow]:
    """Every test clip by the network as it is, and as it is adapted to these pieces."""
    begun = time.process_time()
    with TemporaryDirectory() as folder:
        found = adapt(network, pieces, Path(folder), config)
    spent = time.process_time() - begun
    changed = copy.deepcopy(network)
    apply_low_rank(changed, found.changes)
    systems = {BEFORE: A3TSystem(network), AFTER: A3TSystem(changed)}
    for clip in tests:
        for row in reconstruct([clip], systems, vocoder):
            if row.system in systems or row.system == "copy-synthesis":
                level = _level(clip, systems[row.system]) if row.system in systems else 0.0
                figures = (row.similarity, row.mcd, row.detail, level)
                own = (voice, round(found.seconds, 1), clip.name, row.system)
                yield OwnVoiceRow(*own, *figures, spent if row.system == AFTER else 0.0)


def _level(clip: HeldOutClip, system: System) -> float:
    phones = clip.region
    first, last = clip.frames(phones)
    filled = system.fill(open_gap(clip, phones, clip.durations[phones[0] : phones[1]]))
    return float(20 * (filled.mean() - clip.mel[first:last].mean()))


def table(rows: Sequence[OwnVoiceRow]) -> str:
    """Means with standard errors over clips, by seconds of material and system, as Markdown."""
    if not rows:
        raise InputError("There is no unseen voice with enough clips: ask for fewer seconds.")
    lines = [
        "| material | system | similarity | MCD, dB | detail | level, dB | processor, s |",
        "|---|---|---|---|---|---|---|",
    ]
    for seconds in sorted({round(row.seconds) for row in rows}):
        for system in ("copy-synthesis", BEFORE, AFTER):
            own = [r for r in rows if r.system == system and round(r.seconds) == seconds]
            cells = [
                Mean.of(getattr(row, name) for row in own)
                for name in ("similarity", "mcd", "detail", "level", "processor_seconds")
            ]
            shown = [cells[0].shown(3), *(cell.shown(2) for cell in cells[1:4]), cells[4].shown(0)]
            lines.append(f"| {seconds} s | {system} | {' | '.join(shown)} |")
    voices = ", ".join(sorted({row.voice for row in rows}))
    return "\n".join([*lines, "", f"Voices, none of which training heard: {voices}.", ""])
