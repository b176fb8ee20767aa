"""The parts of RESULTS.md, each by the functions of the command that measures it alone.

A part is a function of a `Setting`; its figures are numbers, texts, or means with 95 % intervals
(`interval`), by the names that the template page.md has.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch

from a3t.editor import Editor
from evaluation.harness.estimates import Interval
from training.corpora import Clip, corpora_root, read_corpora

Figures = dict[str, Any]

CONDITIONS = {"clean": "clean", "noise": "pink noise 20 dB", "room": "room", "phone": "8 kHz"}
EDIT_MEASURES = ("similarity", "dnsmos", "dnsmos_p808", "f0_range", "detail", "level")


@dataclass(frozen=True)
class Setting:
    """What the parts share: a folder of each part's own, and perhaps one of texts."""

    folder: Path
    texts: Path | None = None

    @cached_property
    def editor(self) -> Editor:
        return Editor.load()

    @cached_property
    def clips(self) -> list[Clip]:
        return read_corpora(corpora_root())


def interval(values: Iterable[float]) -> list[float]:
    """A mean with its 95 % interval, and of how many values: [mean, low, high, count]."""
    found = Interval.of(values)
    return [found.value, found.low, found.high, found.count]


def percent(hits: int, total: int) -> float:
    """Per cent; NaN of nothing."""
    return 100 * hits / total if total else math.nan


def edits(setting: Setting) -> Figures:
    """New words in the first listed edits of unseen voices, under four conditions."""
    from evaluation.edits import edits_table
    from evaluation.edits.experiment import run_experiment
    from evaluation.edits.listing import find_clips, read_list

    listed = [edit for edit in read_list() if edit.set == "report"][:24]
    clips = find_clips(listed, corpora_root())
    folder = setting.folder / "edits"
    rows, _ = run_experiment(
        setting.editor, listed, clips, list(CONDITIONS.values()), folder, resume=True
    )
    found: Figures = {"voices": len({row.voice for row in rows})}
    every = edits_table.by_edit(rows)
    for name, condition in CONDITIONS.items():
        pairs = {key: pair for key, pair in every.items() if key[1] == condition}
        found[f"{name}.edits"] = len(pairs)
        for measure in EDIT_MEASURES:
            figures = edits_table.compared(pairs, measure)
            found[f"{name}.{measure}.ours"] = float(np.nanmean(figures.patch))
            found[f"{name}.{measure}.natural"] = float(np.nanmean(figures.every))
            difference = figures.difference
            found[f"{name}.{measure}.difference"] = [
                difference.value, difference.low, difference.high, difference.count,
            ]  # fmt: skip
        for side in ("patch", "every"):
            levels = getattr(edits_table.compared(pairs, "level"), side)
            valid = [level for level in levels if not math.isnan(level)]
            key = "ours" if side == "patch" else "natural"
            found[f"{name}.spread.{key}"] = float(np.std(valid))
            found[f"{name}.worst.{key}"] = max(valid, key=abs)
        joints = [
            [figures.get(f"joint_{measure}", math.nan) for measure in ("dip", "flux", "jump")]
            for figures, _ in pairs.values()
        ]
        found[f"{name}.joints"] = 100 * float(np.nanmax(np.nanmean(joints, axis=0)))
    similarities = {key[0]: own.get("similarity", math.nan) for key, (own, _) in every.items()}
    farthest = min(similarities, key=lambda name: similarities[name])
    found["farthest"] = similarities[farthest]
    return found


def detector(setting: Setting) -> Figures:
    """Whether a classifier tells new words and copies from what was recorded."""
    from evaluation.detector import detector_command as command
    from evaluation.detector.detector_material import COPY, NATURAL, PATCH, draw_edits

    drawn = draw_edits(setting.clips, "report", 36)
    _, stretches, failed = command.make_stretches(
        setting.editor, drawn, setting.clips, ["clean"], setting.folder / "detector"
    )
    found: Figures = {"edits": len(drawn) - failed}
    for name, made in (("patch", PATCH), ("copy", COPY)):
        for band, shown in (("all", "all bands"), ("below", "below 7 kHz")):
            area = command.area_of(stretches, made, NATURAL, shown)
            if area is not None:
                found[f"{name}.{band}"] = [area.value, area.low, area.high, found["edits"]]
    return found


