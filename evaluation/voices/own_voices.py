"""What adapting to a voice is worth: unseen speakers, before and after `a3t.voice`.

Of each speaker some clips, evenly spread, are tested: their middle thirds are filled, durations
given, by the network as it ships and as it is adapted. The others are material, up to so many
seconds. Beside them stand the same speaker's words as recorded in the other tested clips: a mark,
not a bound, since what is filled has heard the clip's own room, microphone and day.
"""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby, zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from a3t.errors import InputError
from a3t.grid import HOP, SAMPLE_RATE, frames_of
from a3t.model.a3t import A3T
from a3t.model.low_rank import apply_low_rank
from a3t.voice.adaptation import AdaptationConfig, adapt
from a3t.voice.material import VoicePiece, log_pitch_of
from a3t.voice.speaker import speaker_facts
from evaluation import metrics
from evaluation.clips import SECONDS, HeldOutClip, Vocoder, align_clip
from evaluation.edits.listing import set_of
from evaluation.harness.estimates import Interval, Mean
from evaluation.systems.networks import A3TSystem
from evaluation.tables.comparison import COPY
from evaluation.tables.judging import LEAST, GapJudge, copy_synthesis, make
from evaluation.tables.tasks import reconstructions
from training.corpora import Clip, is_unseen

BEFORE, AFTER = "shipped", "adapted"
ELSEWHERE = "recorded elsewhere"


@dataclass(frozen=True)
class OwnVoiceRow:
    """One clip, filled by one network. similarity: cosine to the whole clip's speaker, of what was
    recorded elsewhere the mean of the other clips' middle thirds (the rest is NaN there); mcd: dB;
    detail: 1 as in the recording; level: dB by which the filled mel is louder than the true one;
    processor_seconds: of the adaptation; hertz: the voice's median F0."""

    voice: str
    wanted: float  # seconds of material
    seconds: float  # that there were
    clip: str
    system: str
    similarity: float
    mcd: float
    detail: float
    level: float
    processor_seconds: float
    hertz: float

    @property
    def corpus(self) -> str:
        return self.voice.partition("-")[0]


@dataclass(frozen=True)
class OwnVoice:
    """A voice's clips: those tested, evenly spread over all of them, and the others."""

    tests: tuple[Clip, ...]
    material: tuple[Clip, ...]

    @classmethod
    def of(cls, clips: Sequence[Clip], tests: int) -> OwnVoice:
        places = np.linspace(0, len(clips) - 1, min(tests, len(clips))).round().astype(int)
        chosen = set(places.tolist())
        return cls(
            tuple(clip for k, clip in enumerate(clips) if k in chosen),
            tuple(clip for k, clip in enumerate(clips) if k not in chosen),
        )

    @property
    def seconds(self) -> float:
        """Of material."""
        return sum(clip.seconds for clip in self.material)


def speakers(
    clips: Iterable[Clip], material: float, tests: int, half: str = "report"
) -> dict[str, OwnVoice]:
    """Unseen speakers of one half (`evaluation.edits.listing.set_of`) with at least so many
    seconds of material beside so many tests: from each corpus in turn, those with the most first.
    """
    fitting = [
        clip
        for clip in clips
        if is_unseen(clip.voice) and set_of(clip.voice) == half and clip.seconds >= SECONDS[0]
    ]
    fitting.sort(key=lambda clip: (clip.voice, clip.name))
    corpora: dict[str, dict[str, OwnVoice]] = {}
    for voice, group in groupby(fitting, lambda clip: clip.voice):
        own = list(group)
        divided = OwnVoice.of(own, tests)
        if len(own) > tests and divided.seconds >= material:
            corpora.setdefault(own[0].corpus, {})[voice] = divided
    ranked = [sorted(own.items(), key=lambda item: -item[1].seconds) for own in corpora.values()]
    return dict(found for turn in zip_longest(*ranked) for found in turn if found is not None)


def shortened(clip: HeldOutClip, frames: int) -> HeldOutClip:
    """The clip up to its last pause within so many frames, or up to its last phone there."""
    ends = np.cumsum(clip.durations)
    count = int(np.searchsorted(ends, frames, side="right"))
    if count == len(ends):
        return clip
    pauses = np.flatnonzero(clip.words[:count] < 0)
    count = int(pauses[-1]) + 1 if len(pauses) and pauses[-1] >= count // 2 else count
    last = int(ends[count - 1])
    return replace(
        clip,
        samples=clip.samples[: last * HOP],
        mel=clip.mel[:last],
        phones=clip.phones[:count],
        durations=clip.durations[:count],
        words=clip.words[:count],
    )


@cache
def _aligned(clip: Clip) -> HeldOutClip | None:
    return align_clip(clip)


def aligned(clips: Iterable[Clip]) -> list[HeldOutClip]:
    """Those of the clips that align, none longer than a reconstruction takes."""
    found = (_aligned(clip) for clip in clips)
    return [shortened(clip, frames_of(SECONDS[1])) for clip in found if clip is not None]


