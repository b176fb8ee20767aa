"""Can new words be told from the recording, and by what?"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
from tqdm import tqdm

from a3t.editor import Editor
from a3t.errors import InputError
from alignment import AlignmentError
from evaluation.detector.detector_material import (
    CONTROL,
    COPY,
    NATURAL,
    OTHER,
    PATCH,
    ComparedStretch,
    StretchMaker,
    draw_edits,
    read_stretches,
)
from evaluation.detector.spectral_statistics import FEATURES, Feature
from evaluation.detector.telling_apart import Area, alone, told_apart
from evaluation.edits.conditions import CLEAN, CONDITIONS
from evaluation.edits.listing import ListedEdit
from evaluation.harness.programs import (
    add_counts,
    add_model_arguments,
    add_set_argument,
    clips_of,
    markdown_table,
    write_report,
)
from training.corpora import Clip

PAIRS = ((PATCH, NATURAL), (COPY, NATURAL), (PATCH, COPY), (CONTROL, NATURAL))
BELOW = {"all bands": 8000, "below 7 kHz": 7000, "below 2.5 kHz": 2500}  # Hz
DIVISIONS = 10  # of natural stretches from natural ones, at random
SHOWN = 8  # single statistics
PLAINEST = 20  # patches
LEAST_VOICES = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add_set_argument(parser)
    parser.add_argument(
        "--condition", action="append", default=[], choices=list(CONDITIONS), metavar="CONDITION",
        help="condition of the recordings (repeatable; default: clean)",
    )  # fmt: skip
    add_counts(parser, edits=120)
    parser.add_argument(
        "--stretches", type=Path, metavar="JSONL",
        help="classify stretches.jsonl of an earlier run again, instead of making edits",
    )  # fmt: skip
    add_model_arguments(parser)


def run(options: argparse.Namespace) -> None:
    """Make the stretches and tell them apart; raises InputError."""
    if options.stretches:
        stretches, facts = read_stretches(options.stretches), [f"Stretches: {options.stretches}"]
        write_report(options.out, "detector", markdown_report(stretches, facts))
        return
    editor = Editor.load(options.model, vocoder=options.vocoder)
    clips = clips_of(options)
    edits = draw_edits(clips, options.set, options.edits)
    maker, stretches, failed = make_stretches(
        editor, edits, clips, options.condition or [CLEAN], options.out
    )
    vocoder = f"{editor.vocoder.name} ({(editor.vocoder.sha256 or '')[:12]})"
    facts = [
        f"Model: {editor.name} ({editor.sha256[:12]}); vocoder: {vocoder}",
        f"{len(edits)} edits drawn of the half “{options.set}”; {failed} could not be compared",
    ]
    write_report(options.out, "detector", markdown_report(stretches, facts))
    for rank, stretch in enumerate(plainest(stretches), start=1):
        name = f"plainest-{rank:02d} {stretch.edit} {stretch.condition}.png"
        maker.draw(stretch, options.out / name)


def make_stretches(
    editor: Editor,
    edits: Sequence[ListedEdit],
    clips: Sequence[Clip],
    conditions: Sequence[str],
    out: Path,
) -> tuple[StretchMaker, list[ComparedStretch], int]:
    """The stretches, each edit's written when it is made, and how many edits failed."""
    by_name = {clip.name: clip for clip in clips}
    folder = out / "sounds"
    folder.mkdir(parents=True, exist_ok=True)
    maker, failed = StretchMaker(editor, folder), 0
    stretches: list[ComparedStretch] = []
    with open(out / "stretches.jsonl", "w", encoding="utf-8") as file:
        for edit in tqdm(edits, unit="edit", disable=None):
            for condition in conditions:
                try:
                    own = list(maker.stretches(edit, by_name[edit.clip], condition))
                except (InputError, AlignmentError, ValueError):
                    failed += 1
                    continue
                stretches += own
                file.writelines(json.dumps(stretch.to_json()) + "\n" for stretch in own)
                file.flush()
    return maker, stretches, failed


def markdown_report(stretches: Sequence[ComparedStretch], facts: Iterable[str]) -> str:
    """The page: which kinds the classifier tells apart, by bands, statistics and conditions,
    in which corpora. InputError if the stretches are of too few voices."""
    voices = {stretch.voice for stretch in stretches}
    if len(voices) < LEAST_VOICES:
        raise InputError(
            f"A detector needs stretches of {LEAST_VOICES} voices, not of {len(voices)}: "
            "add a corpus, or more edits."
        )
    counts = ", ".join(f"{sum(s.kind == kind for s in stretches)} × {kind}"
                       for kind in (PATCH, COPY, CONTROL, NATURAL, OTHER))  # fmt: skip
    parts = ["# New words and the recording, told apart\n"]
    parts.append("\n".join(f"- {fact}" for fact in [*facts, f"{len(voices)} voices: {counts}"]))
    told = [
        [f"{made} – {real}", *map(shown, _areas(stretches, made, real))] for made, real in PAIRS
    ]
    told.append([f"{NATURAL} – {NATURAL}", *_divided(stretches)])
    parts += ["", markdown_table(["told apart", *BELOW], told)]
    parts.append("Single statistics that tell most, below 7 kHz:\n")
    most = [
        (f"{made} – {real}", feature, f"{area:.3f}")
        for made, real in PAIRS[:3]
        for area, feature in _strongest(stretches, made, real)
    ]
    parts.append(markdown_table(["told apart", "statistic", "area"], most))
    parts.append("Below 7 kHz, part by part:\n")
    lines = []
    for part, own in _parts(stretches):
        count = sum(stretch.kind == PATCH for stretch in own)
        areas = [shown(area_of(own, made, real, "below 7 kHz")) for made, real in PAIRS]
        lines.append([part, count, *areas])
    names = [f"{made} – {real}" for made, real in PAIRS]
    parts.append(markdown_table(["part", "patches", *names], lines))
    return "\n".join([*parts, LEGEND])