def vocoder(setting: Setting) -> Figures:
    """Held-out clips to mels and back."""
    from evaluation.vocoders import draw_parts, measure_vocoders

    rows = measure_vocoders(draw_parts(setting.clips, 2), ["builtin"])
    names = ("pesq", "stoi", "mcd", "similarity", "processor")
    figures = {name: interval(getattr(row, name) for row in rows) for name in names}
    return {"clips": len(rows), **figures}


def speech(setting: Setting) -> Figures:
    """A sentence spoken after a prompt, by unseen voices."""
    from evaluation.edits import spoken_prompts

    pairs = spoken_prompts.prompts(setting.clips, "report", 6)
    rows, _ = spoken_prompts.measure_prompts(setting.editor, pairs, setting.folder / "speech")
    found: Figures = {}
    for name, system in (("ours", spoken_prompts.MODEL), ("natural", spoken_prompts.NATURAL)):
        own = [row for row in rows if row.system == system]
        found["voices"] = len(own)
        for measure in ("similarity", "dnsmos", "f0_range", "heard"):
            found[f"{measure}.{name}"] = float(np.nanmean([getattr(row, measure) for row in own]))
    for measure in ("similarity", "dnsmos", "f0_range"):
        of_voice = {(row.voice, row.system): getattr(row, measure) for row in rows}
        found[f"{measure}.difference"] = interval(
            of_voice[row.voice, spoken_prompts.MODEL] - getattr(row, measure)
            for row in rows
            if row.system == spoken_prompts.NATURAL
        )
    return found


def voices(setting: Setting) -> Figures:
    """Edits of a minute's recording before and after learning its voice."""
    from evaluation.edits.edits_table import changes
    from evaluation.edits.learnt_voices import measure_learning

    folder = setting.folder / "voices"
    done = measure_learning(
        setting.editor,
        setting.clips,
        "report",
        1.0,
        folder,
        voices=3,
        recordings=1,
        edits=5,
        resume=True,
    )
    found: Figures = {"seconds": done.seconds, "recordings": 3}
    for measure in ("similarity", "dnsmos"):
        found[measure] = interval(values := changes(done.after, done.before, measure))
        found[f"{measure}.higher"] = percent(sum(value > 0 for value in values), len(values))
    return found


def untouched(setting: Setting) -> Figures:
    """Random edits of many formats: is all else as it was, are the new words there?"""
    from evaluation.edits.scripted_edits import edit_files

    torch.set_num_threads(1)
    rows = edit_files(setting.editor, 25, 7)
    seconds = [row.seconds for row in rows]
    return {
        "files": len(rows),
        "edits": sum(row.edits for row in rows),
        "equal": sum(row.untouched for row in rows),
        "words": sum(row.new_words for row in rows),
        "heard": sum(row.heard for row in rows),
        "seconds": float(np.median(seconds)),
        "longest": float(np.percentile(seconds, 95)),
    }


def joints(setting: Setting) -> Figures:
    """Joints of recorded with recorded speech: deletions and moves."""
    from evaluation.edits.recorded_joints import measure_joints

    found: Figures = {}
    for name, count, shares, natural in measure_joints(setting.editor, 36, 7):
        key = name.replace(" ", "-")
        found[f"{key}.joints"] = count
        found[f"{key}.all"], found[f"{key}.natural"] = 100 * shares[3], 100 * natural[3]
    return found


def backgrounds(setting: Setting) -> Figures:
    """Whether the edit says that music will break off; how far a hum falls under new words."""
    from evaluation.edits.background_under_edits import measure_backgrounds

    found: Figures = {}
    for each in measure_backgrounds(setting.editor, 8, 17, ("hum", "music", "nothing")):
        key = f"{each.kind}.{-each.level:g}"
        found[f"{key}.said"] = percent(sum(each.said), len(each.said))
        if len(each.falls):
            found[f"{key}.without"], found[f"{key}.with"] = np.median(each.falls, axis=0).tolist()
    return found