def material_of(clips: Iterable[Clip], seconds: float) -> list[VoicePiece]:
    """So many seconds of aligned speech; the last clip's phones are cut off there."""
    pieces: list[VoicePiece] = []
    left = frames_of(seconds)
    for clip in clips:
        item = _aligned(clip) if left > 0 else None
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
    wanted: float,
    pieces: Sequence[VoicePiece],
    tests: Sequence[HeldOutClip],
    config: AdaptationConfig,
) -> Iterator[OwnVoiceRow]:
    """Every test clip by the network as it is, and as it is adapted to these pieces, which are the
    ``wanted`` seconds or what there is of them."""
    begun = time.process_time()
    with TemporaryDirectory() as folder:
        found = adapt(network, pieces, Path(folder), config)
    spent = time.process_time() - begun
    changed = copy.deepcopy(network)
    apply_low_rank(changed, found.changes)
    systems = {BEFORE: A3TSystem(network), AFTER: A3TSystem(changed)}
    hertz = float(speaker_facts(pieces).get("pitch_hertz", math.nan))
    for clip in tests:
        (task,) = reconstructions(clip, (), None, clip.own_rate)
        results = {name: make(task, system, vocoder)[0] for name, system in systems.items()}
        judge, whole = GapJudge(task), _voice(clip.samples)
        for name, made in ({COPY: copy_synthesis(task, vocoder)} | results).items():
            figures = judge.against_truth(made)
            enough = len(made.filled) >= LEAST * SAMPLE_RATE
            similarity = float(whole @ _voice(made.filled)) if enough else math.nan
            assert task.true_mel is not None
            level = 20 * float(made.mel.mean() - task.true_mel.mean())
            own = (voice, wanted, round(found.seconds, 1), clip.name, name)
            measured = (similarity, figures["mcd"], figures["detail"], level)
            yield OwnVoiceRow(*own, *measured, spent if name == AFTER else 0.0, hertz)
    for clip, similarity in zip(tests, _elsewhere(tests), strict=True):
        own = (voice, wanted, round(found.seconds, 1), clip.name, ELSEWHERE)
        yield OwnVoiceRow(*own, similarity, math.nan, math.nan, math.nan, 0.0, hertz)


def _elsewhere(clips: Sequence[HeldOutClip]) -> list[float]:
    """The similarity of each clip to the middle thirds of all others, in the mean; NaN without."""
    spans = [clip.frames(clip.region) for clip in clips]
    wholes = [_voice(clip.samples) for clip in clips]
    thirds = [
        _voice(clip.samples[first * HOP : last * HOP])
        for clip, (first, last) in zip(clips, spans, strict=True)
    ]
    return [
        Mean.of(float(whole @ third) for k, third in enumerate(thirds) if k != own).value
        for own, whole in enumerate(wholes)
    ]


def _voice(samples: np.ndarray) -> np.ndarray:
    """The speaker's embedding (256,); NaN where no speech is found."""
    try:
        return metrics.speaker_embedding(samples, SAMPLE_RATE)
    except InputError:
        return np.full(256, math.nan)


def voice_table(rows: Sequence[OwnVoiceRow]) -> str:
    """Means with standard errors over clips, by seconds of material, corpus and system, and what
    adapting changed, clip by clip, with 95 % intervals; as Markdown."""
    if not rows:
        raise InputError("There is no unseen voice with enough clips: ask for fewer seconds.")
    lines = [
        "| material | voices | system | similarity | MCD, dB | detail | level, dB | processor, s |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for seconds in sorted({row.wanted for row in rows}):
        own = [row for row in rows if row.wanted == seconds]
        corpora = sorted({row.corpus for row in own})
        groups = {name: [row for row in own if row.corpus == name] for name in corpora}
        if len(groups) > 1:
            groups["all"] = own
        for name, group in groups.items():
            count = len({row.voice for row in group})
            lines += _lines(f"| {seconds:g} s | {name} ({count}) |", group)
    hertz = {row.voice: row.hertz for row in sorted(rows, key=lambda row: row.seconds)}
    voices = ", ".join(f"{voice} ({hertz[voice]:.0f} Hz)" for voice in sorted(hertz))
    return "\n".join([*lines, "", f"Voices, none of which training heard: {voices}.", ""])


FIGURES = ("similarity", "mcd", "detail", "level")


def _lines(start: str, rows: Sequence[OwnVoiceRow]) -> Iterator[str]:
    """One group's lines of the table: the systems, and the difference of the two networks."""
    for system in (COPY, ELSEWHERE, BEFORE, AFTER):
        own = [row for row in rows if row.system == system]
        cells = [Mean.of(getattr(row, name) for row in own) for name in FIGURES]
        shown = [cells[0].shown(3), *(cell.shown(2) for cell in cells[1:])]
        spent = Mean.of(row.processor_seconds for row in own).shown(0) if system == AFTER else "–"
        yield f"{start} {system} | {' | '.join(shown)} | {spent} |"
    pairs = {(row.voice, row.clip): row for row in rows if row.system == BEFORE}
    changed = [(row, pairs[row.voice, row.clip]) for row in rows if row.system == AFTER]
    differences = [
        Interval.of(getattr(row, name) - getattr(other, name) for row, other in changed)
        for name in FIGURES
    ]
    shown = [differences[0].shown(3), *(each.shown(2) for each in differences[1:])]
    yield f"{start} difference | {' | '.join(shown)} | – |"
