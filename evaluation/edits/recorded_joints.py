"""Joints of recorded speech with recorded speech, in deletions and moves.

Deletions: one or two words taken out of held-out clips at random. Moves: three clips of one voice
joined with 0.4 s of its own room tone between them, and two of them swapped by the text; of one
session (a chapter of LibriSpeech, a book of LJ Speech), and of any, where rooms and microphones
differ. Each joint is compared with natural places of its kind (`evaluation.joints`): the share
within the natural 95th percentile of dip, flux, jump and all three, and that of natural places.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import soundfile

from a3t.audio.analysis.room_tone import room_tone
from a3t.audio.reading.recording import Recording
from a3t.editor import Editor
from a3t.errors import InputError
from a3t.plan.edit_plan import EditPlan
from a3t.text.transcript import Transcript
from alignment import AlignmentError
from evaluation.harness.declared_tables import Row, Table, proportion, total
from evaluation.harness.measurement import Measurement, Setting
from evaluation.hearing.planting import aligner_held_out, chosen
from evaluation.joints import MEASURES, Natural, joint_percentiles
from training.corpora import Clip
from training.programs import counts

PAUSE = 0.4  # seconds
LIMIT = 0.95


def deletions(
    editor: Editor, clips: Sequence[Clip], draw: random.Random, folder: Path
) -> Iterator[EditPlan]:
    """Delete one or two words of each clip."""
    for clip in clips:
        words = list(Transcript.from_text(clip.text).spoken)
        place, count = draw.randrange(1, len(words) - 3), draw.choice([1, 1, 2])
        left = [*words[:place], *words[place + count :]]
        try:
            plan = editor.plan(Recording.open(clip.path), text=" ".join(words),
                               new_text=" ".join(left), punctuate=False)  # fmt: skip
        except InputError:
            continue
        if len(plan.edits) == 1:
            yield plan


def moves_in_a_session(
    editor: Editor, clips: Sequence[Clip], draw: random.Random, folder: Path
) -> Iterator[EditPlan]:
    """Move between clips whose names say that they were recorded together."""
    together = [
        replace(clip, speaker=clip.path.stem.rpartition("-")[0])
        for clip in aligner_held_out()
        if clip.corpus in ("librispeech", "ljspeech")
    ]
    return moves(editor, draw.sample(together, min(len(clips), len(together))), draw, folder)


def moves(
    editor: Editor, clips: Sequence[Clip], draw: random.Random, folder: Path
) -> Iterator[EditPlan]:
    """Move between clips of one voice."""
    of_voice: dict[tuple[str, str], list[Clip]] = {}
    for clip in clips:
        of_voice.setdefault((clip.corpus, clip.speaker), []).append(clip)
    several = [own for own in of_voice.values() if len(own) >= 3]
    for number in range(len(clips) // 3 if several else 0):
        own = draw.sample(several[number % len(several)], 3)
        parts: list[np.ndarray] = []
        texts = []
        for clip in own:
            recording = Recording.open(clip.path)
            try:
                aligned = editor.align(recording, clip.text)
            except AlignmentError:
                break
            rate = recording.sample_rate
            tone = room_tone(recording, aligned, round(PAUSE * rate), number)
            parts += [recording.mono(), tone.mean(axis=1)]
            text = clip.text.strip().rstrip(".,;:!?")
            texts.append(f"{text[0].upper()}{text[1:]}.")
        if len(texts) < 3:
            continue
        path = folder / f"{number}.wav"
        soundfile.write(path, np.concatenate(parts), rate)
        order = draw.choice([(1, 0, 2), (0, 2, 1), (2, 0, 1)])
        try:
            plan = editor.plan(path, text=" ".join(texts),
                               new_text=" ".join(texts[k] for k in order))  # fmt: skip
        except InputError:
            continue
        if any(edit.taken for edit in plan.edits):
            yield plan


KINDS = {
    "deletions": deletions,
    "moves within a session": moves_in_a_session,
    "moves between sessions": moves,
}


def measure_joints(kind: str, setting: Setting) -> Iterator[Row]:
    """Measure a kind's joints, and natural places, within the limits."""
    options, natural, results = setting.options, Natural(), []
    clips = chosen(aligner_held_out(), options.clips, options.seed)
    for plan in KINDS[kind](setting.editor, clips, random.Random(options.seed), setting.folder):
        natural.add_plan(plan)
        results.append(setting.editor.render(plan))
    joints = [each for made in results for each in joint_percentiles(made, natural)]
    if joints:
        for name, places in (("joints", joints), ("natural places", natural.drawn(4000))):
            inside = np.array(places) <= LIMIT
            hits = dict(zip(MEASURES, inside.sum(axis=0).tolist(), strict=True))
            all_three = int(inside.all(axis=1).sum())
            yield {"kind": kind, "of": name, "n": len(inside), **hits, "all three": all_three}


MEASUREMENT = Measurement(
    lambda setting: [*KINDS],
    measure_joints,
    [
        Table(
            (
                total("n", "n"),
                *(proportion(name, name, "n", ".0f") for name in (*MEASURES, "all three")),
            ),
            ("kind", "of"),
        )
    ],
    counts(clips=70, seed=7),
    unit="kind",
    legend="Per cent within the natural 95th percentile.",
)