def speed(setting: Setting) -> Figures:
    """Time and memory of an edit, of starting, and of an edit in an hour."""
    from evaluation.speed.edit_speed import EDIT, SOUND, measure_edit, measure_starts
    from evaluation.speed.long_files import measure_lengths

    with TemporaryDirectory() as folder:
        measured = measure_edit(Path(folder), 3)
        starts = measure_starts(Path(folder), 1)
        short, long = measure_lengths(Path(folder), 60.0, 1)
    cold, warm = measured["cold"], measured["warm"]
    return {
        **{f"cold.{name}": cold[name] for name in ("wall", "processor", "mebibytes")},
        **{f"warm.{name}": warm[name] for name in ("total", "again", "mebibytes")},
        "start": starts[EDIT],
        "sound": starts[SOUND],
        "torch": starts["importing torch"],
        "short.processor": short.processor,
        "short.mebibytes": short.mebibytes,
        "long.processor": long.processor,
        "long.mebibytes": long.mebibytes,
    }


def page(setting: Setting) -> Figures:
    """The waits of eight people who edit on the page at the same time."""
    from evaluation.speed.page_waits import measure_people

    found = measure_people(7941, 8, 1)
    alone = found["one person's first edit, the second, s"]
    waits = found["a person's wait, s"]
    return {
        "start": found["the page answers after, s"],
        "first": alone[0],
        "second": alone[1],
        "edits": found["edits"],
        "wrong": found["wrong"],
        "median": waits["median"],
        "longest": waits["longest"],
    }


def boundaries(setting: Setting) -> Figures:
    """The aligner's boundaries against voices whose times are exact."""
    from alignment.aligners.network_aligner import NetworkAligner
    from evaluation.hearing.boundary_errors import measure, spoken
    from training.alignment.distortions import CONDITIONS as DISTORTIONS
    from training.alignment.flite import VOICES

    utterances, aligner = spoken(VOICES, 10), NetworkAligner()
    found: Figures = {}
    for name, condition in (("clean", "clean"), ("noise", "noise 10 dB"), ("room", "room")):
        figures = measure(aligner, utterances, DISTORTIONS[condition]).to_json()
        found |= {f"{name}.{key}": figures[key] for key in ("boundaries", "mean", "median")}
        found[f"{name}.speed"] = figures["x real time"]
    return found


def spreads(setting: Setting) -> Figures:
    """Whether boundaries lie within their stated spreads."""
    from evaluation.hearing.calibration import REPORTED, pause_boundaries, phone_boundaries

    rows = phone_boundaries(REPORTED, 8)
    beside = pause_boundaries(40, reported=True)
    within = [error <= spread for _, _, spread, error in beside]
    return {
        "phones": percent(int((rows[:, 1] <= rows[:, 0]).sum()), len(rows)),
        "phones.count": len(rows),
        "pauses": percent(sum(within), len(within)),
        "pauses.count": len(within),
    }


def errors(setting: Setting) -> Figures:
    """Wrong texts: doubted? Right ones: trusted?"""
    from evaluation.hearing.planted_errors import ONE, WHOLE, align_with_texts, detected
    from evaluation.hearing.planting import aligner_held_out, chosen, heard

    clips = [heard(clip) for clip in chosen(aligner_held_out(), 48, 6)]
    rows = list(align_with_texts(clips, 6))
    found: Figures = {"clips": len(clips)}
    for name, kind in zip(("wrong", "added", "missing"), ONE[1:], strict=True):
        found[name] = percent(*detected(rows, kind, "found", "all"))
    found["alarms"] = percent(*detected(rows, ONE[0], "words doubted", "all"))
    refused = [detected(rows, kind, "refused", "all") for kind in WHOLE]
    found["refused"] = percent(sum(hits for hits, _ in refused), sum(of for _, of in refused))
    return found


def sounds(setting: Setting) -> Figures:
    """Sound that nobody wrote: named, and its neighbours left where they are?"""
    from evaluation.hearing.planted_sounds import FAR, align_planted
    from evaluation.hearing.planting import aligner_held_out, chosen, heard

    clips = [heard(clip) for clip in chosen(aligner_held_out(), 36, 6)]
    rows = [row for row in align_planted(clips, ()) if row.kind != "room tone"]
    far = [max(abs(row.before), abs(row.after)) > FAR for row in rows]
    return {
        "places": len(rows),
        "named": percent(sum(row.named for row in rows), len(rows)),
        "far": percent(sum(far), len(far)),
    }


