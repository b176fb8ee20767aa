"""Are the joints of edits like natural speech? Edits of held-out clips against unedited places.

    python -m evaluation.sound.edit_joints [--edits 60] [--seed 5] [--out FILE.tsv]

Reads the corpora in A3T_CORPORA. One to three words of each clip are replaced or inserted; each
joint is measured (`evaluation.joints`) and ranked among natural places of the same kind in the
same clips. The same edits are joined in three ways: cut hard, cross-faded where planned, and as the
editor does. One thread.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from unittest import mock

import numpy as np
import soxr
import torch

from a3t.audio.output.patches import Patch, read_patched, sample_map
from a3t.audio.reading.recording import Recording
from a3t.audio.splicing import overlaps, splicing
from a3t.editor import Editor
from a3t.errors import InputError
from a3t.grid import HOP, SAMPLE_RATE
from a3t.plan.edit_plan import EditPlan
from a3t.text.transcript import Transcript
from alignment import AlignmentError
from evaluation.clips import held_out
from evaluation.harness.programs import program_parser
from evaluation.joints import MEASURES, Natural, PhoneSamples, kind_of, measure, within
from evaluation.sound.scripted_edits import WORDS
from training.corpora import Clip, corpora_root, read_corpora

AROUND = 0.1  # seconds that are read on each side of a joint
HARD_MS = 0.1


@dataclass(frozen=True)
class Joint:
    """Where old and new meet: a sample of the recording and of the output."""

    old: int
    new: int


def planned_seam(
    overlap: overlaps.Overlap,
    around: overlaps.Surroundings,
    sound: np.ndarray,
    width: int,
    lag: int,
    prefer: int,
    entering: bool = True,
) -> overlaps.Overlap:
    """Replaces `best_seam`: the planned place, without moving anything."""
    width = min(width, len(overlap))
    first = min(max(prefer, overlap.first), overlap.last - width)
    return overlaps.Overlap(first, first + width, overlap.offset)


WAYS: dict[str, tuple[Callable[..., object], float]] = {
    "cut hard": (planned_seam, HARD_MS),
    "cross-faded 5 ms as planned": (planned_seam, 5.0),
    "cross-faded 15 ms as planned": (planned_seam, splicing.FADE_MS),
    "as the editor does": (overlaps.best_seam, splicing.FADE_MS),
}


def main() -> None:
    parser = program_parser("sound.edit_joints", __doc__, edits=60, seed=5)
    parser.add_argument("--out", type=Path, help="each joint with its measures and percentiles")
    options = parser.parse_args()
    torch.set_num_threads(1)
    editor, draw, natural = Editor.load(), random.Random(options.seed), Natural()
    plans = list(planned(editor, read_corpora(corpora_root()), options.edits, draw))
    for recording, plan in plans:
        natural.add(at_24_khz(recording, (), 0, recording.samples), phones_of(plan))
    rows = ["way\tclip\tkind\t" + "\t".join((*MEASURES, *(f"{m} percentile" for m in MEASURES)))]
    print(
        f"{len(plans)} edits; {natural.places} natural places. Share of joints within the 95th "
        "percentile:\n\n| joined | joints | " + " | ".join(MEASURES) + " | all three | median dip |"
        " median flux | length, mean deviation |\n|" + "---|" * (len(MEASURES) + 6)
    )
    for way, (seam, fade) in WAYS.items():
        found, values, growths = [], [], []
        for recording, plan in plans:
            patches = render(editor, plan, seam, fade)
            growths.append(abs(deviation(recording, plan, patches)))
            for joint in joints(recording, patches, fade):
                kind = kind_of(phones_of(plan), at_rate(joint.old, recording))
                here = joint_measures(recording, patches, joint.new)
                found.append(natural.percentile(kind, here))
                values.append(here)
                figures = "\t".join(f"{figure:.4f}" for figure in (*here, *found[-1]))
                rows.append(f"{way}\t{recording.path.stem}\t{'-'.join(kind)}\t{figures}")
        shares = " | ".join(f"{share:.1%}" for share in within(found))
        dip, flux, _ = np.median(values, axis=0)
        print(
            f"| {way} | {len(found)} | {shares} | {dip:.2f} dB | {flux:.3f} | "
            f"{1000 * np.mean(growths):.1f} ms |",
            flush=True,
        )
    if options.out:
        options.out.write_text("\n".join(rows) + "\n", encoding="utf-8")


def planned(
    editor: Editor, clips: list[Clip], count: int, draw: random.Random
) -> Iterator[tuple[Recording, EditPlan]]:
    """``count`` plans of one edit with new words each, of seen and unseen voices in turn."""
    pairs = zip(held_out(clips, True), held_out(clips, False), strict=False)
    found = 0
    for clip in (clip for pair in pairs for clip in pair):
        if found == count:
            return
        words = list(Transcript.from_text(clip.text).spoken)
        if len(words) < 4:
            continue
        place, old = draw.randrange(1, len(words) - 2), draw.choice([0, 1, 1, 2])
        new = [draw.choice(WORDS) for _ in range(draw.randint(1, 3))]
        changed = [*words[:place], *new, *words[place + old :]]
        recording = Recording.open(clip.path)
        try:
            plan = editor.plan(recording, new_text=" ".join(changed), text=" ".join(words))
        except (AlignmentError, InputError):
            continue
        if len(plan.edits) == 1 and plan.edits[0].is_spoken:
            found += 1
            yield recording, plan


def render(
    editor: Editor, plan: EditPlan, seam: Callable[..., object], fade: float
) -> tuple[Patch, ...]:
    """The plan's patches, joined with the given seam search and fade length in ms."""
    make = partial(splicing.make_patch, fade_ms=fade)
    with (
        mock.patch("a3t.audio.splicing.splicing.best_seam", seam),
        mock.patch("a3t.rendering.joining.make_patch", make),
    ):
        return editor.render(plan).patches


