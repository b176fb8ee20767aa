"""python -m evaluation detector: can new words be told from the recording, and by what?"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from a3t.errors import InputError
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

PAIRS = ((PATCH, NATURAL), (COPY, NATURAL), (PATCH, COPY), (CONTROL, NATURAL))
BELOW = {"all bands": 8000, "below 7 kHz": 7000, "below 2.5 kHz": 2500}  # Hz
DIVISIONS = 10  # of natural stretches from natural ones, at random
SHOWN = 8  # single statistics
PLAINEST = 20  # patches
LEAST_VOICES = 3


def add_detector_command(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Its parser, among those of the other commands."""
    own = commands.add_parser("detector", help="tell new words from what was recorded")
    own.add_argument("--model", default="small", metavar="NAME_OR_PATH")
    own.add_argument("--vocoder", default="builtin", metavar="NAME_OR_PATH")
    own.add_argument(
        "--set", default="report", choices=["choose", "report"], help="which half of the voices"
    )
    own.add_argument(
        "--condition", action="append", default=[], choices=list(CONDITIONS), metavar="CONDITION",
        help="of the recordings (repeatable; default: clean)",
    )  # fmt: skip
    own.add_argument("--edits", type=int, default=120, metavar="N", help="(default: 120)")
    own.add_argument(
        "--stretches", type=Path, metavar="JSONL",
        help="stretches.jsonl of an earlier run, to be told apart again instead of made",
    )  # fmt: skip
    own.add_argument("--corpora", type=Path, help="folder of corpora (default: $A3T_CORPORA)")
    own.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    own.set_defaults(command=evaluate_detector)


def evaluate_detector(options: argparse.Namespace) -> None:
    """Carry out the parsed command; raises InputError."""
    from evaluation.harness.report import write_report

    if options.stretches:
        stretches, facts = read_stretches(options.stretches), [f"Stretches: {options.stretches}"]
    else:
        maker, stretches, facts = _made(options)
    write_report(options.out, "detector", markdown_report(stretches, facts))
    if not options.stretches:
        for rank, stretch in enumerate(plainest(stretches), start=1):
            name = f"plainest-{rank:02d} {stretch.edit} {stretch.condition}.png"
            maker.draw(stretch, options.out / name)


def _made(options: argparse.Namespace) -> tuple[StretchMaker, list[ComparedStretch], list[str]]:
    """The stretches, each edit's written when it is made, and facts about the run."""
    from tqdm import tqdm

    from a3t.editor import Editor
    from alignment import AlignmentError
    from training.corpora import corpora_root, read_corpora

    clips = read_corpora(options.corpora or corpora_root())
    edits = draw_edits(clips, options.set, options.edits)
    by_name = {clip.name: clip for clip in clips}
    editor = Editor.load(options.model, vocoder=options.vocoder)
    folder = options.out / "sounds"
    folder.mkdir(parents=True, exist_ok=True)
    maker, failed = StretchMaker(editor, folder), 0
    stretches: list[ComparedStretch] = []
    with open(options.out / "stretches.jsonl", "w", encoding="utf-8") as file:
        for edit in tqdm(edits, unit="edit", disable=None):
            for condition in options.condition or [CLEAN]:
                try:
                    own = list(maker.stretches(edit, by_name[edit.clip], condition))
                except (InputError, AlignmentError, ValueError):
                    failed += 1
                    continue
                stretches += own
                file.writelines(json.dumps(stretch.to_json()) + "\n" for stretch in own)
                file.flush()
    vocoder = f"{editor.vocoder.name} ({(editor.vocoder.sha256 or '')[:12]})"
    return (
        maker,
        stretches,
        [
            f"Model: {editor.name} ({editor.sha256[:12]}); vocoder: {vocoder}",
            f"{len(edits)} edits drawn of the half “{options.set}”; {failed} could not be compared",
        ],
    )


def markdown_report(stretches: Sequence[ComparedStretch], facts: Iterable[str]) -> str:
    """The page: who is told from whom in which bands, by which statistics, under which conditions,
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
    parts += ["", _line(["told apart", *BELOW]), "|" + "---|" * (len(BELOW) + 1)]
    for made, real in PAIRS:
        parts.append(_line([f"{made} – {real}", *_areas(stretches, made, real)]))
    parts.append(_line([f"{NATURAL} – {NATURAL}", *_divided(stretches)]))
    parts.append("\nSingle statistics that tell most, below 7 kHz:\n")
    parts += [_line(["told apart", "statistic", "area"]), "|---|---|---|"]
    for made, real in PAIRS[:3]:
        for area, feature in _strongest(stretches, made, real):
            parts.append(_line([f"{made} – {real}", str(feature), f"{area:.3f}"]))
    parts.append("\nBelow 7 kHz, part by part:\n")
    names = [f"{made} – {real}" for made, real in PAIRS]
    parts += [_line(["part", "patches", *names]), "|" + "---|" * (len(PAIRS) + 2)]
    for part, own in _parts(stretches):
        count = sum(stretch.kind == PATCH for stretch in own)
        areas = [_areas(own, made, real, ["below 7 kHz"])[0] for made, real in PAIRS]
        parts.append(_line([part, str(count), *areas]))
    return "\n".join([*parts, "", LEGEND])


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


def _areas(
    stretches: Sequence[ComparedStretch], made: str, real: str, bands: Iterable[str] = BELOW
) -> list[str]:
    chosen, is_made = _chosen(stretches, made, real)
    if len({stretch.voice for stretch in chosen}) < LEAST_VOICES:
        return ["–" for _ in bands]
    return [str(_told(chosen, is_made, BELOW[band])) for band in bands]


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


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"