def recognition(setting: Setting) -> Figures:
    """Words recognised wrongly, with the new text as a hint and without."""
    from evaluation.hearing.planting import aligner_held_out, chosen, heard
    from evaluation.hearing.recognition import recognise_clips

    clips = [heard(clip) for clip in chosen(aligner_held_out(True), 40, 3)]
    found: Figures = {"clips": len(clips)}
    for name, prior in (("hint", "new"), ("free", "none")):
        rows, found[f"{name}.speed"] = recognise_clips(clips, 3, prior)
        for part in ("all", "librispeech", "commonvoice"):
            own = [row for row in rows if part in ("all", row.corpus)]
            words, wrong = sum(row.words for row in own), sum(row.wrong for row in own)
            found[f"{name}.{part}"] = percent(wrong, words)
            kept = sum(row.kept for row in own)
            found[f"{name}.{part}.untouched"] = percent(sum(row.kept_wrong for row in own), kept)
    return found


def near_words(setting: Setting) -> Figures:
    """The edit that is planned, given only the new text."""
    from evaluation.hearing import near_words as measure

    clips = measure.as_written(measure.usable(False, None), 16, 7)
    rows = list(measure.measured(clips, 7))
    found: Figures = {"clips": len(clips)}
    for kind in ("near", "distant"):
        for name, where in (("clean", "clean"), ("home", "at home")):
            own = [row for row in rows if (row.kind, row.where) == (kind, where)]
            for verb in ("planned", "touched"):
                share = percent(sum(getattr(row, verb) for row in own), len(own))
                found[f"{kind}.{name}.{verb}"] = share
    return found


def cleaning(setting: Setting) -> Figures:
    """Fillers, repetitions and pauses, planted and taken out."""
    from evaluation.hearing.planted_fillers import CLIPPED, clean_planted
    from evaluation.hearing.planting import aligner_held_out, chosen, heard

    clips = [heard(clip) for clip in chosen(aligner_held_out(True), 24, 91)]
    done = clean_planted(setting.editor, clips, 91)
    made = [row for row in done.rows if row.found]
    return {
        "planted": len(done.rows),
        "found": percent(len(made), len(done.rows)),
        "clipped": percent(sum(max(row.lost) > CLIPPED for row in made), len(made)),
        "alarms": done.alarms / done.seconds * 60,
        "minutes": done.seconds / 60,
    }


def speakers(setting: Setting) -> Figures:
    """Two people told apart by their sound."""
    from evaluation.hearing.joined_speakers import tell_apart

    rows = [row for row in tell_apart(setting.editor, 8, 2, False) if row.voices == 2]
    found: Figures = {}
    for name, known in (("known", True), ("free", False)):
        own = [row for row in rows if row.known == known]
        found["recordings"] = len(own)
        found[name] = 100 * float(np.mean([row.words for row in own]))
        found[f"{name}.number"] = percent(sum(row.number for row in own), len(own))
    return found


def reading(setting: Setting) -> Figures:
    """How texts are read and punctuated."""
    from evaluation.text_readings import measure_reading

    found: Figures = {}
    for name, figure, cases in measure_reading(setting.texts, 2000, 30_000):
        found |= {name.replace(" ", "-"): figure, f"{name.replace(' ', '-')}.cases": cases}
    return found


# In the order of the page; about how many minutes of one core each takes.
PARTS: Mapping[str, tuple[Callable[[Setting], Figures], float]] = {
    "untouched": (untouched, 2),
    "edits": (edits, 9),
    "detector": (detector, 4),
    "vocoder": (vocoder, 2),
    "speech": (speech, 2),
    "joints": (joints, 3),
    "voices": (voices, 8),
    "speed": (speed, 3),
    "page": (page, 1),
    "boundaries": (boundaries, 2),
    "spreads": (spreads, 2),
    "errors": (errors, 2),
    "sounds": (sounds, 2),
    "recognition": (recognition, 3),
    "near-words": (near_words, 4),
    "cleaning": (cleaning, 4),
    "speakers": (speakers, 2),
    "reading": (reading, 4),
    "backgrounds": (backgrounds, 2),
}


def minutes_of(names: Sequence[str]) -> float:
    """About how many minutes of one core these parts take."""
    return sum(PARTS[name][1] for name in names)