def joints(recording: Recording, patches: tuple[Patch, ...], fade: float) -> Iterator[Joint]:
    """The middle of each cross-fade, except near the recording's ends."""
    half = round(fade * recording.sample_rate / 2000)
    reach = AROUND * recording.sample_rate
    for pair in sample_map(recording, patches).changes:
        for side, into in ((0, half), (1, -half)):
            joint = Joint(pair.source[side] + into, pair.output[side] + into)
            if reach < joint.old < recording.samples - reach:
                yield joint


def joint_measures(recording: Recording, patches: tuple[Patch, ...], place: int) -> np.ndarray:
    """The measures at a sample of the output."""
    reach = round(AROUND * recording.sample_rate)
    sound = at_24_khz(recording, patches, place - reach, place + reach)
    return np.asarray(measure(sound, [round(reach * SAMPLE_RATE / recording.sample_rate)])[0])


def at_24_khz(
    recording: Recording, patches: tuple[Patch, ...], first: int, last: int
) -> np.ndarray:
    """Samples of the output, mono, (n,) at 24 kHz."""
    mono = read_patched(recording, patches, first, last).mean(axis=1)
    rate = recording.sample_rate
    return mono if rate == SAMPLE_RATE else np.asarray(soxr.resample(mono, rate, SAMPLE_RATE))


def phones_of(plan: EditPlan) -> list[PhoneSamples]:
    """The recording's own phones."""
    return [
        PhoneSamples(phone.symbol, phone.first * HOP, phone.last * HOP) for phone in plan.phones
    ]


def at_rate(sample: int, recording: Recording) -> int:
    return round(sample * SAMPLE_RATE / recording.sample_rate)


def deviation(recording: Recording, plan: EditPlan, patches: tuple[Patch, ...]) -> float:
    """Seconds by which the output is longer than planned."""
    frames = sum(edit.frames - (edit.source[1] - edit.source[0]) for edit in plan.edits)
    growth = sum(patch.growth for patch in patches)
    return growth / recording.sample_rate - frames * HOP / SAMPLE_RATE


if __name__ == "__main__":
    main()