def shown(area: Area | None) -> str:
    """An area, or a dash for too few voices."""
    return "–" if area is None else str(area)


LEGEND = """\
Areas under the ROC curve with 95 % intervals (a bootstrap over voices): 0.5 is not told apart, 1
always. A logistic regression on 160 statistics of a stretch's log spectrum (512 samples at 16 kHz,
every 10 ms), inside and against its clip, judges each voice by what it has learnt of the others.
Patch: new words. Copy: the clip's own mel through the vocoder, put in a stretch's place as a patch
is. Control: the clip's own sound to 24 kHz and back, likewise. Natural – natural: two stretches of
each clip, divided at random ten times; the mean and the deviation. Clips are at their own rates.
"""


def plainest(stretches: Sequence[ComparedStretch]) -> list[ComparedStretch]:
    """The patches that are most plainly synthetic below 7 kHz."""
    chosen, made = _chosen(stretches, PATCH, NATURAL)
    scores = _told(chosen, made, BELOW["below 7 kHz"]).scores
    order = np.flatnonzero(made)[np.argsort(-scores[made])]
    return [chosen[k] for k in order[:PLAINEST]]


def _chosen(
    stretches: Sequence[ComparedStretch], made: str, real: str
) -> tuple[list[ComparedStretch], np.ndarray]:
    chosen = [stretch for stretch in stretches if stretch.kind in (made, real)]
    return chosen, np.array([stretch.kind == made for stretch in chosen])


def _told(chosen: Sequence[ComparedStretch], made: np.ndarray, below: int) -> Area:
    features = np.stack([stretch.features for stretch in chosen])
    own = [k for k, feature in enumerate(FEATURES) if feature.band[1] <= below]
    return told_apart(features[:, own], made, [stretch.voice for stretch in chosen])


def area_of(stretches: Sequence[ComparedStretch], made: str, real: str, band: str) -> Area | None:
    """The area under the curve for two kinds in a band; None for too few stretches."""
    chosen, is_made = _chosen(stretches, made, real)
    if len({stretch.voice for stretch in chosen}) < LEAST_VOICES:
        return None
    return _told(chosen, is_made, BELOW[band])


def _areas(stretches: Sequence[ComparedStretch], made: str, real: str) -> list[Area | None]:
    return [area_of(stretches, made, real, band) for band in BELOW]


def _divided(stretches: Sequence[ComparedStretch]) -> list[str]:
    """Natural stretches told from the others of the same edits, though nothing tells them."""
    other = {(s.edit, s.condition) for s in stretches if s.kind == OTHER}
    chosen = [s for s in stretches if s.kind in (NATURAL, OTHER) and (s.edit, s.condition) in other]
    if len({stretch.voice for stretch in chosen}) < LEAST_VOICES:
        return ["–" for _ in BELOW]
    draw = np.random.default_rng(0)
    pairs = {key: k for k, key in enumerate(sorted(other))}
    pair = np.array([pairs[s.edit, s.condition] for s in chosen])
    first = np.array([s.kind == NATURAL for s in chosen])
    divisions = [draw.random(len(pairs))[pair] < 0.5 for _ in range(DIVISIONS)]
    cells = []
    for below in BELOW.values():
        areas = [_told(chosen, first ^ swapped, below).value for swapped in divisions]
        cells.append(f"{np.mean(areas):.3f} ± {np.std(areas):.3f}")
    return cells


def _strongest(
    stretches: Sequence[ComparedStretch], made: str, real: str
) -> list[tuple[float, Feature]]:
    chosen, is_made = _chosen(stretches, made, real)
    areas = [
        (alone(np.array([s.features[k] for s in chosen]), is_made), feature)
        for k, feature in enumerate(FEATURES)
        if feature.band[1] <= BELOW["below 7 kHz"]
    ]
    return sorted(areas, key=lambda pair: -pair[0])[:SHOWN]


def _parts(stretches: Sequence[ComparedStretch]) -> list[tuple[str, list[ComparedStretch]]]:
    """The stretches by condition and by corpus, where there are several."""
    kinds: tuple[Callable[[ComparedStretch], str], ...] = (
        lambda s: s.condition,
        lambda s: s.corpus,
    )
    found = []
    for name in kinds:
        for part in dict.fromkeys(map(name, stretches)):
            found.append((part, [stretch for stretch in stretches if name(stretch) == part]))
    return found
